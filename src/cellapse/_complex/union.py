"""Many complexes as one, side by side, and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cellapse._complex.cells import Cells
from cellapse._complex.complex import Complex

_PART = 3_000_000  # entries of the largest stack made at once


def side_by_side(complexes: list[Complex]) -> Complex:
    """Return the disjoint union, numbered one complex after the other; all of one largest rank.

    >>> side_by_side([Complex.from_arrays(2, {1: [[0, 1]]})] * 2).cells[1].as_array().tolist()
    [[0, 1], [2, 3]]
    """
    if len(complexes) == 1:
        return complexes[0]
    n = np.array([K.n_vertices for K in complexes])
    start = np.cumsum(n) - n
    tables, weights = [], []
    for rank in range(complexes[0].max_rank + 1):
        cells = [K.cells[rank] for K in complexes]
        sizes = np.concatenate([c.sizes for c in cells])
        shift = np.repeat(start, [len(c.indices) for c in cells])
        indices = np.concatenate([c.indices for c in cells]) + shift
        tables.append(Cells(np.concatenate([[0], np.cumsum(sizes)]), indices))
        given = [K.weights[rank] for K in complexes]
        weighted = any(w is not None for w in given)
        ones = [np.ones(len(c)) if w is None else w for c, w in zip(cells, given, strict=True)]
        weights.append(np.concatenate(ones) if weighted else None)
    total = int(n.sum())
    return Complex(range(total), tuple(tables), tuple(weights), ({},) * len(tables))


def separate(union: Complex, n_vertices: Sequence[int]) -> list[Complex]:
    """The complexes that lie side by side in one whose cells are listed one complex after another.

    >>> union = Complex.from_arrays(5, {1: [[0, 1], [2, 3], [2, 4]]})
    >>> [K.cells[1].as_array().tolist() for K in separate(union, [2, 3])]
    [[[0, 1]], [[0, 1], [0, 2]]]
    """
    if len(n_vertices) == 1:
        return [union]
    start = np.concatenate([[0], np.cumsum(n_vertices)])
    parts: list[list[Cells]] = [[] for _ in n_vertices]
    weights: list[list[np.ndarray | None]] = [[] for _ in n_vertices]
    for cells, given in zip(union.cells, union.weights, strict=True):
        owner = np.searchsorted(start, cells.indices[cells.indptr[:-1]], side="right")
        cuts = np.searchsorted(owner, np.arange(1, len(start) + 1))
        for i, (low, high) in enumerate(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)):
            bounds = cells.indptr[low : high + 1]
            parts[i].append(
                Cells(bounds - bounds[0], cells.indices[bounds[0] : bounds[-1]] - start[i])
            )
            weights[i].append(None if given is None else given[low:high])
    return [
        Complex(range(n), tuple(tables), tuple(w), ({},) * len(tables))
        for n, tables, w in zip(n_vertices, parts, weights, strict=True)
    ]


def parts_of_one_kind(given: Sequence[Complex], large: int) -> Iterator[list[int]]:
    """Yield numbers of complexes of one kind that fit into memory side by side, of similar size.

    A complex of more than `large` vertices is a part of its own.
    """

    def kind(i: int) -> tuple[int, bool]:
        K = given[i]
        return K.max_rank, K.max_rank > 0 and bool(K.cells[1].sizes.max(initial=0) > 2)

    if len(given) == 1:  # nothing to sort
        yield [0]
        return
    order = sorted(range(len(given)), key=lambda i: (kind(i), given[i].n_cells))
    part: list[int] = []
    entries = 0
    for i in order:
        n = given[i].n_cells
        size = max(a * max(a, b) for a, b in zip(n, (*n[1:], 1), strict=True))
        full = entries + size > _PART or n[0] > large
        if part and (full or kind(i) != kind(part[0])):
            yield part
            part, entries = [], 0
        part.append(i)
        entries += size
    if part:
        yield part
