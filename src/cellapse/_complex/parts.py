"""Parts of a complex: which cells lie within some vertices, or hold given cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cellapse._complex.cells import Cells, ascending_rows
from cellapse._complex.labels import as_tuples, numbered, positions
from cellapse._complex.validity import check_ranks
from cellapse._errors import InputError
from cellapse._shared.arrays import BoolArray, FloatArray, IntArray
from cellapse._shared.rows import RowIndex

NO_CELLS = Cells(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64))
Weighted = tuple[FloatArray | None, Cells]


def labelled_cells(given: Mapping[int, Any], labels: Sequence[Any]) -> dict[int, Cells]:
    """Cells in the user's words by rank, from 1 up, as positions of vertices that are there."""
    position, found = positions(labels), {}
    for k in check_ranks(given):
        if k == 0:
            raise InputError(
                "cells of rank 0 are vertices; Complex.from_cells makes others, and "
                "K.subcomplex(vertices) leaves some out"
            )
        found[k] = Cells(*numbered(k, as_tuples(k, given[k]), position))
    return found


def all_within(cells: Cells, kept: BoolArray) -> BoolArray:
    """Return whether all vertices of a cell are among those kept, for every cell.

    >>> all_within(Cells(np.array([0, 2, 4]), np.array([0, 1, 1, 2])), np.array([1, 1, 0]) > 0)
    array([ True, False])
    """
    outside = np.concatenate([[0], np.cumsum(~kept[cells.indices])])
    return outside[cells.indptr[1:]] == outside[cells.indptr[:-1]]


def that_hold(cells: Cells, inner: Cells, n_vertices: int) -> BoolArray:
    """Return whether a cell holds one of the inner ones, or is one of them, for every cell."""
    shared = (cells.membership(n_vertices) @ inner.membership(n_vertices).T).tocoo()
    whole = shared.data == inner.sizes[shared.col]
    held = np.zeros(len(cells), dtype=bool)
    held[shared.row[whole]] = True
    return held


def places_of(wanted: Cells, cells: Cells, n_vertices: int) -> IntArray:
    """Return where each cell with the same vertices stands, or -1."""
    places = np.full(len(wanted), -1, dtype=np.int64)
    ascending = Cells(cells.indptr, ascending_rows(cells.indices, cells.indptr))
    sorted_ = Cells(wanted.indptr, ascending_rows(wanted.indices, wanted.indptr))
    for size in wanted.all_sizes():
        (here, rows), (there, known) = sorted_.of_size(size), ascending.of_size(size)
        found = RowIndex(known, n_vertices).find(rows)
        places[here] = np.where(found >= 0, there[found] if len(there) else -1, -1)
    return places


def joined(first: Cells, second: Cells) -> tuple[IntArray, IntArray]:
    """Return the cells of both, one after the other."""
    indptr = np.concatenate([first.indptr, first.indptr[-1] + second.indptr[1:]])
    return indptr, np.concatenate([first.indices, second.indices])


def followed(column: NDArray[Any], count: int) -> NDArray[Any]:
    """Return a column of an attribute with None for so many more cells."""
    if not count:
        return column
    longer = np.empty(len(column) + count, dtype=object)
    longer[: len(column)] = list(column)
    return longer


def both_weights(first: Weighted, second: Weighted) -> FloatArray | None:
    """Return the weights of both, where one has some; then the others are 1."""
    if first[0] is None and second[0] is None:
        return None
    return np.concatenate([np.ones(len(c)) if w is None else w for w, c in (first, second)])
