"""METIS: `n m fmt ncon`, then a line for every vertex with its neighbours, counted from 1."""

from __future__ import annotations

from typing import Any

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse.io._graphs import check_declared, listed_graph
from cellapse.io._numbers import number, whole
from cellapse.io._options import PLAIN, Options
from cellapse.io._source import as_text


def read_metis(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read a METIS graph; vertices are called 1, 2, ... as in the file.

    >>> read_metis(b"3 2\n2\n1 3\n2\n")
    Complex(n_cells=(3, 2))
    """
    lines = [line for line in as_text(data).splitlines() if not line.lstrip().startswith("%")]
    while lines and not lines[0].strip():
        lines.pop(0)
    head = lines[0].split() if lines else []
    if not 2 <= len(head) <= 4:
        raise InputError("does not begin with `n m`, two to four numbers, as METIS files do")
    n, m = whole(head[0], "the number of vertices", 1), whole(head[1], "the number of edges")
    check_declared(n, len(lines))
    kind = head[2].zfill(3) if len(head) > 2 else "000"
    if len(kind) != 3 or set(kind) - {"0", "1"}:
        raise InputError(f"has the format {kind!r}; METIS has three digits, 0 or 1")
    n_weights = whole(head[3], "the number of weights", 1, 100) if len(head) == 4 else 1
    before = int(kind[0]) + (n_weights if kind[1] == "1" else 0)
    body = lines[1:]
    while len(body) > n and not body[-1].strip():
        body.pop()
    body += [""] * (n - len(body) if n - len(body) == 1 else 0)  # a last line that is empty
    if len(body) != n:
        raise InputError(f"declares {n} vertices, and has {len(body)} lines of neighbours")
    nodes: dict[int, dict[str, Any]] = {}
    ends, records = [], []
    for i, line in enumerate(body, start=1):
        words = line.split()
        nodes[i] = _own(words[:before], before, kind)
        for j, weight in _neighbours(words[before:], kind[2] == "1", n):
            if i <= j:  # every edge is listed at both ends
                ends.append((i, j))
                records.append({} if weight is None else {"weight": weight})
    if len(ends) != m:
        raise InputError(f"declares {m} edges, and lists {len(ends)}; it may be cut off")
    return listed_graph(nodes, ends, records, options.rules, labels=list(nodes))


def _own(words: list[str], count: int, kind: str) -> dict[str, Any]:
    """What is known of a vertex: its size, and its weight or weights."""
    if len(words) < count:
        raise InputError(f"has a vertex with {len(words)} of its {count} sizes and weights")
    values = [number(w, "a size or weight") for w in words]
    own: dict[str, Any] = {"size": values.pop(0)} if kind[0] == "1" else {}
    if values:
        own["weight"] = values if len(values) > 1 else values[0]
    return own


def _neighbours(words: list[str], weighted: bool, n: int) -> list[tuple[int, float | None]]:
    if not weighted:
        return [(whole(w, "a vertex", 1, n), None) for w in words]
    if len(words) % 2:
        raise InputError("has a neighbour without a weight; the third digit of the format is 1")
    pairs = zip(words[::2], words[1::2], strict=True)
    return [(whole(v, "a vertex", 1, n), number(w, "a weight")) for v, w in pairs]
