"""The cells of one rank, as a ragged integer table.

Two flat arrays (`indptr`, `indices`) as in a sparse CSR matrix: millions of cells cost no more than
their members. A cell is a set of vertices. Cells are stored in ascending order, which orients
simplices; only a cell of rank 2 with more than three vertices keeps the order in which it was
listed, which is the walk along its boundary.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np
from scipy import sparse

from cellapse._errors import InputError, PositionError
from cellapse._shared.arrays import IntArray
from cellapse._shared.checks import unmasked

_SHOWN = 5  # cells in a repr


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of one rank: cell i holds the vertices `indices[indptr[i]:indptr[i + 1]]`.

    >>> edges = build_cells(1, [[0, 1], [2, 1]], n_vertices=3, labels=range(3))
    >>> len(edges), edges[1].tolist(), edges.sizes.tolist()
    (2, [1, 2], [2, 2])
    >>> edges[:1]
    Cells([[0, 1]])
    """

    indptr: IntArray
    indices: IntArray

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @overload
    def __getitem__(self, i: int) -> IntArray: ...
    @overload
    def __getitem__(self, i: slice | Sequence[int] | IntArray) -> Cells: ...
    def __getitem__(self, i: Any) -> IntArray | Cells:
        """Return one cell as its vertices, or some cells by a slice or a list of positions."""
        try:
            if not isinstance(i, int | np.integer):
                return self.take(np.arange(len(self))[i])
            i = range(len(self))[i]
        except IndexError:
            raise PositionError(
                f"[{i!r:.80}] of {len(self)} cells; positions go from 0 to {len(self) - 1}"
            ) from None
        return self.indices[self.indptr[i] : self.indptr[i + 1]]

    def __repr__(self) -> str:
        shown = [cell.tolist() for cell in self[:_SHOWN]]
        rest = f", {len(self):,} in all" if len(self) > _SHOWN else ""
        return f"Cells({shown!r}{rest})"

    def __iter__(self) -> Iterator[IntArray]:
        return (self[i] for i in range(len(self)))

    @cached_property
    def sizes(self) -> IntArray:
        """Number of vertices of each cell."""
        return np.diff(self.indptr)

    @cached_property
    def is_uniform(self) -> bool:
        """Whether all cells have the same number of vertices."""
        return len(self) == 0 or bool((self.sizes == self.sizes[0]).all())

    def as_array(self, width: int = 0) -> IntArray:
        """Return the cells as a table with one row per cell, when all have the same size.

        `width` is for no cells at all, which have no size.
        """
        if not self.is_uniform:
            raise InputError(
                f"cells of {self.sizes.min()} to {self.sizes.max()} vertices do not form a table; "
                "iterate over them instead"
            )
        width = int(self.sizes[0]) if len(self) else width
        return self.indices.reshape(len(self), width)

    def all_sizes(self) -> list[int]:
        """Return the numbers of vertices that cells have, in ascending order."""
        if self.is_uniform:
            return self.sizes[:1].tolist()
        return np.unique(self.sizes).tolist()

    def of_size(self, size: int) -> tuple[IntArray, IntArray]:
        """Return positions of the cells with `size` vertices, and those cells as a table."""
        if self.is_uniform and len(self) and self.sizes[0] == size:
            return np.arange(len(self)), self.as_array()
        where = np.flatnonzero(self.sizes == size)
        return where, self.indices[self.indptr[where][:, None] + np.arange(size)]

    def take(self, positions: IntArray) -> Cells:
        """Return the cells at some positions, in that order."""
        sizes = self.sizes[positions]
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        shift = np.repeat(self.indptr[positions] - indptr[:-1], sizes)
        return Cells(indptr, self.indices[np.arange(indptr[-1]) + shift])

    def membership(self, n_vertices: int) -> sparse.csr_array:
        """Return the sparse (cells x vertices) table of ones: who belongs to what."""
        ones = np.ones(len(self.indices), dtype=np.int32)
        shape = (len(self), n_vertices)
        return sparse.csr_array((ones, self.indices, self.indptr), shape=shape)


def star_graph(tables: Sequence[Cells], n_vertices: int) -> sparse.csr_array:
    """The graph that joins the first vertex of every cell to its others: as connected as the cells.

    Entry (i, j) counts the cells with i first and j another, or i itself.

    >>> star_graph([build_cells(2, [[0, 1, 2]], 3, "abc")], 3).toarray().tolist()
    [[1, 1, 1], [0, 0, 0], [0, 0, 0]]
    """
    first = [np.repeat(c.indices[c.indptr[:-1]], c.sizes) for c in tables]
    other = [c.indices for c in tables]
    i = np.concatenate([*first, np.empty(0, np.int64)])
    j = np.concatenate([*other, np.empty(0, np.int64)])
    ones = np.ones(len(i), np.int32)
    return sparse.coo_array((ones, (i, j)), shape=(n_vertices, n_vertices)).tocsr()


def build_cells(rank: int, cells: Any, n_vertices: int, labels: Sequence[Hashable]) -> Cells:
    """Check and store the cells of one rank; `labels` are only for the error messages."""
    indptr, indices = _flat(rank, cells)
    sizes = np.diff(indptr)
    if not len(indptr) or indptr[0] != 0 or (sizes < 0).any() or indptr[-1] != len(indices):
        raise InputError(
            f"indptr of rank {rank} must rise from 0 to the {len(indices)} indices given"
        )
    if len(sizes) and sizes.min() == 0:
        empty = int(np.argmin(sizes))
        raise InputError(f"cell number {empty} of rank {rank} is empty; a cell needs vertices")

    def name(at: int) -> str:
        i = int(np.searchsorted(indptr, at, side="right")) - 1
        members = indices[indptr[i] : indptr[i + 1]].tolist()
        return repr(tuple(labels[v] if 0 <= v < n_vertices else v for v in members))

    if len(indices) and (indices.min() < 0 or indices.max() >= n_vertices):
        at = int(np.argmax((indices < 0) | (indices >= n_vertices)))
        raise InputError(
            f"cell {name(at)} of rank {rank} names vertex {indices[at]}, but the vertices are "
            f"0..{n_vertices - 1}; raise n_vertices"
        )
    ascending = ascending_rows(indices, indptr)
    if ascending is not indices:  # where all ascend already, none is there twice
        twice = ascending[1:] == ascending[:-1]
        twice[indptr[1:-1] - 1] = False  # neighbours that belong to two cells
        if twice.any():
            at = int(np.argmax(twice))
            raise InputError(
                f"cell {name(at)} of rank {rank} names vertex {labels[ascending[at]]!r} twice; "
                "a cell is a set of vertices: remove one"
            )
    if rank == 2 and len(sizes) and sizes.max() > 3:  # walks keep their order
        ascending = np.where(np.repeat(sizes > 3, sizes), indices, ascending)
    indptr.flags.writeable = ascending.flags.writeable = False
    return Cells(indptr, ascending)


def _flat(rank: int, cells: Any) -> tuple[IntArray, IntArray]:
    flat = isinstance(cells, tuple) and all(
        isinstance(a, np.ndarray) and a.ndim == 1 for a in cells
    )
    if flat and len(cells) == 2:
        return _integers(rank, cells[0]), _integers(rank, cells[1])
    if sparse.issparse(cells):
        raise InputError(f"the cells of rank {rank} are a sparse matrix; give one row per cell")
    empty = isinstance(cells, Sized) and len(cells) == 0
    rows = np.empty((0, rank + 1), dtype=np.int64) if empty else _integers(rank, cells)
    if rows.ndim != 2:
        raise InputError(
            f"the cells of rank {rank} have shape {rows.shape}; give one row of vertex positions "
            "a cell, or (indptr, indices)"
        )
    return np.arange(len(rows) + 1, dtype=np.int64) * rows.shape[1], rows.ravel()


def ascending_rows(indices: IntArray, indptr: IntArray) -> IntArray:
    """Return the indices with the members of every cell in ascending order."""
    sizes = np.diff(indptr)
    if not len(sizes) or (sizes == sizes[0]).all():  # a plain table: no need to sort all at once
        rows = indices.reshape(len(sizes), -1) if len(sizes) else indices.reshape(0, 1)
        if (rows[:, 1:] > rows[:, :-1]).all():
            return indices
        return np.sort(rows, axis=1).ravel()
    span = int(indices.max(initial=0)) + 1
    cell = np.repeat(np.arange(len(sizes)), sizes)
    if len(sizes) * span >= 2**62 or indices.min(initial=0) < 0:  # no single integer says it
        return indices[np.lexsort((indices, cell))]
    return np.sort(cell * span + indices) - cell * span


def _integers(rank: int, values: Any) -> IntArray:
    if not np.iterable(values):
        raise InputError(f"the cells of rank {rank} are {values!r}; give a list of cells")
    values = unmasked(values, f"the list of cells of rank {rank}")
    try:
        array = np.asarray(values)
    except ValueError:  # rows of several lengths
        raise InputError(
            f"the cells of rank {rank} have several sizes; give (indptr, indices) or use from_cells"
        ) from None
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise InputError(
            f"the cells of rank {rank} hold {array.dtype} values; vertex positions are integers"
        )
    return array.astype(np.int64)
