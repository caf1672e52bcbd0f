"""Who owns what, how values travel between owners, and errors that all ranks raise together.

Vertices 0..n-1 are owned in contiguous ranges, with about equal numbers of edges. Whatever needs a
value of another rank asks its owner, and the answer comes back the same way. What one rank alone
knows to be wrong, all must know: otherwise they wait for ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from cellapse._errors import CellapseError, InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.scale.libraries import MPI


@contextmanager
def together(comm: Any) -> Iterator[None]:
    """Work of each rank alone; what fails on one fails on all, with the words of the first."""
    error: CellapseError | None = None
    try:
        yield
    except CellapseError as caught:
        error = caught
    said = comm.allgather(None if error is None else (type(error), str(error)))
    for rank, one in enumerate(said):
        if one is not None:
            kind, words = one
            where = f"rank {rank} of {comm.size}: " if comm.size > 1 else ""
            raise kind(f"{where}{words}") from error


def same_everywhere(comm: Any, name: str, value: Any) -> None:
    """Refuse an argument that differs between ranks."""
    said = comm.allgather(repr(value))
    for rank, other in enumerate(said):
        if other != said[0]:
            raise InputError(
                f"{name} is {said[0]:.80} on rank 0 and {other:.80} on rank {rank}; give the same "
                "on all ranks"
            )


class Route:
    """Rows that go to other ranks, and the way back.

    Parameters
    ----------
    comm : communicator
    to : array of ranks
        Where each row goes.
    """

    def __init__(self, comm: Any, to: IntArray) -> None:
        self._comm = comm
        self._order = np.argsort(to, kind="stable")
        self._out = np.bincount(to, minlength=comm.size).astype(np.int64)
        self._into = np.empty_like(self._out)
        comm.Alltoall(self._out, self._into)

    def send(self, values: Any) -> Any:
        """Return the values that arrive here, by sender and in its order."""
        return self._move(np.asarray(values)[self._order], self._out, self._into)

    def back(self, values: Any) -> Any:
        """Return one value for each row that was sent, from where it went."""
        arrived = self._move(np.asarray(values), self._into, self._out)
        result = np.empty_like(arrived)
        result[self._order] = arrived
        return result

    def _move(self, values: Any, out: IntArray, into: IntArray) -> Any:
        values = np.ascontiguousarray(values)
        width = int(np.prod(values.shape[1:], dtype=np.int64))
        arrived = np.empty((int(into.sum()), *values.shape[1:]), values.dtype)
        self._comm.Alltoallv([values, out * width], [arrived, into * width])
        return arrived


class Ranges:
    """Numbers 0..n-1 in contiguous ranges, one for each rank.

    Attributes
    ----------
    cuts : (P + 1,) array
    low, high : int
        The range of this rank.
    """

    def __init__(self, comm: Any, cuts: IntArray) -> None:
        self.comm, self.cuts = comm, cuts
        self.low, self.high = int(cuts[comm.rank]), int(cuts[comm.rank + 1])

    @classmethod
    def of_counts(cls, comm: Any, count: int) -> Ranges:
        """Return where each rank has so many."""
        return cls(comm, np.concatenate([[0], np.cumsum(comm.allgather(count))]).astype(np.int64))

    @classmethod
    def even(cls, comm: Any, n: int) -> Ranges:
        """Return all of the same length."""
        return cls(comm, np.arange(comm.size + 1, dtype=np.int64) * n // comm.size)

    @classmethod
    def balanced(cls, comm: Any, n: int, edges: IntArray) -> Ranges:
        """Of about equal work: one for each vertex and one for each end of an edge."""
        even = cls.even(comm, n)
        ends, times = np.unique(edges, return_counts=True)
        route = even.route(ends)
        work: FloatArray = np.ones(even.count)
        np.add.at(work, route.send(ends) - even.low, route.send(times))
        until = np.cumsum(work)
        mine = float(until[-1]) if len(until) else 0.0
        before = comm.exscan(mine) or 0.0
        goals = comm.allreduce(mine) * np.arange(1, comm.size) / comm.size
        here = (goals > before) & (goals <= before + mine)
        cut = np.where(here, even.low + np.searchsorted(until, goals - before), 0)
        cuts = np.zeros(comm.size + 1, np.int64)
        cuts[-1] = n
        comm.Allreduce(cut.astype(np.int64), cuts[1:-1], MPI.MAX)
        return cls(comm, np.maximum.accumulate(cuts))

    @property
    def count(self) -> int:
        """How many are here."""
        return self.high - self.low

    @property
    def total(self) -> int:
        return int(self.cuts[-1])

    def owner(self, numbers: IntArray) -> IntArray:
        """Return the rank that owns each number."""
        return np.searchsorted(self.cuts, numbers, side="right") - 1

    def route(self, numbers: IntArray) -> Route:
        """Return the way to the owners of the numbers."""
        return Route(self.comm, self.owner(numbers))


def sums(place: IntArray, values: Any, count: int) -> FloatArray:
    """For every place the sum of its values."""
    return np.asarray(np.bincount(place, values, count), dtype=np.float64)


class Relation:
    """Which elements lie in each cell held here: values go down to them and come up again.

    Parameters
    ----------
    lower : Ranges
        Who owns the elements.
    cell : array
        For every relation, the cell (as numbered on this rank).
    element : array
        And the element, by its number among all.
    n_cells : int
        Cells held here.
    """

    def __init__(self, lower: Ranges, cell: IntArray, element: IntArray, n_cells: int) -> None:
        self.cell, self.n_cells, self._n_lower = cell, n_cells, lower.count
        self._route = lower.route(element)
        self._at = self._route.send(element) - lower.low

    @classmethod
    def of_table(cls, lower: Ranges, table: IntArray) -> Relation:
        """Of cells that are rows of numbers of elements, all of the same length."""
        cell = np.repeat(np.arange(len(table)), table.shape[1])
        return cls(lower, cell, table.ravel(), len(table))

    def add_up(self, values: FloatArray) -> FloatArray:
        """For every element the sum over its cells; one value for each relation."""
        return sums(self._at, self._route.send(values), self._n_lower)

    def from_elements(self, values: Any) -> Any:
        """Return the value of its element, for each relation."""
        return self._route.back(values[self._at])

    def per_cell(self, values: FloatArray) -> FloatArray:
        """For every cell the sum over its relations."""
        return sums(self.cell, values, self.n_cells)
