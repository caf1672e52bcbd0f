"""Positional encodings of many small graphs, against PyG's AddLaplacianEigenvectorPE.

Graphs the size of molecules: random trees of bounded degree with some rings closed. PyG refuses
graphs with fewer than k + 1 vertices; all have more.

    python -m benchmarks.torch_preprocessing [--graphs 10000] [--workers 2]
"""

from __future__ import annotations

import argparse
import time

import networkx as nx
import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import AddLaplacianEigenvectorPE

from benchmarks.timing import save
from cellapse.torch import AddCollapsedPE, transform_all

K = 8


def molecule(rng: np.random.Generator) -> Data:
    """A tree of 12 to 36 vertices of degree at most 4, and one to four rings of 3 to 6 vertices."""
    n = int(rng.integers(12, 37))
    graph = nx.empty_graph(n)
    for v in range(1, n):
        free = [u for u in range(max(0, v - 4), v) if graph.degree(u) < 4]
        graph.add_edge(v, int(rng.choice(free or [v - 1])))
    for _ in range(int(rng.integers(1, 5))):
        u = int(rng.integers(n))
        near = [v for v, d in nx.single_source_shortest_path_length(graph, u, 5).items() if d > 1]
        if near:
            graph.add_edge(u, int(rng.choice(near)))
    edges = np.array(graph.edges).T
    return Data(edge_index=torch.from_numpy(np.hstack([edges, edges[::-1]])), num_nodes=n)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    graphs = [molecule(rng) for _ in range(arguments.graphs)]
    ways = {
        "PyG Laplacian": AddLaplacianEigenvectorPE(K, is_undirected=True),
        "unfolded": AddCollapsedPE(K),
        "screened": AddCollapsedPE(K, realization="screened"),
    }
    rows: list[dict[str, object]] = []
    for name, transform in ways.items():
        for workers in sorted({1, arguments.workers}):
            start = time.perf_counter()
            transform_all(graphs, transform, n_jobs=workers)
            seconds = time.perf_counter() - start
            rows.append({"encoding": name, "workers": workers, "graphs": len(graphs)})
            rows[-1] |= {"seconds": seconds, "times PyG": seconds / float(str(rows[0]["seconds"]))
                         if workers == 1 and len(rows) > 1 else ""}  # fmt: skip
    save("torch_preprocessing", rows)


if __name__ == "__main__":
    main()
