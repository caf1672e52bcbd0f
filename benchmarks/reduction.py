"""Onto a few vertices: Kron reduction beside PyGSP's, and sparse ones with the factor they reach.

    python -m benchmarks.reduction

"sparse" is what was asked for, "lower" and "upper" what was measured of the energy. "first" is the
first call, from the matrix to the graph: preparation, rounds and measurements; "again" the second.
"""

from __future__ import annotations

import tracemalloc
import warnings
from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse

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
    by_matrix = S.matrix is not None
    found["dense"] = seconds(lambda: cl.reduce(S, R.labels).toarray(), 1) if by_matrix else ""
    found["MB"] = round(peak(lambda: cl.reduce(S, R.labels) @ x))
    both = n <= WITH_PYGSP
    return found | (against_pygsp(S, R) if both else {"PyGSP / dense": "", "difference": ""})


def expander(n: int) -> sparse.csr_array:
    """Five random permutations as edges: a graph of about ten neighbours without small cuts."""
    rng = np.random.default_rng(0)
    ends = np.tile(np.arange(n), 5), np.concatenate([rng.permutation(n) for _ in range(5)])
    W = sparse.coo_array((np.ones(5 * n), ends), shape=(n, n)).tocsr()
    return W + W.T - sparse.diags_array(2.0 * W.diagonal())


SPARSE = {
    "points": lambda: points(100_000),
    "points, 10^6 edges": lambda: points(285_000),
    "expander, 10^6 edges": lambda: expander(200_000),
    "power law": lambda: nx.powerlaw_cluster_graph(50_000, 5, 0.3, seed=1),
}


ASKED = [
    *(("points", 1000, 0.3), ("points", 10_000, 0.3), ("points", 10_000, 0.1)),
    *(("points, 10^6 edges", 10_000, 0.3), ("expander, 10^6 edges", 10_000, 0.3)),
    *(("power law", 5000, 0.3), ("expander, 10^6 edges", 1000, 0.3)),
]


def sparse_row(name: str, count: int, factor: float) -> dict[str, Any]:
    """Seconds, edges and the factor reached of one sparse reduction onto random vertices."""
    S = cl.make_operator(cl.as_complex(SPARSE[name]()), "laplacian")
    at = np.random.default_rng(1).permutation(S.shape[0])[:count]
    keep = [S.labels[v] for v in np.sort(at).tolist()]
    found: dict[str, Any] = {"network": name, "edges": (S.A.nnz - S.shape[0]) // 2, "kept": count}
    made: list[Any] = []

    def run() -> None:
        made[:] = [cl.reduce(S, keep, sparse=factor)]

    first, again = seconds(run, 1), seconds(run, 1)
    (R,) = made
    found |= {"sparse": factor, "lower": R.lower, "upper": R.upper, "first": first, "again": again}
    k = R.shape[0]
    found["edges kept"] = (R.matrix.nnz - k) // 2
    found["of all pairs"] = found["edges kept"] / (k * (k - 1) / 2)
    return found


def main() -> None:
    warnings.simplefilter("ignore", cl.CellapseWarning)
    rows = [row(WITH_PYGSP, 200, "laplacian")]
    rows += [row(100_000, 1000, name) for name in ("laplacian", "renormalized", "unfolded")]
    save("reduction", rows)
    sparse_rows: list[dict[str, Any]] = []
    for name, count, factor in ASKED:  # kept after each, as all of them take minutes
        sparse_rows.append(sparse_row(name, count, factor))
        save("reduction_sparse", sparse_rows)


if __name__ == "__main__":
    main()
