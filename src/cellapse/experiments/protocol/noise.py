"""Networks with edges that are known to be false, and the classical scores of edges.

A score gives every edge (i, j) a number that should be larger for true edges. With N(i) the
neighbours of i and d_i their number,

    common neighbours  |N(i) & N(j)| = c          Salton              c / sqrt(d_i d_j)
    Jaccard            c / |N(i) | N(j)|          hub promoted        c / min(d_i, d_j)
    Adamic-Adar        sum over both's 1/log d    topological overlap (c + 1) / min(d_i, d_j)
    resource alloc.    sum over both's 1/d        low rank            of the best rank-8 matrix
    PageRank           mean of both ways, .85     resistance          minus the effective one
"""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
from scipy import linalg, sparse

from cellapse._shared.arrays import BoolArray, FloatArray, IntArray
from cellapse.datasets.bundled import available, load
from cellapse.datasets.generators import block_model, geometric_graph, join

KINDS = ("uniform", "degree")  # and "near"
_RANK = 8
_DAMPING = 0.85


def _hubs(seed: int) -> tuple[sparse.csr_array, IntArray]:
    """Return two groups whose vertices have degrees of a heavy tail."""
    rng = np.random.default_rng(seed)
    n = 400
    size = np.minimum(rng.pareto(1.8, n) + 0.3, 20.0)
    groups = np.arange(n) % 2
    chance = np.outer(size, size) * np.where(groups[:, None] == groups, 1.0, 0.1)
    chance = np.minimum(12.0 * n * chance / chance.sum(), 0.9)
    pairs = np.argwhere(np.triu(rng.random((n, n)) < chance, 1))
    return join(sparse.csr_array((n, n)), pairs), groups


GENERATED: dict[str, Callable[[int], tuple[sparse.csr_array, IntArray | None]]] = {
    "blocks": lambda seed: block_model([40] * 4, 0.3, 0.02, rng=seed),
    "places": lambda seed: (geometric_graph(250, 0.13, rng=seed)[1], None),
    "clustered hubs": lambda seed: (
        nx.to_scipy_sparse_array(
            nx.powerlaw_cluster_graph(400, 5, 0.6, seed=seed), dtype=float
        ).tocsr(),
        None,
    ),
    "two groups with hubs": _hubs,
}
NETWORKS = (*available(), *GENERATED)


def draw(name: str, seed: int) -> tuple[sparse.csr_array, IntArray | None]:
    """The adjacency of a bundled or generated network, and its groups where they are known."""
    if name in GENERATED:
        return GENERATED[name](seed)
    data = load(name)
    A = nx.to_scipy_sparse_array(data.graph, weight=None, dtype=float).tocsr()
    return A, np.asarray(data.groups)


def with_false_edges(A: sparse.csr_array, percent: int, kind: str, seed: int) -> sparse.csr_array:
    """The network with more edges, in per cent of its own, between vertices not joined before.

    Both ends are drawn uniformly, or in proportion to the degree, or the ends of a path of two
    steps or three, half of them each.
    """
    rng = np.random.default_rng([seed, percent])
    n, wanted = A.shape[0], round(percent / 100 * A.nnz / 2)
    degree = np.asarray(A.sum(axis=1)).ravel()
    chance = degree / degree.sum() if kind == "degree" else np.full(n, 1.0 / n)
    known = set(zip(*(part.tolist() for part in A.nonzero()), strict=True))
    new: set[tuple[int, int]] = set()
    if kind == "near":
        for steps in (2, 3):
            far = sparse.triu(_walks(A, steps), 1).tocoo()
            pairs = zip(*(c.tolist() for c in far.coords), strict=True)
            free = [p for p in pairs if p not in known and p not in new]
            some = min(len(free), (wanted + 3 - steps) // 2)
            new.update(free[at] for at in rng.choice(len(free), some, replace=False).tolist())
        return join(A, sorted(new)) if new else A
    while len(new) < wanted:
        for i, j in rng.choice(n, (wanted, 2), p=chance).tolist():
            if i != j and (i, j) not in known and len(new) < wanted:
                new.add((min(i, j), max(i, j)))
    return join(A, sorted(new)) if new else A


def _walks(A: sparse.csr_array, steps: int) -> sparse.csr_array:
    """Return the pairs that a walk of so many steps joins."""
    walks = A
    for _ in range(steps - 1):
        walks = walks @ A
    return sparse.csr_array(walks)


def true_edges(A: sparse.csr_array, edges: IntArray) -> BoolArray:
    """Return which of the edges the network had before."""
    return np.asarray(A[edges[:, 0], edges[:, 1]]).ravel() > 0


def classical_scores(A: sparse.csr_array, edges: IntArray) -> dict[str, FloatArray]:
    """Return all scores of the table above, by name, for the edges of a network."""
    i, j = edges.T
    M = A.toarray()
    d = M.sum(axis=1)
    common = (M @ M)[i, j]
    low, product = np.minimum(d[i], d[j]), np.sqrt(d[i] * d[j])
    return {
        "Salton": common / product,
        "hub promoted": common / low,
        "topological overlap": (common + 1.0) / low,
        "Jaccard": common / (d[i] + d[j] - common),
        "resource allocation": ((M / np.maximum(d, 1.0)) @ M)[i, j],
        "Adamic-Adar": ((M / np.log(np.maximum(d, 2.0))) @ M)[i, j],
        "common neighbours": common,
        "low rank": low_rank(M)[i, j],
        "PageRank": page_rank(M)[i, j],
        "resistance": -resistances(M)[i, j],
    }


def low_rank(M: FloatArray) -> FloatArray:
    """Return the symmetric matrix of rank 8 that is closest to the adjacency."""
    values, vectors = linalg.eigh(M)
    first = np.argsort(-abs(values))[:_RANK]
    return (vectors[:, first] * values[first]) @ vectors[:, first].T


def page_rank(M: FloatArray) -> FloatArray:
    """Personalized PageRank, the mean of both directions."""
    n = len(M)
    P = M / np.maximum(M.sum(axis=1), 1.0)[:, None]
    R = (1.0 - _DAMPING) * np.linalg.inv(np.eye(n) - _DAMPING * P)
    return (R + R.T) / 2


def resistances(M: FloatArray) -> FloatArray:
    """Return the effective resistance of all pairs."""
    G = np.linalg.pinv(np.diag(M.sum(axis=1)) - M, hermitian=True)
    g = np.diag(G)
    return g[:, None] + g - 2.0 * G


def auc(scores: FloatArray, true: BoolArray) -> float:
    """Return the probability that a true edge has a higher score than a false one, ties by halves.

    >>> auc(np.array([3.0, 1.0, 1.0, 0.0]), np.array([True, True, False, False]))
    0.875
    """
    false = np.sort(scores[~true])
    below = np.searchsorted(false, scores[true], side="left")
    upto = np.searchsorted(false, scores[true], side="right")
    return float((below + upto).mean() / (2 * len(false)))
