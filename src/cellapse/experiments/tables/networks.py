"""Table 4: normalized cuts on five networks with known groups.

The paper chose eps and beta by the labels. Here its choice is repeated, the whole grid is run, and
beside the best of the grid (which knows the labels) stands the one with the largest modularity
(which does not).
"""

from __future__ import annotations

from itertools import product

import numpy as np

from cellapse._operators.baselines import multiorder_laplacian
from cellapse.datasets.bundled import available, load
from cellapse.experiments.protocol.cuts import (
    SHORT,
    accuracies,
    fair_detail,
    fair_scores,
    fair_text,
    fair_verdict,
    fiedler_accuracy,
    paper_complex,
    paper_operators,
)
from cellapse.experiments.protocol.operators import mixed_collapse
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.scores import Figure
from cellapse.experiments.protocol.table import Detail, Experiment, Results, Row, Table, pick
from cellapse.lifts import clique_complex
from cellapse.tasks.clustering import cluster, clustering_accuracy
from cellapse.tasks.selection import modularity

# eps and beta of S, weights of orders 1 and 2 of the multiorder Laplacian; accuracies
CHOSEN = {
    "karate": ((0.5, 1.0), (0.1, 0.1)),
    "football": ((0.1, 1.0), (5.0, 0.1)),
    "lesmis": ((1.0, 10.0), (0.1, 0.1)),
    "polbooks": ((0.1, 0.1), (0.5, 0.1)),
    "dolphins": ((0.5, 10.0), (0.1, 0.1)),
}
PAPER = {
    "karate": {"laplacian": 0.97, "multiorder": 0.94, "mixed": 0.97},
    "football": {"laplacian": 0.47, "multiorder": 0.46, "mixed": 0.50},
    "lesmis": {"laplacian": 0.64, "multiorder": 0.52, "mixed": 0.66},
    "polbooks": {"laplacian": 0.82, "multiorder": 0.73, "mixed": 0.82},
    "dolphins": {"laplacian": 0.69, "multiorder": 0.69, "mixed": 0.69},
}
EPS, BETA, GAMMA = (0.1, 0.5, 1.0), (0.1, 1.0, 10.0), (0.1, 0.5, 1.0, 2.0, 5.0)


def arguments(quick: bool) -> list[Arguments]:
    return [{"network": n, "seed": s} for s in range(4 if quick else 12) for n in available()]


def run(network: str, seed: int) -> Result:
    """Return both protocols, and the paper's grids under the fair cut; `seed` starts k-means."""
    data = load(network)
    # The karate club's weights are what networkx gives; with them the paper's figure is met.
    K = paper_complex(data.graph, "weight" if network == "karate" else None)
    (eps, beta), orders = CHOSEN[network]
    paper = paper_operators(K, eps, beta, orders)
    triangles = clique_complex(data.graph)
    return {
        "paper": {n: fiedler_accuracy(M, data.groups, seed) for n, M in paper.items()},
        "fair": fair_scores(triangles, data.groups, seed),
        "grid": _grids(network, seed),
    }


def _grids(network: str, seed: int) -> dict[str, list[tuple[float, float]]]:
    """(accuracy, modularity) at every point of the paper's grids, with k eigenvectors."""
    data = load(network)
    K, k = clique_complex(data.graph), len(data.group_names)
    grids = {
        "mixed": [mixed_collapse(K, eps, beta) for eps, beta in product(EPS, BETA)],
        "multiorder": [multiorder_laplacian(K, weights) for weights in product(GAMMA, GAMMA)],
    }
    points: dict[str, list[tuple[float, float]]] = {}
    for name, operators in grids.items():
        clusterings = [cluster(M, k, rng=seed).numbers for M in operators]
        points[name] = [
            (clustering_accuracy(c, data.groups), modularity(K, c)) for c in clusterings
        ]
    return points


def chosen(results: Results, name: str, by: int, **wanted: str) -> list[float]:
    """Accuracy at the best point of a grid: by accuracy (0, knows the labels) or modularity (1)."""
    grids = [r["grid"][name] for r in pick(results, **wanted)]
    return [max(points, key=lambda p: p[by])[0] for points in grids]


def summarize(results: Results) -> Table:
    rows, grid = [], []
    for network in available():
        here = {n: [r["paper"][n] for r in pick(results, network=network)] for _, n in SHORT}
        label = load(network).title
        rows.append(
            Row(
                label,
                "\n".join(f"{short} {PAPER[network][n]:.2f}" for short, n in SHORT),
                "\n".join(f"{short} {Figure.of(here[n])}" for short, n in SHORT),
                fair_text(results, network=network),
                _meaning(results, network),
            )
        )
        grid += [
            (
                label,
                name,
                str(Figure.of(chosen(results, name, 0, network=network))) + " (label leakage)",
                str(Figure.of(chosen(results, name, 1, network=network))),
            )
            for name in ("mixed", "multiorder")
        ]
    rows.append(_overall(results))
    return Table(
        "Table 4: normalized cuts on real networks",
        "The paper's figures fit the second eigenvector alone; where it leaves a choice (edge "
        "weights for the karate club only, its beta as that of the edges), the one that comes "
        "nearest to them was taken. Spreads are over starts of k-means.",
        tuple(rows),
        (
            Detail(
                "The paper's grids with k eigenvectors: chosen by the labels, and by modularity",
                ("network", "operator", "best by labels", "best by modularity"),
                tuple(grid),
            ),
            fair_detail(results, "network"),
        ),
    )


def _meaning(results: Results, network: str) -> str:
    fiedler = np.mean([r["paper"]["laplacian"] for r in pick(results, network=network)])
    full = np.mean(accuracies(results, "laplacian", network=network))
    gained = full - fiedler
    S = np.mean(accuracies(results, "mixed", network=network)) - full
    text = f"k eigenvectors change L by {gained:+.2f}, the collapse changes that by {S:+.2f}."
    if network == "dolphins":
        text += " The paper's 0.69 is not reached by any protocol tried."
    return text


def _overall(results: Results) -> Row:
    def means(name: str) -> list[float]:
        return [float(np.mean(accuracies(results, name, network=n))) for n in available()]

    here = {
        n: [float(np.mean([r["paper"][n] for r in pick(results, network=d)])) for d in available()]
        for _, n in SHORT
    }
    return Row(
        "mean of five",
        "\n".join(f"{s} {np.mean([PAPER[d][n] for d in available()]):.2f}" for s, n in SHORT),
        "\n".join(f"{s} {np.mean(here[n]):.3f}" for s, n in SHORT),
        "\n".join(
            f"{n} {np.mean(means(n)):.3f}"
            for n in ("laplacian", "mixed", "unfolded", "screened", "renormalized", "motif")
        ),
        f"{fair_verdict(results, 'network')} The settings of renormalized were found on these "
        "networks, so this is no independent test of it.",
    )


EXPERIMENT = Experiment("networks", arguments, run, summarize)
