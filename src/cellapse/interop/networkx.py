"""networkx: vertices and edges with their attributes, both ways."""

from __future__ import annotations

from typing import Any

from cellapse._attributes import columns_of
from cellapse._graph import as_graph
from cellapse.complex import Complex
from cellapse.interop._build import Ranks, records_of, refuse_ranks


def read(graph: Any, weight: str | None, ranks: Ranks) -> Complex:
    """Vertices and edges; `clique_complex` and its like add cells."""
    refuse_ranks(ranks, "a graph")
    g = as_graph(graph, weight)
    vertices = columns_of([data for _, data in graph.nodes(data=True)])
    if weight not in vertices:
        return g.with_cells({})
    weights: dict[int, Any] = {0: vertices.pop(weight)}
    if g.weights is not None:
        weights[1] = g.weights
    attributes = {**g.attributes, 0: vertices}
    return Complex.from_arrays(g.n_vertices, {1: g.edges}, g.labels, weights, attributes)


def to_networkx(K: Complex, *, weight: str = "weight") -> Any:
    """The graph of the vertices and edges, with attributes and weights.

    Parameters
    ----------
    K : Complex
        Cells above the edges have no place in a graph and stay behind.
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
    """
    import networkx

    pairs = as_graph(K).edges.tolist()
    graph = networkx.Graph()
    graph.add_nodes_from(zip(K.labels, records_of(K, 0, weight), strict=True))
    if pairs:
        records = records_of(K, 1, weight)
        graph.add_edges_from(
            (K.labels[u], K.labels[v], record)
            for (u, v), record in zip(pairs, records, strict=True)
        )
    return graph
