"""The functions of networkx that the backend computes: networkx's own, and ours, side by side.

A small world of 1,500 nodes and 6,000 edges. Processor time of one thread; the first call of the
backend, and the best of three.

    python -m benchmarks.networkx_backend
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import networkx as nx

from benchmarks.timing import save

NAMES = (
    *("resistance_distance", "effective_graph_resistance", "current_flow_closeness_centrality"),
    *("current_flow_betweenness_centrality", "edge_current_flow_betweenness_centrality"),
    *("algebraic_connectivity", "fiedler_vector", "spectral_ordering"),
)


def spent(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def row(name: str, G: nx.Graph, *args: Any) -> dict[str, object]:
    function = getattr(nx, name)
    ours = [spent(lambda: function(G, *args, backend="cellapse")) for _ in range(3)]
    theirs = spent(lambda: function(G, *args))
    return {
        "function": f"{name}{args or ''}",
        "networkx [s]": theirs,
        "first [s]": ours[0],
        "best [s]": min(ours),
        "ratio": theirs / min(ours),
    }


if __name__ == "__main__":
    nx.config.warnings_to_ignore.add("cache")  # nothing is converted
    G = nx.connected_watts_strogatz_graph(1500, 8, 0.2, seed=1)
    rows = [row(name, G) for name in NAMES]
    save("networkx_backend", [row("resistance_distance", G, 0, 700), *rows])
