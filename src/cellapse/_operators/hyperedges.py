"""The hyperedges of a complex: groups by size, projections, and how alike their members are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._shared.arrays import FloatArray, IntArray

_LEAST = 20  # cells of a group of sizes; smaller groups join the next
_BOUNDS = (2, 3, 4, 6, 11)  # sizes 2, 3, 4 and 5, 6 to 10, more


def is_hypergraph(K: Complex) -> bool:
    """Return whether the cells above the edges are hyperedges: data, and not found in a graph.

    They hold all their pairs as edges, which rings do not, and are no simplices, as cliques and
    meshes are, unless they have weights of their own: then they were counted.

    >>> import cellapse as cl
    >>> is_hypergraph(cl.hypergraph_complex([(0, 1, 2, 3), (3, 4)]))
    True
    """
    if K.max_rank < 2 or (K.is_simplicial and all(w is None for w in K.weights[2:])):
        return False
    n, (i, j) = K.n_vertices, K.cells[1].as_array(2).T
    for cells in K.cells[2:]:
        H = sparse.csr_array(cells.membership(n).T.astype(np.float64))
        if H[i].multiply(H[j]).sum() < (cells.sizes * (cells.sizes - 1) / 2).sum():
            return False
    return True


@dataclass(frozen=True, eq=False)
class Hyperedges:
    """The hyperedges of a complex as a (vertices x hyperedges) table, with sizes and weights."""

    table: sparse.csc_array
    sizes: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, K: Complex) -> Hyperedges:
        n = K.n_vertices
        tables, weights = [], []
        for rank, cells in enumerate(K.cells[1:], start=1):
            given = K.weights[rank]
            tables.append(cells.membership(n))
            weights.append(np.ones(len(cells)) if given is None else np.array(given))
        if not tables:
            return cls(sparse.csc_array((n, 0)), np.empty(0, np.int64), np.empty(0))
        larger = np.concatenate([c.sizes > 2 for c in K.cells[1:]])
        H = sparse.csr_array(sparse.vstack(tables, format="csr").astype(np.float64))
        w = np.concatenate(weights)
        sizes = np.diff(H.indptr)
        above = H[larger]
        held = sparse.csr_array(above.T @ sparse.diags_array(w[larger]) @ above)
        pairs, size = np.flatnonzero(sizes == 2), w.copy()
        if len(pairs):
            ends = H[pairs].indices
            w[pairs] -= np.asarray(held[ends[::2], ends[1::2]]).ravel()
        kept = (sizes > 1) & (w > 1e-12 * size)
        return cls(sparse.csc_array(H[kept].T), sizes[kept], w[kept])

    @property
    def count(self) -> int:
        return len(self.sizes)

    def groups(self) -> list[IntArray]:
        """Return hyperedges of like sizes; groups of fewer than twenty join the next."""
        return grouped(self.sizes)

    def projection(self, chosen: IntArray) -> sparse.csr_array:
        """Return the weighted projection of some hyperedges."""
        H = self.table[:, chosen]
        A = sparse.csr_array(
            H @ sparse.diags_array(self.weights[chosen] / (self.sizes[chosen] - 1.0)) @ H.T
        )
        return sparse.csr_array(A - sparse.diags_array(A.diagonal()))

    def inside(self, X: FloatArray, chosen: IntArray) -> FloatArray:
        """Return the mean similarity of the pairs inside each of some hyperedges."""
        return inside(X, self.table[:, chosen], self.sizes[chosen])


def inside(X: FloatArray, table: Any, sizes: IntArray) -> FloatArray:
    """(|sum of the rows|^2 - their own lengths) / (s (s - 1)): the mean over pairs."""
    total = np.asarray(table.T @ X)
    own = np.asarray(table.T @ (X**2).sum(axis=1))
    return ((total**2).sum(axis=1) - own) / (sizes * (sizes - 1.0))


def grouped(sizes: IntArray) -> list[IntArray]:
    """Return positions of cells of like sizes; groups of fewer than twenty join the next.

    >>> [len(g) for g in grouped(np.repeat([2, 3, 7], [30, 5, 30]))]
    [30, 35]
    """
    groups: list[IntArray] = []
    waiting = np.empty(0, dtype=np.int64)
    for low, high in zip(_BOUNDS, (*_BOUNDS[1:], np.inf), strict=True):
        here = np.flatnonzero((sizes >= low) & (sizes < high))
        waiting = np.concatenate([waiting, here])
        if len(waiting) >= _LEAST:
            groups.append(waiting)
            waiting = np.empty(0, dtype=np.int64)
    if len(waiting):
        if groups:
            groups[-1] = np.concatenate([groups[-1], waiting])
        else:
            groups.append(waiting)
    return groups
