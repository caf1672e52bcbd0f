"""Sparse matrices put together from parts whose numbers change while their patterns stay.

Other weights of the same complex make such parts. Where every number goes is then known already,
which takes most of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha1
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from cellapse._shared.arrays import IntArray

Join: TypeAlias = Callable[..., Any]

_MANY = 8  # patterns that are remembered
_LARGE = 1_000_000  # entries; the memory that larger ones would keep is worth more than the time


class _Places(NamedTuple):
    """A pattern, and which number of the parts, one after the other, stands at each entry."""

    indices: IntArray
    indptr: IntArray
    shape: tuple[int, int]
    number: IntArray


_known: dict[tuple[Join, bytes], _Places] = {}


def pattern_key(*parts: sparse.csr_array) -> bytes:
    """What tells the patterns of matrices from others."""
    key = sha1()
    for part in parts:
        key.update(repr((part.shape, part.indices.dtype)).encode())
        key.update(np.ascontiguousarray(part.indptr).data)
        key.update(np.ascontiguousarray(part.indices).data)
    return key.digest()


def joined(join: Join, *parts: sparse.csr_array) -> sparse.csr_array:
    """`join(*parts)` for a function that moves numbers, and does nothing else to them.

    >>> def turned(M): return M.T
    >>> joined(turned, sparse.csr_array([[0.0, 5.0], [0.0, 0.0]])).toarray().tolist()
    [[0.0, 0.0], [5.0, 0.0]]
    """
    if sum(part.nnz for part in parts) > _LARGE:
        return sparse.csr_array(join(*parts))
    key = join, pattern_key(*parts)
    places = _known.get(key)
    if places is None:
        places = _places(join, parts)
        if len(_known) >= _MANY:
            _known.clear()
        _known[key] = places
    numbers = np.concatenate([part.data for part in parts])
    entries = numbers[places.number], places.indices.copy(), places.indptr.copy()
    return sparse.csr_array(entries, shape=places.shape)


def _places(join: Join, parts: tuple[sparse.csr_array, ...]) -> _Places:
    """By joining parts whose numbers are 1, 2, ... instead."""
    ends, counted = np.cumsum([part.nnz for part in parts]), [part.copy() for part in parts]
    for part, end in zip(counted, ends.tolist(), strict=True):
        part.data = np.arange(end - part.nnz, end) + 1.0
    whole = sparse.csr_array(join(*counted))
    whole.sort_indices()
    return _Places(whole.indices, whole.indptr, whole.shape, whole.data.astype(np.int64) - 1)
