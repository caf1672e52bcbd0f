"""Cliques over ranks: triangles by asking for the edge that closes a wedge, tetrahedra likewise.

Vertices are ordered by (degree, number) and every edge belongs to its lower end. A triangle
u < v < w is found at u, from its edges (u, v) and (u, w), by asking the owner of v for (v, w); a
tetrahedron u < v < w < x at u, from its triangles (u, v, w) and (u, v, x), by asking the owner of w
for (w, x). Questions go out in rounds of bounded size.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.scale.edges import EdgeTable
from cellapse.scale.exchange import Ranges, Relation
from cellapse.scale.libraries import MPI

_WEDGES = 2_000_000  # asked about in one round: some 150 MB of working memory


class Cliques:
    """The cells of rank 2 and 3 of a clique complex.

    Parameters
    ----------
    edges : EdgeTable
    max_rank : int
    """

    weight = None  # of every cell: one

    def __init__(self, edges: EdgeTable, max_rank: int) -> None:
        self._edges, self.max_rank, self._comm = edges, max_rank, edges.vertices.comm

    @cached_property
    def n_cells(self) -> tuple[int, ...]:
        """How many there are of rank 2, 3, ..."""
        if self.max_rank == 1:
            return ()
        triangles = int(self._comm.allreduce(int(self.support.sum()))) // 3
        if self.max_rank == 2:
            return (triangles,)
        return triangles, int(self._comm.allreduce(len(self._tetrahedra[0])))

    @cached_property
    def support(self) -> FloatArray:
        """The number of triangles around each edge held here; they are counted, not kept."""
        count: FloatArray = np.zeros(self._edges.count)
        for one, two, at, _ in self._closed_wedges():
            for place in (one, two, at):
                count += np.bincount(place, minlength=len(count))
        return count

    def around(self, rank: int) -> Relation:
        """From the cells of a rank held here to the edges inside them."""
        table = self._triangles if rank == 2 else self._tetrahedra[0]
        return Relation.of_table(self._edges.ranges, table)

    def chain(self) -> list[Relation]:
        """From each rank to the one below, rank 2 first."""
        relations = [self.around(2)]
        if self.max_rank == 3:
            relations.append(Relation.of_table(self._triangle_ranges, self._tetrahedra[1]))
        return relations

    @cached_property
    def _triangles(self) -> IntArray:
        """The edges (u, v), (u, w), (v, w) of each triangle at u, by their numbers."""
        low = self._edges.ranges.low
        parts = [np.empty((0, 3), np.int64)]
        for one, two, _, third in self._closed_wedges():
            parts.append(np.column_stack([one + low, two + low, third]))
        return np.concatenate(parts)

    @cached_property
    def _triangle_ranges(self) -> Ranges:
        return Ranges.of_counts(self._comm, len(self._triangles))

    def _closed_wedges(self) -> Iterator[tuple[IntArray, IntArray, IntArray, IntArray]]:
        """Places here of both edges of each closed wedge and of closing edges, and the numbers.

        The numbers of the closing edges belong to the first two; the places of closing edges are
        those that others (or this rank) have asked for.
        """
        edges = self._edges
        order = np.lexsort((edges.head, edges.head_degree, edges.tail))
        head, row = edges.head[order], edges.tail[order]
        end = np.searchsorted(row, row, side="right")
        later = end - 1 - np.arange(len(row))
        for one, two in self._in_rounds(later):
            at, number = self._ask(head[one], head[two])
            closed = number >= 0
            yield order[one[closed]], order[two[closed]], at, number[closed]

    def _in_rounds(self, later: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
        """Every item with each of the `later` ones after it, in rounds of all ranks together."""
        m, until = len(later), np.cumsum(later)
        total = int(until[-1]) if m else 0
        inner = np.searchsorted(until, np.arange(_WEDGES, total, _WEDGES))
        cuts = np.unique(np.concatenate([[0], inner, [m]]))
        rounds = self._comm.allreduce(len(cuts) - 1, MPI.MAX)
        for i in range(rounds):
            a, b = (cuts[i], cuts[i + 1]) if i < len(cuts) - 1 else (m, m)
            part = later[a:b]
            one = np.repeat(np.arange(a, b), part)
            offset = np.arange(len(one)) - np.repeat(np.cumsum(part) - part, part)
            yield one, one + 1 + offset

    def _ask(self, tail: IntArray, head: IntArray) -> tuple[IntArray, IntArray]:
        """Find the edges from tail to head: which exist, and their numbers.

        Returns the places of the edges held here that some rank asked for, and for each question
        of this rank the number of the edge, or -1.
        """
        n, known = self._edges.vertices.total, self._edges.keys
        route = self._edges.vertices.route(tail)
        at, yes = _find(known, route.send(tail * n + head))
        number = np.where(yes, self._edges.ranges.low + at, -1)
        return at[yes], route.back(number)

    @cached_property
    def _tetrahedra(self) -> tuple[IntArray, IntArray]:
        """The six edges, and the four triangles, of each tetrahedron at its lowest vertex."""
        edges, low = self._edges, self._edges.ranges.low
        table = self._triangles
        of_first = table[:, 0] - low
        # Triangles with the same first edge, those with an earlier third vertex first.
        w = edges.head[table[:, 1] - low]
        order = np.lexsort((w, edges.head_degree[table[:, 1] - low], of_first))
        first = of_first[order]
        later = np.searchsorted(first, first, side="right") - 1 - np.arange(len(order))
        six, four = [np.empty((0, 6), np.int64)], [np.empty((0, 4), np.int64)]
        for one, two in self._in_rounds(later):
            one, two = order[one], order[two]
            number = self._ask(w[one], w[two])[1]
            closed = number >= 0
            a, b = table[one[closed]], table[two[closed]]
            six.append(np.column_stack([a[:, :2], b[:, 1], a[:, 2], b[:, 2], number[closed]]))
            mine = np.column_stack([one[closed], two[closed]]) + self._triangle_ranges.low
            others = [self._numbers(a[:, 1], b[:, 1]), self._numbers(a[:, 2], b[:, 2])]
            four.append(np.column_stack([mine, *others]))
        return np.concatenate(six), np.concatenate(four)

    def _numbers(self, first: IntArray, second: IntArray) -> IntArray:
        """The numbers of the triangles with these first and second edges, all of which exist."""
        known, order = self._triangle_keys
        route = self._edges.ranges.route(first)
        one, two = (route.send(e) - self._edges.ranges.low for e in (first, second))
        at, _ = _find(known, one * self._edges.count + two)
        local = order[at] if len(order) else at
        return route.back(self._triangle_ranges.low + local)

    @cached_property
    def _triangle_keys(self) -> tuple[IntArray, Any]:
        pairs = self._triangles[:, :2] - self._edges.ranges.low
        keys = pairs[:, 0] * self._edges.count + pairs[:, 1]
        order = np.argsort(keys)
        return keys[order], order


def _find(known: IntArray, asked: IntArray) -> tuple[IntArray, Any]:
    """Return where each number is in an ascending list, and whether it is there at all."""
    if not len(known):
        return np.zeros(len(asked), np.int64), np.zeros(len(asked), bool)
    at = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    return at, known[at] == asked
