"""One question at a time, answered in a process of its own that may be killed.

Nothing else ends a factorization in its middle. An answer that takes too long is ended; a newer
question gives the one before it a second to finish, and then ends it. The next process begins with
what was known at the start.
"""

from __future__ import annotations

import contextlib
import pickle
import signal
import threading
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from cellapse._errors import CellapseError
from cellapse._shared.processes import end_with_parent

_GRACE = 1.0  # seconds in which an older question may still be answered
_PATIENCE = 120.0  # seconds for a process to begin, which mostly takes two
_NEWER = "a newer question took its place"
_OUTSIDE = (
    "the process that computes was ended from outside, perhaps for want of memory; another one "
    "takes its place, ask it for less"
)


class TurnEndedError(CellapseError):
    """The computation was ended before it had a result; the message says why."""


class Turns:
    """Questions from many threads to one object, answered by a copy of it in another process.

    Parameters
    ----------
    answering : object
        Whose methods are asked; it is pickled.
    seconds : float
        For an answer.
    idle : pairs of a method and its argument
        What the copy calls, one after the other, while nobody asks.
    """

    def __init__(
        self, answering: object, seconds: float, idle: Sequence[tuple[str, Any]] = ()
    ) -> None:
        self._beginning = pickle.dumps((answering, list(idle)))
        self._seconds = seconds
        self._busy = threading.Lock()  # held by the thread whose turn it is
        self._state = threading.Lock()
        self._newest = 0
        self._computing = self._closed = False
        self._room: _Room | None = None

    def begin(self) -> None:
        """Start the process, so that the first question does not wait for it."""
        with self._busy:
            self._opened()

    def close(self) -> None:
        """End the process; nothing is answered from here on."""
        with self._state:
            self._closed = True
            if self._computing and self._room is not None:
                self._room.end()
        with self._busy:
            self._shut()

    def take(self, method: str, argument: Any) -> Any:
        """Return what the method returns, unless a newer question comes or it takes too long."""
        with self._state:
            self._newest += 1
            ticket = self._newest
        if not self._busy.acquire(timeout=_GRACE):
            with self._state:
                self._require_newest(ticket)
                if self._computing and self._room is not None:
                    self._room.end()
            self._busy.acquire()
        try:
            return self._answer(ticket, method, argument)
        except (EOFError, OSError):  # nobody at the other end any more
            self._shut()
            self._require_newest(ticket)
            raise TurnEndedError(_OUTSIDE) from None
        finally:
            with self._state:
                self._computing = False
            self._busy.release()

    def _answer(self, ticket: int, method: str, argument: Any) -> Any:
        room = self._opened()
        room.wait()
        with self._state:
            self._require_newest(ticket)
            self._computing = True
        room.line.send((method, argument))
        if not room.line.poll(self._seconds):
            self._shut()
            self._opened()  # in time for the next question
            self._require_newest(ticket)
            raise TurnEndedError(
                f"it took more than {self._seconds:g} seconds; choose fewer vectors, or another "
                "realization"
            )
        answer, error = room.line.recv()
        if error:
            raise TurnEndedError(error)
        return answer

    def _require_newest(self, ticket: int) -> None:
        if self._closed:
            raise TurnEndedError("the explorer has ended")
        if ticket != self._newest:
            raise TurnEndedError(_NEWER)

    def _opened(self) -> _Room:
        if self._closed:
            raise TurnEndedError("the explorer has ended")
        if self._room is None:
            self._room = _Room(self._beginning)
        return self._room

    def _shut(self) -> None:
        with self._state:  # so that a newer question does not end what follows
            self._computing = False
            room, self._room = self._room, None
        if room is not None:
            room.end()
            room.line.close()


class _Room:
    """A process that computes, and the line to it."""

    def __init__(self, beginning: bytes) -> None:
        fresh = get_context("spawn")  # a fork would copy locks that other threads hold
        self.line, theirs = fresh.Pipe()
        self._process = fresh.Process(target=_work, args=(theirs, beginning), daemon=True)
        self._process.start()
        self._waited = False
        theirs.close()

    def wait(self) -> None:
        """Until it has begun, which it says once."""
        if not self._waited:
            if not self.line.poll(_PATIENCE):
                raise EOFError
            self.line.recv()
            self._waited = True

    def end(self) -> None:
        self._process.kill()
        self._process.join()


def _work(line: Connection, beginning: bytes) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started it
    end_with_parent()
    answering, idle = pickle.loads(beginning)
    line.send("ready")
    with contextlib.suppress(EOFError, OSError):
        converse(line, answering, idle)


def converse(line: Connection, answering: object, idle: Sequence[tuple[str, Any]]) -> None:
    """Answer question after question, and do what is to be done meanwhile."""
    waiting = list(idle)
    while True:
        if waiting and not line.poll():
            method, argument = waiting.pop(0)
            with contextlib.suppress(CellapseError):  # said when it is asked for
                getattr(answering, method)(argument)
            continue
        method, argument = line.recv()
        try:
            reply = getattr(answering, method)(argument), ""
        except CellapseError as error:
            reply = None, str(error)
        except Exception as error:  # a mistake of ours is an answer, too
            reply = None, f"this question cannot be answered ({type(error).__name__}: {error})"
        line.send(reply)
