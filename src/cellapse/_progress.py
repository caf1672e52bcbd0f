"""A progress bar on standard error for what takes longer than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
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
    terminal = sys.stderr.isatty()
    if show is False or (show is None and not terminal):
        yield from steps
        return
    start = said = time.monotonic()
    for done, step in enumerate(steps):
        yield step
        now = time.monotonic()
        if now - start > _PATIENCE and now - said > (0.2 if terminal else 10.0):
            said = now
            left = (now - start) / (done + 1) * (total - done - 1)
            line = f"{what}: {done + 1:,} of {total:,}, about {_time(left)} left"
            sys.stderr.write(f"\r{line:<78}" if terminal else line + "\n")
            sys.stderr.flush()
    if terminal and said > start:
        sys.stderr.write("\r" + " " * 78 + "\r")


def _time(seconds: float) -> str:
    """A duration as people say it.

    >>> _time(8.4), _time(200)
    ('8 s', '3 min')
    """
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
