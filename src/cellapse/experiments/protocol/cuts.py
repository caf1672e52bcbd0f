"""Normalized cuts by the paper's protocol and by a fair one; shared by several tables.

The paper's protocol, inferred from its figures: triangles and tetrahedra as cells of rank 2, the
second eigenvector of D^-1/2 M D^-1/2 alone, k-means on it, parameters chosen by the labels.
Fairly: triangles only, the same edges for all, the first k eigenvectors, no parameter chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._linalg.operators import Operator
from cellapse._operators.baselines import graph_laplacian, multiorder_laplacian
from cellapse._shared.arrays import IntArray
from cellapse.experiments.protocol.operators import FAIR, mixed_collapse
from cellapse.experiments.protocol.scores import Figure, compare, scores
from cellapse.experiments.protocol.table import Detail, Results, pick
from cellapse.lifts import clique_complex
from cellapse.tasks.clustering import cluster, clustering_accuracy
from cellapse.tasks.selection import modularity

Groups = IntArray
Operators = Mapping[str, Callable[[Complex], Operator]]
METRICS = ("accuracy", "balanced", "ari", "nmi")
SHORT = (("L", "laplacian"), ("mult", "multiorder"), ("S", "mixed"))


def paper_complex(graph: Any, weight: str | None = None) -> Complex:
    """Return the paper's lift: triangles and tetrahedra, all of rank 2."""
    return clique_complex(graph, max_rank=3, weight=weight, cliques_as_rank2=True)


def paper_operators(
    K: Complex, eps: float = 1e-5, beta: float = 1.0, orders: Sequence[float] = (1.0, 1.0)
) -> dict[str, Operator]:
    """L, the multiorder Laplacian and S as the paper compares them."""
    sizes = max(int(cells.sizes.max(initial=2)) for cells in K.cells[1:])
    weights = [orders[0], *[orders[1]] * (sizes - 2)]
    return {
        "laplacian": graph_laplacian(K),
        "multiorder": multiorder_laplacian(K, weights),
        "mixed": mixed_collapse(K, eps, beta),
    }


def fiedler_accuracy(operator: Operator, groups: Groups, seed: int) -> float:
    """Return accuracy of k-means on the second eigenvector alone."""
    clusters = cluster(operator, int(groups.max()) + 1, n_eigenpairs=1, rng=seed)
    return clustering_accuracy(clusters, groups)


def fair_scores(
    K: Complex, groups: Groups, seed: int, operators: Operators = FAIR
) -> dict[str, dict[str, float]]:
    """Return the scores of every operator, with as many eigenvectors as groups."""
    k = int(groups.max()) + 1
    result = {}
    for name, operator in operators.items():
        M = operator(K)
        # Zhou's Laplacian is normalized already.
        clusters = cluster(M, k, mass=None if name == "zhou" else "diagonal", rng=seed).numbers
        result[name] = {**scores(clusters, groups), "modularity": modularity(K, clusters)}
    return result


def accuracies(results: Results, name: str, metric: str = "accuracy", **wanted: Any) -> list[float]:
    """Return one figure of every repetition, for one operator under the fair protocol."""
    return [r["fair"][name][metric] for r in pick(results, **wanted)]


def best_of(results: Results, operators: Operators = FAIR, **wanted: Any) -> str:
    """Return the operator with the best mean accuracy under the fair protocol."""
    return max(operators, key=lambda n: float(np.mean(accuracies(results, n, **wanted))))


def fair_text(results: Results, operators: Operators = FAIR, **wanted: Any) -> str:
    """Return the fair column: L, S, and the best of all."""
    best = best_of(results, operators, **wanted)
    shown = [("L", "laplacian"), ("S mixed", "mixed"), ("S unfolded", "unfolded")]
    shown += [("renormalized", "renormalized"), (f"best: {best}", best)]
    return "\n".join(
        f"{short} {Figure.of(accuracies(results, name, **wanted))}" for short, name in shown
    )


def by_unit(results: Results, name: str, unit: str, **wanted: Any) -> list[float]:
    """Mean accuracy for each value of an argument: what repeats within one is no new evidence."""
    chosen = [(a, r) for a, r in results if all(a[k] == v for k, v in wanted.items())]
    values = dict.fromkeys(a[unit] for a, _ in chosen)
    return [float(np.mean(accuracies(chosen, name, **{unit: value}))) for value in values]


def fair_verdict(results: Results, unit: str, **wanted: Any) -> str:
    """In words: the paper's operator and ours against L, paired by `unit`."""
    L = by_unit(results, "laplacian", unit, **wanted)
    words = [
        compare(by_unit(results, name, unit, **wanted), L).sentence(short, "L")
        for short, name in (("S", "mixed"), ("renormalized", "renormalized"))
    ]
    return f"With k eigenvectors, by {unit}: " + "; ".join(words) + "."


def fair_detail(results: Results, key: str, operators: Operators = FAIR) -> Detail:
    """Return all scores of all operators, by one argument of the runs."""
    values = list(dict.fromkeys(a[key] for a, _ in results))
    rows = [
        (
            str(value),
            name,
            *(str(Figure.of(accuracies(results, name, m, **{key: value}))) for m in METRICS),
        )
        for value in values
        for name in operators
    ]
    return Detail("Fair protocol, all scores", (key, "operator", *METRICS), tuple(rows))
