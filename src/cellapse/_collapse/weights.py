r"""The weights of a collapse: beta, gamma and eps, and how large gamma may be.

L* is positive semi-definite when gamma_k <= beta_{k+1} sigma_min+(B_{k+1}) (`thm:psd`), and S_eps
when gamma_k^2 <= beta_{k+1} (beta_{k+1} sigma_min+^2 + eps).

With x = beta_1 sigma_min+(B_1)^2, the smallest positive eigenvalue of A, that of S is at least

    x (x + eps - gamma_0^2 / beta_1) / (x + eps),

and just that where no edge closes a cell: about eps at the bound gamma_0^2 / beta_1 = x, whatever
the data. Screened, an edge in no cell keeps 1 - theta^2 / (1 + eps), about eps at theta = 1.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cellapse._errors import CellapseWarning, InputError
from cellapse._shared.arrays import BoolArray, FloatArray
from cellapse._shared.card import Card, Shown, few
from cellapse._shared.checks import real_array
from cellapse._shared.pictures import bars

_LITTLE = 0.01  # of an eigenvalue or a weight; less than this depends on eps, not on the data


@dataclass(frozen=True)
class Unchecked:
    """Coupling weights to use as they are, with a warning instead of an error beyond the bound.

    Parameters
    ----------
    gamma : number or K numbers
        As for `collapse`.

    Examples
    --------
    >>> Unchecked(2.0)
    Unchecked(gamma=2.0)
    """

    gamma: float | Sequence[float]


@dataclass(frozen=True, eq=False, repr=False)
class Weights(Shown):
    """The numbers of a collapse, checked.

    gamma_k <= beta_{k+1} sigma_min+(B_{k+1}) keeps L* positive semi-definite.

    Attributes
    ----------
    beta, gamma : arrays
        Adjacency weights beta_1..beta_K and couplings gamma_0..gamma_{K-1}, or the one theta.
    eps : float
        Regularization.
    sigma : array
        sigma_min+ of the matrix behind each coupling.
    scale : array
        What sigma is multiplied with to give the bound of gamma: beta, or 1 for theta.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K, "unfolded")
    >>> S.weights.beta.tolist(), S.weights.gamma.round(3).tolist()
    ([1.0, 1.0], [1.09, 1.0])
    """

    beta: FloatArray
    gamma: FloatArray
    eps: float
    sigma: FloatArray
    scale: FloatArray

    def _card(self) -> Card:
        given = {"beta": self.beta, "gamma": self.gamma, "bound": self.bound}
        rows = tuple((name, few(value.tolist())) for name, value in given.items())
        calls = (("S.reweighted(gamma=...)", "is the operator with other weights"),)
        title = f"Weights of a collapse of {len(self.beta)} ranks with eps={self.eps:g}"
        return Card(title, rows, lambda: bars([*map(float, self.beta)]), calls)

    @classmethod
    def choose(
        cls, beta: Any, gamma: Any, eps: float, sigma: FloatArray, scale: FloatArray | None = None
    ) -> Weights:
        """Choose gamma by its name, or check that it fits.

        >>> Weights.choose(2.0, "bound", 0.0, np.array([1.5])).gamma.tolist()
        [3.0]
        """
        scale = beta if scale is None else scale
        bound = psd_bound(scale, sigma)
        coupling = check_gamma(gamma, bound, with_eps(bound, scale, eps))
        if ((scale == 0) & (coupling > 0) & np.isfinite(bound)).any():
            raise InputError(
                f"beta={beta.tolist()} with gamma={coupling.tolist()}: where beta is 0, nothing "
                "balances the coupling; set that gamma to 0"
            )
        weights = cls(beta, coupling, eps, sigma, scale)
        weights.__dict__["bound"] = bound  # need not be found again
        return weights

    @cached_property
    def bound(self) -> FloatArray:
        """The largest gamma for which L* is sure to be positive semi-definite."""
        return psd_bound(self.scale, self.sigma)

    @property
    def within_bound(self) -> BoolArray:
        """Which gamma are not above the bound of L*, but for rounding."""
        return within(self.gamma, self.bound)

    @cached_property
    def definite(self) -> bool:
        """Whether S_eps is sure to be positive semi-definite."""
        return bool(within(self.gamma, with_eps(self.bound, self.scale, self.eps)).all())

    def with_eps(self, eps: float) -> Weights:
        """Take another eps, with the same beta and gamma."""
        return replace(self, eps=eps)


def check_beta(beta: Any, K: int) -> FloatArray:
    """Return beta_1..beta_K as an array of K numbers, each 0 or from 1e-30 to 1e30."""
    return _numbers("beta", beta, K, "beta_1..beta_K", 1e-30, 1e30)


def check_eps(eps: Any) -> float:
    """Return eps as a number, 0 or from 1e-60 to 1e60."""
    return float(_numbers("eps", eps, 1, "one regularization", 1e-60, 1e60)[0])


def psd_bound(beta: FloatArray, sigma: FloatArray) -> FloatArray:
    """Return the largest gamma of `thm:psd`, beta sigma_min+; infinite for B = 0."""
    finite = np.isfinite(sigma)
    return np.where(finite, beta * np.where(finite, sigma, 0.0), np.inf)


def with_eps(bound: FloatArray, beta: FloatArray, eps: float) -> FloatArray:
    """Return the largest gamma for which S_eps is sure to be positive semi-definite."""
    return np.sqrt(bound**2 + beta * eps)


def within(gamma: FloatArray, limit: FloatArray) -> BoolArray:
    """Say which gamma are at most their limit, but for rounding."""
    return np.asarray(gamma <= limit * (1 + 1e-9))


def check_gamma(gamma: Any, bound: FloatArray, limit: FloatArray) -> FloatArray:
    """Return gamma_0..gamma_{K-1}: by name, or as given if none exceeds `limit`.

    A matrix without entries has an infinite bound and no effect: its coupling is set to 0.
    """
    if isinstance(gamma, str):
        named = {"bound": bound, "regularized": limit}
        if gamma not in named:
            raise InputError(f'gamma={gamma!r}; choose "bound", "regularized" or numbers')
        return np.where(np.isfinite(named[gamma]), named[gamma], 0.0)
    given = gamma.gamma if isinstance(gamma, Unchecked) else gamma
    values = _numbers("gamma", given, len(bound), "gamma_0..gamma_{K-1}", 0.0, 1e100)
    if not within(values, limit).all():
        problem = (
            f"gamma={_tuple(values)} exceeds the PSD bound {_tuple(limit)}, so L* may be indefinite"
        )
        if given is gamma:
            raise InputError(f'{problem}; pass gamma="bound", or Unchecked(gamma) to try it anyway')
        warnings.warn(problem, CellapseWarning, stacklevel=3)
    return values


def _numbers(
    name: str, given: Any, count: int, meaning: str, least: float, most: float
) -> FloatArray:
    """Numbers that are 0 or in a range, whose products and quotients are numbers, too."""
    if isinstance(given, float) and (given == 0.0 or least <= given <= most):
        return np.full(count, given + 0.0)  # what most give
    values = real_array(given, f"{name}={given!r:.80}")
    if values.ndim > 1 or (values.ndim == 1 and len(values) != count):
        raise InputError(
            f"{name} has shape {values.shape}; give one number, or {count} of them for {meaning}"
        )
    values = np.array(np.broadcast_to(values, (count,))) + 0.0  # of a negative zero, zero
    if not np.isfinite(values).all() or (values < 0).any():
        raise InputError(f"{name}={given!r:.80}; it must be finite and at least 0")
    if ((values > 0) & ((values < least) | (values > most))).any():
        raise InputError(f"{name}={given!r:.80}; give 0, or from {least:g} to {most:g}")
    return values


def _tuple(values: FloatArray) -> str:
    return "(" + ", ".join(f"{v:.4g}" for v in values) + ("," if len(values) == 1 else "") + ")"


def little_left(weights: Weights, found: float | None = None) -> str | None:
    """Say that next to nothing is left of the smallest positive eigenvalue of A, if so.

    `found` is that of S, where it is known.
    """
    beta, gamma, sigma, eps = weights.beta[0], weights.gamma[0], weights.sigma[0], weights.eps
    x = float(beta * sigma**2) if np.isfinite(sigma) else 0.0
    if not x > 0.0:
        return None
    least = max(x * float(x + eps - gamma**2 / beta) / (x + eps), 0.0)
    if (least if found is None else max(found, least)) > _LITTLE * x:
        return None
    takes = "takes" if found is not None else "may take"
    left = least if found is None else max(found, 0.0)
    return (
        f"gamma is at its bound, which {takes} the smallest positive eigenvalue from {x:.3g} in A "
        f"to {left:.2g} in S (eps is {eps:g}): resistances and slow signals depend on eps; "
        f"gamma=0.9 * S.gamma ({_lowered(weights)}) or eps={0.1 * x:.1g} keeps more of it"
    )


def little_kept(weights: Weights, shares: FloatArray) -> str | None:
    """Say that edges keep next to nothing of their weight, if so, and what to do."""
    few = int((shares <= _LITTLE).sum())
    if not few:
        return None
    return (
        f"gamma is at its bound: {few:,} of {len(shares):,} edges keep {shares.min():.2g} of their "
        f"weight (eps is {weights.eps:g}); gamma={_lowered(weights)} leaves them more"
    )


def _lowered(weights: Weights) -> str:
    return ",".join(f"{0.9 * g:.4g}" for g in weights.gamma)
