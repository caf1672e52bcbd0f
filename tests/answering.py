"""Who answers in the tests of turns: in a module of their own, which the other process imports."""

import os
import signal
from pathlib import Path

from cellapse._errors import InputError
from cellapse.report.explorer import Explorer


class Person:
    def __init__(self):
        self.remembered = []

    def echo(self, word):
        return word

    def write(self, fifo):
        Path(fifo).write_text("written")
        return "done"

    def never(self, fifo):
        """Says that it has begun, and does not come back: no exception is let through."""
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
        if fifo:
            Path(fifo).write_text("begun")
        while True:
            signal.pause()

    def remember(self, word):
        self.remembered.append(word)

    def refuse(self, _):
        raise InputError("not this one")

    def fail(self, _):
        raise ZeroDivisionError("a mistake of ours")

    def die(self, _):
        os.kill(os.getpid(), signal.SIGKILL)


class Broken(Explorer):
    """Fails for one setting in a way that nobody thought of."""

    def answer(self, settings):
        if settings.eps == 0.5:
            raise ZeroDivisionError("a mistake of ours")
        return super().answer(settings)
