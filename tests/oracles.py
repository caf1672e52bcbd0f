"""Slow, plain computations of the same things, that share no code with the package."""

from itertools import combinations

import numpy as np
from scipy import linalg


def dense(matrix):
    """A numpy array, whatever was given."""
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix, dtype=float)


def eigenvalues(matrix):
    """Eigenvalues of a symmetric matrix, also of an empty one."""
    M = dense(matrix)
    return linalg.eigvalsh((M + M.T) / 2) if len(M) else np.zeros(0)


def norm(matrix):
    """Spectral norm, 0 for matrices without rows or columns."""
    M = dense(matrix)
    return float(np.linalg.norm(M, 2)) if M.size else 0.0


def is_psd(matrix, scale=None, tol=1e-11):
    """Whether no eigenvalue is negative beyond rounding."""
    values = eigenvalues(matrix)
    scale = max(norm(matrix), 1e-300) if scale is None else scale
    return bool(len(values) == 0 or values[0] >= -tol * scale)


def assert_close(given, expected, tol=1e-10, scale=None):
    """Equal to `tol`, relative to the largest entry expected (or to `scale`)."""
    given, expected = dense(given), dense(expected)
    assert given.shape == expected.shape
    if expected.size:
        scale = np.abs(expected).max() if scale is None else scale
        assert np.abs(given - expected).max() <= tol * max(scale, 1e-300)


def schur(A, X, C, eps):
    """A - X (C + eps I)^-1 X^T, with the pseudo-inverse for eps = 0."""
    A, X, C = dense(A), dense(X), dense(C)
    if not len(C):
        return A
    if eps == 0:
        return A - X @ linalg.pinvh(C, rtol=1e-9) @ X.T
    return A - X @ linalg.solve(C + eps * np.eye(len(C)), X.T, assume_a="sym")


def graded(matrices, beta, gamma):
    """The graded Laplacian as one dense matrix, from its definition."""
    B = [dense(M) for M in matrices]
    sizes = [B[0].shape[0], *(M.shape[1] for M in B)]
    start = np.concatenate([[0], np.cumsum(sizes)])
    L = np.zeros((start[-1], start[-1]))
    for k, M in enumerate(B):
        low, high = slice(start[k], start[k + 1]), slice(start[k + 1], start[k + 2])
        L[low, low] += beta[k] * M @ M.T
        L[high, high] += beta[k] * M.T @ M
        L[low, high] -= gamma[k] * M
        L[high, low] -= gamma[k] * M.T
    return L, start


def blocks(L, start, onto=0):
    """A, X, C of the graded Laplacian for the rank kept."""
    keep = np.arange(start[onto], start[onto + 1])
    rest = np.setdiff1d(np.arange(start[-1]), keep)
    return L[np.ix_(keep, keep)], L[np.ix_(keep, rest)], L[np.ix_(rest, rest)]


def simplicial_boundary(K, k):
    """Signed B_k of a simplicial complex, cell by cell."""
    place = {tuple(sorted(c.tolist())): i for i, c in enumerate(K.cells[k - 1])}
    B = np.zeros((len(K.cells[k - 1]), len(K.cells[k])))
    for j, cell in enumerate(K.cells[k]):
        members = sorted(cell.tolist())
        for i in range(k + 1):
            B[place[tuple(members[:i] + members[i + 1 :])], j] = (-1) ** i
    return B


def contained(K, low, high):
    """Ones where a cell of rank `low` lies inside a cell of rank `high`, pair by pair."""
    x, y = ([set(c.tolist()) for c in K.cells[k]] for k in (low, high))
    return np.array([[float(a < b) for b in y] for a in x]).reshape(len(x), len(y))


def flags(K):
    """The unfolded matrices above the edges, flag by flag, for a complex without skipped ranks."""
    matrices = []
    paths = [(i,) for i in range(len(K.cells[1]))]
    for k in range(2, K.max_rank + 1):
        inside = contained(K, k - 1, k)
        w = K.weights[k] if K.weights[k] is not None else np.ones(len(K.cells[k]))
        grown = [(*p, j) for p in paths for j in range(len(K.cells[k])) if inside[p[-1], j]]
        B = np.zeros((len(paths), len(grown)))
        for column, path in enumerate(grown):
            B[paths.index(path[:-1]), column] = np.sqrt(w[path[-1]])
        matrices.append(B)
        paths = grown
    return matrices


def smallest_positive_singular_value(B):
    """sigma_min+ by a dense singular value decomposition."""
    sigma = linalg.svdvals(dense(B)) if dense(B).size else np.zeros(0)
    positive = sigma[sigma > 1e-9 * sigma.max(initial=0.0)]
    return float(positive.min()) if len(positive) else np.inf


def conductance(M, i, j):
    """min x^T M x over x with x_i - x_j = 1, from the conditions of the optimum; and its x."""
    n = len(M)
    a = np.zeros(n)
    a[i], a[j] = 1.0, -1.0
    system = np.block([[2 * M, a[:, None]], [a[None, :], np.zeros((1, 1))]])
    x = np.linalg.lstsq(system, np.r_[np.zeros(n), 1.0], rcond=1e-12)[0][:n]
    return float(x @ M @ x), x


def edge_expansion(graph):
    """h(G): the least number of edges out of a set, per vertex of it, over sets up to half."""
    n = graph.number_of_nodes()
    best = np.inf
    for size in range(1, n // 2 + 1):
        for inside in combinations(graph, size):
            members = set(inside)
            cut = sum((u in members) != (v in members) for u, v in graph.edges)
            best = min(best, cut / size)
    return best
