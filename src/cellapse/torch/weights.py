r"""How large gamma may be while weights are learned, and a parameter that stays below.

The bound of `thm:psd`, gamma_k <= beta sigma_min+(B), depends on the weights of the cells. A lower
bound of sigma keeps it cheap: for positive diagonal D and E,

    sigma_i(D B E) >= min(D) sigma_i(B) min(E),

exact where all weights of a rank change alike; `Collapse.tighten` makes it exact again.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from cellapse.torch.structure import Structure

Logs = Sequence[Tensor | None]  # logarithms of what weights are multiplied with, by rank


def largest_gamma(structure: Structure, logs: Logs, beta: Tensor, eps: Tensor | None) -> Tensor:
    """Return the largest gamma by rank and complex, 0 where a matrix has no entries.

    With eps, that of the regularized operator: gamma^2 = beta (beta sigma^2 + eps).
    """
    sigma = least_sigma(structure, logs)
    beta = sigma.new_ones(1) if structure.realization.edgewise else beta[: len(sigma)]
    finite = torch.isfinite(sigma)
    square = beta[:, None] ** 2 * sigma.where(finite, 1.0) ** 2
    if eps is not None:
        square = square + beta[:, None] * eps
    return square.sqrt().where(finite, 0.0)


def folded(share: Tensor) -> Tensor:
    """Return the real line folded into [0, 1]: the identity there, mirrored at both ends.

    Unlike a sigmoid it can start at the bound, and unlike a clamp it never gets stuck outside.
    """
    within = share.abs() % 2.0
    return torch.where(within <= 1.0, within, 2.0 - within)


def least_sigma(structure: Structure, logs: Logs) -> Tensor:
    """A lower bound of sigma_min+(B_k) by rank and complex, exact where all logs are zero."""
    sigma = structure.sigma
    if structure.realization.edgewise or not any(log is not None for log in logs):
        return sigma
    hodge = structure.realization.hodge
    factors = []
    for k in range(1, len(sigma) + 1):
        factor = torch.ones_like(sigma[0])
        high, low = logs[k], logs[k - 1] if hodge or k == 1 else None
        if high is not None:
            factor = factor * torch.exp(0.5 * _least(structure, high, k))
        if low is not None:
            factor = factor * torch.exp(0.5 * _least(structure, -low, k - 1))
        factors.append(factor)
    # inf times a factor has no gradient, so it stays out of the product.
    finite = torch.isfinite(sigma)
    return (sigma.where(finite, 1.0) * torch.stack(factors)).where(finite, torch.inf)


def _least(structure: Structure, values: Tensor, rank: int) -> Tensor:
    """Return the smallest value of each complex, 0 for one without cells of that rank."""
    # Not from zeros with include_self=False: torch counts them as ties in the backward pass.
    least = values.new_full((structure.n_complexes,), torch.inf)
    least = least.scatter_reduce(0, structure.owner(rank), values, "amin")
    return least.where(torch.isfinite(least), 0.0)
