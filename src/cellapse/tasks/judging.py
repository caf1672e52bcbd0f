"""How a verdict comes about: clusters with and without cells, on the network and on its parts."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._collapse.build import collapse
from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._errors import CellapseWarning
from cellapse._linalg.operators import Operator
from cellapse._operators.as_operator import as_operator
from cellapse._operators.fair import weighted_edges, without_cells
from cellapse._operators.hyperedges import is_hypergraph
from cellapse._shared.checks import generator, whole_number
from cellapse.tasks._clusters import Clusters, modularity_by
from cellapse.tasks._thinning import shuffled, thinned
from cellapse.tasks.clustering import cluster, clustering_accuracy
from cellapse.tasks.trust import edge_trust
from cellapse.tasks.verdict import Judged, Verdict

Make = Callable[[Complex], Operator]

_MOST = 3000  # vertices up to which networks are drawn and clustered again
_DRAWS = 3
_LEFT_OUT = 0.1
_CLEAR = 1.25  # times the next gap of the eigenvalues


def verdict(
    source: Any, n_clusters: int | None = None, *, rng: int | np.random.Generator = 0
) -> Verdict:
    """Cluster with and without the cells, and say whether they matter.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
    n_clusters : int, optional
        By default the number before the largest gap of the eigenvalues of S.
    rng : seed or numpy Generator
        For k-means, and for what is left out or dealt out anew.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> print(verdict(cl.clique_complex(nx.connected_caveman_graph(4, 6))).sentences()[0])
    The cells make no difference here: S and L find the same clusters.
    """
    K = to_complex(source)
    if n_clusters is not None:
        n_clusters = whole_number("n_clusters", n_clusters, 1, K.n_vertices)
    why = "as asked for" if n_clusters is not None else ""
    with quiet():
        mine = cluster(collapse(K, "renormalized"), n_clusters, rng=rng)
        plain = cluster(without_cells(K), int(mine.numbers.max()) + 1, rng=rng)
    return judge(K, mine, plain, why or gap_in_words(mine), rng)


def judge(
    K: Complex,
    mine: Clusters,
    plain: Clusters,
    why: str,
    rng: int | np.random.Generator = 0,
    make: Make = lambda part: collapse(part, "renormalized"),
    name: str = "S",
) -> Verdict:
    """The verdict on clusters of an operator and of `without_cells(K)` that are known already.

    `make` gives the operator of a complex, for the parts of K on which the clusters are compared.
    """
    k = int(mine.numbers.max()) + 1
    ways = ((make, mine), (without_cells, plain))
    edges = K.n_cells[1] if K.max_rank else 0
    worthwhile = k > 1 and edges > 0 and K.n_vertices <= _MOST
    again = _again(K, k, ways, generator(rng)) if worthwhile else None
    names = (name, "the weighted projection" if is_hypergraph(K) else "L")
    W = weighted_edges(K)
    stable = (None, None) if again is None else again[:2]
    judged = [
        Judged(operator, modularity_by(W, c.numbers), stability)
        for operator, c, stability in zip(names, (mine, plain), stable, strict=True)
    ]
    return Verdict(
        k,
        why,
        judged[0],
        judged[1],
        clustering_accuracy(mine, plain),
        None if again is None else again[2],
        edge_trust(K).held,
        edges == K.n_vertices - (int(K.components().max()) + 1),
    )


def gap_in_words(clusters: Clusters) -> str:
    """Why `cluster` took that number: the gap after it, and whether another is nearly as large."""
    if clusters.gaps is None:
        return "as asked for"
    k, gaps = int(clusters.numbers.max()) + 1, clusters.gaps
    if k > len(gaps):
        return "there are too few vertices for a gap"
    among = f"the largest of the first {len(gaps) + 1}"
    said = f"the gap after eigenvalue {k} is {among} ({gaps[k - 1]:.3g})"
    others = np.delete(gaps, [0, k - 1])
    if len(others) and gaps[k - 1] < _CLEAR * others.max():
        second = int(np.argsort(-gaps[1:], kind="stable")[1]) + 2
        said += f", but not clearly: after {second} it is {gaps[second - 1]:.3g}"
    return said


def _again(
    K: Complex, k: int, ways: tuple[tuple[Make, Clusters], ...], rng: np.random.Generator
) -> tuple[float, float, float]:
    """The stability of both, and the modularity by chance."""
    from sklearn.metrics import adjusted_rand_score

    values = np.zeros((3, _DRAWS))
    with quiet():
        for draw in range(_DRAWS):
            part = thinned(K, _LEFT_OUT, rng)
            for row, (make, clusters) in enumerate(ways):
                there = cluster(make(part), k, rng=draw).numbers
                values[row, draw] = adjusted_rand_score(clusters.numbers, there)
            W = shuffled(K, rng)
            L = sparse.diags_array(np.asarray(W.sum(axis=1)).ravel()) - W
            values[2, draw] = modularity_by(
                sparse.coo_array(sparse.triu(W, 1)), cluster(as_operator(L), k, rng=draw).numbers
            )
    stable, steady, chance = values.mean(axis=1).tolist()
    return stable, steady, chance


def quiet() -> warnings.catch_warnings[None]:
    """Clusters of a trial, whose warnings would be of no use to anybody."""
    return warnings.catch_warnings(action="ignore", category=CellapseWarning)
