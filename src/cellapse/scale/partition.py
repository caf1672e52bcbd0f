"""Which rank gets which vertices, and their numbers as they were given and as ranks hold them.

Every rank holds a range of numbers. Ranges of a mesh that is numbered along a curve have short
borders, and stay as they are given. Where numbers jump around, most edges lie between ranks, and
every product waits for messages: there PT-Scotch cuts few edges, and the vertices of each rank are
renumbered so that they are a range again, in the order they were given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.scale.edges import EdgeTable, expands
from cellapse.scale.exchange import Ranges
from cellapse.scale.libraries import PETSc

CHOICES = ("given", "auto", "scotch")
_POOR = 0.1  # of the edges between ranks: a mesh along a curve has far fewer
_UNEVEN = 1.5  # times the mean number of edges on a rank: more costs what shorter borders save


class AsGiven:
    """The numbers of the user are those of the ranks.

    Attributes
    ----------
    ranges : Ranges
        Who holds which numbers.
    files : Ranges
        The numbers, as given, whose rows this rank reads and writes in files.
    given_here : array
        What the vertices held here were given as.
    """

    def __init__(self, ranges: Ranges) -> None:
        self.ranges = self.files = ranges
        self.given_here: IntArray = np.arange(ranges.low, ranges.high)

    def numbers(self, given: IntArray) -> IntArray:
        """Return the numbers of some vertices, anywhere."""
        return given

    def given(self, numbers: IntArray) -> IntArray:
        """Return what some vertices, anywhere, were given as."""
        return numbers

    def to_files(self, rows: FloatArray) -> FloatArray:
        """From the rows of the vertices here to those that this rank has in files."""
        return rows

    def from_files(self, rows: FloatArray) -> FloatArray:
        """And back."""
        return rows


class Renumbered(AsGiven):
    """Vertices go to other ranks.

    Parameters
    ----------
    files : Ranges
        Who holds them as given.
    rank : array
        Where each of those here goes.
    """

    def __init__(self, files: Ranges, rank: IntArray) -> None:
        comm = files.comm
        going = np.bincount(rank, minlength=comm.size).astype(np.int64)
        before: Any = np.zeros_like(going)
        comm.Exscan(going, before)
        if comm.rank == 0:
            before[:] = 0  # MPI leaves it undefined
        cuts = np.concatenate([[0], np.cumsum(comm.allreduce(going))])
        self.files, self.ranges = files, Ranges(comm, cuts)
        order = np.argsort(rank, kind="stable")
        first = np.repeat(cuts[:-1] + before - (np.cumsum(going) - going), going)
        self._number = np.empty(files.count, np.int64)
        self._number[order] = first + np.arange(files.count)
        self._route = self.ranges.route(self._number)
        self._place = self._route.send(self._number) - self.ranges.low
        self.given_here = self._arrived(np.arange(files.low, files.high))

    def _arrived(self, rows: Any) -> Any:
        arrived = self._route.send(rows)
        placed = np.empty_like(arrived)
        placed[self._place] = arrived
        return placed

    def numbers(self, given: IntArray) -> IntArray:
        route = self.files.route(given)
        return route.back(self._number[route.send(given) - self.files.low])

    def given(self, numbers: IntArray) -> IntArray:
        route = self.ranges.route(numbers)
        return route.back(self.given_here[route.send(numbers) - self.ranges.low])

    def to_files(self, rows: FloatArray) -> FloatArray:
        arrived: FloatArray = self._route.back(rows[self._place])
        return arrived

    def from_files(self, rows: FloatArray) -> FloatArray:
        return np.asfortranarray(self._arrived(rows))


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
    words = f"{100 * between:.1f} % of the edges lie between ranks"
    if choice == "given":
        return Partition(as_given, f"as given: {words}")
    if choice == "auto" and between <= _POOR:
        return Partition(as_given, f"as given, which is good: {words}")
    if not PETSc.Sys.hasExternalPackage("ptscotch"):
        if choice == "scotch":
            raise InputError("this PETSc was built without PT-Scotch; use partition='given'")
        return Partition(as_given, f"as given, as this PETSc has no PT-Scotch: {words}")
    if choice == "auto" and expands(table):
        return Partition(as_given, f"as given, as the graph expands: {words}")
    numbering = Renumbered(table.vertices, _by_scotch(table))
    after = _between(table, numbering)
    if choice == "auto" and (after > 0.5 * between or _uneven(table, numbering) > _UNEVEN):
        return Partition(as_given, f"as given, as PT-Scotch found nothing better: {words}")
    words = f"{100 * after:.1f} % of the edges lie between ranks, {100 * between:.1f} % as given"
    return Partition(numbering, f"by PT-Scotch: {words}")


def check_choice(choice: Any) -> str:
    """Return one of the ways to share out vertices."""
    if choice not in CHOICES:
        raise InputError(f"partition={choice!r}; choose one of {', '.join(CHOICES)}")
    return str(choice)


def _by_scotch(table: EdgeTable) -> IntArray:
    """Return the rank for each vertex here."""
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
    """Return the ranks of both ends of each edge held here."""
    here = np.arange(table.vertices.low, table.vertices.high)
    rank = numbering.ranges.owner(numbering.numbers(here)).astype(np.float64)
    tail, head = table.at_ends(rank)
    return tail.astype(np.int64), head.astype(np.int64)


def _between(table: EdgeTable, numbering: AsGiven) -> float:
    """Return the share of edges between ranks."""
    tail, head = _ranks(table, numbering)
    cut = table.vertices.comm.allreduce(int((tail != head).sum()))
    return float(cut) / max(table.ranges.total, 1)


def _uneven(table: EdgeTable, numbering: AsGiven) -> float:
    """Return the most edges on a rank, over their mean."""
    comm = table.vertices.comm
    ends = np.concatenate(_ranks(table, numbering))
    count = comm.allreduce(np.bincount(ends, minlength=comm.size))
    return float(count.max() / max(count.mean(), 1.0))
