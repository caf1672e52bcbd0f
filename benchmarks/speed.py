"""Ten smallest eigenpairs of one network after the other, beside the graph Laplacian.

Networks and seeds that nothing was tuned on. "Laplacian" is our own, which misses nothing;
"SciPy / Laplacian" is SciPy's eigsh over it, with a shift where the graph can be cut.
The last column bounds the residual of the result by L* alone, with none of the products that found
it: for values z of the other cells with r = X^T u + (C + eps) z,

    |S u - lambda u|  <=  |A u + X z - lambda u| + (|A| / eps)^(1/2) |r|.

    python -m benchmarks.speed [--only mesh]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse
from scipy.sparse.linalg import cg, eigsh
from scipy.spatial import Delaunay

import cellapse as cl
from benchmarks.runtime import SPARSE, block_model
from benchmarks.timing import in_turn, measure

K, EPS, SEED = 10, 1e-4, 7


def mesh(n: int) -> cl.Complex:
    triangles = Delaunay(np.random.default_rng(SEED).random((n, 2))).simplices
    return cl.clique_complex(np.concatenate([triangles[:, [i, i - 1]] for i in range(3)]))


def power_law(n: int, m: int, p: float) -> cl.Complex:
    return cl.clique_complex(nx.powerlaw_cluster_graph(n, m, p, seed=SEED))


def communities(n: int) -> cl.Complex:
    sizes = {"average_degree": 10, "max_degree": 200, "min_community": 20}
    return cl.clique_complex(nx.LFR_benchmark_graph(n, 3, 1.5, 0.1, seed=SEED, **sizes))


def small_world(n: int) -> cl.Complex:
    return cl.clique_complex(nx.watts_strogatz_graph(n, 10, 0.1, seed=SEED))


NETWORKS: dict[str, tuple[Callable[[], cl.Complex], list[str]]] = {
    "block model, 1,100": (lambda: blocks(1100, 6600), ["unfolded", "mixed"]),
    "block model, 3,000": (lambda: blocks(*SPARSE[-1][:2]), ["unfolded", "screened"]),
    "mesh, 10,000": (lambda: mesh(10_000), ["unfolded", "screened", "mixed"]),
    "mesh, 100,000": (lambda: mesh(100_000), ["unfolded", "screened", "mixed"]),
    "small world, 10,000": (lambda: small_world(10_000), ["unfolded"]),
    "Holme-Kim, 20,000": (lambda: power_law(20_000, 5, 0.5), ["unfolded", "screened"]),
    "LFR, 20,000": (lambda: communities(20_000), ["unfolded", "screened"]),
    "Holme-Kim, 50,000": (lambda: power_law(50_000, 3, 0.5), ["screened"]),
    "small world, 50,000": (lambda: small_world(50_000), ["unfolded"]),
    "Barabasi-Albert, 40,000": (
        lambda: cl.clique_complex(nx.barabasi_albert_graph(40_000, 5, seed=SEED)),
        ["unfolded"],
    ),
}


def blocks(n: int, n_edges: int) -> cl.Complex:
    return cl.clique_complex(block_model(n, n_edges, 0.7, seed=SEED))


def scipys_way(A: sparse.csr_array, sparse_factor: bool) -> Callable[[], Any]:
    """SciPy's own way to the smallest eigenpairs of a Laplacian."""
    if sparse_factor:
        shifted = sparse.csc_array(A)
        return lambda: eigsh(shifted, k=K, sigma=-1e-3, which="LM", tol=1e-9)
    return lambda: eigsh(A, k=K, which="SA", tol=1e-9, ncv=40)


def independent_residual(
    S: cl.CollapsedOperator, spectrum: cl.Spectrum, mass: str | None = None
) -> float:
    """A bound of the largest residual from the blocks of L*, as above."""
    A, X, C = S.split()
    u, values = spectrum.vectors, spectrum.values
    D = np.ones(len(u)) if mass is None else A.diagonal() + (A.diagonal() == 0)
    z = np.concatenate([part for _, part in sorted(S.complete(u).items())])
    M = sparse.csr_array(C + S.eps * sparse.eye_array(C.shape[0]))
    # The values of the cells are known to some digits; SciPy's conjugate gradients add a few.
    z -= np.column_stack([cg(M, r, rtol=1e-4, maxiter=2000)[0] for r in (X.T @ u + M @ z).T])
    r = X.T @ u + M @ z
    left = np.linalg.norm(A @ u + X @ z - D[:, None] * u * values, axis=0)
    size = float(abs(A).sum(axis=1).max())
    return float((left + np.sqrt(size / S.eps) * np.linalg.norm(r, axis=0)).max())


def rows(name: str) -> list[dict[str, Any]]:
    make, realizations = NETWORKS[name]
    complex_ = make()
    cl.collapse(cl.clique_complex(nx.path_graph(9)), "unfolded").spectrum()  # what is loaded once
    L = cl.graph_laplacian(complex_)
    cut = isinstance(cl.Auto().select(L).solver, cl.ShiftInvert)

    def collapsed(realization: str) -> cl.CollapsedOperator:
        return cl.collapse(complex_, realization, eps=EPS)

    works: dict[str, Callable[[], Any]] = {
        "Laplacian": lambda: cl.graph_laplacian(complex_).spectrum(K),
        "SciPy": scipys_way(L.A, cut),
    }
    for r in realizations:
        works[f"collapse {r}"] = lambda r=r: collapsed(r)
        works[r] = lambda r=r: collapsed(r).spectrum(K)
    times = in_turn(works, 7 if complex_.n_vertices <= 10_000 else 3)
    plain, table = times["Laplacian"], []
    for realization in realizations:
        S = collapsed(realization)
        found = S.spectrum(K)
        residual = ""
        if not S.realization.edgewise and complex_.n_vertices <= 20_000:
            residual = independent_residual(S, found)
        table.append(
            {
                "network": name,
                "edges": complex_.n_cells[1],
                "realization": realization,
                "Laplacian [s]": plain,
                "SciPy / Laplacian": times["SciPy"] / plain,
                "collapse alone [s]": times[f"collapse {realization}"],
                "ours [s]": times[realization],
                "ours / Laplacian": times[realization] / plain,
                "solver": type(found.solver).__name__,
                "residual, at most": residual,
            }
        )
        print(table[-1], flush=True)
    return table


def main() -> None:
    measure("speed", __doc__, NETWORKS, rows)


if __name__ == "__main__":
    main()
