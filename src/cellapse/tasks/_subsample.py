"""A complex without some of its cells: without given edges, thinned at random, or shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._matrices.matrices import cells_around_edges
from cellapse._operators.hyperedges import Hyperedges, is_hypergraph
from cellapse._shared.arrays import BoolArray, IntArray, csr_from_entries


def without_edges(K: Complex, dropped: BoolArray) -> Complex:
    """Return the complex without some edges, and without the cells above that hold one of them."""
    if not dropped.any():
        return K
    kept = [np.arange(K.n_cells[0]), np.flatnonzero(~dropped)]
    for around in cells_around_edges(K):
        kept.append(np.flatnonzero(np.asarray(around.T @ dropped.astype(float)).ravel() == 0))
    return _only(K, kept)


def thinned(K: Complex, share: float, rng: np.random.Generator) -> Complex:
    """The complex without a share of its edges, drawn at random, and the cells that hold them.

    Of a hypergraph a share of the larger cells goes instead, with what they gave to the weights of
    edges and the edges that no other cell holds, and the same share of the edges in none.
    """
    lost = [rng.random(n) < share for n in K.n_cells[1:]]
    if not is_hypergraph(K):
        return without_edges(K, lost[0]) if lost else K
    around = cells_around_edges(K)
    before = sum(np.diff(A.indptr) for A in around)
    after = sum(np.diff(A[:, ~gone].indptr) for A, gone in zip(around, lost[1:], strict=True))
    lost[0] = np.where(before > 0, after == 0, lost[0])
    if K.weights[1] is not None:  # an edge weighs as much as all hyperedges around it
        given = sum(A @ gone for A, gone in zip(around, lost[1:], strict=True))
        weights = K.weights[1] - given
        lost[0] |= weights <= 1e-12 * K.weights[1]
        weights[lost[0]] = 1.0  # these edges go
        K = replace(K, weights=(K.weights[0], weights, *K.weights[2:]))
    return _only(K, [np.arange(K.n_vertices), *(np.flatnonzero(~gone) for gone in lost)])


def shuffled(K: Complex, rng: np.random.Generator) -> sparse.csr_array:
    """Return the adjacency of a random network with nearly the same degrees and sizes of cells.

    The ends of all edges (of a hypergraph, the members of all hyperedges) are dealt out anew; an
    edge that would join a vertex to itself is left out.
    """
    n = K.n_vertices
    if not is_hypergraph(K):
        ends = rng.permutation(K.cells[1].as_array(2).ravel())
        i, j = ends[::2], ends[1::2]
        weights = np.ones(len(i)) if K.weights[1] is None else K.weights[1]
        some = i != j
        i, j, weights = i[some], j[some], weights[some]
        return csr_from_entries(np.r_[i, j], np.r_[j, i], np.r_[weights, weights], (n, n))
    hyper = Hyperedges.of(K)
    table = sparse.csc_array(
        (hyper.table.data, rng.permutation(hyper.table.indices), hyper.table.indptr),
        shape=hyper.table.shape,
    )
    return replace(hyper, table=table).projection(np.arange(hyper.count))


def _only(K: Complex, kept: Sequence[IntArray]) -> Complex:
    return replace(
        K,
        cells=tuple(c.take(at) for c, at in zip(K.cells, kept, strict=True)),
        weights=tuple(None if w is None else w[at] for w, at in zip(K.weights, kept, strict=True)),
        attributes=tuple(
            {name: column[at] for name, column in columns.items()}
            for columns, at in zip(K.attributes, kept, strict=True)
        ),
    )
