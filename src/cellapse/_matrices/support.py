"""Which cells hold an edge, and how much they weigh: (edges x cells) matrices by rank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from cellapse._shared.arrays import squared


def supports(upper: list[sparse.csr_array], n_cells: Sequence[int]) -> list[sparse.csr_array]:
    """(edges x cells) matrices of weights of the cells around each edge, one for each rank >= 2.

    Of the elements of a rank, the first of `n_cells` are cells. The formal ones after them lead
    from an edge to a cell of a higher rank, but support nothing themselves.
    """
    around: list[sparse.csr_array] = []
    reach = None
    for B, n in zip(upper, n_cells, strict=True):
        pattern = (abs(B) > 0).astype(np.float64)
        reach = pattern if reach is None else ((reach @ pattern) > 0).astype(np.float64)
        weight = np.zeros(B.shape[1])
        columns = sparse.csc_array(squared(B))
        filled = np.diff(columns.indptr) > 0
        weight[filled] = columns.data[columns.indptr[:-1][filled]]  # one weight per cell
        around.append(sparse.csr_array((reach @ sparse.diags_array(weight))[:, :n]))
    return around
