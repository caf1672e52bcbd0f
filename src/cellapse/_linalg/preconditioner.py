r"""Precondition K, a matrix like I plus a graph Laplacian, by its diagonal and its heavy edges.

With numbers `lower` below the eigenvalues of P^-1 K and `least` below those of K, the residual r of
a solution bounds its error e, as

    lower e^T K e  <=  r^T P^-1 r,    least |e|^2  <=  e^T K e.

Heavy edges aggregate vertices (Vanek, Mandel and Brezina, Algebraic multigrid by smoothed
aggregation, 1996): with Z the members of every aggregate, which only light edges tie to each other,
and D the diagonal of K_g = Z^T K Z,

    K^-1  >=  Z K_g^-1 Z^T  >=  Z (2 D^-1 - D^-1 K_g D^-1) Z^T.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from cellapse._linalg.blas import times
from cellapse._linalg.cg import MixedPrecision, System, conjugate_gradients, lower_bound
from cellapse._linalg.factor import Direct, Solve, expands
from cellapse._linalg.kernel import Projector
from cellapse._shared.arrays import (
    ROUNDOFF,
    FloatArray,
    IntArray,
    csr_from_entries,
    diagonal_matrix,
    row_sum,
)

_SINGLE = 0.01  # with P^-1 K above this few digits are lost in single precision
_RANGE = 100.0  # the heaviest edge over the lightest, from which on heavy ones count for more


class Preconditioner(System):
    """P for a diagonally dominant K, at least I, that is 1 on a known kernel of K - I.

    The diagonal of K; or, where heavy edges make aggregates and only light ones tie these to each
    other, a factor of the diagonal with the heavy edges, as the diagonal would take hundreds of
    steps.

    Attributes
    ----------
    lower, least : float
        Below the eigenvalues of P^-1 K off the kernel, and below those of K.
    mixed : MixedPrecision or None
        Refines in single precision, if P is the diagonal and not far from K.
    aggregate : array or None
        The number of the aggregate that each vertex is in.
    """

    def __init__(self, K: sparse.csr_array, kernel: sparse.csr_array | None) -> None:
        super().__init__(K)
        self._products, self._norm = 0, row_sum(K)
        diagonal, self._fixed = K.diagonal(), Projector(kernel)
        row = np.repeat(np.arange(len(diagonal)), np.diff(K.indptr))
        edges = _with_entries(K, np.where(K.indices == row, 0.0, abs(K.data)))
        self.aggregate: IntArray | None
        ties, self.aggregate = _ties(edges)
        P = diagonal_matrix(diagonal)
        self._inverse: Solve = diagonal_matrix(1.0 / diagonal).__matmul__
        if ties is not None:
            P = sparse.csr_array(P + K.multiply(ties))
            self._inverse = Direct().prepare(P)
        bound = 0.0
        rest = 2.0 * diagonal - abs(P).sum(axis=1)  # of the diagonal, besides the pairs of P
        if (rest >= -1e-9 * diagonal).all():
            bound = lower_bound(self, _start(P, rest, kernel))
        self.lower = max(bound, 0.9 / row_sum(P))  # K is at least I
        off = np.ones(len(rest), dtype=bool)
        if kernel is not None:  # it holds all values of a cell that is alone
            off = np.asarray(kernel.multiply(kernel).sum(axis=1)).ravel() <= 1.0 - 1e-9
        self.least = max(bound * float(rest[off].min(initial=np.inf)), 1.0)
        suits = ties is None and self.lower > _SINGLE
        self.mixed = MixedPrecision(K, kernel, self.lower) if suits else None

    @property
    def products(self) -> int:
        """Products of K with one column so far."""
        return self._products + (0 if self.mixed is None else self.mixed.products)

    def apply(self, x: FloatArray) -> FloatArray:
        self._products += x.shape[1]
        return times(self.matrix, x)

    def precondition(self, r: FloatArray) -> FloatArray:
        return self._fixed.remove_from(self._inverse(r))  # K is 1 there, far from P

    def solve(
        self, system: System, x: FloatArray, tol: FloatArray, maxiter: int
    ) -> tuple[FloatArray, FloatArray]:
        """Solve K v = x off the kernel within `tol` in the energy norm, and bound the error.

        `system` is K with P as here, and with residuals of its own.
        """
        start = None
        if self.mixed is not None:
            start, energy = self.mixed.refine(system, x, tol)
            if (energy <= tol).all():
                return start, energy
        return conjugate_gradients(system, x, tol, self.lower, maxiter, start=start)

    def rounding_exceeds(self, most: FloatArray, x: FloatArray, v: FloatArray) -> bool:
        """Return whether rounding may take over `most` of any column of the residual x - K v."""
        at_most = np.linalg.norm(x, axis=0) + 2.0 * self._norm * np.linalg.norm(v, axis=0)
        if (2.0 * ROUNDOFF * at_most <= most).all():  # known without a product
            return False
        inside = np.linalg.norm(np.abs(x) + 2.0 * (abs(self.matrix) @ np.abs(v)), axis=0)
        return not bool((2.0 * ROUNDOFF * inside <= most).all())

    def coarse_inverse(self, weight: float) -> Solve | None:
        """Approximate `weight` K^-1 from below, for columns of float32; None without aggregates."""
        if self.aggregate is None:
            return None
        n, count = len(self.aggregate), int(self.aggregate.max(initial=-1)) + 1
        Z = csr_from_entries(np.arange(n), self.aggregate, np.ones(n), (n, count))
        between = sparse.csr_array(Z.T @ self.matrix @ Z)
        inverse = diagonal_matrix(1.0 / between.diagonal())
        steps = weight * sparse.csr_array(2.0 * inverse - inverse @ between @ inverse)
        up, middle, down = (M.astype(np.float32) for M in (Z, steps, sparse.csr_array(Z.T)))
        return lambda x: times(up, times(middle, times(down, x)))


def _with_entries(pattern: sparse.csr_array, entries: FloatArray) -> sparse.csr_array:
    """Put other entries in the places of a matrix, leaving out those that are zero."""
    places = pattern.indices.copy(), pattern.indptr.copy()
    matrix = sparse.csr_array((entries, *places), shape=pattern.shape)
    matrix.eliminate_zeros()
    return matrix


def _start(P: sparse.csr_array, rest: FloatArray, kernel: sparse.csr_array | None) -> FloatArray:
    """Draw a vector off the kernel that (P^-1 off the kernel)^{1/2} makes alike everywhere.

    A diagonally dominant P is a sum over its pairs and of what they leave of the diagonal; so is a
    vector with P for its covariance, of which the part along P times the kernel is taken away.
    """
    rng = np.random.default_rng(0)
    pairs = sparse.triu(P, 1, format="coo")
    drawn = np.sqrt(np.abs(pairs.data)) * rng.standard_normal(len(pairs.data))
    start = np.sqrt(np.maximum(rest, 0.0)) * rng.standard_normal(len(rest))
    start += np.bincount(pairs.row, drawn, len(rest))
    start += np.bincount(pairs.col, np.sign(pairs.data) * drawn, len(rest))
    if kernel is None:
        return start
    image = P @ kernel
    weight = np.asarray(kernel.multiply(image).sum(axis=0)).ravel()
    return start - image @ ((kernel.T @ start) / weight)


def _ties(edges: sparse.csr_array) -> tuple[sparse.csr_array, IntArray] | tuple[None, None]:
    """Find the pattern of heavy edges and of a heaviest spanning forest, and the aggregates.

    Of the forest alone where heavy edges cannot be factorized. None where no aggregates are apart,
    or no edges are heavier than the others.
    """
    lightest = edges.data.min(initial=np.inf)
    heaviest = edges.data.max(initial=0.0)  # without edges nothing is heavy
    if not heaviest > _RANGE * lightest:
        return None, None
    large = edges.data > np.sqrt(lightest * heaviest)
    heavy = _with_entries(edges, np.where(large, edges.data, 0.0))
    count, aggregate = connected_components(heavy, directed=False)
    if count <= 2 * connected_components(edges, directed=False)[0] + 10:
        return None, None
    forest = minimum_spanning_tree(-edges) != 0
    ties = forest + forest.T
    return sparse.csr_array(ties if expands(heavy) else ties + (heavy != 0)), aggregate
