"""The kernel of B^T, known in advance when every column of B has at most two entries.

For x in the kernel, a column with entries b_i, b_j says b_i x_i + b_j x_j = 0: the value at one end
fixes the value at the other. So each connected component carries one kernel vector or none: the
indicator of the component for signed edges, a +-1 colouring of bipartite components for unsigned
ones. A column with a single entry forces zero.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from cellapse._linalg.blas import subtract_product
from cellapse._shared.arrays import (
    BoolArray,
    Entries,
    FloatArray,
    IntArray,
    Matrix,
    csr_from_entries,
    squared,
)

_SMALL = 64  # vertices whose components dense products find
_FEW = 8  # a column with more than one entry in so many is dense
_SAME = 1e-9  # of the terms of a sum: what is below it is zero


def left_kernel(B: Matrix) -> sparse.csr_array | None:
    """Orthonormal columns of disjoint support spanning ker B^T, or None where it is not known.

    >>> triangle = sparse.csr_array([[-1.0, 0, -1], [1, -1, 0], [0, 1, 1]])
    >>> left_kernel(triangle).toarray().ravel().round(3).tolist()
    [0.577, 0.577, 0.577]
    >>> left_kernel(abs(triangle)).shape  # an odd cycle has no +-1 colouring
    (3, 0)
    """
    zeros = kernel_entries(B)
    return None if zeros is None else zeros.csr


def kernel_entries(B: Matrix) -> Entries | None:
    """The same by its entries."""
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
    """Rows, columns and values of the entries that are not zero, one column after the other."""
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


def _components(n: int, i: IntArray, j: IntArray) -> IntArray:
    """The connected component of every vertex, in the order of their first vertices."""
    if n > _SMALL:  # a sparse graph takes longer to make than a few dense products
        graph = sparse.coo_array((np.ones(len(i)), (i, j)), shape=(n, n)).tocsr()
        return connected_components(graph, directed=False)[1]
    near, known = np.eye(n), 0
    near[i, j] = near[j, i] = 1.0
    # Twice as far each time, until that is nowhere new, or everywhere.
    # Its entries count walks: of up to 128 steps on 64 vertices, far from too many for a float.
    while known != (known := int(np.count_nonzero(near))):
        if known == n * n:  # all are in one
            return np.zeros(n, np.int64)
        near = near @ near
    first = (near > 0).argmax(axis=1)
    return np.cumsum(np.bincount(first, minlength=n) > 0)[first] - 1


def left_kernel_in_rounds(B: sparse.csr_array) -> sparse.csr_array | None:
    """The same where columns of more entries say no more than those of two, or narrow down to them.

    The columns of at most two entries leave a space P of the kernel, and the others are equations
    P^T B between its columns: fewer unknowns, so that more of them have at most two entries.

    >>> B = sparse.csr_array([[1.0, 1, 0, 0], [1, 0, 1, 0], [1, 0, 1, 1], [0, 1, 0, 1]])
    >>> left_kernel(B) is None, left_kernel_in_rounds(B).shape
    (True, (4, 0))
    """
    P: Any = sparse.eye_array(B.shape[0], format="csr")
    while B.shape[0]:
        wide = np.bincount(B.indices, minlength=B.shape[1]) > 2
        told = left_kernel(B[:, ~wide])
        if told is None or (wide.any() and told.shape[1] == B.shape[0]):
            return None
        P = P @ told
        if not wide.any():
            break
        rest, size = told.T @ B[:, wide], abs(told).T @ abs(B[:, wide])
        B = sparse.csr_array(rest.multiply(abs(rest) > _SAME * size))
        B.eliminate_zeros()
    return sparse.csr_array(P)


def _follow(n: int, i: IntArray, j: IntArray, ratio: FloatArray) -> tuple[IntArray, FloatArray]:
    """Components, and the values that spread from one vertex of each along a spanning tree."""
    component = _components(n, i, j)
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
    """x -> the part of x in the span of orthonormal columns (nothing, where they are not known).

    Their supports are disjoint: those of a few entries are taken out of the rows that they are in.

    >>> Projector(sparse.csr_array([[0.6], [0.8]]))(np.array([1.0, 0.0])).round(2).tolist()
    [0.36, 0.48]
    """

    def __init__(self, columns: Matrix | None, dtype: type = np.float64) -> None:
        if columns is None:
            columns = sparse.csr_array((0, 0))
        P = columns if isinstance(columns, Entries) else Entries.of(columns)
        n, self.count = P.shape
        self._P, self._dtype = P, dtype
        self._whole: FloatArray | None = None
        if n <= _SMALL:  # then one product does it
            self._whole = P.toarray().astype(dtype, copy=False)

    @cached_property
    def _large(self) -> FloatArray:
        """Columns of many entries, as rows."""
        at, number = self._filled[self._P.columns], np.cumsum(self._filled) - 1
        shape = int(self._filled.sum()), self._P.shape[0]
        rows: FloatArray = np.zeros(shape, self._dtype)
        rows[number[self._P.columns[at]], self._P.rows[at]] = self._P.values[at]
        return rows

    @cached_property
    def _small(self) -> tuple[IntArray, sparse.csr_array]:
        """The rows in which the columns of few entries are, and these columns there."""
        rest = ~self._filled[self._P.columns]
        rows, number = self._P.rows[rest], np.cumsum(~self._filled) - 1
        shape = (len(rows), int((~self._filled).sum()))
        entries = np.arange(len(rows)), number[self._P.columns[rest]], self._P.values[rest]
        return rows, csr_from_entries(*entries, shape).astype(self._dtype, copy=False)

    @cached_property
    def _filled(self) -> BoolArray:
        """Which columns have many entries."""
        n_entries = np.bincount(self._P.columns, minlength=self.count)
        return n_entries > self._P.shape[0] // _FEW

    def first(self, k: int) -> FloatArray:
        """The first k columns."""
        if self._whole is not None:
            return self._whole[:, :k]
        P, at = np.zeros((self._P.shape[0], k)), self._P.columns < k
        P[self._P.rows[at], self._P.columns[at]] = self._P.values[at]
        return P

    def add_to(self, M: FloatArray, factor: float) -> FloatArray:
        """M + factor P P^T, written over M."""
        if self._whole is not None:
            M += factor * (self._whole @ self._whole.T)
            return M
        large, (rows, small) = self._large, self._small
        M = subtract_product(M, -factor * large.T, large)
        if len(rows):
            M[np.ix_(rows, rows)] += factor * (small @ small.T).toarray()
        return M

    def __call__(self, x: FloatArray) -> FloatArray:
        """P P^T x."""
        if self._whole is not None and self.count:
            return self._whole @ (self._whole.T @ x)
        large, (rows, small) = self._large, self._small
        result = large.T @ (large @ x) if len(large) else np.zeros_like(x)
        if len(rows):
            result[rows] += small @ (small.T @ x[rows])
        return result

    def off(self, x: FloatArray) -> FloatArray:
        """x - P P^T x, without a part in the span even where little is left of x.

        Twice: the first time leaves rounding of what was removed, which may be more than the rest.
        """
        return self.remove_from(self.remove_from(np.array(x, order="C")))

    def remove_from(self, x: FloatArray) -> FloatArray:
        """x - P P^T x, written over x."""
        if self._whole is not None:
            x -= self(x)
            return x
        if not self.count:
            return x
        large, (rows, small) = self._large, self._small
        if x.ndim == 2 and x.shape[1] != 1:
            subtract_product(x, large.T, large @ x)
        else:
            column = x[:, 0] if x.ndim == 2 else x
            for p in large:
                column -= (p @ column) * p
        if len(rows):
            x[rows] -= small @ (small.T @ x[rows])
        return x
