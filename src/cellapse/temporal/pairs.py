"""The pairs of vertices that ever share a cell, each with one number for all windows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cellapse._complex.cells import Cells
from cellapse._shared.arrays import IntArray
from cellapse._shared.memory import draw_memory
from cellapse.lifts.hyperedges import first_copies


def distinct(ascending: IntArray) -> IntArray:
    """Each of some numbers in order once.

    >>> distinct(np.array([1, 1, 4])).tolist()
    [1, 4]
    """
    first = np.ones(len(ascending), dtype=bool)
    first[1:] = ascending[1:] != ascending[:-1]
    return ascending[first]


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs within cells, each once and in order, and which of them each cell holds.

    Attributes
    ----------
    ends : (m, 2) array
        Both vertices of every pair, in lexicographic order.
    keys : (m,) array
        The same as one number each.
    indptr, indices : arrays
        `indices[indptr[i]:indptr[i + 1]]` are the pairs of cell i.
    distinct : array
        The number of the set of vertices of each cell, -1 where it has less than three.
    sets : array
        A cell with each of these sets of vertices.
    """

    ends: IntArray
    keys: IntArray
    indptr: IntArray
    indices: IntArray
    distinct: IntArray
    sets: IntArray

    @classmethod
    def of(cls, cells: Cells, n: int) -> Pairs:
        """Those of some cells, on n vertices."""
        sizes = cells.sizes.astype(np.int64)
        counts = sizes * (sizes - 1) // 2
        total = int(counts.sum())
        draw_memory(64.0 * total, f"the {total:,} pairs within cells", "leave out the largest")
        indptr = np.concatenate([[0], np.cumsum(counts)])
        keys = np.empty(total, dtype=np.int64)
        for size in cells.all_sizes():
            where, rows = cells.of_size(size)
            i, j = np.triu_indices(size, 1)
            at = indptr[where][:, None] + np.arange(len(i))
            keys[at] = rows[:, i] * n + rows[:, j]
        unique, indices = np.unique(keys, return_inverse=True)
        distinct, sets = np.full(len(cells), -1), np.empty(0, dtype=np.int64)
        large = np.flatnonzero(sizes > 2)
        if len(large):
            first = first_copies(cells.take(large), n)
            sets, distinct[large] = np.unique(large[first], return_inverse=True)
        ends = np.column_stack([unique // n, unique % n])
        return cls(ends, unique, indptr, indices.astype(np.int64), distinct, sets)

    @cached_property
    def by_second(self) -> IntArray:
        """All pairs in the order of their second vertex."""
        return np.argsort(self.ends[:, 1], kind="stable")

    def of_cells(self, chosen: IntArray) -> tuple[IntArray, IntArray]:
        """The pairs of some cells, and at which place among these each cell stands."""
        count = self.indptr[chosen + 1] - self.indptr[chosen]
        owner = np.repeat(np.arange(len(chosen)), count)
        offset = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
        return self.indices[self.indptr[chosen][owner] + offset], owner
