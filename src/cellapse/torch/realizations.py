"""The numbers at each edge of the unfolded and screened realizations, with gradients.

The formulas are those of `_collapse.realizations`; a test compares the two.
"""

from __future__ import annotations

import torch
from torch import Tensor

from cellapse.torch.structure import Entries, Structure


def unfolded_masses(
    structure: Structure, upper: list[Tensor], beta: Tensor, gamma: Tensor, eps: Tensor
) -> Tensor:
    """m_1 of each edge; `upper` are the entries above the edges, whose squares are weights."""
    mass = eps.expand(structure.n_cells[-1])
    for k in range(len(upper), 0, -1):  # from the top rank down
        B, weight = structure.upper[k - 1], upper[k - 1] ** 2
        d = _row_sums(B, weight)
        g = _row_sums(B, weight / mass[B.columns])
        c = (gamma[k] ** 2)[structure.owner(k)]
        # beta d - c g / (1 + beta g), with what cancels taken out.
        mass = eps + (beta[k] * d + (beta[k] ** 2 * d - c) * g) / (1.0 + beta[k] * g)
    return mass


def screened_shares(
    structure: Structure,
    around: list[Tensor],
    beta: Tensor,
    theta: Tensor,
    eps: Tensor,
    rounds: int,
) -> Tensor:
    """The share of its weight that every edge keeps; squares of `around` are weights of cells."""
    ends = structure.edges
    ones = torch.ones_like(ends.values)
    square = (theta[0] ** 2)[structure.owner(1)]
    share = torch.ones_like(square)
    if not rounds:
        parts = [b * _row_sums(B, w) for B, w, b in _ranks(structure, around, beta)]
        return 1.0 - square / (1.0 + eps + sum(parts, 0.0 * share))
    for _ in range(rounds):
        degree = ends.matmul(ones, share[:, None])
        log_degree = ends.rmatmul(ones, torch.log(degree.clamp_min(1e-300)))[:, 0]
        parts = [b * _mean_support(B, w, share) for B, w, b in _ranks(structure, around, beta)]
        support = sum(parts, 0.0 * share) * torch.exp(-0.5 * log_degree)
        share = 1.0 - square / (1.0 + eps + support)
    return share


def _ranks(
    structure: Structure, around: list[Tensor], beta: Tensor
) -> list[tuple[Entries, Tensor, Tensor]]:
    entries = zip(structure.upper, around, beta[1:].unbind(), strict=True)
    return [(B, values**2, b) for B, values, b in entries]


def _row_sums(B: Entries, values: Tensor) -> Tensor:
    return values.new_zeros(B.shape[0]).index_add(0, B.rows, values)


def _mean_support(around: Entries, weight: Tensor, share: Tensor) -> Tensor:
    """Sum over the cells around an edge of the squared geometric mean of the others' shares."""
    log_share = torch.log(share.clamp_min(1e-300))[around.rows]
    total = log_share.new_zeros(around.shape[1]).index_add(0, around.columns, log_share)
    size = torch.bincount(around.columns, minlength=around.shape[1])
    others = total[around.columns] - log_share
    value = weight * torch.exp(2.0 * others / (size[around.columns] - 1).clamp_min(1))
    return _row_sums(around, value)
