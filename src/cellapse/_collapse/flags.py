r"""The masses of flags: what cells weigh where every edge has its own tree of them above it.

Everything above the edges is diagonal then. From the top rank down, per cell,

    m_K = eps,   m_k = eps + beta_{k+1} d_k - gamma_k^2 g_k / (1 + beta_{k+1} g_k),

with d_k the (weighted) number of cofaces and g_k the sum of weight / m_{k+1} over them. `upper` are
the containment matrices above the edges, whose entries squared are the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cellapse._collapse.completion import Masses
from cellapse._collapse.weights import Weights
from cellapse._shared.arrays import FloatArray, IntArray, Matrix, row_squares, squared

_UNIT = 2.0**-53


def unfolded_sigmas(
    upper: Sequence[Matrix], owners: Sequence[IntArray] | None = None, count: int = 1
) -> FloatArray:
    """sigma_min+ of the unfolded B_2..B_K, without unfolding them: one row for each owner.

    B_k of flags has orthogonal rows of squared length d(cell), over the cells that flags reach.
    `owners` say which of `count` complexes the rows of each matrix belong to; one, by default.
    """
    sigmas = np.full((count, len(upper)), np.inf)
    reached = np.ones(upper[0].shape[0] if upper else 0, dtype=bool)
    for k, B in enumerate(upper):
        d = row_squares(B)
        counted = reached & (d > 0)
        if owners is None:
            sigmas[0, k] = np.sqrt(d[counted].min(initial=np.inf))
        else:
            np.minimum.at(sigmas[:, k], owners[k][counted], np.sqrt(d[counted]))
        if k + 1 < len(upper):
            reached = B.T @ reached.astype(float) > 0
    return sigmas


def unfolded_masses(
    upper: Sequence[Matrix],
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
        with np.errstate(divide="ignore"):
            g = squared(B) @ (1.0 / masses[0])
        masses.insert(0, flag_mass(row_squares(B), g, b, c, eps))
    return masses


def carried(
    upper: Sequence[Matrix],
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
            m = next_to_zero(masses[k + 1], above)
            above = weight @ (above / m**2) * (c / b / (1.0 / b + weight @ (1.0 / m))) ** 2
            result.insert(0, changes[k] + above)
        else:
            result.insert(0, changes[k])
    return result


def next_to_zero(mass: FloatArray, growth: FloatArray) -> FloatArray:
    """At eps = 0 masses may be zero: as small, next to each other, as with an eps next to 0."""
    return np.where(mass > 0, mass, 1e-60 * np.maximum(growth, 1e-30))


def known_of(upper: Sequence[Matrix], masses: list[FloatArray], weights: Weights) -> Masses:
    """How the masses of edges depend on eps, and on rounding."""
    blurs = [np.zeros(len(m)) for m in masses]
    for k, B in enumerate(upper):
        b, c = weights.beta[k + 1], weights.gamma[k + 1]
        d = row_squares(B)
        blurs[k] = np.where(_rest(d, b, c) == 0.0, 0.0, 4 * _UNIT * b * d)
    growth = carried(upper, masses, weights, [np.ones(len(m)) for m in masses])[0]
    return Masses(growth, carried(upper, masses, weights, blurs)[0])


def _rest(d: FloatArray, b: float, c: Any) -> FloatArray:
    """b^2 d - c^2, and zero where c is the bound b d^{1/2}: then it is rounding."""
    rest = b**2 * d - c**2
    rest[np.abs(rest) < 16 * _UNIT * b**2 * d] = 0.0
    return rest


def flag_mass(d: FloatArray, g: FloatArray, b: float, c: Any, eps: float) -> FloatArray:
    """m = eps + b d - c^2 g / (1 + b g) per cell, also where g is infinite (eps = 0)."""
    if b == 0.0:  # then c is zero, too
        return np.full(len(d), eps)
    with np.errstate(divide="ignore"):
        h = 1.0 / (1.0 / g + b)
    # With what cancels taken out: at the bound b d / (1 + b g) is all of it.
    return eps + b * d / (1.0 + b * g) + _rest(d, b, c) * h
