"""Reading a plain graph: vertices in the user's order, each edge once, weights on request.

Attributes of vertices and edges come along, so that every lift keeps them.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cellapse._complex.adjacency import is_adjacency, numeric_square, symmetric_edges
from cellapse._complex.attributes import USUAL, columns_of, usual_weight
from cellapse._complex.complex import Complex
from cellapse._complex.given import read_graph
from cellapse._complex.labels import positions, refuse_points, steady, vertex_order
from cellapse._complex.simple import SIMPLE, Rules, simple_edges
from cellapse._complex.weights import (
    AUTO,
    UNWEIGHTED,
    as_weights,
    says_something,
    tell_usual,
    weight_column,
)
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import unmasked, word
from cellapse._shared.notes import loss, warn_user


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected simple graph: `edges` is an (m, 2) table of vertex positions."""

    labels: Sequence[Hashable]
    edges: IntArray
    weights: FloatArray | None
    attributes: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_vertices(self) -> int:
        return len(self.labels)

    def with_cells(
        self, cells: Mapping[int, Any], metadata: Mapping[str, Any] | None = None
    ) -> Complex:
        """The complex of the graph and cells of rank 2 and above, given as integer arrays."""
        weights = None if self.weights is None else {1: self.weights}
        tables = {1: self.edges, **cells}
        return Complex.from_arrays(
            *(self.n_vertices, tables, self.labels, weights, self.attributes),
            self.metadata if metadata is None else metadata,
        )


def as_graph(source: Any, weight: str | None = AUTO, rules: Rules = SIMPLE) -> Graph:
    """Read whatever holds a graph: see `as_complex`, and `weight` there.

    >>> as_graph([("a", "b"), ("b", "c")]).edges.tolist()
    [[0, 1], [1, 2]]
    """
    if weight is not None:
        word("weight", weight)
    # Whoever holds a networkx graph has imported networkx already; others need not wait for it.
    networkx = sys.modules.get("networkx")
    if networkx is not None and isinstance(source, networkx.Graph):
        weight = None if weight == AUTO and source.graph.get(UNWEIGHTED) else weight
        return _from_networkx(source, weight, rules)
    if isinstance(source, Complex):
        return _from_complex(source, weight)
    source = numeric_square(unmasked(source, "the array"))
    if sparse.issparse(source) or is_adjacency(source):
        matrix = source if sparse.issparse(source) else sparse.csr_array(source)
        return adjacency_graph(matrix, weight, rules)
    listed = isinstance(source, np.ndarray) and _lists_edges(source)
    pairs = None if isinstance(source, np.ndarray) else _pairs(source)
    if not listed and pairs is None:
        return _from_complex(read_graph(source, weight, rules), AUTO)
    if weight not in (None, AUTO):
        raise InputError(
            f"weight={weight!r}, but a list of pairs carries no attributes; give (u, v, number) "
            "for each edge, a networkx graph or a sparse adjacency"
        )
    return _from_array(source, rules) if pairs is None else _from_pairs(pairs, rules)


def _lists_edges(array: NDArray[Any]) -> bool:
    """Return whether it can only be a list of edges: no square matrix, and no fractions."""
    square = array.ndim == 2 and array.shape[0] == array.shape[1] > 2
    return array.dtype.kind not in "fb" and not (square and array.dtype.kind in "iu")


def _pairs(source: Any) -> list[tuple[Any, ...]] | None:
    """Return the edges of a plain list of them; nothing where it is a list of anything else."""
    if not isinstance(source, list | tuple | set | frozenset):
        return None
    try:
        pairs = [tuple(steady(edge)) for edge in source]
    except TypeError:
        return None
    if isinstance(source, set | frozenset):
        pairs = list(steady(set(pairs)))
    words = any(isinstance(edge, str | bytes) for edge in source)
    if words or not all(len(edge) == 2 for edge in pairs):
        return None
    refuse_points(pairs)
    return pairs


def _from_networkx(graph: Any, weight: str | None, rules: Rules) -> Graph:
    if graph.is_directed():
        rules.check_direction(f"a {type(graph).__name__}", "pass graph.to_undirected(), or ")
    labels = tuple(graph)
    position = positions(labels)
    *ends, records = _listed_edges(graph)
    places = [map(position.__getitem__, column) for column in ends]
    edges = np.column_stack([np.fromiter(column, np.int64, len(records)) for column in places])
    if graph.is_multigraph() and rules.repeats is None and _has_copies(edges):
        raise InputError(
            f"a {type(graph).__name__} with copies of edges, but two vertices are one cell; "
            'pass nx.Graph(graph), or as_complex(graph, repeats="count"), "sum" or "first"'
        )
    columns = columns_of(records)
    vertices = columns_of([data for _, data in graph.nodes(data=True)])
    left = [name for name in (*vertices, *columns, *graph.graph) if not isinstance(name, str)]
    if left:
        loss(f"names of attributes are strings; {left[0]!r} and others that are none are left out")
    attributes = {0: string_named(vertices), 1: string_named(columns)}
    simple = graph_of(labels, edges, attributes, rules)
    metadata = string_named(graph.graph)
    metadata.pop(UNWEIGHTED, None)  # decided here: a complex says what it has
    return _weighted(replace(simple, metadata=metadata), weight)


def _listed_edges(graph: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Return both ends of all edges and what is known of them, in the order of `graph.edges`."""
    sources: list[Any] = []
    targets: list[Any] = []
    records: list[Any] = []
    if graph.is_multigraph() or graph.is_directed():
        for u, v, data in graph.edges(data=True):
            sources.append(u)
            targets.append(v)
            records.append(data)
        return sources, targets, records
    seen = set()  # what follows is three times as quick as `graph.edges`, which makes tuples
    for u, neighbours in graph.adjacency():
        for v, data in neighbours.items():
            if v not in seen:
                sources.append(u)
                targets.append(v)
                records.append(data)
        seen.add(u)
    return sources, targets, records


def _has_copies(edges: IntArray) -> bool:
    return len(np.unique(np.sort(edges, axis=1), axis=0)) < len(edges)


def _weighted(graph: Graph, weight: str | None) -> Graph:
    """Return the graph with an attribute of its edges as their weights."""
    columns = dict(graph.attributes[1])
    name = usual_weight(columns) if weight == AUTO else weight
    if name is None or (weight == AUTO and not says_something(columns[name])):
        return graph
    if weight == AUTO:
        tell_usual(name)
    values: Any = columns.pop(name, None)
    if values is None:
        values = [None] * len(graph.edges)

    def edge(i: int) -> str:
        return f"edge {tuple(graph.labels[v] for v in graph.edges[i].tolist())!r:.80}"

    weights = as_weights(values, name, edge)
    return replace(graph, weights=weights, attributes={**graph.attributes, 1: columns})


def string_named(named: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the entries whose name is a string: networkx allows others, a Complex does not."""
    return {name: value for name, value in named.items() if isinstance(name, str)}


def _from_complex(K: Complex, weight: str | None) -> Graph:
    """Return the vertices and edges of a complex, with their weights or an attribute as weights."""
    attributes = dict(enumerate(K.attributes[:2]))
    if K.max_rank == 0:
        return Graph(K.labels, np.empty((0, 2), np.int64), None, attributes, K.metadata)
    edges, weights = K.cells[1], K.weights[1]
    if len(edges) and not (edges.sizes == 2).all():
        raise InputError(
            f"cells of rank 1 have {edges.sizes.min()} to {edges.sizes.max()} vertices, and the "
            "edges of a graph have two; hyperedges go through hypergraph_complex"
        )
    if weight is None:
        weights = None
    elif weight in attributes[1]:
        weights = weight_column(K, 1, weight)
        attributes[1] = {n: column for n, column in attributes[1].items() if n != weight}
    elif weight != AUTO and not (weight == USUAL and weights is not None):
        raise InputError(
            f"edges have no attribute {weight!r} (they have {[*attributes[1]]}); name one of "
            "them, or leave it out"
        )
    return Graph(K.labels, edges.indices.reshape(-1, 2), weights, attributes, K.metadata)


def adjacency_graph(matrix: Any, weight: str | None, rules: Rules) -> Graph:
    """The graph of an adjacency, its values as weights: unless all are one, or under any name."""
    pairs, values = symmetric_edges(matrix, rules)
    columns = {} if weight is None else {USUAL if weight == AUTO else weight: values}
    if weight == AUTO and not says_something(values):
        columns = {}
    graph = graph_of(range(matrix.shape[0]), pairs, {1: columns}, rules)
    return _weighted(graph, weight)


def _from_array(array: NDArray[Any], rules: Rules) -> Graph:
    if array.ndim != 2 or 2 not in array.shape or not np.issubdtype(array.dtype, np.integer):
        raise InputError(
            f"an edge array of shape {array.shape} and type {array.dtype}; "
            "give integers of shape (m, 2) or (2, m), a symmetric adjacency, or labels as a list "
            "of pairs"
        )
    if array.shape == (2, 2) and not np.array_equal(array, [[0, 1], [1, 0]]):
        raise InputError(
            f"the array {array.tolist()} could list edges in rows, (m, 2), or in columns, (2, m), "
            "or be an adjacency; pass array.tolist() for rows, array.T.tolist() for columns, or "
            "scipy.sparse.csr_array(array)"
        )
    pairs = (array if array.shape[1] == 2 else array.T).astype(np.int64)
    if pairs.size and pairs.min() < 0:
        raise InputError(f"vertex {pairs.min()} in the edge array; positions start at 0")
    n = int(pairs.max()) + 1 if pairs.size else 0
    if n > 100 * (len(pairs) + 1000):  # far more vertices than edges: labels, not positions
        raise InputError(
            f"vertex {n - 1} in an edge array of {len(pairs)} edges would make {n} vertices, most "
            "of them alone; number the vertices from 0, or pass a list of pairs"
        )
    if len(pairs) > 2 and np.array_equal(np.unique(pairs), np.arange(1, n)):
        warn_user(
            "vertex 0 is in no edge and all others are: numbers in an edge array are positions "
            "from 0; pass array - 1 if yours count from 1, or array.tolist() for labels"
        )
    # PyG and others list both directions of every edge: count each once.
    return graph_of(range(n), pairs, {}, rules)


def _from_pairs(pairs: list[tuple[Any, ...]], rules: Rules) -> Graph:
    labels = vertex_order(v for edge in pairs for v in edge)
    position = {v: i for i, v in enumerate(labels)}
    rows = [[position[v] for v in edge] for edge in pairs]
    return graph_of(labels, np.array(rows, dtype=np.int64).reshape(-1, 2), {}, rules)


def graph_of(
    labels: Sequence[Hashable],
    edges: IntArray,
    attributes: Mapping[int, Mapping[str, Any]],
    rules: Rules = SIMPLE,
) -> Graph:
    """Return the simple graph of listed edges, by the rules for loops and repeats."""
    edges, columns, loops = simple_edges(labels, edges, attributes.get(1, {}), rules)
    return Graph(labels, edges, None, {0: {**attributes.get(0, {}), **loops}, 1: columns})
