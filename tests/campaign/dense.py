"""The collapse of a clique complex of rank 2 in plain dense algebra, free of cancellation.

    S = beta A - c (I - K^-1),   K = I + beta B M^-1 B^T,   c = gamma_0^2 / beta,

with M = eps + T the effective operator of the edges once the triangles are gone. T is a function of
B_2 B_2^T: f(x) = beta x - gamma_1^2 x / (beta x + eps) = beta x (beta (x - s) + eps)/(beta x + eps)
at the bound gamma_1^2 = beta^2 s. Here beta = 1 throughout, and gamma is at the bound.
"""

import numpy as np
from scipy import linalg, sparse


class Graph:
    """Edges and triangles of a networkx graph, by position."""

    def __init__(self, graph):
        place = {v: i for i, v in enumerate(graph)}
        self.n = len(place)
        pairs = sorted({tuple(sorted((place[u], place[v]))) for u, v in graph.edges})
        self.edges = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        ones = np.ones(2 * len(self.edges))
        i, j = self.edges.T
        where = (np.concatenate([i, j]), np.concatenate([j, i]))
        self.adjacency = sparse.csr_array((ones, where), shape=(self.n, self.n))
        self.components = sparse.csgraph.connected_components(self.adjacency, directed=False)
        both = self.adjacency @ self.adjacency
        # How many triangles hold each edge: common neighbours of its ends.
        self.around = np.asarray(both[i, j]).ravel() if len(self.edges) else np.zeros(0)

    def triangles(self):
        """All of them as triples of edges (edge ids of the pairs)."""
        number = {tuple(e): k for k, e in enumerate(self.edges.tolist())}
        near = [set() for _ in range(self.n)]
        for u, v in self.edges.tolist():
            near[u].add(v)
            near[v].add(u)
        found = []
        for u, v in self.edges.tolist():
            for w in near[u] & near[v]:
                if w > v:
                    found.append((number[u, v], number[u, w], number[v, w]))
        return np.array(found, dtype=np.int64).reshape(-1, 3)

    def incidence(self, signed=True):
        """B_1, sparse."""
        m = len(self.edges)
        values = np.concatenate([np.full(m, -1.0 if signed else 1.0), np.ones(m)])
        at = (self.edges.T.ravel(), np.concatenate([np.arange(m)] * 2))
        return sparse.csr_array((values, at), shape=(self.n, m))

    def kernel(self, signed=True):
        """Orthonormal vectors of ker B_1^T: components, or colourings of bipartite ones."""
        count, label = self.components
        sign = np.ones(self.n)
        if not signed:
            sign = self._colours()
        columns = []
        for c in range(count):
            x = np.where(label == c, sign, 0.0)
            if signed or not (x[self.edges[:, 0]] + x[self.edges[:, 1]]).any():
                columns.append(x / np.linalg.norm(x))
        return np.array(columns).reshape(-1, self.n).T

    def _colours(self):
        colour, A = np.zeros(self.n), self.adjacency
        for start in range(self.n):
            if colour[start]:
                continue
            colour[start], waiting = 1.0, [start]
            while waiting:
                v = waiting.pop()
                for w in A.indices[A.indptr[v] : A.indptr[v + 1]].tolist():
                    if not colour[w]:
                        colour[w] = -colour[v]
                        waiting.append(w)
        return colour


def gap(A, kernel):
    """The smallest positive eigenvalue of A; its kernel is known."""
    values = linalg.eigvalsh(A)
    return float(values[kernel.shape[1]]) if kernel.shape[1] < len(values) else 0.0


def collapsed(graph, realization, eps, regularized):
    """S and A as dense matrices; None where the matrices would be too large."""
    signed = realization != "incidence"
    B, P = graph.incidence(signed), graph.kernel(signed)
    A = (B @ B.T).toarray()
    if realization == "graph":
        return A, A
    if realization in ("screened", "renormalized"):
        share = shares(graph, realization == "renormalized", eps)
        if share is None:
            return None
        return (B @ sparse.diags_array(share) @ B.T).toarray(), A
    s = gap(A, P) if len(graph.edges) else 0.0
    c = s + (eps if regularized and len(graph.edges) else 0.0)
    if realization == "boundary":
        values, U = linalg.eigh(A)
        values[: P.shape[1]] = 0.0
        return A - (U * (c * values / (values + eps))) @ U.T, A
    G = weighted(graph, B, realization, eps, regularized)
    if G is None:
        return None
    inverse = linalg.inv(np.eye(graph.n) + G)
    inverse -= P @ (P.T @ inverse)
    inverse -= (inverse @ P) @ P.T
    inverse = (inverse + inverse.T) / 2 + P @ P.T
    return A - c * (np.eye(graph.n) - inverse), A


def weighted(graph, B, realization, eps, regularized):
    """B M^-1 B^T."""
    d = graph.around
    if realization == "unfolded":
        s = d[d > 0].min(initial=np.inf)
        mass = eps + after(d, s, eps, regularized)
        return (B @ sparse.diags_array(1.0 / mass) @ B.T).toarray()
    if len(graph.edges) > 3000 or d.sum() / 3 > 40000:
        return None
    triangles = graph.triangles()
    m = len(graph.edges)
    at = (triangles.ravel(), np.repeat(np.arange(len(triangles)), 3))
    B2 = sparse.csr_array((np.ones(triangles.size), at), shape=(m, len(triangles)))
    x, U = linalg.eigh((B2 @ B2.T).toarray())
    x[x < 1e-9 * max(x[-1], 1.0)] = 0.0  # integers: nothing positive is so small
    s = x[x > 0].min(initial=np.inf)
    half = B @ (U / np.sqrt(eps + after(x, s, eps, regularized)))
    return half @ half.T


def after(x, s, eps, regularized):
    """f(x) at the bound, or with eps more in gamma^2."""
    if not np.isfinite(s):
        return np.zeros_like(x)
    return np.where(x > 0, x * (x - s + (0.0 if regularized else eps)) / (x + eps), 0.0)


def shares(graph, rounds, eps):
    """The shares of the edges at the default theta and beta, by the formula for triangles."""
    if not rounds:
        return 1.0 - 0.9 / (1.0 + eps + graph.around)
    if graph.around.sum() / 3 > 2e6:
        return None
    triangles, share = graph.triangles(), np.ones(len(graph.edges))
    for _ in range(5):
        degree = np.zeros(graph.n)
        for end in (0, 1):
            np.add.at(degree, graph.edges[:, end], share)
        support = np.zeros(len(share))
        for here in range(3):
            a, b = (triangles[:, (here + k) % 3] for k in (1, 2))
            np.add.at(support, triangles[:, here], share[a] * share[b])
        support /= np.sqrt(degree[graph.edges[:, 0]] * degree[graph.edges[:, 1]])
        share = 1.0 - 0.95 / (1.0 + eps + 5.0 * support)
    return share
