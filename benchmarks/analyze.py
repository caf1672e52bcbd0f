"""`analyze`, everything a report is made of, on large networks: seconds of the processor.

A Delaunay mesh, whose graph can be cut, and a power law with triangles, whose graph cannot.

    python -m benchmarks.analyze [--mesh 100000] [--power-law 25000]
"""

from __future__ import annotations

import argparse
import time
import warnings

import networkx as nx
from threadpoolctl import threadpool_limits

import cellapse as cl
from benchmarks.scale import delaunay
from benchmarks.timing import save


def measure(network: str, K: cl.Complex) -> dict[str, object]:
    """Seconds of the whole, and of its steps."""
    begun: list[tuple[str, float]] = []
    with threadpool_limits(1):
        cl.analyze(K, on_step=lambda step: begun.append((step, time.process_time())))
    ends = [t for _, t in begun[1:]] + [time.process_time()]
    steps = {step: end - start for (step, start), end in zip(begun, ends, strict=True)}
    return {"network": network, "cells": str(K.n_cells), "seconds": sum(steps.values()), **steps}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mesh", type=int, default=100_000)
    parser.add_argument("--power-law", type=int, default=25_000)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", cl.CellapseWarning)
    power_law = nx.powerlaw_cluster_graph(arguments.power_law, 4, 0.3, seed=1)
    networks = {"mesh": delaunay(arguments.mesh), "power law": cl.clique_complex(power_law)}
    save("analyze", [measure(name, K) for name, K in networks.items()])


if __name__ == "__main__":
    main()
