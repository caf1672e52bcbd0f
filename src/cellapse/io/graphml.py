"""GraphML, read with the XML parser of the standard library and written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.simple import Rules
from cellapse._errors import InputError
from cellapse._shared.files import as_bytes
from cellapse.io._graphs import columns_with_weights, fill, graph_columns, listed_graph
from cellapse.io._numbers import integer, real
from cellapse.io._options import PLAIN, Options
from cellapse.io._values import label_words, to_json
from cellapse.io._xml import check_characters, need, parse_xml

_TYPES: dict[str, Any] = {
    "boolean": lambda text: {"true": True, "1": True, "false": False, "0": False}[text.lower()],
    "int": integer,
    "long": integer,
    "float": real,
    "double": real,
    "string": str,
}


def read_graphml(data: bytes, options: Options = PLAIN) -> Complex:
    """Read an undirected GraphML graph with the attributes of its nodes and edges.

    >>> read_graphml(b'<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>'
    ...              b'<edge source="a" target="b"/></graph></graphml>')
    Complex(n_cells=(2, 1))
    """
    document = _Document(options.rules)
    parse_xml(data, document.start, document.end, document.text.append)
    if not document.n_graphs:
        raise InputError("holds no <graph>, so it is not a GraphML file")
    fill(document.nodes.values(), document.defaults["node"], "node")
    fill(document.edges, document.defaults["edge"], "edge")
    return listed_graph(
        document.nodes, document.ends, document.edges, options.rules, metadata=document.metadata
    )


class _Document:
    """What the parser has met so far."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.nodes: dict[str, dict[str, Any]] = {}
        self.ends: list[tuple[str, str]] = []
        self.edges: list[dict[str, Any]] = []
        self.keys: dict[str, tuple[str, Any]] = {}  # id -> name, type
        self.defaults: dict[str, dict[str, Any]] = {"node": {}, "edge": {}}
        self.metadata: dict[str, Any] = {}
        self.n_graphs = 0
        self.text: list[str] = []
        self._key: tuple[str, str] | None = None  # the <key> that is open: id, for
        self._owner: dict[str, Any] | None = None  # the <node> or <edge> that is open
        self._data: str | None = None  # the key of the <data> that is open

    def start(self, name: str, given: Mapping[str, str]) -> None:
        self.text.clear()
        self._data = None  # of an element with others inside, as yEd has them: no plain value
        if name == "graph":
            self._start_graph(given)
        elif name == "node":
            self._owner = {}
            if self.nodes.setdefault(need(given, "id", name), self._owner) is not self._owner:
                raise InputError(f"lists node {given['id']!r} twice; remove one")
        elif name == "edge":
            if given.get("directed") == "true":
                self.rules.check_direction("the graph")
            self._owner = {}
            self.ends.append((need(given, "source", name), need(given, "target", name)))
            self.edges.append(self._owner)
        elif name == "hyperedge":
            raise InputError("holds hyperedges; write them as HIF, which other libraries read, too")
        elif name == "key":
            key = need(given, "id", name)
            self._key = key, given.get("for", "all")
            kind = _TYPES.get(given.get("attr.type", "string"), str)
            self.keys[key] = given.get("attr.name", key), kind
        elif name == "data":
            self._data = need(given, "key", name)

    def end(self, name: str) -> None:
        if name == "default" and self._key is not None:
            key, target = self._key
            for owner in ("node", "edge") if target == "all" else (target,):
                if owner in self.defaults:
                    self.defaults[owner].update([self._value(key)])
        elif name == "data" and self._data is not None:
            owner_or_graph = self.metadata if self._owner is None else self._owner
            owner_or_graph.update([self._value(self._data)])
        elif name in ("node", "edge"):
            self._owner = None

    def _start_graph(self, given: Mapping[str, str]) -> None:
        self.n_graphs += 1
        if self.n_graphs > 1:
            raise InputError("holds several graphs, or one within another; keep one")
        if given.get("edgedefault") == "directed":
            self.rules.check_direction("the graph")

    def _value(self, key: str) -> tuple[str, Any]:
        if key not in self.keys:
            raise InputError(f"has data of key {key!r}, which it does not declare")
        name, kind = self.keys[key]
        text = "".join(self.text)
        try:
            return name, kind(text if kind is str else text.strip())
        except (ValueError, KeyError):
            raise InputError(f"has {text[:40]!r} where {name!r} is declared a number") from None


def write_graphml(K: Complex) -> bytes:
    """Return a complex of rank 1 as GraphML, with attributes and weights."""
    edges, edge_columns = graph_columns(K, "GraphML")
    nodes = label_words(K.labels)
    keys: list[str] = []
    whole = "".join(_data({name: [v] for name, v in K.metadata.items()}, "graph", 1, keys))
    of_nodes = _data(columns_with_weights(K, 0), "node", K.n_vertices, keys)
    of_edges = _data(edge_columns, "edge", len(edges), keys)
    lines = ["<?xml version='1.0' encoding='utf-8'?>"]
    lines.append('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">')
    lines += [*keys, f'<graph edgedefault="undirected">{whole}']
    lines += [f"<node id={quoteattr(v)}>{d}</node>" for v, d in zip(nodes, of_nodes, strict=True)]
    quoted = [quoteattr(v) for v in nodes]
    lines += [
        f"<edge source={quoted[u]} target={quoted[v]}>{d}</edge>"
        for (u, v), d in zip(edges.tolist(), of_edges, strict=True)
    ]
    lines += ["</graph>", "</graphml>", ""]
    text = "\n".join(lines)
    check_characters(text)
    return as_bytes(text)


def _data(
    columns: Mapping[str, Sequence[Any]], owner: str, count: int, keys: list[str]
) -> list[str]:
    """Return the <data> of every cell; what they stand for is added to `keys`."""
    data = [""] * count
    for name, values in columns.items():
        kind, words = _words(values)
        key = f"d{len(keys)}"
        about = f'id="{key}" for="{owner}" attr.name={quoteattr(name)} attr.type="{kind}"'
        keys.append(f"<key {about}/>")
        for i, word in enumerate(words):
            if word is not None:
                data[i] += f'<data key="{key}">{escape(word)}</data>'
    return data


def _words(values: Sequence[Any]) -> tuple[str, list[str | None]]:
    plain = [v.item() if isinstance(v, np.generic) else v for v in values]
    kinds = {type(v) for v in plain if v is not None}
    if kinds == {bool}:
        return "boolean", [None if v is None else str(v).lower() for v in plain]
    if kinds == {int}:
        return "long", [None if v is None else str(v) for v in plain]
    if kinds == {float}:
        return "double", [None if v is None else repr(v) for v in plain]
    return "string", [None if v is None else _word(v) for v in plain]


def _word(value: Any) -> str:
    return value if isinstance(value, str) else label_words([to_json(value)])[0]
