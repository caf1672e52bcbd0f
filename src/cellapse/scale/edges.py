"""The edges of a distributed complex, and the rows of Laplacians made of them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.scale.agreement import together
from cellapse.scale.routes import Ranges, Route, sums


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
        """The number among all of the edge between the vertices of each row, on any rank."""
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
