"""How long the explorer takes to answer on a network of 1,000 nodes, for every realization.

A slider moves a little between two answers, so none of them is remembered. The figures are
milliseconds of processor time: of preparing the matrices of a realization, which the server does
while the first drawing is looked at; the median of the answers when a weight changes; and the
answer when only the number of clusters does.

    python -m benchmarks.explorer
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np

import cellapse as cl
from benchmarks.timing import save
from cellapse.report.explorer import Explorer
from cellapse.report.settings import Settings

GRAPHS = {
    "small world": lambda: nx.watts_strogatz_graph(1000, 10, 0.1, seed=0),
    "geometric": lambda: nx.random_geometric_graph(1000, 0.06, seed=0),
    "blocks": lambda: nx.stochastic_block_model(
        [250] * 4, np.full((4, 4), 0.005) + 0.05 * np.eye(4), seed=0
    ),
}


def _milliseconds(work: Callable[[Any], object], on: Any) -> float:
    begun = time.process_time()
    work(on)
    return 1000 * (time.process_time() - begun)


def main() -> None:
    rows = []
    for name, graph in GRAPHS.items():
        explorer = Explorer(cl.clique_complex(graph()), name)
        explorer.start()
        for realization in ("screened", "unfolded", "boundary", "incidence", "mixed"):
            prepare = 0.0
            if realization != "screened":  # which is made anew every time
                prepare = _milliseconds(explorer.prepare, realization)
            asked = [Settings(realization, eps=2e-4 * (1 + i), clusters=4) for i in range(4)]
            taken = [_milliseconds(explorer.answer, settings) for settings in asked]
            again = _milliseconds(explorer.answer, replace(asked[-1], clusters=5))
            row = {
                "graph": name,
                "cells": list(explorer.complex.n_cells),
                "realization": realization,
                "prepare_ms": round(prepare),
                "weights_ms": round(statistics.median(taken[1:])),
                "clusters_ms": round(again),
            }
            rows.append(row)
            figures = "{prepare_ms:>6} {weights_ms:>6} {clusters_ms:>6} ms".format(**row)
            print(f"{name:<12} {realization:<10} {figures}", flush=True)
    save("explorer", rows)


if __name__ == "__main__":
    main()
