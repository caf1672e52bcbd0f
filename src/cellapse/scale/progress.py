"""Signs of life from rank 0, on standard error."""

from __future__ import annotations

import sys
import time
from typing import Any

from cellapse._shared.arrays import FloatArray
from cellapse.scale.davidson import OnStep


class Report:
    """What is said while ranks work together; only rank 0 speaks, and only where wanted.

    Parameters
    ----------
    comm : communicator
    show : bool
    """

    def __init__(self, comm: Any, show: bool) -> None:
        self._speaks = show and comm.rank == 0
        self._start = time.monotonic()

    def say(self, text: str) -> None:
        """One line with the seconds so far."""
        if self._speaks:
            print(f"{time.monotonic() - self._start:8.1f} s  {text}", file=sys.stderr, flush=True)

    def __call__(self, what: str) -> OnStep | None:
        """What reports the steps of an iteration."""
        if not self._speaks:
            return None

        def on_step(step: int, X: FloatArray, size: float, goal: float) -> None:
            if step % 5 == 0:
                self.say(f"{what}: step {step}, residual {size:.1e} on the way to {goal:.1e}")

        return on_step


def both(first: OnStep | None, second: OnStep | None) -> OnStep | None:
    """Two things done at every step."""
    if first is None or second is None:
        return first or second
    one, two = first, second

    def on_step(step: int, X: FloatArray, size: float, goal: float) -> None:
        one(step, X, size, goal)
        two(step, X, size, goal)

    return on_step
