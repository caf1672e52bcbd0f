"""Whole numbers in text formats that declare counts and number their vertices."""

from __future__ import annotations

import re

from cellapse._errors import InputError

_WHOLE = re.compile(r"[0-9]{1,15}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)


def whole(word: str, what: str, low: int = 0, high: int = 10**15) -> int:
    """A word as a whole number in low..high.

    >>> whole("12", "a vertex", 1, 20)
    12
    """
    number = int(word) if _WHOLE.fullmatch(word) else -1
    if not low <= number <= high:
        raise InputError(f"has {word!r:.40} where {what} belongs, a number from {low} to {high}")
    return number


def number(word: str, what: str) -> float:
    """A word as a number."""
    if not _NUMBER.fullmatch(word):
        raise InputError(f"has {word!r:.40} where {what} belongs, a number")
    return float(word)
