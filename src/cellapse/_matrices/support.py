"""Which cells hold an edge, and how much they weigh: (edges x cells) matrices by rank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cellapse._shared.arrays import Entries, Matrix


def pattern(B: Matrix) -> Entries:
    """Ones where there is an entry other than zero."""
    entries = B if isinstance(B, Entries) else Entries.of(B)
    at = np.flatnonzero(entries.values)
    return Entries(entries.rows[at], entries.columns[at], np.ones(len(at)), entries.shape)


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
