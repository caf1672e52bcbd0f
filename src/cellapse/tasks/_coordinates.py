r"""Coordinates z_i of the vertices with R_ij = |z_i - z_j|^2, and what rounding may do to them.

For P = S without one vertex of each vector of its kernel (the grounds, at z = 0) and P = F F^T, the
rows of F^-T are such coordinates. An operator is known to its rounding only, and

    |d(b^T S^+ b)| <= |w|^2 ||dS||,   w = S^+ b,   b = e_i - e_j:

so the rows of S^+, times the root of ||dS||, are coordinates y_i of their own, whose |y_i - y_j|^2
bounds the error of R_ij. Where the bound is too large, two better ways are tried:

* a Laplacian (no entry above zero off the diagonal, constants in the kernel) is eliminated without
  a single subtraction (Grassmann, Taksar and Heyman), so that weak edges between strong ones count;
* otherwise all eigenpairs tell which differences have no energy beyond rounding: there R = inf.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components

from cellapse._linalg.operators import Operator
from cellapse._shared.arrays import FloatArray, IntArray

_EPS = float(np.finfo(np.float64).eps)
_ROUNDING = 8 * _EPS  # of an entry of S, relative to the size of S around it


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
    """One way after the other, the quickest first, to coordinates from the dense operator."""
    M, size = S.toarray(), _sizes(S.A)
    sparse_matrix = S.shortcuts.matrix is not None
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
    """The largest sum of absolute values of a row, within the component of each vertex."""
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
    # How well rounding lets the vectors without energy be told from the first with some.
    return Coordinates(points, errors, groups(vectors[:, ~positive], max(1e-9, none / smallest)))


def _is_laplacian(M: FloatArray, kernel: sparse.csr_array) -> bool:
    """Whether every row sums to zero by its kernel, and no entry off the diagonal is positive."""
    entries = kernel.tocoo()
    constant = 1.0 / np.sqrt(np.bincount(entries.col)[entries.col])
    if kernel.nnz != len(M) or not np.allclose(entries.data, constant, rtol=1e-12):
        return False
    off = M - np.diag(M.diagonal())
    return not (off > 0).any()


def _without_subtraction(M: FloatArray, grounded: IntArray) -> FloatArray:
    """Coordinates of a Laplacian by elimination of its vertices, the grounds last.

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
