r"""Graphs whose edges attract or repel: B_1 with signs, and what closes around it.

For an edge uv of weight w and sign s, the column of B_1 is sqrt(|w|) (s e_v - e_u), so that

    x^T B_1 B_1^T x = sum_uv |w| (x_u - s x_v)^2,     B_1 B_1^T = D - A,     D_uu = sum_v |A_uv|.

It is zero for some x, of no zero entry, on a connected graph that is balanced: two groups, within
which edges are positive, and negative between (Harary 1953). A cell has a boundary with
B_k B_{k+1} = 0 only if its own edges are balanced: the face without the first vertex v_0 gets the
sign of v_0 v_1, the others what they always have.

Kunegis et al., Spectral analysis of signed graphs for clustering, prediction and visualization
(2010).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._linalg.kernel import left_kernel
from cellapse._linalg.operators import SparseOperator
from cellapse._matrices.incidence import Incidence
from cellapse._matrices.matrices import boundary_matrices
from cellapse._operators.arcs import adjacency_of
from cellapse._shared.arrays import IntArray
from cellapse._shared.checks import whole_number
from cellapse.lifts.cliques import clique_complex


def signed_laplacian(graph: Any, weight: str | None = "weight") -> SparseOperator:
    """Return the signed Laplacian L = D - A, where D_uu is the sum of |A_uv|.

    It is positive semi-definite. Its kernel has one dimension for each balanced component: the
    smallest eigenvalue of a connected graph is zero if and only if the graph is balanced.

    Parameters
    ----------
    graph : networkx.Graph or square symmetric matrix
        A negative weight or entry is an edge between vertices that differ.
    weight : str or None
        The attribute of a networkx graph that holds weights, 1 where there is none; None leaves
        them out.

    Returns
    -------
    Operator

    Examples
    --------
    >>> signed_laplacian([[0.0, -1.0], [-1.0, 0.0]]).toarray().tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    >>> triangle = np.ones((3, 3))
    >>> triangle[0, 1] = triangle[1, 0] = -1.0  # not balanced
    >>> signed_laplacian(triangle).spectrum().values.round(3).tolist()
    [1.0, 1.0, 4.0]
    """
    labels, A = _symmetric(graph, weight)
    L = sparse.diags_array(abs(A).sum(axis=1)) - A
    return SparseOperator(L, labels, left_kernel(_edge_boundary(A)), "signed Laplacian")


def signed_boundaries(graph: Any, max_rank: int = 2, weight: str | None = "weight") -> Incidence:
    """Return the boundaries B_1, ..., B_K of the balanced cliques of a signed graph.

    B_1 B_1^T is the signed Laplacian, and B_k B_{k+1} = 0. A clique that is not balanced has no
    boundary and is left out, so that triangles which contradict themselves support no edge.
    `collapse` takes them as they are, or for "renormalized", "screened" and "unfolded" B_1 and
    which edges are in which cell; of balanced graphs that is the collapse without signs, up to a
    sign for each vertex.

    Parameters
    ----------
    graph, weight
        As for `signed_laplacian`.
    max_rank : int
        Of the cliques: 2 for triangles.

    Returns
    -------
    Incidence

    Examples
    --------
    >>> import cellapse as cl
    >>> triangle = np.ones((3, 3))
    >>> triangle[0, 1:] = triangle[1:, 0] = -1.0  # balanced: one against two
    >>> signed_boundaries(triangle).n_cells
    (3, 3, 1)
    >>> S = cl.collapse(signed_boundaries(triangle), "renormalized")
    >>> S.spectrum(1).vectors.ravel().round(3).tolist()
    [0.577, -0.577, -0.577]
    """
    max_rank = whole_number("max_rank", max_rank, 1, 1000)
    labels, A = _symmetric(graph, weight)
    K = _balanced_cliques(labels, A, max_rank)
    matrices = [_edge_boundary(A)]
    for k, B in enumerate([*boundary_matrices(K)][1:] if K.max_rank > 1 else [], start=2):
        entries, cells = B.tocoo(), K.cells[k].as_array(k + 1)
        i, j = entries.coords
        away = K.cells[k - 1].as_array(k)[i, 0] != cells[j, 0]  # the face without the first vertex
        sign = np.where(away, _signs(A, cells[j, 0], cells[j, 1]), 1.0)
        matrices.append(sparse.csr_array((entries.data * sign, (i, j)), shape=B.shape))
    return Incidence(tuple(matrices), "given", K, (0,) * (len(matrices) + 1))


def _symmetric(graph: Any, weight: str | None) -> tuple[Sequence[Hashable], sparse.csr_array]:
    labels, A = adjacency_of(graph, weight)
    if abs(A - A.T).max() > 1e-12 * abs(A).max():
        raise InputError(
            "a graph with directions, and the signed Laplacian has none; take "
            "magnetic_laplacian, or (A + A.T) / 2 if that is what you mean"
        )
    return labels, A


def _edge_boundary(A: sparse.csr_array) -> sparse.csr_array:
    """Return B_1, its columns in the order of the edges (u, v) with u < v."""
    u, v, w = _edges(A)
    root, column = np.sqrt(abs(w)), np.arange(len(w))
    entries = np.r_[-root, np.sign(w) * root]
    places = np.r_[u, v], np.r_[column, column]
    return sparse.csr_array((entries, places), shape=(A.shape[0], len(w)))


def _edges(A: sparse.csr_array) -> tuple[IntArray, IntArray, Any]:
    upper = sparse.csr_array(sparse.triu(A, 1))
    upper.sort_indices()
    u = np.repeat(np.arange(A.shape[0]), np.diff(upper.indptr))
    return u, upper.indices.astype(np.int64), upper.data


def _signs(A: sparse.csr_array, u: IntArray, v: IntArray) -> Any:
    return np.sign(np.asarray(A[u, v]).ravel()) if len(u) else np.empty(0)


def _balanced_cliques(labels: Sequence[Hashable], A: sparse.csr_array, max_rank: int) -> Complex:
    """Return the cliques of the graph in which all signs are products of signs of two vertices."""
    u, v, w = _edges(A)
    n, cells = A.shape[0], {1: np.column_stack([u, v])}
    found = clique_complex(sparse.csr_array(abs(A).sign()), max_rank)
    for k in range(2, found.max_rank + 1):
        cliques = np.sort(found.cells[k].as_array(k + 1), axis=1)
        x = [np.ones(len(cliques))]
        x += [_signs(A, cliques[:, 0], cliques[:, i]) for i in range(1, k + 1)]
        fits = [
            _signs(A, cliques[:, i], cliques[:, j]) == x[i] * x[j]
            for i in range(1, k + 1)
            for j in range(i + 1, k + 1)
        ]
        cells[k] = cliques[np.logical_and.reduce(fits)]
    weights = {} if (abs(w) == 1.0).all() else {1: abs(w)}
    return Complex.from_arrays(n, cells, labels=labels, weights=weights)
