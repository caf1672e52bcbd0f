"""The paper's two runtime tables: ten smallest eigenpairs at a residual of 1e-8.

Side by side, single-threaded: the paper's method (eigsh on a LinearOperator with an inner `cg`),
its sparse direct variant, ours with sigma_min included, and the plain graph Laplacian, by SciPy's
eigsh and by our own solver, whose matrix is made already. The graphs are stochastic block models
with the paper's numbers of vertices, edges and (nearly) triangles. The paper's method is stopped
after a limit; ratios are then lower bounds.

    python -m benchmarks.runtime [--limit SECONDS] [--eps 1e-4 1e-2] [--largest]
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, cg, eigsh, splu

import cellapse as cl
from benchmarks.timing import in_turn, save, seconds

DENSITY = [(400, 696, 18), (400, 1650, 296), (400, 2081, 625), (400, 2702, 1416), (400, 4159, 5504)]
SPARSE = [
    (200, 742, 240),
    (800, 4434, 741),
    (1200, 7311, 939),
    (2000, 13840, 1180),
    (3000, 23297, 1571),
]
K = 10


def block_model(n: int, n_edges: int, share_inside: float, seed: int = 0) -> np.ndarray:
    """Random edges between four blocks, a share of them inside a block."""
    rng = np.random.default_rng(seed)
    block = np.arange(n) * 4 // n
    edges: set[tuple[int, int]] = set()
    for inside, count in ((True, round(share_inside * n_edges)), (False, n_edges)):
        while len(edges) < count:
            pairs = np.sort(rng.integers(0, n, (4 * n_edges, 2)), axis=1)
            fits = (pairs[:, 0] < pairs[:, 1]) & (
                (block[pairs[:, 0]] == block[pairs[:, 1]]) == inside
            )
            for pair in pairs[fits].tolist():
                edges.add((pair[0], pair[1]))
                if len(edges) >= count:
                    break
    return np.array(sorted(edges))


def complex_like(n: int, n_edges: int, n_triangles: int) -> cl.Complex:
    """A block model whose number of triangles is as close to the wanted one as blocks allow."""
    low, high = 0.25, 1.0
    for _ in range(8):
        share = (low + high) / 2
        complex_ = cl.clique_complex(block_model(n, n_edges, share))
        if complex_.n_cells[2] < n_triangles:
            low = share
        else:
            high = share
    return complex_


def papers_method(S: cl.CollapsedOperator, direct: bool) -> None:
    """The paper's algorithm: eigsh on x -> A x - X (C + eps I)^-1 X^T x."""
    A, X, C = S.split()
    regularized = C + S.eps * sparse.eye_array(C.shape[0])
    factor = splu(regularized.tocsc()).solve if direct else None

    def apply(x: np.ndarray) -> np.ndarray:
        y = X.T @ x.ravel()
        z = factor(y) if factor else cg(regularized, y, rtol=1e-8, maxiter=20_000)[0]
        return A @ x.ravel() - X @ z

    start = np.random.default_rng(0).standard_normal(A.shape[0])
    eigsh(LinearOperator(A.shape, matvec=apply, dtype=float), k=K, which="SA", tol=1e-8, v0=start)


def timed(run: Callable[[], None], limit: float) -> tuple[float, str]:
    """Processor seconds of a run in a process of its own, stopped at the limit: (limit, ">")."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)

    def child() -> None:
        used = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
        resource.setrlimit(resource.RLIMIT_CPU, (used + int(limit), used + int(limit)))
        there.send(seconds(run, repeats=1))

    process = context.Process(target=child)
    process.start()
    process.join()
    return (here.recv(), "") if here.poll() else (limit, ">")


def row(size: tuple[int, int, int], realization: str, eps: float, limit: float) -> dict[str, Any]:
    """One line of the table."""
    complex_ = complex_like(*size)
    L = cl.graph_laplacian(complex_)

    def ours() -> cl.Spectrum:
        return cl.collapse(complex_, realization=realization, eps=eps).spectrum(K, rtol=1e-10)

    times = in_turn(
        {
            "ours": ours,
            "Laplacian": lambda: L.spectrum(K),
            "SciPy": lambda: eigsh(L.A, k=K, which="SA", tol=1e-9, ncv=40),
        },
        7,
    )
    mine, found = times["ours"], ours()
    if found.residuals.max() > 1e-8:
        raise SystemExit(f"residual {found.residuals.max():.1e} at {size}, {realization}, {eps}")
    S = cl.collapse(complex_, realization=realization, eps=eps)
    paper, more = timed(lambda: papers_method(S, False), limit)
    direct, more_direct = timed(lambda: papers_method(S, True), limit)
    return {
        "n_cells": str(complex_.n_cells),
        "realization": realization,
        "eps": eps,
        "ours [s]": mine,
        "solver": type(found.solver).__name__,
        "paper's / ours": f"{more}{paper / mine:.0f}",
        "direct / ours": f"{more_direct}{direct / mine:.0f}",
        "ours / SciPy's Laplacian": mine / times["SciPy"],
        "ours / our Laplacian": mine / times["Laplacian"],
        "residual": float(found.residuals.max()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for the paper's method")
    parser.add_argument("--eps", type=float, nargs="+", default=[1e-4, 1e-2])
    parser.add_argument("--largest", action="store_true", help="only 3,000 vertices")
    arguments = parser.parse_args()
    limit, sizes = arguments.limit, SPARSE[-1:] if arguments.largest else SPARSE + DENSITY
    warnings.simplefilter("ignore", cl.CellapseWarning)
    rows = []
    for size in sizes:
        for realization in ("unfolded", "mixed"):
            for eps in arguments.eps:
                rows.append(row(size, realization, eps, limit))
                print(rows[-1], flush=True)
    save("runtime_largest" if arguments.largest else "runtime", rows)


if __name__ == "__main__":
    main()
