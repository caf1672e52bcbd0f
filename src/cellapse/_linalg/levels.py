r"""How far a sparse factorization fills in, told by the levels of a breadth-first search.

A level separates what lies before it from what lies behind; eliminated last, it becomes a dense
block, so that with w rows in the widest level and n rows in all a factor has about

    w^2 + 3 n log2(n) + 3 nnz     entries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

DENSE_BLOCK = 250  # rows whose dense elimination takes no time


def expands(graph: sparse.csr_array) -> bool:
    """Whether a graph has no small cuts, so that a factorization would fill in.

    That is when one level of a breadth-first search holds an eighth of its core, and more than is
    quickly eliminated as a dense block.
    """
    widest, n = widest_level(graph)
    return widest > max(n / 8, DENSE_BLOCK)


def factor_size(matrix: sparse.csc_array) -> float:
    """About how many bytes a factor takes: the widest level of a search becomes a dense block.

    Measured on random, small-world, geometric graphs and meshes; within a factor of three there.
    """
    n = matrix.shape[0]
    filled = widest_level(matrix)[0] ** 2 + 3 * n * np.log2(n + 2) + 3 * matrix.nnz
    return 12.0 * filled  # a number and an index each


def widest_level(graph: Any) -> tuple[int, int]:
    """The widest level of a breadth-first search from a far vertex, and the size of the core.

    The core is what is left when vertices of degree one and two, which never fill in, are peeled
    off. Of several components the largest is searched.
    """
    core = sparse.csr_array(graph.T if graph.format == "csc" else graph)  # the same pattern
    if not core.data.all():
        core = sparse.csr_array(core, copy=True)
        core.eliminate_zeros()
    for _ in range(50):  # what is left of long chains is narrow
        degree = np.diff(core.indptr) - (core.diagonal() != 0)
        keep = np.flatnonzero(degree > 2)
        if len(degree) - len(keep) <= len(degree) // 500:  # so few make no difference
            break
        core = core[keep][:, keep]
    n = core.shape[0]
    if n == 0:
        return 0, 0
    order, _ = breadth_first_order(core, 0)  # the pattern is symmetric: directed is enough
    if len(order) <= n / 2:
        component = connected_components(core, directed=False)[1]
        largest = np.flatnonzero(component == np.bincount(component).argmax())
        order, _ = breadth_first_order(core, largest[0])
    order, parent = breadth_first_order(core, order[-1])  # from the far end, to measure
    return _widest_level(order, parent), n


def _widest_level(order: NDArray[Any], parent: NDArray[Any]) -> int:
    """The size of the largest level of a breadth-first search."""
    place = np.empty(len(parent), dtype=np.int64)
    place[order] = np.arange(len(order))
    above = place[parent[order[1:]]]  # ascending: levels are contiguous in the order
    widest, start, stop = 1, 0, 1
    while stop < len(order):
        start, stop = stop, 1 + int(np.searchsorted(above, stop))
        widest = max(widest, stop - start)
    return widest
