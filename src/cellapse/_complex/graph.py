"""Reading a plain graph: vertices in the user's order, each edge once, weights on request.

Attributes of vertices and edges come along, so that every lift keeps them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cellapse._complex.attributes import columns_of
from cellapse._complex.complex import Complex
from cellapse._complex.labels import in_order
from cellapse._complex.weights import weight_column
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import own_csr, real_array, word


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

    def with_cells(self, cells: Mapping[int, Any]) -> Complex:
        """The complex of the graph and cells of rank 2 and above, given as integer arrays."""
        weights = None if self.weights is None else {1: self.weights}
        tables = {1: self.edges, **cells}
        return Complex.from_arrays(
            self.n_vertices, tables, self.labels, weights, self.attributes, self.metadata
        )


def as_graph(source: Any, weight: str | None = None) -> Graph:
    """Read a networkx graph, a Complex, an adjacency, an edge array or a list of pairs.

    >>> as_graph([("a", "b"), ("b", "c")]).edges.tolist()
    [[0, 1], [1, 2]]
    """
    if weight is not None:
        word("weight", weight)
    # Whoever holds a networkx graph has imported networkx already; others need not wait for it.
    networkx = sys.modules.get("networkx")
    if networkx is not None and isinstance(source, networkx.Graph):
        return _from_networkx(source, weight)
    if isinstance(source, Complex):
        return _from_complex(source, weight)
    if sparse.issparse(source) or is_adjacency(source):
        return _from_adjacency(sparse.csr_array(source), weight)
    if isinstance(source, str | bytes | os.PathLike):
        raise InputError(f"{source!r:.80} is a name; cellapse.read reads the file of that name")
    if weight is not None:
        raise InputError(
            f"weight={weight!r}, but a list of edges carries no attributes; "
            "pass a networkx graph or a sparse adjacency"
        )
    if isinstance(source, np.ndarray):
        return _from_array(source)
    return _from_pairs(source)


def is_adjacency(source: Any) -> bool:
    """Whether an array is a square symmetric matrix with no negative entries, not a list of edges.

    A table of two pairs of positions is one of edges, which comes to the same where it is both.

    >>> is_adjacency(np.eye(3)[::-1]), is_adjacency(np.array([[0, 1], [1, 2], [0, 2]]))
    (True, False)
    """
    if not isinstance(source, np.ndarray) or source.ndim != 2 or source.dtype.kind not in "biuf":
        return False
    n = len(source)
    if source.shape != (n, n) or n < 2 or (n == 2 and source.dtype.kind in "iu"):
        return False
    return bool((source >= 0).all() and (source == source.T).all())


def _from_networkx(graph: Any, weight: str | None) -> Graph:
    if graph.is_directed() or graph.is_multigraph():
        remedy = "graph.to_undirected()" if graph.is_directed() else "nx.Graph(graph)"
        raise InputError(
            f"a {type(graph).__name__} was given, but cells have neither direction nor copies; "
            f"pass {remedy}"
        )
    labels = tuple(graph)
    position = {v: i for i, v in enumerate(labels)}
    pairs = [(position[u], position[v]) for u, v in graph.edges]
    columns = string_named(columns_of([data for _, _, data in graph.edges(data=True)]))
    weights = None
    if weight is not None:
        values = columns.pop(weight, [None] * len(pairs))
        if None in values:
            u, v = list(graph.edges)[values.index(None)]
            raise InputError(
                f"edge ({u!r}, {v!r}) has no attribute {weight!r}; set it on every edge "
                "or leave out weight"
            )
        weights = real_array(values, f"the edge attribute {weight!r}")
    vertices = string_named(columns_of([data for _, data in graph.nodes(data=True)]))
    edges = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    simple = _graph(labels, edges, weights, {0: vertices, 1: columns})
    return replace(simple, metadata=string_named(graph.graph))


def string_named(named: Mapping[Any, Any]) -> dict[str, Any]:
    """The entries whose name is a string: networkx allows others, a Complex does not."""
    return {name: value for name, value in named.items() if isinstance(name, str)}


def _from_complex(K: Complex, weight: str | None) -> Graph:
    """The vertices and edges of a complex, with their weights or an attribute as weights."""
    attributes = dict(enumerate(K.attributes[:2]))
    if K.max_rank == 0:
        return Graph(K.labels, np.empty((0, 2), np.int64), None, attributes, K.metadata)
    edges, weights = K.cells[1], K.weights[1]
    if len(edges) and not (edges.sizes == 2).all():
        raise InputError(
            f"cells of rank 1 have {edges.sizes.min()} to {edges.sizes.max()} vertices, and the "
            "edges of a graph have two; hyperedges go through hypergraph_complex"
        )
    if weight is not None:
        if weight not in attributes[1]:
            raise InputError(
                f"edges have no attribute {weight!r} (they have {[*attributes[1]]}); name one of "
                "them, or leave it out"
            )
        weights = real_array(weight_column(K, 1, weight), f"the edge attribute {weight!r}")
    return Graph(K.labels, edges.indices.reshape(-1, 2), weights, attributes, K.metadata)


def _from_adjacency(matrix: Any, weight: str | None) -> Graph:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"an adjacency of shape {matrix.shape}; it must be square")
    entries = own_csr(matrix, "the adjacency")
    skew = abs(entries - entries.T)
    if skew.nnz and skew.max() > 0:
        raise InputError(
            "the adjacency is not symmetric, but cells have no direction; "
            "pass (M + M.T) / 2 if that is what you mean"
        )
    upper = sparse.triu(entries, format="coo")
    pairs = np.column_stack([upper.row, upper.col]).astype(np.int64)
    order = np.argsort(pairs[:, 0] * matrix.shape[0] + pairs[:, 1])
    weights = None if weight is None else upper.data[order]
    return _graph(range(matrix.shape[0]), pairs[order], weights)


def _from_array(array: NDArray[Any]) -> Graph:
    if array.ndim != 2 or 2 not in array.shape or not np.issubdtype(array.dtype, np.integer):
        raise InputError(
            f"an edge array of shape {array.shape} and type {array.dtype}; "
            "give integers of shape (m, 2) or (2, m), a symmetric adjacency, or labels as a list "
            "of pairs"
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
    # PyG and others list both directions of every edge: count each once.
    both = np.sort(pairs, axis=1)
    _, first = np.unique(both[:, 0] * n + both[:, 1], return_index=True)
    return _graph(range(n), pairs[np.sort(first)], None)


def _from_pairs(source: Any) -> Graph:
    try:
        pairs = [tuple(edge) for edge in source]
    except TypeError:
        raise InputError(
            f"a {type(source).__name__} is not a graph; pass a networkx graph, a sparse adjacency, "
            "an edge array or a list of pairs"
        ) from None
    labels = in_order(v for edge in pairs for v in edge)
    for edge in pairs:
        if len(edge) != 2:
            raise InputError(
                f"edge {edge!r} has {len(edge)} vertices, not two; hyperedges go through "
                "hypergraph_complex"
            )
    position = {v: i for i, v in enumerate(labels)}
    once: dict[Any, tuple[Any, ...]] = {}
    for edge in pairs:
        once.setdefault(frozenset(edge), edge)
    rows = [[position[v] for v in edge] for edge in once.values()]
    return _graph(labels, np.array(rows, dtype=np.int64).reshape(-1, 2), None)


def _graph(
    labels: Sequence[Hashable],
    edges: IntArray,
    weights: FloatArray | None,
    attributes: Mapping[int, Mapping[str, Any]] | None = None,
) -> Graph:
    loops = np.flatnonzero(edges[:, 0] == edges[:, 1])
    if len(loops):
        raise InputError(
            f"{len(loops)} self-loops, the first at vertex {labels[edges[loops[0], 0]]!r}; "
            "a cell holds a vertex once: remove them"
        )
    return Graph(labels, edges, weights, attributes or {})
