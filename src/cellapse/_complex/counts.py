"""The number of cells of every rank in words: triangles where they are, else cells of rank 2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_SIMPLICES = {1: ("edge", "edges"), 2: ("triangle", "triangles"), 3: ("tetrahedron", "tetrahedra")}


def cells_in_words(K: Any, vertices: str = "vertices") -> str:
    """Return how many cells a complex has of each rank.

    >>> from cellapse._complex.complex import Complex
    >>> cells_in_words(Complex.from_arrays(3, {1: [[0, 1]]}), "nodes")
    '3 nodes, 1 edge'
    >>> cells_in_words(Complex.from_cells({2: [("a", "b", "c", "d")]}))
    '4 vertices, 0 edges, 1 cell of rank 2'
    """
    simplices = 3 if K.is_simplicial else 0
    if not simplices and K.max_rank:
        simplices = int(len(K.cells[1].indices) == 2 * K.n_cells[1])
    return counts_in_words(K.n_cells, simplices, vertices)


def counts_in_words(n_cells: Sequence[int], simplices: int = 0, vertices: str = "vertices") -> str:
    """Counts by rank, up to the rank `simplices` by the names of simplices.

    >>> counts_in_words((4, 5, 1))
    '4 vertices, 5 cells of rank 1, 1 cell of rank 2'
    """
    names = {0: ("vertex" if vertices == "vertices" else vertices[:-1], vertices)}
    names |= {k: words for k, words in _SIMPLICES.items() if k <= simplices}
    parts = []
    for k, n in enumerate(n_cells):
        one, many = names.get(k, (f"cell of rank {k}", f"cells of rank {k}"))
        parts.append(f"{n:,} {one if n == 1 else many}")
    return ", ".join(parts)
