"""A graph as files hold it, as a complex."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from cellapse._errors import InputError
from cellapse.complex import Complex
from cellapse.io._values import json_columns

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
    columns = json_columns([edge_records[i] for i in kept])
    cells = {0: labels, 1: [pairs[i] for i in kept]}
    return Complex.from_cells(cells, attributes={0: node_columns, 1: columns})
