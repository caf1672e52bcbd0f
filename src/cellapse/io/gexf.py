"""GEXF, the format of Gephi: nodes and edges in XML, with declared attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.simple import Rules
from cellapse._errors import InputError
from cellapse._shared.notes import loss
from cellapse.io._declared import Document, typed, written
from cellapse.io._graphs import columns_with_weights, different_labels, graph_columns, listed_graph
from cellapse.io._numbers import real
from cellapse.io._options import PLAIN, Options
from cellapse.io._values import label_words
from cellapse.io._xml import need

_UNKNOWN = ("", "null")  # as Gephi writes what is not known


def read_gexf(data: bytes, options: Options = PLAIN) -> Complex:
    """Read a GEXF graph: labels (or ids, where labels repeat), attributes, weights, positions.

    >>> read_gexf(b'<gexf><graph><nodes><node id="0" label="a"/><node id="1" label="b"/></nodes>'
    ...           b'<edges><edge source="0" target="1" weight="2"/></edges></graph></gexf>').labels
    ('a', 'b')
    """
    found = _Gexf(options.rules)
    found.read(data, "GEXF")
    if found.timed:
        loss(
            f"{found.timed:,} nodes, edges or values have times of their own, which are left "
            "out; of several values the last counts"
        )
    labels = different_labels(list(found.nodes.values())) or list(found.nodes)
    return listed_graph(found.nodes, found.ends, found.edges, options.rules, labels=labels)


class _Gexf(Document):
    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.timed = 0
        self._class = "node"  # of the <attributes> that are open
        self._key = ""  # of the <attribute> that is open
        self._owner: tuple[str, dict[str, Any]] | None = None

    def start(self, name: str, given: Mapping[str, str]) -> None:
        self.text.clear()
        if name == "graph":
            self.start_graph(given.get("defaultedgetype") == "directed")
        elif name == "attributes":
            self._class = given.get("class", "node")
        elif name == "attribute":
            self._key = need(given, "id", name)
            title = given.get("title", self._key)
            self.declare((self._class, self._key), title, given.get("type", "string"))
        elif name in ("node", "edge"):
            self._start_owner(name, given)
        elif name == "attvalue" and self._owner is not None:
            kind, record = self._owner
            self.timed += _is_timed(given)
            key = given.get("for", given.get("id", ""))
            name, value = self._value(kind, key, given.get("value", ""))
            if value is not None:
                record[name] = value
        elif name == "position" and self._owner is not None:
            numbers = [_number(given[axis]) for axis in "xyz" if axis in given]
            self._owner[1]["position"] = numbers

    def _start_owner(self, name: str, given: Mapping[str, str]) -> None:
        self.timed += _is_timed(given)
        if name == "node":
            record = self.start_node(given)
            record.update({k: given[k] for k in ("label",) if k in given})
        else:
            record = self.start_edge(given, given.get("type") == "directed")
            record.update({k: given[k] for k in ("label", "kind") if given.get(k)})
            if "weight" in given:
                record["weight"] = _number(given["weight"])
        self._owner = name, record

    def end(self, name: str) -> None:
        if name in ("node", "edge"):
            self._owner = None
        elif name == "default" and self._class in self.defaults:
            value = self._value(self._class, self._key, "".join(self.text).strip())
            self.defaults[self._class].update([value])

    def _value(self, kind: str, key: str, text: str) -> tuple[str, Any]:
        return self.value((kind, key), text, f"a value of attribute {key!r}", _UNKNOWN)


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
    lines = ['<gexf xmlns="http://gexf.net/1.3" version="1.3">']
    lines += ['<graph defaultedgetype="undirected">', *declared, "<nodes>"]
    lines += [
        f"<node id={word} label={word}>{values}</node>"
        for word, values in zip(words, node_values, strict=True)
    ]
    lines += ["</nodes>", "<edges>"]
    known = zip(edges.tolist(), weights, edge_values, strict=True)
    for i, ((u, v), weight, values) in enumerate(known):
        lines.append(f'<edge id="{i}" source={words[u]} target={words[v]}{weight}>{values}</edge>')
    return written([*lines, "</edges>", "</graph>", "</gexf>"])


def _values(
    columns: Mapping[str, Sequence[Any]], owner: str, count: int, declared: list[str]
) -> list[str]:
    """Return the <attvalues> of every cell; what they stand for is added to `declared`."""
    values = [""] * count
    keys = []
    for i, (name, column) in enumerate(columns.items()):
        kind, words = typed(column)
        keys.append(f'<attribute id="{i}" title={quoteattr(name)} type="{kind}"/>')
        for j, word in enumerate(words):
            if word is not None:
                values[j] += f'<attvalue for="{i}" value={quoteattr(word)}/>'
    if keys:
        declared.append(f'<attributes class="{owner}">{"".join(keys)}</attributes>')
    return [f"<attvalues>{value}</attvalues>" if value else "" for value in values]
