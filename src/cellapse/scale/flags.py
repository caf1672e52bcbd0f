r"""The unfolded collapse over ranks.

    S = A - c (I - K^-1),   A = beta_1 L,   K = I + beta_1 B_1 M^-1 B_1^T,   c = gamma_0^2 / beta_1,

with the masses M of `cellapse.Unfolded`, one for each edge. K is a graph Laplacian with other
weights, plus one, so that what preconditions A does so for K. K >= I: the residual of K v = x is a
bound of the error of v. It is taken from differences along the edges: the diagonal of K would round
them.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from cellapse._collapse.edges import unfolded_mass
from cellapse._collapse.weights import Weights
from cellapse._errors import ConvergenceError, InputError, SizeError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.scale.blocks import conjugate_gradients, norms, random_block
from cellapse.scale.complexes import DistributedComplex
from cellapse.scale.libraries import MPI, PETSc
from cellapse.scale.multigrid import Diagonal, Multigrid, Product

_AIM = 2e-15  # error of K^-1 x relative to x, where more is not asked for
_ROUNDS = 12
_FEW = 24  # steps that cost less than ten or so cycles of multigrid
_COLUMNS = 10_000  # beyond, one product for each vertex takes too long
_BLOCK = 64


class Flags:
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
        self._plain, self._times = Product(self.A), Product(K)
        self._near = self._preconditioner(K)
        self.inner = self.solves = 0

    def _near_product(self, X: FloatArray, _: IntArray) -> FloatArray:
        """K X by its matrix."""
        return self._times(X)

    def _preconditioner(self, K: Any) -> Multigrid | Diagonal:
        """The diagonal where that takes few steps, otherwise multigrid.

        K is one plus a Laplacian; but edges in few cells have masses next to eps and hold their
        ends together, and chains of them are hard for the diagonal on any graph.
        """
        diagonal = Diagonal(K)
        x = random_block(self._edges.vertices, 1, seed=5)
        goal = 1e-6 * norms(self._comm, x)
        taken = conjugate_gradients(self._comm, self._near_product, x, diagonal, goal, _FEW)[1]
        return diagonal if taken < _FEW else Multigrid(K)

    @cached_property
    def norm(self) -> float:
        return float(self.A.norm(PETSc.NormType.INFINITY))

    def plain(self, X: FloatArray, error: float = 0.0) -> FloatArray:
        """A X."""
        return self._plain(X)

    def apply(self, X: FloatArray, error: float = 0.0) -> FloatArray:
        """S X, within an absolute error where one is allowed."""
        Y = self._plain(X)
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
                comm, self._near_product, R, self._near, np.maximum(0.5 * goal, 1e-10 * left)
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
        """The diagonal of S, by one product for each vertex."""
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


def flag_sigmas(D: DistributedComplex, lowest: float) -> FloatArray:
    """sigma_min+ of B_1, given the smallest eigenvalue off the kernel, and of the flags above."""
    counts = [] if D.max_rank == 1 else [D.upper.support]
    if D.max_rank == 3:
        counts.append(_counts(D.upper.chain()[1]))
    least = [D.comm.allreduce(float(d[d > 0].min(initial=np.inf)), MPI.MIN) for d in counts]
    return np.sqrt(np.array([lowest, *least]))


def edge_masses(D: DistributedComplex, weights: Weights) -> FloatArray:
    """The mass m_1 of every edge held here."""
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
