"""From a graph to B_1 and B_2: ours, and GUDHI and TopoNetX on the same graph.

A random geometric graph of mean degree 8 is lifted to its triangles and the two signed boundary
matrices are built. GUDHI only lists the cells (it has no boundary matrices to ask for). TopoNetX is
handed the finished list of cells and is tried at a tenth of the size.

    python -m benchmarks.lifts
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

import cellapse as cl
from benchmarks.timing import save, seconds


def geometric_edges(n: int, mean_degree: float, seed: int = 0) -> np.ndarray:
    """Edges of a random geometric graph in the unit square."""
    points = np.random.default_rng(seed).random((n, 2))
    radius = np.sqrt(mean_degree / (np.pi * n))
    return cKDTree(points).query_pairs(radius, output_type="ndarray")


def with_gudhi(n: int, edges: np.ndarray) -> int:
    import gudhi

    tree = gudhi.SimplexTree()
    tree.insert_batch(np.arange(n, dtype=np.int64)[None], np.zeros(n))
    tree.insert_batch(edges.T.astype(np.int64), np.zeros(len(edges)))
    tree.expansion(2)
    return tree.num_simplices()


def with_toponetx(cells: list[list[int]]) -> None:
    from toponetx.classes import SimplicialComplex

    complex_ = SimplicialComplex(cells)
    complex_.incidence_matrix(1)
    complex_.incidence_matrix(2)


def compare(n: int, peer: str) -> dict[str, object]:
    """One row of the table: our two stages and the ratio to a peer."""
    edges = geometric_edges(n, 8)
    lift = seconds(lambda: cl.clique_complex(edges))
    K = cl.clique_complex(edges)
    build = seconds(lambda: cl.boundary_matrices(K))
    if peer == "GUDHI":
        theirs, ours = seconds(lambda: with_gudhi(n, edges)), lift
        if with_gudhi(n, edges) != sum(K.n_cells):
            raise SystemExit("GUDHI and cellapse disagree on the number of cells")
    else:
        cells = [c.tolist() for k in range(3) for c in K.cells[k]]
        theirs, ours = seconds(lambda: with_toponetx(cells), repeats=1), lift + build
    return {
        "vertices": n,
        "cells": sum(K.n_cells),
        "lift [s]": lift,
        "B_1, B_2 [s]": build,
        "both [s]": lift + build,
        "peer": peer,
        "peer / ours": theirs / ours,
    }


def main() -> None:
    save("lifts", [compare(10_000, "TopoNetX"), compare(100_000, "GUDHI")])


if __name__ == "__main__":
    main()
