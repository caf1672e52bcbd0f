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
        _ALLOWED[64 * nothing_between + 8 * before + after] = 1  # equivalent: anything but 0


def count_plain_lines(lines: bytes, columns: int, start: int = 0) -> int | None:
    r"""How many lines follow from `start` on; None unless every one is plain.

    It has two whole numbers, and then any one where `columns` is 3.

    >>> count_plain_lines(b"2 1 0.5\n3 1 -1e-3\n", 3), count_plain_lines(b"2 1\n", 2)
    (2, 1)
    >>> count_plain_lines(b"2 1 5-3\n", 3), count_plain_lines(b"2 1 0.5", 3)
    (None, None)
    """
    count = 0
    while start < len(lines):
        end = lines.rfind(b"\n", start, start + _AT_ONCE) + 1
        plain = _count_plain(lines[start:end], columns) if end else 0
        if not plain:
            return None
        count, start = count + plain, end
    return count


def _count_plain(lines: bytes, columns: int) -> int:
    """How many lines there are; 0 where one is not plain."""
    letters = np.frombuffer(lines, np.uint8)
    at = np.flatnonzero(letters - ord("0") > 9)  # what stands before "0" is far above it here
    if not at[0]:
        return 0
    kind = np.frombuffer(bytearray(letters[at].tobytes().translate(_KINDS)), np.uint8)
    of_exponent = (kind[1:] == _MINUS) & (kind[:-1] == _EXPONENT)
    kind[1:] += of_exponent  # a minus becomes a sign, the next kind
    pairs = 64 * (at[1:] - at[:-1] == 1).view(np.uint8) + 8 * kind[:-1] + kind[1:]
    ends = np.flatnonzero(kind == _END)
    plain = 0 not in pairs.tobytes().translate(_ALLOWED) and _are_columns(kind, ends, columns)
    return len(ends) if plain else 0


def _are_columns(kind: IntArray, ends: IntArray, columns: int) -> bool:
    """Whether every line begins with a space less than it has columns, and then has no more."""
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
