r"""The screened collapse over ranks: S = beta_1 B_1 diag(f) B_1^T, f the share that an edge keeps.

    f = 1 - theta^2 / (1 + eps + sum_k beta_k d_k),

as in `cellapse.Screened`, whose formulas these are; only the values of edges and vertices that
other ranks hold are exchanged here.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from cellapse._collapse.edges import Cofaces
from cellapse._collapse.realizations import Realization
from cellapse._collapse.weights import Weights
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.scale.complexes import DistributedComplex
from cellapse.scale.libraries import PETSc
from cellapse.scale.multigrid import Product
from cellapse.scale.routes import Relation


class Shares:
    """S as a sparse matrix.

    Attributes
    ----------
    A : PETSc matrix
        S itself, for what is looked for near A.
    shares : array
        Of every edge held here.
    """

    drop, scale = 0.0, 1.0
    inner = solves = 0

    def __init__(self, D: DistributedComplex, realization: Realization, weights: Weights) -> None:
        numbers = (weights.beta, weights.gamma, weights.eps)
        self.shares = realization.edge_numbers(cofaces(D), DistributedEnds(D), *numbers)
        self.A = self.matrix = D.laplacian(float(weights.beta[0]) * D.edges.weights * self.shares)
        self._product = Product(self.matrix)

    @cached_property
    def norm(self) -> float:
        return float(self.A.norm(PETSc.NormType.INFINITY))

    def apply(self, X: FloatArray, error: float = 0.0) -> FloatArray:
        """S X."""
        return self._product(X)

    plain = apply  # S is its own matrix

    def diagonal(self) -> FloatArray:
        """The diagonal of S."""
        return self.matrix.getDiagonal().getArray().copy()


class DistributedCofaces(Cofaces):
    """The cells of a rank that are held here, around edges that any rank of processes may hold.

    They are made when asked for: the weight around edges is known without.
    """

    def __init__(self, D: DistributedComplex, rank: int) -> None:
        self._D, self._rank = D, rank

    @cached_property
    def _relation(self) -> Relation:
        return self._D.upper.around(self._rank)

    @cached_property
    def cell(self) -> IntArray:
        return self._relation.cell

    @cached_property
    def weight(self) -> FloatArray:
        weight = self._D.upper.weight
        return np.ones(len(self.cell)) if weight is None else weight[self.cell]

    @cached_property
    def shape(self) -> tuple[int, int]:
        return self._D.edges.count, self._relation.n_cells

    @cached_property
    def degree(self) -> FloatArray:
        if self._rank == 2:
            return self._D.upper.support
        return self.add_up(self.weight)

    def from_lower(self, values: FloatArray) -> FloatArray:
        """The value of its edge, for each pair."""
        edges: FloatArray = self._relation.from_elements(values)
        return edges

    def add_up(self, values: FloatArray) -> FloatArray:
        """The sum over the pairs of each edge held here."""
        return self._relation.add_up(values)


def cofaces(D: DistributedComplex) -> list[DistributedCofaces]:
    """The cells around edges, by rank from 2 up."""
    return [DistributedCofaces(D, rank) for rank in range(2, D.max_rank + 1)]


class DistributedEnds(Cofaces):
    """The edges held here around vertices that any rank may hold; `lower` is the edges."""

    def __init__(self, D: DistributedComplex) -> None:
        n_edges = D.edges.count
        shape = (D.edges.vertices.count, n_edges)
        super().__init__(D.edges, np.arange(n_edges), np.ones(n_edges), shape)

    def down(self, values: FloatArray) -> FloatArray:
        sums: FloatArray = self.lower.add_at_ends(values, values)
        return sums

    def up(self, values: FloatArray) -> FloatArray:
        at_tail, at_head = self.lower.at_ends(values)
        both: FloatArray = at_tail + at_head
        return both
