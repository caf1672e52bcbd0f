"""The console of the command line."""

from __future__ import annotations

import errno

import rich.console


class Console(rich.console.Console):
    """A console that stops without a fuss when the reader of a pipe has left."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, "the reader has left")
