"""How long the explorer takes to answer on a network of 1,000 nodes, for every realization.

A slider moves a little between two answers, so none of them is remembered. The figures are
milliseconds of processor time: of the first answer, which prepares the matrices of a realization,
and the median of those after it.

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
            for i in range(4):
                begun = time.process_time()
                explorer.answer(Settings(realization, eps=2e-4 * (1 + i), clusters=4))
                taken.append(1000 * (time.process_time() - begun))
            row = {
                "graph": name,
                "cells": list(explorer.complex.n_cells),
                "realization": realization,
                "first_ms": round(taken[0]),
                "ms": round(statistics.median(taken[1:])),
            }
            rows.append(row)
            figures = f"{row['first_ms']:>6} {row['ms']:>6} ms"
            print(f"{name:<12} {realization:<10} {figures}", flush=True)
    save("explorer", rows)


if __name__ == "__main__":
    main()
