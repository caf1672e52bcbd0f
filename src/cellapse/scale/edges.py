"""The graph over ranks: its edges, its components with their kernel, and whether it expands.

Each rank holds some edges, sorted by (tail, head), and the rows of Laplacians of its own vertices.

    x  ->  x - r (r^T x) / (r^T r)    on every component,   r = 1 or, with masses D, r = D^{1/2},

removes the kernel of every Laplacian here (of D^{-1/2} L D^{-1/2}) exactly.

A graph expands, so that it has no small cuts, by the same test as on one machine: one level of a
breadth-first search from a far vertex holds an eighth of the core, which is what is left without
vertices of degree one and two.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from cellapse._errors import InputError
from cellapse._linalg.tuning import DENSE_BLOCK
from cellapse._shared.arrays import BoolArray, FloatArray, IntArray
from cellapse.scale.exchange import Ranges, Route, sums, together
from cellapse.scale.libraries import MPI

_NONE: IntArray = np.empty(0, np.int64)


class EdgeTable:
    """The edges held by this rank, sorted by (tail, head), and how their other ends are reached.

    Attributes
    ----------
    vertices : Ranges
    ranges : Ranges
        Edges are numbered, too: from `ranges.low` on here.
    tail, head : arrays
        Vertices; the tail is owned here, and not above the head in the order (degree, number).
    weight : array or None
    degree : array
        Number of edges of each vertex here.
    head_degree : array
        Of the head of each edge.
    mirror : Route
        From each edge to the owner of its head.
    """

    def __init__(
        self, vertices: Ranges, rows: IntArray, weight: FloatArray | None, degree: IntArray
    ) -> None:
        self.vertices, self.degree, self.weight = vertices, degree, weight
        self.tail, self.head, self.head_degree = (np.ascontiguousarray(c) for c in rows.T)
        self.ranges = Ranges.of_counts(vertices.comm, len(self.tail))
        self.mirror: Route = vertices.route(self.head)
        # Edges whose head is owned here, as their holders send them.
        self.seen_head: IntArray = self.mirror.send(self.head)
        self.seen_tail: IntArray = self.mirror.send(self.tail)

    @classmethod
    def build(
        cls, vertices: Ranges, pairs: IntArray, weight: FloatArray | None, copies: str
    ) -> EdgeTable:
        """From pairs in any order on any rank; copies must "agree" in weight, or "add" up."""
        comm, n, low = vertices.comm, vertices.total, vertices.low
        pairs = np.sort(pairs, axis=1)
        route = vertices.route(pairs[:, 0])
        keys = route.send(pairs[:, 0] * n + pairs[:, 1])
        key, place = np.unique(keys, return_inverse=True)
        weight = None if weight is None else route.send(weight)
        with together(comm):
            weight = _one_weight_each(key, place, weight, copies, n)
        small, large = np.divmod(key, n) if n else (key, key)
        # Degrees of both ends, then every edge to the owner of its lower end.
        route = vertices.route(large)
        at = route.send(large) - low
        degree = np.bincount(np.concatenate([small - low, at]), minlength=vertices.count)
        d_small, d_large = degree[small - low], route.back(degree[at])
        turn = (d_large < d_small) | ((d_large == d_small) & (large < small))
        rows = np.column_stack([small, large, d_large])
        rows[turn] = np.column_stack([large, small, d_small])[turn]
        route = vertices.route(rows[:, 0])
        rows = route.send(rows)
        order = np.argsort(rows[:, 0] * n + rows[:, 1])
        weight = None if weight is None else route.send(weight)[order]
        return cls(vertices, rows[order], weight, degree)

    @property
    def count(self) -> int:
        """Edges held here."""
        return len(self.tail)

    @property
    def weights(self) -> FloatArray:
        """The weight of every edge held here, 1 where none is given."""
        return np.ones(self.count) if self.weight is None else self.weight

    @cached_property
    def keys(self) -> IntArray:
        """tail * n + head, ascending: where an edge is looked up."""
        return self.tail * self.vertices.total + self.head

    def at_ends(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """A value of every vertex here, at the tail and at the head of each edge held here."""
        low = self.vertices.low
        return values[self.tail - low], self.mirror.back(values[self.seen_head - low])

    def add_at_ends(self, at_tail: FloatArray, at_head: FloatArray) -> FloatArray:
        """For every vertex here the sum over its edges."""
        low, n = self.vertices.low, self.vertices.count
        total = sums(self.tail - low, at_tail, n)
        return total + sums(self.seen_head - low, self.mirror.send(at_head), n)

    def numbers_of(self, pairs: IntArray) -> IntArray:
        """Return the number among all of the edge between the vertices of each row, on any rank."""
        n = self.vertices.total
        mine = np.arange(self.ranges.low, self.ranges.high)
        keys = np.concatenate([self.keys, self.seen_head * n + self.seen_tail])
        order = np.argsort(keys)
        number = np.concatenate([mine, self.mirror.send(mine)])[order]
        route = self.vertices.route(pairs[:, 0])
        asked = route.send(pairs[:, 0] * n + pairs[:, 1])
        return route.back(number[np.searchsorted(keys, asked, sorter=order)])

    @cached_property
    def _layout(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Where the entries of a Laplacian go in this rank's rows."""
        low, n = self.vertices.low, self.vertices.count
        rows = np.concatenate([self.tail - low, self.seen_head - low])
        here = np.arange(n)
        all_rows = np.concatenate([rows, here])
        columns = np.concatenate([self.head, self.seen_tail, here + low])
        place = np.lexsort((columns, all_rows))
        starts = np.concatenate([[0], np.cumsum(np.bincount(all_rows, minlength=n))])
        return rows, place, starts, columns[place]

    def laplacian_rows(
        self, weight: FloatArray, shift: float
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Starts, columns and entries of this rank's rows of B_1 diag(weight) B_1^T + shift."""
        rows, place, starts, columns = self._layout
        both = np.concatenate([weight, self.mirror.send(weight)])
        diagonal = sums(rows, both, self.vertices.count) + shift
        return starts, columns, np.concatenate([-both, diagonal])[place]

    def neighbours(self) -> tuple[IntArray, IntArray]:
        """Starts and columns of the rows of this rank, each vertex among its own neighbours."""
        return self._layout[2], self._layout[3]


def _one_weight_each(
    key: IntArray, place: IntArray, weight: FloatArray | None, copies: str, n: int
) -> FloatArray | None:
    if weight is None:
        return None
    if copies == "add":
        return sums(place, weight, len(key))
    one = np.zeros(len(key))
    one[place] = weight
    wrong = np.flatnonzero(one[place] != weight)
    if len(wrong):
        u, v = divmod(int(key[place[wrong[0]]]), n)
        raise InputError(
            f"edge ({u}, {v}) is given with weights {weight[wrong[0]]:g} and "
            f"{one[place[wrong[0]]]:g}; give it once"
        )
    return one


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
        """Return what X, (n,) or (n, k), has besides the kernel."""
        flat = X[:, None] if X.ndim == 1 else X
        if self.count == 1:  # most networks: no need to look for the component of each vertex
            share = self._root @ flat
            self._comm.Allreduce(MPI.IN_PLACE, share)
            rest = flat - self._root[:, None] * (share / self._whole)
            return np.asfortranarray(rest).reshape(X.shape, order="F")
        share = (self._sums(flat) / self._squared[:, None])[self._part]
        return np.asfortranarray(flat - self._root[:, None] * share).reshape(X.shape, order="F")

    def vectors(self, k: int) -> FloatArray:
        """Return an orthonormal basis: the first k components, by their smallest vertices."""
        firsts: Any = np.concatenate(self._comm.allgather(self._mine[:k]))
        V = np.zeros((len(self._part), min(k, len(firsts))), order="F")
        for j, first in enumerate(firsts[:k]):
            i = np.searchsorted(self._label, first)
            if i < len(self._label) and self._label[i] == first:
                here = self._part == i
                V[here, j] = self._root[here] / np.sqrt(self._squared[i])
        return V


def widest_level(edges: EdgeTable) -> tuple[int, int]:
    """Return the widest level of a search from a far vertex, and the size of the core."""
    vertices, comm = edges.vertices, edges.vertices.comm
    starts, columns = edges.neighbours()
    core = _core(vertices, starts, columns, edges.degree)
    size = int(comm.allreduce(int(core.sum())))
    if size == 0:
        return 0, 0
    here = np.flatnonzero(core)
    far = comm.allreduce(int(here[0]) + vertices.low if len(here) else vertices.total, MPI.MIN)
    for _ in range(2):  # to the far end, and back to measure
        far, widest = _search(vertices, starts, columns, core, far)
    return widest, size


def expands(edges: EdgeTable) -> bool:
    """Return whether the graph has no small cuts."""
    widest, size = widest_level(edges)
    return widest > max(size / 8, DENSE_BLOCK)


def _core(vertices: Ranges, starts: IntArray, columns: IntArray, degree: IntArray) -> BoolArray:
    left, alive = degree.copy(), degree > 0
    for _ in range(50):
        gone = np.flatnonzero(alive & (left <= 2))
        if not vertices.comm.allreduce(len(gone)):
            break
        alive[gone] = False
        lost = _at_owner(vertices, _around(starts, columns, gone))
        left -= np.bincount(lost, minlength=len(left))
    return alive


def _search(
    vertices: Ranges, starts: IntArray, columns: IntArray, core: BoolArray, root: int
) -> tuple[int, int]:
    """One of the last vertices of a breadth-first search in the core, and its widest level."""
    comm = vertices.comm
    free = core.copy()
    level = np.array([root - vertices.low]) if vertices.low <= root < vertices.high else _NONE
    widest = 0
    while True:
        free[level] = False
        size = int(comm.allreduce(len(level)))
        widest = max(widest, size)
        reached = np.unique(_at_owner(vertices, _around(starts, columns, level)))
        following = reached[free[reached]]
        if not comm.allreduce(len(following)):
            last = int(level[0]) + vertices.low if len(level) else vertices.total
            return int(comm.allreduce(last, MPI.MIN)), widest
        level = following


def _around(starts: IntArray, columns: IntArray, rows: IntArray) -> IntArray:
    """Return the neighbours (and themselves) of some vertices here."""
    count = starts[rows + 1] - starts[rows]
    offset = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return columns[np.repeat(starts[rows], count) + offset]


def _at_owner(vertices: Ranges, numbers: IntArray) -> IntArray:
    """Return the places here of the vertices that all ranks name."""
    return vertices.route(numbers).send(numbers) - vertices.low
