"""Whether text is whole lines of plain numbers, found out with NumPy instead of letter by letter.

Without its digits a line such as `12 7 -1.5e-3` is `  -.e-`. What may follow what there is a table;
a line that takes another way through it is not plain. In most files all lines are alike there, and
one is looked at. Digits stand between all of these letters but for a sign and what it follows, and
a point at the end: other neighbours are not plain.
"""

from __future__ import annotations

import numpy as np

from cellapse._shared.arrays import IntArray

# Kinds of letters: a space is the first one of its line, or another; a sign is in an exponent.
_FIRST, _SPACE, _END, _MINUS, _SIGN, _POINT, _EXPONENT, _OTHER = range(8)
_AT_ONCE = 1 << 18  # bytes; what is made of more leaves the cache
_DIGITS = b"0123456789"
_KINDS = bytearray([_OTHER] * 256)
for letters, kind in (
    (b" ", _SPACE),
    (b"\n", _END),
    (b"-", _MINUS),
    (b"+", _SIGN),  # where also a minus may be
    (b".", _POINT),
    (b"eE", _EXPONENT),
):
    for letter in letters:
        _KINDS[letter] = kind

_PAIRS = {
    2: [(_FIRST, _END), (_END, _FIRST)],
    3: [
        (_FIRST, _SPACE), (_SPACE, _MINUS), (_SPACE, _POINT), (_SPACE, _EXPONENT), (_SPACE, _END),
        (_MINUS, _POINT), (_MINUS, _EXPONENT), (_MINUS, _END),
        (_POINT, _EXPONENT), (_POINT, _END), (_EXPONENT, _SIGN), (_EXPONENT, _END),
        (_SIGN, _END), (_END, _FIRST),
    ],
}  # fmt: skip


def _table(columns: int) -> bytearray:
    """Return what is allowed: 8 times the kind before, and the kind after."""
    allowed = bytearray(256)
    for before, after in _PAIRS[columns]:
        allowed[8 * before + after] = 1  # anything but 0
    return allowed


_ALLOWED = {columns: _table(columns) for columns in _PAIRS}


def count_plain_lines(lines: bytes, columns: int, start: int = 0) -> int | None:
    r"""Return how many lines follow from `start` on; None unless every one is plain.

    It has two whole numbers, and then any one where `columns` is 3.

    >>> count_plain_lines(b"2 1 0.5\n3 1 -1e-3\n", 3), count_plain_lines(b"2 1\n", 2)
    (2, 1)
    >>> count_plain_lines(b"2 1 5-3\n", 3), count_plain_lines(b"2 1 0.5", 3)
    (None, None)
    """
    if start == len(lines):
        return 0
    before = len(lines[:start].translate(None, _DIGITS))
    marks = lines.translate(_KINDS, _DIGITS)[before:]
    first = marks[: marks.find(_END) + 1]
    if not first or not lines.endswith(b"\n"):
        return None
    times = len(marks) // len(first)
    if marks != first * times:
        first, times = marks, 1
    kind = _in_order(first, columns)
    signs = [letter for letter in b"-+" if _KINDS[letter] in first]
    if kind is None or not _digits_between(np.frombuffer(lines, np.uint8)[start:], signs):
        return None
    return times * int(np.count_nonzero(kind == _END))


def _in_order(marks: bytes, columns: int) -> IntArray | None:
    """The kinds of letters that are left of lines without their digits; None if one is wrong."""
    kind = np.frombuffer(bytearray(marks), np.uint8)
    if kind[0] != _SPACE:
        return None
    kind[0] = _FIRST
    before, after = kind[:-1], kind[1:]
    after -= (after == _SPACE) & (before == _END)  # the kind before: the first space
    after += (after == _MINUS) & (before == _EXPONENT)  # the kind behind: a sign
    pairs = (8 * before + after).tobytes()
    return None if 0 in pairs.translate(_ALLOWED[columns]) else kind


def _digits_between(letters: IntArray, signs: list[int]) -> bool:
    """Return whether digits stand before all letters but signs, which follow a letter.

    A point may be the last letter of a number: the table says what comes behind it.
    """
    if letters[0] not in _DIGITS:
        return False
    for start in range(0, len(letters) - 1, _AT_ONCE):
        part = letters[start : start + _AT_ONCE + 1]  # with the first letter of the next one
        other = part - ord("0") > 9  # what stands before "0" is far above it here
        # A sign where there is no pair, or a pair where there is no sign.
        odd = other[1:] & other[:-1]
        for sign in signs:
            odd ^= part[1:] == sign
        if odd.any() and (odd & ~(other[1:] & (part[:-1] == ord(".")))).any():
            return False
    return True
