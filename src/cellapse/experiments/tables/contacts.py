"""Beyond the paper: who met whom, as hypergraphs with known groups.

Cells are given by the data here, not lifted from the graph: a set of people who all met at once.
Pairs within a hyperedge are the edges, the same ones for every operator; the projection weighs them
by 1/(size - 1) for every hyperedge around them, which L, the unweighted one, does not: so the
projection is the fair comparison.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError, MissingExtraError
from cellapse._linalg.operators import Operator
from cellapse._operators.names import make_operator
from cellapse._shared.arrays import IntArray
from cellapse.datasets.contacts import load_contacts
from cellapse.experiments.protocol.cuts import (
    Operators,
    accuracies,
    fair_detail,
    fair_scores,
)
from cellapse.experiments.protocol.operators import FAIR
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.scores import Figure
from cellapse.experiments.protocol.table import Experiment, Results, Row, Table

OPERATORS: Operators = {
    **FAIR,
    **{name: partial(make_operator, operator=name) for name in ("zhou", "projection", "reliable")},
}
WEIGHTED = ("projection", "reliable")
NAMES = ("workplace", "highschool")


def installed() -> tuple[str, ...]:
    """Return their names; none where hypergraphx, which brings the data, is not installed."""
    try:
        load_contacts(NAMES[0])
    except (MissingExtraError, InputError):
        return ()
    return NAMES


def arguments(quick: bool) -> list[Arguments]:
    names = installed()[: 1 if quick else None]  # the second takes a minute
    return [{"hypergraph": name, "starts": 3 if quick else 12} for name in names]


def run(hypergraph: str, starts: int) -> Result:
    """Return the fair scores on one hypergraph, for some starts of k-means."""
    data = load_contacts(hypergraph)
    K = data.complex()
    # With multiplicity, a pair that met alone counts besides the larger sets that hold it.
    counted = data.complex("weight")
    made = {n: make(counted if n in WEIGHTED else K) for n, make in OPERATORS.items()}
    return {"fair": [_scores(K, made, data.groups, seed) for seed in range(starts)]}


def _scores(K: Complex, made: dict[str, Operator], groups: IntArray, seed: int) -> Result:
    return fair_scores(K, groups, seed, {n: lambda _, S=S: S for n, S in made.items()})  # type: ignore[misc]


def summarize(results: Results) -> Table:
    results = [(a, {"fair": fair}) for a, r in results for fair in r["fair"]]
    rows = [
        Row(
            load_contacts(name).title,
            "not in the paper",
            "not in the paper",
            _means(results, name),
            _meaning(results, name),
        )
        for name in dict.fromkeys(a["hypergraph"] for a, _ in results)
    ]
    return Table(
        "Contact hypergraphs with known groups",
        "Read from the package hypergraphx; groups are departments and classes. No operator was "
        "tuned on these two. Repetitions only start k-means anew: there is nothing to test.",
        tuple(rows),
        (fair_detail(results, "hypergraph", OPERATORS),),
    )


def _meaning(results: Results, name: str) -> str:
    means = {n: np.mean(accuracies(results, n, hypergraph=name)) for n in OPERATORS}
    change = {
        n: means[n] - means["projection"]
        for n in ("laplacian", "mixed", "face-free", "unfolded", "renormalized", "reliable")
    }
    words = ", ".join(f"{n} {gain:+.3f}" for n, gain in change.items())
    return f"Against the weighted projection, on one hypergraph: {words}."


def _means(results: Results, name: str) -> str:
    """Return the accuracy of every operator, best first."""
    figures = {n: Figure.of(accuracies(results, n, hypergraph=name)) for n in OPERATORS}
    best_first = sorted(figures, key=lambda n: -figures[n].mean)
    return "\n".join(f"{n} {figures[n]}" for n in best_first)


EXPERIMENT = Experiment("contacts", arguments, run, summarize)
