"""Onto a few vertices: Kron reduction, beside PyGSP's where that can run.

python -m benchmarks.reduction
"""

from __future__ import annotations

import tracemalloc
import warnings
from typing import Any

import numpy as np

import cellapse as cl
from benchmarks.timing import save, seconds

WITH_PYGSP = 2000  # vertices: it makes dense matrices of them


def points(n: int) -> cl.Complex:
    """Random points in the plane and their six nearest neighbours."""
    return cl.lifts.nearest_neighbour_complex(np.random.default_rng(0).random((n, 2)), 6)


def peak(run: Any) -> float:
    """The megabytes that NumPy took at most."""
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 1e6


def against_pygsp(S: cl.Operator, R: Any) -> dict[str, float]:
    from pygsp import graphs, reduction

    theirs = graphs.Graph(np.diag(S.A.diagonal()) - S.A.toarray())
    expected = reduction.kron_reduction(theirs.L, R.vertices).toarray()
    ours = seconds(lambda: cl.reduce(S, R.labels).toarray(), 2)
    time = seconds(lambda: reduction.kron_reduction(theirs.L, R.vertices), 2)
    difference = float(abs(R.toarray() - expected).max() / abs(expected).max())
    return {"PyGSP / dense": time / ours, "difference": difference}


def row(n: int, count: int, name: str) -> dict[str, Any]:
    """Seconds of one reduction; of an operator that is no sparse matrix no dense one is made."""
    S = cl.make_operator(points(n), name)
    R = cl.reduce(S, count)
    x = np.random.default_rng(1).standard_normal(count)
    found: dict[str, Any] = {"vertices": n, "kept": count, "operator": name}
    found["choose"] = seconds(lambda: cl.reduce(S, count), 1)
    found["first product"] = seconds(lambda: R @ x, 1)
    found["product"] = seconds(lambda: R @ x)
    found["six eigenpairs"] = seconds(lambda: R.spectrum(6), 1)
    sparse = S.matrix is not None
    found["dense"] = seconds(lambda: cl.reduce(S, R.labels).toarray(), 1) if sparse else ""
    found["MB"] = round(peak(lambda: cl.reduce(S, R.labels) @ x))
    both = n <= WITH_PYGSP
    return found | (against_pygsp(S, R) if both else {"PyGSP / dense": "", "difference": ""})


def main() -> None:
    warnings.simplefilter("ignore", cl.CellapseWarning)
    rows = [row(WITH_PYGSP, 200, "laplacian")]
    rows += [row(100_000, 1000, name) for name in ("laplacian", "renormalized", "unfolded")]
    save("reduction", rows)


if __name__ == "__main__":
    main()
