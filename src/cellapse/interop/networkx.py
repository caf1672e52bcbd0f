"""networkx: vertices and edges with their attributes, both ways."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex, require_complex
from cellapse._complex.graph import as_graph
from cellapse._complex.weights import AUTO, UNWEIGHTED, weighted_by
from cellapse._linalg.operators import Operator
from cellapse._shared.checks import word
from cellapse._shared.labelled import Combined
from cellapse._shared.memory import Fitting
from cellapse.interop import plain
from cellapse.interop._build import Wanted, records_of


def read(graph: Any, wanted: Wanted) -> Complex:
    """Return vertices and edges; `clique_complex` and its like add cells."""
    wanted.check_ranked("a graph")
    if not hasattr(graph, "nodes"):  # a view of one, such as graph.edges
        return plain.read(dict(graph) if _is_adjacency(graph) else list(graph), wanted)
    K = as_graph(graph, None, wanted.rules).with_cells({})
    plain_one = wanted.weight == AUTO and graph.graph.get(UNWEIGHTED)
    return K if plain_one else weighted_by(K, wanted.weight)


def _is_adjacency(view: Any) -> bool:
    return isinstance(view, Mapping) and not isinstance(view, Set)  # as views of edges are


@Fitting("the object of the other library", "take a smaller complex")
def to_networkx(K: Complex | Operator, *, weight: str = "weight") -> Any:
    """Return the graph of the vertices and edges, with attributes and weights.

    Parameters
    ----------
    K : Complex or Operator
        Cells above the edges have no place in a graph and stay behind. An operator that is a sparse
        matrix (renormalized, screened, reduced and the baselines) is the weighted graph whose
        Laplacian it is: an edge weighs minus its entry, or its entry where all of them are
        positive. What the diagonal has besides the weights around a vertex is its attribute `rest`.
    weight : str
        Name of the attribute for the weights, where there are any.

    Returns
    -------
    networkx.Graph

    Examples
    --------
    >>> K = Complex.from_cells({1: [("a", "b")]}, attributes={0: {"age": [30, 40]}})
    >>> to_networkx(K).nodes["b"]
    {'age': 40}
    >>> from cellapse import graph_laplacian
    >>> to_networkx(graph_laplacian(K)).edges["a", "b"]
    {'weight': 1.0}
    """
    if isinstance(K, Operator | Combined):
        return _of_operator(K, weight)
    require_complex(K, "to_networkx")
    import networkx

    graph = networkx.Graph(**K.metadata)
    plain = [not K.attributes[k] and K.weights[k] is None for k in range(min(K.max_rank, 1) + 1)]
    labels = list(K.labels)
    graph.add_nodes_from(labels if plain[0] else zip(labels, records_of(K, 0, weight), strict=True))
    ends = (map(labels.__getitem__, column) for column in as_graph(K).edges.T.tolist())
    more = [] if K.max_rank < 1 or plain[1] else [records_of(K, 1, weight)]
    graph.add_edges_from(zip(*ends, *more, strict=True))
    return graph


def _of_operator(S: Operator | Combined, weight: str) -> Any:
    """Return the graph of the entries off the diagonal."""
    import networkx
    from scipy import sparse

    word("weight", weight)
    matrix, labels = S.tocsr(), list(S.labels)
    upper = sparse.triu(matrix, 1).tocoo()
    values = upper.data if (upper.data >= 0).all() else -upper.data
    graph = networkx.Graph()
    graph.add_nodes_from(labels)
    ends = ([labels[i] for i in at.tolist()] for at in (upper.row, upper.col))
    rows = zip(*ends, values.tolist(), strict=True)
    graph.add_weighted_edges_from(rows, weight=weight)
    around = np.zeros(len(labels))
    for at in (upper.row, upper.col):
        around += np.bincount(at, values, len(labels))
    rest = matrix.diagonal() - around
    for i in np.flatnonzero(abs(rest) > 1e-12 * abs(matrix).sum(axis=1)).tolist():
        graph.nodes[labels[i]]["rest"] = float(rest[i])
    return graph
