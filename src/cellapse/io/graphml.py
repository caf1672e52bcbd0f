"""GraphML, read with the XML parser of the standard library and written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from cellapse._complex.complex import Complex
from cellapse._complex.simple import Rules
from cellapse._errors import InputError
from cellapse.io._declared import Document, typed, written
from cellapse.io._graphs import columns_with_weights, graph_columns, listed_graph
from cellapse.io._options import PLAIN, Options
from cellapse.io._values import label_words
from cellapse.io._xml import need


def read_graphml(data: bytes, options: Options = PLAIN) -> Complex:
    """Read an undirected GraphML graph with the attributes of its nodes and edges.

    >>> read_graphml(b'<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>'
    ...              b'<edge source="a" target="b"/></graph></graphml>')
    Complex(n_cells=(2, 1))
    """
    found = _GraphML(options.rules)
    found.read(data, "GraphML")
    return listed_graph(
        found.nodes, found.ends, found.edges, options.rules, metadata=found.metadata
    )


class _GraphML(Document):
    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.metadata: dict[str, Any] = {}
        self._key: tuple[str, str] | None = None  # the <key> that is open: id, for
        self._owner: dict[str, Any] | None = None  # the <node> or <edge> that is open
        self._data: str | None = None  # the key of the <data> that is open

    def start(self, name: str, given: Mapping[str, str]) -> None:
        self.text.clear()
        self._data = None  # of an element with others inside, as yEd has them: no plain value
        if name == "graph":
            self.start_graph(given.get("edgedefault") == "directed")
        elif name == "node":
            self._owner = self.start_node(given)
        elif name == "edge":
            self._owner = self.start_edge(given, given.get("directed") == "true")
        elif name == "hyperedge":
            raise InputError("holds hyperedges; write them as HIF, which other libraries read, too")
        elif name == "key":
            key = need(given, "id", name)
            self._key = key, given.get("for", "all")
            self.declare(key, given.get("attr.name", key), given.get("attr.type", "string"))
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

    def _value(self, key: str) -> tuple[str, Any]:
        return self.value(key, "".join(self.text), f"data of key {key!r}")


def write_graphml(K: Complex) -> bytes:
    """Return a complex of rank 1 as GraphML, with attributes and weights."""
    edges, edge_columns = graph_columns(K, "GraphML")
    nodes = label_words(K.labels)
    keys: list[str] = []
    whole = "".join(_data({name: [v] for name, v in K.metadata.items()}, "graph", 1, keys))
    of_nodes = _data(columns_with_weights(K, 0), "node", K.n_vertices, keys)
    of_edges = _data(edge_columns, "edge", len(edges), keys)
    lines = ['<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    lines += [*keys, f'<graph edgedefault="undirected">{whole}']
    lines += [f"<node id={quoteattr(v)}>{d}</node>" for v, d in zip(nodes, of_nodes, strict=True)]
    quoted = [quoteattr(v) for v in nodes]
    lines += [
        f"<edge source={quoted[u]} target={quoted[v]}>{d}</edge>"
        for (u, v), d in zip(edges.tolist(), of_edges, strict=True)
    ]
    return written([*lines, "</graph>", "</graphml>"])


def _data(
    columns: Mapping[str, Sequence[Any]], owner: str, count: int, keys: list[str]
) -> list[str]:
    """Return the <data> of every cell; what they stand for is added to `keys`."""
    data = [""] * count
    for name, values in columns.items():
        kind, words = typed(values)
        key = f"d{len(keys)}"
        about = f'id="{key}" for="{owner}" attr.name={quoteattr(name)} attr.type="{kind}"'
        keys.append(f"<key {about}/>")
        for i, word in enumerate(words):
            if word is not None:
                data[i] += f'<data key="{key}">{escape(word)}</data>'
    return data
