"""The shares that edges keep in the screened and renormalized operators, window after window.

A share depends on what is near: with no rounds on the cells around its edge, and each round looks
one edge further. So after a change the shares within as many rounds are computed anew, from those
of every round that were kept; beyond, they stay, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._collapse.edges import Cofaces, Rounds
from cellapse._linalg.operators import SparseOperator
from cellapse._shared.arrays import BoolArray, FloatArray, IntArray
from cellapse.temporal.pairs import distinct
from cellapse.temporal.windows import Group, Window

_FEW = 0.2  # of the edges: where more are to be computed, all at once takes less time


class Regular(Cofaces):
    """Cells of one size above their pairs: sums over a cell are those along a row of a table."""

    def per_cell(self, values: FloatArray) -> FloatArray:
        count = self.shape[1]
        size = len(values) // count if count else 1
        total: FloatArray = values[::size].astype(np.float64)  # NumPy is slow along short rows
        for i in range(1, size):
            total += values[i::size]
        return total

    def mean(self, share: FloatArray) -> FloatArray:
        """Of a triangle the product of the other two shares: no logarithms are needed."""
        if len(self.lower) != 3 * self.shape[1]:
            return super().mean(share)
        own = share[self.lower]
        a, b, c = own[::3], own[1::3], own[2::3]
        means = np.empty(len(own))
        means[::3], means[1::3], means[2::3] = b * c, a * c, a * b
        return means


class Shares:
    """The shares of the edges of a window, from those of the last one.

    Parameters
    ----------
    S : CollapsedOperator
        Screened or renormalized, of the first window: its weights are those of all.
    n_pairs : int
        How many pairs there are over all time.
    """

    def __init__(self, S: CollapsedOperator, n_pairs: int) -> None:
        rounds = S.realization.in_rounds(S.chain, S.weights)  # type: ignore[attr-defined]
        self._rounds: Rounds = replace(rounds, around=(), ends=None)
        self.beta, self.least = float(S.beta[0]), 1.0 - rounds.square / (1.0 + S.eps)
        self._kept = np.ones((max(rounds.count, 1) + 1, n_pairs))
        self._place = np.zeros(n_pairs, dtype=np.int64)
        self.n_computed = 0

    def update(self, window: Window) -> FloatArray:
        """Compute what changes, and give the shares of all edges of the window."""
        edges = window.edges
        self._kept[1:, window.changed] = 1.0
        steps = list(zip(self._kept[:-1], self._kept[1:], strict=True))
        self.n_computed = 0
        for i, dirty in enumerate(self._dirty(window)):
            if dirty.sum() > _FEW * len(dirty):  # and so it is in all rounds that follow
                local = self._local(window, edges, window.groups)
                for before, after in steps[i:]:
                    after[edges] = local.forwards(before[edges])[1]
                    self.n_computed += len(edges)
                break
            if dirty.any():
                self._step(window, *steps[i], edges[dirty])
        return self._kept[-1, edges]

    def _dirty(self, window: Window) -> Iterator[BoolArray]:
        """Which edges of the window have another share, round by round."""
        edges, ends = window.edges, window.source.pairs.ends
        changed = np.zeros(self._kept.shape[1], dtype=bool)
        changed[window.changed] = changed[window.cells_changed] = True
        first = changed[edges]
        if not self._rounds.count:
            yield first
            return
        moved = np.zeros(window.source.n_vertices, dtype=bool)
        moved[ends[window.changed]] = True
        here, (u, v) = np.zeros(len(edges), dtype=bool), window.ends.T
        for _ in range(self._rounds.count):
            near = moved.copy()
            near[window.ends[here]] = True
            here = first | near[u] | near[v] | self._in_cells_with(window, here)
            yield here

    def _in_cells_with(self, window: Window, some: BoolArray) -> BoolArray:
        """The edges that share a cell with some of them."""
        marked = np.zeros(self._kept.shape[1], dtype=bool)
        marked[window.edges[some]] = True
        for group in window.groups:
            if some.any():
                marked[group.pairs.take(_touched(group, marked)).indices] = True
        return marked[window.edges]

    def _step(self, window: Window, before: FloatArray, after: FloatArray, dirty: IntArray) -> None:
        """One round, on the edges that have another share: from those that they depend on."""
        edges, ends = window.edges, window.source.pairs.ends
        needed = self._marked(dirty)
        groups = tuple(_part(group, needed) for group in window.groups)
        for group in groups:
            needed[group.pairs.indices] = True
        if self._rounds.count:
            near = np.zeros(window.source.n_vertices, dtype=bool)
            near[ends[dirty]] = True
            u, v = window.ends.T
            needed[edges[near[u] | near[v]]] = True
        around = edges[needed[edges]]
        shares = self._local(window, around, groups).forwards(before[around])[1]
        after[dirty] = shares[self._place[dirty]]
        self.n_computed += len(dirty)

    def _local(self, window: Window, around: IntArray, groups: Sequence[Group]) -> Rounds:
        """One round on some edges alone, and the cells between them."""
        self._place[around] = np.arange(len(around))
        return replace(
            self._rounds,
            around=[self._cofaces(group, len(around)) for group in groups],
            ends=_ends(window.source.pairs.ends[around], window.source.n_vertices),
            count=min(self._rounds.count, 1),
        )

    def _marked(self, pairs: IntArray) -> BoolArray:
        marked = np.zeros(self._kept.shape[1], dtype=bool)
        marked[pairs] = True
        return marked

    def _cofaces(self, group: Group, n_edges: int) -> Cofaces:
        pairs, count = group.pairs, len(group.pairs)
        cell = np.repeat(np.arange(count), pairs.sizes)
        weight = np.ones(len(cell)) if group.weights is None else group.weights[cell]
        kind = Regular if pairs.is_uniform else Cofaces
        return kind(self._place[pairs.indices], cell, weight, (n_edges, count))


def _touched(group: Group, marked: BoolArray) -> IntArray:
    """The cells that hold a marked pair."""
    if group.pairs.is_uniform:
        size = max(int(group.pairs.sizes[0]), 1) if len(group.pairs) else 1
        return distinct(np.flatnonzero(marked[group.pairs.indices]) // size)
    held = np.concatenate([[0], np.cumsum(marked[group.pairs.indices])])
    return np.flatnonzero(held[group.pairs.indptr[1:]] > held[group.pairs.indptr[:-1]])


def _part(group: Group, marked: BoolArray) -> Group:
    chosen = _touched(group, marked)
    weights = None if group.weights is None else group.weights[chosen]
    return Group(group.pairs.take(chosen), group.ends, weights)


def _ends(ends: IntArray, n: int) -> Regular:
    count = len(ends)
    cell = np.repeat(np.arange(count), 2)
    return Regular(ends.ravel(), cell, np.ones(2 * count), (n, count))


def reweighted_laplacian(window: Window, weights: FloatArray) -> sparse.csr_array:
    """The Laplacian of weighted edges.

    Pairs are sorted, and their first end is smaller; so a row is its second ends' edges in the
    order of their first, the diagonal, and its first ends' edges as they are.
    """
    n, order = window.source.n_vertices, window.by_second
    u, v = window.ends.T.astype(np.int32)
    before, after = np.bincount(v, minlength=n), np.bincount(u, minlength=n)
    indptr = np.concatenate([[0], np.cumsum(before + after + 1)])
    whole = np.int32 if indptr[-1] < 2**31 else np.int64
    indices, entries = np.empty(indptr[-1], dtype=whole), np.empty(indptr[-1])
    diagonal = indptr[:-1] + before
    indices[diagonal] = np.arange(n)
    entries[diagonal] = np.bincount(u, weights, n) + np.bincount(v, weights, n)
    for place, count, column, each in (
        (indptr[:-1], before, u[order], weights[order]),
        (diagonal + 1, after, v, weights),
    ):
        at = np.repeat(place - np.cumsum(count) + count, count) + np.arange(len(u))
        indices[at], entries[at] = column, -each
    return sparse.csr_array((entries, indices, indptr.astype(indices.dtype)), shape=(n, n))


def components(matrix: sparse.csr_array) -> IntArray:
    """The component of every vertex, of a symmetric matrix.

    The one with the longest row, usually that of most vertices, takes a third of the time by a
    search; the rest is then small.

    >>> components(sparse.csr_array([[1, 0, 0], [0, 1, 1], [0, 1, 1]])).tolist()
    [1, 0, 0]
    """
    n = matrix.shape[0]
    component = np.zeros(n, dtype=np.int64)
    rest = np.ones(n, dtype=bool)
    first = int(np.argmax(np.diff(matrix.indptr)))
    rest[breadth_first_order(matrix, first, return_predecessors=False)] = False
    others = np.flatnonzero(rest)
    if len(others):
        component[others] = 1 + connected_components(matrix[others][:, others], directed=False)[1]
    return component


def operator_of(
    window: Window, shares: FloatArray, beta: float, name: str
) -> tuple[SparseOperator, IntArray]:
    """The operator of a window, and the component of every vertex."""
    T = window.source
    weights = beta * shares if window.weights is None else beta * shares * window.weights
    matrix = reweighted_laplacian(window, weights)
    component = components(matrix)
    sizes = np.bincount(component)
    shape = (T.n_vertices, len(sizes))
    entries = 1.0 / np.sqrt(sizes[component])
    kernel = sparse.csr_array((entries, component, np.arange(T.n_vertices + 1)), shape=shape)
    return SparseOperator(matrix, T.labels, kernel, name), component
