"""How long the explorer takes to answer on a network of 1,000 nodes, for every realization.

Every slider moves a little between two answers, so none of them is remembered. The figures are
medians in milliseconds.

    python -m benchmarks.explorer
"""

from __future__ import annotations

import statistics
import time

import networkx as nx
import numpy as np

import cellapse as cl
from benchmarks.timing import save
from cellapse.report.explorer import Explorer, Settings

GRAPHS = {
    "small world": lambda: nx.watts_strogatz_graph(1000, 10, 0.1, seed=0),
    "geometric": lambda: nx.random_geometric_graph(1000, 0.06, seed=0),
    "blocks": lambda: nx.stochastic_block_model(
        [250] * 4, np.full((4, 4), 0.005) + 0.05 * np.eye(4), seed=0
    ),
}


def main() -> None:
    rows = []
    for name, graph in GRAPHS.items():
        explorer = Explorer(cl.clique_complex(graph()), name)
        explorer.start()
        for realization in ("screened", "unfolded", "boundary", "incidence", "mixed"):
            taken = []
            for i in range(5):
                begun = time.perf_counter()
                explorer.answer(Settings(realization, eps=1e-4 * (1 + i), clusters=4))
                taken.append(1000 * (time.perf_counter() - begun))
            row = {
                "graph": name,
                "cells": list(explorer.complex.n_cells),
                "realization": realization,
                "ms": round(statistics.median(taken)),
            }
            rows.append(row)
            print(f"{name:<12} {realization:<10} {row['ms']:>6} ms", flush=True)
    save("explorer", rows)


if __name__ == "__main__":
    main()
