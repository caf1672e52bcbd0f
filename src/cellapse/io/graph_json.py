"""Graphs as JSON: node-link (networkx, D3), adjacency (networkx) and Cytoscape.

{"nodes": [{"id": "a"}], "links": [{"source": "a", "target": "b"}]}     or "edges"
{"nodes": [{"id": "a"}], "adjacency": [[{"id": "b"}]]}
{"elements": {"nodes": [{"data": {"id": "a"}}], "edges": [{"data": {"source": ...}}]}}
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from cellapse._complex.complex import Complex
from cellapse._complex.simple import Rules
from cellapse._errors import InputError
from cellapse._shared.notes import fact
from cellapse.io._graphs import listed_graph
from cellapse.io._options import Options
from cellapse.io._values import from_json

Record = dict[str, Any]


def is_graph(document: Mapping[str, Any]) -> bool:
    """Return whether a JSON object is one of these.

    >>> is_graph({"nodes": [], "links": []}), is_graph({"incidences": []})
    (True, False)
    """
    listed = isinstance(document.get("nodes"), list)
    return "elements" in document or (
        listed and any(isinstance(document.get(k), list) for k in ("links", "edges", "adjacency"))
    )


def read_graph_json(document: Mapping[str, Any], options: Options) -> Complex:
    """Read a parsed document.

    >>> from cellapse.io._options import PLAIN
    >>> read_graph_json({"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2}]},
    ...                 PLAIN)
    Complex(n_cells=(2, 1))
    """
    if document.get("directed") is True:
        options.rules.check_direction("the graph")
    whole = document.get("graph", document.get("data", {}))
    about = _metadata(whole)
    if "elements" in document:
        nodes, edges = _elements(document["elements"])
        fact("JSON of Cytoscape")
    elif isinstance(document.get("adjacency"), list):
        nodes, edges = _adjacency(document)
        fact("JSON of networkx.adjacency_data")
    else:
        nodes = _objects(document["nodes"], "nodes")
        edges = _objects(document.get("links", document.get("edges")), "links")
        fact("JSON of nodes and links")
    return _graph(nodes, edges, options.rules, about, bool(document.get("multigraph")))


def _metadata(given: Any) -> Record:
    """Of networkx before 3.4 a list of pairs."""
    pairs = given.items() if isinstance(given, dict) else given if isinstance(given, list) else ()
    pairs = [p for p in pairs if isinstance(p, list | tuple) and len(p) == 2]
    return {k: from_json(v) for k, v in pairs if isinstance(k, str)}


def _graph(
    nodes: list[Record], edges: list[Record], rules: Rules, about: Record, multigraph: bool
) -> Complex:
    key = next((k for k in ("id", "name", "key") if nodes and all(k in node for node in nodes)), "")
    names = [_label(node[key]) if key else i for i, node in enumerate(nodes)]
    counted = all(node.get("index") == i for i, node in enumerate(nodes))  # as D3 adds it
    drop = {key, "index"} if counted else {key}
    known = {
        name: {k: v for k, v in node.items() if k not in drop}
        for name, node in zip(names, nodes, strict=True)
    }
    if None in known:
        raise InputError(f"has a node without a label as its {key!r}; give it one")
    if len(known) < len(names):
        raise InputError(f"has nodes with the same {key!r}; they must differ")
    ends, records = [], []
    for edge in edges:
        pair = tuple(_label(edge.get(end)) for end in ("source", "target"))
        if None in pair:
            raise InputError(f"has the edge {edge!r:.60} without a source or target")
        ends.append((pair[0], pair[1]))
        ours = ("source", "target", "key") if multigraph else ("source", "target")
        records.append({k: v for k, v in edge.items() if k not in ours})
    named = {v for pair in ends for v in pair}
    positions = all(type(v) is int and 0 <= v < len(names) for v in named)  # as D3 has them
    if not named <= known.keys() and positions:
        ends = [(names[int(str(u))], names[int(str(v))]) for u, v in ends]
        fact("source and target are positions in the list of nodes")
    elif known and not named <= known.keys():
        unknown = next(v for pair in ends for v in pair if v not in known)
        raise InputError(f"has an edge to node {unknown!r:.60}, which it does not list")
    return listed_graph(known, ends, records, rules, metadata=about, labels=list(known))


def _label(value: Any) -> Hashable:
    if isinstance(value, dict):  # D3 replaces the name by the node itself
        value = value.get("id", value.get("name"))
    label = from_json(value)
    if isinstance(label, tuple | str | int | float) or label is None:
        try:
            hash(label)
        except TypeError:
            raise InputError(f"has {value!r:.60} where a label belongs") from None
        return label
    raise InputError(f"has {value!r:.60} where a label belongs")


def _objects(listed: Any, what: str) -> list[Record]:
    if not isinstance(listed, list):
        raise InputError(f"has {what} that are no list, but {listed!r:.40}")
    if what == "nodes" and all(isinstance(v, str | int) for v in listed):
        return [{"id": v} for v in listed]
    if what == "links" and all(isinstance(e, list) and len(e) == 2 for e in listed):
        return [{"source": u, "target": v} for u, v in listed]
    if not all(isinstance(record, dict) for record in listed):
        raise InputError(f"has {what} that are no objects; write {{...}} for each")
    return listed


def _elements(given: Any) -> tuple[list[Record], list[Record]]:
    """Return two lists of objects with `data`, or one list of both."""
    if isinstance(given, list):
        listed = _objects(given, "elements")
        are_edges = [isinstance(e.get("data"), dict) and "source" in e["data"] for e in listed]
        nodes = [e for e, is_edge in zip(listed, are_edges, strict=True) if not is_edge]
        edges = [e for e, is_edge in zip(listed, are_edges, strict=True) if is_edge]
    elif isinstance(given, dict):
        nodes = _objects(given.get("nodes", []), "elements.nodes")
        edges = _objects(given.get("edges", []), "elements.edges")
    else:
        raise InputError("has elements that are neither a list nor an object of nodes and edges")
    if not all(isinstance(e.get("data"), dict) for e in nodes + edges):
        raise InputError("has elements without data, which Cytoscape has for each")
    placed = [_with_position(node) for node in nodes]
    return placed, [{k: v for k, v in e["data"].items() if k != "id"} for e in edges]


def _with_position(node: Record) -> Record:
    place = node.get("position")
    numbers: list[Any] = [place.get("x"), place.get("y")] if isinstance(place, dict) else []
    if numbers and all(isinstance(x, int | float) for x in numbers):
        return {**node["data"], "position": [float(x) for x in numbers]}
    return dict(node["data"])


def _adjacency(document: Mapping[str, Any]) -> tuple[list[Record], list[Record]]:
    nodes, lists = _objects(document["nodes"], "nodes"), document["adjacency"]
    if len(lists) != len(nodes):
        raise InputError(f"has {len(nodes)} nodes and {len(lists)} lists of neighbours")
    edges, seen = [], set()
    for node, neighbours in zip(nodes, lists, strict=True):
        here = _label(node.get("id"))
        for neighbour in _objects(neighbours, "adjacency"):
            there = _label(neighbour.get("id"))
            if (there, here) in seen and document.get("directed") is not True:
                continue  # every edge is listed at both ends
            seen.add((here, there))
            data = {k: v for k, v in neighbour.items() if k != "id"}
            edges.append({"source": node.get("id"), "target": neighbour.get("id"), **data})
    return nodes, edges
