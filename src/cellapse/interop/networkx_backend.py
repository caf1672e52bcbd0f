r"""A backend of networkx: `nx.resistance_distance(G, backend="cellapse")` and its like.

Everything follows from the Laplacian L of a connected graph, whose pseudo-inverse is

    L^+ = (L + J / n)^-1 - J / n,      J = 1 1^T,

    R(u, v) = L^+_uu + L^+_vv - 2 L^+_uv,      sum_v R(u, v) = n L^+_uu + tr L^+.

A current of one from s to t puts c_e |f_s - f_t| through the edge e = (u, v) of conductance c_e,
where f is the difference of the rows u and v of L^+. Over all pairs s < t that is a sum of sorted
entries, T_e = c_e sum_k (2 k - n + 1) f_(k).

Arguments, results and errors are those of networkx. What is not a positive weight, and dtypes other
than float, are left to networkx itself.

Brandes and Fleischer, Centrality measures based on current flow (2005).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import networkx as nx
import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from cellapse._linalg.blas import definite_inverse
from cellapse._linalg.operators import SparseOperator
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.memory import require_memory
from cellapse.tasks.resistance import effective_resistance

_METHODS = ("tracemin", "tracemin_pcg", "tracemin_lu", "lanczos", "lobpcg")
_SOLVERS = ("full", "lu", "cg")
_ENTRIES = 2**24  # of the flow matrix, handled at once


class Graph:
    """A graph of networkx as it is, marked for this backend."""

    __networkx_backend__ = "cellapse"

    def __init__(self, graph: nx.Graph) -> None:
        self.graph = graph

    def is_directed(self) -> bool:
        return bool(self.graph.is_directed())

    def is_multigraph(self) -> bool:
        return bool(self.graph.is_multigraph())


def convert_from_nx(
    graph: nx.Graph,
    *,
    edge_attrs: Any = None,
    node_attrs: Any = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> Graph:
    """Mark a graph; nothing of it is copied."""
    return Graph(graph)


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """Return the graph that was marked; other results are those of networkx already."""
    return result.graph if isinstance(result, Graph) else result


def resistance_distance(
    G: Graph,
    nodeA: Hashable = None,
    nodeB: Hashable = None,
    weight: str | None = None,
    invert_weight: bool = True,
) -> Any:
    """Compute the resistances between two nodes, one and all, or all."""
    graph = G.graph
    ends = [v for v in (nodeA, nodeB) if v is not None]
    ohms = _Edges.of(graph, weight, np.nan if invert_weight else 1.0)
    if not len(graph) or not ohms.positive or any(v not in graph for v in ends):
        return _original("resistance_distance", graph, nodeA, nodeB, weight, invert_weight)
    if not ohms.connected:
        raise nx.NetworkXError("Graph G must be strongly connected.")
    edges = ohms.inverted() if invert_weight else ohms
    at = {v: i for i, v in enumerate(graph)}
    if len(ends) == 2:
        pair = [(at[nodeA], at[nodeB])]
        return 0.0 if nodeA == nodeB else float(effective_resistance(edges.operator(), pair)[0])
    inverse = edges.inverse()
    diagonal = inverse.diagonal()
    if ends:
        i = at[ends[0]]
        values = diagonal[i] + diagonal - 2.0 * inverse[i]
        values[i] = 0.0
        return dict(zip(graph, values.tolist(), strict=True))
    resistances = diagonal[:, None] + diagonal - 2.0 * inverse
    np.fill_diagonal(resistances, 0.0)
    rows = (dict(zip(graph, row, strict=True)) for row in resistances.tolist())
    return dict(zip(graph, rows, strict=True))


def effective_graph_resistance(
    G: Graph, weight: str | None = None, invert_weight: bool = True
) -> float:
    """Compute the sum of the resistances of all pairs of nodes, n tr L^+."""
    graph = G.graph
    ohms = _Edges.of(graph, weight, np.nan if invert_weight else 1.0)
    if not len(graph) or not ohms.positive:
        return float(_original("effective_graph_resistance", graph, weight, invert_weight))
    if not ohms.connected:
        return float("inf")
    edges = ohms.inverted() if invert_weight else ohms
    return float(len(graph) * edges.inverse().trace())


def current_flow_closeness_centrality(
    G: Graph, weight: str | None = None, dtype: Any = float, solver: str = "lu"
) -> dict[Hashable, float]:
    """Compute one over the sum of the resistances from every node."""
    graph = G.graph
    edges = _Edges.of(graph, weight)
    if len(graph) < 2 or not edges.positive or dtype is not float or solver not in _SOLVERS:
        found = _original("current_flow_closeness_centrality", graph, weight, dtype, solver)
        return dict(found)
    _require_connected(edges)
    inverse = edges.inverse()
    values = 1.0 / (len(graph) * inverse.diagonal() + inverse.trace())
    return dict(zip(graph, values.tolist(), strict=True))


information_centrality = current_flow_closeness_centrality


def current_flow_betweenness_centrality(
    G: Graph,
    normalized: bool = True,
    weight: str | None = None,
    dtype: Any = float,
    solver: str = "full",
) -> dict[Hashable, float]:
    """Compute the current through every node, over all pairs of other nodes."""
    graph = G.graph
    edges = _Edges.of(graph, weight)
    if not _takes_flow(graph, edges, dtype, solver):
        name = "current_flow_betweenness_centrality"
        return dict(_original(name, graph, normalized, weight, dtype, solver))
    _require_connected(edges)
    n, flow = len(graph), edges.flow()
    through = np.bincount(edges.i, flow, n) + np.bincount(edges.j, flow, n) - (n - 1.0)
    values = through / ((n - 1.0) * (n - 2.0) if normalized else 2.0)
    return dict(zip(graph, values.tolist(), strict=True))


def edge_current_flow_betweenness_centrality(
    G: Graph,
    normalized: bool = True,
    weight: str | None = None,
    dtype: Any = float,
    solver: str = "full",
) -> dict[tuple[Hashable, Hashable], float]:
    """Compute the current through every edge, over all pairs of nodes."""
    graph = G.graph
    edges = _Edges.of(graph, weight)
    if not _takes_flow(graph, edges, dtype, solver):
        name = "edge_current_flow_betweenness_centrality"
        return dict(_original(name, graph, normalized, weight, dtype, solver))
    _require_connected(edges)
    n = len(graph)
    values = edges.flow() / ((n - 1.0) * (n - 2.0) if normalized else 2.0)
    order = {v: k for k, v in enumerate(nx.utils.reverse_cuthill_mckee_ordering(graph))}
    pairs = (sorted(pair, key=order.__getitem__) for pair in graph.edges())
    return {(u, v): value for (u, v), value in zip(pairs, values.tolist(), strict=True)}


def algebraic_connectivity(
    G: Graph,
    weight: str | None = "weight",
    normalized: bool = False,
    tol: float = 1e-8,
    method: str = "tracemin_pcg",
    seed: Any = None,
) -> float:
    """Compute the second smallest eigenvalue of the Laplacian, or of the normalized one."""
    edges = _sizes(G.graph, weight)
    if not edges.connected:
        return 0.0
    _check_method(method)
    return edges.fiedler(normalized, tol)[0]


def fiedler_vector(
    G: Graph,
    weight: str | None = "weight",
    normalized: bool = False,
    tol: float = 1e-8,
    method: str = "tracemin_pcg",
    seed: Any = None,
) -> FloatArray:
    """Compute the eigenvector of length one that belongs to it."""
    edges = _sizes(G.graph, weight)
    if not edges.connected:
        raise nx.NetworkXError("graph is not connected.")
    if edges.n == 2:
        return np.array([1.0, -1.0])
    _check_method(method)
    return edges.fiedler(normalized, tol)[1]


def spectral_ordering(
    G: Graph,
    weight: str | None = "weight",
    normalized: bool = False,
    tol: float = 1e-8,
    method: str = "tracemin_pcg",
    seed: Any = None,
) -> list[Hashable]:
    """Return order the nodes, one component after the other, by their Fiedler vectors."""
    if not len(G.graph):
        raise nx.NetworkXError("graph is empty.")
    _check_method(method)
    edges, nodes = _sizes(G.graph, weight, least=1), list(G.graph)
    order: list[Hashable] = []
    for component in range(edges.components.max() + 1):
        members = np.flatnonzero(edges.components == component)
        if len(members) > 2:
            vector = edges.within(members).fiedler(normalized, tol)[1]
            members = members[np.argsort(vector, kind="stable")]
        order.extend(nodes[v] for v in members.tolist())
    return order


class _Edges:
    """The edges of a graph without loops: ends as numbers in its order, and conductances."""

    def __init__(self, n: int, i: IntArray, j: IntArray, weights: FloatArray) -> None:
        self.n, self.i, self.j, self.weights = n, i, j, weights
        joined = sparse.coo_array((np.ones(len(i)), (i, j)), shape=(n, n))
        self.components: IntArray = csgraph.connected_components(joined, directed=False)[1]

    @classmethod
    def of(cls, graph: nx.Graph, weight: str | None, missing: float = 1.0) -> _Edges:
        at = {v: k for k, v in enumerate(graph)}
        listed = graph.edges(data=weight, default=missing) if weight is not None else graph.edges()
        ends = [(at[edge[0]], at[edge[1]]) for edge in listed]
        i, j = np.array(ends, dtype=np.int64).reshape(-1, 2).T
        weights = np.ones(len(i))
        if weight is not None:
            weights = np.array([edge[2] for edge in listed], dtype=np.float64)
        apart = i != j
        return cls(len(graph), i[apart], j[apart], weights[apart])

    @property
    def positive(self) -> bool:
        """Whether all weights are positive numbers."""
        return bool(((self.weights > 0.0) & np.isfinite(self.weights)).all())

    @property
    def connected(self) -> bool:
        return not self.components.any()

    def inverted(self) -> _Edges:
        """Return the edges with weights that are resistances."""
        return _Edges(self.n, self.i, self.j, 1.0 / self.weights)

    def within(self, members: IntArray) -> _Edges:
        """Return the edges of one component."""
        place = np.full(self.n, -1)
        place[members] = np.arange(len(members))
        inside = place[self.i] >= 0
        i, j = place[self.i[inside]], place[self.j[inside]]
        return _Edges(len(members), i, j, self.weights[inside])

    def operator(self) -> SparseOperator:
        """Return the Laplacian of a connected graph."""
        i, j, w = self.i, self.j, self.weights
        places = np.concatenate([i, j, i, j]), np.concatenate([j, i, i, j])
        entries = np.concatenate([-w, -w, w, w])
        L = sparse.coo_array((entries, places), shape=(self.n, self.n)).tocsr()
        kernel = sparse.csr_array(np.full((self.n, 1), self.n**-0.5))
        return SparseOperator(L, range(self.n), kernel)

    def inverse(self) -> FloatArray:
        """Return L^+ as a dense array."""
        n = self.n
        require_memory(24.0 * n * n, f"resistances of {n:,} nodes", "ask for one pair at a time")
        # A diagonal of about the size of that of L, in any unit.
        level = float(self.weights.sum()) / max(n, 1) or 1.0
        shifted = self.operator().A.toarray() + level / n
        inverse = definite_inverse(shifted)
        if inverse is None:  # conductances so different that rounding hides the smallest
            return np.linalg.pinv(self.operator().A.toarray(), hermitian=True)
        inverse -= 1.0 / (level * n)
        return inverse

    def flow(self) -> FloatArray:
        """Return T_e, the sum of the currents through every edge over all pairs of nodes."""
        inverse, n = self.inverse(), self.n
        counts = 2.0 * np.arange(n) - (n - 1.0)
        total = np.empty(len(self.i))
        step = max(1, _ENTRIES // n)
        for start in range(0, len(total), step):
            at = slice(start, start + step)
            rows = inverse[self.i[at]] - inverse[self.j[at]]
            rows.sort(axis=1)
            total[at] = rows @ counts
        return self.weights * total

    def fiedler(self, normalized: bool, tol: float) -> tuple[float, FloatArray]:
        """Return the second smallest eigenvalue of the Laplacian, and its vector."""
        L, mass = self.operator(), "diagonal" if normalized else None
        found = L.spectrum(2, mass, rtol=min(max(tol, 1e-12), 1e-8))
        vector = found.vectors[:, 1]
        if normalized:  # of D^{-1/2} L D^{-1/2}
            vector = vector * np.sqrt(L.diagonal())
        vector = vector / np.linalg.norm(vector)
        first = vector[np.argmax(abs(vector) > 1e-8)]  # negative, as in the examples of networkx
        return float(found.values[1]), vector if first < 0.0 else -vector


def _sizes(graph: nx.Graph, weight: str | None, least: int = 2) -> _Edges:
    """Return the edges by the size of their weights, parallel ones added, without zeros."""
    if len(graph) < least:
        raise nx.NetworkXError("graph has less than two nodes.")
    edges = _Edges.of(graph, weight)
    weights = abs(edges.weights)
    kept = weights > 0.0
    return _Edges(edges.n, edges.i[kept], edges.j[kept], weights[kept])


def _takes_flow(graph: nx.Graph, edges: _Edges, dtype: Any, solver: str) -> bool:
    plain = not graph.is_multigraph() and dtype is float and solver in _SOLVERS
    return plain and len(graph) > 2 and edges.positive and len(edges.i) == graph.number_of_edges()


def _require_connected(edges: _Edges) -> None:
    if not edges.connected:
        raise nx.NetworkXError("Graph not connected.")


def _check_method(method: str) -> None:
    if method not in _METHODS:
        raise nx.NetworkXError(f"unknown method {method!r}.")


def _original(name: str, *args: Any) -> Any:
    """Call the function of networkx itself."""
    return getattr(nx, name).orig_func(*args)
