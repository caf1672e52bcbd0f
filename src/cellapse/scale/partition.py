"""Which rank gets which vertices, where the numbering is poor: PT-Scotch cuts few edges.

Ranges of a mesh that is numbered along a curve have short borders. Where numbers jump around, most
edges lie between ranks, and every product waits for messages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse.scale.edges import EdgeTable
from cellapse.scale.levels import expands
from cellapse.scale.libraries import PETSc
from cellapse.scale.numbering import AsGiven, Renumbered

CHOICES = ("given", "auto", "scotch")
_POOR = 0.1  # of the edges between ranks: a mesh along a curve has far fewer
_UNEVEN = 1.5  # times the mean number of edges on a rank: more costs what shorter borders save


@dataclass(frozen=True, eq=False)
class Partition:
    """Where the vertices go, and why.

    Attributes
    ----------
    numbering : AsGiven
    reason : str
    """

    numbering: AsGiven
    reason: str

    @property
    def moves(self) -> bool:
        """Whether vertices go to other ranks than their numbers say."""
        return isinstance(self.numbering, Renumbered)


def share_out(table: EdgeTable, choice: str) -> Partition:
    """As given, or by PT-Scotch: always, or ("auto") where that makes borders much shorter."""
    as_given = AsGiven(table.vertices)
    if table.vertices.comm.size == 1:
        return Partition(as_given, "as given: one rank holds all")
    between = _between(table, as_given)
    told = f"{100 * between:.1f} % of the edges lie between ranks"
    if choice == "given":
        return Partition(as_given, f"as given: {told}")
    if choice == "auto" and between <= _POOR:
        return Partition(as_given, f"as given, which is good: {told}")
    if not PETSc.Sys.hasExternalPackage("ptscotch"):
        if choice == "scotch":
            raise InputError("this PETSc was built without PT-Scotch; use partition='given'")
        return Partition(as_given, f"as given, as this PETSc has no PT-Scotch: {told}")
    if choice == "auto" and expands(table):
        return Partition(as_given, f"as given, as the graph expands: {told}")
    numbering = Renumbered(table.vertices, _by_scotch(table))
    after = _between(table, numbering)
    if choice == "auto" and (after > 0.5 * between or _uneven(table, numbering) > _UNEVEN):
        return Partition(as_given, f"as given, as PT-Scotch found nothing better: {told}")
    told = f"{100 * after:.1f} % of the edges lie between ranks, {100 * between:.1f} % as given"
    return Partition(numbering, f"by PT-Scotch: {told}")


def check_choice(choice: Any) -> str:
    """One of the ways to share out vertices."""
    if choice not in CHOICES:
        raise InputError(f"partition={choice!r}; choose one of {', '.join(CHOICES)}")
    return str(choice)


def _by_scotch(table: EdgeTable) -> IntArray:
    """The rank for each vertex here."""
    starts, columns = table.neighbours()
    kind, size = PETSc.IntType, (table.vertices.count, table.vertices.total)
    rows = (starts.astype(kind), columns.astype(kind), np.ones(len(columns)))
    graph = PETSc.Mat().createAIJ((size, size), csr=rows, comm=table.vertices.comm)
    cutter = PETSc.MatPartitioning().create(table.vertices.comm)
    cutter.setAdjacency(graph)
    cutter.setType(PETSc.MatPartitioning.Type.PARTITIONINGPTSCOTCH)
    target = PETSc.IS()
    cutter.apply(target)
    rank = target.getIndices().astype(np.int64)
    for used in (target, cutter, graph):
        used.destroy()
    return rank


def _ranks(table: EdgeTable, numbering: AsGiven) -> tuple[IntArray, IntArray]:
    """The ranks of both ends of each edge held here."""
    here = np.arange(table.vertices.low, table.vertices.high)
    rank = numbering.ranges.owner(numbering.numbers(here)).astype(np.float64)
    tail, head = table.at_ends(rank)
    return tail.astype(np.int64), head.astype(np.int64)


def _between(table: EdgeTable, numbering: AsGiven) -> float:
    """The share of edges between ranks."""
    tail, head = _ranks(table, numbering)
    cut = table.vertices.comm.allreduce(int((tail != head).sum()))
    return float(cut) / max(table.ranges.total, 1)


def _uneven(table: EdgeTable, numbering: AsGiven) -> float:
    """The most edges on a rank, over their mean."""
    comm = table.vertices.comm
    ends = np.concatenate(_ranks(table, numbering))
    count = comm.allreduce(np.bincount(ends, minlength=comm.size))
    return float(count.max() / max(count.mean(), 1.0))
