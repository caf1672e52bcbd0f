"""The operations of the numbers at edges (`_collapse.edges`) in torch, with gradients."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from cellapse._collapse.edges import Arrays, Cofaces
from cellapse.torch.structure import Structure


def _full(count: int, value: Tensor) -> Tensor:
    return value.expand(count)


def _add_up(at: Tensor, values: Tensor, count: int) -> Tensor:
    return values.new_zeros(count).index_add(0, at, values)


def _zero_where(at: Tensor, values: Tensor) -> Tensor:
    return values - torch.where(at, values, 0.0).detach()


TORCH = Arrays(torch.log, torch.exp, torch.clamp_min, torch.ones_like, _full, _add_up, _zero_where)


def edge_numbers(
    structure: Structure, upper: Sequence[Tensor], beta: Tensor, gamma: Tensor, eps: Tensor
) -> Tensor | None:
    """Those of the realization; squares of `upper`, the entries above the edges, are weights."""
    entries = [structure.edges, *structure.upper]
    weights = [torch.ones_like(structure.edges.values), *(values**2 for values in upper)]
    ends, *above = (
        Cofaces(B.rows, B.columns, weight, B.shape, TORCH)
        for B, weight in zip(entries, weights, strict=True)
    )
    # Couplings differ between complexes: one for each edge, and above for each cell of its rank.
    each = [gamma[k][structure.owner(max(k, 1))] for k in range(len(gamma))]
    numbers: Tensor | None = structure.realization.edge_numbers(
        above, ends, beta[: len(entries)], each, eps
    )
    return numbers
