"""Complexes side by side, and where in stacks of dense matrices each of them is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._shared.arrays import Entries, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Places:
    """To which complex the elements of one rank belong, and their number there."""

    owner: IntArray
    local: IntArray
    count: IntArray  # of elements of every complex

    @classmethod
    def of(cls, owner: IntArray, n_complexes: int) -> Places:
        """Number the elements of every complex in their order."""
        count = np.bincount(owner, minlength=n_complexes)
        local = np.arange(len(owner))
        if n_complexes > 1:  # of one alone they are numbered already
            order = np.argsort(owner, kind="stable")
            local[order] = local - np.repeat(np.cumsum(count) - count, count)
        return cls(owner, local, count)


class Layout:
    """Where the elements of each rank are, and which complexes have the same shape."""

    def __init__(self, complexes: list[Complex], matrices: list[Entries]) -> None:
        n = len(complexes)
        counts = np.array([K.n_cells for K in complexes])
        owner = np.repeat(np.arange(n), counts[:, 0])
        self.places = [Places.of(owner, n)]
        for rank, B in enumerate(matrices, start=1):
            real, below = counts[:, rank].sum(), owner
            owner = np.repeat(np.arange(n), counts[:, rank])
            if real < B.shape[1]:
                formal = B.columns >= real
                last = np.zeros(B.shape[1] - real, dtype=np.int64)
                last[B.columns[formal] - real] = B.rows[formal]  # each above one of its owner's
                owner = np.concatenate([owner, below[last]])
            self.places.append(Places.of(owner, n))
        group = np.zeros(1, dtype=np.int64)
        if n > 1:  # one alone has its own shape
            shapes = np.stack([p.count for p in self.places], axis=1)
            group = np.unique(shapes, axis=0, return_inverse=True)[1]
        self.order = np.argsort(group.ravel(), kind="stable")  # equal shapes next to each other
        cuts = [0, *np.cumsum(np.bincount(group.ravel())).tolist()]
        # The numbers of the complexes of one shape, one shape after the other.
        self.groups = [self.order[start:stop] for start, stop in pairwise(cuts)]

    def stacks(self, B: Entries, low: Places, high: Places) -> list[FloatArray]:
        """The blocks of a matrix between two ranks, one (complexes, rows, columns) a group."""
        if len(self.order) == 1:  # the matrix is its only block
            return [B.toarray()[None]]
        size = (low.count * high.count)[self.order]
        start = np.empty(len(size), dtype=np.int64)
        start[self.order] = np.cumsum(size) - size
        flat = np.zeros(int(size.sum()))
        i, j = B.rows, B.columns
        owner = low.owner[i]
        flat[start[owner] + low.local[i] * high.count[owner] + high.local[j]] = B.values
        cut = []
        for group in self.groups:
            rows, columns, at = low.count[group[0]], high.count[group[0]], start[group[0]]
            end = at + len(group) * rows * columns
            cut.append(flat[at:end].reshape(len(group), rows, columns))
        return cut

    def kernels(self, kernel: Entries | None) -> tuple[list[FloatArray], IntArray]:
        """Kernel vectors of every complex (as many columns as the richest has) and their number."""
        vertices = self.places[0]
        n = len(vertices.count)
        if kernel is None:
            none = np.empty(0, dtype=np.int64)
            kernel = Entries(none, none, np.empty(0), (len(vertices.owner), 0))
        any_ = np.zeros(kernel.shape[1], dtype=np.int64)
        any_[kernel.columns] = kernel.rows  # each is of one complex
        places = Places.of(vertices.owner[any_], n)
        width = np.full(n, places.count.max(initial=0))
        padded = Places(places.owner, places.local, width)
        return self.stacks(kernel, vertices, padded), places.count

    def rows(self, values: FloatArray, places: Places) -> list[FloatArray]:
        """One number per element of a rank, as one (complexes, elements) array a group."""
        if len(self.order) == 1:  # nothing to sort
            return [values[None, :]]
        place = np.empty(len(self.order), dtype=np.int64)
        place[self.order] = np.arange(len(self.order))
        sorted_ = values[np.lexsort((places.local, place[places.owner]))]
        counts = [(len(group), places.count[group[0]]) for group in self.groups]
        ends = np.cumsum([n * m for n, m in counts])
        return [
            sorted_[e - n * m : e].reshape(n, m) for e, (n, m) in zip(ends, counts, strict=True)
        ]
