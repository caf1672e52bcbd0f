"""Beyond the paper: who met whom, as hypergraphs with known groups.

Cells are given by the data here, not lifted from the graph: a set of people who all met at once.
Pairs within a hyperedge are the edges, the same ones for every operator.
"""

from __future__ import annotations

from cellapse._errors import InputError, MissingExtraError
from cellapse.baselines import zhou_laplacian
from cellapse.datasets.contacts import load_contacts
from cellapse.experiments.cuts import fair_detail, fair_scores, fair_text, fair_verdict
from cellapse.experiments.operators import FAIR
from cellapse.experiments.runner import Arguments, Result
from cellapse.experiments.table import Experiment, Results, Row, Table

OPERATORS = {**FAIR, "Zhou": zhou_laplacian}


def arguments(quick: bool) -> list[Arguments]:
    """None where hypergraphx, which brings the data, is not installed."""
    try:
        load_contacts("workplace")
    except (MissingExtraError, InputError):
        return []
    return [
        {"hypergraph": name, "seed": s}
        for s in range(3 if quick else 12)
        for name in ("workplace", "highschool")
    ]


def run(hypergraph: str, seed: int) -> Result:
    """The fair scores on one hypergraph; `seed` starts k-means."""
    data = load_contacts(hypergraph)
    return {"fair": fair_scores(data.complex(), data.groups, seed, OPERATORS)}


def summarize(results: Results) -> Table:
    rows = [
        Row(
            load_contacts(name).title,
            "not in the paper",
            "not in the paper",
            fair_text(results, OPERATORS, hypergraph=name),
            fair_verdict(results, hypergraph=name),
        )
        for name in ("workplace", "highschool")
    ]
    return Table(
        "Contact hypergraphs with known groups",
        "Read from the package hypergraphx. Groups are departments and classes.",
        tuple(rows),
        (fair_detail(results, "hypergraph", OPERATORS),),
    )


EXPERIMENT = Experiment("contacts", arguments, run, summarize)
