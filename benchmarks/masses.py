"""Normalized cuts: how long the eigenpairs of a collapse take with masses, beside those without.

Ten eigenpairs of S u = lambda D u with the degrees as masses D, over ten of S u = lambda u; the
diagonal of S, the other masses of a cut; and all of `cluster`, with the masses it takes by default.
The last column is the largest residual |S u - lambda D u| over the norm, S u from values of all
other cells that SciPy's conjugate gradients have found.

    python -m benchmarks.masses [--only mesh]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np

import cellapse as cl
from benchmarks.speed import EPS, SEED, K, independent_residual, mesh
from benchmarks.timing import measure, seconds

CLUSTERS = 5


def blocks(n: int) -> cl.Complex:
    chances = (np.full((4, 4), 0.005) + 0.05 * np.eye(4)) * 1000 / n
    return cl.clique_complex(nx.stochastic_block_model([n // 4] * 4, chances, seed=SEED))


def geometric(n: int) -> cl.Complex:
    return cl.clique_complex(nx.random_geometric_graph(n, (20 / n / np.pi) ** 0.5, seed=SEED))


NETWORKS: dict[str, tuple[Callable[[], cl.Complex], list[str]]] = {
    "block model, 2,000": (lambda: blocks(2_000), ["unfolded", "mixed"]),
    "geometric, 2,000": (lambda: geometric(2_000), ["unfolded", "mixed"]),
    "small world, 2,000": (
        lambda: cl.clique_complex(nx.watts_strogatz_graph(2_000, 10, 0.1, seed=SEED)),
        ["unfolded", "mixed"],
    ),
    "power law, 2,000": (
        lambda: cl.clique_complex(nx.powerlaw_cluster_graph(2_000, 5, 0.5, seed=SEED)),
        ["unfolded", "mixed"],
    ),
    "random, 10,000": (
        lambda: cl.clique_complex(nx.gnm_random_graph(10_000, 60_000, seed=SEED)),
        ["unfolded"],
    ),
    "mesh, 20,000": (lambda: mesh(20_000), ["unfolded", "mixed"]),
}


def rows(name: str) -> list[dict[str, Any]]:
    make, realizations = NETWORKS[name]
    complex_ = make()
    table = []
    for realization in realizations:

        def collapsed(realization: str = realization) -> cl.CollapsedOperator:
            return cl.collapse(complex_, realization, eps=EPS)

        def pairs(mass: Any, make: Callable[[], cl.CollapsedOperator] = collapsed) -> cl.Spectrum:
            return make().spectrum(K, mass)

        alone = seconds(lambda pairs=pairs: pairs(None), 2)
        with_masses = seconds(lambda pairs=pairs: pairs("degree"), 2)
        diagonal: float | str = ""
        if complex_.n_vertices <= 3_000:
            diagonal = seconds(lambda make=collapsed: make().diagonal(), 1)
        taken = seconds(lambda make=collapsed: cl.cluster(make(), CLUSTERS), 1)
        S, found = collapsed(), pairs("degree")
        table.append(
            {
                "network": name,
                "cells": list(complex_.n_cells),
                "realization": realization,
                "without masses [s]": alone,
                "with / without": with_masses / alone,
                "diagonal [s]": diagonal,
                f"{CLUSTERS} clusters [s]": taken,
                "residual / norm, at most": independent_residual(S, found, "degree") / found.norm,
            }
        )
        print(table[-1], flush=True)
    return table


def main() -> None:
    # What is loaded once is no part of it.
    cl.cluster(cl.collapse(cl.clique_complex(nx.karate_club_graph()), "unfolded"), 2)
    measure("masses", __doc__, NETWORKS, rows)


if __name__ == "__main__":
    main()
