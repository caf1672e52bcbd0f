r"""What conjugate gradients need to know of K, a matrix like I plus a graph Laplacian.

P^-1, an approximate inverse off the known kernel of K - I, and there a number below the eigenvalues
of P^-1 K: the error e of a solution is known by its residual r, as

    lower e^T K e  <=  r^T P^-1 r,    least |e|^2  <=  e^T K e.
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
    BoolArray,
    Entries,
    FloatArray,
    IntArray,
    diagonal_matrix,
    row_sum,
    squared,
)

_UNIT = 2.0**-53
_CLOSE = 0.01  # with P^-1 K above this few digits are lost in single precision
_PARALLEL = 1e-8  # squared, of an angle that says nothing
_RANGE = 100.0  # the heaviest edge over the lightest, from which on heavy ones count for more


class Near(NamedTuple):
    """K, x -> P^-1 x off the kernel, numbers below P^-1 K and K there, and one above K.

    `short` is a quick way to a start where P is the diagonal, and not far from K; `group` the group
    that each vertex is in, where heavy edges tie them to groups.
    """

    K: sparse.csr_array
    solve: Solve
    lower: float
    least: float
    norm: float
    short: MixedPrecision | None
    group: IntArray | None

    @np.errstate(over="ignore", invalid="ignore")  # where numbers leave their range, v is zero
    def closest(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """The v in the span of x and y, column by column, that leaves least of x = K v.

        Every row counts with one over the diagonal of K.
        """
        beside = y - x * _ratio(column_dots(x, y), column_dots(x, x))
        beside[:, column_dots(beside, beside) <= _PARALLEL**2 * column_dots(y, y)] = 0.0  # rounding
        y = beside
        a, b, weight = times(self.K, x), times(self.K, y), 1.0 / self.K.diagonal()[:, None]
        wa, wb = weight * a, weight * b
        aa, ab, bb = column_dots(wa, a), column_dots(wa, b), column_dots(wb, b)
        ax, bx = column_dots(wa, x), column_dots(wb, x)
        area = aa * bb - ab**2
        area[~(area > _PARALLEL * aa * bb)] = 0.0  # this only says where iterations start
        along_y = _ratio(aa * bx - ab * ax, area)
        along_x = _ratio(ax - along_y * ab, aa)
        return along_x * x + along_y * y

    def start(
        self, x: FloatArray, residual: Solve, tol: FloatArray, about: FloatArray | None = None
    ) -> Refined:
        """A start for conjugate gradients, at zero or `about`; it may be good enough already."""
        v, left = np.zeros_like(x), x
        if about is not None:
            v, left = about, residual(about).astype(np.float64, copy=False)
        if self.short is None:
            return Refined(v, left, np.full(x.shape[1], np.inf), 0)
        return self.short.refine(v, left, residual, tol)

    def hides(self, x: FloatArray, v: FloatArray, most: FloatArray) -> bool:
        """Whether rounding may hide more than `most` of any column in the residual x - K v."""
        at_most = np.linalg.norm(x, axis=0) + 2.0 * self.norm * np.linalg.norm(v, axis=0)
        if (2.0 * _UNIT * at_most <= most).all():  # told without a product
            return False
        inside = np.linalg.norm(np.abs(x) + 2.0 * (abs(self.K) @ np.abs(v)), axis=0)
        return not bool((2.0 * _UNIT * inside <= most).all())


def _ratio(a: FloatArray, b: FloatArray) -> FloatArray:
    """a / b, and zero where that is no number."""
    ratio = a / np.where(b != 0.0, b, np.inf)
    return np.where(np.isfinite(ratio), ratio, 0.0)


def next_to(K: sparse.csr_array, kernel: sparse.csr_array | None) -> Near:
    """P for a diagonally dominant K, at least I, that is 1 on a known kernel of K - I.

    Its diagonal; or, where heavy edges tie vertices to groups and only light ones the groups to
    each other, a factor of the diagonal with the heavy edges: it follows the groups, which the
    diagonal would take hundreds of steps for.
    """
    diagonal, fixed = K.diagonal(), Projector(kernel)
    row = np.repeat(np.arange(len(diagonal)), np.diff(K.indptr))
    ties, group = _ties(_with_entries(K, np.where(K.indices == row, 0.0, abs(K.data))))
    P = diagonal_matrix(diagonal)
    near = _by_diagonal(1.0 / diagonal)
    if ties is not None:
        P = sparse.csr_array(P + K.multiply(ties))
        near = Direct().prepare(P)

    def solve(r: FloatArray) -> FloatArray:
        return fixed.remove_from(near(r))  # K is 1 there, and large next to it

    rest = 2.0 * diagonal - abs(P).sum(axis=1)  # of the diagonal, next to the pairs of P
    dominant = bool((rest >= -1e-9 * diagonal).all())
    floor = lower_bound(lambda x: times(K, x), solve, _start(P, rest, kernel)) if dominant else 0.0
    # K is at least I.
    lower = max(floor, 0.9 / row_sum(P))
    alone = _alone(kernel, len(rest))
    least = max(floor * float(rest[~alone].min(initial=np.inf)), 1.0)
    short = MixedPrecision(K, kernel, lower) if ties is None and lower > _CLOSE else None
    return Near(K, solve, lower, least, row_sum(K), short, group)


def _with_entries(pattern: sparse.csr_array, entries: FloatArray) -> sparse.csr_array:
    """Other entries in the places of a matrix, those that are zero left out."""
    places = pattern.indices.copy(), pattern.indptr.copy()
    matrix = sparse.csr_array((entries, *places), shape=pattern.shape)
    matrix.eliminate_zeros()
    return matrix


def _alone(kernel: sparse.csr_array | None, n: int) -> BoolArray:
    """Which cells are alone, so that the kernel holds all of their values."""
    if kernel is None:
        return np.zeros(n, dtype=bool)
    return squared(Entries.of(kernel)).sum(axis=1) > 1.0 - 1e-9


def _by_diagonal(inverse: FloatArray) -> Solve:
    return lambda r: (inverse if r.ndim == 1 else inverse[:, None]) * r


def _start(P: sparse.csr_array, rest: FloatArray, kernel: sparse.csr_array | None) -> FloatArray:
    """A random vector off the kernel that (P^-1 off the kernel)^{1/2} makes alike everywhere.

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
    """The pattern of a heaviest spanning forest and, where it can be factorized, of heavy edges.

    And the groups that these make of vertices. None where they leave no groups apart, or none are
    heavier than the others.
    """
    lightest = edges.data.min(initial=np.inf)
    heaviest = edges.data.max(initial=0.0)  # without edges nothing is heavy
    if not heaviest > _RANGE * lightest:
        return None, None
    large = edges.data > np.sqrt(lightest * heaviest)
    heavy = _with_entries(edges, np.where(large, edges.data, 0.0))
    groups, group = connected_components(heavy, directed=False)
    if groups <= 2 * connected_components(edges, directed=False)[0] + 10:
        return None, None
    forest = minimum_spanning_tree(-edges) != 0
    ties = forest + forest.T
    return sparse.csr_array(ties if expands(heavy) else ties + (heavy != 0)), group
