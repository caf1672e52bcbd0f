"""Which cells hold an edge, and how much they weigh: (edges x cells) matrices by rank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._matrices.kinds import edges_and_cofaces
from cellapse._shared.arrays import Entries, Matrix


def cells_around_edges(K: Complex) -> list[sparse.csr_array]:
    """Which cells hold which edge: (edges x cells) matrices of their weights, by rank from 2 up.

    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> cells_around_edges(K)[0].toarray().ravel().tolist()
    [1.0, 1.0, 1.0]
    """
    return [around.csr for around in supports(edges_and_cofaces(K)[1], K.n_cells[2:])]


def pattern(B: Matrix) -> Entries:
    """Ones where there is an entry other than zero."""
    entries = B if isinstance(B, Entries) else Entries.of(B)
    rows, columns = entries.rows, entries.columns
    if not entries.values.all():
        rows, columns = rows[entries.values != 0], columns[entries.values != 0]
    return Entries(rows, columns, np.ones(len(rows)), entries.shape)


def supports(upper: Sequence[Matrix], n_cells: Sequence[int]) -> list[Entries]:
    """(edges x cells) matrices of weights of the cells around each edge, one for each rank >= 2.

    Of the elements of a rank, the first of `n_cells` are cells. The formal ones after them lead
    from an edge to a cell of a higher rank, but support nothing themselves.
    """
    around: list[Entries] = []
    reach = None
    for B, n in zip(upper, n_cells, strict=True):
        entries = B if isinstance(B, Entries) else Entries.of(B)
        weight = np.zeros(B.shape[1])
        weight[entries.columns[::-1]] = entries.values[::-1] ** 2  # one per cell, of its first edge
        step = pattern(entries)
        reach = step if reach is None else pattern(reach.csr @ step.csr)
        cell = reach.columns < n
        rows, columns = reach.rows[cell], reach.columns[cell]
        around.append(Entries(rows, columns, weight[columns], (reach.shape[0], n)))
    return around
