r"""The screened collapse over ranks: S = beta_1 B_1 diag(f) B_1^T, f the share that an edge keeps.

    f = 1 - theta^2 / (1 + eps + sum_k beta_k d_k),

as in `cellapse.Screened`; with rounds, a cell counts as much as its other edges are supported.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from cellapse._collapse.weights import Weights
from cellapse._shared.arrays import FloatArray
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

    def __init__(self, D: DistributedComplex, weights: Weights, rounds: int) -> None:
        self.shares = shares(D, weights, rounds)
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


def shares(D: DistributedComplex, weights: Weights, rounds: int) -> FloatArray:
    """The share of its weight that every edge held here keeps."""
    theta, eps = float(weights.gamma[0]), weights.eps
    ranks = range(2, D.max_rank + 1)
    share: FloatArray = np.ones(D.edges.count)
    if not rounds:
        counts = [_number(D, k) for k in ranks]
        support = sum((b * d for b, d in zip(weights.beta[1:], counts, strict=True)), 0.0 * share)
        return 1.0 - theta**2 / (1.0 + eps + support)
    around = [cells_around(D, k) for k in ranks]
    for _ in range(rounds):
        degree = D.edges.add_at_ends(share, share)
        at_tail, at_head = D.edges.at_ends(np.log(np.maximum(degree, 1e-300)))
        terms = zip(weights.beta[1:], around, strict=True)
        support = sum((b * mean_support(r, w, share) for b, (r, w) in terms), 0.0 * share)
        share = 1.0 - theta**2 / (1.0 + eps + support * np.exp(-0.5 * (at_tail + at_head)))
    return share


def mean_support(relation: Relation, weight: FloatArray, share: FloatArray) -> FloatArray:
    """Sum over the cells around an edge of the squared geometric mean of its other edges' shares.

    In a triangle this is the product of the two other shares.
    """
    log_share = relation.from_elements(np.log(np.maximum(share, 1e-300)))
    others = relation.per_cell(log_share)[relation.cell] - log_share
    size = relation.per_cell(np.ones(len(relation.cell)))[relation.cell]
    value = weight[relation.cell] * np.exp(2.0 * others / np.maximum(size - 1, 1))
    return relation.add_up(value)


def cells_around(D: DistributedComplex, rank: int) -> tuple[Relation, FloatArray]:
    """From the cells of a rank to their edges, and the weights of the cells held here."""
    relation = D.upper.around(rank)
    weight = D.upper.weight
    return relation, np.ones(relation.n_cells) if weight is None else weight


def _number(D: DistributedComplex, rank: int) -> FloatArray:
    """The weight of the cells of a rank around each edge held here."""
    if rank == 2:
        return D.upper.support
    relation, weight = cells_around(D, rank)
    return relation.add_up(weight[relation.cell])
