"""Beyond the paper: hypergraphs in which some sizes of hyperedges follow the groups, others do not.

Three groups of fifty; a hyperedge lies inside one of them with the chance given, else anywhere.
"""

from __future__ import annotations

import numpy as np

from cellapse._operators.names import make_operator
from cellapse.datasets.contacts import load_contacts
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.scores import Figure, compare, scores
from cellapse.experiments.protocol.table import Experiment, Results, Row, Table, pick
from cellapse.experiments.tables.contacts import installed
from cellapse.lifts import hypergraph_complex
from cellapse.tasks.clustering import cluster

# By name: (size, how many, share inside one group).
GENERATED: dict[str, list[tuple[int, int, float]]] = {
    "triples": [(3, 600, 0.3)],
    "triples, 600 random pairs": [(3, 600, 0.3), (2, 600, 0.0)],
    "triples, 1,500 random pairs": [(3, 600, 0.3), (2, 1500, 0.0)],
    "triples, 150 random 8-sets": [(3, 500, 0.4), (8, 150, 0.0)],
    "8-sets, 1,500 random pairs": [(8, 150, 0.4), (2, 1500, 0.0)],
    "8-sets, 600 random triples": [(8, 150, 0.4), (3, 600, 0.0)],
    "pairs, 150 random 8-sets": [(2, 1000, 0.5), (8, 150, 0.0)],
    "pairs, triples and 5-sets": [(2, 400, 0.3), (3, 300, 0.3), (5, 100, 0.3)],
}
OPERATORS = ("laplacian", "projection", "motif", "renormalized", "zhou", "reliable")
_GROUPS, _MEMBERS = 3, 50


def arguments(quick: bool) -> list[Arguments]:
    names = (*GENERATED, *installed())
    return [{"hypergraph": n, "seed": s} for s in range(2 if quick else 10) for n in names]


def run(hypergraph: str, seed: int) -> Result:
    """The adjusted Rand index of every operator's clusters; `seed` draws, or starts k-means."""
    if hypergraph in GENERATED:
        hyperedges, groups = draw(hypergraph, seed)
        vertices: object = range(len(groups))
    else:
        data = load_contacts(hypergraph)
        hyperedges, groups, vertices = list(data.hyperedges), np.asarray(data.groups), data.nodes
    K = hypergraph_complex(hyperedges, vertices=vertices, multiplicity="weight")  # type: ignore[arg-type]
    k = int(groups.max()) + 1
    result = {}
    for name in OPERATORS:
        mass = None if name == "zhou" else "diagonal"  # Zhou's Laplacian is normalized already
        clusters = cluster(make_operator(K, name), k, mass=mass, rng=seed)
        result[name] = scores(clusters, groups)["ari"]
    return result


def draw(name: str, seed: int) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """The hyperedges of one of `GENERATED`, each once, and the groups."""
    rng = np.random.default_rng(seed)
    n = _GROUPS * _MEMBERS
    groups = np.repeat(np.arange(_GROUPS), _MEMBERS)
    drawn = set()
    for size, count, inside in GENERATED[name]:
        for _ in range(count):
            first, pool = 0, n
            if rng.random() < inside:
                first, pool = _MEMBERS * int(rng.integers(_GROUPS)), _MEMBERS
            members = first + rng.choice(pool, size, replace=False)
            drawn.add(tuple(sorted(members.tolist())))
    return sorted(drawn), groups


def summarize(results: Results) -> Table:
    names = list(dict.fromkeys(a["hypergraph"] for a, _ in results))
    rows = [
        Row(
            name,
            "not in the paper",
            "not in the paper",
            "\n".join(f"{o} {Figure.of(_values(results, o, name))}" for o in OPERATORS),
            compare(
                _values(results, "reliable", name), _values(results, "projection", name)
            ).sentence("reliable", "projection")
            + ".",
        )
        for name in names
    ]
    means = {o: [float(np.mean(_values(results, o, n))) for n in names] for o in OPERATORS}
    rows.append(
        Row(
            "all, paired by hypergraph",
            "not in the paper",
            "not in the paper",
            "\n".join(f"{o} {np.mean(means[o]):.3f}" for o in OPERATORS),
            "; ".join(
                compare(means["reliable"], means[o]).sentence("reliable", o)
                for o in ("projection", "renormalized")
            )
            + ".",
        )
    )
    return Table(
        "Hypergraphs: which sizes tell the groups",
        "Adjusted Rand index of the clusters. Reliable weighs every size by how well it predicts "
        "hidden hyperedges, without labels; the projection, the fair comparison, weighs all alike. "
        "The generated ones are of the kinds on which reliable was made (new draws).",
        tuple(rows),
    )


def _values(results: Results, operator: str, name: str) -> list[float]:
    return [r[operator] for r in pick(results, hypergraph=name)]


EXPERIMENT = Experiment("sizes", arguments, run, summarize)
