"""igraph: graphs with the attributes of vertices and edges, both ways."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex, require_complex
from cellapse._complex.graph import as_graph, graph_of, string_named
from cellapse._complex.weights import weighted_by
from cellapse._errors import extra
from cellapse._shared.memory import Fitting
from cellapse._shared.notes import fact
from cellapse.interop._build import Wanted, columns_for_others


def read(graph: Any, wanted: Wanted) -> Complex:
    """An `igraph.Graph`; vertices are called by their "name" where all have different ones."""
    wanted.check_ranked("a graph")
    if graph.is_directed():
        wanted.rules.check_direction("the graph")
    n = graph.vcount()
    vertices = {name: graph.vs[name] for name in graph.vs.attributes()}
    labels: Any = range(n)
    names = vertices.get("name", [])
    if names and None not in names and len(set(names)) == n:
        labels = tuple(vertices.pop("name"))
        fact("vertices are called by their names")
    ends = chain.from_iterable(graph.get_edgelist())
    edges = np.fromiter(ends, np.int64, 2 * graph.ecount()).reshape(-1, 2)
    columns = {name: graph.es[name] for name in graph.es.attributes()}
    attributes = {0: string_named(vertices), 1: string_named(columns)}
    about = {name: graph[name] for name in graph.attributes() if isinstance(name, str)}
    simple = graph_of(labels, edges, attributes, wanted.rules)
    return weighted_by(simple.with_cells({}, about), wanted.weight)


@Fitting("the object of the other library", "take a smaller complex")
def to_igraph(K: Complex, *, weight: str = "weight") -> Any:
    """Return the graph of the vertices and edges, with attributes and weights.

    Parameters
    ----------
    K : Complex
        Cells above the edges have no place in a graph and stay behind.
    weight : str
        Name of the attribute for the weights, where there are any.

    Returns
    -------
    igraph.Graph
        Labels other than 0, 1, ... are the attribute "name" of the vertices.

    Examples
    --------
    >>> import cellapse as cl
    >>> K = cl.Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> cl.interop.to_igraph(K).ecount()
    3
    """
    require_complex(K, "to_igraph")
    with extra("igraph", "graphs"):
        import igraph
    graph = igraph.Graph(
        K.n_vertices,
        [*zip(*as_graph(K).edges.T.tolist(), strict=True)],  # quicker than from an array
        vertex_attrs=columns_for_others(K, 0, weight),
        edge_attrs=columns_for_others(K, 1, weight) if K.max_rank else {},
        graph_attrs=dict(K.metadata),
    )
    if list(K.labels) != list(range(K.n_vertices)):
        graph.vs["name"] = list(K.labels)
    return graph
