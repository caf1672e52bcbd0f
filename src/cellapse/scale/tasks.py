"""Clusters, coordinates of the vertices and the trust in edges, over ranks.

k-means starts from a sample of the rows that one rank can hold, as on one machine where that is all
of them, and goes on over all ranks until no vertex changes its cluster. The trust in an edge is
s / (1 + s), with s its support by cells, as in `cellapse.edge_trust`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cellapse._collapse.edges import Cofaces
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import whole_number
from cellapse.scale.blocks import fix_signs, orthonormal
from cellapse.scale.collapsed import DistributedOperator
from cellapse.scale.complexes import DistributedComplex
from cellapse.scale.eigensolve import DistributedSpectrum
from cellapse.scale.elimination import cofaces
from cellapse.scale.libraries import MPI
from cellapse.tasks._kmeans import kmeans_centres, nearest
from cellapse.tasks._trust_by_cells import Degrees, TrustRounds, weighted
from cellapse.tasks.clustering import unit_rows

_SAMPLE = 20_000  # rows for the starts of k-means
_ROUNDS = 300
_MANY = 10_000  # beyond, the diagonal of S takes too many products where S is no sparse matrix


def cluster(S: DistributedOperator, n_clusters: int, *, rng: int = 0) -> IntArray:
    """Return the cluster of each vertex held here, by the normalized cut, as `cellapse.cluster`.

    Parameters
    ----------
    S : DistributedOperator
    n_clusters : int
        At least as many as there are components.
    rng : int
        Seed of the starts of k-means.
    """
    n = S.complex.n_vertices
    n_clusters = whole_number("n_clusters", n_clusters, 1, max(n, 1))
    if S.complex.n_components > n_clusters:
        raise InputError(
            f"{S.complex.n_components} components for {n_clusters} clusters: putting whole "
            "components together is not distributed; ask for at least as many clusters, or keep "
            "the vertices of the largest component only"
        )
    mass = _masses(S)
    spectrum = S.spectrum(n_clusters, mass)
    rows = unit_rows(np.sqrt(mass)[:, None] * spectrum.vectors)
    return _kmeans(S, rows, n_clusters, rng)


def embed(S: DistributedOperator, k: int) -> tuple[FloatArray, DistributedSpectrum]:
    """Return the first k eigenvectors after the constant, and the spectrum they are from.

    Of S u = lambda D u, with D as for `cluster`: the diagonal of S, or of A where that is no sparse
    matrix. With several components the first columns, of eigenvalue 0, say which one a vertex is
    in.
    """
    k = whole_number("k", k, 1, max(S.complex.n_vertices - 1, 1))
    mass = _masses(S)
    spectrum = S.spectrum(k + 1, mass)
    zeros = min(spectrum.n_zeros, k + 1)
    if zeros == 1:
        return spectrum.vectors[:, 1:], spectrum
    inside, D = spectrum.vectors[:, :zeros], mass[:, None]
    mean = S.comm.allreduce((D * inside).sum(axis=0)) / S.comm.allreduce(mass.sum())
    between = orthonormal(S.comm, np.sqrt(D) * (inside - mean)) / np.sqrt(D)
    between = between[:, : zeros - 1 if zeros < k + 1 else k]
    columns = np.hstack([between, spectrum.vectors[:, zeros:]])[:, :k]
    return fix_signs(S.complex.vertices, columns), spectrum


def _masses(S: DistributedOperator) -> FloatArray:
    """Return the masses of a cut on this rank, as `mass="auto"` on one machine."""
    cheap = S.is_sparse or S.complex.n_vertices <= _MANY
    return np.asarray(S.masses("diagonal" if cheap else "degree"))


def _kmeans(S: DistributedOperator, rows: FloatArray, k: int, seed: int) -> IntArray:
    """Lloyd's iteration over ranks, from the best of ten starts on a sample."""
    comm, vertices = S.comm, S.complex.vertices
    step = -(-vertices.total // _SAMPLE)
    mine = rows[-vertices.low % step :: step]
    sample = comm.gather(np.ascontiguousarray(mine))
    centres: Any = None
    if comm.rank == 0:
        centres = kmeans_centres(np.concatenate(sample), k, np.random.default_rng(seed))
    centres = comm.bcast(centres)
    numbers = np.full(len(rows), -1)
    for _ in range(_ROUNDS):
        near, _ = nearest(rows, centres)
        if not comm.allreduce(int((near != numbers).sum())):
            break
        numbers = near
        total, count = np.zeros_like(centres), np.bincount(near, minlength=k).astype(np.float64)
        np.add.at(total, near, rows)
        comm.Allreduce(MPI.IN_PLACE, total)
        comm.Allreduce(MPI.IN_PLACE, count)
        filled = count > 0
        centres = np.where(filled[:, None], total / np.where(filled, count, 1.0)[:, None], centres)
    return _in_order(comm, S.complex.numbering.given_here, vertices.total, numbers, k)


def _in_order(comm: Any, here: IntArray, n: int, numbers: IntArray, k: int) -> IntArray:
    """Numbered in the order in which the vertices meet them."""
    first = np.full(k, n)
    np.minimum.at(first, numbers, here)
    comm.Allreduce(MPI.IN_PLACE, first, MPI.MIN)
    return np.argsort(np.argsort(first, kind="stable"))[numbers]


@dataclass(frozen=True, eq=False)
class DistributedTrust:
    """A number from 0 to 1 for every edge held here.

    Attributes
    ----------
    complex : DistributedComplex
    values : (m,) array
        0 where no cell holds the edge.
    shares : (m,) array
        The share of its weight that the edge keeps.
    n_cells : (m,) array of int
        How many cells above rank 1 hold the edge.
    """

    complex: DistributedComplex = field(repr=False)
    values: FloatArray = field(repr=False)
    shares: FloatArray = field(repr=False)
    n_cells: IntArray = field(repr=False)

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def held(self) -> float:
        """The share of all edges that some cell holds: for the others there is nothing to go by."""
        inside = self.complex.comm.allreduce(int((self.n_cells > 0).sum()))
        return inside / max(self.complex.edges.ranges.total, 1)

    def columns(self) -> dict[str, Any]:
        """Return a row per edge held here: labels of its ends, trust, cells, share."""
        D = self.complex
        one, other = (D.numbering.given(end) for end in (D.edges.tail, D.edges.head))
        first, second = np.minimum(one, other), np.maximum(one, other)
        ends = {"source": D.names(first), "target": D.names(second)}
        return {**ends, "trust": self.values, "cells": self.n_cells, "share": self.shares}


def edge_trust(D: DistributedComplex) -> DistributedTrust:
    """Return how far every edge held here can be trusted, by the cells that hold it.

    The numbers are those of `cellapse.edge_trust` on one machine.

    Parameters
    ----------
    D : DistributedComplex

    Returns
    -------
    DistributedTrust
    """
    if not isinstance(D, DistributedComplex):
        raise InputError(
            f"a {type(D).__name__} was given; make a DistributedComplex with from_edges or "
            "from_hyperedges, or use cellapse.edge_trust on one machine"
        )
    around: list[Cofaces] = [*cofaces(D)]
    weights = _unequal(D)
    degrees = Degrees.of(
        weights, lambda values: D.edges.at_ends(D.edges.add_at_ends(values, values)), D.edges.count
    )
    held = around
    if weights is not None:
        held = [weighted(c, weights) for c in around]
    support, share = TrustRounds.of(held, degrees).forwards(np.ones(D.edges.count))
    cells = sum((c.add_up(np.ones(len(c.cell))) for c in around), np.zeros(len(share)))
    values = np.where(cells > 0, support / (1.0 + support), 0.0)
    return DistributedTrust(D, values, share, cells.astype(np.int64))


def _unequal(D: DistributedComplex) -> FloatArray | None:
    """Return the weights of the edges held here, unless those of all ranks are equal."""
    if D.edges.weight is None:
        return None
    held = D.edges.weight
    ends = D.comm.allgather((held.min(initial=np.inf), held.max(initial=-np.inf)))
    low, high = (f(column) for f, column in zip((min, max), zip(*ends, strict=True), strict=True))
    return held if low < high else None
