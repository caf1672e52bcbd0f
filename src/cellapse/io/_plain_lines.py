"""Whether text is whole lines of plain numbers, found out with NumPy instead of letter by letter.

Without its digits a line such as `12 7 -1.5e-3` is `  -.e-`. What may follow what there, right
behind it or after digits, is a table; a line that takes another way through it is not plain.
"""

from __future__ import annotations

import numpy as np

from cellapse._shared.arrays import IntArray

_DIGIT, _SPACE, _END, _MINUS, _SIGN, _POINT, _EXPONENT, _OTHER = range(8)  # kinds of letters
_AT_ONCE = 1 << 17  # bytes: what is made of them stays in the cache
_KINDS = bytearray([_OTHER] * 256)
for letters, kind in (
    (b"0123456789", _DIGIT),
    (b" ", _SPACE),
    (b"\n", _END),
    (b"-", _MINUS),
    (b"+", _SIGN),  # in an exponent only, and there also minus
    (b".", _POINT),
    (b"eE", _EXPONENT),
):
    for letter in letters:
        _KINDS[letter] = kind

_APART = [
    (_SPACE, _SPACE), (_SPACE, _POINT), (_SPACE, _EXPONENT), (_SPACE, _END),
    (_MINUS, _POINT), (_MINUS, _EXPONENT), (_MINUS, _END),
    (_POINT, _EXPONENT), (_POINT, _END), (_EXPONENT, _END), (_SIGN, _END), (_END, _SPACE),
]  # fmt: skip
_NEXT = [
    (_SPACE, _MINUS),
    (_POINT, _EXPONENT),
    (_POINT, _END),
    (_EXPONENT, _SIGN),
]
# By 64 where nothing is between, 8 times the kind before, and the kind after.
_ALLOWED = bytearray(256)
for nothing_between, pairs in enumerate((_APART, _NEXT)):
    for before, after in pairs:
        _ALLOWED[64 * nothing_between + 8 * before + after] = 1


def are_plain_lines(lines: bytes, columns: int, start: int = 0) -> bool:
    r"""Whether every line from `start` on has two whole numbers, then any one where `columns` is 3.

    >>> are_plain_lines(b"2 1 0.5\n3 1 -1e-3\n", 3), are_plain_lines(b"2 1\n", 2)
    (True, True)
    >>> are_plain_lines(b"2 1 5-3\n", 3), are_plain_lines(b"2 1 0.5", 3)
    (False, False)
    """
    while start < len(lines):
        end = lines.rfind(b"\n", start, start + _AT_ONCE) + 1
        if not end or not _are_plain(lines[start:end], columns):
            return False
        start = end
    return True


def _are_plain(lines: bytes, columns: int) -> bool:
    kinds = np.frombuffer(lines.translate(_KINDS), np.uint8)
    if kinds[0] != _DIGIT:
        return False
    at = np.flatnonzero(kinds != _DIGIT)
    kind = kinds[at]
    of_exponent = (kind[1:] == _MINUS) & (kind[:-1] == _EXPONENT)
    kind[1:][of_exponent] = _SIGN
    pairs = 64 * (at[1:] - at[:-1] == 1).view(np.uint8) + 8 * kind[:-1] + kind[1:]
    return 0 not in pairs.tobytes().translate(_ALLOWED) and _are_columns(kind, columns)


def _are_columns(kind: IntArray, columns: int) -> bool:
    """Whether every line begins with a space less than it has columns, and then has no more."""
    ends = np.flatnonzero(kind == _END)
    starts = np.concatenate([[0], ends[:-1] + 1])
    if len(kind) < columns * len(starts):
        return False
    if columns == 2:
        return bool(len(kind) == 2 * len(ends) and (kind[starts] == _SPACE).all())
    return bool(
        (kind[starts] == _SPACE).all()
        and (kind[starts + 1] == _SPACE).all()
        and (kind[starts + 2] != _SPACE).all()
    )
