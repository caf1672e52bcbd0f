"""The operators people compare with, all with the interface of the collapsed one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._complex.labels import steady
from cellapse._errors import InputError
from cellapse._linalg.kernel import left_kernel
from cellapse._linalg.operators import SparseOperator
from cellapse._matrices.matrices import cells_around_edges, edge_boundary
from cellapse._shared.arrays import FloatArray, IntArray, csr_from_entries, square
from cellapse._shared.checks import listed, number, one_of, real_array, whole_number


def graph_laplacian(source: Any) -> SparseOperator:
    """Return the (weighted) graph Laplacian L = B_1 B_1^T of the edges alone.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes

    Returns
    -------
    Operator

    Examples
    --------
    >>> graph_laplacian(Complex.from_cells({1: [("a", "b")]})).toarray().tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    K = to_complex(source)
    B = edge_boundary(K)
    return operator_of(K, square(B), left_kernel(B), "graph Laplacian")


def signless_laplacian(source: Any) -> SparseOperator:
    """Return the signless Laplacian |B_1| |B_1|^T = D + Adj.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes

    Returns
    -------
    Operator

    Examples
    --------
    >>> signless_laplacian(Complex.from_cells({1: [("a", "b")]})).toarray().tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    K = to_complex(source)
    B = sparse.csr_array(abs(edge_boundary(K).csr))
    return operator_of(K, square(B), left_kernel(B), "signless Laplacian")


def multiorder_laplacian(source: Any, weights: ArrayLike | None = None) -> SparseOperator:
    """Return the multiorder Laplacian: one Laplacian for every cell size, summed.

    L = sum_d gamma_d / <K^(d)> L^(d),  L^(d)_ij = d K^(d)_i delta_ij - A^(d)_ij, where order d are
    the cells of d + 1 vertices, K^(d)_i how many hold vertex i, A^(d)_ij how many hold both, each
    by its weight.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
    weights : numbers gamma_1..gamma_D, optional
        One for each order 1..D up to the largest cell; 1 by default.

    Returns
    -------
    Operator

    Examples
    --------
    >>> K = Complex.from_cells({1: [("a", "b"), ("b", "c")]})
    >>> multiorder_laplacian(K).toarray().diagonal().tolist()
    [0.75, 1.5, 0.75]
    """
    K = to_complex(source)
    n = K.n_vertices
    top = max((int(c.sizes.max(initial=1)) for c in K.cells), default=1) - 1
    gamma = np.ones(top) if weights is None else real_array(weights, "weights")
    if gamma.shape != (top,) or not ((gamma >= 0) & (gamma <= 1e60)).all():
        raise InputError(
            f"weights of shape {gamma.shape}; give {top} numbers from 0 to 1e60, one for each "
            f"order 1..{top} (cells of 2..{top + 1} vertices)"
        )
    total = sparse.csr_array((n, n))
    for order in range(1, top + 1):
        shared = sparse.csr_array((n, n))
        for cells, given in zip(K.cells[1:], K.weights[1:], strict=True):
            where, rows = cells.of_size(order + 1)
            each = np.ones(len(where)) if given is None else given[where]
            owner = np.repeat(np.arange(len(where)), order + 1)
            H = csr_from_entries(rows.ravel(), owner, np.ones(rows.size), (n, len(where)))
            shared = shared + H @ sparse.diags_array(each) @ H.T
        degree = shared.diagonal()
        if degree.sum() > 0:
            L = sparse.diags_array((order + 1) * degree) - shared
            total = total + gamma[order - 1] / degree.mean() * L
    return _on_vertices(K, total, np.ones(n), "multiorder Laplacian")


def motif_laplacian(source: Any, floor: float = 0.1) -> SparseOperator:
    """Return the Laplacian of the edges weighted by `floor` plus the number of cells around them.

    With `floor=0` an edge in no cell above rank 1 vanishes (the motif adjacency of Benson et al.
    for triangles); a small floor keeps the graph connected.

    w_ij = floor + the number of cells around the edge ij.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
    floor : float
        What an edge in no cell weighs, at least 0.

    Returns
    -------
    Operator

    Examples
    --------
    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> motif_laplacian(K, floor=0.5).toarray()[0].tolist()
    [3.0, -1.5, -1.5]
    """
    K = to_complex(source)
    floor = number("floor", floor, "a number from 0 to 1e60", lambda x: 0.0 <= x <= 1e60)
    B = edge_boundary(K).csr
    count = sum((A.sum(axis=1) for A in cells_around_edges(K)), np.zeros(B.shape[1]))
    B = sparse.csr_array(B @ sparse.diags_array(np.sqrt(floor + count)))
    return operator_of(K, square(B), left_kernel(B), "motif Laplacian")


def zhou_laplacian(source: Any, ranks: Sequence[int] | None = None) -> SparseOperator:
    """Zhou's normalized hypergraph Laplacian, with the cells as hyperedges.

    L = I - D_v^{-1/2} H W D_e^{-1} H^T D_v^{-1/2}; a vertex in no hyperedge gets a zero row. With
    the cells of one rank, ranks=[p], it is the flower-petals Laplacian of p-simplices (Huang et
    al. 2024).

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
    ranks : list of int, optional
        The ranks whose cells count as hyperedges; all above 0 by default.

    Returns
    -------
    Operator

    Examples
    --------
    >>> zhou_laplacian(Complex.from_cells({1: [("a", "b")]})).toarray().round(6).tolist()
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    K = to_complex(source)
    n = K.n_vertices
    wanted = range(1, K.max_rank + 1) if ranks is None else listed(steady(ranks), "ranks")
    chosen = [whole_number("a rank of `ranks`", k, 1, K.max_rank) for k in wanted]
    tables = [K.cells[k] for k in chosen]
    weight = np.concatenate(
        [np.empty(0)]
        + [
            np.ones(len(c)) if K.weights[k] is None else K.weights[k]
            for k, c in zip(chosen, tables, strict=True)
        ]
    )
    H = sparse.csr_array((n, 0))
    if tables:
        stacked = sparse.vstack([c.membership(n) for c in tables], format="csr")
        H = sparse.csr_array(stacked.T.astype(np.float64))
    degree = H @ weight
    held = degree > 0
    scale = np.where(held, degree, 1.0) ** -0.5
    smooth = sparse.diags_array(scale) @ H @ sparse.diags_array(weight / H.sum(axis=0)) @ H.T
    L = sparse.diags_array(held.astype(np.float64)) - smooth @ sparse.diags_array(scale)
    weights = (K.weights[0], *(None,) * len(tables))  # only what it holds together is asked
    used = Complex(K.labels, (K.cells[0], *tables), weights, (), K.metadata)  # likewise
    return _on_vertices(used, L, np.where(held, np.sqrt(degree), 1.0), "Zhou Laplacian")


def projection_laplacian(source: Any, weights: str = "size") -> SparseOperator:
    """Return the Laplacian of the weighted projection of a hypergraph onto pairs of vertices.

    A hyperedge e of weight w_e gives each of its pairs w_e / (|e| - 1), so that it adds w_e to the
    degree of each member, whatever its size. Every cell above the edges is a hyperedge. An edge is
    a pair of its own with what its weight (1 by default) has over the sum of the w_e of the larger
    cells around it: within a larger cell it is one of its pairs, unless the multiplicity of the
    hyperedges was kept, as `hypergraph_complex(..., multiplicity="weight")` does. On a graph this
    is the graph Laplacian.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
    weights : {"size", "count", "none"}
        w_e / (|e| - 1), w_e, or 1 for every pair that shares any cell.

    Returns
    -------
    Operator

    Examples
    --------
    >>> K = Complex.from_cells({1: [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")],
    ...                         2: [("a", "b", "c")]})
    >>> projection_laplacian(K).toarray().diagonal().tolist()
    [1.0, 1.0, 2.0, 1.0]
    """
    K = to_complex(source)
    one_of("weights", weights, ("size", "count", "none"))
    n = K.n_vertices
    total, count = sparse.csr_array((n, n)), sparse.csr_array((n, n))
    pairs: IntArray = np.empty((0, 2), dtype=np.int64)
    of_pairs: FloatArray = np.empty(0)  # of no pairs
    for rank, cells in enumerate(K.cells[1:], start=1):
        given = K.weights[rank]
        each = np.ones(len(cells)) if given is None else given
        if rank == 1:
            where, pairs = cells.of_size(2)
            of_pairs = each[where]
            each = np.where(cells.sizes > 2, each, 0.0)
        H = sparse.csr_array(cells.membership(n).T.astype(np.float64))
        count = count + H @ sparse.diags_array(each) @ H.T
        total = total + H @ sparse.diags_array(each / (cells.sizes - 1)) @ H.T
    i, j = pairs.T
    held = np.empty(0)  # of no pairs
    if len(i):
        held = np.asarray(sparse.csr_array(count)[i, j]).ravel()
    rest = np.maximum(of_pairs - held, 0.0)
    own = csr_from_entries(np.r_[i, j], np.r_[j, i], np.r_[rest, rest], (n, n))
    A = sparse.csr_array((total if weights == "size" else count) + own)
    A = sparse.csr_array(A - sparse.diags_array(A.diagonal()))  # L cancels it
    A.eliminate_zeros()
    if weights == "none":
        A = sparse.csr_array((np.ones(A.nnz), A.indices, A.indptr), shape=A.shape)
    L = sparse.diags_array(np.asarray(A.sum(axis=1)).ravel()) - A
    return _on_vertices(K, L, np.ones(n), "projection Laplacian")


def operator_of(
    K: Complex,
    matrix: Any,
    kernel: sparse.csr_array | None,
    name: str,
    labels: Sequence[Hashable] | None = None,
    definite: bool = True,
) -> SparseOperator:
    """Return the operator, which says how its complex was lifted; on the vertices if not said."""
    L = SparseOperator(matrix, K.labels if labels is None else labels, kernel, name, definite)
    L.lift = K.lift
    return L


def _on_vertices(K: Complex, L: Any, x: FloatArray, name: str) -> SparseOperator:
    """W^{-1/2} L W^{-1/2} with the weights W of the vertices, as B_1 has them.

    On each component L maps x to zero, and no vector besides.
    """
    if K.weights[0] is not None:
        root = np.sqrt(K.weights[0])
        L, x = sparse.diags_array(1.0 / root) @ L @ sparse.diags_array(1.0 / root), x * root
    component = K.components()
    norm = np.sqrt(np.bincount(component, weights=x**2))
    shape = (K.n_vertices, int(component.max()) + 1)
    kernel = csr_from_entries(np.arange(K.n_vertices), component, x / norm[component], shape)
    return operator_of(K, L, kernel, name)
