r"""Effective conductance and resistance between vertices, by the definition of the paper.

    C_ij = min x^T S x  over  x_i - x_j = 1,     R_ij = 1 / C_ij = b^T S^+ b,  b = e_i - e_j

where b lies in the range of S; otherwise (two components of a graph) C_ij = 0 and R_ij = inf. Every
vertex gets coordinates z_i with R_ij = |z_i - z_j|^2: all of S^+ for small complexes, or a random
sketch of it (Spielman and Srivastava) with a stated error for large ones.

Of a network (a graph, a complex, an adjacency, points, a file) the resistances are those of its
edges, each a resistor of conductance w, its weight (networkx: `invert_weight=False`): the operator
is the graph Laplacian, as in textbooks, for a hypergraph the weighted projection. Of an operator or
a matrix they are its own.

Exact coordinates: for P = S without one vertex of each vector of its kernel (the grounds, at z = 0)
and P = F F^T, they are the rows of F^-T. An operator is known to its rounding only, and

    |d(b^T S^+ b)| <= |w|^2 ||dS||,   w = S^+ b:

so the rows of S^+, times the root of ||dS||, are coordinates y_i of their own, whose |y_i - y_j|^2
bounds the error of R_ij. Where the bound is too large, two better ways are tried:

* a Laplacian (no entry above zero off the diagonal, constants in the kernel) is eliminated without
  a single subtraction (Grassmann, Taksar and Heyman), so that weak edges between strong ones count;
* otherwise all eigenpairs show which differences have no energy beyond rounding: there R = inf.

The sketch, for S = F F^T and k columns G of normal numbers:

    Z = S^+ F G / k^{1/2},     |z_i - z_j|^2 = R_ij (1 +- (2 / k)^{1/2}).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components

from cellapse._complex.labels import positions
from cellapse._errors import ConvergenceError, InputError
from cellapse._linalg.operators import Operator
from cellapse._operators.as_operator import as_operator
from cellapse._operators.fair import without_cells
from cellapse._shared.arrays import FloatArray, IntArray, csr_from_entries
from cellapse._shared.checks import generator, listed, share
from cellapse._shared.memory import Fitting, require_memory

Scale = Callable[[FloatArray, IntArray, IntArray], FloatArray]

_DENSE = 2000  # up to this many vertices pairs are read off the dense inverse
_BLOCK = 64  # right-hand sides solved at once
_SOLVED = 1e-12  # what `solve` promises
_FEWER = "ask for fewer pairs, or give rtol= for estimates"
_TOLERANCE = 1e-5  # relative error up to which a resistance counts as known
_EPS = float(np.finfo(np.float64).eps)
_ROUNDING = 8 * _EPS  # of an entry of S, relative to the size of S around it
_ENTRIES = 2**21  # differences held at once


@Fitting("the resistances", _FEWER)
def effective_resistance(
    operator: Any,
    pairs: Any = None,
    *,
    rtol: float | None = None,
    rng: int | np.random.Generator = 0,
) -> FloatArray:
    """Return the effective resistance between pairs of vertices, or all of them.

    Known to a relative error of 1e-5 at worst, or a `ConvergenceError`. A difference whose energy
    is nothing but rounding has none: its resistance is inf.

    R_ij = (e_i - e_j)^T S^+ (e_i - e_j), with S^+ the pseudo-inverse.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator; or a network, whatever can be lifted
        Of a network the graph Laplacian with its weights as conductances, whatever its cells are;
        for a hypergraph the weighted projection.
    pairs : list of pairs of labels, or (m, 2) array, optional
        By default all: an (n, n) array in the order of `operator.labels`.
    rtol : float, optional
        By default exact: from the dense inverse up to 2,000 vertices, one solve a pair above. With
        a number, from a random sketch of 2 / rtol^2 solves for any number of pairs, with this
        relative standard error; for diagonally dominant matrices (Laplacians, the screened
        operator).
    rng : seed or numpy Generator
        For the sketch.

    Returns
    -------
    array
        m numbers, or (n, n).

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> L = cl.graph_laplacian(cl.clique_complex(nx.path_graph("abcd")))
    >>> effective_resistance(L, [("a", "d"), ("b", "c")]).round(6).tolist()
    [3.0, 1.0]
    >>> karate = nx.Graph(nx.karate_club_graph().edges)  # as in networkx; of its collapse
    >>> S = cl.collapse(cl.clique_complex(karate))
    >>> [effective_resistance(given, [(0, 33)]).round(4).tolist() for given in (karate, S)]
    [[0.2538], [1.3222]]
    """
    S = _resisting(operator)
    return _resistances(S, pairs, rtol, rng, lambda R, i, j: R)


@Fitting("the resistances", _FEWER)
def effective_conductance(
    operator: Any,
    pairs: Any = None,
    *,
    rtol: float | None = None,
    rng: int | np.random.Generator = 0,
) -> FloatArray:
    """Return the effective conductance: one over the resistance; 0 between components.

    C_ij = min x^T S x over x_i - x_j = 1.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator; or a network
        As for `effective_resistance`.
    pairs : list of pairs of labels, optional
        As for `effective_resistance`; all pairs by default.
    rtol, rng
        As for `effective_resistance`.

    Returns
    -------
    array
        One number per pair, or an (n, n) array of all.

    Examples
    --------
    >>> effective_conductance([[1.0, -1.0], [-1.0, 1.0]], [(0, 1)]).round(6).tolist()
    [1.0]
    """
    return _conductances(_resisting(operator), pairs, rtol, rng)


@Fitting("the resistances", _FEWER)
def kirchhoff_index(
    operator: Any, *, rtol: float | None = None, rng: int | np.random.Generator = 0
) -> float:
    """Return the sum of the effective resistances over all pairs; inf for several components.

    sum over i < j of R_ij = n (1 / lambda_2 + ... + 1 / lambda_n).

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator; or a network
        As for `effective_resistance`.
    rtol, rng
        As for `effective_resistance`.

    Returns
    -------
    float

    Examples
    --------
    >>> kirchhoff_index([[1.0, -1.0], [-1.0, 1.0]])
    1.0
    """
    S = _resisting(operator)

    def total(x: FloatArray, group: IntArray) -> FloatArray:
        return np.array(np.inf if group.max(initial=0) > 0 else group_sums(x, group).sum() / 2)

    return float(_read(S, rtol, rng, total, lambda R: R))


@Fitting("the resistances", _FEWER)
def resistance_centrality(
    operator: Any, *, rtol: float | None = None, rng: int | np.random.Generator = 0
) -> FloatArray:
    """Return how close each vertex is to the others: one over its mean resistance to its component.

    c_i = (m - 1) / sum_j R_ij over the m vertices of the component (current-flow closeness); 0 for
    an isolated vertex.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator; or a network
        As for `effective_resistance`.
    rtol, rng
        As for `effective_resistance`.

    Returns
    -------
    (n,) array
        In the order of `operator.labels`.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(3)))
    >>> resistance_centrality(L).round(3).tolist()
    [0.667, 1.0, 0.667]
    """
    S = _resisting(operator)
    groups: list[IntArray] = []  # as they were in the end

    def sums(x: FloatArray, group: IntArray) -> FloatArray:
        groups.append(group)
        return group_sums(x, group)

    total = _read(S, rtol, rng, sums, lambda R: R)
    others = np.bincount(groups[-1])[groups[-1]] - 1
    return np.where(others > 0, others / np.where(others > 0, total, 1.0), 0.0)


def _resisting(given: Any) -> Operator:
    """Return an operator as it is, and of a network that of its edges."""
    return as_operator(given, without_cells)


def conductances(S: Operator) -> FloatArray:
    """C_ij of all pairs i < j, of any symmetric operator."""
    return _conductances(S, None, None, 0)[np.triu_indices(S.shape[0], 1)]


def _conductances(
    S: Operator, pairs: Any, rtol: float | None, rng: int | np.random.Generator
) -> FloatArray:
    diagonal = S.diagonal()

    def scale(R: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
        # C_ij is at most S_ii and S_jj, the energy of a signal at one vertex alone: what is nothing
        # beside them is known well enough, though its inverse may not be.
        # An S that is zero to rounding has no such scale: no error is small relative to it.
        return R**2 * np.maximum(np.minimum(diagonal[i], diagonal[j]), 1e-300)

    R = _resistances(S, pairs, rtol, rng, scale)
    with np.errstate(divide="ignore"):
        return 1.0 / R


def _pair_positions(pairs: Any, S: Operator) -> IntArray:
    if hasattr(pairs, "columns"):  # a table with a row per pair
        pairs = list(pairs.itertuples(index=False, name=None))
    given = listed(pairs, "pairs")
    if any(not isinstance(pair, tuple | list) or len(pair) != 2 for pair in given):
        raise InputError("pairs holds something that is no pair; give pairs of labels, or (m, 2)")
    place = positions(S.labels)
    try:
        places = [[place[u], place[v]] for u, v in given]
    except (KeyError, TypeError):  # not there, or not to be hashed
        names = list(place)
        unknown = next(v for pair in given for v in pair if v not in names)
        raise InputError(
            f"{unknown!r} in pairs is not among the {S.shape[0]} labels of the operator"
        ) from None
    return np.array(places, dtype=np.int64).reshape(len(given), 2).T


def _resistances(
    S: Operator,
    pairs: Any,
    rtol: float | None,
    rng: int | np.random.Generator,
    scale: Scale,
) -> FloatArray:
    """R of pairs, or of all; `scale` is what errors are relative to."""
    n = S.shape[0]
    if pairs is None:
        require_memory(24.0 * n * n, f"all pairs of {n:,} cells", "give the pairs that you need")
    i, j = np.ogrid[:n, :n] if pairs is None else _pair_positions(pairs, S)
    if rtol is None and n > _DENSE and pairs is not None:
        return _by_solves(S, i, j, scale)

    def distances(x: FloatArray, group: IntArray) -> FloatArray:
        lengths = all_squares(x) if pairs is None else squares(x, i, j)
        return np.where(group[i] == group[j], lengths, np.inf)

    return _read(S, rtol, rng, distances, lambda R: scale(R, i, j))


def _read(
    S: Operator,
    rtol: float | None,
    rng: int | np.random.Generator,
    read: Callable[[FloatArray, IntArray], FloatArray],
    scale: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """Return a sum of resistances by the first way to coordinates that knows it."""
    if rtol is not None:
        return read(*sketched_coordinates(S, rtol, generator(rng)))
    worst = np.inf
    for coordinates in exact_coordinates(S):
        values = read(coordinates.points, coordinates.group)
        finite = np.isfinite(values) & (values > 0)
        errors = read(coordinates.errors, coordinates.group)[finite]
        with np.errstate(divide="ignore", invalid="ignore"):  # of S = 0 nothing is known
            relative = errors / scale(np.where(finite, values, 1.0))[finite]
        worst = float(relative.max(initial=0.0))
        if worst <= _TOLERANCE:
            return values
    raise _unknown(S, worst)


def _unknown(S: Operator, worst: float) -> ConvergenceError:
    return ConvergenceError(
        f"{S!r} is so close to singular that rounding decides its resistances (relative error up "
        f'to {worst:.1g}); use a larger eps, gamma="bound", or weights that differ less'
    )


def _by_solves(S: Operator, i: IntArray, j: IntArray, scale: Scale) -> FloatArray:
    group = groups_of(S)
    R = np.where(group[i] == group[j], 0.0, np.inf)
    todo = np.flatnonzero((group[i] == group[j]) & (i != j))
    for start in range(0, len(todo), _BLOCK):
        at = todo[start : start + _BLOCK]
        b = np.zeros((S.shape[0], len(at)))
        column = np.arange(len(at))
        b[i[at], column], b[j[at], column] = 1.0, -1.0
        x = S.solve(b)
        R[at] = (b * x).sum(axis=0)
        errors = _SOLVED * np.sqrt(2.0) * np.linalg.norm(x, axis=0)
        worst = float((errors / scale(R[at], i[at], j[at])).max())
        if not worst <= _TOLERANCE:
            raise _unknown(S, worst)
    return R


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Rows z_i with R_ij = |z_i - z_j|^2 within a group, and inf between groups.

    Attributes
    ----------
    points : (n, k) array
        The z_i.
    errors : (n, m) array
        Rows y_i such that |y_i - y_j|^2 bounds the error of R_ij.
    group : (n,) array of int
    """

    points: FloatArray
    errors: FloatArray
    group: IntArray


def exact_coordinates(S: Operator) -> Iterator[Coordinates]:
    """Yield one way after the other, the quickest first, to coordinates from the dense operator."""
    M, size = S.toarray(), _sizes(S.A)
    sparse_matrix = S.matrix is not None
    if S.kernel is not None:
        grounded = _grounds(S.kernel)
        kept = np.setdiff1d(np.arange(len(M)), grounded)
        group = groups_of(S)
        factor = _by_cholesky(M, kept, M.diagonal() if sparse_matrix else size)
        if factor is not None:
            yield Coordinates(*factor, group)
        if sparse_matrix and _is_laplacian(M, S.kernel):  # every entry known to rounding
            # Edges that keep nothing of their weight part what the kernel holds together.
            graph = sparse.csr_array(M)
            _, group = connected_components(graph, directed=False)  # M is symmetric
            grounded = np.unique(group, return_index=True)[1]
            yield Coordinates(_without_subtraction(M, grounded), np.zeros((len(M), 0)), group)
            return
    yield _by_eigenvectors(M, size)


def groups_of(S: Operator) -> IntArray:
    """The groups by the kernel of an operator, as far as it is known: one where it is not."""
    return np.zeros(S.shape[0], dtype=np.int64) if S.kernel is None else groups(S.kernel)


def groups(kernel: Any, tol: float | None = None) -> IntArray:
    """Vertices alike in all vectors of the kernel: e_i - e_j is in the range of S within them.

    Values of one vector are alike within 1e-12 of themselves, or of `tol` times the largest where
    the vectors are known no better.
    """
    n, p = kernel.shape
    group = np.zeros(n, dtype=np.int64)
    random = np.random.default_rng(0).standard_normal((2, p))
    for column in random:
        keys = kernel @ column
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        if tol is None:
            same = 1e-12 * np.maximum(np.abs(ordered[1:]), np.abs(ordered[:-1]))
        else:
            same = np.full(max(n - 1, 0), tol * np.abs(keys).max(initial=0.0))
        number = np.empty(n, dtype=np.int64)
        number[order] = np.concatenate([[0], np.cumsum(np.diff(ordered) > same)])[:n]
        group = np.unique(group * n + number, return_inverse=True)[1].ravel()
    return group


def _sizes(A: sparse.csr_array) -> FloatArray:
    """Return the largest sum of absolute values of a row, within the component of each vertex."""
    n, _ = A.shape
    if not A.nnz:
        return np.ones(n)
    count, component = connected_components(A, directed=False)  # A is symmetric
    largest = np.zeros(count)
    np.maximum.at(largest, component, np.asarray(abs(A).sum(axis=1)).ravel())
    return np.where(largest > 0, largest, 1.0)[component]


def _grounds(kernel: sparse.csr_array) -> IntArray:
    """As many vertices as there are vectors in the kernel, at which these are independent."""
    p = kernel.shape[1]
    if p and (np.diff(kernel.indptr) > 1).any():
        return np.sort(linalg.qr(kernel.toarray().T, mode="r", pivoting=True)[1][:p])
    columns = abs(sparse.csc_array(kernel)).tocoo()
    order = np.lexsort((-columns.data, columns.col))  # the largest entry of each vector first
    _, first = np.unique(columns.col[order], return_index=True)
    return np.sort(columns.row[order][first]).astype(np.int64)


def _by_cholesky(
    M: FloatArray, kept: IntArray, size: FloatArray
) -> tuple[FloatArray, FloatArray] | None:
    if not len(kept):  # SciPy 1.13 solves no empty system
        return np.zeros((len(M), 0)), np.zeros((len(M), 0))
    try:
        factor = linalg.cholesky(M[np.ix_(kept, kept)], lower=True)
    except linalg.LinAlgError:  # not definite, to rounding
        return None
    points = np.zeros((len(M), len(kept)))
    inverse = linalg.solve_triangular(factor, np.eye(len(kept)), lower=True)
    points[kept] = inverse.T
    return points, (points @ inverse) * np.sqrt(_ROUNDING * size[kept])


def _by_eigenvectors(M: FloatArray, size: FloatArray) -> Coordinates:
    """Within a component S / size has its eigenvalues in 0..1, whatever the unit of S."""
    n, root = len(M), np.sqrt(size)
    values, vectors = linalg.eigh(M / np.outer(root, root)) if n else (np.zeros(0), M)
    none = n * _ROUNDING
    positive = values > none
    smallest = float(values[positive].min(initial=1.0))
    points = vectors[:, positive] / np.sqrt(values[positive]) / root[:, None]
    errors = vectors[:, positive] / values[positive] * np.sqrt(_ROUNDING) / root[:, None]
    # How well vectors without energy are separated from the first with some, given rounding.
    return Coordinates(points, errors, groups(vectors[:, ~positive], max(1e-9, none / smallest)))


def _is_laplacian(M: FloatArray, kernel: sparse.csr_array) -> bool:
    """Return whether rows sum to zero by the kernel, with no positive entry off the diagonal."""
    entries = kernel.tocoo()
    constant = 1.0 / np.sqrt(np.bincount(entries.col)[entries.col])
    if kernel.nnz != len(M) or not np.allclose(entries.data, constant, rtol=1e-12):
        return False
    off = M - np.diag(M.diagonal())
    return not (off > 0).any()


def _without_subtraction(M: FloatArray, grounded: IntArray) -> FloatArray:
    """Return coordinates of a Laplacian by elimination of its vertices, the grounds last.

    What is left of the weights is a Laplacian again; the diagonal is never used, as it is the sum
    of the weights.
    """
    n, p = len(M), len(grounded)
    if n == p:
        return np.zeros((n, 0))
    order = np.concatenate([np.setdiff1d(np.arange(n), grounded), grounded])
    W = -M[np.ix_(order, order)]
    np.fill_diagonal(W, 0.0)
    factor = np.zeros((n - p, n - p))
    for k in range(n - p):
        w = W[k, k + 1 :].copy()
        total = w.sum()
        factor[k, k] = np.sqrt(total)
        factor[k + 1 :, k] = -w[: n - p - k - 1] / factor[k, k]
        W[k + 1 :, k + 1 :] += np.outer(w / total, w)
    points = np.zeros((n, n - p))
    points[order[: n - p]] = linalg.solve_triangular(factor, np.eye(n - p), lower=True).T
    return points


def squares(x: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    """|x_i - x_j|^2 of pairs of rows."""
    result = np.empty(i.shape)
    step = max(1, _ENTRIES // max(x.shape[1], 1))  # rows at once
    for start in range(0, len(i), step):
        part = slice(start, start + step)
        result[part] = ((x[i[part]] - x[j[part]]) ** 2).sum(axis=1)
    return result


def all_squares(x: FloatArray) -> FloatArray:
    """|x_i - x_j|^2 of all pairs of rows.

    By |x_i|^2 + |x_j|^2 - 2 x_i x_j, which is quick, but cancels for rows that are close beside
    their length: those are subtracted.
    """
    y = x - x.mean(axis=0) if len(x) else x
    length = (y**2).sum(axis=1)
    both = length[:, None] + length
    distances = both - 2.0 * (y @ y.T)
    np.fill_diagonal(distances, 0.0)
    close = distances < 1e-3 * both  # more of them would be as right
    i, j = np.nonzero(np.triu(close, 1))
    distances[i, j] = distances[j, i] = squares(x, i, j)
    return distances


def group_sums(x: FloatArray, group: IntArray) -> FloatArray:
    """For every row the sum of |x_i - x_j|^2 over its group."""
    total = np.zeros(len(x))
    for g in np.unique(group):
        here = group == g
        z = x[here] - x[here].mean(axis=0)
        squares = (z**2).sum(axis=1)
        total[here] = len(z) * squares + squares.sum()
    return total


def sketched_coordinates(
    S: Operator, rtol: float, rng: np.random.Generator
) -> tuple[FloatArray, IntArray]:
    """S^+ F G / sqrt(k) with S = F F^T and k columns G of normal numbers."""
    rtol = share("rtol", rtol)
    F, columns_wanted = _root(S), 2.0 / max(rtol, 1e-100) ** 2
    require_memory(
        16.0 * S.shape[0] * columns_wanted,
        f"a sketch with an error of {rtol:g}",
        "give a larger rtol, or leave it out for exact values",
    )
    k = int(np.ceil(columns_wanted))
    Z = np.empty((S.shape[0], k))
    for start in range(0, k, _BLOCK):
        columns = min(_BLOCK, k - start)
        Z[:, start : start + columns] = S.solve(F @ rng.standard_normal((F.shape[1], columns)))
    return Z / np.sqrt(k), groups_of(S)


def _root(S: Operator) -> sparse.csr_array:
    """F with S = F F^T, one column per entry: |s| (e_i -+ e_j)(e_i -+ e_j)^T and the excess."""
    M = S.matrix
    if M is not None:
        off = sparse.triu(M.sorted_indices(), k=1, format="coo")  # the same order every time
        excess = 2.0 * M.diagonal() - abs(M).sum(axis=1)
        if (excess >= -1e-10 * abs(M).max()).all():
            n, m = S.shape[0], off.nnz
            size = np.sqrt(np.abs(off.data))
            rows = np.concatenate([off.row, off.col, np.arange(n)])
            columns = np.concatenate([np.arange(m), np.arange(m), m + np.arange(n)])
            ends = [size, np.sign(off.data) * size, np.sqrt(np.maximum(excess, 0.0))]
            return csr_from_entries(rows, columns, np.concatenate(ends), (n, m + n))
    raise InputError(
        f"rtol=... for {S!r}, which is not a diagonally dominant matrix; leave out rtol, or use "
        'graph_laplacian(K) or realization="screened"'
    )
