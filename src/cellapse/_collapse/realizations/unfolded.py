r"""The unfolded realization: every edge has its own tree of cells above it.

Everything above the edges is diagonal. From the top rank down, per cell,

    m_K = eps,   m_k = eps + beta_{k+1} d_k - gamma_k^2 g_k / (1 + beta_{k+1} g_k),

with d_k the (weighted) number of cofaces and g_k the sum of weight / m_{k+1} over them. The edges'
m_1 is the diagonal matrix M of the collapse:

    S = beta_1 L - c I + c (I + beta_1 G)^-1,   c = gamma_0^2 / beta_1,   G = B_1 M^-1 B_1^T.

`upper` are the containment matrices above the edges, whose entries squared are the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from cellapse._collapse.chain import Chain, edges_and_upper
from cellapse._collapse.completion import Masses
from cellapse._collapse.dense import ChainStacks, Stacks, smallest_positive
from cellapse._collapse.elimination import Elimination, OneSide
from cellapse._collapse.ladder import Ladder
from cellapse._collapse.realizations.base import Realization
from cellapse._collapse.weights import Weights
from cellapse._complex.complex import Complex
from cellapse._complex.union import side_by_side
from cellapse._linalg.cg import CG
from cellapse._linalg.direct import Direct
from cellapse._matrices.incidence import Incidence
from cellapse._matrices.kinds import edges_and_cofaces, unfold, unfolded_matrices
from cellapse._shared.arrays import BoolArray, FloatArray, IntArray, squared

_UNIT = 2.0**-53


@dataclass(frozen=True)
class Unfolded(Realization):
    """Signed B_1, and above it a tree of cells for every edge; independent of any orientation.

    Examples
    --------
    >>> Unfolded()
    Unfolded()
    """

    summary: ClassVar[str] = (
        "The paper's operator; every edge has its own cells above it, so no orientation."
    )
    takes_matrices: ClassVar[bool] = True
    hodge: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return "unfolded"

    def matrices(self, K: Complex) -> Incidence:
        return unfolded_matrices(K)

    def chain(self, source: Any) -> Chain:
        if isinstance(source, Incidence) and source.of_flags:
            return Chain.of(source, source)
        B1, upper, n_cells = edges_and_upper(source)
        complex_ = source if isinstance(source, Complex) else getattr(source, "source", None)

        def make() -> Incidence:
            matrices = tuple(unfold(B1, upper))
            n_formal = (0, 0, *(B.shape[1] for B in matrices[1:]))
            return Incidence(matrices, self.name, complex_, n_formal)

        return Chain(source, n_cells, B1, upper, make, lambda: unfolded_sigmas(upper)[0])

    def eliminate(
        self, chain: Chain, weights: Weights, onto: int = 0, solver: Direct | CG | None = None
    ) -> Elimination:
        if onto or isinstance(solver, CG):
            return super().eliminate(chain, weights, onto, solver)
        return Flags(chain, weights, solver)

    def stacks(self, complexes: list[Complex], beta: Any, gamma: Any) -> Stacks:
        B1, upper = edges_and_cofaces(side_by_side(complexes))
        return FlagStacks(complexes, [B1, *upper], beta, gamma)


class Flags(OneSide):
    """One ladder with a diagonal M; values above the edges belong to flags."""

    def __init__(self, chain: Chain, weights: Weights, solver: Direct | None) -> None:
        self._chain, self._weights = chain, weights
        beta, gamma, eps = weights.beta, weights.gamma, weights.eps
        mass = unfolded_masses(chain.upper, chain.nearest.shape[1], beta[1:], gamma[1:], eps)[0]
        first = float(beta[0]), float(gamma[0])
        definite, kernel = weights.definite, chain.kernel
        ladder = Ladder(chain.nearest, *first, mass, eps, solver, definite, kernel=kernel)
        super().__init__(ladder, (1,), chain.nearest.shape)

    def masses(self) -> Masses:
        return _known_of(self._chain.upper, self._masses(self._chain.upper), self._weights)

    def _masses(self, upper: list[sparse.csr_array]) -> list[FloatArray]:
        weights = self._weights
        return unfolded_masses(
            upper, self._chain.nearest.shape[1], weights.beta[1:], weights.gamma[1:], weights.eps
        )

    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        values = super().complete(u)
        beta, gamma = self._weights.beta, self._weights.gamma
        flags = list(self._chain.incidence.matrices[1:])
        masses = self._masses(flags)
        growth = carried(flags, masses, self._weights, [np.ones(len(m)) for m in masses])
        for k, B in enumerate(flags, start=1):
            mass = _next_to_zero(masses[k], growth[k])
            share = 1.0 + beta[k] * (squared(B) @ (1.0 / mass))
            if u.ndim == 2:
                mass, share = mass[:, None], share[:, None]
            values[k + 1] = gamma[k] * (B.T @ (values[k] / share)) / mass
        return values


class FlagStacks(ChainStacks):
    """Stacks of B_1 only, with one mass for every edge."""

    def _kept(self, matrices: list[sparse.csr_array]) -> list[sparse.csr_array]:
        return matrices[:1]

    def _prepare(self, matrices: list[sparse.csr_array], n: int) -> None:
        self._upper = matrices[1:]
        owners = [places.owner for places in self.layout.places[1:]]
        self._sigma = np.full((n, len(matrices)), np.inf)
        self._sigma[:, 1:] = unfolded_sigmas(self._upper, owners, n)
        for H, group in zip(self._H[0], self.layout.groups(), strict=True):
            self._sigma[group, 0] = smallest_positive(np.linalg.eigvalsh(H))

    def collapsed(self, eps: float) -> tuple[list[FloatArray], BoolArray]:
        gamma, definite = self._couplings(eps)
        places = self.layout.places
        spread = [gamma[places[k].owner, k] for k in range(1, len(self._beta))]
        n_edges = len(places[1].owner)
        mass = unfolded_masses(self._upper, n_edges, self._beta[1:], spread, eps)[0]
        stacks = []
        for g, (group, m) in enumerate(
            zip(self.layout.groups(), self.layout.rows(mass, places[1]), strict=True)
        ):
            F = self._B[0][g] / np.sqrt(m)[:, None, :]
            stacks.append(self._level(0, g, F, gamma[group, 0]))
        return stacks, definite


def unfolded_sigmas(
    upper: list[sparse.csr_array], owners: Sequence[IntArray] | None = None, count: int = 1
) -> FloatArray:
    """sigma_min+ of the unfolded B_2..B_K, without unfolding them: one row for each owner.

    B_k of flags has orthogonal rows of squared length d(cell), over the cells that flags reach.
    `owners` say which of `count` complexes the rows of each matrix belong to; one, by default.
    """
    sigmas = np.full((count, len(upper)), np.inf)
    reached = np.ones(upper[0].shape[0] if upper else 0, dtype=bool)
    for k, B in enumerate(upper):
        d = np.asarray(squared(B).sum(axis=1)).ravel()
        counted = np.flatnonzero(reached & (d > 0))
        owner = np.zeros(len(counted), np.int64) if owners is None else owners[k][counted]
        np.minimum.at(sigmas[:, k], owner, np.sqrt(d[counted]))
        reached = np.asarray(B.T @ reached.astype(float)).ravel() > 0
    return sigmas


def unfolded_masses(
    upper: list[sparse.csr_array],
    n_edges: int,
    beta: FloatArray,
    gamma: Sequence[FloatArray] | FloatArray,
    eps: float,
) -> list[FloatArray]:
    """m_1, ..., m_K per cell; `beta` and `gamma` are those above the edges.

    gamma holds one number for each rank, or an array with a number for each cell of the rank.
    """
    masses = [np.full(upper[-1].shape[1] if upper else n_edges, eps)]
    for B, b, c in zip(reversed(upper), beta[::-1], gamma[::-1], strict=True):
        weight = squared(B)
        with np.errstate(divide="ignore"):
            g = weight @ (1.0 / masses[0])
        d = np.asarray(weight.sum(axis=1)).ravel()
        masses.insert(0, flag_mass(d, g, b, c, eps))
    return masses


def carried(
    upper: list[sparse.csr_array],
    masses: list[FloatArray],
    weights: Weights,
    changes: list[FloatArray],
) -> list[FloatArray]:
    """By how much the masses change in all, where each changes, and those above it as well.

    y_k = change_k + gamma_k^2 sum w y_{k+1} / m_{k+1}^2 / (1 + beta_{k+1} g_k)^2; with changes of
    one that is how fast they grow with eps.
    """
    result = [changes[-1]]
    for k in range(len(upper) - 1, -1, -1):
        b, c, weight = weights.beta[k + 1], weights.gamma[k + 1], squared(upper[k])
        above = result[0]
        if c > 0:
            m = _next_to_zero(masses[k + 1], above)
            above = weight @ (above / m**2) * (c / b / (1.0 / b + weight @ (1.0 / m))) ** 2
            result.insert(0, changes[k] + above)
        else:
            result.insert(0, changes[k])
    return result


def _next_to_zero(mass: FloatArray, growth: FloatArray) -> FloatArray:
    """At eps = 0 masses may be zero: as small, next to each other, as with an eps next to 0."""
    return np.where(mass > 0, mass, 1e-60 * np.maximum(growth, 1e-30))


def _known_of(upper: list[sparse.csr_array], masses: list[FloatArray], weights: Weights) -> Masses:
    """How the masses of edges depend on eps, and on rounding."""
    blurs = [np.zeros(len(m)) for m in masses]
    for k, B in enumerate(upper):
        b, c = weights.beta[k + 1], weights.gamma[k + 1]
        d = np.asarray(squared(B).sum(axis=1)).ravel()
        blurs[k] = np.where(_cancels(d, b, c), 0.0, 4 * _UNIT * b * d)
    growth = carried(upper, masses, weights, [np.ones(len(m)) for m in masses])[0]
    return Masses(growth, carried(upper, masses, weights, blurs)[0])


def _cancels(d: FloatArray, b: float, c: Any) -> BoolArray:
    """Where c is the bound b d^{1/2}: then b^2 d - c^2 is rounding."""
    return np.abs(b**2 * d - c**2) < 16 * _UNIT * b**2 * d


def flag_mass(d: FloatArray, g: FloatArray, b: float, c: Any, eps: float) -> FloatArray:
    """m = eps + b d - c^2 g / (1 + b g) per cell, also where g is infinite (eps = 0)."""
    if b == 0.0:  # then c is zero, too
        return np.full(len(d), eps)
    with np.errstate(divide="ignore"):
        h = 1.0 / (1.0 / g + b)
    # With what cancels taken out: at the bound b d / (1 + b g) is all of it.
    rest = np.where(_cancels(d, b, c), 0.0, b**2 * d - c**2)
    return eps + b * d / (1.0 + b * g) + rest * h
