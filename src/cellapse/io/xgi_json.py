"""XGI's own JSON: `node-data`, `edge-data` and `edge-dict`, with all names as strings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from cellapse._complex.complex import Complex
from cellapse._complex.weights import AUTO
from cellapse._errors import InputError
from cellapse.interop._hyperedges import hyperedge_complex
from cellapse.io._values import json_columns, word_labels


def read_xgi_json(document: Mapping[str, Any], weight: str | None = AUTO) -> Complex:
    """Read a parsed document as a hypergraph, with an attribute as weights (see `read`).

    >>> read_xgi_json({"node-data": {"1": {"age": 30}}, "edge-dict": {"0": ["1", "2", "3"]}})
    Complex(n_cells=(3, 3, 1))
    """
    if document.get("type", "hypergraph") not in ("hypergraph", "simplicialcomplex"):
        raise InputError(f"is of type {document['type']!r}; cells have no direction")
    nodes, edges = _objects(document, "node-data"), _objects(document, "edge-data")
    members = document["edge-dict"]
    if not isinstance(members, Mapping) or not all(map(_is_group, members.values())):
        raise InputError("has an edge-dict that is no object of lists of strings")
    label = word_labels(chain.from_iterable(members.values()), nodes)
    given = {e: group for e, group in members.items() if group}
    names = list(given)
    numbered = names == [str(i) for i in range(len(names))]
    return hyperedge_complex(
        list(label.values()),
        [[label[v] for v in group] for group in given.values()],
        names=None if numbered else names,
        vertex_records=[nodes.get(word, {}) for word in label],
        records=[edges.get(e, {}) for e in names],
        weight=weight,
        metadata=_object(document, "hypergraph-data"),
        columns=json_columns,
    )


def _object(document: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = document.get(key, {})
    if not isinstance(value, dict):
        raise InputError(f"has {key} that is no object")
    return value


def _objects(document: Mapping[str, Any], key: str) -> dict[str, dict[str, Any]]:
    records = _object(document, key)
    if not all(isinstance(v, dict) for v in records.values()):
        raise InputError(f"has {key} that is no object of objects")
    return records


def _is_group(value: Any) -> bool:
    return isinstance(value, Sequence) and all(isinstance(v, str) for v in value)
