"""Beyond the paper: which sizes of cells follow the groups, found without labels.

The protocol, written down before the figures were looked at:

* Hypergraphs that are generated: three groups of fifty; a hyperedge lies inside one of them with
  the chance given, else anywhere. Eight kinds in all directions, and one without any groups.
* Real hypergraphs: contacts in a workplace and in a high school, and the scenes of Les Miserables,
  whose groups are an algorithm's. There is one draw of each; seeds start k-means and hide cells.
* Graphs: the labelled networks of the table `spread`, as they are and with half as many false
  edges, drawn uniformly. Cells are cliques of up to four vertices.
* `reliable` as it comes, the number of groups given to the clustering alone; ten draws, 0 to 9.
  Whatever variants were compared, was compared on draws from 100.
* Measured is the adjusted Rand index with the known groups; on graphs also, as false edges show
  there, how many other vertices three labels a group label rightly. The fair comparison is the
  weighted projection, on graphs L. More than .02 below it on a data set counts as harm.
"""

from __future__ import annotations

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._linalg.operators import Operator
from cellapse._operators.names import make_operator
from cellapse._operators.reliability import rank_reliability
from cellapse._shared.arrays import IntArray
from cellapse.datasets.contacts import load_contacts
from cellapse.datasets.hypergraphs import load_scenes
from cellapse.experiments.protocol.labels import few_labels
from cellapse.experiments.protocol.noise import draw as draw_network
from cellapse.experiments.protocol.noise import with_false_edges
from cellapse.experiments.protocol.runner import Arguments, Result
from cellapse.experiments.protocol.scores import compare, scores
from cellapse.experiments.protocol.table import Detail, Experiment, Results, Row, Table, pick
from cellapse.experiments.tables.contacts import NAMES as CONTACTS
from cellapse.experiments.tables.contacts import installed
from cellapse.experiments.tables.spread import LABELLED
from cellapse.lifts import clique_complex, hypergraph_complex
from cellapse.tasks.clustering import cluster
from cellapse.tasks.labels import spread_labels

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
    "all random": [(2, 400, 0.0), (3, 300, 0.0), (5, 100, 0.0)],
}
SCENES, FALSE = "scenes", "50 % false edges"
GRAPHS = tuple(f"{name}{more}" for name in LABELLED for more in ("", f", {FALSE}"))
OPERATORS = ("laplacian", "projection", "motif", "renormalized", "zhou", "reliable")
LABELS = ("laplacian", "projection", "renormalized", "reliable")
_KINDS = ("generated", "real", "graphs", f"graphs, {FALSE}")
_HARM = 0.02
_GROUPS, _MEMBERS = 3, 50


def arguments(quick: bool) -> list[Arguments]:
    names = (*GENERATED, *installed(), SCENES, *GRAPHS)
    return [{"data": n, "seed": s} for s in range(2 if quick else 10) for n in names]


def run(data: str, seed: int) -> Result:
    """Return the adjusted Rand index of every operator's clusters, and the weights of the sizes."""
    K, groups = problem(data, seed)
    k = int(groups.max()) + 1
    reliability = rank_reliability(K, rng=seed)
    operators = {name: make_operator(K, name) for name in OPERATORS[:-1]}
    operators["reliable"] = reliability.operator()
    result = {}
    for name, S in operators.items():
        mass = None if name == "zhou" else "diagonal"  # Zhou's Laplacian is normalized already
        result[name] = scores(cluster(S, k, mass=mass, rng=seed), groups)["ari"]
    known = few_labels(groups, seed)
    spread = {n: _spread(operators[n], known) == groups for n in LABELS}
    labels = {n: float(right[known < 0].mean()) for n, right in spread.items()}
    sizes = [f"{low}-{high}" if low < high else str(low) for low, high in reliability.sizes]
    weights = dict(zip(sizes, reliability.weights.tolist(), strict=True))
    return {"ari": result, "labels": labels, "weights": weights}


def _spread(S: Operator, known: IntArray) -> IntArray:
    return spread_labels(S, known, method="regularized").numbers


def problem(data: str, seed: int) -> tuple[Complex, IntArray]:
    """Return the complex of that name, and its groups."""
    if data in GENERATED:
        hyperedges, groups = draw(data, seed)
        vertices = range(len(groups))
        return hypergraph_complex(hyperedges, vertices=vertices, multiplicity="weight"), groups
    if data in (SCENES, *CONTACTS):
        real = load_scenes() if data == SCENES else load_contacts(data)
        return real.complex("weight"), np.asarray(real.groups)
    name, _, more = data.partition(", ")
    A, known = draw_network(name, seed)
    assert known is not None
    return clique_complex(with_false_edges(A, 50 if more else 0, "uniform", seed), 3), known


def draw(name: str, seed: int) -> tuple[list[tuple[int, ...]], IntArray]:
    """Return the hyperedges of one of `GENERATED`, each once, and the groups."""
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


def fair(name: str) -> str:
    """Return what `reliable` is compared with."""
    return "laplacian" if name in GRAPHS else "projection"


def kind_of(name: str) -> str:
    if name in GRAPHS:
        return _KINDS[3] if FALSE in name else _KINDS[2]
    return _KINDS[0] if name in GENERATED else _KINDS[1]


def summarize(results: Results) -> Table:
    names = list(dict.fromkeys(a["data"] for a, _ in results))
    rows = [
        _row(results, kind, measure, some)
        for kind in _KINDS
        for measure in ("ari", "labels")
        if (some := [n for n in names if kind_of(n) == kind and n != "all random"])
    ]
    return Table(
        "Which sizes of cells show the groups",
        "Adjusted Rand index of the clusters, and the share of vertices rightly labelled by three "
        "labels a group, paired by data set. Reliable weighs every size by how well it predicts "
        "hidden cells, without labels; the fair comparison, the projection (L on graphs), weighs "
        "all alike. The generated ones are of the kinds on which reliable was made (other draws).",
        tuple(rows),
        (_detail(results, names),),
    )


def _row(results: Results, kind: str, measure: str, some: list[str]) -> Row:
    operators = OPERATORS if measure == "ari" else LABELS
    means = {o: [_mean(results, measure, o, n) for n in some] for o in operators}
    other = fair(some[0])
    harm = [
        n for n, a, b in zip(some, means["reliable"], means[other], strict=True) if a < b - _HARM
    ]
    return Row(
        f"{kind} ({len(some)}), {'clusters' if measure == 'ari' else 'few labels'}",
        "not in the paper",
        "not in the paper",
        "\n".join(f"{o} {np.mean(means[o]):.3f}" for o in operators),
        compare(means["reliable"], means[other]).sentence("reliable", other)
        + f". More than {_HARM:g} behind on {', '.join(harm) if harm else 'none'}.",
    )


def _detail(results: Results, names: list[str]) -> Detail:
    rows = []
    for n in names:
        weights = [r["weights"] for r in pick(results, data=n)]
        weighted = np.mean([any(w != 1.0 for w in each.values()) for each in weights])
        sizes = dict.fromkeys(s for each in weights for s in each)
        mean = {s: np.mean([each[s] for each in weights if s in each]) for s in sizes}
        shown = ", ".join(f"{s}: {w:.2f}" for s, w in mean.items())
        figures = (f"{_mean(results, 'ari', o, n):.3f}" for o in OPERATORS)
        labels = (f"{_mean(results, 'labels', o, n):.3f}" for o in (fair(n), "reliable"))
        rows.append((n, *figures, *labels, f"{weighted:.2f}", shown))
    head = (
        "data",
        *OPERATORS,
        "labels, fair",
        "labels, reliable",
        "sizes differ",
        "weights by size",
    )
    return Detail("By data set, and how often the sizes differ significantly", head, tuple(rows))


def _mean(results: Results, measure: str, operator: str, name: str) -> float:
    return float(np.mean([r[measure][operator] for r in pick(results, data=name)]))


EXPERIMENT = Experiment("sizes", arguments, run, summarize)
