"""Progress of anything that takes longer than two seconds: which step of how many.

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
    """Named steps; call it with a name when a step begins."""

    def __init__(self, steps: Sequence[str], quiet: bool) -> None:
        self._steps = list(steps)
        self._quiet = quiet
        self._begun = time.monotonic()
        self._now, self._said = "", ""
        self._bar: Progress | None = None
        self._timer = threading.Timer(_PATIENCE, self._show)
        self._timer.daemon = True

    def __call__(self, name: str) -> None:
        """A step begins, so the one before is done."""
        self._now = name
        if time.monotonic() - self._begun > _PATIENCE:
            self._update()

    def _words(self) -> str:
        """The step, and which of how many it is: how long each takes depends on the network."""
        return f"{self._now} ({self._steps.index(self._now) + 1} of {len(self._steps)})"

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
            self._bar.add_task("", total=len(self._steps))
            self._bar.start()
        self._update()

    def _update(self) -> None:
        if self._quiet:
            return
        done = self._steps.index(self._now) if self._now else 0
        if self._bar is not None:
            words = self._words() if self._now else ""
            self._bar.update(self._bar.task_ids[0], completed=done, description=words)
        elif self._now != self._said and not sys.stderr.isatty():
            self._said = self._now  # the timer and the step itself may both come by
            print(self._words(), file=sys.stderr, flush=True)

    def __enter__(self) -> Steps:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        if self._bar is not None:
            self._bar.stop()


@contextmanager
def working(*steps: str, quiet: bool = False) -> Iterator[Steps]:
    """Say which of these steps is under way, from the second second on."""
    with Steps(steps, quiet) as progress:
        yield progress
