"""Smoothing 32 signals on a mesh of 100,000 vertices, next to one solve by scipy's spsolve.

python -m benchmarks.smooth [--size 100000] [--signals 32]
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

import cellapse as cl
from benchmarks.scale import delaunay
from benchmarks.timing import save, seconds

OPERATORS = {
    "graph Laplacian": cl.graph_laplacian,
    "screened": lambda K: cl.collapse(K, realization="screened", renormalize=5),
    "unfolded": cl.collapse,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--signals", type=int, default=32)
    arguments = parser.parse_args()
    K = delaunay(arguments.size)
    signals = np.random.default_rng(0).standard_normal((K.n_vertices, arguments.signals))
    M = sparse.csc_matrix(cl.graph_laplacian(K).A + sparse.eye_array(K.n_vertices))
    reference = seconds(lambda: spsolve(M, signals[:, 0]), repeats=1)
    rows = []
    for name, make in OPERATORS.items():
        S = make(K)
        S @ signals[:, :1]  # what is factorized once is not part of smoothing
        for method in ("tikhonov", "heat"):
            taken = seconds(lambda S=S, m=method: cl.smooth(S, signals, method=m), repeats=1)
            rows.append(
                {
                    "graph": "Delaunay mesh",
                    "n": K.n_vertices,
                    "signals": arguments.signals,
                    "operator": name,
                    "method": method,
                    "seconds": taken,
                    "ours / one spsolve": taken / reference,
                }
            )
            print(rows[-1], flush=True)
    save("smooth", rows)


if __name__ == "__main__":
    main()
