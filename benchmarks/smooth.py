"""Smoothing 32 signals on 100,000 vertices, next to one sparse solve by scipy's spsolve.

python -m benchmarks.smooth [--size 100000] [--signals 32]
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

import cellapse as cl
from benchmarks.scale import delaunay, erdos_renyi
from benchmarks.timing import save, seconds

OPERATORS = {
    "graph Laplacian": cl.graph_laplacian,
    "screened": lambda K: cl.collapse(K, realization="screened", renormalize=5),
    "unfolded": cl.collapse,
}


def cases(kind: str, K: cl.Complex, signals: Any, reference: float) -> list[dict[str, Any]]:
    rows = []
    for name, make in OPERATORS.items():
        S = make(K)
        S @ signals[:, :1]  # what is factorized once is not part of smoothing
        for method in ("tikhonov", "heat"):
            taken = seconds(lambda S=S, m=method: cl.smooth(S, signals, method=m), repeats=1)
            rows.append(
                {
                    "graph": kind,
                    "n": K.n_vertices,
                    "signals": signals.shape[1],
                    "operator": name,
                    "method": method,
                    "seconds": taken,
                    "ours / one spsolve": taken / reference if reference else "",
                }
            )
            print(rows[-1], flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--signals", type=int, default=32)
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    rows = []
    for kind, make in {"Delaunay mesh": delaunay, "Erdos-Renyi": erdos_renyi}.items():
        K = make(arguments.size)
        signals = rng.standard_normal((K.n_vertices, arguments.signals))
        reference = 0.0  # on a graph that expands a factorization does not end
        if make is delaunay:
            M = sparse.csc_matrix(cl.graph_laplacian(K).A + sparse.eye_array(K.n_vertices))
            reference = seconds(lambda M=M, b=signals[:, 0]: spsolve(M, b), repeats=1)
        rows += cases(kind, K, signals, reference)
    save("smooth", rows)


if __name__ == "__main__":
    main()
