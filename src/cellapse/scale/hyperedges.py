"""Hyperedges over ranks: pairs within a hyperedge are edges, larger hyperedges cells of rank 2.

A hyperedge lives with the owner of its smallest vertex, where its copies meet and become one, with
the sum of their weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.scale.edges import EdgeTable
from cellapse.scale.exchange import Ranges, Relation, Route, sums, together
from cellapse.scale.libraries import MPI


@dataclass(frozen=True, eq=False)
class Groups:
    """Hyperedges of one size held here: ascending rows of vertices, and their weights."""

    members: IntArray
    weight: FloatArray

    def pairs(self) -> tuple[IntArray, IntArray]:
        """Return the hyperedge and the two vertices of all pairs."""
        i, j = np.triu_indices(self.members.shape[1], 1)
        rows = np.stack([self.members[:, i].ravel(), self.members[:, j].ravel()], axis=1)
        return np.repeat(np.arange(len(self.members)), len(i)), rows


def hyperedge_pairs(
    comm: Any, n: int, rows: IntArray, weight: FloatArray | None
) -> tuple[list[Groups], IntArray, FloatArray | None]:
    """Hyperedges by size, and the pairs within them with their weights, from rows of members."""
    groups = _distinct(comm, n, *_assembled(comm, rows, weight))
    pairs: list[IntArray] = [np.empty((0, 2), np.int64)]
    weights = [np.empty(0)]
    for group in groups:
        cell, ends = group.pairs()
        pairs.append(ends)
        weights.append(group.weight[cell])
    shared = None if weight is None else np.concatenate(weights)
    return groups, np.concatenate(pairs), shared


def _assembled(
    comm: Any, rows: IntArray, weight: FloatArray | None
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return all members of each hyperedge on one rank: starts, ascending vertices, and weights."""
    route = Route(comm, rows[:, 0] % comm.size)
    rows = route.send(rows)
    held = np.ones(len(rows)) if weight is None else route.send(weight)
    order = np.lexsort((rows[:, 1], rows[:, 0]))
    rows, held = rows[order], held[order]
    new = np.ones(len(rows), bool)
    new[1:] = (rows[1:] != rows[:-1]).any(axis=1)  # a vertex given twice is there once
    with together(comm):
        differing = np.flatnonzero((rows[1:, 0] == rows[:-1, 0]) & (held[1:] != held[:-1]))
        if len(differing):
            raise InputError(
                f"hyperedge {rows[differing[0], 0]} has weights {held[differing[0]]:g} and "
                f"{held[differing[0] + 1]:g}; give the same in all its rows"
            )
    rows, held = rows[new], held[new]
    first = np.ones(len(rows), bool)
    first[1:] = rows[1:, 0] != rows[:-1, 0]
    starts = np.concatenate([np.flatnonzero(first), [len(rows)]])
    return starts, rows[:, 1], held[first]


def _distinct(
    comm: Any, n: int, starts: IntArray, vertices: IntArray, weight: FloatArray
) -> list[Groups]:
    """Different hyperedges of two and more vertices by size, with the sums over their copies."""
    sizes = np.diff(starts)
    largest = comm.allreduce(int(sizes.max(initial=0)), MPI.MAX)
    present = np.zeros(largest + 1, np.int64)
    comm.Allreduce(np.bincount(sizes, minlength=largest + 1).astype(np.int64), present)
    even = Ranges.even(comm, n)
    groups = []
    for size in np.flatnonzero(present[2:]) + 2:
        at = starts[:-1][sizes == size]
        members = vertices[at[:, None] + np.arange(size)]
        route = even.route(members[:, 0])
        members, held = route.send(members), route.send(weight[sizes == size])
        members, place = np.unique(members, axis=0, return_inverse=True)
        groups.append(Groups(members, sums(place.ravel(), held, len(members))))
    return groups


class Hyperedges:
    """The cells of rank 2 of a hypergraph: hyperedges of three and more vertices.

    Parameters
    ----------
    edges : EdgeTable
    groups : list of Groups
    """

    max_rank = 2

    def __init__(self, edges: EdgeTable, groups: list[Groups]) -> None:
        self._edges = edges
        self._groups = [group for group in groups if group.members.shape[1] > 2]
        count = sum(len(group.members) for group in self._groups)
        self.n_cells = (int(edges.vertices.comm.allreduce(count)),)
        each = [np.ones(len(g.members)) if edges.weight is None else g.weight for g in self._groups]
        self.weight = np.concatenate([np.empty(0), *each])

    @cached_property
    def _relation(self) -> Relation:
        cells: list[IntArray] = [np.empty(0, np.int64)]
        pairs: list[IntArray] = [np.empty((0, 2), np.int64)]
        before = 0
        for group in self._groups:
            cell, ends = group.pairs()
            cells.append(cell + before)
            pairs.append(ends)
            before += len(group.members)
        numbers = self._edges.numbers_of(np.concatenate(pairs))
        return Relation(self._edges.ranges, np.concatenate(cells), numbers, before)

    @cached_property
    def support(self) -> FloatArray:
        """The weight of the hyperedges around each edge held here."""
        relation = self._relation
        return relation.add_up(self.weight[relation.cell])

    def around(self, rank: int) -> Relation:
        """From the hyperedges held here to the edges inside them."""
        return self._relation

    def chain(self) -> list[Relation]:
        """From each rank to the one below."""
        return [self._relation]
