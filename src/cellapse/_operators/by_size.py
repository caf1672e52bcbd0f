r"""Cells by their size, to be hidden and predicted: the hyperedges of a hypergraph, or simplices.

A hypergraph is its hyperedges; the sum of their projections is the fair operator without cells.
Of a simplicial complex, such as the cliques of a graph, that is the graph Laplacian: every edge
belongs to the size of the largest cell that holds it. To hide a triangle is to hide its three
edges, and with them every other cell that has one. So that a fifth of the cells takes a fifth of
the edges with it, the cells to hide are drawn without a common edge; and as what is left is sorted
into sizes anew, nothing reveals what was hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._matrices.matrices import cells_around_edges
from cellapse._operators.hyperedges import Hyperedges, grouped, is_hypergraph
from cellapse._shared.arrays import BoolArray, FloatArray, IntArray, csr_from_entries

_TRIES = 10  # random pairs for each that is wanted

Parts = list[sparse.csr_array]


@dataclass(frozen=True, eq=False)
class BySize:
    """Cells in groups of like sizes, and the adjacencies that they make.

    Attributes
    ----------
    members : list of (vertices x cells) tables, one for each group
    chance : the same for random cells of these sizes, as many, by the degrees in the group
    sizes : list of arrays, the sizes of these cells
    parts : list of adjacencies, one for each group; their sum is that of the fair operator
    without : function
        The parts without some cells: from a list of positions for each group.
    """

    members: list[sparse.csc_array]
    chance: list[sparse.csc_array]
    sizes: list[IntArray]
    parts: Parts
    without: Callable[[list[IntArray]], Parts]

    @classmethod
    def of(cls, K: Complex, rng: np.random.Generator) -> BySize:
        """Return the hyperedges of a hypergraph, the cells of a graph or of another complex."""
        return _hyperedges(K, rng) if is_hypergraph(K) else _cells_of_edges(K, rng)


def _hyperedges(K: Complex, rng: np.random.Generator) -> BySize:
    hyper = Hyperedges.of(K)
    groups = hyper.groups()

    def without(hidden: list[IntArray]) -> Parts:
        left = (np.delete(g, h) for g, h in zip(groups, hidden, strict=True))
        return [hyper.projection(g) for g in left]

    parts = [hyper.projection(g) for g in groups]
    members, sizes = [hyper.table[:, g] for g in groups], [hyper.sizes[g] for g in groups]
    chance = [_random_cells(s, _degree(m), rng) for s, m in zip(sizes, members, strict=True)]
    return BySize(members, chance, sizes, parts, without)


def _cells_of_edges(K: Complex, rng: np.random.Generator) -> BySize:
    edges = _Edges.of(K)
    every = np.ones(len(edges.ends), dtype=bool)
    size = edges.largest(every)
    cells, sizes = [], []
    for s, held in zip(range(2, len(edges.around) + 3), edges.tables(), strict=True):
        alike = np.asarray(held.T @ (size != s).astype(float)).ravel() == 0
        chosen = disjoint(held, alike, rng)
        cells.append(held[:, chosen])
        sizes.append(np.full(len(chosen), s))
    stacked, all_sizes = sparse.csc_array(sparse.hstack(cells)), np.concatenate(sizes)
    groups = grouped(all_sizes)
    bounds = [int(all_sizes[g].min()) for g in groups[1:]]
    hides = [stacked[:, g] for g in groups]

    def without(hidden: list[IntArray]) -> Parts:
        gone = sum(
            (held[:, at].sum(axis=1) for held, at in zip(hides, hidden, strict=True)),
            np.zeros(len(edges.ends)),
        )
        return edges.parts(gone == 0, bounds)

    members, by_group = [edges.members(held) for held in hides], [all_sizes[g] for g in groups]
    parts = edges.parts(every, bounds)
    A = sum(parts[1:], parts[0]) if parts else None
    chance = [_alike(s, _degree(m), A, rng) for s, m in zip(by_group, members, strict=True)]
    return BySize(members, chance, by_group, parts, without)


@dataclass(frozen=True, eq=False)
class _Edges:
    """The edges of a simplicial complex, and which cells hold them, by rank from 2 up."""

    n: int
    ends: IntArray
    weights: FloatArray
    around: list[sparse.csr_array]

    @classmethod
    def of(cls, K: Complex) -> _Edges:
        ends = K.cells[1].as_array(2) if K.max_rank else np.empty((0, 2), dtype=np.int64)
        given = K.weights[1] if K.max_rank else None
        weights = np.ones(len(ends)) if given is None else np.array(given)
        upper = cells_around_edges(K)
        return cls(K.n_vertices, ends, weights, [(A > 0).astype(float) for A in upper])

    def tables(self) -> list[sparse.csr_array]:
        """(edges x cells) by rank from 1 up; an edge is a cell that holds itself."""
        return [sparse.csr_array(sparse.eye_array(len(self.ends))), *self.around]

    def largest(self, kept: BoolArray) -> IntArray:
        """Return the size of the largest cell of kept edges that holds each edge."""
        size = np.full(len(self.ends), 2)
        gone = (~kept).astype(float)
        for s, held in enumerate(self.around, start=3):
            whole = (held.T @ gone) == 0
            size[(held @ whole.astype(float)) > 0] = s
        return size

    def parts(self, kept: BoolArray, bounds: Sequence[int]) -> Parts:
        """Return the adjacencies of the kept edges, by the size of the largest cell around them."""
        group = np.searchsorted(bounds, self.largest(kept), side="right")
        return [self._adjacency(kept & (group == g)) for g in range(len(bounds) + 1)]

    def members(self, held: sparse.csr_array) -> sparse.csc_array:
        """(vertices x cells), from (edges x cells)."""
        m = len(self.ends)
        ones = np.ones(2 * m)
        B = csr_from_entries(self.ends.T.ravel(), np.tile(np.arange(m), 2), ones, (self.n, m))
        return sparse.csc_array(((B @ held) > 0).astype(float))

    def _adjacency(self, some: BoolArray) -> sparse.csr_array:
        (i, j), w = self.ends[some].T, self.weights[some]
        return csr_from_entries(np.r_[i, j], np.r_[j, i], np.r_[w, w], (self.n, self.n))


def disjoint(held: sparse.csr_array, allowed: BoolArray, rng: np.random.Generator) -> IntArray:
    """Cells without a common edge, of those allowed, as many as fit: (edges x cells) in `held`.

    All draw lots; a cell that comes first at each of its edges is taken, its neighbours are out,
    and so on with those that are left.

    >>> held = sparse.csr_array(np.array([[1.0, 1.0], [0.0, 1.0]]))  # two cells with a common edge
    >>> len(disjoint(held, np.array([True, True]), np.random.default_rng(0)))
    1
    """
    lot = rng.permutation(held.shape[1])
    entries = held.tocoo()
    open_ = allowed[entries.col]
    edge, cell = entries.row[open_], entries.col[open_]
    taken: list[IntArray] = [np.empty(0, dtype=np.int64)]
    while len(cell):
        first = np.full(held.shape[0], len(lot))
        np.minimum.at(first, edge, lot[cell])
        beaten = np.bincount(cell, first[edge] < lot[cell], len(lot))
        chosen = np.unique(cell[beaten[cell] == 0])
        taken.append(chosen)
        used = np.zeros(held.shape[0], dtype=bool)
        used[edge[np.isin(cell, chosen)]] = True
        out = np.bincount(cell, used[edge], len(lot)) > 0
        edge, cell = edge[~out[cell]], cell[~out[cell]]
    return np.sort(np.concatenate(taken))


def _degree(members: sparse.csc_array) -> FloatArray:
    return np.asarray(members.sum(axis=1)).ravel()


def _alike(
    sizes: IntArray, degree: FloatArray, A: sparse.csr_array, rng: np.random.Generator
) -> sparse.csc_array:
    """Return random cells, the pairs among them without a common neighbour.

    An edge counts as a pair only where it has none: against all pairs it would look unlikely.
    """
    table = _random_cells(sizes, degree, rng)
    wanted = np.flatnonzero(sizes == 2)
    if not len(wanted):
        return table
    tried = _random_cells(np.full(_TRIES * len(wanted), 2), degree, rng)
    i, j = tried.indices[::2], tried.indices[1::2]
    near = sparse.csr_array(A + sparse.eye_array(len(degree)))
    lonely = np.flatnonzero(np.asarray(near[i].multiply(near[j]).sum(axis=1)).ravel() == 0)
    lonely = lonely[: len(wanted)]
    columns = [table, tried[:, lonely]]
    order = np.arange(len(sizes))
    order[wanted[: len(lonely)]] = len(sizes) + np.arange(len(lonely))
    return sparse.csc_array(sparse.hstack(columns, format="csc")[:, order])


def _random_cells(
    sizes: IntArray, degree: FloatArray, rng: np.random.Generator
) -> sparse.csc_array:
    """Return random cells of these sizes, without a vertex twice, drawn by degree."""
    members, n = [], len(degree)
    reach = np.cumsum(degree)
    for size in sizes.tolist():
        some = np.unique(np.searchsorted(reach, rng.random(2 * size) * reach[-1], side="right"))
        if len(some) < size:  # drawn one by one they are never the same
            free = np.flatnonzero(degree)
            some = rng.choice(free, size, replace=False, p=degree[free] / degree[free].sum())
        some = np.minimum(some, n - 1)  # rounding, at the very end
        members.append(rng.permutation(some)[:size])
    cells = np.repeat(np.arange(len(sizes)), sizes)
    table = csr_from_entries(np.concatenate(members), cells, np.ones(len(cells)), (n, len(sizes)))
    return sparse.csc_array(table)
