"""The progress bar of what takes longer than two seconds: tqdm's, in terminals and notebooks."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")

_PATIENCE = 2.0  # seconds without a sign of life that nobody minds
_IN_A_LOG = 10.0  # seconds between two lines where they cannot be rewritten


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
        By default only where standard error is a terminal, and in notebooks.

    >>> list(progress("abc", 3, "counting"))
    ['a', 'b', 'c']
    """
    bar = Bar(what, total, show=show)
    try:
        for step in steps:
            yield step
            bar.step()
    finally:
        bar.end()


class Bar:
    """A bar that appears after two seconds and is gone in the end.

    Parameters
    ----------
    what : str
        What is being done, in a few words.
    total : int, optional
        How many steps there will be, where that is known.
    unit : str
        What a step is called.
    show : bool, optional
        By default only where standard error is a terminal, and in notebooks.
    """

    def __init__(
        self, what: str, total: int | None = None, unit: str = "", show: bool | None = None
    ) -> None:
        terminal, notebook = sys.stderr.isatty(), "ipykernel" in sys.modules
        self._bar: Any = None
        if show if show is not None else terminal or notebook:
            from tqdm.auto import tqdm  # only where a bar is shown: most calls have none

            self._bar = tqdm(
                desc=what,
                total=total,
                unit=f" {unit}" if unit else "",
                delay=_PATIENCE,
                mininterval=0.1 if terminal or notebook else _IN_A_LOG,
                leave=False,
            )

    def step(self, note: str = "") -> None:
        """One step is done; the note says what else there is to know."""
        if self._bar is not None:
            self._bar.set_postfix_str(note, refresh=False)
            self._bar.update()

    def end(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
