"""What GraphML and GEXF have in common: nodes and edges in XML, with declared attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cellapse._complex.simple import Rules
from cellapse._errors import InputError
from cellapse._shared.files import as_bytes
from cellapse.io._graphs import fill
from cellapse.io._numbers import integer, real
from cellapse.io._values import label_words, to_json
from cellapse.io._xml import check_characters, need, parse_xml

_TYPES: dict[str, Any] = {
    "boolean": lambda text: {"true": True, "1": True, "false": False, "0": False}[text.lower()],
    **dict.fromkeys(("int", "integer", "long", "short", "byte"), integer),
    **dict.fromkeys(("float", "double"), real),
}
_WRITTEN = {bool: "boolean", int: "long", float: "double"}


class Document:
    """What the parser has met so far; `start` and `end` of a format fill it."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.nodes: dict[str, dict[str, Any]] = {}
        self.ends: list[tuple[str, str]] = []
        self.edges: list[dict[str, Any]] = []
        self.keys: dict[Any, tuple[str, Any]] = {}  # of a declared attribute: its name, its type
        self.defaults: dict[str, dict[str, Any]] = {"node": {}, "edge": {}}
        self.text: list[str] = []
        self.n_graphs = 0

    def start(self, name: str, given: Mapping[str, str]) -> None:
        raise NotImplementedError

    def end(self, name: str) -> None:
        raise NotImplementedError

    def read(self, data: bytes, format_: str) -> None:
        """Parse a file, and give nodes and edges the defaults of their kind."""
        parse_xml(data, self.start, self.end, self.text.append)
        if not self.n_graphs:
            raise InputError(f"holds no <graph>, so it is not a {format_} file")
        fill(self.nodes.values(), self.defaults["node"], "node")
        fill(self.edges, self.defaults["edge"], "edge")

    def start_graph(self, directed: bool) -> None:
        self.n_graphs += 1
        if self.n_graphs > 1:
            raise InputError("holds several graphs, or one within another; keep one")
        if directed:
            self.rules.check_direction("the graph")

    def start_node(self, given: Mapping[str, str]) -> dict[str, Any]:
        """Return the record of a node that begins."""
        record: dict[str, Any] = {}
        if self.nodes.setdefault(need(given, "id", "node"), record) is not record:
            raise InputError(f"lists node {given['id']!r} twice; remove one")
        return record

    def start_edge(self, given: Mapping[str, str], directed: bool) -> dict[str, Any]:
        """Return the record of an edge that begins."""
        if directed:
            self.rules.check_direction("the graph")
        self.ends.append((need(given, "source", "edge"), need(given, "target", "edge")))
        self.edges.append({})
        return self.edges[-1]

    def declare(self, key: Any, name: str, type_: str) -> None:
        self.keys[key] = name, _TYPES.get(type_, str)

    def value(self, key: Any, text: str, said: str, nothing: Sequence[str] = ()) -> tuple[str, Any]:
        """Return the name of a declared attribute, and its value; None for words of `nothing`."""
        if key not in self.keys:
            raise InputError(f"has {said}, which it does not declare")
        name, convert = self.keys[key]
        if convert is str:
            return name, text
        if text.strip() in nothing:
            return name, None
        try:
            return name, convert(text.strip())
        except (ValueError, KeyError):
            raise InputError(f"has {text[:40]!r} where {name!r} is declared a number") from None


def typed(values: Sequence[Any]) -> tuple[str, list[str | None]]:
    """Return the type of an attribute that is to be written, and its values as words.

    >>> typed([1, 2]), typed([True, None]), typed(["a", (1, 2)])
    (('long', ['1', '2']), ('boolean', ['true', None]), ('string', ['a', '[1, 2]']))
    """
    plain = [v.item() if isinstance(v, np.generic) else v for v in values]
    kinds = {type(v) for v in plain if v is not None}
    kind = _WRITTEN.get(kinds.pop(), "string") if len(kinds) == 1 else "string"
    if kind == "boolean":
        return kind, [None if v is None else str(v).lower() for v in plain]
    return kind, [None if v is None else _word(v) for v in plain]


def _word(value: Any) -> str:
    if isinstance(value, str):
        return value
    return repr(value) if isinstance(value, float) else label_words([to_json(value)])[0]


def written(lines: Sequence[str]) -> bytes:
    """Return the lines of a document as the bytes of a file, unless XML cannot hold them."""
    text = "\n".join(["<?xml version='1.0' encoding='utf-8'?>", *lines, ""])
    check_characters(text)
    return as_bytes(text)
