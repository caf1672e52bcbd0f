"""One computation at a time: a newer one ends an older one, and none is waited for for long.

A computation runs in a thread of its own and is ended by an exception raised there, which arrives
when the thread is next in Python: between two products of an iterative solver, say, not within a
factorization. Whoever asked has an answer in time all the same; what cannot be ended yet keeps the
next question waiting, and that one is told why.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import TypeVar, cast

from cellapse._errors import CellapseError

Answer = TypeVar("Answer")
_NEWER = "a newer question took its place"


class TurnEndedError(CellapseError):
    """The computation was ended before it had a result; the message says why."""


class _Stop(BaseException):
    """Raised from outside in the thread whose turn is over."""


class _Turn:
    """One computation: its thread, and what came of it."""

    def __init__(self, work: Callable[[], object], free: Callable[[], object]) -> None:
        self._work, self._free = work, free
        self._ending, self._ended = threading.Lock(), False
        self.over = threading.Event()
        self.reason, self.answer = "", cast(object, None)
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        try:
            try:
                self.answer = self._work()
            except BaseException as error:  # raised again where it was asked for
                self.error = error
            with self._ending:
                self._ended = True  # from here on nothing is raised in this thread
        except _Stop:  # it was on its way when the work was done
            pass
        finally:
            self._free()
            self.over.set()

    def end(self, reason: str) -> None:
        """Stop waiting for it, and stop it as soon as it is in Python again."""
        self.reason = self.reason or reason
        self.over.set()
        with self._ending:
            if not self._ended and self.thread.ident is not None:
                self._ended = True
                thread = ctypes.c_ulong(self.thread.ident)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(_Stop))


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
        self._running: _Turn | None = None

    def take(self, work: Callable[[], Answer]) -> Answer:
        """The result of `work`, unless a newer call comes or it takes too long."""
        with self._state:
            self._newest += 1
            ticket = self._newest
            if self._running is not None:
                self._running.end(_NEWER)
        if not self._busy.acquire(timeout=self._seconds):
            raise TurnEndedError(
                "an earlier question is still being computed, and cannot be stopped in the middle "
                "of a factorization; ask again in a while"
            )
        turn = _Turn(work, self._busy.release)
        with self._state:
            if ticket != self._newest:
                self._busy.release()
                raise TurnEndedError(_NEWER)
            self._running = turn
            turn.thread.start()
        if not turn.over.wait(self._seconds):
            turn.end(
                f"it took more than {self._seconds:g} seconds; choose fewer vectors or clusters"
            )
        if turn.reason:
            raise TurnEndedError(turn.reason)
        if turn.error is not None:
            raise turn.error
        return cast(Answer, turn.answer)

    def when_idle(self, work: Callable[[], object]) -> None:
        """Run `work` when nothing is computed; whoever comes waits for it."""
        with self._busy:
            work()
