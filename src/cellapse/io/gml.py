"""GML: nested `key value` lists, `graph [ node [ id 0 label "a" ] edge [ source 0 target 1 ] ]`.

A parser of our own: it is several times as fast as that of networkx, and it cannot be driven into
deep recursion because it keeps its own stack.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Hashable, Mapping
from itertools import chain
from typing import Any

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.files import as_bytes
from cellapse.io._graphs import columns_with_weights, different_labels, graph_columns, listed_graph
from cellapse.io._options import PLAIN, Options
from cellapse.io._source import as_text
from cellapse.io._values import label_words

Pairs = list[tuple[str, Any]]

# A key with its value, of which the kind is the last group, or what comes between.
_PAIR = re.compile(
    r"""\s*(?:
    (?P<key>[A-Za-z_][A-Za-z0-9_.-]*)
      (?:\s*(?P<string>"[^"]*")
        |\s+(?P<real>[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?|[+-]?(?i:INF|NAN)\b)
        |\s+(?P<whole>[+-]?[0-9]+)
        |\s*(?P<open>\[))
    |(?P<close>\])
    |(?P<comment>^[ \t]*\#[^\n]*)
    |(?P<end>\Z)
    |(?P<bad>\S+))""",
    re.VERBOSE | re.MULTILINE,
)
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_STRUCTURE = ("node", "edge", "directed", "multigraph")
_LONGEST_NUMBER = 4000  # digits; Python refuses to read more
_DEEPEST = 20  # levels of lists within a node


def read_gml(data: bytes, options: Options = PLAIN) -> Complex:
    """Read an undirected GML graph: labels (or ids, where labels repeat), attributes, edges.

    >>> read_gml(b'graph [ node [ id 7 label "a" ] node [ id 9 label "b" ] '
    ...          b'edge [ source 7 target 9 value 2.5 ] ]').attributes[1]["value"].tolist()
    [2.5]
    """
    graph, *more = [value for key, value in _parse(as_text(data)) if key == "graph"] or [None]
    if not isinstance(graph, list):
        raise InputError("holds no `graph [ ... ]`, so it is not a GML file")
    if more:
        raise InputError(f"holds {1 + len(more)} graphs; keep one")
    if dict(graph).get("directed") == 1:
        options.rules.check_direction("the graph")
    nodes = [_record(value) for key, value in graph if key == "node"]
    edges = [_record(value) for key, value in graph if key == "edge"]
    ids = [_take(node, "id", "node") for node in nodes]
    if len(set(ids)) < len(ids):
        raise InputError("has two nodes of the same id; ids must differ")
    ends = [(_take(e, "source", "edge"), _take(e, "target", "edge")) for e in edges]
    unknown = next(iter(set(chain(*ends)) - set(ids)), None)
    if unknown is not None:
        raise InputError(f"has an edge to node {unknown!r}, which it does not list")
    whole = {k: v for k, v in graph if k not in _STRUCTURE and not isinstance(v, list)}
    labels = different_labels(nodes) or ids
    known = dict(zip(ids, nodes, strict=True))
    return listed_graph(known, ends, edges, options.rules, metadata=whole, labels=labels)


def _take(record: dict[str, Any], key: str, what: str) -> Hashable:
    value = record.pop(key, None)
    if value is None or isinstance(value, tuple):
        raise InputError(f"has {what} {record} without one {key}; give it one")
    return value


def _record(value: Any) -> dict[str, Any]:
    if not isinstance(value, list):
        raise InputError(f"has {value!r} where the list of a node or edge belongs")
    return _flat(value, "", 0)


def _flat(pairs: Pairs, prefix: str, depth: int) -> dict[str, Any]:
    """`graphics [ x 1 ]` as {"graphics.x": 1}; a repeated key as a tuple."""
    if depth > _DEEPEST:
        raise InputError(f"nests lists more than {_DEEPEST} deep within a node or edge")
    plain = dict(pairs)
    if len(plain) == len(pairs) and not prefix and not any(map(_is_list, plain.values())):
        return plain  # as most nodes and edges are
    record: dict[str, list[Any]] = {}
    for key, value in pairs:
        if isinstance(value, list):
            for name, inner in _flat(value, f"{prefix}{key}.", depth + 1).items():
                record.setdefault(name, []).append(inner)
        elif not _is_list(value):
            record.setdefault(prefix + key, []).append(value)
    return {name: v[0] if len(v) == 1 else tuple(v) for name, v in record.items()}


def _is_list(value: Any) -> bool:
    """Return whether it is a list, or how networkx marks a list of one."""
    return isinstance(value, list) or value == "_networkx_list_start"


def _parse(text: str) -> Pairs:
    top: Pairs = []
    stack = [top]
    for pair in _PAIR.finditer(text):
        kind = pair.lastgroup
        if kind in ("string", "real", "whole"):
            stack[-1].append((pair["key"], _value(kind, pair[kind])))
        elif kind == "open":
            inner: Pairs = []
            stack[-1].append((pair["key"], inner))
            stack.append(inner)
        elif kind == "close" and len(stack) > 1:
            stack.pop()
        elif kind in ("bad", "close"):
            line = text.count("\n", 0, pair.end()) + 1
            word = pair.group().strip()
            raise InputError(f"line {line} has {word[:40]!r} where it makes no sense in GML")
    if len(stack) > 1:
        raise InputError("ends too early: a list is not closed; the file may be cut off")
    return top


def _value(kind: str, word: str) -> Any:
    if kind == "string":
        return html.unescape(word[1:-1]) if "&" in word else word[1:-1]
    if len(word) > _LONGEST_NUMBER:
        raise InputError(f"has a number of {len(word)} digits; write it as a string")
    return int(word) if kind == "whole" else float(word)


def write_gml(K: Complex) -> bytes:
    """Return a complex of rank 1 as GML, with attributes and weights."""
    edges, edge_columns = graph_columns(K, "GML")
    of_nodes = columns_with_weights(K, 0)
    for columns, taken in ((of_nodes, ("id", "label")), (edge_columns, ("source", "target"))):
        bad = [n for n in columns if not _KEY.fullmatch(n) or n in taken]
        if bad:
            raise InputError(f"GML has no attribute {bad[0]!r:.60}; use letters, digits and _")
    lines = ["graph ["]
    lines += [f"  {k} {_written(v)}" for k, v in K.metadata.items() if _KEY.fullmatch(k)]
    nodes = zip(label_words(K.labels), _records(of_nodes, K.n_vertices), strict=True)
    lines += [f"  node [ id {i} label {_written(v)}{data} ]" for i, (v, data) in enumerate(nodes)]
    pairs = zip(edges.tolist(), _records(edge_columns, len(edges)), strict=True)
    lines += [f"  edge [ source {u} target {v}{data} ]" for (u, v), data in pairs]
    return as_bytes("\n".join([*lines, "]", ""]))


def _records(columns: Mapping[str, Any], count: int) -> list[str]:
    """Return what is known of every cell, as ` key value` one after the other."""
    records = [""] * count
    for name, column in columns.items():
        for i, value in enumerate(column.tolist()):
            if value is not None:
                records[i] += f" {name} {_written(value)}"
    return records


def _written(value: Any) -> str:
    if type(value) is int:
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        text = repr(value)
        return text if "." in text else text.replace("e", ".0e")
    if isinstance(value, float):
        return "NAN" if math.isnan(value) else f"{value:+}".upper()
    if not isinstance(value, str):
        raise InputError(
            f"GML holds numbers and strings, not {value!r:.60}; make strings of such entries"
        )
    return '"' + html.escape(value).replace("&#x27;", "'") + '"'
