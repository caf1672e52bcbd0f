"""`collapse` for a distributed complex: the same arguments, checks and bounds as on one machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from cellapse._collapse.realizations import DEFAULT, Realization, as_realization
from cellapse._collapse.weights import check_eps
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray
from cellapse.scale.agreement import same_everywhere
from cellapse.scale.checkpoint import Checkpoint
from cellapse.scale.collapsed import DistributedOperator
from cellapse.scale.complexes import DistributedComplex
from cellapse.scale.flags import Flags, flag_sigmas
from cellapse.scale.lowest import Lowest
from cellapse.scale.progress import Report
from cellapse.scale.shares import Shares


@dataclass(frozen=True, eq=False)
class _Known:
    """What the weights of a realization are chosen from: a chain without its matrices."""

    above: list[None]
    sigma: FloatArray = field(default_factory=lambda: np.empty(0))


def collapse(
    complex_: DistributedComplex,
    realization: str | Realization = DEFAULT,
    *,
    beta: Any = None,
    gamma: Any = None,
    eps: float = 1e-4,
    checkpoint: str | Path | None = None,
    progress: bool = False,
) -> DistributedOperator:
    """Collapse all cells of a distributed complex onto its vertices.

    Parameters
    ----------
    complex_ : DistributedComplex
    realization : "renormalized", "screened", "unfolded", Unfolded() or Screened(...)
        The others are not distributed.
    beta, gamma, eps
        As in `cellapse.collapse`.
    checkpoint : path, optional
        A .npy file where the eigenvectors behind the bound of gamma are kept, and looked for.
    progress : bool
        Whether rank 0 tells how far things are.

    Returns
    -------
    DistributedOperator
    """
    if not isinstance(complex_, DistributedComplex):
        raise InputError(
            f"a {type(complex_).__name__} was given; make a DistributedComplex with from_edges or "
            "from_hyperedges, or use cellapse.collapse on one machine"
        )
    chosen, eps = as_realization(realization), check_eps(eps)
    same_everywhere(complex_.comm, "the choice of operator", (chosen, beta, gamma, eps))
    report = Report(complex_.comm, progress)
    known = _Known([None] * (complex_.max_rank - 1))
    report.say(f"{complex_!r}, n_cells={complex_.n_cells}, vertices {complex_.partition}")
    if chosen.edgewise:
        weights = chosen.weigh(cast(Any, known), beta, gamma, eps)
        shares = Shares(complex_, chosen, weights)
        return DistributedOperator(complex_, chosen, weights, shares, None, report)
    if not chosen.diagonal:
        raise InputError(
            f'realization={chosen.name!r} is not distributed; choose "unfolded", "screened" or '
            '"renormalized", or use cellapse.collapse on one machine'
        )
    place = None if checkpoint is None else Checkpoint(checkpoint, complex_.numbering)
    lowest = Lowest.of(complex_, place, report)
    known = _Known(known.above, flag_sigmas(complex_, lowest.smallest()))
    weights = chosen.weigh(cast(Any, known), beta, gamma, eps)
    return DistributedOperator(complex_, chosen, weights, Flags(complex_, weights), lowest, report)
