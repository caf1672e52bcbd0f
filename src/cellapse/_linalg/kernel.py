"""The kernel of B^T, known in advance when every column of B has at most two entries.

For x in the kernel, a column with entries b_i, b_j says b_i x_i + b_j x_j = 0: the value at one end
fixes the value at the other. So each connected component carries one kernel vector or none: the
indicator of the component for signed edges, a +-1 colouring of bipartite components for unsigned
ones. A column with a single entry forces zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from cellapse._linalg.blas import subtract_product
from cellapse._linalg.tuning import FEW_ENTRIES
from cellapse._shared.arrays import (
    Entries,
    FloatArray,
    IntArray,
    Matrix,
    csr_from_entries,
    squared,
)

_SAME = 1e-9  # of the terms of a sum: what is below it is zero


def left_kernel(B: Matrix) -> sparse.csr_array | None:
    """Find orthonormal columns of disjoint support spanning ker B^T, or None where it is not known.

    >>> triangle = sparse.csr_array([[-1.0, 0, -1], [1, -1, 0], [0, 1, 1]])
    >>> left_kernel(triangle).toarray().ravel().round(3).tolist()
    [0.577, 0.577, 0.577]
    >>> left_kernel(abs(triangle)).shape  # an odd cycle has no +-1 colouring
    (3, 0)
    """
    zeros = kernel_entries(B)
    return None if zeros is None else zeros.csr


def kernel_entries(B: Matrix) -> Entries | None:
    """Find the same by its entries."""
    n = B.shape[0]
    if n == 0:
        return Entries.of(sparse.csr_array((0, 0)))
    rows, owner, values = _by_column(B)
    first = (owner[1:] == owner[:-1]).nonzero()[0]
    second = first + 1
    if (first[1:] == second[:-1]).any():  # three in a column
        return None
    ratio = -values[first] / values[second]  # x_j = ratio * x_i
    component, x = _follow(n, rows[first], rows[second], ratio)
    norm = np.sqrt(np.bincount(component, x**2))
    x = x / norm[component]
    kernel = Entries(np.arange(n), component, x, (n, len(norm)))
    if 2 * len(second) == len(rows) and (ratio == 1.0).all():  # makes no column objects
        return kernel
    # A component keeps its vector only if no column contradicts it.
    terms = values * x[rows]
    broken = abs(np.bincount(owner, terms)) > _SAME * np.bincount(owner, abs(terms))
    alive = np.ones(len(norm), dtype=bool)
    alive[component[rows[broken[owner]]]] = False
    kept = np.flatnonzero(alive[component])
    number = np.cumsum(alive) - 1
    return Entries(kept, number[component[kept]], x[kept], (n, int(alive.sum())))


def _by_column(B: Matrix) -> tuple[IntArray, IntArray, FloatArray]:
    """Find the entries that are not zero, one column after the other: rows, columns, values."""
    if isinstance(B, Entries) and (B.columns[1:] >= B.columns[:-1]).all():
        rows, owner, values = B.rows, B.columns, B.values
    else:
        columns = sparse.csc_array(B.csr if isinstance(B, Entries) else B)
        rows, values = columns.indices, columns.data
        owner = np.repeat(np.arange(B.shape[1]), np.diff(columns.indptr))
    if values.all():
        return rows, owner, values
    there = values != 0
    return rows[there], owner[there], values[there]


def left_kernel_in_rounds(B: sparse.csr_array) -> sparse.csr_array | None:
    """Find it where columns of more entries say no more than those of two, or narrow down to them.

    The columns of at most two entries leave a space P of the kernel, and the others are equations
    P^T B between its columns: fewer unknowns, so that more of them have at most two entries.

    >>> B = sparse.csr_array([[1.0, 1, 0, 0], [1, 0, 1, 0], [1, 0, 1, 1], [0, 1, 0, 1]])
    >>> left_kernel(B) is None, left_kernel_in_rounds(B).shape
    (True, (4, 0))
    """
    P: Any = sparse.eye_array(B.shape[0], format="csr")
    while B.shape[0]:
        wide = np.bincount(B.indices, minlength=B.shape[1]) > 2
        left = left_kernel(B[:, ~wide])
        if left is None or (wide.any() and left.shape[1] == B.shape[0]):
            return None
        P = P @ left
        if not wide.any():
            break
        rest, size = left.T @ B[:, wide], abs(left).T @ abs(B[:, wide])
        B = sparse.csr_array(rest.multiply(abs(rest) > _SAME * size))
        B.eliminate_zeros()
    return sparse.csr_array(P)


def components(n: int, i: IntArray, j: IntArray) -> IntArray:
    """Number the connected components of a graph by their first vertices, without a matrix of it.

    The root of every edge's end is hooked to the smaller one, until no edge joins two (Shiloach and
    Vishkin, An O(log n) parallel connectivity algorithm, 1982).

    >>> components(4, np.array([0, 2]), np.array([3, 3])).tolist()
    [0, 1, 0, 0]
    """
    root = np.arange(n)
    while len(i):
        low = np.minimum(root[i], root[j])
        np.minimum.at(root, root[i], low)
        np.minimum.at(root, root[j], low)
        while (root != (above := root[root])).any():
            root = above
        apart = root[i] != root[j]
        i, j = i[apart], j[apart]
    return (np.cumsum(root == np.arange(n)) - 1)[root]


def _follow(n: int, i: IntArray, j: IntArray, ratio: FloatArray) -> tuple[IntArray, FloatArray]:
    """Find components, and the values that spread from one vertex of each along a spanning tree."""
    component = components(n, i, j)
    if (abs(ratio - 1.0) < 1e-14).all():
        return component, np.ones(n)
    # One extra vertex joined to the first of each component makes a single tree of it all.
    _, once = np.unique(i.astype(np.int64) * n + j, return_index=True)  # any key that differs
    i, j, ratio = i[once], j[once], ratio[once]
    _, start = np.unique(component, return_index=True)
    root, ones = np.full(len(start), n), np.ones(len(start))
    towards = csr_from_entries(  # x at the row = entry times x at the column
        np.concatenate([i, j, start, root]),
        np.concatenate([j, i, root, start]),
        np.concatenate([1 / ratio, ratio, ones, ones]),
        (n + 1, n + 1),
    )
    _, parent = breadth_first_order(towards, n, directed=False)
    parent[n] = n
    value = np.ones(n + 1)
    value[:n] = np.asarray(towards[np.arange(n), parent[:n]]).ravel()
    while (parent != n).any():  # pointer jumping: twice as far towards the root each time
        value, parent = value * value[parent], parent[parent]
    return component, value[:n]


def scaled_kernel(root: FloatArray, kernel: Entries) -> Entries:
    """D^{1/2} times the kernel, of disjoint supports, with columns of length one."""
    P = kernel.scaled(root, None)
    return P.scaled(None, 1.0 / np.sqrt(squared(P).sum(axis=0)))


class Projector:
    """Project onto the span of orthonormal columns of disjoint support; of none, where not known.

    Columns of a few entries are taken out of the rows that they are in.

    >>> Projector(sparse.csr_array([[0.6], [0.8]]))(np.array([1.0, 0.0])).round(2).tolist()
    [0.36, 0.48]
    """

    def __init__(self, columns: Matrix | None, dtype: type = np.float64) -> None:
        if columns is None:
            columns = sparse.csr_array((0, 0))
        P = columns if isinstance(columns, Entries) else Entries.of(columns)
        n, self.count = P.shape
        many = np.bincount(P.columns, minlength=self.count) > n // FEW_ENTRIES
        number, at = np.cumsum(many) - 1, many[P.columns]
        self._rows: FloatArray = np.zeros((int(many.sum()), n), dtype)  # columns of many entries
        self._rows[number[P.columns[at]], P.rows[at]] = P.values[at]
        # The rows in which the columns of few entries are, and these columns there
        self._at, number = P.rows[~at], np.cumsum(~many) - 1
        entries = np.arange(len(self._at)), number[P.columns[~at]], P.values[~at]
        self._few: Any = None
        if len(self._at):
            self._few = csr_from_entries(*entries, (len(self._at), int((~many).sum())))
            self._few = self._few.astype(dtype, copy=False)

    def add_to(self, M: FloatArray, factor: float) -> FloatArray:
        """Write M + factor P P^T over M."""
        M = subtract_product(M, -factor * self._rows.T, self._rows)
        if self._few is not None:
            M[np.ix_(self._at, self._at)] += factor * (self._few @ self._few.T).toarray()
        return M

    def __call__(self, x: FloatArray) -> FloatArray:
        """Project x."""
        result = self._rows.T @ (self._rows @ x) if len(self._rows) else np.zeros_like(x)
        if self._few is not None:
            result[self._at] += self._few @ (self._few.T @ x[self._at])
        return result

    def off(self, x: FloatArray) -> FloatArray:
        """Remove the projection from x, though little may be left.

        Twice: the first time leaves rounding of what was removed, which may be more than the rest.
        """
        return self.remove_from(self.remove_from(np.array(x, order="C")))

    def remove_from(self, x: FloatArray) -> FloatArray:
        """Write x without its projection over x."""
        if x.ndim == 1 or x.shape[1] == 1:  # BLAS takes ten times as long for one column
            column = x[:, 0] if x.ndim == 2 else x
            for p in self._rows:
                column -= (p @ column) * p
        elif len(self._rows):
            subtract_product(x, self._rows.T, self._rows @ x)
        if self._few is not None:
            x[self._at] -= self._few @ (self._few.T @ x[self._at])
        return x
