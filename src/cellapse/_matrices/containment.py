"""Which cell lies inside which, and rank completion where ranks are skipped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._shared.arrays import Entries, IntArray, csr_from_entries
from cellapse._shared.rows import RowIndex

# Looking all subsets of a cell up beats intersecting it with others up to about this many.
_MAX_SUBSETS = 2000
_AT_ONCE = 100_000  # subsets that are looked up at once


def containment(K: Complex, low: int, high: int) -> sparse.csr_array:
    """The (n_low x n_high) matrix of ones where a cell of rank `low` lies inside one of `high`.

    >>> K = Complex.from_cells({1: [("a", "b"), ("b", "c")], 2: [("a", "b", "c")]})
    >>> containment(K, 1, 2).toarray().tolist()
    [[1.0], [1.0]]
    """
    return contained(K, low, high).csr


def contained(K: Complex, low: int, high: int) -> Entries:
    """The same by its entries."""
    x, y = K.cells[low], K.cells[high]
    shape = (len(x), len(y))
    owner: IntArray
    if low == 0:
        owner = np.repeat(np.arange(shape[1]), y.sizes)
        return Entries(y.indices, owner, np.ones(len(owner)), shape)
    none = np.empty(0, np.int64)
    if not len(y):  # nothing to look up
        return Entries(none, none, np.empty(0), shape)
    rows: list[IntArray] = []
    columns: list[IntArray] = []
    for t in x.all_sizes():
        where_x, table = x.of_size(t)
        index = RowIndex(np.sort(table, axis=1) if t > 3 else table, K.n_vertices)
        for s in (s for s in y.all_sizes() if s > t):
            where_y, cells = y.of_size(s)
            if comb(s, t) <= _MAX_SUBSETS:
                if s > 3:  # walks keep their order; all others ascend already
                    cells = np.sort(cells, axis=1)
                for faces, owners in _subsets_there(index, cells, t):
                    # Where all are of one size, their positions are all there are
                    rows.append(faces if x.is_uniform else where_x[faces])
                    columns.append(owners if y.is_uniform else where_y[owners])
            else:
                members = (
                    x.membership(K.n_vertices)[where_x] @ y.membership(K.n_vertices)[where_y].T
                )
                inside = members.tocoo()
                keep = inside.data == t
                rows.append(where_x[inside.row[keep]])
                columns.append(where_y[inside.col[keep]])
    if len(rows) == 1:  # saves a copy
        return Entries(rows[0], columns[0], np.ones(len(rows[0])), shape)
    i, j = np.concatenate([none, *rows]), np.concatenate([none, *columns])
    return Entries(i, j, np.ones(len(i)), shape)


@lru_cache(maxsize=64)  # it takes as long as looking a few cells up
def _subsets(s: int, t: int) -> IntArray:
    return np.array(list(combinations(range(s), t)))


def _subsets_there(index: RowIndex, cells: IntArray, t: int) -> Iterator[tuple[IntArray, IntArray]]:
    """The subsets of t vertices of every cell that the index has: where, and of which cell."""
    subsets = _subsets(cells.shape[1], t)
    step = max(_AT_ONCE // len(subsets), 1)
    for start in range(0, len(cells), step):
        some = cells[start : start + step, subsets]
        positions = index.find(some.reshape(-1, t))
        owner = np.arange(start, start + len(some)).repeat(len(subsets))
        there = positions >= 0
        whole = there.all()  # as most complexes are
        yield (positions, owner) if whole else (positions[there], owner[there])


def adjacent_containment(K: Complex) -> tuple[list[sparse.csr_array], tuple[int, ...]]:
    """Unsigned matrices between adjacent ranks, completed where a relation skips ranks.

    For x inside y, with rank y > rank x + 1 and no cell of a rank between inside the one and
    around the other, formal elements z_{a+1} < ... < z_{b-1} form a chain from x to y. Returns the
    matrices and the number of formal elements of each rank, which come last.
    """
    top = K.max_rank
    inside = {(k - 1, k): containment(K, k - 1, k) for k in range(1, top + 1)}
    return _completed(K, inside)


def contained_above_edges(K: Complex) -> tuple[list[Entries], tuple[int, ...]]:
    """The same without the matrix between vertices and edges, by their entries."""
    inside = {(k - 1, k): contained(K, k - 1, k) for k in range(2, K.max_rank + 1)}
    if not _is_closed(K, inside):
        known = {ranks: B.csr for ranks, B in inside.items()} | {(0, 1): containment(K, 0, 1)}
        matrices, n_formal = _completed(K, known)
        return [Entries.of(B) for B in matrices[1:]], n_formal
    return list(inside.values()), (0,) * (K.max_rank + 1)


def _completed(
    K: Complex, inside: dict[tuple[int, int], sparse.csr_array]
) -> tuple[list[sparse.csr_array], tuple[int, ...]]:
    """The matrices between adjacent ranks, with formal elements where a relation skips ranks."""
    top = K.max_rank
    n_formal = [0] * (top + 1)
    # Per adjacent pair of ranks: the extra entries, as rows and columns of the completed matrix.
    extra_rows: list[list[np.ndarray]] = [[] for _ in range(top)]
    extra_columns: list[list[np.ndarray]] = [[] for _ in range(top)]
    for a, b in _skipping_pairs(K, inside):
        inside[a, b] = containment(K, a, b)
        around = sum((inside[a, c] @ inside[c, b] for c in range(a + 1, b)), start=0 * inside[a, b])
        skipped = (inside[a, b] - inside[a, b] * (around > 0)).tocoo()
        skipped.eliminate_zeros()
        low = skipped.row.astype(np.int64)
        for k in range(a + 1, b):
            new = K.n_cells[k] + n_formal[k] + np.arange(skipped.nnz)
            extra_rows[k - 1].append(low)
            extra_columns[k - 1].append(new)
            n_formal[k] += skipped.nnz
            low = new
        extra_rows[b - 1].append(low)
        extra_columns[b - 1].append(skipped.col.astype(np.int64))
    matrices = []
    for k in range(1, top + 1):
        shape = (K.n_cells[k - 1] + n_formal[k - 1], K.n_cells[k] + n_formal[k])
        direct = inside[k - 1, k]
        if extra_rows[k - 1]:
            entries = direct.tocoo()
            i = np.concatenate([entries.row, *extra_rows[k - 1]])
            j = np.concatenate([entries.col, *extra_columns[k - 1]])
            direct = csr_from_entries(i, j, np.ones(len(i)), shape)
        matrices.append(direct)
    return matrices, tuple(n_formal)


def _skipping_pairs(
    K: Complex, inside: dict[tuple[int, int], sparse.csr_array]
) -> list[tuple[int, int]]:
    """The pairs of ranks, nearest first, between which a relation may skip ranks."""
    if _is_closed(K, inside):
        return []
    return [(a, a + gap) for gap in range(2, K.max_rank + 1) for a in range(K.max_rank + 1 - gap)]


def _is_closed(K: Complex, inside: Mapping[tuple[int, int], sparse.csr_array | Entries]) -> bool:
    """Whether all faces of all cells are there, as far as the matrices tell."""
    return K.is_simplicial and all(B.nnz == (k + 1) * K.n_cells[k] for (_, k), B in inside.items())
