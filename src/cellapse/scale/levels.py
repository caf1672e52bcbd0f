"""Whether a graph has small cuts, told by the levels of a breadth-first search over ranks.

The same test as on one machine: it expands if one level of a search from a far vertex holds an
eighth of the core, which is what is left without vertices of degree one and two.
"""

from __future__ import annotations

import numpy as np

from cellapse._linalg.tuning import DENSE_BLOCK
from cellapse._shared.arrays import BoolArray, IntArray
from cellapse.scale.edges import EdgeTable
from cellapse.scale.libraries import MPI
from cellapse.scale.routes import Ranges


def widest_level(edges: EdgeTable) -> tuple[int, int]:
    """The widest level of a search from a far vertex, and the size of the core."""
    vertices, comm = edges.vertices, edges.vertices.comm
    starts, columns = edges.neighbours()
    core = _core(vertices, starts, columns, edges.degree)
    size = int(comm.allreduce(int(core.sum())))
    if size == 0:
        return 0, 0
    here = np.flatnonzero(core)
    far = comm.allreduce(int(here[0]) + vertices.low if len(here) else vertices.total, MPI.MIN)
    for _ in range(2):  # to the far end, and back to measure
        far, widest = _search(vertices, starts, columns, core, far)
    return widest, size


def expands(edges: EdgeTable) -> bool:
    """Whether the graph has no small cuts."""
    widest, size = widest_level(edges)
    return widest > max(size / 8, DENSE_BLOCK)


def _core(vertices: Ranges, starts: IntArray, columns: IntArray, degree: IntArray) -> BoolArray:
    left, alive = degree.copy(), degree > 0
    for _ in range(50):
        gone = np.flatnonzero(alive & (left <= 2))
        if not vertices.comm.allreduce(len(gone)):
            break
        alive[gone] = False
        lost = _at_owner(vertices, _around(starts, columns, gone))
        left -= np.bincount(lost, minlength=len(left))
    return alive


def _search(
    vertices: Ranges, starts: IntArray, columns: IntArray, core: BoolArray, root: int
) -> tuple[int, int]:
    """One of the last vertices of a breadth-first search in the core, and its widest level."""
    comm = vertices.comm
    free = core.copy()
    level = np.array([root - vertices.low]) if vertices.low <= root < vertices.high else _NONE
    widest = 0
    while True:
        free[level] = False
        size = int(comm.allreduce(len(level)))
        widest = max(widest, size)
        reached = np.unique(_at_owner(vertices, _around(starts, columns, level)))
        following = reached[free[reached]]
        if not comm.allreduce(len(following)):
            last = int(level[0]) + vertices.low if len(level) else vertices.total
            return int(comm.allreduce(last, MPI.MIN)), widest
        level = following


_NONE: IntArray = np.empty(0, np.int64)


def _around(starts: IntArray, columns: IntArray, rows: IntArray) -> IntArray:
    """The neighbours (and themselves) of some vertices here."""
    count = starts[rows + 1] - starts[rows]
    offset = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return columns[np.repeat(starts[rows], count) + offset]


def _at_owner(vertices: Ranges, numbers: IntArray) -> IntArray:
    """The places here of the vertices that all ranks name."""
    return vertices.route(numbers).send(numbers) - vertices.low
