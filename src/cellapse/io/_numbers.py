"""Numbers in text formats that declare counts and number their vertices: single ones, and many.

Many at once are parsed by NumPy, which takes `1.2.3` for two numbers and stops at a word; so there
must be as many as there are words.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.arrays import BoolArray, FloatArray, IntArray

_WHOLE = re.compile(r"[0-9]{1,15}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)
_DIGITS = b"0123456789 \n"
_TOO_LARGE = 10**15
_MANY_TIMES = 10  # that a word comes again, so that it is quicker to parse it once


def whole(word: str, what: str, low: int = 0, high: int = _TOO_LARGE) -> int:
    """Return a word as a whole number in low..high.

    >>> whole("12", "a vertex", 1, 20)
    12
    """
    number = int(word) if _WHOLE.fullmatch(word) else -1
    if not low <= number <= high:
        raise InputError(f"has {word!r:.40} where {what} belongs, a number from {low} to {high}")
    return number


def not_whole(values: FloatArray) -> BoolArray:
    """Return which numbers are no whole ones, or too large to be distinguished from the next one.

    >>> not_whole(np.array([2.0, 0.5, 1e30, np.inf, np.nan])).tolist()
    [False, True, True, True, True]
    """
    return ~(np.abs(values) <= 2.0**53) | (np.floor(values) != values)


def number(word: str, what: str) -> float:
    """Return a word as a number."""
    if not _NUMBER.fullmatch(word):
        raise InputError(f"has {word!r:.40} where {what} belongs, a number")
    return float(word)


def real(word: str | bytes) -> float:
    """A word as a number; ValueError for what only Python reads as one: 1_000, or other digits.

    >>> real("-1e3"), real("nan")
    (-1000.0, nan)
    """
    return float(_plain(word))


def integer(word: str | bytes) -> int:
    """Return a word as a whole number, likewise.

    >>> integer("-12")
    -12
    """
    return int(_plain(word))


def _plain(word: str | bytes) -> str | bytes:
    if not word.isascii() or (b"_" if isinstance(word, bytes) else "_") in word:  # type: ignore[operator]
        raise ValueError(f"{word!r:.40} is no number")
    return word


def whole_numbers(words: Sequence[str], what: str, high: int = _TOO_LARGE) -> IntArray:
    """Return words as whole numbers from 0 to high.

    >>> whole_numbers(["3", "0", "12"], "a point").tolist()
    [3, 0, 12]
    """
    text = " ".join(words).encode()
    if words and not text.translate(None, _DIGITS):
        numbers = np.fromstring(text, np.int64, sep=" ")
        if len(numbers) == len(words) and numbers.max() <= high:
            return numbers
    return np.array([whole(w, what, 0, high) for w in words], dtype=np.int64)


def numbers_of(text: str) -> FloatArray:
    r"""Return all numbers of a text, which may be nan or infinite.

    >>> numbers_of("1 2.5\n-3e2").tolist()
    [1.0, 2.5, -300.0]
    """
    data = text.encode()
    if not data or data.isspace():
        return np.empty(0)
    if not data.translate(None, _DIGITS):  # whole numbers are parsed seven times as quickly
        numbers = np.fromstring(data, np.int64, sep=" ")
        if numbers.max() < _TOO_LARGE:
            return numbers.astype(np.float64)
    try:
        with warnings.catch_warnings(action="error"):  # NumPy warns where it stops at a word
            return np.fromstring(text, sep=" ")
    except (ValueError, DeprecationWarning):
        word = next((w for w in text.split() if not _NUMBER.fullmatch(w)), text)
        raise InputError(f"holds {word!r:.40}, which is no number") from None


def numbers_or_none(words: Sequence[str]) -> FloatArray | None:
    """Return words as numbers, or None if one is none, empty, or has spaces within.

    >>> numbers_or_none(["1", "2.5"]).tolist(), numbers_or_none(["", "2 5"])
    ([1.0, 2.5], None)
    """
    different = set(words)
    if _MANY_TIMES * len(different) < len(words):  # as in a matrix of zeros and ones
        numbers = numbers_or_none(list(different))
        if numbers is None:
            return None
        value = dict(zip(different, numbers.tolist(), strict=True))
        return np.fromiter(map(value.__getitem__, words), np.float64, len(words))
    text = " ".join(words)
    if (
        "" in different
        or text.count(" ") >= len(words)
        or any(space in text for space in "\t\n\r\v\f")
    ):
        return None  # what one word lacks, another may have too many
    try:
        values = numbers_of(text)
    except InputError:
        return None
    return values if len(values) == len(words) else None


def numbers_by_line(text: str) -> tuple[FloatArray, IntArray]:
    r"""Return all numbers of a text, and how many there are on each line.

    >>> [part.tolist() for part in numbers_by_line("1 2\n\n3.5\n")]
    [[1.0, 2.0, 3.5], [2, 0, 1]]
    """
    letters = np.frombuffer(text.encode(), np.uint8)
    ends = np.flatnonzero(letters == ord("\n"))
    is_word = letters > ord(" ")
    first = is_word[1:] & ~is_word[:-1]
    starts = np.flatnonzero(first) + 1
    if len(letters) and is_word[0]:
        starts = np.concatenate([[0], starts])
    values = numbers_of(text)
    if len(values) != len(starts):
        raise InputError("has words that are no numbers, or no plain spaces between them")
    if not text.endswith("\n"):
        ends = np.append(ends, len(letters))
    return values, np.diff(np.searchsorted(starts, ends), prepend=0)
