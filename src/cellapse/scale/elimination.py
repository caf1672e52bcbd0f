r"""The cells above the vertices, eliminated over ranks: unfolded, and screened.

Unfolded,

    S = A - c (I - K^-1),   A = beta_1 L,   K = I + beta_1 B_1 M^-1 B_1^T,   c = gamma_0^2 / beta_1,

with the masses M of `cellapse.Unfolded`, one for each edge. K is a graph Laplacian with other
weights, plus one, so that what preconditions A does so for K. K >= I: the residual of K v = x is a
bound of the error of v. It is taken from differences along the edges: the diagonal of K would round
them.

Screened, S = beta_1 B_1 diag(f) B_1^T is a sparse matrix, f the share that an edge keeps.

The numbers at edges are those of `cellapse._collapse.edges`, whose `Cofaces` exchange here what
other ranks hold.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from cellapse._collapse.edges import Cofaces, unfolded_mass
from cellapse._collapse.realizations import Realization
from cellapse._collapse.weights import Weights
from cellapse._errors import ConvergenceError, InputError, SizeError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.scale.blocks import conjugate_gradients, norms, random_block
from cellapse.scale.complexes import DistributedComplex
from cellapse.scale.exchange import Relation
from cellapse.scale.libraries import MPI, PETSc
from cellapse.scale.multigrid import Diagonal, Multigrid, Product

_AIM = 2e-15  # error of K^-1 x relative to x, where more is not asked for
_ROUNDS = 12
_FEW = 24  # steps that cost less than ten or so cycles of multigrid
_COLUMNS = 10_000  # beyond, one product for each vertex takes too long
_BLOCK = 64


class UnfoldedElimination:
    """Products with S, by conjugate gradients on K.

    Attributes
    ----------
    A : PETSc matrix
    drop : float
        S >= A - drop.
    inner, solves : int
        Steps of conjugate gradients so far, and right-hand sides.
    """

    matrix = None  # S has too many entries

    def __init__(self, D: DistributedComplex, weights: Weights) -> None:
        if not weights.definite:
            raise InputError(
                "gamma beyond its bound, by Unchecked(...), is not distributed: K may be "
                'indefinite; pass gamma="bound", or use cellapse.collapse on one machine'
            )
        if weights.eps == 0.0:
            raise InputError(
                "eps=0, the limit of the pseudo-inverse, is not distributed; give a positive eps, "
                "or use cellapse.collapse on one machine"
            )
        self._edges, self._comm = D.edges, D.comm
        self.scale = beta = float(weights.beta[0])
        self.c = self.drop = float(weights.gamma[0] ** 2 / beta) if beta > 0 else 0.0
        self.A = D.laplacian(beta * D.edges.weights)
        self._flow = beta * D.edges.weights / edge_masses(D, weights)
        K = D.laplacian(self._flow, 1.0)
        self._times_A, self._times_K = Product(self.A), Product(K)
        self._near_inverse = self._preconditioner(K)
        self.inner = self.solves = 0

    def _by_matrix(self, X: FloatArray, _: IntArray) -> FloatArray:
        """K X by its matrix."""
        return self._times_K(X)

    def _preconditioner(self, K: Any) -> Multigrid | Diagonal:
        """Return the diagonal where that takes few steps, otherwise multigrid.

        K is one plus a Laplacian; but edges in few cells have masses of about eps and hold their
        ends together, and chains of them are hard for the diagonal on any graph.
        """
        diagonal = Diagonal(K)
        x = random_block(self._edges.vertices, 1, seed=5)
        goal = 1e-6 * norms(self._comm, x)
        taken = conjugate_gradients(self._comm, self._by_matrix, x, diagonal, goal, _FEW)[1]
        return diagonal if taken < _FEW else Multigrid(K)

    @cached_property
    def norm(self) -> float:
        return float(self.A.norm(PETSc.NormType.INFINITY))

    def apply_uncollapsed(self, X: FloatArray, error: float = 0.0) -> FloatArray:
        """Return A X."""
        return self._times_A(X)

    def apply(self, X: FloatArray, error: float = 0.0) -> FloatArray:
        """S X, within an absolute error where one is allowed."""
        Y = self._times_A(X)
        if self.c > 0.0:
            Y -= self.c * (X - self._inverse(X, error / self.c))
        return Y

    def _inverse(self, X: FloatArray, error: float) -> FloatArray:
        """K^-1 X: conjugate gradients until the true residual, or the correction, is small."""
        comm = self._comm
        goal = np.maximum(error, _AIM * norms(comm, X))
        V = np.zeros_like(X, order="F")
        R = np.array(X, order="F")
        self.solves += X.shape[1]
        for _ in range(_ROUNDS):
            left = norms(comm, R)
            step, taken = conjugate_gradients(
                comm, self._by_matrix, R, self._near_inverse, np.maximum(0.5 * goal, 1e-10 * left)
            )
            self.inner += taken * X.shape[1]
            V += step
            R = X - V - self._flowing(V)
            small = norms(comm, R) <= goal
            if (small | (norms(comm, step) <= goal)).all():
                return V
        raise ConvergenceError(
            f"K^-1 x has a residual of {float(norms(comm, R).max()):.1e}, short of "
            f"{float(goal.min()):.1e}; give a larger eps"
        )

    def _flowing(self, V: FloatArray) -> FloatArray:
        """(K - I) V, from differences along the edges."""
        Y = np.empty_like(V, order="F")
        for j in range(V.shape[1]):
            at_tail, at_head = self._edges.at_ends(V[:, j])
            flow = self._flow * (at_tail - at_head)
            Y[:, j] = self._edges.add_at_ends(flow, -flow)
        return Y

    def diagonal(self) -> FloatArray:
        """Return the diagonal of S, by one product for each vertex."""
        vertices = self._edges.vertices
        if vertices.total > _COLUMNS:
            raise SizeError(
                f"the diagonal takes {vertices.total:,} products; that of A is close to it "
                '(mass="degree"), and "renormalized" is a sparse matrix'
            )
        diagonal = np.empty(vertices.count)
        for first in range(0, vertices.total, _BLOCK):
            wanted = np.arange(first, min(first + _BLOCK, vertices.total))
            here = (wanted >= vertices.low) & (wanted < vertices.high)
            E = np.zeros((vertices.count, len(wanted)), order="F")
            rows, columns = wanted[here] - vertices.low, np.flatnonzero(here)
            E[rows, columns] = 1.0
            diagonal[rows] = self.apply(E)[rows, columns]
        return diagonal


def unfolded_sigmas(D: DistributedComplex, smallest: float) -> FloatArray:
    """sigma_min+ of the unfolded B_1..B_K, given the smallest positive eigenvalue of L."""
    counts = [] if D.max_rank == 1 else [D.upper.support]
    if D.max_rank == 3:
        counts.append(_counts(D.upper.chain()[1]))
    least = [D.comm.allreduce(float(d[d > 0].min(initial=np.inf)), MPI.MIN) for d in counts]
    return np.sqrt(np.array([smallest, *least]))


def edge_masses(D: DistributedComplex, weights: Weights) -> FloatArray:
    """Return the mass m_1 of every edge held here.

    By the formula of `Masses` for each rank of cells. Above the top rank all masses are
    eps, so that only the number of cells around each edge is needed, and those cells are not held.
    """
    beta, gamma, eps = weights.beta, weights.gamma, weights.eps
    if D.max_rank == 1:
        return np.full(D.edges.count, eps)
    d = D.upper.support
    if D.max_rank == 2:
        return unfolded_mass(d, d / eps, float(beta[1]), gamma[1], eps)
    to_edges, to_triangles = D.upper.chain()
    above = _counts(to_triangles)
    mass = unfolded_mass(above, above / eps, float(beta[2]), gamma[2], eps)
    g = to_edges.add_up((1.0 / mass)[to_edges.cell])
    return unfolded_mass(d, g, float(beta[1]), gamma[1], eps)


def _counts(relation: Any) -> FloatArray:
    return relation.add_up(np.ones(len(relation.cell)))


class ScreenedElimination:
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

    apply_uncollapsed = apply  # S is its own matrix

    def diagonal(self) -> FloatArray:
        """Return the diagonal of S."""
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
        """Return the value of its edge, for each pair."""
        edges: FloatArray = self._relation.from_elements(values)
        return edges

    def add_up(self, values: FloatArray) -> FloatArray:
        """Return the sum over the pairs of each edge held here."""
        return self._relation.add_up(values)


def cofaces(D: DistributedComplex) -> list[DistributedCofaces]:
    """Return the cells around edges, by rank from 2 up."""
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
