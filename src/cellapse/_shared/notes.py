"""What a reader says of its own understanding: facts for those who ask, losses for everybody.

Readers call `fact` and `loss` wherever they decide something, however deep down. Whoever wants to
know listens; without a listener a fact goes unsaid and a loss is a warning.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from cellapse._errors import CellapseWarning


@dataclass
class Notes:
    """What was said so far."""

    facts: list[str] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)


_NOTES: ContextVar[Notes | None] = ContextVar("notes", default=None)


@contextmanager
def listening() -> Iterator[Notes]:
    """Yield whatever readers say within the block.

    >>> with listening() as notes:
    ...     loss("3 self-loops are left out")
    >>> notes.losses
    ['3 self-loops are left out']
    """
    notes = Notes()
    token = _NOTES.set(notes)
    try:
        yield notes
    finally:
        _NOTES.reset(token)


def fact(text: str) -> None:
    """Say how something was understood."""
    notes = _NOTES.get()
    if notes is not None:
        notes.facts.append(text)


def loss(text: str) -> None:
    """Say what was left out."""
    notes = _NOTES.get()
    if notes is not None:
        notes.losses.append(text)
    else:
        warn_user(text)


def warn_user(text: str) -> None:
    """Warn at the line of the user, however deep this was called."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("cellapse"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, CellapseWarning, stacklevel=level)
