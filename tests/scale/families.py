"""Six kinds of networks, weighted, each as the parts ranks get and as a complex of one machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse
from scipy.spatial import Delaunay

import cellapse as cl


@dataclass(frozen=True, eq=False)
class Family:
    rows: np.ndarray  # edges, or (hyperedge, vertex)
    weights: np.ndarray
    n: int
    hyper: bool = False
    max_rank: int = 2

    def here(self) -> cl.Complex:
        """On one machine."""
        if self.hyper:
            groups, weights = {}, {}
            for (h, v), w in zip(self.rows.tolist(), self.weights.tolist(), strict=True):
                groups.setdefault(h, []).append(v)
                weights[h] = w
            return cl.hypergraph_complex(
                list(groups.values()), vertices=range(self.n), weights=list(weights.values())
            )
        i, j = self.rows.T
        M = sparse.coo_array((self.weights, (i, j)), shape=(self.n, self.n)).tocsr()
        return cl.clique_complex(M + M.T, self.max_rank, weight="given")

    def spread(self, comm: Any, partition: str = "given") -> Any:
        """Over the ranks, in any order."""
        from cellapse.scale import DistributedComplex

        rows, weights = self.rows[comm.rank :: comm.size], self.weights[comm.rank :: comm.size]
        if self.hyper:
            return DistributedComplex.from_hyperedges(
                rows, n_vertices=self.n, weights=weights, partition=partition, comm=comm
            )
        return DistributedComplex.from_edges(
            rows, n_vertices=self.n, weights=weights, max_rank=self.max_rank,
            partition=partition, comm=comm,
        )  # fmt: skip


def delaunay(n: int, seed: int = 0) -> np.ndarray:
    t = Delaunay(np.random.default_rng(seed).random((n, 2))).simplices
    pairs = np.sort(np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [0, 2]]]), axis=1)
    return np.unique(pairs, axis=0).astype(np.int64)


def _graph(pairs: Any, n: int, max_rank: int = 2) -> Family:
    pairs = np.array(pairs, dtype=np.int64)
    return Family(pairs, np.random.default_rng(5).uniform(0.5, 2.0, len(pairs)), n, False, max_rank)


def _hypergraph(n: int, count: int) -> Family:
    rng = np.random.default_rng(4)
    groups = [rng.choice(n, rng.integers(2, 6), replace=False) for _ in range(count)]
    groups += groups[:20]  # copies add up
    rows = np.array([(h, v) for h, group in enumerate(groups) for v in group])
    weights = rng.uniform(0.5, 2.0, len(groups))
    return Family(rows, weights[rows[:, 0]], n, hyper=True)


def _disconnected(n: int) -> Family:
    two = np.concatenate([delaunay(n // 2), n // 2 + delaunay(n // 3, 1)])
    places = np.random.default_rng(5).permutation(n // 2 + n // 3 + 3)  # three have no edge
    return _graph(places[two], len(places))


FAMILIES = {
    "mesh": lambda: _graph(delaunay(300), 300),
    "geometric": lambda: _graph(nx.random_geometric_graph(300, 0.12, seed=3).edges, 300),
    "geometric, rank 3": lambda: _graph(nx.random_geometric_graph(250, 0.12, seed=2).edges, 250, 3),
    "Watts-Strogatz": lambda: _graph(nx.watts_strogatz_graph(400, 10, 0.1, seed=1).edges, 400),
    "power law": lambda: _graph(nx.powerlaw_cluster_graph(400, 5, 0.5, seed=1).edges, 400),
    "hypergraph": lambda: _hypergraph(300, 400),
    "disconnected": lambda: _disconnected(500),
}
