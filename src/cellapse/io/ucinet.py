"""UCINET's DL: `dl n=3 format=edgelist1`, labels, and a matrix, edges or lists of neighbours."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.memory import require_memory
from cellapse._shared.notes import fact
from cellapse.io._graphs import check_declared, listed_graph
from cellapse.io._numbers import number, whole
from cellapse.io._options import PLAIN, Options
from cellapse.io._source import as_text
from cellapse.io._values import text_labels
from cellapse.io.matrix_text import matrix_complex

_HEAD = re.compile(r"\bn\s*=\s*([0-9]{1,15})\b", re.ASCII)
_FORMAT = re.compile(r"\bformat\s*=\s*([a-z0-9]+)")
_FORMATS = ("fullmatrix", "edgelist1", "nodelist1")


def read_ucinet(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read a DL network; without labels the vertices are called 1, 2, ...

    >>> read_ucinet(b"dl n=3 format=edgelist1\nlabels:\na,b,c\ndata:\n1 2 5\n2 3 1\n").labels
    ('a', 'b', 'c')
    """
    text = as_text(data).strip()
    parts = re.split(r"(?i)\bdata\s*:", text, maxsplit=1)
    head, body = (parts[0], parts[1]) if len(parts) == 2 else ("", "")
    if not head.lower().startswith("dl"):
        raise InputError("does not begin with `dl n=...` and have `data:`, so it is no DL file")
    size, kind = _HEAD.search(head.lower()), _FORMAT.search(head.lower())
    layout = kind[1] if kind else "fullmatrix"
    if size is None or layout not in _FORMATS or re.search(r"\bn[rcm]\s*=", head.lower()):
        raise InputError(f"has no n=... or a format other than {', '.join(_FORMATS)}")
    n, rows = int(size[1]), [line.split() for line in body.splitlines() if line.strip()]
    check_declared(n, sum(map(len, rows)))
    embedded = re.search(r"labels\s+embedded", head.lower()) is not None
    listed = re.split(r"(?i)labels\s*:", head)[1:]
    names = re.split(r"[\s,]+", listed[-1].strip()) if listed and not embedded else []
    if names and (len(names) != n or len(set(names)) < n):
        raise InputError(f"declares {n} vertices, and has {len(set(names))} different labels")
    if layout == "fullmatrix":
        return _matrix(n, rows, names, embedded, options)
    return _lists(n, rows, names, embedded, layout == "nodelist1", options)


def _matrix(
    n: int, rows: list[list[str]], names: list[str], embedded: bool, options: Options
) -> Complex:
    require_memory(16.0 * n * n, f"a matrix of {n:,} rows", "write it as edgelist1")
    if embedded:
        names, rows = (rows[0], [row[1:] for row in rows[1:]]) if rows else ([], [])
    words = [w for row in rows for w in row]
    if len(words) != n * n or (names and len(names) != n):
        raise InputError(f"declares {n} vertices, and has a matrix of {len(words)} entries")
    matrix = np.array([number(w, "an entry") for w in words]).reshape(n, n)
    labels = text_labels(names) if names else range(1, n + 1)
    return matrix_complex(labels, matrix, options.rules)


def _lists(
    n: int,
    rows: list[list[str]],
    names: list[str],
    embedded: bool,
    neighbours: bool,
    options: Options,
) -> Complex:
    """Return lines of two ends and a value, or of a vertex and its neighbours."""
    label: Any = names or list(range(1, n + 1))

    def name(word: str) -> Any:
        return word if embedded else label[whole(word, "a vertex", 1, n) - 1]

    ends, records = [], []
    for row in rows:
        if not neighbours and len(row) not in (2, 3):
            raise InputError(f"has the line {' '.join(row)!r:.60}; write two ends and a value")
        others = row[1:] if neighbours else row[1:2]
        ends += [(name(row[0]), name(w)) for w in others]
        weight = {"weight": number(row[2], "a value")} if not neighbours and len(row) == 3 else {}
        records += [weight] * len(others)
    fact("UCINET writes edges and arcs alike: both are read as edges")
    nodes: dict[Any, dict[str, Any]] = {} if embedded else {v: {} for v in label}
    return listed_graph(nodes, ends, records, options.rules)
