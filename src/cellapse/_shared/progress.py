"""Signs of life on standard error from what takes longer than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

_PATIENCE = 2.0  # seconds without a sign of life that nobody minds


def progress(steps: Iterable[T], total: int, what: str, show: bool | None = None) -> Iterator[T]:
    """Pass the steps on; after two seconds, show how far they are and the time left.

    Parameters
    ----------
    steps : iterable
    total : int
        How many there will be.
    what : str
        What is being done, in a few words.
    show : bool, optional
        By default only where standard error is a terminal; True writes plain lines elsewhere.

    >>> list(progress("abc", 3, "counting"))
    ['a', 'b', 'c']
    """
    line = Line(what, show)
    for done, step in enumerate(steps):
        yield step
        line.say(
            lambda passed, done=done: (  # type: ignore[misc]
                f"{done + 1:,} of {total:,}, about "
                f"{_time(passed / (done + 1) * (total - done - 1))} left"
            )
        )
    line.end()


class Line:
    """One line that is rewritten on a terminal; a new line every ten seconds elsewhere, if asked.

    Parameters
    ----------
    what : str
        What is being done, in a few words.
    show : bool, optional
        By default only where standard error is a terminal.
    """

    def __init__(self, what: str, show: bool | None = None) -> None:
        self._terminal = sys.stderr.isatty()
        self._what, self._show = what, self._terminal if show is None else show
        self._start = self._said = time.monotonic()

    def say(self, how_far: Callable[[float], str]) -> None:
        """Say how far it is, if it is time to: `how_far` is given the seconds passed."""
        if not self._show:
            return
        now = time.monotonic()
        if now - self._start < _PATIENCE or now - self._said < (0.2 if self._terminal else 10.0):
            return
        self._said = now
        text = f"{self._what}: {how_far(now - self._start)}"
        sys.stderr.write(f"\r{text:<78}" if self._terminal else text + "\n")
        sys.stderr.flush()

    def end(self) -> None:
        """Wipe the line."""
        if self._terminal and self._said > self._start:
            sys.stderr.write("\r" + " " * 78 + "\r")
            sys.stderr.flush()


def _time(seconds: float) -> str:
    """A duration as people say it.

    >>> _time(8.4), _time(200)
    ('8 s', '3 min')
    """
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
