"""Tables 8 and 9: processor seconds for the ten smallest eigenpairs, at sizes of the paper.

Block models with about the paper's numbers of cells, connected. The paper's method
is `eigsh` on x -> A x - X (C + eps I)^-1 X^T x with conjugate gradients inside, or a sparse
factorization; each is stopped after a limit. Only ratios on one machine mean anything.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import LinearOperator, cg, eigsh, splu

from cellapse._collapse.collapsed import CollapsedOperator, collapse
from cellapse._complex.complex import Complex
from cellapse._linalg.factor import fill_in
from cellapse._operators.baselines import graph_laplacian
from cellapse._shared.arrays import FloatArray
from cellapse.datasets.generators import block_model
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.table import Experiment, Results, Row, Table
from cellapse.lifts import clique_complex

K, EPS, TOL = 10, 1e-2, 1e-8
# vertices, edges, triangles: the paper's seconds for conjugate gradients, and for a factorization
PAPER = {
    (400, 696, 18): ("0.50", "-"),
    (400, 1650, 296): ("12.43", "-"),
    (400, 2081, 625): ("36.32", "-"),
    (400, 2702, 1416): ("95.73", "-"),
    (400, 4159, 5504): ("223.93", "-"),
    (200, 742, 240): ("5.41", "0.08"),
    (800, 4434, 741): ("20.87", "4.58"),
    (1200, 7311, 939): ("43.96", "33.59"),
    (2000, 13840, 1180): ("75.51", "323.14"),
    (3000, 23297, 1571): ("404.77", "out of memory"),
}
QUICK = ((400, 696, 18), (400, 1650, 296), (200, 742, 240), (800, 4434, 741))


class _TimeIsUpError(Exception):
    pass


def arguments(quick: bool) -> list[Arguments]:
    return [
        {"size": list(size), "limit": 15 if quick else 600, "seed": 0}
        for size in (QUICK if quick else PAPER)
    ]


def run(size: list[int], limit: float, seed: int) -> Result:
    """Return seconds of every method, None where it was stopped, and the residual of ours."""
    complex_ = complex_like(size[0], size[1], size[2], seed)
    L = graph_laplacian(complex_)
    start = time.process_time()
    S = collapse(complex_, realization="mixed", eps=EPS)
    spectrum = S.spectrum(K)
    ours = time.process_time() - start
    cg_time, by_cg = papers_method(S, direct=False, limit=limit)
    direct_time, by_direct = papers_method(S, direct=True, limit=limit)
    differences = [
        float(abs(np.sort(values) - spectrum.values).max())
        for values in (by_cg, by_direct)
        if values is not None
    ]
    return {
        "n_cells": list(complex_.n_cells),
        "ours": ours,
        "solver": type(spectrum.solver).__name__,
        "residual": float(spectrum.residuals.max()),
        "unfolded": _seconds(lambda: collapse(complex_, "unfolded", eps=EPS).spectrum(K)),
        "laplacian": _seconds(lambda: L.spectrum(K)),
        "cg": cg_time,
        "direct": direct_time,
        "difference": max(differences, default=None),
        "limit": limit,
    }


def complex_like(n: int, n_edges: int, n_triangles: int, seed: int) -> Complex:
    """A model of four blocks, its largest component, with about these edges and triangles."""
    pairs_inside = 4 * (n // 4) * (n // 4 - 1) / 2
    pairs_across = n * (n - 1) / 2 - pairs_inside
    low, high = 0.25, 1.0
    for _ in range(7):  # the larger the share of edges inside the blocks, the more triangles
        share = (low + high) / 2
        inside = min(1.0, share * n_edges / pairs_inside)
        across = (1 - share) * n_edges / pairs_across
        A, _ = block_model([n // 4] * 4, inside, across, seed)
        # Several components have several zeros, of which Lanczos finds one: not to be compared.
        part = connected_components(A, directed=False)[1]
        largest = np.flatnonzero(part == np.bincount(part).argmax())
        lifted = clique_complex(A[largest][:, largest])
        low, high = (share, high) if lifted.n_cells[2] < n_triangles else (low, share)
    return lifted


def papers_method(
    S: CollapsedOperator, *, direct: bool, limit: float
) -> tuple[float | None, FloatArray | None]:
    """Return seconds and eigenvalues of the paper's algorithm, or None, None beyond the limit."""
    A, X, C = S.split()
    regularized = sparse.csc_array(C + S.eps * sparse.eye_array(C.shape[0]))
    if direct and _factor_seconds(regularized) > limit:
        return None, None  # nothing stops a factorization once it has begun
    start = time.process_time()
    factor = splu(regularized).solve if direct else None

    def apply(x: Any) -> Any:
        if time.process_time() - start > limit:
            raise _TimeIsUpError
        y = X.T @ x.ravel()
        z = factor(y) if factor else cg(regularized, y, rtol=TOL, maxiter=20_000)[0]
        return A @ x.ravel() - X @ z

    first = np.random.default_rng(0).standard_normal(A.shape[0])
    operator = LinearOperator(A.shape, matvec=apply, dtype=float)
    try:
        values, _ = eigsh(operator, k=K, which="SA", tol=TOL, v0=first)
    except _TimeIsUpError:
        return None, None
    return time.process_time() - start, values


def _factor_seconds(matrix: sparse.csc_array) -> float:
    """About how long its factorization takes: a dense block of so many rows, 10^9 steps a second.

    At the paper's sizes two to ten times as long as it took.
    """
    return fill_in(matrix) ** 1.5 / 1e9


def _seconds(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def summarize(results: Results) -> Table:
    rows = []
    for a, r in results:
        cg_paper, direct_paper = PAPER[tuple(a["size"])]

        def text(name: str, r: Result = r) -> str:
            return f"> {r['limit']:g} s" if r[name] is None else f"{r[name]:.2f} s"

        slower = (r["cg"] or r["limit"]) / r["ours"]
        more = "At least " if r["cg"] is None else ""
        rows.append(
            Row(
                f"{r['n_cells'][0]} vertices, {r['n_cells'][1]} edges, {r['n_cells'][2]} triangles",
                f"conjugate gradients {cg_paper} s\nfactorization {direct_paper} s",
                f"conjugate gradients {text('cg')}\nfactorization {text('direct')}",
                f"cellapse, mixed {r['ours']:.2f} s ({r['solver']}, residual {r['residual']:.0e})\n"
                f"unfolded {r['unfolded']:.2f} s\nL {r['laplacian']:.2f} s",
                f"{more}{slower:.0f} times as fast as conjugate gradients inside eigsh, here, the "
                f"bounds on gamma included; {_agreement(r)}.",
            )
        )
    return Table(
        "Tables 8 and 9: runtime",
        f"eps = {EPS:g}; the paper does not give its own. Small sizes and a limit of some seconds "
        "in the quick run; `make bench BENCH=runtime` measures more carefully.",
        tuple(rows),
    )


def _agreement(r: Result) -> str:
    if r["difference"] is None:
        return "the other method did not finish, so nothing was compared"
    if r["difference"] > 1e-6:
        return f"the eigenvalues DIFFER by {r['difference']:.0e}"
    return f"the eigenvalues agree to {r['difference']:.0e}"


EXPERIMENT = Experiment("runtime", arguments, run, summarize)
