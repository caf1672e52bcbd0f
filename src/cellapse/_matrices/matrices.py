r"""The matrices B_1, ..., B_K of a complex, by containment and signs.

Weights w_k per cell enter as B_k -> W_{k-1}^{-1/2} B_k W_k^{1/2} (a diagonal Hodge star), which
keeps B_k B_{k+1} = 0 and makes B_1 B_1^T the weighted graph Laplacian. In the unfolded matrices a
cell above the edges simply counts w times.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._errors import CellapseWarning, InputError
from cellapse._matrices.incidence import Incidence
from cellapse._shared.arrays import Entries, FloatArray, IntArray, csr_from_entries
from cellapse._shared.rows import RowIndex

_MAX_SUBSETS = 2000  # of a cell; intersecting it with all others is quicker than to look up more
_AT_ONCE = 100_000  # subsets that are looked up at once

DEPENDS_ON_ORDER = (
    "the mixed realization depends on the order of the vertices: signed edges meet unsigned faces. "
    'Use "unfolded" or "screened" for results that do not.'
)


def boundary_matrices(source: Any) -> Incidence:
    """Signed boundary matrices of a closed simplicial or cell complex: B_{k-1} B_k = 0.

    Simplices are oriented by ascending vertex position, polygons by the walk in which their
    vertices were listed.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes

    Returns
    -------
    Incidence
        The matrices B_1, ..., B_K.

    Examples
    --------
    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> boundary_matrices(K)[1].toarray().ravel().tolist()
    [1.0, 1.0, -1.0]
    """
    K = to_complex(source)
    matrices: list[Entries] = []
    for k in range(1, K.max_rank + 1):
        matrices.append(_signed(K, k, matrices[-1].csr) if matrices else _signed_edges(K))
    return _made(K, "boundary", matrices, (0,) * (K.max_rank + 1))


def incidence_matrices(source: Any) -> Incidence:
    """Unsigned incidence matrices between adjacent ranks, with rank completion.

    B_k[x, y] = 1 where the cell x of rank k - 1 lies in the cell y of rank k. Where no cell of a
    rank between joins a cell to one two or more ranks higher that holds it, formal elements do:
    the last ones of their ranks.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes

    Returns
    -------
    Incidence
        The matrices B_1, ..., B_K.

    Examples
    --------
    >>> K = Complex.from_cells({0: ["a", "b", "c"], 2: [("a", "b", "c")]})
    >>> incidence_matrices(K)
    Incidence(kind='incidence', n_cells=(3, 3, 1), n_formal=(0, 3, 0))
    """
    K = to_complex(source)
    return _made(K, "incidence", *_adjacent(K, 0))


def mixed_matrices(source: Any) -> Incidence:
    """Signed B_1 and unsigned incidence above it, with rank completion above the edges.

    B_1[v, e] = +-1; above it B_k[x, y] = 1 where x lies in y. With cells above the edges it depends
    on their orientation (from the lower to the higher vertex position), and a warning says so.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes

    Returns
    -------
    Incidence
        The matrices B_1, ..., B_K.

    Examples
    --------
    >>> import warnings
    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     mixed_matrices(K)[1].toarray().ravel().tolist()
    [1.0, 1.0, 1.0]
    """
    K = to_complex(source)
    B = signed_below_unsigned(K)
    if any(M.nnz for M in B.matrices[1:]):
        warnings.warn(DEPENDS_ON_ORDER, CellapseWarning, stacklevel=2)
    return B


def signed_below_unsigned(K: Complex) -> Incidence:
    """Make the mixed matrices without the warning."""
    upper, n_formal = _above_edges(K, "mixed")
    return _made(K, "mixed", [_signed_edges(K), *upper] if K.max_rank else [], n_formal)


def unfolded_matrices(source: Any) -> Incidence:
    """Signed B_1; above it every edge has its own copies of its cells, one per flag.

    An element of rank k >= 2 is a flag edge < face < ... < cell of rank k, and B_k[f, g] = 1 where
    the flag g of rank k is f and one more cell. Independent of orientation.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes

    Returns
    -------
    Incidence
        The matrices B_1, ..., B_K.

    Examples
    --------
    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> unfolded_matrices(K)
    Incidence(kind='unfolded', n_cells=(3, 3, 3), n_formal=(0, 0, 3))
    """
    K = to_complex(source)
    B1, upper = edges_and_cofaces(K)
    return unfold(B1, upper, K)


def unfold(B1: Entries, upper: Sequence[Entries], K: Complex | None) -> Incidence:
    """Make the matrices between flags, which grow by one cell at a time, of containment `upper`."""
    matrices, ends = [B1.csr], np.arange(B1.shape[1])
    for B in upper:
        grown = B.csr[ends]  # the cofaces of the cell in which a flag ends, once a flag
        grown.sort_indices()  # flags in the order of their cells, however B was made
        rows = np.repeat(np.arange(len(ends)), np.diff(grown.indptr))
        shape = (len(ends), grown.nnz)
        matrices.append(csr_from_entries(rows, np.arange(grown.nnz), grown.data, shape))
        ends = grown.indices
    n_formal = (0, 0, *(B.shape[1] for B in matrices[1:]))
    return Incidence(tuple(matrices), "unfolded", K, n_formal)


def edges_and_cofaces(K: Complex) -> tuple[Entries, list[Entries]]:
    """Signed B_1, and above it containment with every cell's column scaled by its weight^(1/2)."""
    upper = enumerate(_above_edges(K, "unfolded")[0], start=2)
    return edge_boundary(K), [B.scaled(None, _power(K, k, B.shape[1], 0.5)) for k, B in upper]


def edge_boundary(K: Complex) -> Entries:
    """Make the signed, weighted B_1 alone: B_1 B_1^T is the weighted graph Laplacian."""
    if not K.max_rank:
        none = np.empty(0, np.int64)
        return _ones(none, none, (K.n_vertices, 0))
    return _weighted(K, 1, _signed_edges(K))


def _above_edges(K: Complex, kind: str) -> tuple[list[Entries], tuple[int, ...]]:
    """Return containment above the edges; a formal edge has no second end to sign."""
    matrices, n_formal = _adjacent(K, 1)
    if len(n_formal) > 2 and n_formal[1]:
        row = K.n_cells[1]
        for rank, B in enumerate(matrices, start=2):  # up the chain to a cell with a name
            row = int(B.csr.indices[B.csr.indptr[row]])
            if row < K.n_cells[rank]:
                break
        raise InputError(
            f"cell {K.cell_label(rank, row)!r} of rank {rank} holds a vertex that no edge inside "
            f"it holds, and the {kind} realization goes through edges; add the edges "
            '(hypergraph_complex does), or use realization="incidence"'
        )
    return matrices, n_formal


def _made(K: Complex, kind: str, matrices: list[Entries], n_formal: tuple[int, ...]) -> Incidence:
    scaled = tuple(_weighted(K, k, B).csr for k, B in enumerate(matrices, start=1))
    return Incidence(scaled, kind, K, n_formal)


def _weighted(K: Complex, k: int, B: Entries) -> Entries:
    """W_{k-1}^{-1/2} B_k W_k^{1/2}."""
    return B.scaled(_power(K, k - 1, B.shape[0], -0.5), _power(K, k, B.shape[1], 0.5))


def _power(K: Complex, rank: int, n: int, power: float) -> FloatArray | None:
    """Take weights of a rank to a power, ones for its formal elements; None without weights."""
    w = K.weights[rank]
    return None if w is None else np.append(w, np.ones(n - len(w))) ** power


# Containment and rank completion


def _ones(rows: IntArray, columns: IntArray, shape: tuple[int, int]) -> Entries:
    return Entries(rows, columns, np.ones(len(rows)), shape)


def containment(K: Complex, low: int, high: int) -> sparse.csr_array:
    """Make the matrix of ones where a cell of rank `low` lies inside one of rank `high`.

    >>> K = Complex.from_cells({1: [("a", "b"), ("b", "c")], 2: [("a", "b", "c")]})
    >>> containment(K, 1, 2).toarray().tolist()
    [[1.0], [1.0]]
    """
    return contained(K, low, high).csr


def contained(K: Complex, low: int, high: int) -> Entries:
    """Return the same by its entries."""
    x, y = K.cells[low], K.cells[high]
    if low == 0:
        return _ones(y.indices, np.arange(len(y)).repeat(y.sizes), (len(x), len(y)))
    none, pairs = np.empty(0, np.int64), list[tuple[IntArray, IntArray]]()
    for t in x.all_sizes():
        where_x, table = x.of_size(t)
        index = RowIndex(np.sort(table, axis=1) if t > 3 else table, K.n_vertices)
        for s in (s for s in y.all_sizes() if s > t):
            where_y, cells = y.of_size(s)
            if comb(s, t) <= _MAX_SUBSETS:
                found = [*_subsets_found(index, np.sort(cells, axis=1) if s > 3 else cells, t)]
            else:
                members = (table_of.membership(K.n_vertices) for table_of in (x, y))
                common = (next(members)[where_x] @ next(members)[where_y].T).tocoo()
                found = [(common.row[common.data == t], common.col[common.data == t])]
            pairs += [(where_x[i], where_y[j]) for i, j in found]
    if len(pairs) == 1:  # saves a copy
        return _ones(*pairs[0], (len(x), len(y)))
    rows, columns = (np.concatenate(part) for part in zip((none, none), *pairs, strict=True))
    return _ones(rows, columns, (len(x), len(y)))


@lru_cache(maxsize=64)  # it takes as long as looking a few cells up
def _subsets(s: int, t: int) -> IntArray:
    return np.array(list(combinations(range(s), t)))


def _subsets_found(index: RowIndex, cells: IntArray, t: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Find where the index has the subsets of t vertices of every cell, and of which cell."""
    subsets = _subsets(cells.shape[1], t)
    step = max(_AT_ONCE // len(subsets), 1)
    for start in range(0, len(cells), step):
        some = cells[start : start + step, subsets]
        positions = index.find(some.reshape(-1, t))
        there = positions >= 0
        yield positions[there], np.arange(start, start + len(some)).repeat(len(subsets))[there]


def _adjacent(K: Complex, low: int) -> tuple[list[Entries], tuple[int, ...]]:
    """Relate adjacent ranks from `low` up: matrices, and the number of formal elements.

    For x inside y, with rank y > rank x + 1 and no cell of a rank between inside the one and
    around the other, formal elements z_{a+1} < ... < z_{b-1} form a chain from x to y.
    """
    ranks = range(low + 1, K.max_rank + 1)
    direct = {k: contained(K, k - 1, k) for k in ranks}
    # All faces of all cells are there, as far as the matrices tell.
    if K.is_simplicial and all(B.nnz == (k + 1) * B.shape[1] for k, B in direct.items()):
        return [*direct.values()], (0,) * (K.max_rank + 1)
    inside = {(k - 1, k): contained(K, k - 1, k).csr for k in range(1, low + 1)}
    inside |= {(k - 1, k): B.csr for k, B in direct.items()}
    n_formal, extra = _formal_elements(K, inside)
    completed = []
    for k, B in direct.items():
        i, j = (np.concatenate(part) for part in zip((B.rows, B.columns), *extra[k], strict=True))
        completed.append(_ones(i, j, (B.shape[0] + n_formal[k - 1], B.shape[1] + n_formal[k])))
    return completed, tuple(n_formal)


def _formal_elements(
    K: Complex, inside: dict[tuple[int, int], sparse.csr_array]
) -> tuple[list[int], list[list[tuple[IntArray, IntArray]]]]:
    """Count the formal elements of each rank, and give the entries that they add."""
    top = K.max_rank
    n_formal = [0] * (top + 1)
    extra: list[list[tuple[IntArray, IntArray]]] = [[] for _ in range(top + 1)]
    for a, b in ((a, a + gap) for gap in range(2, top + 1) for a in range(top + 1 - gap)):
        inside[a, b] = containment(K, a, b)
        around = sum((inside[a, c] @ inside[c, b] for c in range(a + 1, b)), start=0 * inside[a, b])
        skipped = (inside[a, b] - inside[a, b] * (around > 0)).tocoo()
        skipped.eliminate_zeros()
        low: IntArray = skipped.row.astype(np.int64)
        for k in range(a + 1, b):
            new = K.n_cells[k] + n_formal[k] + np.arange(skipped.nnz)
            extra[k].append((low, new))
            n_formal[k] += skipped.nnz
            low = new
        extra[b].append((low, skipped.col.astype(np.int64)))
    return n_formal, extra


# Signed boundaries of simplices, polygons and larger cells

Signs = tuple[IntArray, IntArray, IntArray]  # rows, columns, signs


def _signed(K: Complex, k: int, below: sparse.csr_array) -> Entries:
    """B_k with its signs; `below` is B_{k-1}, which orients cells that are no simplices."""
    cells = K.cells[k]
    parts = [_simplices(K, k)]
    large = np.flatnonzero(cells.sizes != k + 1)
    if len(large):
        parts.append(_polygons(K, large) if k == 2 else _orient(K, k, large, below))
    rows, columns, signs = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Entries(rows, columns, signs.astype(np.float64), (len(K.cells[k - 1]), len(cells)))


def _signed_edges(K: Complex) -> Entries:
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
    columns = np.arange(len(edges)).repeat(2)
    return Entries(edges.indices, columns, signs, (K.n_vertices, len(edges)))


def _simplices(K: Complex, k: int) -> Signs:
    """Faces of [v_0, ..., v_k], (-1)^i [v_0, ..., v_{i-1}, v_{i+1}, ..., v_k], from i = k down."""
    where, table = K.cells[k].of_size(k + 1)
    faces_at, faces = K.cells[k - 1].of_size(k)
    subsets = table[:, _subsets(k + 1, k)].reshape(-1, k)
    positions = RowIndex(faces, K.n_vertices).find(subsets)
    owner = where.repeat(k + 1)
    if positions.min(initial=0) < 0:
        raise _not_closed(K, k, int(owner[np.argmin(positions)]))
    return faces_at[positions], owner, np.tile((-1) ** np.arange(k, -1, -1), len(where))


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
    """Sign the faces of cells that are no simplices: two that meet in a ridge cancel there.

    Unique up to their product if the faces form a closed connected surface around the cell.
    """
    inside = containment(K, k - 1, k).tocsc()
    found = []
    for j in large.tolist():
        faces = inside.indices[inside.indptr[j] : inside.indptr[j + 1]]
        ridges = below[:, faces].tocsr()
        ridges = ridges[np.diff(ridges.indptr) > 0]
        sign = _spread(ridges)
        if sign is None or abs(ridges @ sign).max(initial=0) > 0:
            raise _not_closed(K, k, j)
        found.append((faces, np.full(len(faces), j), sign))
    rows, columns, signs = (np.concatenate(part) for part in zip(*found, strict=True))
    return rows, columns, signs


def _spread(ridges: sparse.csr_array) -> IntArray | None:
    """Find signs for which the two faces of every ridge cancel, from the first face on."""
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
            other = int(pair[1 - here])
            if sign[other] == 0:
                sign[other] = -sign[face] * int(values[here] * values[1 - here])
                waiting.append(other)
    return sign if sign.all() else None


def _not_closed(K: Complex, k: int, j: int) -> InputError:
    walk = "listed in the order of the walk along its edges, " if k == 2 else ""
    return InputError(
        f"cell {K.cell_label(k, j)!r} of rank {k} is not bounded by cells of rank {k - 1}; signed "
        f"boundaries need its whole boundary in the complex: {walk}add what is missing, or use "
        'realization="incidence"'
    )


# Which cells hold an edge


def cells_around_edges(K: Complex) -> list[sparse.csr_array]:
    """Say which cells hold which edge: matrices of their weights, by rank from 2 up.

    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> cells_around_edges(K)[0].toarray().ravel().tolist()
    [1.0, 1.0, 1.0]
    """
    return [around.csr for around in supports(edges_and_cofaces(K)[1], K.n_cells[2:])]


def pattern(B: Entries) -> Entries:
    """Ones where there is an entry other than zero."""
    rows, columns = B.rows, B.columns
    if not B.values.all():
        rows, columns = rows[B.values != 0], columns[B.values != 0]
    return Entries(rows, columns, np.ones(len(rows)), B.shape)


def supports(upper: Sequence[Entries], n_cells: Sequence[int]) -> list[Entries]:
    """Make (edges x cells) matrices of weights of the cells around each edge, for rank >= 2.

    Elements beyond `n_cells` are formal: they lead to cells of higher rank, but support nothing.
    """
    around: list[Entries] = []
    reach = None
    for B, n in zip(upper, n_cells, strict=True):
        weight = np.zeros(B.shape[1])
        weight[B.columns[::-1]] = B.values[::-1] ** 2  # one per cell, of its first edge
        step = pattern(B)
        reach = step if reach is None else pattern(Entries.of(reach.csr @ step.csr))
        cell = reach.columns < n
        rows, columns = reach.rows[cell], reach.columns[cell]
        around.append(Entries(rows, columns, weight[columns], (reach.shape[0], n)))
    return around
