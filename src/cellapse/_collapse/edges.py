r"""Numbers at edges: unfolded masses, the support of edges in rounds, and the derivatives of both.

Unfolded, all that is above the edges is diagonal. From the top rank down, per cell,

    m_K = eps,   m_k = eps + beta_{k+1} d_k - gamma_k^2 g_k / (1 + beta_{k+1} g_k),

with d_k the weight of its cofaces and g_k the sum of weight / m_{k+1} over them.

Screened, an edge keeps the share f = 1 - theta^2 / (1 + eps + s) of its weight. Its support s is
the weight of its cells; in rounds, times the squared geometric mean of the shares of the other
edges (in a triangle, their product), normalized by the degrees of the ends.

NumPy and torch each have their `Arrays`; many processes have `Cofaces` that exchange values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cellapse._collapse.completion import MassErrors
from cellapse._collapse.weights import Weights
from cellapse._shared.arrays import ROUNDOFF, Entries, FloatArray, IntArray

_TINY = 1e-300  # in place of a zero under a logarithm


class Arrays(NamedTuple):
    """What NumPy and torch call differently."""

    log: Callable[[Any], Any]
    exp: Callable[[Any], Any]
    at_least: Callable[[Any, float], Any]
    ones_like: Callable[[Any], Any]
    full: Callable[[int, Any], Any]  # a number, so many times
    add_up: Callable[[Any, Any, int], Any]  # places, values, how many places
    zero_where: Callable[[Any, Any], Any]  # of a condition and values; gradients stay


def _add_up(at: IntArray, values: FloatArray, count: int) -> FloatArray:
    return np.bincount(at, values, count).astype(np.float64, copy=False)  # integers if empty


NUMPY = Arrays(
    *(np.log, np.exp, np.maximum, np.ones_like, np.full, _add_up),
    zero_where=lambda at, values: np.where(at, 0.0, values),
)


@dataclass(frozen=True, eq=False)
class Cofaces:
    """The cells of a rank above lower ones (or vertices), as pairs with a weight."""

    lower: Any
    cell: Any
    weight: Any
    shape: tuple[int, int]
    arrays: Arrays = NUMPY

    @classmethod
    def of(cls, weights: Entries) -> Cofaces:
        """Of a (lower x cells) matrix of weights."""
        return cls(weights.rows, weights.columns, weights.values, weights.shape)

    def from_lower(self, values: Any) -> Any:
        """Take the value of its lower cell, for each pair."""
        return values[self.lower]

    def add_up(self, values: Any) -> Any:
        """Sum over the pairs of each lower cell."""
        return self.arrays.add_up(self.lower, values, self.shape[0])

    def per_cell(self, values: Any) -> Any:
        """Sum over the pairs of each cell."""
        return self.arrays.add_up(self.cell, values, self.shape[1])

    def up(self, values: Any) -> Any:
        """For each cell the sum of the values of its lower ones."""
        return self.per_cell(self.from_lower(values))

    def down(self, values: Any) -> Any:
        """For each lower cell the weighted sum of the values of its cells."""
        return self.add_up(self.weight * values[self.cell])

    @cached_property
    def degree(self) -> Any:
        """The weight around each lower cell."""
        return self.add_up(self.weight)

    @cached_property
    def others(self) -> Any:
        """How many other lower cells the cell of each pair has, at least 1."""
        size = self.per_cell(self.arrays.ones_like(self.weight))
        return self.arrays.at_least(size[self.cell] - 1.0, 1.0)

    def mean(self, share: Any) -> Any:
        """For each pair, the squared geometric mean of the shares of the other lower cells."""
        logs = self.from_lower(self.arrays.log(self.arrays.at_least(share, _TINY)))
        return self.arrays.exp(2.0 * (self.per_cell(logs)[self.cell] - logs) / self.others)


@dataclass(frozen=True, eq=False)
class Rounds:
    """The support s and the share f = 1 - theta^2 / (1 + eps + s) of every edge, in `count` rounds.

    `around` are the cells around edges, by rank from 2 up, with one beta each; `square` is theta^2.
    """

    around: Sequence[Cofaces]
    ends: Cofaces
    beta: Any
    square: Any
    eps: Any
    count: int

    def forwards(self, share: Any) -> tuple[Any, Any]:
        """Compute s and f, from ones."""
        for _ in range(max(self.count, 1)):
            support = self.support(share)
            share = 1.0 - self.square / (1.0 + self.eps + support)
        return support, share

    def support(self, share: Any) -> Any:
        """Compute s, given the shares of all edges."""
        ranks = zip(self.beta, self.around, strict=True)
        if not self.count:
            return sum((b * c.degree for b, c in ranks), 0.0 * share)
        terms = (b * c.add_up(c.weight * c.mean(share)) for b, c in ranks)
        return self.normalized(sum(terms, 0.0 * share), share)

    def normalized(self, support: Any, share: Any) -> Any:
        """Divided by (g g)^(1/2), with g the sums of shares at both ends."""
        return support * self._scale(self.ends.down(share))

    def _scale(self, degree: Any) -> Any:
        arrays = self.ends.arrays
        return arrays.exp(-0.5 * self.ends.up(arrays.log(arrays.at_least(degree, _TINY))))

    def backwards(self, h: FloatArray) -> list[FloatArray]:
        """Compute dJ/dw of all cells above the edges, where dJ/df = h for the last shares."""
        slopes = [np.zeros(c.shape[1]) for c in self.around]
        shares = [np.ones(len(h))]
        for _ in range(self.count - 1):
            shares.append(1.0 - self.square / (1.0 + self.eps + self.support(shares[-1])))
        for share in reversed(shares):
            support, degree = self.support(share), self.ends.down(share)
            inner = h * self.square / (1.0 + self.eps + support) ** 2
            scale = self._scale(degree) if self.count else np.ones(len(h))
            # Supports are divided by the roots of both degrees.
            h = self.ends.up(self.ends.down(-0.5 * inner * support) / np.maximum(degree, _TINY))
            for slope, c, b in zip(slopes, self.around, self.beta, strict=True):
                passed = c.from_lower(b * inner * scale) * c.mean(share)
                slope += c.per_cell(passed)
                logs = passed * c.weight * 2.0 / c.others
                h = h + c.add_up(c.per_cell(logs)[c.cell] - logs) / share
        return slopes


@dataclass(frozen=True, eq=False)
class Masses:
    """The masses of all cells, unfolded; `beta` and `gamma` are those above the edges.

    gamma holds one number for each rank, or an array with a number for each cell of the rank.
    """

    upper: Sequence[Cofaces]
    n_edges: int
    beta: Any
    gamma: Any
    eps: Any
    arrays: Arrays = NUMPY

    @classmethod
    def of(cls, above: Sequence[Entries], n_edges: int, weights: Weights) -> Masses:
        """Make those of the cells above edges, by matrices whose squared entries are weights."""
        upper = [Cofaces.of(B.squared) for B in above]
        return cls(upper, n_edges, weights.beta[1:], weights.gamma[1:], weights.eps)

    @cached_property
    def of_rank(self) -> list[Any]:
        """m_1, ..., m_K."""
        upper, arrays = self.upper, self.arrays
        masses = [arrays.full(upper[-1].shape[1] if upper else self.n_edges, self.eps)]
        for c, beta, gamma in reversed([*zip(upper, self.beta, self.gamma, strict=True)]):
            with np.errstate(divide="ignore"):
                g = c.down(1.0 / masses[0])
            masses.insert(0, unfolded_mass(c.degree, g, beta, gamma, self.eps, arrays))
        return masses

    def slopes(self, h: FloatArray) -> list[FloatArray]:
        """Compute dJ/dw of all cells above the edges, where dJ/dm = h for the masses of edges."""
        slopes, ranks = [], zip(self.upper, self.of_rank[1:], self.beta, self.gamma, strict=True)
        for c, mass, b, coupling in ranks:
            passed = (h * coupling**2 / (1.0 + b * c.down(1.0 / mass)) ** 2)[c.lower]
            slopes.append(c.per_cell((b * h)[c.lower] - passed / mass[c.cell]))
            h = c.per_cell(passed * c.weight) / mass**2
        return slopes

    def changes(self, own: Sequence[FloatArray]) -> list[FloatArray]:
        """Compute how the masses change, where each changes by its own and by those above it.

        y_k = own_k + gamma_k^2 sum w y_{k+1} / m_{k+1}^2 / (1 + beta_{k+1} g_k)^2.
        """
        result = [own[-1]]
        for k in reversed(range(len(self.upper))):
            b, c, cells, above = self.beta[k], self.gamma[k], self.upper[k], 0.0
            if c > 0:
                m = above_zero(self.of_rank[k + 1], result[0])
                g = cells.down(1.0 / m)
                above = cells.down(result[0] / m**2) * (c / b / (1.0 / b + g)) ** 2
            result.insert(0, own[k] + above)
        return result

    @cached_property
    def growth(self) -> list[FloatArray]:
        """How fast they grow with eps."""
        return self.changes([np.ones(len(m)) for m in self.of_rank])

    def errors(self) -> MassErrors:
        """Say how the masses of edges depend on eps, and on rounding."""
        moves = [np.zeros(len(m)) for m in self.of_rank]
        for k, (cells, b, c) in enumerate(zip(self.upper, self.beta, self.gamma, strict=True)):
            d = cells.degree
            moves[k] = np.where(_rest(d, b, c) == 0.0, 0.0, 4 * ROUNDOFF * b * d)
        return MassErrors(self.growth[0], self.changes(moves)[0])


def unfolded_mass(d: Any, g: Any, b: Any, c: Any, eps: Any, arrays: Arrays = NUMPY) -> Any:
    """Compute m = eps + b d - c^2 g / (1 + b g) per cell, also for infinite g (eps = 0)."""
    if isinstance(b, float) and b == 0.0:  # then c is zero, too
        return arrays.full(len(d), eps)
    left = 1.0 / (1.0 + b * g)
    # With what cancels taken out: at the bound b d / (1 + b g) is all of it.
    return eps + b * d * left + _rest(d, b, c, arrays) / b * (1.0 - left)


def _rest(d: Any, b: Any, c: Any, arrays: Arrays = NUMPY) -> Any:
    """Compute b^2 d - c^2; zero at the bound c = b d^{1/2}, where it is rounding."""
    rest = b**2 * d - c**2
    return arrays.zero_where(abs(rest) < 16 * ROUNDOFF * b**2 * d, rest)


def above_zero(mass: FloatArray, growth: FloatArray) -> FloatArray:
    """Replace masses of zero, at eps = 0, by those of an eps close to 0, up to a factor."""
    return np.where(mass > 0, mass, 1e-60 * np.maximum(growth, 1e-30))


def unfolded_sigmas(
    upper: Sequence[Entries], owners: Sequence[IntArray] | None = None, count: int = 1
) -> FloatArray:
    """Find sigma_min+ of the unfolded B_2..B_K without unfolding them, a row for each owner.

    B_k of flags has orthogonal rows of squared length d(cell), over the cells that flags reach.
    `owners` say which of `count` complexes the rows of each matrix belong to; one, by default.
    """
    sigmas, reached = np.full((count, len(upper)), np.inf), None
    for k, B in enumerate(upper):
        d = B.row_squares
        at = (d > 0) if reached is None else (d > 0) & reached
        if owners is None:
            sigmas[0, k] = np.sqrt(d[at].min(initial=np.inf))
        else:
            np.minimum.at(sigmas[:, k], owners[k][at], np.sqrt(d[at]))
        if k + 1 < len(upper):
            reached = B.T @ (np.ones(len(d)) if reached is None else reached.astype(float)) > 0
    return sigmas
