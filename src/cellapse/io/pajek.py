"""Pajek's .net: numbered vertices with labels, then edges, arcs, lists of them, or a matrix."""

from __future__ import annotations

import re
from typing import Any

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.notes import fact
from cellapse.io._graphs import check_declared, different_labels, listed_graph
from cellapse.io._numbers import number, whole
from cellapse.io._options import PLAIN, Options
from cellapse.io._source import as_text
from cellapse.io._values import is_number

Edge = tuple[int, int, dict[str, Any]]

_WORD = re.compile(r'"([^"]*)"|(\S+)')
_SECTIONS = ("vertices", "edges", "arcs", "edgeslist", "arcslist", "matrix")


def read_pajek(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read a Pajek network; further words of a vertex are its position.

    >>> read_pajek(b'*Vertices 2\n1 "a"\n2 "b"\n*Edges\n1 2 0.5\n').labels
    ('a', 'b')
    """
    sections = _sections(as_text(data))
    if "vertices" not in sections:
        raise InputError("holds no *Vertices, so it is not a Pajek network")
    (head, lines), *more = sections.pop("vertices")
    if more:
        raise InputError(f"holds {1 + len(more)} networks; keep one *Vertices and what follows it")
    n = whole(head[0] if head else "", "the number of vertices", 1)
    first = whole(head[1], "the number of vertices of the first kind", 0, n) if head[1:] else None
    check_declared(n, sum(len(lines) for parts in sections.values() for _, lines in parts))
    nodes = _vertices(lines, n)
    if first is not None:
        fact(f"two kinds of vertices, the attribute `mode`: {first:,} of the first")
        for i, record in nodes.items():
            record["mode"] = 1 if i <= first else 2
    ends, records = _all_edges(sections, n, first, options)
    labels = different_labels(list(nodes.values()))
    if labels is None:
        fact("vertices are called by their numbers: not all have different labels")
    return listed_graph(nodes, ends, records, options.rules, labels=labels or list(nodes))


def _all_edges(
    sections: dict[str, list[tuple[list[str], list[list[str]]]]],
    n: int,
    first: int | None,
    options: Options,
) -> tuple[list[tuple[int, int]], list[dict[str, Any]]]:
    """Return the edges of all sections, with what is known of each."""
    ends, records = [], []
    for name, parts in sections.items():
        if name in ("arcs", "arcslist") and any(lines for _, lines in parts):
            options.rules.check_direction("the network")
        if any(words for words, _ in parts):
            fact(f"{len(parts)} relations in *{name}, read as one")
        for _, lines in parts:
            if name == "matrix" and first is not None:
                raise InputError("holds a matrix of two kinds of vertices; write *Edges")
            edges = _matrix(lines, n, options) if name == "matrix" else _edges(name, lines, n)
            ends += [(u, v) for u, v, _ in edges]
            records += [record for *_, record in edges]
    return ends, records


def _sections(text: str) -> dict[str, list[tuple[list[str], list[list[str]]]]]:
    """Return the words behind each *name and those of the lines below."""
    sections: dict[str, list[tuple[list[str], list[list[str]]]]] = {}
    lines: list[list[str]] | None = None
    for line in text.splitlines():
        words = [m[2] if m[2] is not None else m[1] for m in _WORD.finditer(line)]
        if not words or line.lstrip().startswith("%"):
            continue
        if not words[0].startswith("*"):
            if lines is None:
                raise InputError(f"begins with {line[:40]!r}, not with *Vertices")
            lines.append(words)
            continue
        name = words[0][1:].lower()
        if name == "network":
            continue
        if name not in _SECTIONS:
            raise InputError(f"has a section {words[0][:40]!r}; known are {', '.join(_SECTIONS)}")
        lines = []
        sections.setdefault(name, []).append((words[1:], lines))
    return sections


def _vertices(lines: list[list[str]], n: int) -> dict[int, dict[str, Any]]:
    """Return what is known of every vertex, by its number."""
    nodes: dict[int, dict[str, Any]] = {}
    for words in lines:
        i = whole(words[0], "a vertex", 1, n)
        if i in nodes:
            raise InputError(f"lists vertex {i} twice; remove one")
        nodes[i] = _vertex(words)
    return {i: nodes.get(i, {}) for i in range(1, n + 1)}


def _vertex(words: list[str]) -> dict[str, Any]:
    record: dict[str, Any] = {"label": words[1]} if len(words) > 1 else {}
    place = [float(w) for w in words[2:5] if is_number(w)]
    return {**record, "position": place} if len(place) > 1 else record


def _matrix(lines: list[list[str]], n: int, options: Options) -> list[Edge]:
    if len(lines) != n or any(len(words) != n for words in lines):
        raise InputError(f"has a matrix that is not {n} x {n}")
    values = [[number(w, "an entry") for w in words] for words in lines]
    rows = [(i, j, values[i][j]) for i in range(n) for j in range(n) if values[i][j]]
    if any(values[j][i] != x for i, j, x in rows):
        options.rules.check_direction("the matrix, which is not symmetric,")
        return [(i + 1, j + 1, {"weight": x}) for i, j, x in rows]
    return [(i + 1, j + 1, {"weight": x}) for i, j, x in rows if i <= j]


def _edges(name: str, lines: list[list[str]], n: int) -> list[Edge]:
    edges: list[Edge] = []
    for words in lines:
        u = whole(words[0], "a vertex", 1, n)
        if name in ("edgeslist", "arcslist"):
            edges += [(u, whole(w, "a vertex", 1, n), {}) for w in words[1:]]
            continue
        if len(words) < 2:
            raise InputError(f"has an edge {' '.join(words)!r} of one vertex; write both ends")
        # Words begin what else is known of an edge, such as `c Blue`.
        weighted = len(words) > 2 and (is_number(words[2]) or not words[2][:1].isalpha())
        record = {"weight": number(words[2], "a weight")} if weighted else {}
        edges.append((u, whole(words[1], "a vertex", 1, n), record))
    return edges
