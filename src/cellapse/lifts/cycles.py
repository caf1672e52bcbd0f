"""The cycle lift: cycles of a graph become polygons, cells of rank 2.

A cycle basis depends on the order of the vertices, so no basis is used here. Both choices below
are properties of the graph alone: relabelling it relabels the cells, nothing else.

* "minimum": the cycles that are no sum (symmetric difference of edges) of shorter ones. They are
  the union of all minimum cycle bases, and are listed after P. Vismara, Union of all the minimum
  cycle bases of a graph, Electronic Journal of Combinatorics 4 (1997): cycles come in families of
  two shortest paths from their last vertex r to an edge or to a vertex opposite, and one member
  decides for all of them whether they are such a sum.
* "chordless": the cycles that no edge cuts short.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from cellapse._complex.complex import Complex
from cellapse._complex.graph import Graph, as_graph
from cellapse._complex.weights import AUTO
from cellapse._errors import InputError, SizeError
from cellapse._shared.arrays import IntArray
from cellapse._shared.checks import one_of, whole_number
from cellapse._shared.memory import Fitting, require_memory

Walk = list[int]
_MOST_STEPS = 1_000_000  # sums of two cycles: some seconds


@Fitting("the complex", "take a smaller one, or one of fewer cells")
def cycle_complex(
    graph: Any,
    *,
    cycles: str = "minimum",
    max_length: int | None = None,
    weight: str | None = AUTO,
) -> Complex:
    """Return a graph and its cycles as polygons: cells of rank 2, listed along their boundary.

    Parameters
    ----------
    graph : networkx.Graph, adjacency, edges, Complex, ...
        As for `clique_complex`.
    cycles : {"minimum", "chordless"}
        All cycles that belong to some minimum cycle basis (the rings of a molecule, the faces of a
        mesh), or all that have no chord.
    max_length : int, optional
        Leave out longer cycles. There can be exponentially many chordless ones, so that "chordless"
        needs it; few graphs have many minimum cycles.
    weight : str or None
        As for `clique_complex`.

    Returns
    -------
    Complex

    Examples
    --------
    >>> import networkx as nx
    >>> cycle_complex(nx.cubical_graph())             # the cube has six faces, a basis only five
    Complex(n_cells=(8, 12, 6))
    >>> cycle_complex(nx.cubical_graph(), cycles="chordless", max_length=6)
    Complex(n_cells=(8, 12, 10))
    """
    one_of("cycles", cycles, ("minimum", "chordless"))
    if max_length is not None:
        max_length = whole_number("max_length", max_length, 3)
    g = as_graph(graph, weight)
    if max_length is not None:  # no cycle is longer than that
        max_length = min(max_length, max(g.n_vertices, 3))
    if cycles == "minimum":
        walks = minimum_cycles(g, max_length)
    elif max_length is None:
        raise InputError(
            'cycles="chordless" without max_length: there can be exponentially many; '
            'give one, such as 6, or take cycles="minimum"'
        )
    else:
        walks = list(_chordless_cycles(g, max_length))
    ordered = sorted((_canonical(walk) for walk in walks), key=lambda walk: (len(walk), walk))
    sizes = np.array([len(walk) for walk in ordered], dtype=np.int64)
    members = np.array([v for walk in ordered for v in walk], dtype=np.int64)
    return g.with_cells({2: (np.concatenate([[0], np.cumsum(sizes)]), members)})


def _canonical(walk: Walk) -> Walk:
    """Return the same cycle from its first vertex towards the smaller of the two neighbours."""
    at = walk.index(min(walk))
    walk = walk[at:] + walk[:at]
    return walk if walk[1] < walk[-1] else [walk[0], *walk[:0:-1]]


def _chordless_cycles(graph: Graph, max_length: int) -> Iterator[Walk]:
    import networkx as nx

    return nx.chordless_cycles(nx.Graph(graph.edges.tolist()), max_length)


def minimum_cycles(graph: Graph, max_length: int | None) -> list[Walk]:
    """Return all cycles of at most `max_length` edges that are no sum of shorter ones."""
    n = graph.n_vertices
    place, first = _branches_last(graph)
    edges = place[graph.edges]
    neighbours = _neighbours(edges, n)
    n_independent = len(edges) - n + int(_components(graph)[0])
    # Short cycles usually span all others: look further only where they do not.
    bound = 8 if max_length is None else max_length
    while True:
        families = [f for r in range(first, n) for f in _families(neighbours, r, bound)]
        relevant, rank = _no_sums_of_shorter(families, edges)
        if max_length is not None or rank == n_independent or bound > n:
            break
        bound *= 2
    n_cycles = sum(family.n_cycles() for family in relevant)
    require_memory(100.0 * n_cycles * bound, f"the list of {n_cycles:,} cycles", "lower max_length")
    vertex = np.argsort(place).tolist()
    return [[vertex[v] for v in walk] for family in relevant for walk in family.cycles()]


def _branches_last(graph: Graph) -> tuple[IntArray, int]:
    """Return an order with the vertices last where paths part, and the place of the first of these.

    Every cycle has one of them, or is a component of its own, of which one vertex is last as well:
    only these need to be the last vertex of a cycle, however long the paths between them.
    """
    last = np.bincount(graph.edges.ravel(), minlength=graph.n_vertices) > 2
    component = _components(graph)[1]
    single = ~np.isin(component, component[last])
    last[np.flatnonzero(single)[np.unique(component[single], return_index=True)[1]]] = True
    return np.argsort(np.argsort(last, kind="stable")), int((~last).sum())


def _neighbours(edges: IntArray, n: int) -> list[list[int]]:
    neighbours: list[list[int]] = [[] for _ in range(n)]
    for u, v in edges.tolist():
        neighbours[u].append(v)
        neighbours[v].append(u)
    return neighbours


def _components(graph: Graph) -> tuple[int, IntArray]:
    n = graph.n_vertices
    ones = np.ones(len(graph.edges), dtype=np.int8)
    joined = sparse.coo_array((ones, graph.edges.T), shape=(n, n))
    return connected_components(joined, directed=False)


class _Family:
    """Cycles of a shortest path from r to `ends[0]`, one to `ends[1]`, and what joins the ends."""

    def __init__(self, before: dict[int, Walk], ends: tuple[int, int], joint: Walk) -> None:
        self._before = before  # per vertex, the vertices before it on shortest paths from r
        self._ends = ends
        self._joint = joint

    def cycles(self) -> Iterator[Walk]:
        there, back = (list(self._paths(end)) for end in self._ends)
        for path, other in product(there, back):
            yield [*path, *self._joint, *other[:0:-1]]

    def prototype(self) -> Walk | None:
        """The member made of the first paths, or None where these meet: then none is relevant."""
        path, other = (next(self._paths(end)) for end in self._ends)
        if set(path[1:]) & set(other[1:]):
            return None
        return [*path, *self._joint, *other[:0:-1]]

    def n_cycles(self) -> int:
        return prod(self._n_paths(end) for end in self._ends)

    def _n_paths(self, end: int) -> int:
        count, front = 1, {end: 1}
        while front:
            count, last = sum(front.values()), front
            front = {}
            for v, ways in last.items():
                for u in self._before[v]:
                    front[u] = front.get(u, 0) + ways
        return count

    def _paths(self, end: int) -> Iterator[Walk]:
        path, ahead = [end], [iter(self._before[end])]
        if not self._before[end]:
            yield path
        while ahead:  # a stack of our own: paths may be longer than Python calls deep
            v = next(ahead[-1], None)
            if v is None:
                ahead.pop()
                path.pop()
            elif self._before[v]:
                path.append(v)
                ahead.append(iter(self._before[v]))
            else:
                yield [v, *path[::-1]]


def _families(neighbours: list[Walk], r: int, max_length: int) -> Iterator[_Family]:
    """Yield the families whose cycles have r as their last vertex, two shortest paths apart."""
    distance = _distances(neighbours, r, max_length // 2, len(neighbours))
    inside = _distances(neighbours, r, max_length // 2, r)
    # Vertices that a shortest path of the whole graph reaches without vertices after r.
    reached = {v: d for v, d in inside.items() if distance[v] == d}
    before = {
        v: [u for u in neighbours[v] if reached.get(u, -2) == d - 1] for v, d in reached.items()
    }
    for v, d in reached.items():
        for p, q in combinations(before[v], 2):  # even: v lies opposite r
            if q not in neighbours[p]:  # a chord would make it a sum of shorter ones
                yield _Family(before, (p, q), [v])
        if 2 * d + 1 <= max_length:  # odd: an edge lies opposite r
            for u in neighbours[v]:
                if u < v and reached.get(u) == d:
                    yield _Family(before, (v, u), [])


def _distances(neighbours: list[Walk], r: int, reach: int, last: int) -> dict[int, int]:
    """Steps from r to the vertices at most `reach` away, through vertices up to `last` only."""
    distance, front = {r: 0}, [r]
    for d in range(1, reach + 1):
        following = []
        for v in front:
            for u in neighbours[v]:
                if u <= last and u not in distance:
                    distance[u] = d
                    following.append(u)
        front = following
    return distance


def _no_sums_of_shorter(families: list[_Family], edges: IntArray) -> tuple[list[_Family], int]:
    """The families that shorter cycles do not span over the field of two, and the rank of all."""
    number = {edge: i for i, edge in enumerate(map(tuple, np.sort(edges).tolist()))}
    by_length: dict[int, list[tuple[_Family, int]]] = {}
    for family in families:
        walk = family.prototype()
        if walk is not None:
            ends = zip(walk, [*walk[1:], walk[0]], strict=True)
            bits = sum(1 << number[min(e), max(e)] for e in ends)
            by_length.setdefault(len(walk), []).append((family, bits))
    span = _Span()
    relevant = []
    for length in sorted(by_length):
        rests = [(family, span.rest(bits)) for family, bits in by_length[length]]
        relevant += [family for family, rest in rests if rest]
        for _, rest in rests:
            span.add(rest)
    return relevant, len(span.pivots)


class _Span:
    """Sums of cycles over the field of two, in echelon form."""

    def __init__(self) -> None:
        self.pivots: dict[int, int] = {}  # highest edge -> sum of cycles
        self._steps = 0

    def rest(self, bits: int) -> int:
        """Return what is left of a cycle when the sums are taken out of it."""
        while bits and bits.bit_length() in self.pivots:
            bits ^= self.pivots[bits.bit_length()]
            self._steps += 1
        if self._steps > _MOST_STEPS:
            raise SizeError(
                f"comparing long cycles with sums of shorter ones takes more than {_MOST_STEPS:,} "
                "steps; give max_length, such as 8, to leave out the long ones"
            )
        return bits

    def add(self, bits: int) -> None:
        rest = self.rest(bits)
        if rest:
            self.pivots[rest.bit_length()] = rest
