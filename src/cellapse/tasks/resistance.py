r"""Effective conductance and resistance between vertices, by the definition of the paper.

    C_ij = min x^T S x  over  x_i - x_j = 1,     R_ij = 1 / C_ij = b^T S^+ b,  b = e_i - e_j

where b lies in the range of S; otherwise (two components of a graph) C_ij = 0 and R_ij = inf. Every
vertex gets coordinates z_i with R_ij = |z_i - z_j|^2: all of S^+ for small complexes, or a random
sketch of it (Spielman and Srivastava) with a stated error for large ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from cellapse._as_operator import as_operator
from cellapse._errors import InputError
from cellapse._labels import positions
from cellapse._sparse import csr_from_entries
from cellapse.operator import Operator

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_DENSE = 2000  # up to this many vertices pairs are read off the dense inverse
_BLOCK = 64  # right-hand sides solved at once


def effective_resistance(
    operator: Any,
    pairs: Any = None,
    *,
    error: float | None = None,
    rng: int | np.random.Generator = 0,
) -> FloatArray:
    """The effective resistance between pairs of vertices, or all of them.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator
    pairs : list of pairs of labels, or (m, 2) array, optional
        By default all: an (n, n) array in the order of `operator.labels`.
    error : float, optional
        By default exact: from the dense inverse up to 2,000 vertices, one solve a pair above. With
        a number, from a random sketch of 2 / error^2 solves for any number of pairs, with this
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
    """
    S = as_operator(operator)
    n = S.shape[0]
    if pairs is None:
        Z, group = _coordinates(S, error, rng)
        squares = (Z**2).sum(axis=1)
        R = np.maximum(squares[:, None] + squares - 2.0 * (Z @ Z.T), 0.0)
        np.fill_diagonal(R, 0.0)
        return np.where(group[:, None] == group, R, np.inf)
    i, j = _pair_positions(pairs, S)
    if error is None and n > _DENSE:
        return _by_solves(S, i, j)
    Z, group = _coordinates(S, error, rng)
    return np.where(group[i] == group[j], ((Z[i] - Z[j]) ** 2).sum(axis=1), np.inf)


def effective_conductance(
    operator: Any,
    pairs: Any = None,
    *,
    error: float | None = None,
    rng: int | np.random.Generator = 0,
) -> FloatArray:
    """The effective conductance, min x^T S x over x_i - x_j = 1: one over the resistance.

    0 between components, inf from a vertex to itself. Parameters as for `effective_resistance`.

    >>> effective_conductance([[1.0, -1.0], [-1.0, 1.0]], [(0, 1)]).round(6).tolist()
    [1.0]
    """
    R = effective_resistance(operator, pairs, error=error, rng=rng)
    with np.errstate(divide="ignore"):
        return 1.0 / R


def kirchhoff_index(
    operator: Any, *, error: float | None = None, rng: int | np.random.Generator = 0
) -> float:
    """The sum of the effective resistances over all pairs; inf for several components.

    Parameters as for `effective_resistance`.

    >>> kirchhoff_index([[1.0, -1.0], [-1.0, 1.0]])
    1.0
    """
    Z, group = _coordinates(as_operator(operator), error, rng)
    if group.max(initial=0) > 0:
        return float("inf")
    Z = Z - Z.mean(axis=0) if len(Z) else Z
    return float(len(Z) * (Z**2).sum())


def resistance_centrality(
    operator: Any, *, error: float | None = None, rng: int | np.random.Generator = 0
) -> FloatArray:
    """How close each vertex is to the others: one over its mean resistance to its component.

    (m - 1) / sum_j R_ij over the m vertices of the component (current-flow closeness); 0 for an
    isolated vertex. In the order of `operator.labels`; parameters as for `effective_resistance`.

    >>> import networkx as nx, cellapse as cl
    >>> L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(3)))
    >>> resistance_centrality(L).round(3).tolist()
    [0.667, 1.0, 0.667]
    """
    Z, group = _coordinates(as_operator(operator), error, rng)
    centrality = np.zeros(len(Z))
    for g in np.flatnonzero(np.bincount(group) > 1):
        here = group == g
        z = Z[here] - Z[here].mean(axis=0)
        squares = (z**2).sum(axis=1)
        centrality[here] = (len(z) - 1) / (len(z) * squares + squares.sum())
    return centrality


def conductances(M: FloatArray) -> FloatArray:
    """C_ij of all pairs i < j of a dense matrix, whatever its kernel."""
    Z, N = _by_eigenvectors(M)
    group = _groups(N)
    i, j = np.triu_indices(len(M), 1)
    resistance = ((Z[i] - Z[j]) ** 2).sum(axis=1)
    return np.where(group[i] == group[j], 1.0 / np.maximum(resistance, 1e-300), 0.0)


def _pair_positions(pairs: Any, S: Operator) -> tuple[IntArray, IntArray]:
    listed = pairs.tolist() if isinstance(pairs, np.ndarray) else list(pairs)
    if any(not isinstance(pair, tuple | list) or len(pair) != 2 for pair in listed):
        raise InputError("pairs holds something that is no pair; give pairs of labels, or (m, 2)")
    place = positions(S.labels)
    try:
        found = [[place[u], place[v]] for u, v in listed]
    except (KeyError, TypeError):
        unknown = next(v for pair in listed for v in pair if v not in place)
        raise InputError(
            f"{unknown!r} in pairs is not among the {S.shape[0]} labels of the operator"
        ) from None
    i, j = np.array(found, dtype=np.int64).reshape(-1, 2).T
    return i, j


def _coordinates(
    S: Operator, error: float | None, rng: int | np.random.Generator
) -> tuple[FloatArray, IntArray]:
    """Rows z_i with R_ij = |z_i - z_j|^2, and the groups within which R is finite."""
    if error is not None:
        return _sketch(S, error, np.random.default_rng(rng))
    M = S.toarray()
    if S.kernel is not None:
        # The kernel does not matter within a group, so it is filled up: then Cholesky will do.
        N, level = S.kernel, float(M.diagonal().mean()) if len(M) else 1.0
        try:
            factor = linalg.cholesky(M + (level or 1.0) * (N @ N.T).toarray(), lower=True)
        except linalg.LinAlgError:  # singular beyond the known kernel
            pass
        else:
            Z = linalg.solve_triangular(factor, np.eye(len(M)), lower=True).T
            return Z, _groups(N)
    Z, rest = _by_eigenvectors(M)
    return Z, _groups(rest)


def _by_eigenvectors(M: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The coordinates, and a basis of the kernel, from all eigenpairs."""
    values, vectors = linalg.eigh(M) if len(M) else (np.zeros(0), np.zeros((0, 0)))
    positive = values > 1e-10 * max(values.max(initial=0.0), 1e-300)
    return vectors[:, positive] / np.sqrt(values[positive]), vectors[:, ~positive]


def _groups(kernel: Any) -> IntArray:
    """Vertices alike in all vectors of the kernel: b = e_i - e_j is in the range within them."""
    n, p = kernel.shape
    keys = kernel @ np.random.default_rng(0).standard_normal((p, 2)) if p else np.zeros((n, 2))
    keys = np.round(keys / max(float(np.abs(keys).max(initial=0.0)), 1e-300), 9) + 0.0
    return np.unique(keys, axis=0, return_inverse=True)[1].ravel()


def _by_solves(S: Operator, i: IntArray, j: IntArray) -> FloatArray:
    group = np.zeros(S.shape[0], dtype=np.int64) if S.kernel is None else _groups(S.kernel)
    R = np.where(group[i] == group[j], 0.0, np.inf)
    todo = np.flatnonzero((group[i] == group[j]) & (i != j))
    for start in range(0, len(todo), _BLOCK):
        at = todo[start : start + _BLOCK]
        b = np.zeros((S.shape[0], len(at)))
        column = np.arange(len(at))
        b[i[at], column], b[j[at], column] = 1.0, -1.0
        R[at] = (b * S.solve(b)).sum(axis=0)
    return R


def _sketch(S: Operator, error: float, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
    """S^+ F G / sqrt(k) with S = F F^T and k columns G of normal numbers."""
    if not 0 < error < 1:
        raise InputError(f"error={error!r}; give a relative error between 0 and 1, like 0.1")
    F = _root(S)
    k = int(np.ceil(2.0 / error**2))
    Z = np.empty((S.shape[0], k))
    for start in range(0, k, _BLOCK):
        columns = min(_BLOCK, k - start)
        Z[:, start : start + columns] = S.solve(F @ rng.standard_normal((F.shape[1], columns)))
    kernel = sparse.csr_array((S.shape[0], 0)) if S.kernel is None else S.kernel
    return Z / np.sqrt(k), _groups(kernel)


def _root(S: Operator) -> sparse.csr_array:
    """F with S = F F^T, one column an entry: |s| (e_i -+ e_j)(e_i -+ e_j)^T and the excess."""
    M = S.matrix
    if M is not None:
        off = sparse.triu(M.sorted_indices(), k=1, format="coo")  # the same order every time
        excess = 2.0 * M.diagonal() - abs(M).sum(axis=1)
        if (excess >= -1e-10 * abs(M).max()).all():
            n, m = M.shape[0], off.nnz
            size = np.sqrt(np.abs(off.data))
            rows = np.concatenate([off.row, off.col, np.arange(n)])
            columns = np.concatenate([np.arange(m), np.arange(m), m + np.arange(n)])
            ends = [size, np.sign(off.data) * size, np.sqrt(np.maximum(excess, 0.0))]
            return csr_from_entries(rows, columns, np.concatenate(ends), (n, m + n))
    raise InputError(
        f"error=... for {S!r}, which is not a diagonally dominant matrix; leave out error, or use "
        'graph_laplacian(K) or realization="screened"'
    )
