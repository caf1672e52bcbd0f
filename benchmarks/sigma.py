"""sigma_min+, the smallest positive singular value of a matrix of unknown rank, and dense SVD.

python -m benchmarks.sigma
"""

from __future__ import annotations

import warnings

import networkx as nx
import numpy as np
from scipy import linalg, sparse

import cellapse as cl
from benchmarks.runtime import SPARSE, complex_like
from benchmarks.scale import delaunay
from benchmarks.timing import save, seconds
from cellapse._linalg.sigma import sigma_min


def by_svd(B: sparse.csr_array) -> float:
    values = linalg.svdvals(B.toarray())
    return float(values[values > 1e-9 * values[0]][-1])


def main() -> None:
    warnings.simplefilter("ignore", cl.CellapseWarning)
    complete = cl.clique_complex(nx.complete_graph(18), max_rank=2)
    block, mesh = complex_like(*SPARSE[1]), delaunay(1000)
    cases = {
        "B_2 of the complete graph K18, signed": cl.boundary_matrices(complete)[1],
        "B_2 of K18, unsigned": cl.incidence_matrices(complete)[1],
        "B_1 of a block model": cl.boundary_matrices(block)[0],
        "B_2 of a block model, unsigned": cl.incidence_matrices(block)[1],
        "B_1 of a mesh": cl.boundary_matrices(mesh)[0],
        "B_2 of a mesh, signed": cl.boundary_matrices(mesh)[1],
        "B_2 of a mesh, unsigned": cl.incidence_matrices(mesh)[1],
    }
    rows = []
    for name, B in cases.items():
        expected, found = by_svd(B), sigma_min(B)
        rows.append(
            {
                "matrix": name,
                "shape": str(B.shape),
                "rank": int(np.linalg.matrix_rank(B.toarray())),
                "sigma_min+": found,
                "relative error": abs(found - expected) / expected,
                "SVD / ours": seconds(lambda B=B: by_svd(B), repeats=1)
                / seconds(lambda B=B: sigma_min(B)),
            }
        )
    save("sigma", rows)


if __name__ == "__main__":
    main()
