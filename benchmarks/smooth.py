"""Smoothing 32 signals on graphs of 100,000 vertices, beside one solve by SciPy for one signal.

The solve is spsolve on a mesh, and cg with the same accuracy on a random graph, which no
factorization fits. Times are those of the processor.

python -m benchmarks.smooth [--size 100000] [--signals 32]
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import cg, spsolve

import cellapse as cl
from benchmarks.scale import delaunay, erdos_renyi
from benchmarks.timing import save, seconds

GRAPHS = {
    "Delaunay mesh": (delaunay, "spsolve", lambda M, y: spsolve(M, y)),
    "random graph": (erdos_renyi, "cg", lambda M, y: cg(M, y, rtol=1e-8)),
}
OPERATORS = {
    "graph Laplacian": cl.graph_laplacian,
    "screened": lambda K: cl.collapse(K, realization="renormalized"),
    "unfolded": cl.collapse,
}


def measure(graph: str, n: int, n_signals: int) -> list[dict[str, object]]:
    make_graph, name, solve = GRAPHS[graph]
    K = make_graph(n)
    signals = np.random.default_rng(0).standard_normal((K.n_vertices, n_signals))
    M = sparse.csc_matrix(cl.graph_laplacian(K).A + sparse.eye_array(K.n_vertices))
    reference = seconds(lambda: solve(M, signals[:, 0]), repeats=1)
    rows = []
    for operator, make in OPERATORS.items():
        S = make(K)
        S @ signals[:, :1]  # what is factorized once is not part of smoothing
        for method in ("tikhonov", "heat"):
            taken = seconds(lambda S=S, m=method: cl.smooth(S, signals, method=m), repeats=1)
            rows.append(
                {
                    "graph": graph,
                    "n": K.n_vertices,
                    "signals": n_signals,
                    "operator": operator,
                    "method": method,
                    "seconds": taken,
                    "reference": name,
                    "ours / reference for one signal": taken / reference,
                }
            )
            print(rows[-1], flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--signals", type=int, default=32)
    arguments = parser.parse_args()
    rows = [row for graph in GRAPHS for row in measure(graph, arguments.size, arguments.signals)]
    save("smooth", rows)


if __name__ == "__main__":
    main()
