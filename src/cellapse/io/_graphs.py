"""A graph or a hypergraph as files hold it, as a complex."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from cellapse._errors import InputError
from cellapse._labels import positions
from cellapse.complex import Complex
from cellapse.io._values import columns_of
from cellapse.lifts import hypergraph_complex

Record = Mapping[str, Any]


def graph_complex(
    labels: Sequence[Hashable],
    pairs: Sequence[tuple[Hashable, Hashable]],
    node_columns: Mapping[str, Any],
    edge_records: Sequence[Record],
) -> Complex:
    """The complex of rank 1 of a graph; an edge listed again (or turned round) counts once.

    >>> graph_complex("ab", [("a", "b"), ("b", "a")], {}, [{}, {}])
    Complex(n_cells=(2, 1))
    """
    once: dict[frozenset[Hashable], int] = {}
    for i, pair in enumerate(pairs):
        first = once.setdefault(frozenset(pair), i)
        if first != i and edge_records[first] != edge_records[i]:
            raise InputError(
                f"edge {pair!r} is listed twice with different data, {dict(edge_records[first])} "
                f"and {dict(edge_records[i])}; a pair of vertices is one edge: merge them"
            )
    kept = sorted(once.values())
    columns = columns_of([edge_records[i] for i in kept])
    cells = {0: labels, 1: [pairs[i] for i in kept]}
    return Complex.from_cells(cells, attributes={0: node_columns, 1: columns})


def hypergraph(
    labels: Sequence[Hashable],
    hyperedges: Sequence[Sequence[Hashable]],
    node_records: Sequence[Record],
    edge_records: Sequence[Record],
) -> Complex:
    """The complex of a hypergraph (see `hypergraph_complex`), with the data of its hyperedges.

    Pairs that are no hyperedge themselves have None. A hyperedge listed again counts once, and
    the attribute `multiplicity` says how often it was listed.

    >>> hypergraph("abc", [[*"abc"], [*"abc"]], [{}] * 3, [{}, {}]).attributes[2]["multiplicity"]
    array([2])
    """
    K = hypergraph_complex(hyperedges, vertices=labels)
    position = positions(labels)
    groups = [frozenset(position[v] for v in members) for members in hyperedges]
    times = Counter(groups)
    first: dict[frozenset[int], Record] = {}
    for group, record in zip(groups, edge_records, strict=True):
        first.setdefault(group, record)
    if len(first) < len(groups):
        first = {g: {**record, "multiplicity": times[g]} for g, record in first.items()}
    attributes: dict[int, dict[str, Any]] = {0: columns_of(node_records)}
    for rank in range(1, K.max_rank + 1):
        cells = [frozenset(cell.tolist()) for cell in K.cells[rank]]
        attributes[rank] = columns_of([first.get(cell, {}) for cell in cells])
    tables = {k: (c.indptr, c.indices) for k, c in enumerate(K.cells) if k}
    return Complex.from_arrays(K.n_vertices, tables, K.labels, attributes=attributes)
