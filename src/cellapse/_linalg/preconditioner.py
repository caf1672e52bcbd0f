r"""Precondition K, a matrix like I plus a graph Laplacian, by its diagonal and its heavy edges.

P^-1 is an approximate inverse off the known kernel of K - I. With a number `lower` below the
eigenvalues of P^-1 K there, and `least` below those of K, the error e of a solution is known by its
residual r, as

    lower e^T K e  <=  r^T P^-1 r,    least |e|^2  <=  e^T K e.

Heavy edges aggregate vertices (Vanek, Mandel and Brezina, Algebraic multigrid by smoothed
aggregation, 1996): with Z the members of every aggregate, which only light edges tie to each other,
and D the diagonal of K_g = Z^T K Z,

    K^-1  >=  Z K_g^-1 Z^T  >=  Z (2 D^-1 - D^-1 K_g D^-1) Z^T.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from cellapse._linalg.blas import column_dots, times
from cellapse._linalg.cg import MixedPrecision, Refined, lower_bound
from cellapse._linalg.factor import Direct, Solve, expands
from cellapse._linalg.kernel import Projector
from cellapse._shared.arrays import (
    FloatArray,
    IntArray,
    csr_from_entries,
    diagonal_matrix,
    row_sum,
)

_UNIT = 2.0**-53
_SINGLE = 0.01  # with P^-1 K above this few digits are lost in single precision
_PARALLEL = 1e-8  # squared, of an angle that is rounding
_RANGE = 100.0  # the heaviest edge over the lightest, from which on heavy ones count for more


class Preconditioner(NamedTuple):
    """K, x -> P^-1 x off the kernel, and numbers below P^-1 K, below K, and above K.

    `mixed` refines in single precision where P is the diagonal and not far from K; `aggregate` is
    the number of the one that each vertex is in, where heavy edges make some.
    """

    K: sparse.csr_array
    solve: Solve
    lower: float
    least: float
    norm: float
    mixed: MixedPrecision | None
    aggregate: IntArray | None

    @np.errstate(over="ignore", invalid="ignore")  # where numbers leave their range, v is zero
    def best_in_span(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Find the v in the span of x and y, column by column, that leaves least of x = K v.

        Every row counts with one over the diagonal of K.
        """
        y, size = y - x * _ratio(column_dots(x, y), column_dots(x, x)), column_dots(y, y)
        y[:, column_dots(y, y) <= _PARALLEL**2 * size] = 0.0  # rounding
        a, b, weight = times(self.K, x), times(self.K, y), 1.0 / self.K.diagonal()[:, None]
        wa, wb = weight * a, weight * b
        aa, ab, bb = column_dots(wa, a), column_dots(wa, b), column_dots(wb, b)
        ax, bx = column_dots(wa, x), column_dots(wb, x)
        area = aa * bb - ab**2
        area[~(area > _PARALLEL * aa * bb)] = 0.0  # this is only where iterations start
        along_y = _ratio(aa * bx - ab * ax, area)
        return _ratio(ax - along_y * ab, aa) * x + along_y * y

    def refine(
        self, x: FloatArray, residual: Solve, tol: FloatArray, start: FloatArray | None = None
    ) -> Refined:
        """Begin to solve K v = x, from zero or `start`; the result may be good enough already."""
        v, left = np.zeros_like(x), x
        if start is not None:
            v, left = start, residual(start).astype(np.float64, copy=False)
        if self.mixed is None:
            return Refined(v, left, np.full(x.shape[1], np.inf), 0)
        return self.mixed.refine(v, left, residual, tol)

    def rounding_exceeds(self, most: FloatArray, x: FloatArray, v: FloatArray) -> bool:
        """Whether rounding may take more than `most` of any column of the residual x - K v."""
        at_most = np.linalg.norm(x, axis=0) + 2.0 * self.norm * np.linalg.norm(v, axis=0)
        if (2.0 * _UNIT * at_most <= most).all():  # known without a product
            return False
        inside = np.linalg.norm(np.abs(x) + 2.0 * (abs(self.K) @ np.abs(v)), axis=0)
        return not bool((2.0 * _UNIT * inside <= most).all())

    def coarse_inverse(self, weight: float) -> Solve | None:
        """Approximate `weight` K^-1 from below, for columns of float32; None without aggregates."""
        if self.aggregate is None:
            return None
        n, count = len(self.aggregate), int(self.aggregate.max(initial=-1)) + 1
        Z = csr_from_entries(np.arange(n), self.aggregate, np.ones(n), (n, count))
        between = sparse.csr_array(Z.T @ self.K @ Z)
        inverse = diagonal_matrix(1.0 / between.diagonal())
        steps = weight * sparse.csr_array(2.0 * inverse - inverse @ between @ inverse)
        up, middle, down = (M.astype(np.float32) for M in (Z, steps, sparse.csr_array(Z.T)))
        return lambda x: times(up, times(middle, times(down, x)))


def _ratio(a: FloatArray, b: FloatArray) -> FloatArray:
    """a / b, and zero where that is no number."""
    ratio = a / np.where(b != 0.0, b, np.inf)
    return np.where(np.isfinite(ratio), ratio, 0.0)


def precondition(K: sparse.csr_array, kernel: sparse.csr_array | None) -> Preconditioner:
    """Choose P for a diagonally dominant K, at least I, that is 1 on a known kernel of K - I.

    Its diagonal; or, where heavy edges make aggregates and only light ones tie these to each other,
    a factor of the diagonal with the heavy edges, as the diagonal would take hundreds of steps.
    """
    diagonal, fixed = K.diagonal(), Projector(kernel)
    row = np.repeat(np.arange(len(diagonal)), np.diff(K.indptr))
    ties, aggregate = _ties(_with_entries(K, np.where(K.indices == row, 0.0, abs(K.data))))
    P = diagonal_matrix(diagonal)
    if ties is None:
        inverse: Solve = diagonal_matrix(1.0 / diagonal).__matmul__
    else:
        P = sparse.csr_array(P + K.multiply(ties))
        inverse = Direct().prepare(P)

    def solve(r: FloatArray) -> FloatArray:
        return fixed.remove_from(inverse(r))  # K is 1 there, far from P

    bound = 0.0
    rest = 2.0 * diagonal - abs(P).sum(axis=1)  # of the diagonal, besides the pairs of P
    if (rest >= -1e-9 * diagonal).all():
        bound = lower_bound(lambda x: times(K, x), solve, _start(P, rest, kernel))
    lower = max(bound, 0.9 / row_sum(P))  # K is at least I
    off = np.ones(len(rest), dtype=bool)
    if kernel is not None:  # it holds all values of a cell that is alone
        off = np.asarray(kernel.multiply(kernel).sum(axis=1)).ravel() <= 1.0 - 1e-9
    least = max(bound * float(rest[off].min(initial=np.inf)), 1.0)
    mixed = MixedPrecision(K, kernel, lower) if ties is None and lower > _SINGLE else None
    return Preconditioner(K, solve, lower, least, row_sum(K), mixed, aggregate)


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
