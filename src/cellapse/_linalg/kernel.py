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
from scipy.sparse.csgraph import breadth_first_order, connected_components

from cellapse._shared.arrays import FloatArray, IntArray, csr_from_entries

_SAME = 1e-9  # of the terms of a sum: what is below it is zero


def left_kernel(B: sparse.csr_array) -> sparse.csr_array | None:
    """Orthonormal columns of disjoint support spanning ker B^T, or None where it is not known.

    >>> triangle = sparse.csr_array([[-1.0, 0, -1], [1, -1, 0], [0, 1, 1]])
    >>> left_kernel(triangle).toarray().ravel().round(3).tolist()
    [0.577, 0.577, 0.577]
    >>> left_kernel(abs(triangle)).shape  # an odd cycle has no +-1 colouring
    (3, 0)
    """
    n = B.shape[0]
    if n == 0:
        return sparse.csr_array((0, 0))
    columns = sparse.csc_array(B)
    if not columns.data.all():
        columns = columns.copy()
        columns.eliminate_zeros()
    count = np.diff(columns.indptr)
    if count.max(initial=0) > 2:
        return None
    first = columns.indptr[:-1][count == 2]
    i, j = columns.indices[first], columns.indices[first + 1]
    ratio = -columns.data[first] / columns.data[first + 1]  # x_j = ratio * x_i
    component, x = _follow(n, i, j, ratio)
    alive = np.ones(component.max() + 1, dtype=bool)
    if (count == 1).any() or (ratio != 1.0).any():
        # A component keeps its vector only if no column contradicts it.
        scale = abs(columns).T @ abs(x)
        broken = abs(columns.T @ x) > _SAME * scale
        ends = columns.indices[columns.indptr[:-1][broken]]
        alive[component[ends]] = False
    number = np.cumsum(alive, dtype=np.int32) - 1
    kept = alive[component]
    norm = np.sqrt(np.bincount(component, weights=x**2))
    values = (x / norm[component])[kept]
    starts = np.concatenate([[0], np.cumsum(kept)])
    return sparse.csr_array((values, number[component[kept]], starts), (n, int(alive.sum())))


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
    graph = sparse.coo_array((np.ones(len(i)), (i, j)), shape=(n, n)).tocsr()
    n_components, component = connected_components(graph, directed=False)  # equivalent: weak ones
    if (abs(ratio - 1.0) < 1e-14).all():
        return component, np.ones(n)
    # One extra vertex joined to the first of each component makes a single tree of it all.
    _, once = np.unique(i.astype(np.int64) * n + j, return_index=True)  # equivalent: any key
    i, j, ratio = i[once], j[once], ratio[once]
    _, start = np.unique(component, return_index=True)
    root, ones = np.full(n_components, n), np.ones(n_components)
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


class Projector:
    """x -> the part of x in the span of orthonormal columns (nothing, where they are not known).

    >>> Projector(sparse.csr_array([[0.6], [0.8]]))(np.array([1.0, 0.0])).round(2).tolist()
    [0.36, 0.48]
    """

    def __init__(self, columns: sparse.csr_array | None) -> None:
        self._P: Any = columns
        if columns is not None and columns.shape[1] <= 8:  # speed only: BLAS beats sparse products
            self._P = columns.toarray()
        self._Q: Any = None if self._P is None else self._P.T.copy()

    def __call__(self, x: FloatArray) -> FloatArray:
        """P P^T x."""
        if self._P is None or self._P.shape[1] == 0:
            return np.zeros_like(x)
        return self._P @ (self._Q @ x)
