r"""What the rest of a network says of an edge, in numbers to learn from.

With d <= e the numbers of other neighbours of its ends, and c that of common ones:

    degrees     d, e
    triangles   c, and the sums of 1 / log d_x and 1 / d_x over the common neighbours x
                (Adamic-Adar, resource allocation); c / (d e)^{1/2}, c / (d + e - c), c / d, c / e
                (Salton, Jaccard, hub promoted and depressed); the support s of `edge_trust`; the
                sum and the product of the clustering coefficients of both ends
    squares     q = sum of 1 / (d_x d_y)^{1/2} over the ways i, x, y, j beside the edge (Kovacs et
                al. 2019), and q / (d e)^{1/2}
    low rank    of the 16 largest eigenvalues of N = (D + m)^{-1/2} A (D + m)^{-1/2}, m the mean
                degree (Qin and Rohe 2013): the entry of N, that of A, and the cosine of the rows

each x as sign(x) log(1 + |x|). Time and memory grow with edges and triangles, for the squares with
the neighbours of the neighbours of the smaller end.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._matrices.matrices import cells_around_edges
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.lifts.cliques import clique_complex
from cellapse.tasks._trust_by_cells import trust_by_cells

_RANK, _MORE, _STEPS = 16, 8, 8  # of the matrix of low rank; by subspace iteration
_AT_ONCE = 4000  # edges whose squares are counted at once


def edge_features(edges: IntArray, n: int, weights: FloatArray | None = None) -> FloatArray:
    """Return a row of numbers for each edge of a graph of n vertices.

    Weights of the edges count in the support, as in `edge_trust`, and in nothing else.

    >>> triangle_and_tail = np.array([[0, 1], [1, 2], [0, 2], [2, 3]])
    >>> np.expm1(edge_features(triangle_and_tail, 4)[:, :3]).round(6).tolist()
    [[1.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 2.0, 1.0], [0.0, 2.0, 0.0]]
    """
    i, j = edges.T
    degree = np.bincount(edges.ravel(), minlength=n).astype(np.float64)
    A = _adjacency(edges, n)
    low, high = np.minimum(degree[i], degree[j]) - 1.0, np.maximum(degree[i], degree[j]) - 1.0
    some, more = np.maximum(low, 0.5), np.maximum(high, 0.5)  # in place of zero
    common, adamic, allocated, support = _triangles(edges, degree, weights)
    squares = _squares(A, edges, degree)
    around = 0.5 * np.bincount(edges.ravel(), np.repeat(common, 2), n)  # triangles at a vertex
    one, other = (
        2.0 * (around[v] - common) / np.maximum((degree[v] - 1.0) * (degree[v] - 2.0), 1.0)
        for v in (i, j)
    )
    columns = (
        *(low, high, common, adamic, allocated, support, squares),
        *(common / np.sqrt(some * more), common / np.maximum(some + more - common, 1.0)),
        *(common / some, common / more, squares / np.sqrt(some * more), one + other, one * other),
        *_low_rank(A, edges, degree),
    )
    X = np.stack(columns, axis=1)
    logs: FloatArray = np.sign(X) * np.log1p(abs(X))
    return logs


def _adjacency(edges: IntArray, n: int) -> sparse.csr_array:
    ends = (np.concatenate([edges[:, 0], edges[:, 1]]), np.concatenate([edges[:, 1], edges[:, 0]]))
    return sparse.csr_array((np.ones(2 * len(edges)), ends), shape=(n, n))


def simple_scores(edges: IntArray, n: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the closed Jaccard index, resource allocation and the topological overlap of edges.

    With d and e the degrees and c the number of common neighbours (c + 2) / (d + e - c), the sum of
    1 / d_x over the common neighbours x, and (c + 1) / min(d, e).

    >>> for score in simple_scores(np.array([[0, 1], [1, 2], [0, 2], [2, 3]]), 4):
    ...     print(score.round(3).tolist())
    [1.0, 0.75, 0.75, 0.5]
    [0.333, 0.5, 0.5, 0.0]
    [1.0, 1.0, 1.0, 1.0]
    """
    degree = np.bincount(edges.ravel(), minlength=n).astype(np.float64)
    common, _, allocated, _ = _triangles(edges, degree)
    one, other = degree[edges.T]
    closed = (common + 2.0) / (one + other - common)
    return closed, allocated, (common + 1.0) / np.minimum(one, other)


def _triangles(
    edges: IntArray, degree: FloatArray, weights: FloatArray | None = None
) -> tuple[FloatArray, ...]:
    """Sums over the common neighbours of both ends, and the support."""
    m = len(edges)
    given = None if weights is None else {1: weights}
    K = clique_complex(Complex.from_arrays(len(degree), {1: edges}, weights=given), 2)
    around = cells_around_edges(K)[0].tocoo()
    edge, cell = around.coords
    opposite = K.cells[2].as_array(3).sum(axis=1)[cell] - edges.sum(axis=1)[edge]
    d = degree[opposite]
    common, adamic, allocated = (
        np.bincount(edge, w, m).astype(np.float64)
        for w in (np.ones(len(d)), 1.0 / np.log(d), 1.0 / d)
    )
    trust = trust_by_cells(K)[0]
    return common, adamic, allocated, trust / (1.0 - trust)


def _squares(A: sparse.csr_array, edges: IntArray, degree: FloatArray) -> FloatArray:
    """Walks of three steps beside every edge, weighed by the degrees of the inner vertices."""
    i, j = edges.T
    s = 1.0 / np.sqrt(np.maximum(degree, 1.0))
    into = sparse.csr_array(A * s[None, :])  # a step into x weighs s_x
    small = np.where(degree[i] <= degree[j], i, j)
    large = i + j - small
    walks = np.zeros(len(edges))
    order = np.argsort(small, kind="stable")
    for part in np.array_split(order, max(1, len(edges) // _AT_ONCE)):
        start, at = np.unique(small[part], return_inverse=True)
        two = sparse.csr_array(into[start] @ into)[at]
        walks[part] = np.asarray(two.multiply(A[large[part]]).sum(axis=1)).ravel()
    h = A @ s
    beside: FloatArray = walks - s[j] * h[j] - s[i] * h[i] + s[i] * s[j]  # not over the edge itself
    return np.maximum(beside, 0.0)


def _low_rank(
    A: sparse.csr_array, edges: IntArray, degree: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    n = len(degree)
    i, j = edges.T
    s = 1.0 / np.sqrt(degree + degree.mean())
    N = sparse.csr_array(A * s[:, None] * s[None, :])
    Q = np.random.default_rng(0).standard_normal((n, min(_RANK + _MORE, n)))
    for _ in range(_STEPS):
        Q = np.linalg.qr(N @ Q)[0]
    values, vectors = np.linalg.eigh(Q.T @ (N @ Q))
    first = np.argsort(-abs(values), kind="stable")[:_RANK]
    values, V = values[first], (Q @ vectors[:, first])
    entry = ((V * values)[i] * V[j]).sum(axis=1)
    rows = V * abs(values)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return entry / (s[i] * s[j]), entry, (rows[i] * rows[j]).sum(axis=1)
