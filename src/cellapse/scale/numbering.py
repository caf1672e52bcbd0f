"""Numbers of vertices as they were given, and as ranks hold them.

Every rank holds a range. As given, the ranges follow the numbers of the user; after a partition a
rank's vertices are renumbered so that they are a range again, in the order they were given.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.scale.routes import Ranges


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
        """The numbers of some vertices, anywhere."""
        return given

    def given(self, numbers: IntArray) -> IntArray:
        """What some vertices, anywhere, were given as."""
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
