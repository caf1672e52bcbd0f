"""Connected components over ranks, and the kernel they span.

    x  ->  x - r (r^T x) / (r^T r)    on every component,   r = 1 or, with masses D, r = D^{1/2},

removes the kernel of every Laplacian here (of D^{-1/2} L D^{-1/2}) exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.scale.edges import EdgeTable
from cellapse.scale.libraries import MPI
from cellapse.scale.routes import Ranges, sums


def first_vertices(edges: EdgeTable) -> IntArray:
    """For each vertex here the smallest number in its component."""
    vertices = edges.vertices
    low, high, n = vertices.low, vertices.high, vertices.count
    inside = (edges.head >= low) & (edges.head < high)
    i, j = edges.tail[inside] - low, edges.head[inside] - low
    graph = sparse.coo_array((np.ones(len(i)), (i, j)), shape=(n, n)).tocsr()
    count, part = connected_components(graph, directed=False) if n else (0, np.empty(0, np.int64))
    label = np.full(count, vertices.total)
    np.minimum.at(label, part, np.arange(low, high))
    ours = part[edges.tail[~inside] - low]
    route = vertices.route(edges.head[~inside])
    theirs = part[route.send(edges.head[~inside]) - low]
    while True:  # the smallest number spreads from part to part
        before = label.copy()
        np.minimum.at(label, theirs, route.send(label[ours]))
        np.minimum.at(label, ours, route.back(label[theirs]))
        if not vertices.comm.allreduce(int((label != before).any())):
            return label[part]


class Kernel:
    """The vectors that are a multiple of `root` on every component.

    Parameters
    ----------
    vertices : Ranges
    first : array
        For each vertex here the smallest of its component.
    root : array, optional
        1 by default.

    Attributes
    ----------
    count : int
        Components.
    """

    def __init__(self, vertices: Ranges, first: IntArray, root: FloatArray | None = None) -> None:
        self._comm = vertices.comm
        self._root = np.ones(vertices.count) if root is None else root
        self._label, self._part = np.unique(first, return_inverse=True)
        here = np.arange(vertices.low, vertices.high)
        self._mine = here[first == here]
        self.count = int(self._comm.allreduce(len(self._mine)))
        self._route = vertices.route(self._label)
        self._at = np.searchsorted(self._mine, self._route.send(self._label))
        self._squared = self._sums(self._root[:, None])[:, 0]
        self._whole = float(self._comm.allreduce(float(self._root @ self._root)))

    def _sums(self, X: FloatArray) -> FloatArray:
        """root^T x over the components that are seen here, for every column."""
        local = np.empty((len(self._label), X.shape[1]))
        for j in range(X.shape[1]):
            local[:, j] = sums(self._part, self._root * X[:, j], len(local))
        total = np.zeros((len(self._mine), X.shape[1]))
        np.add.at(total, self._at, self._route.send(local))
        return self._route.back(total[self._at])

    def project(self, X: FloatArray) -> FloatArray:
        """What X, (n,) or (n, k), has besides the kernel."""
        flat = X[:, None] if X.ndim == 1 else X
        if self.count == 1:  # most networks: no need to look for the component of each vertex
            share = self._root @ flat
            self._comm.Allreduce(MPI.IN_PLACE, share)
            rest = flat - self._root[:, None] * (share / self._whole)
            return np.asfortranarray(rest).reshape(X.shape, order="F")
        share = (self._sums(flat) / self._squared[:, None])[self._part]
        return np.asfortranarray(flat - self._root[:, None] * share).reshape(X.shape, order="F")

    def vectors(self, k: int) -> FloatArray:
        """An orthonormal basis: the first k components, by their smallest vertices."""
        firsts: Any = np.concatenate(self._comm.allgather(self._mine[:k]))
        V = np.zeros((len(self._part), min(k, len(firsts))), order="F")
        for j, first in enumerate(firsts[:k]):
            i = np.searchsorted(self._label, first)
            if i < len(self._label) and self._label[i] == first:
                here = self._part == i
                V[here, j] = self._root[here] / np.sqrt(self._squared[i])
        return V
