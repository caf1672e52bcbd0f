"""HIF, the hypergraph interchange format: JSON that XGI and HyperNetX read and write, too.

    {"network-type": "undirected", "metadata": {},
     "nodes": [{"node": "a", "weight": 1.0, "attrs": {}}],
     "edges": [{"edge": 0, "weight": 1.0, "attrs": {"rank": 1}}],
     "incidences": [{"edge": 0, "node": "a"}]}

The rank of a cell is `attrs.rank` of its edge. Without ranks the file is a hypergraph and read as
by `hypergraph_complex`; of network-type "asc" it is a simplicial complex, of rank size - 1.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Hashable
from typing import Any

from cellapse._errors import CellapseWarning, InputError
from cellapse.complex import Complex
from cellapse.io._graphs import hypergraph
from cellapse.io._values import columns_of, from_json, is_plain, to_json

_OURS = "cellapse"  # in the metadata: what only we need to know


def read_hif(document: dict[str, Any]) -> Complex:
    """Read a parsed HIF document.

    >>> K = read_hif({"incidences": [{"edge": 0, "node": v} for v in "abc"]})
    >>> K
    Complex(n_cells=(3, 3, 1))
    >>> read_hif(hif_document(K))
    Complex(n_cells=(3, 3, 1))
    """
    kind = document.get("network-type", "undirected")
    if kind not in ("undirected", "asc"):
        raise InputError(f'is of network-type {kind!r}; only "undirected" and "asc" have cells')
    metadata = document.get("metadata")
    ours = metadata.get(_OURS, {}) if isinstance(metadata, dict) else {}
    ours = ours if isinstance(ours, dict) else {}
    nodes, edges = _records(document, "node"), _records(document, "edge")
    members = _members(document, nodes, edges)
    labels: list[Hashable] = list(nodes)
    if ours.get("labels") == "json":
        names = {v: _label(v) for v in labels}
        labels = list(names.values())
        members = {e: [names[v] for v in group] for e, group in members.items()}
    if kind == "asc":
        for e, group in members.items():
            edges[e].setdefault("attrs", {}).setdefault("rank", len(group) - 1)
    ranks = [edges[e].get("attrs", {}).get("rank") for e in members]
    if all(rank is None for rank in ranks) and not ours:
        return _as_hypergraph(labels, members, nodes, edges)
    return _as_complex(labels, members, nodes, edges, ranks, ours)


def _records(document: dict[str, Any], kind: str) -> dict[Hashable, dict[str, Any]]:
    """The listed nodes or edges by their names, in the order of the file."""
    listed = document.get(f"{kind}s", [])
    if not isinstance(listed, list):
        raise InputError(f"has {type(listed).__name__} as {kind}s; HIF has a list there")
    records: dict[Hashable, dict[str, Any]] = {}
    for record in listed:
        name = _name(record, kind)
        attrs = record.get("attrs", {})
        if not isinstance(attrs, dict) or name in records:
            problem = "is listed twice" if name in records else f"has attrs {attrs!r}"
            raise InputError(f"{kind} {name!r} {problem}; HIF has one object of attributes there")
        records[name] = {**record, "attrs": dict(attrs)}
    return records


def _name(record: Any, kind: str) -> Hashable:
    name = record.get(kind) if type(record) is dict else None
    if type(name) is not str and type(name) is not int:  # JSON makes these types, or true
        raise InputError(
            f"has {str(record)[:80]} where HIF has an object with {kind!r}, a string or integer"
        )
    return name


def _members(
    document: dict[str, Any],
    nodes: dict[Hashable, dict[str, Any]],
    edges: dict[Hashable, dict[str, Any]],
) -> dict[Hashable, list[Hashable]]:
    """The members of every edge; nodes and edges that were not listed are added."""
    incidences = document.get("incidences")
    if not isinstance(incidences, list):
        raise InputError("has no list of incidences, so it is not an HIF file")
    members: dict[Hashable, list[Hashable]] = {e: [] for e in edges}
    seen: dict[Hashable, dict[str, Any]] = {}
    extras = 0
    for record in incidences:
        e, v = _name(record, "edge"), _name(record, "node")
        members.setdefault(e, []).append(v)
        seen.setdefault(v, nodes.get(v, {}))
        extras += bool(record.get("attrs")) or record.get("weight", 1) != 1
    if extras:
        warnings.warn(
            f"{extras} incidences have weights or attributes of their own, which a complex does "
            "not hold; only the cells and what is known of them are read",
            CellapseWarning,
            stacklevel=2,
        )
    for e in members:
        edges.setdefault(e, {})
    if any(v not in nodes for v in seen):
        # A list of some nodes (XGI lists only those with attributes) is no order of all.
        rest = {v: record for v, record in nodes.items() if v not in seen}
        nodes.clear()
        nodes.update(seen | rest)
    return {e: group for e, group in members.items() if group}


def _as_hypergraph(
    labels: list[Hashable],
    members: dict[Hashable, list[Hashable]],
    nodes: dict[Hashable, dict[str, Any]],
    edges: dict[Hashable, dict[str, Any]],
) -> Complex:
    names = list(members)
    numbered = names == list(range(len(names)))  # names that say nothing are not kept
    records = []
    for e in names:
        weight = edges[e].get("weight", 1)
        own = {} if numbered else {"id": e}
        own |= {} if weight == 1 else {"weight": weight}
        records.append({**own, **edges[e].get("attrs", {})})
    node_records = [record.get("attrs", {}) for record in nodes.values()]
    return hypergraph(labels, list(members.values()), node_records, records)


def _as_complex(
    labels: list[Hashable],
    members: dict[Hashable, list[Hashable]],
    nodes: dict[Hashable, dict[str, Any]],
    edges: dict[Hashable, dict[str, Any]],
    ranks: list[Any],
    ours: dict[str, Any],
) -> Complex:
    top = ours.get("max_rank", 0)
    if type(top) is not int or not 0 <= top <= 1000:
        raise InputError(f"has max_rank {top!r}; give a whole number in 0..1000")
    cells: dict[int, list[Any]] = {k: [] for k in range(1, top + 1)}
    records: dict[int, list[Any]] = {0: list(nodes.values())}
    for (e, group), rank in zip(members.items(), ranks, strict=True):
        if type(rank) is not int or not 0 <= rank <= 1000:
            raise InputError(
                f"edge {e!r} has rank {rank!r}; give every edge a whole number in attrs.rank, or "
                "none of them"
            )
        if rank:  # the vertices are listed as nodes
            cells.setdefault(rank, []).append(group)
            records.setdefault(rank, []).append(edges[e])
    weights = {k: w for k, group in records.items() if (w := _weights(group, bool(ours)))}
    attributes = {
        k: columns_of([{n: v for n, v in r.get("attrs", {}).items() if n != "rank"} for r in group])
        if k
        else columns_of([r.get("attrs", {}) for r in group])
        for k, group in records.items()
    }
    return Complex.from_cells({0: labels, **cells}, weights, attributes)


def _weights(records: list[dict[str, Any]], ours: bool) -> list[float] | None:
    """The weights; all ones, as HyperNetX writes them everywhere, are none."""
    given = [record.get("weight") for record in records]
    values = [1.0 if w is None else w for w in given]
    return values if any(w != 1 for w in values) or (ours and None not in given) else None


def _label(text: Hashable) -> Hashable:
    try:
        return from_json(json.loads(str(text)))
    except ValueError:
        raise InputError(f"has {text!r} where a label in JSON belongs") from None


def hif_document(K: Complex) -> dict[str, Any]:
    """A complex as an HIF document, with everything that it holds."""
    ours: dict[str, Any] = {"max_rank": K.max_rank}
    labels: list[Any] = [to_json(v) for v in K.labels]
    if not all(map(is_plain, K.labels)):  # HIF has strings and integers only
        ours["labels"] = "json"
        labels = [json.dumps(v) for v in labels]
    nodes = [{"node": v, **r} for v, r in zip(labels, _cell_records(K, 0), strict=True)]
    edges: list[dict[str, Any]] = []
    incidences: list[dict[str, Any]] = []
    for rank in range(1, K.max_rank + 1):
        for cell, record in zip(K.cells[rank], _cell_records(K, rank), strict=True):
            incidences += [{"edge": len(edges), "node": labels[v]} for v in cell.tolist()]
            edges.append({"edge": len(edges), **record})
    return {
        "network-type": "undirected",
        "metadata": {_OURS: ours},
        "nodes": nodes,
        "edges": edges,
        "incidences": incidences,
    }


def _cell_records(K: Complex, rank: int) -> list[dict[str, Any]]:
    if rank and "rank" in K.attributes[rank]:
        raise InputError('an attribute is called "rank", which HIF needs itself; rename it')
    first: dict[str, Any] = {"rank": rank} if rank else {}
    attrs = [dict(first) for _ in range(K.n_cells[rank])]
    for name, values in K.attributes[rank].items():
        for record, value in zip(attrs, to_json(values), strict=True):
            record[name] = value
    records: list[dict[str, Any]] = [{"attrs": record} for record in attrs]
    weights = K.weights[rank]
    if weights is not None:
        for record, weight in zip(records, weights.tolist(), strict=True):
            record["weight"] = weight
    return records
