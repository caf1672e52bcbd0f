r"""Which operator for this network? Chosen without labels, by the modularity of its clusters.

No single operator is ahead everywhere. A partition can be judged by the graph alone, though:

    Q = (share of edge weight inside clusters) - sum over clusters of (share of edge ends)^2,

and the operator whose clusters have the largest Q is a guess. It is an experiment: what it gained
on twenty tasks, it did not gain on 25 data sets that nobody had seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cellapse._collapse.collapsed import CollapsedOperator, collapse
from cellapse._collapse.realizations import Screened
from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._errors import InputError
from cellapse._linalg.operators import Operator
from cellapse._operators.baselines import graph_laplacian, projection_laplacian
from cellapse._operators.fair import weighted_edges
from cellapse._operators.hyperedges import is_hypergraph
from cellapse._shared.align import align_groups
from cellapse._shared.arrays import IntArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import whole_number
from cellapse._shared.pictures import bars
from cellapse.tasks.clustering import Clusters, cluster, modularity_by

# theta^2, beta and rounds of the screened forms, by name; wide apart, none tuned to a network.
_SCREENED = {
    "screened .5, 1": (0.5, 1.0, 0),
    "screened .9, 1": (0.9, 1.0, 0),
    **{
        f"renormalized {name}, {beta:g}": (theta2, beta, 5)
        for name, theta2 in ((".8", 0.8), (".9", 0.9), (".95", 0.95))
        for beta in (2.0, 5.0)
    },
}
FAMILY = ("laplacian", *_SCREENED)


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Shown):
    """The operator whose clusters have the largest modularity, and how all did.

    Attributes
    ----------
    name : str
        "laplacian", or the kind with its theta^2 and beta.
    operator : Operator
    clusters : Clusters
        By this operator.
    modularity : dict
        Of the clusters of every operator tried.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> int(cl.tasks.choose_operator(K, 2).clusters.numbers.max())
    1
    """

    name: str
    operator: Operator = field(repr=False)
    clusters: Clusters = field(repr=False)
    modularity: dict[str, float] = field(repr=False)

    def _card(self) -> Card:
        ranking = sorted(self.modularity.items(), key=lambda pair: -pair[1])
        rows = tuple((name, f"modularity {value:.4f}") for name, value in ranking)
        calls = (("choice.clusters", "are the clusters"), ("choice.operator", "is the operator"))
        title = f"Choice of {self.name}, of {len(ranking)} operators by modularity"
        return Card(title, rows, lambda: bars([max(v, 0.0) for _, v in ranking]), calls)


def choose_operator(source: Any, n_clusters: int, *, rng: int | np.random.Generator = 0) -> Choice:
    """Cluster by nine operators and keep the one whose clusters have the largest modularity.

    Experimental: on data that it was not made on it gained nothing on the graph Laplacian.

    They are the graph Laplacian, the screened collapse at theta^2 = .5 and .9, and the
    renormalized one at theta^2 = .8, .9, .95 with beta = 2 and 5; where cells are no simplices, as
    those of most hypergraphs, also the weighted projection. No label is looked at.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
    n_clusters : int
    rng : seed or numpy Generator
        For k-means.

    Returns
    -------
    Choice

    Examples
    --------
    >>> import cellapse as cl
    >>> books = cl.datasets.load("polbooks")
    >>> choice = choose_operator(cl.clique_complex(books.graph), 3)
    >>> choice
    <Choice of renormalized .8, 2, of 9 operators by modularity>
    >>> round(cl.tasks.clustering_accuracy(choice.clusters, books.groups), 3)
    0.838
    """
    K = to_complex(source)
    n_clusters = whole_number("n_clusters", n_clusters, 1, K.n_vertices)
    _require_edges(K)
    tried: dict[str, tuple[Operator, Clusters, float]] = {}
    family = FAMILY if K.max_rank > 1 else FAMILY[:1]
    for name in (*family, "projection") if is_hypergraph(K) else family:
        S = family_member(K, name)
        clusters = cluster(S, n_clusters, rng=rng)
        tried[name] = (S, clusters, modularity(K, clusters))
    best = max(tried, key=lambda name: tried[name][2])
    values = {name: value for name, (_, _, value) in tried.items()}
    return Choice(best, tried[best][0], tried[best][1], values)


def family_member(K: Complex, name: str) -> Operator:
    """Return one of `FAMILY`, or the projection."""
    if name == "projection":
        return projection_laplacian(K)
    return graph_laplacian(K) if name == "laplacian" else screened(K, *_SCREENED[name])


def screened(K: Complex, theta2: float, beta: float, rounds: int) -> CollapsedOperator:
    """Return the screened collapse with one beta for all ranks above the edges."""
    weights = (1.0, *[beta] * (K.max_rank - 1))
    return collapse(K, Screened(rounds=rounds), gamma=float(np.sqrt(theta2)), beta=weights)


def modularity(source: Any, clusters: Any) -> float:
    """Newman's modularity of a partition, by the weighted edges of the complex.

    On a hypergraph by those of its projection, where a pair weighs 1 / (size - 1) for each
    hyperedge around it.

    Q = sum over groups c of (w_c / W - (d_c / 2W)^2), with W the weight of all edges, w_c of those
    within c, and d_c the sum of the degrees in c.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
        With at least one edge.
    clusters : Clusters or one whole number, at least 0, or word for each vertex
        A Series or mapping goes by label, an array by position.

    Returns
    -------
    float

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> modularity(cl.clique_complex(nx.barbell_graph(3, 0)), [0, 0, 0, 1, 1, 1])
    0.3571428571428571
    """
    K = to_complex(source)
    _require_edges(K)
    numbers = align_groups(clusters, K.labels, "clusters")
    if numbers.dtype.kind not in "iu":
        numbers = _numbered(numbers)
    if numbers.min() < 0:
        raise InputError(
            f"a cluster is called {numbers.min()}; give one whole number, at least 0, or word for "
            "each vertex"
        )
    return modularity_by(weighted_edges(K), numbers)


def _numbered(groups: NDArray[Any]) -> IntArray:
    """Return numbers in place of words."""
    names = groups.tolist()
    other = next((v for v in names if not isinstance(v, str | bool)), None)
    if other is not None:
        raise InputError(
            f"clusters are {groups.dtype} like {other!r:.80}; give one whole number, at least 0, "
            "or word for each vertex"
        )
    number = {v: i for i, v in enumerate(dict.fromkeys(names))}
    return np.array([number[v] for v in names], dtype=np.int64)


def _require_edges(K: Complex) -> None:
    if K.max_rank < 1 or K.n_cells[1] == 0:
        raise InputError("modularity compares edges, and the complex has no edges; give it some")
