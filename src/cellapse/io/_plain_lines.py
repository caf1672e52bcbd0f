"""Whether text is whole lines of plain numbers, found out with NumPy instead of letter by letter.

Without its digits a line such as `12 7 -1.5e-3` is `  -.e-`. What may follow what there, right
behind it or after digits, is a table; a line that takes another way through it is not plain.
"""

from __future__ import annotations

import numpy as np

from cellapse._shared.arrays import IntArray

# Kinds of letters: a space is the first one of its line, or another; a sign is in an exponent.
_FIRST, _SPACE, _END, _MINUS, _SIGN, _POINT, _EXPONENT, _OTHER = range(8)
_AT_ONCE = 1 << 18  # speed only: bytes; what is made of more leaves the cache
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

_APART = {
    2: [(_FIRST, _END), (_END, _FIRST)],
    3: [
        (_FIRST, _SPACE), (_SPACE, _POINT), (_SPACE, _EXPONENT), (_SPACE, _END),
        (_MINUS, _POINT), (_MINUS, _EXPONENT), (_MINUS, _END),
        (_POINT, _EXPONENT), (_POINT, _END), (_EXPONENT, _END), (_SIGN, _END), (_END, _FIRST),
    ],
}  # fmt: skip
_NEXT = {
    2: [],
    3: [(_SPACE, _MINUS), (_POINT, _EXPONENT), (_POINT, _END), (_EXPONENT, _SIGN)],
}


def _table(columns: int) -> bytearray:
    """What is allowed: 64 where nothing is between, 8 times the kind before, and the kind after."""
    allowed = bytearray(256)
    for nothing_between, pairs in enumerate((_APART[columns], _NEXT[columns])):
        for before, after in pairs:
            allowed[64 * nothing_between + 8 * before + after] = 1  # equivalent: anything but 0
    return allowed


_ALLOWED = {columns: _table(columns) for columns in _APART}


def count_plain_lines(lines: bytes, columns: int, start: int = 0) -> int | None:
    r"""How many lines follow from `start` on; None unless every one is plain.

    It has two whole numbers, and then any one where `columns` is 3.

    >>> count_plain_lines(b"2 1 0.5\n3 1 -1e-3\n", 3), count_plain_lines(b"2 1\n", 2)
    (2, 1)
    >>> count_plain_lines(b"2 1 5-3\n", 3), count_plain_lines(b"2 1 0.5", 3)
    (None, None)
    """
    count, letters = 0, np.frombuffer(lines, np.uint8)
    while start < len(lines):
        end = lines.rfind(b"\n", start, start + _AT_ONCE) + 1
        plain = _count_plain(letters[start:end], columns) if end else 0
        if not plain:
            return None
        count, start = count + plain, end
    return count


def _count_plain(letters: IntArray, columns: int) -> int:
    """How many lines there are; 0 where one is not plain."""
    at = np.flatnonzero(letters - ord("0") > 9)  # what stands before "0" is far above it here
    kind = np.frombuffer(bytearray(letters[at].tobytes().translate(_KINDS)), np.uint8)
    if not at[0] or kind[0] != _SPACE:
        return 0
    kind[0] = _FIRST
    before, after = kind[:-1], kind[1:]
    after -= (after == _SPACE) & (before == _END)  # the kind before: the first space
    after += (after == _MINUS) & (before == _EXPONENT)  # the kind behind: a sign
    pairs = 64 * (at[1:] - at[:-1] == 1).view(np.uint8) + 8 * before + after
    plain = 0 not in pairs.tobytes().translate(_ALLOWED[columns])
    return int(np.count_nonzero(kind == _END)) if plain else 0
