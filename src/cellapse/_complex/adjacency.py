"""Square matrices as adjacencies: which are, and their entries, each pair of vertices once."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cellapse._complex.simple import Rules
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import own_csr, usual_entries
from cellapse._shared.notes import fact

_ROUNDING = {2: 1e-2, 4: 1e-5, 8: 1e-10, 12: 1e-10, 16: 1e-10}  # by the bytes of a number


def is_adjacency(source: Any) -> bool:
    """Return whether this is a square symmetric matrix without negative entries.

    Symmetric up to rounding. Whole numbers of shape (2, 2) are left to those who read edges.

    >>> is_adjacency(np.eye(3)[::-1]), is_adjacency(np.array([[0, 1], [1, 2], [0, 2]]))
    (True, False)
    """
    if not isinstance(source, np.ndarray) or source.ndim != 2 or source.dtype.kind not in "biuf":
        return False
    n = len(source)
    if source.shape != (n, n) or n < 2 or (n == 2 and source.dtype.kind in "iu"):
        return False
    return bool((source >= 0).all()) and is_symmetric(source)


def numeric_square(source: Any) -> Any:
    """A square array of objects that are all real numbers as one of floats; all else as it is.

    Numbers of 16 bits, which SciPy does not know, get 32.

    >>> numeric_square(np.array([[0, 1], [1, 0]], dtype=object)).dtype
    dtype('float64')
    """
    if isinstance(source, np.ndarray) and source.dtype == np.float16:
        return source.astype(np.float32)
    objects = isinstance(source, np.ndarray) and source.dtype == object and source.ndim == 2
    if not objects or len(set(source.shape)) > 1:
        return source
    return source.astype(float) if all(isinstance(x, Real) for x in source.flat) else source


def is_symmetric(square: NDArray[Any]) -> bool:
    """Return whether a matrix without negative entries is its own transpose, up to rounding."""
    if square.dtype.kind != "f" or not np.isfinite(square).all():
        return bool((square == square.T).all())
    rounding = _ROUNDING[square.dtype.itemsize] * float(square.max())
    return bool(abs(square - square.T).max() <= rounding)


def symmetric_edges(matrix: Any, rules: Rules) -> tuple[IntArray, FloatArray]:
    """The pairs of an adjacency, symmetric up to rounding, in ascending order, and their values.

    Of a directed one, if that is allowed, those of both directions.

    >>> [part.tolist() for part in symmetric_edges(sparse.csr_array([[0, 2], [2, 0]]), Rules())]
    [[[0, 1]], [2.0]]
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency of shape {matrix.shape}; it must be square")
    listed = getattr(matrix, "format", "") == "coo"
    if listed and (known := _turned_alike(matrix)) is not None:
        return known
    entries, mirrored = _both_ways(matrix)
    if listed and entries.nnz < matrix.nnz:  # repeats, or zeros
        n_repeats = matrix.nnz - matrix.tocsr().nnz
        if n_repeats:
            fact(f"{n_repeats:,} repeated entries are added up")
    difference = _difference(entries, mirrored)
    rounding = _ROUNDING[matrix.dtype.itemsize if matrix.dtype.kind == "f" else 8]
    if difference and difference > rounding * abs(entries.data).max():
        if rules.directed == "refuse":
            raise InputError(
                "the adjacency is not symmetric, but cells have no direction; pass (M + M.T) / 2 "
                'if you mean that, or as_complex(..., directed="ignore") for an edge per entry'
            )
        fact("directions are ignored")
        return _undirected(entries, mirrored, rules)
    if difference:
        fact(f"symmetric up to rounding, {difference:.1e}")
        entries = (entries + mirrored) / 2
    return _upper(entries)


def _turned_alike(matrix: Any) -> tuple[IntArray, FloatArray] | None:
    """The pairs and values above the diagonal, where those below it are the same, and in order.

    So it is in most files, and to turn all of a matrix round takes three times as long.
    """
    row, column, values = matrix.row, matrix.col, matrix.data
    further = (row[1:] == row[:-1]) & (column[1:] > column[:-1])
    in_order = ((row[1:] > row[:-1]) | further).all()
    if not in_order or values.dtype != np.float64 or not usual_entries(values):
        return None
    above = column > row
    at, below = above.nonzero()[0], (~above).nonzero()[0]
    below = below[_stable_order(column[below])]
    first, second, kept = row[at], column[at], values[at]
    both = (first, column[below]), (second, row[below]), (kept, values[below])
    return (_pairs(first, second), kept) if all(np.array_equal(a, b) for a, b in both) else None


def _stable_order(keys: IntArray) -> IntArray:
    """The order of numbers from 0, by 16 bits at a time: NumPy counts these, and compares others.

    >>> _stable_order(np.array([70_000, 1, 65_537, 1])).tolist()
    [1, 3, 2, 0]
    """
    order = keys.astype(np.uint16).argsort(kind="stable")
    for shift in range(16, int(keys.max(initial=0)).bit_length(), 16):
        order = order[(keys[order] >> shift).astype(np.uint16).argsort(kind="stable")]
    return order


def _both_ways(matrix: Any) -> tuple[sparse.csr_array, sparse.csr_array]:
    """The matrix and its transpose; what is kept by columns has the rows of the transpose."""
    if getattr(matrix, "format", "") == "csc":
        mirrored = own_csr(matrix.T, "the adjacency")
        return mirrored.T.tocsr(), mirrored
    entries = own_csr(matrix, "the adjacency")
    return entries, entries.T.tocsr()


def _difference(a: sparse.csr_array, mirrored: sparse.csr_array) -> Any:
    """The largest difference of a matrix and its transpose, both with their entries in order."""
    # Rows have as many entries as columns do where these are the same: so they begin alike, too.
    alike = np.array_equal(a.indices, mirrored.indices)
    if alike and np.array_equal(a.data, mirrored.data):  # as in most files
        return 0.0
    return abs(a.data - mirrored.data if alike else (a - mirrored).data).max(initial=0.0)


def _upper(entries: sparse.csr_array) -> tuple[IntArray, FloatArray]:
    """Return the pairs and values on the diagonal and above it, in order."""
    column = entries.indices
    row = np.repeat(np.arange(entries.shape[0], dtype=column.dtype), np.diff(entries.indptr))
    at = np.flatnonzero(column >= row)
    return _pairs(row[at], column[at]), entries.data[at]


def _pairs(first: IntArray, second: IntArray) -> IntArray:
    pairs = np.empty((len(first), 2), np.int64)
    pairs[:, 0], pairs[:, 1] = first, second
    return pairs


def _undirected(
    entries: sparse.csr_array, mirrored: sparse.csr_array, rules: Rules
) -> tuple[IntArray, FloatArray]:
    """Return every entry, those on both sides of the diagonal only once where they are equal."""
    upper, lower = sparse.triu(entries, format="csr"), sparse.triu(mirrored, 1, format="csr")
    both = upper.astype(bool).multiply(lower.astype(bool))
    if (upper - lower).multiply(both).nnz and rules.repeats is None:
        raise InputError(
            "the adjacency has pairs with different values in the two directions; merge them with "
            'as_complex(..., directed="ignore", repeats="sum"), "first" or "count"'
        )
    if rules.repeats is None:
        return _upper(upper + (lower - lower.multiply(both)))
    parts = zip(_upper(upper), _upper(lower), strict=True)
    pairs, values = (np.concatenate(part) for part in parts)
    order = np.lexsort(pairs.T[::-1])  # of two directions, that above the diagonal is the first
    return pairs[order], values[order]
