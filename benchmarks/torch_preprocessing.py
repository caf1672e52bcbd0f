"""Positional encodings of many small graphs, against PyG's AddLaplacianEigenvectorPE.

Graphs the size of molecules: random trees of bounded degree with some rings closed. PyG refuses
graphs with fewer than k + 1 vertices; all have more. "alone" is a transform called graph by graph,
as PyG's own are; "dataset" is `transform_all`. Times are of the processor, on one thread.

    python -m benchmarks.torch_preprocessing [--graphs 10000]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import torch
from torch_geometric.data import Data
from torch_geometric.transforms import AddLaplacianEigenvectorPE

from benchmarks.timing import save, seconds
from cellapse.torch import AddCollapsedPE, AddHeatKernelSignature, transform_all

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
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    graphs = [molecule(rng) for _ in range(arguments.graphs)]
    few = graphs[: max(len(graphs) // 10, 1)]
    rows: list[dict[str, Any]] = []

    def measure(encoding: str, way: str, some: list[Data], run: Callable[[], Any]) -> None:
        each = seconds(run, 1) / len(some)
        row = {"encoding": encoding, "way": way, "graphs": len(some), "ms a graph": 1000 * each}
        rows.append(row | {"times PyG": 1000 * each / (rows or [row])[0]["ms a graph"]})

    laplacian = AddLaplacianEigenvectorPE(K, is_undirected=True)
    measure("PyG Laplacian", "alone", graphs, lambda: [laplacian(data) for data in graphs])
    transforms = {
        "unfolded": AddCollapsedPE(K),
        "screened": AddCollapsedPE(K, operator="screened"),
        "heat kernel signature": AddHeatKernelSignature(np.geomspace(0.1, 24, K)),
    }
    for name, transform in transforms.items():
        measure(name, "dataset", graphs, lambda t=transform: transform_all(graphs, t, n_jobs=1))
        measure(name, "alone", few, lambda t=transform: [t(data) for data in few])
    save("torch_preprocessing", rows)


if __name__ == "__main__":
    main()
