r"""What a coupling at its bound leaves of the smallest positive eigenvalue of A.

With x = beta_1 sigma_min+(B_1)^2 that eigenvalue, the smallest positive one of S is at least

    x (x + eps - gamma_0^2 / beta_1) / (x + eps),

and just that where no edge closes a cell. At the bound gamma_0^2 / beta_1 = x: what is left is
about eps, whatever the data. Where every edge relaxes alone (screened), an edge in no cell keeps
the share 1 - theta^2 / (1 + eps), at the bound theta = 1 about eps as well.
"""

from __future__ import annotations

import numpy as np

from cellapse._collapse.weights import Weights
from cellapse._shared.arrays import FloatArray

_LITTLE = 0.01  # of an eigenvalue or a weight: what is left of less tells of eps, not of the data


def left_at_least(weights: Weights) -> tuple[float, float] | None:
    """Return x and the least that S can have in its place; None where A has no such eigenvalue.

    >>> one = np.ones(1)
    >>> weights = Weights.choose(one, "bound", 0.5, one)
    >>> left_at_least(weights)
    (1.0, 0.3333333333333333)
    """
    beta, gamma, sigma, eps = weights.beta[0], weights.gamma[0], weights.sigma[0], weights.eps
    x = float(beta * sigma**2) if np.isfinite(sigma) else 0.0
    if not x > 0.0:
        return None
    return x, max(x * float(x + eps - gamma**2 / beta) / (x + eps), 0.0)


def little_left(weights: Weights, found: float | None = None) -> str | None:
    """Say that next to nothing is left of the eigenvalue, if so, and what to do.

    `found` is the smallest positive eigenvalue of S, where it is known.
    """
    known = left_at_least(weights)
    if known is None:
        return None
    x, least = known
    if (least if found is None else max(found, least)) > _LITTLE * x:
        return None
    takes = "takes" if found is not None else "may take"
    left = least if found is None else max(found, 0.0)
    return (
        f"gamma is at its bound, which {takes} the smallest positive eigenvalue from {x:.3g} in A "
        f"to {left:.2g} in S (eps is {weights.eps:g}): resistances and slow signals tell of eps; "
        f"gamma=0.9 * S.gamma ({_times(weights, 0.9)}) or eps={0.1 * x:.1g} keeps more of it"
    )


def little_kept(weights: Weights, shares: FloatArray) -> str | None:
    """Say that edges keep next to nothing of their weight, if so, and what to do."""
    few = int((shares <= _LITTLE).sum())
    if not few:
        return None
    return (
        f"gamma is at its bound: {few:,} of {len(shares):,} edges keep {shares.min():.2g} of their "
        f"weight (eps is {weights.eps:g}); gamma={_times(weights, 0.9)} leaves them more"
    )


def _times(weights: Weights, share: float) -> str:
    return ",".join(f"{share * g:.4g}" for g in weights.gamma)
