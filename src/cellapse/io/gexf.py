"""GEXF, the format of Gephi: nodes and edges in XML, with declared attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.simple import Rules
from cellapse._errors import InputError
from cellapse._shared.files import as_bytes
from cellapse._shared.notes import loss
from cellapse.io._graphs import (
    columns_with_weights,
    different_labels,
    fill,
    graph_columns,
    listed_graph,
)
from cellapse.io._numbers import integer, real
from cellapse.io._options import PLAIN, Options
from cellapse.io._values import label_words, to_json
from cellapse.io._xml import check_characters, need, parse_xml

_TYPES: dict[str, Any] = {
    "boolean": lambda text: {"true": True, "1": True, "false": False, "0": False}[text.lower()],
    **dict.fromkeys(("integer", "long", "short", "byte"), integer),
    **dict.fromkeys(("float", "double"), real),
}
_PLACES = ("x", "y", "z")


def read_gexf(data: bytes, options: Options = PLAIN) -> Complex:
    """Read a GEXF graph: labels (or ids, where labels repeat), attributes, weights, positions.

    >>> read_gexf(b'<gexf><graph><nodes><node id="0" label="a"/><node id="1" label="b"/></nodes>'
    ...           b'<edges><edge source="0" target="1" weight="2"/></edges></graph></gexf>').labels
    ('a', 'b')
    """
    document = _Document(options.rules)
    parse_xml(data, document.start, document.end, document.text.append)
    if not document.n_graphs:
        raise InputError("holds no <graph>, so it is not a GEXF file")
    fill(document.nodes.values(), document.defaults["node"], "node")
    fill(document.edges, document.defaults["edge"], "edge")
    if document.timed:
        loss(
            f"{document.timed:,} nodes, edges or values have times of their own, which are left "
            "out; of several values the last counts"
        )
    labels = different_labels(list(document.nodes.values())) or list(document.nodes)
    return listed_graph(document.nodes, document.ends, document.edges, options.rules, labels=labels)


class _Document:
    """What the parser has met so far."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.nodes: dict[str, dict[str, Any]] = {}
        self.ends: list[tuple[str, str]] = []
        self.edges: list[dict[str, Any]] = []
        self.keys: dict[tuple[str, str], tuple[str, Any]] = {}  # class and id -> title, type
        self.defaults: dict[str, dict[str, Any]] = {"node": {}, "edge": {}}
        self.text: list[str] = []
        self.n_graphs = self.timed = 0
        self._class = "node"  # of the <attributes> that are open
        self._key = ""  # of the <attribute> that is open
        self._owner: tuple[str, dict[str, Any]] | None = None

    def start(self, name: str, given: Mapping[str, str]) -> None:
        self.text.clear()
        if name == "graph":
            self.n_graphs += 1
            if self.n_graphs > 1:
                raise InputError("holds several graphs, or one within another; keep one")
            if given.get("defaultedgetype") == "directed":
                self.rules.check_direction("the graph")
        elif name == "attributes":
            self._class = given.get("class", "node")
        elif name == "attribute":
            key = self._class, need(given, "id", name)
            kind = _TYPES.get(given.get("type", "string"), str)
            self.keys[key] = given.get("title", key[1]), kind
            self._key = key[1]
        elif name in ("node", "edge"):
            self._start_owner(name, given)
        elif name == "attvalue" and self._owner is not None:
            kind, record = self._owner
            self.timed += _is_timed(given)
            name, value = self._value(kind, given.get("for", given.get("id", "")), given)
            if value is not None:
                record[name] = value
        elif name == "position" and self._owner is not None:
            numbers = [_number(given[axis]) for axis in _PLACES if axis in given]
            self._owner[1]["position"] = numbers

    def _start_owner(self, name: str, given: Mapping[str, str]) -> None:
        record: dict[str, Any] = {}
        self.timed += _is_timed(given)
        if name == "node":
            if self.nodes.setdefault(need(given, "id", name), record) is not record:
                raise InputError(f"lists node {given['id']!r} twice; remove one")
            if "label" in given:
                record["label"] = given["label"]
        else:
            if given.get("type") == "directed":
                self.rules.check_direction("the graph")
            self.ends.append((need(given, "source", name), need(given, "target", name)))
            self.edges.append(record)
            record.update({k: given[k] for k in ("label", "kind") if given.get(k)})
            if "weight" in given:
                record["weight"] = _number(given["weight"])
        self._owner = name, record

    def end(self, name: str) -> None:
        if name in ("node", "edge"):
            self._owner = None
        elif name == "default" and self._class in self.defaults:
            text = "".join(self.text).strip()
            title, value = self._value(self._class, self._key, {"value": text})
            self.defaults[self._class][title] = value

    def _value(self, kind: str, key: str, given: Mapping[str, str]) -> tuple[str, Any]:
        if (kind, key) not in self.keys:
            raise InputError(f"has a value of attribute {key!r}, which it does not declare")
        title, convert = self.keys[kind, key]
        text = given.get("value", "")
        if convert is not str and text in ("", "null"):  # as Gephi writes what is not known
            return title, None
        try:
            return title, convert(text)
        except (ValueError, KeyError):
            raise InputError(f"has {text[:40]!r} where {title!r} is declared a number") from None


def _is_timed(given: Mapping[str, str]) -> bool:
    return any(word in given for word in ("start", "end", "timestamp", "spells"))


def _number(text: str) -> float:
    try:
        return real(text)
    except ValueError:
        raise InputError(f"has {text[:40]!r} where a number belongs") from None


def write_gexf(K: Complex) -> bytes:
    """Return a complex of rank 1 as GEXF 1.3, with attributes and weights."""
    edges, of_edges = graph_columns(K, "GEXF")
    of_nodes = columns_with_weights(K, 0)
    if "label" in of_nodes:
        raise InputError("an attribute of nodes is called `label`, as GEXF calls names; rename it")
    weights = [""] * len(edges)
    if np.asarray(of_edges.get("weight")).dtype.kind in "iuf":  # else one attribute of others
        weights = [f' weight="{float(w)!r}"' for w in of_edges.pop("weight")]
    words = [quoteattr(v) for v in label_words(K.labels)]
    declared: list[str] = []
    node_values = _values(of_nodes, "node", K.n_vertices, declared)
    edge_values = _values(of_edges, "edge", len(edges), declared)
    lines = ["<?xml version='1.0' encoding='utf-8'?>"]
    lines += ['<gexf xmlns="http://gexf.net/1.3" version="1.3">']
    lines += ['<graph defaultedgetype="undirected">', *declared, "<nodes>"]
    lines += [
        f"<node id={word} label={word}>{values}</node>"
        for word, values in zip(words, node_values, strict=True)
    ]
    lines += ["</nodes>", "<edges>"]
    known = zip(edges.tolist(), weights, edge_values, strict=True)
    for i, ((u, v), weight, values) in enumerate(known):
        lines.append(f'<edge id="{i}" source={words[u]} target={words[v]}{weight}>{values}</edge>')
    text = "\n".join([*lines, "</edges>", "</graph>", "</gexf>", ""])
    check_characters(text)
    return as_bytes(text)


def _values(
    columns: Mapping[str, Sequence[Any]], owner: str, count: int, declared: list[str]
) -> list[str]:
    """Return the <attvalues> of every cell; what they stand for is added to `declared`."""
    values = [""] * count
    keys = []
    for i, (name, column) in enumerate(columns.items()):
        plain = [v.item() if isinstance(v, np.generic) else v for v in column]
        kinds = {type(v) for v in plain if v is not None}
        kind = {frozenset({bool}): "boolean", frozenset({int}): "long"}.get(frozenset(kinds), "")
        kind = "double" if kinds == {float} else kind or "string"
        keys.append(f'<attribute id="{i}" title={quoteattr(name)} type="{kind}"/>')
        for j, value in enumerate(plain):
            if value is not None:
                word = str(value).lower() if kind == "boolean" else _word(value)
                values[j] += f'<attvalue for="{i}" value={quoteattr(word)}/>'
    if keys:
        declared.append(f'<attributes class="{owner}">{"".join(keys)}</attributes>')
    return [f"<attvalues>{value}</attvalues>" if value else "" for value in values]


def _word(value: Any) -> str:
    if isinstance(value, str | float):
        return value if isinstance(value, str) else repr(value)
    return label_words([to_json(value)])[0]
