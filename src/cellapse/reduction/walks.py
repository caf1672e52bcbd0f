r"""One round of approximate elimination: edges are sampled by walks to the vertices that stay.

Every edge e is c_e copies of weight w_e / c_e. From both ends of a copy a walk goes on, along an
edge by its weight, until it is at a vertex that stays; the copy becomes one edge between both ends
of its walk, with the resistance of all of it:

    weight = 1 / sum of c_e / w_e  along the walk.

The expected Laplacian is the Schur complement onto the vertices that stay (Durfee, Gao, Goranci and
Peng, Fully dynamic spectral vertex sparsifiers, 2019). Every vertex that goes has a part of its
weight outside, so that walks are short (Sachdeva and Zhao, A simple and efficient parallel
algorithm for Laplacian systems, 2023). Walkers that leave one vertex together are spread over its
edges evenly, which changes no probability and much of the variance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from cellapse._shared.arrays import BoolArray, FloatArray, IntArray
from cellapse._shared.memory import require_memory

_OUTSIDE = 0.4  # of the weight of a vertex that goes, at least
_BYTES = 120.0  # of a copy, both of its walks included


class Edges(NamedTuple):
    """Edges i < j and their weights, no pair twice."""

    i: IntArray
    j: IntArray
    weight: FloatArray

    def where(self, chosen: BoolArray) -> Edges:
        """Return some of them."""
        return Edges(self.i[chosen], self.j[chosen], self.weight[chosen])

    def adjacency(self, n: int, values: FloatArray) -> sparse.csr_array:
        """Return a symmetric matrix with these values at the edges, rows in order."""
        ends = np.concatenate([self.i, self.j]), np.concatenate([self.j, self.i])
        matrix = sparse.csr_array((np.concatenate([values, values]), ends), shape=(n, n))
        matrix.sort_indices()
        return matrix


def merged(edges: Edges, n: int) -> Edges:
    """Add up the weights of equal pairs, and leave out loops.

    >>> found = merged(Edges(np.array([2, 0, 1]), np.array([0, 2, 1]), np.array([1.0, 2, 4])), 3)
    >>> [column.tolist() for column in found]
    [[0], [2], [3.0]]
    """
    i, j, weight = edges.where(edges.i != edges.j)
    ends = np.minimum(i, j), np.maximum(i, j)
    sums = sparse.coo_array((weight, ends), shape=(n, n)).tocsr().tocoo()
    return Edges(sums.row.astype(np.int64), sums.col.astype(np.int64), sums.data)


def one_round(
    edges: Edges,
    leaving: BoolArray,
    copies: Callable[[Edges], FloatArray],
    rng: np.random.Generator,
) -> Edges:
    """Eliminate the vertices that are `leaving`; `copies` says how many an edge is, on average."""
    n = len(leaving)
    met = leaving[edges.i] | leaving[edges.j]
    touched, rest = edges.where(met), edges.where(~met)
    counts = np.maximum(np.rint(copies(touched)), 1.0)
    total = float(counts.sum())
    remedy = "give a larger sparse, or leave it out for the exact reduction"
    require_memory(_BYTES * total, f"sampling {total:,.0f} walks", remedy)
    step = counts / touched.weight
    walks = _Walks(touched, n, step, leaving)
    copied = np.repeat(np.arange(len(step)), counts.astype(np.int64))
    # The two walks of a copy are drawn apart: independent, as the expectation needs.
    first, a = walks.go(touched.i[copied], rng)
    second, b = walks.go(touched.j[copied], rng)
    weight = 1.0 / (step[copied] + a + b)
    drawn = Edges(first, second, weight)
    both = (np.concatenate(columns) for columns in zip(rest, drawn, strict=True))
    return merged(Edges(*both), n)


def thinned(edges: Edges, chance: FloatArray, rng: np.random.Generator) -> Edges:
    """Keep an edge with a probability of `chance`, at most 1, and raise its weight for that.

    Kept ones are spread evenly over the list.
    """
    kept = np.minimum(chance, 1.0)
    marks = np.floor(np.cumsum(np.where(chance < 1.0, kept, 0.0)) + rng.random())
    drawn = (np.diff(marks, prepend=0.0) > 0.0) | (kept >= 1.0)
    found = edges.where(drawn)
    return found._replace(weight=found.weight / kept[drawn])


def can_leave(edges: Edges, left: BoolArray, rng: np.random.Generator) -> BoolArray:
    """Choose vertices among those `left` that have enough of their weight outside of the choice."""
    n, chosen = len(left), left.copy()
    total = _strength(edges, n)
    while True:
        within = _strength(edges.where(chosen[edges.i] & chosen[edges.j]), n)
        held = np.flatnonzero(chosen & (within > (1.0 - _OUTSIDE) * total))
        if not len(held):
            return chosen
        # Half of them, and at least one: the others may then go.
        chosen[held[rng.random(len(held)) < 0.5]] = False
        chosen[held[0]] = False


def _strength(edges: Edges, n: int) -> FloatArray:
    """The weight at every vertex."""
    i, j, weight = edges
    return np.asarray(np.bincount(i, weight, n) + np.bincount(j, weight, n), dtype=np.float64)


class _Walks:
    """Walks along edges until a vertex that stays."""

    def __init__(self, edges: Edges, n: int, step: FloatArray, leaving: BoolArray) -> None:
        graph = edges.adjacency(n, edges.weight)
        self._leaving, self._next, self._start = leaving, graph.indices, graph.indptr
        self._step = edges.adjacency(n, step).data
        row = np.repeat(np.arange(n), np.diff(graph.indptr))
        total = np.maximum(graph.sum(axis=1), 1e-300)
        up_to = np.concatenate([[0.0], np.cumsum(graph.data / total[row])])
        # Row v has the numbers from v to v + 1, each edge its part of them.
        self._chance = row + (up_to[1:] - up_to[graph.indptr[row]])

    def go(self, start: IntArray, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
        """Walk from every start; return the ends, and the resistance of every walk."""
        at, resistance = start.copy(), np.zeros(len(start))
        walking = np.flatnonzero(self._leaving[at])
        while len(walking):
            # In order of their vertices, and at random at each.
            order = np.argsort(at[walking] + rng.random(len(walking)))
            walking = walking[order]
            where = at[walking]
            firsts = np.flatnonzero(np.diff(where, prepend=-1))
            counts = np.diff(firsts, append=len(where))
            rank = np.arange(len(where)) - np.repeat(firsts, counts)
            drawn = (rank + rng.random(len(where))) / np.repeat(counts, counts)
            taken = np.searchsorted(self._chance, where + drawn, side="right")
            taken = np.clip(taken, self._start[where], self._start[where + 1] - 1)
            resistance[walking] += self._step[taken]
            at[walking] = self._next[taken]
            walking = walking[self._leaving[at[walking]]]
        return at, resistance
