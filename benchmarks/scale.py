"""Ten smallest eigenpairs on large graphs: time, peak memory, and the ratio to the graph Laplacian.

Delaunay meshes, random geometric graphs, Watts-Strogatz and Erdos-Renyi graphs of mean degree 10,
each case in a process of its own.

    python -m benchmarks.scale [--sizes 10000 100000] [--kinds delaunay geometric ...]
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
import warnings
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial import Delaunay
from threadpoolctl import threadpool_limits

import cellapse as cl
from benchmarks.lifts import geometric_edges
from benchmarks.timing import save
from cellapse._linalg.factor import best_direct

K, EPS = 10, 1e-4


def delaunay(n: int) -> cl.Complex:
    triangles = np.sort(Delaunay(np.random.default_rng(0).random((n, 2))).simplices, axis=1)
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [0, 2]]])
    edges = np.unique(pairs, axis=0)
    return cl.Complex.from_arrays(n, {1: edges, 2: triangles})


def geometric(n: int) -> cl.Complex:
    return cl.clique_complex(geometric_edges(n, 10))


def watts_strogatz(n: int) -> cl.Complex:
    rng = np.random.default_rng(0)
    i = np.repeat(np.arange(n), 5)
    j = (i + np.tile(np.arange(1, 6), n)) % n
    j = np.where(rng.random(len(i)) < 0.1, rng.integers(0, n, len(i)), j)
    return cl.clique_complex(np.column_stack([i, j])[i != j])


def erdos_renyi(n: int) -> cl.Complex:
    pairs = np.random.default_rng(0).integers(0, n, (5 * n, 2))
    return cl.clique_complex(pairs[pairs[:, 0] != pairs[:, 1]])


KINDS = {
    "delaunay": delaunay,
    "geometric": geometric,
    "watts_strogatz": watts_strogatz,
    "erdos_renyi": erdos_renyi,
}


def measure(kind: str, n: int, realization: str | None, answer: Any) -> None:
    """Time and peak memory of one case; realization None is the graph Laplacian."""
    complex_ = KINDS[kind](n)
    for operator in (cl.graph_laplacian(few := delaunay(30)), cl.collapse(few, "unfolded")):
        operator.spectrum(3)  # what is loaded at first use is no part of it
    best_direct(n).prepare(sparse.eye_array(3, format="csc"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    warnings.simplefilter("ignore", cl.CellapseWarning)
    with threadpool_limits(1):
        start = time.process_time()
        if realization is None:
            operator = cl.graph_laplacian(complex_)
        else:
            operator = cl.collapse(complex_, realization=realization, eps=EPS)
        found = operator.spectrum(K)
        taken = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    solver = type(found.solver).__name__
    answer.put(
        (taken, (peak - before) / 1e6, solver, float(found.residuals.max()), complex_.n_cells)
    )


def in_own_process(kind: str, n: int, realization: str | None) -> Any:
    context = multiprocessing.get_context("fork")
    answer = context.Queue()
    process = context.Process(target=measure, args=(kind, n, realization, answer))
    process.start()
    found = answer.get(timeout=3600)
    process.join()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS)
    parser.add_argument("--realizations", nargs="+", default=["unfolded"])
    parser.add_argument("--name", default="scale", help="name of the file in results/")
    arguments = parser.parse_args()
    rows = []
    for kind in arguments.kinds:
        for n in arguments.sizes:
            plain, plain_memory, *_ = in_own_process(kind, n, None)
            for realization in arguments.realizations:
                taken, memory, solver, residual, n_cells = in_own_process(kind, n, realization)
                rows.append(
                    {
                        "kind": kind,
                        "n_cells": str(n_cells),
                        "realization": realization,
                        "Laplacian [s]": plain,
                        "ours [s]": taken,
                        "ours / Laplacian": taken / plain,
                        "memory [GB]": memory,
                        "Laplacian [GB]": plain_memory,
                        "solver": solver,
                        "residual": residual,
                    }
                )
                print(rows[-1], flush=True)
    save(arguments.name, rows)


if __name__ == "__main__":
    main()
