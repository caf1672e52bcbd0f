"""One computation at a time: a newer one ends an older one, and none goes on for long.

A computation is ended by an exception raised in its thread, which arrives when the thread is next
in Python: between two products of an iterative solver, say, not within a factorization.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import TypeVar

from cellapse._errors import CellapseError

Answer = TypeVar("Answer")


class TurnEndedError(CellapseError):
    """The computation was ended before it had a result; the message says why."""


class _Stop(BaseException):
    """Raised from outside in the thread whose turn is over."""


class Turns:
    """Takes computations from many threads and runs the newest.

    >>> Turns(10.0).take(lambda: 7)
    7
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._busy = threading.Lock()  # held while something is computed
        self._state = threading.Lock()
        self._newest = 0
        self._running: tuple[int, int] | None = None  # ticket and thread
        self._reason = ""

    def take(self, work: Callable[[], Answer]) -> Answer:
        """The result of `work`, unless a newer call comes or it takes too long."""
        with self._state:
            self._newest += 1
            ticket = self._newest
            if self._running is not None:
                self._end(self._running[0], "a newer question took its place")
        with self._busy:
            with self._state:
                if ticket != self._newest:
                    raise TurnEndedError("a newer question took its place")
                self._running = ticket, threading.get_ident()
            late = f"it took more than {self._seconds:g} seconds; choose fewer vectors or clusters"
            timer = threading.Timer(self._seconds, self._end_locked, (ticket, late))
            timer.daemon = True
            timer.start()
            try:
                return work()
            except _Stop:
                raise TurnEndedError(self._reason) from None
            finally:
                timer.cancel()
                with self._state:
                    self._running = None

    def when_idle(self, work: Callable[[], object]) -> None:
        """Run `work` when nothing is computed; whoever comes waits for it."""
        with self._busy:
            work()

    def _end_locked(self, ticket: int, reason: str) -> None:
        with self._state:
            self._end(ticket, reason)

    def _end(self, ticket: int, reason: str) -> None:
        if self._running is None or self._running[0] != ticket:
            return
        self._reason = reason
        thread = ctypes.c_ulong(self._running[1])
        ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(_Stop))
