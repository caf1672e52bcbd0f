"""What a plain list or dict means: cells, edges with data, neighbours, a matrix, or points."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from cellapse._complex.adjacency import is_symmetric
from cellapse._complex.attributes import columns_of
from cellapse._complex.complex import Complex
from cellapse._complex.graph import graph_of, string_named
from cellapse._complex.labels import numbered, positions, vertex_order
from cellapse._complex.weights import weighted_by
from cellapse._errors import InputError
from cellapse._shared.notes import fact
from cellapse.interop._build import Wanted

_NUMBERS = (int, float, np.number)


def is_adjacency(items: list[Any]) -> bool:
    """Return whether rows of numbers are a symmetric matrix with a diagonal of zeros (or of ones).

    >>> is_adjacency([[0, 1, 1], [1, 0, 1], [1, 1, 0]]), is_adjacency([[0, 1, 2], [1, 2, 3]])
    (True, False)
    """
    n = len(items)
    if n < 3 or not all(isinstance(row, list | tuple) and len(row) == n for row in items):
        return False
    if not all(isinstance(x, _NUMBERS) for row in items for x in row):
        return False
    matrix = np.array(items, dtype=np.float64)
    diagonal = matrix.diagonal()
    if diagonal.any() and not (diagonal == 1).all():
        return False
    if not diagonal.any() and not is_symmetric(matrix):
        raise InputError(
            f"{n} rows of {n} numbers with zeros along the diagonal, as a directed adjacency has: "
            'as_complex(numpy.array(rows), directed="ignore"); or, if every row is a hyperedge, '
            "hypergraph_complex(rows)"
        )
    return is_symmetric(matrix)


def is_edges_with_data(items: list[Any]) -> bool:
    """Return whether every item is an edge and then a dict, or a number that is no label.

    >>> is_edges_with_data([("a", "b", 2)]), is_edges_with_data([(0, 1, 2)])
    (True, False)
    """
    triples = items and all(isinstance(row, list | tuple) and len(row) == 3 for row in items)
    if not triples:
        return False
    if all(isinstance(row[2], Mapping) for row in items):
        return True
    if not all(row[2] is None or isinstance(row[2], _NUMBERS) for row in items):
        _refuse_third(items)
        return False
    if any(isinstance(v, float) for row in items for v in row[:2]):
        return False
    words = all(isinstance(v, str) for row in items for v in row[:2])
    if words or any(row[2] is None or isinstance(row[2], float) for row in items):
        return True
    _refuse_third(items)
    return False


def _refuse_third(items: list[Any]) -> None:
    """Raise where what stands third may be known of an edge as well as a third vertex."""
    first, second, third = (set(column) for column in zip(*items, strict=True))
    pairs = {frozenset(row[:2]) for row in items}
    twice = next((row for row in items if row[2] in row[:2] and row[0] != row[1]), None)
    if twice is not None:  # no cell, whose vertices differ
        raise InputError(
            f"{twice!r:.60} names a vertex twice, as an edge with a weight may; write (u, v, "
            "float(weight)) for weights, and each vertex once for cells of three vertices"
        )
    if len(items) < 3 or third & (first | second) or not first & second or len(pairs) < len(items):
        return
    raise InputError(
        f"{items[0]!r:.60} and others: what stands third, {items[0][2]!r:.20}, never stands first "
        "or second, as a weight or a kind of edge does; write (u, v, float(weight)) or "
        "(u, v, {'kind': ...}), or call hypergraph_complex for cells of three vertices"
    )


def from_edges_with_data(items: list[Any], wanted: Wanted) -> Complex:
    """Return a graph of (u, v, data) or (u, v, weight)."""
    wanted.check_ranked("a list of edges")
    if isinstance(items[0][2], Mapping):
        records = [row[2] for row in items]
        fact("edges with a dict of data each")
    else:
        records = [{} if row[2] is None else {"weight": row[2]} for row in items]
        fact("edges with a number each, the attribute 'weight'")
    return _graph(vertex_order(v for u, w, _ in items for v in (u, w)), items, records, wanted)


def _graph(labels: Any, pairs: list[Any], records: list[Any], wanted: Wanted) -> Complex:
    _, flat = numbered(1, [(u, v) for u, v, *_ in pairs], positions(labels))
    columns = string_named(columns_of(records))
    graph = graph_of(labels, flat.reshape(-1, 2), {1: columns}, wanted.rules)
    return weighted_by(graph.with_cells({}), wanted.weight)


def is_dict_of_edges(source: Mapping[Any, Any]) -> bool:
    """Return whether keys are pairs of vertices, and values what is known of their edge.

    >>> is_dict_of_edges({("a", "b"): 2.0}), is_dict_of_edges({(0, 0): {(0, 1): {}}})
    (True, False)
    """
    if not source or not all(isinstance(key, tuple) and len(key) == 2 for key in source):
        return False
    values = list(source.values())
    if all(isinstance(value, _NUMBERS) for value in values):
        return True
    # Names of attributes are words; the neighbours of vertices that are pairs are such again.
    return all(isinstance(v, Mapping) and all(isinstance(k, str) for k in v) for v in values)


def is_dict_of_neighbours(source: Mapping[Any, Any]) -> bool:
    """Return whether keys are vertices and values their neighbours, not names and their hyperedges.

    >>> is_dict_of_neighbours({"a": ["b", "c"], "b": ["a"]}), is_dict_of_neighbours({"p": ["a"]})
    (True, False)
    """
    groups = list(source.values())
    if groups and all(isinstance(group, Mapping) for group in groups):
        return True
    plain = [isinstance(g, Collection) and not isinstance(g, str | bytes) for g in groups]
    if not groups or not all(plain):
        return False
    if any(not _is_label(v) and not _is_key(v, source) for g in groups for v in g):
        return False
    members = {v for group in groups for v in group}
    if not members & source.keys():
        return False
    neighbours = {key: set(group) for key, group in source.items()}
    known = [(u, v) for u, group in neighbours.items() for v in group if v in neighbours]
    if members <= source.keys() or all(u in neighbours[v] for u, v in known):
        return True
    raise InputError(
        f"{dict(list(source.items())[:2])!r:.80}: keys that are also members could be vertices "
        "with their neighbours or names of hyperedges; pass ranks= for hyperedges (such as "
        "ranks=2), or the edges as a list of pairs"
    )


def _is_label(value: Any) -> bool:
    """Return whether it is one vertex and not a cell of several."""
    return isinstance(value, str | int | float | np.generic)


def _is_key(value: Any, source: Mapping[Any, Any]) -> bool:
    """Return whether it is a vertex by being a key, such as (0, 1) in a grid."""
    return isinstance(value, tuple) and value in source


def from_dict_of_neighbours(source: Mapping[Any, Any], wanted: Wanted) -> Complex:
    """A graph of {vertex: neighbours}, {vertex: {neighbour: data}} or {vertex: {other: weight}}."""
    fact("keys are vertices, values their neighbours; pass ranks= for hyperedges with names")
    pairs: list[Any] = []
    records: list[Any] = []
    for u, group in source.items():
        for v in group:
            pairs.append((u, v))
            data = group[v] if isinstance(group, Mapping) else {}
            if isinstance(data, Mapping) and any(isinstance(d, Mapping) for d in data.values()):
                raise InputError(
                    f"several edges between {u!r:.40} and {v!r:.40}, each with data of its own; "
                    'pass the multigraph itself: as_complex(graph, repeats="sum")'
                )
            records.append(data if isinstance(data, Mapping) else {"weight": data})
    labels = vertex_order([*source, *(v for _, v in pairs)])
    return _graph(labels, pairs, records, wanted)
