"""The clique lift: s pairwise joined vertices of a graph become a cell of rank s - 1.

What would not fit is refused before it is begun: a few thousand edges are drawn, the cliques that
grow from them counted, some of these drawn, and so on. A clique grows from its first vertices only,
so that k_(s+1) = k_s times the mean number of cliques that one of s vertices grows into.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.graph import Graph, as_graph
from cellapse._complex.weights import AUTO
from cellapse._shared.arrays import IntArray
from cellapse._shared.checks import flag, whole_number
from cellapse._shared.memory import Fitting, require_memory

_DENSE = 2**14  # vertices times edges that a table holds
# Candidates examined at once while cliques grow: bounds the working memory to some 100 MB.
_CHUNK = 2_000_000
_SAMPLE, _TRUST = 20_000, 2  # cliques drawn; a count from them is trusted to a factor of two
_FEW = 1000  # edges that need no sample


@Fitting("the complex", "take a smaller one, or one of fewer cells")
def clique_complex(
    graph: Any,
    max_rank: int = 2,
    *,
    weight: str | None = AUTO,
    cliques_as_rank2: bool = False,
) -> Complex:
    """Make the complex of the cliques of a graph: s joined vertices are a cell of rank s - 1.

    Parameters
    ----------
    graph : networkx.Graph, Complex, adjacency, edges, or whatever `as_complex` reads
        Edges are an (m, 2) or (2, m) integer array, a list of pairs of labels or of (u, v, weight),
        or a pandas table; a name is that of a bundled network or a file. Vertex labels and order,
        the order of the edges and the attributes of both are kept. Of a Complex, such as `read`
        gives, the vertices and edges count.
    max_rank : int
        Cliques of up to `max_rank` + 1 vertices are cells.
    weight : str or None
        By default an edge attribute called "weight" counts, where there is one, and so do the
        values of an adjacency and the weights of a Complex. Another name has to be there; None
        leaves the edges without weights.
    cliques_as_rank2 : bool
        Give all cliques of three and more vertices rank 2, instead of one rank a size; with
        `max_rank=3` this is the complex of the paper's normalized cuts.

    Returns
    -------
    Complex

    Examples
    --------
    >>> import networkx as nx
    >>> clique_complex(nx.complete_graph(4), max_rank=3)
    Complex(n_cells=(4, 6, 4, 1))
    >>> clique_complex(nx.complete_graph(4), max_rank=3, cliques_as_rank2=True)
    Complex(n_cells=(4, 6, 5))
    """
    max_rank = whole_number("max_rank", max_rank, 1, 1000)
    g = as_graph(graph, weight)
    tables = cliques(g, max_rank + 1)
    if flag("cliques_as_rank2", cliques_as_rank2) and max_rank > 1:
        cells: dict[int, Any] = {2: _ragged(tables[1:])}
    else:
        cells = dict(enumerate(tables[1:], start=2))
    return g.with_cells(cells)


def cliques(graph: Graph, max_size: int) -> list[IntArray]:
    """Return all cliques of 2, 3, ..., `max_size` vertices, one ascending row each.

    A clique grows by the later neighbours of its last vertex, in an order by degree: a vertex then
    has at most sqrt(2 m) later neighbours, so that hubs cost no more than others.
    """
    n, edges = graph.n_vertices, graph.edges
    if n * len(edges) <= _DENSE and max_size <= 4:
        return _by_table(n, edges, max_size)
    place = np.empty(n, dtype=np.int64)
    place[np.argsort(np.bincount(edges.ravel(), minlength=n), kind="stable")] = np.arange(n)
    vertex = np.argsort(place)
    forward = np.sort(place[edges], axis=1)
    forward = forward[np.argsort(forward[:, 0] * n + forward[:, 1])]
    later = _Later(forward, n)
    for size, count in enumerate(_expected(forward, later, max_size), start=3):
        _require_memory_for(count / _TRUST, size)
    tables: list[IntArray] = [edges]
    current: IntArray = forward
    for size in range(3, max_size + 1):
        if not len(current):  # nothing left to grow
            tables.append(np.empty((0, size), dtype=np.int64))
            continue
        current = _grow(current, later)
        rows = np.sort(vertex[current], axis=1)
        tables.append(rows[np.lexsort(rows.T[::-1])] if size > 3 else _sort_triangles(rows, n))
    return tables


def _by_table(n: int, edges: IntArray, max_size: int) -> list[IntArray]:
    """Return the same in a table of which vertices are joined to all of a clique, and behind it."""
    joined, current = np.zeros((n, n), dtype=bool), np.sort(edges, axis=1)
    low, high = current.T
    joined[low, high] = True
    tables, common = [edges], joined[low] & joined[high]
    for size in range(3, max_size + 1):
        owner, vertex = np.nonzero(common)
        current = np.column_stack([current[owner], vertex])
        tables.append(current[np.lexsort(current.T[::-1])])
        if size < max_size:
            common = common[owner] & joined[vertex]
    return tables


class _Later:
    """The later neighbours of every vertex, and which pairs are joined."""

    def __init__(self, forward: IntArray, n: int) -> None:
        self.n, self.neighbours = n, forward[:, 1]
        self._start = np.searchsorted(forward[:, 0], np.arange(n + 1))
        self._known = forward[:, 0] * n + forward[:, 1]

    def count(self, vertices: IntArray) -> IntArray:
        """Return how many each of the vertices has."""
        return self._start[vertices + 1] - self._start[vertices]

    def grown(self, cliques: IntArray) -> IntArray:
        """Return the cliques with one more vertex, each found once, from its first vertices."""
        last = cliques[:, -1]
        part = self.count(last)
        owner = np.repeat(np.arange(len(cliques)), part)
        offset = np.arange(len(owner)) - np.repeat(np.cumsum(part) - part, part)
        candidate = self.neighbours[self._start[last[owner]] + offset]
        for column in range(cliques.shape[1] - 1):
            joined = _contains(self._known, cliques[owner, column] * self.n + candidate)
            owner, candidate = owner[joined], candidate[joined]
        return np.column_stack([cliques[owner], candidate])


def _expected(edges: IntArray, later: _Later, max_size: int) -> Iterator[float]:
    """Yield the numbers of cliques of 3, 4, ..., `max_size` vertices, from samples."""
    if len(edges) < _FEW:
        return
    rng = np.random.default_rng(0)
    some, count = edges, float(len(edges))
    for _ in range(3, max_size + 1):
        if not len(some):
            return
        some = some[rng.integers(len(some), size=_SAMPLE)]
        total = np.cumsum(later.count(some[:, -1]))
        some = some[: max(int(np.searchsorted(total, _CHUNK)), 1)]
        grown = later.grown(some)
        count *= len(grown) / len(some)
        some = grown
        yield count


def _require_memory_for(count: float, size: int) -> None:
    require_memory(
        40.0 * count * size,
        f"the list of {count:,.0f} cliques of {size} vertices, or more,",
        "lower max_rank or thin out the graph",
    )


def _sort_triangles(rows: IntArray, n: int) -> IntArray:
    if n >= 2**20:  # three positions do not fit into one integer
        return rows[np.lexsort(rows.T[::-1])]
    return rows[np.argsort((rows[:, 0] * n + rows[:, 1]) * n + rows[:, 2])]


def _grow(current: IntArray, later: _Later) -> IntArray:
    """Return all cliques with one more vertex, some millions of candidates at once."""
    total = np.cumsum(later.count(current[:, -1]))
    if total[-1] <= _CHUNK:
        return later.grown(current)
    grown = [np.empty((0, current.shape[1] + 1), dtype=np.int64)]
    cuts = np.searchsorted(total, np.arange(_CHUNK, total[-1], _CHUNK)) + 1
    count = 0
    for low, high in pairwise([0, *cuts.tolist(), len(current)]):
        grown.append(later.grown(current[low:high]))
        count += len(grown[-1])
        _require_memory_for(count, current.shape[1] + 1)
    return np.concatenate(grown)


def _contains(known: IntArray, wanted: IntArray) -> Any:
    at = np.searchsorted(known, wanted)
    at[at == len(known)] = 0
    return known[at] == wanted


def _ragged(tables: list[IntArray]) -> tuple[IntArray, IntArray]:
    sizes = np.concatenate([np.full(len(t), t.shape[1]) for t in tables])
    return np.concatenate([[0], np.cumsum(sizes)]), np.concatenate([t.ravel() for t in tables])
