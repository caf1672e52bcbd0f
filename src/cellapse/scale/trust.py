r"""How far an edge can be trusted, over ranks: `cellapse.edge_trust` for this rank's edges.

trust = s / (1 + s),   s the support of the edge by its cells, weighed five times over.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cellapse._collapse.edges import Cofaces
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.scale.complexes import DistributedComplex
from cellapse.scale.shares import cofaces
from cellapse.tasks.trust import Degrees, TrustRounds, weighted


@dataclass(frozen=True, eq=False)
class DistributedTrust:
    """A number from 0 to 1 for every edge held here.

    Attributes
    ----------
    complex : DistributedComplex
    values : (m,) array
        0 where no cell holds the edge.
    shares : (m,) array
        The share of its weight that the edge keeps.
    n_cells : (m,) array of int
        How many cells above rank 1 hold the edge.
    """

    complex: DistributedComplex = field(repr=False)
    values: FloatArray = field(repr=False)
    shares: FloatArray = field(repr=False)
    n_cells: IntArray = field(repr=False)

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def held(self) -> float:
        """The share of all edges that some cell holds: for the others there is nothing to go by."""
        inside = self.complex.comm.allreduce(int((self.n_cells > 0).sum()))
        return inside / max(self.complex.edges.ranges.total, 1)

    def columns(self) -> dict[str, Any]:
        """A row per edge held here: the labels of its ends, trust, cells, share of its weight."""
        D = self.complex
        one, other = (D.numbering.given(end) for end in (D.edges.tail, D.edges.head))
        first, second = np.minimum(one, other), np.maximum(one, other)
        ends = {"source": D.names(first), "target": D.names(second)}
        return {**ends, "trust": self.values, "cells": self.n_cells, "share": self.shares}


def edge_trust(D: DistributedComplex) -> DistributedTrust:
    """How far every edge held here can be trusted, by the cells that hold it.

    The numbers are those of `cellapse.edge_trust` on one machine.

    Parameters
    ----------
    D : DistributedComplex

    Returns
    -------
    DistributedTrust
    """
    if not isinstance(D, DistributedComplex):
        raise InputError(
            f"a {type(D).__name__} was given; make a DistributedComplex with from_edges or "
            "from_hyperedges, or use cellapse.edge_trust on one machine"
        )
    around: list[Cofaces] = [*cofaces(D)]
    weights = _unequal(D)
    degrees = Degrees.of(
        weights, lambda values: D.edges.at_ends(D.edges.add_at_ends(values, values)), D.edges.count
    )
    held = around
    if weights is not None:
        held = [weighted(c, weights) for c in around]
    support, share = TrustRounds.of(held, degrees).forwards(np.ones(D.edges.count))
    cells = sum((c.add_up(np.ones(len(c.cell))) for c in around), np.zeros(len(share)))
    values = np.where(cells > 0, support / (1.0 + support), 0.0)
    return DistributedTrust(D, values, share, cells.astype(np.int64))


def _unequal(D: DistributedComplex) -> FloatArray | None:
    """The weights of the edges held here, unless those of all ranks are equal."""
    if D.edges.weight is None:
        return None
    held = D.edges.weight
    ends = D.comm.allgather((held.min(initial=np.inf), held.max(initial=-np.inf)))
    low, high = (f(column) for f, column in zip((min, max), zip(*ends, strict=True), strict=True))
    return held if low < high else None
