"""Progress of anything that takes longer than two seconds, with the time left.

On a terminal a bar; otherwise a plain line at every step, so that a log stays readable.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

_PATIENCE = 2.0  # seconds before anything is shown


class Steps:
    """Named steps with their usual share of the time; call it with a name when a step begins."""

    def __init__(self, steps: Sequence[tuple[str, float]], quiet: bool) -> None:
        self._shares = dict(steps)
        self._total = sum(self._shares.values())
        self._quiet = quiet
        self._begun = time.monotonic()
        self._done, self._now, self._said = 0.0, "", ""
        self._bar: Progress | None = None
        self._timer = threading.Timer(_PATIENCE, self._show)
        self._timer.daemon = True

    def __call__(self, name: str) -> None:
        """A step begins, so the one before is done."""
        self._done += self._shares.get(self._now, 0.0)
        self._now = name
        if time.monotonic() - self._begun > _PATIENCE:
            self._update()

    def _left(self) -> str:
        if self._done <= 0:
            return ""
        spent = time.monotonic() - self._begun
        left = spent * (self._total - self._done) / self._done
        return f", about {left:.0f} s left" if left >= 1 else ""

    def _show(self) -> None:
        if self._quiet:
            return
        if sys.stderr.isatty():
            columns = (
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                TimeElapsedColumn(),
            )
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.add_task("", total=self._total)
            self._bar.start()
        self._update()

    def _update(self) -> None:
        if self._quiet:
            return
        if self._bar is not None:
            words = f"{self._now}{self._left()}"
            self._bar.update(self._bar.task_ids[0], completed=self._done, description=words)
        elif self._now != self._said and not sys.stderr.isatty():
            self._said = self._now  # the timer and the step itself may both come by
            print(f"{self._now}{self._left()}", file=sys.stderr, flush=True)

    def __enter__(self) -> Steps:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        if self._bar is not None:
            self._bar.stop()


@contextmanager
def working(*steps: str, quiet: bool = False) -> Iterator[Steps]:
    """Steps of about the same length."""
    with Steps([(name, 1.0) for name in steps], quiet) as progress:
        yield progress
