"""Signed boundaries of simplices, polygons and larger cells."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._matrices.containment import containment
from cellapse._shared.arrays import Entries, IntArray, csr_from_entries
from cellapse._shared.rows import RowIndex

Signs = tuple[IntArray, IntArray, IntArray]  # rows, columns, signs


def signed_boundary(K: Complex, k: int, below: sparse.csr_array | None) -> sparse.csr_array:
    """B_k with its signs; `below` is the unweighted B_{k-1}, needed to orient large cells.

    partial [v_0, ..., v_k] = sum_i (-1)^i [v_0, ..., v_{i-1}, v_{i+1}, ..., v_k].
    """
    if k == 1:
        return signed_edges(K).csr
    cells = K.cells[k]
    parts = [_simplices(K, k)]
    large = np.flatnonzero(cells.sizes != k + 1)
    if len(large) and k == 2:
        parts.append(_polygons(K, large))
    elif len(large):
        assert below is not None
        parts.append(_orient(K, k, large, below))
    rows, columns, signs = (np.concatenate(part) for part in zip(*parts, strict=True))
    shape = (len(K.cells[k - 1]), len(cells))
    return csr_from_entries(rows, columns, signs, shape)


def signed_edges(K: Complex) -> Entries:
    """B_1 by its entries: -1 at the first end of every edge, 1 at the second."""
    edges = K.cells[1]
    if edges.all_sizes() not in ([], [2]):
        i = int(np.flatnonzero(edges.sizes != 2)[0])
        raise InputError(
            f"cell {K.cell_label(1, i)!r} of rank 1 has {edges.sizes[i]} vertices, and signs need "
            'two ends; use realization="incidence", or hypergraph_complex to split it into pairs'
        )
    signs = np.ones(len(edges.indices))
    signs[::2] = -1.0
    return Entries(
        edges.indices, np.arange(len(edges)).repeat(2), signs, (K.n_vertices, len(edges))
    )


def _simplices(K: Complex, k: int) -> Signs:
    where, table = K.cells[k].of_size(k + 1)
    faces_at, faces = K.cells[k - 1].of_size(k)
    index = RowIndex(faces, K.n_vertices)
    rows: list[IntArray] = [np.empty(0, np.int64)]
    signs: list[IntArray] = [np.empty(0, np.int64)]
    for i in range(k + 1):
        positions = index.find(table[:, np.arange(k + 1) != i])
        if len(positions) and positions.min() < 0:
            raise _not_closed(K, k, int(where[np.argmin(positions)]))
        rows.append(faces_at[positions])
        signs.append(np.full(len(positions), (-1) ** i))
    columns = np.concatenate([np.empty(0, np.int64), *[where] * (k + 1)])
    return np.concatenate(rows), columns, np.concatenate(signs)


def _polygons(K: Complex, large: IntArray) -> Signs:
    """Walks v_0 -> v_1 -> ... -> v_0 along edges, each with or against the edge's direction."""
    faces = K.cells[2]
    sizes = faces.sizes[large]
    tail = np.concatenate([faces[i] for i in large])
    head = np.concatenate([np.roll(faces[i], -1) for i in large])
    edges_at, edges = K.cells[1].of_size(2)
    steps = np.sort(np.column_stack([tail, head]), axis=1)
    positions = RowIndex(edges, K.n_vertices).find(steps)
    owner = np.repeat(large, sizes)
    if positions.min() < 0 or sizes.min() < 3:  # those of three are simplices
        raise _not_closed(K, 2, int(owner[np.argmin(positions)]))
    return edges_at[positions], owner, np.where(tail < head, 1, -1)


def _orient(K: Complex, k: int, large: IntArray, below: sparse.csr_array) -> Signs:
    """Signs of the faces of cells that are no simplices, spread from face to neighbouring face.

    Two faces that meet in a ridge must cancel there; the signs are unique up to their product
    when the faces form a closed connected surface around the cell.
    """
    inside = containment(K, k - 1, k).tocsc()
    rows, columns, signs = [], [], []
    for j in large.tolist():
        faces = inside.indices[inside.indptr[j] : inside.indptr[j + 1]]
        ridges = below[:, faces].tocsr()
        ridges = ridges[np.diff(ridges.indptr) > 0]
        sign = _spread(ridges)
        if sign is None or abs(ridges @ sign).max(initial=0) > 0:
            raise _not_closed(K, k, j)
        rows.append(faces)
        columns.append(np.full(len(faces), j))
        signs.append(sign)
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(signs)


def _spread(ridges: sparse.csr_array) -> IntArray | None:
    if ridges.shape[1] == 0 or (np.diff(ridges.indptr) != 2).any():
        return None
    by_face = ridges.tocsc()
    sign = np.zeros(ridges.shape[1], dtype=np.int64)
    sign[0], waiting = 1, [0]
    while waiting:
        face = waiting.pop()
        for ridge in by_face.indices[by_face.indptr[face] : by_face.indptr[face + 1]]:
            at = slice(ridges.indptr[ridge], ridges.indptr[ridge + 1])
            pair, values = ridges.indices[at], ridges.data[at]
            here = int(pair[1] == face)
            other = pair[1 - here]
            if sign[other] == 0:
                sign[other] = -sign[face] * int(values[here] * values[1 - here])
                waiting.append(int(other))
    return sign if sign.all() else None


def _not_closed(K: Complex, k: int, j: int) -> InputError:
    walk = "listed in the order of the walk along its edges, " if k == 2 else ""
    return InputError(
        f"cell {K.cell_label(k, j)!r} of rank {k} is not bounded by cells of rank {k - 1}; signed "
        f"boundaries need its whole boundary in the complex: {walk}add what is missing, or use "
        'realization="incidence"'
    )
