"""DIMACS: `p edge n m`, then `e u v` for every edge, or `a u v w` for every arc."""

from __future__ import annotations

from typing import Any

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse.io._graphs import check_declared, listed_graph
from cellapse.io._numbers import number, whole
from cellapse.io._options import PLAIN, Options
from cellapse.io._source import as_text


def read_dimacs(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read a DIMACS graph; vertices are called 1, 2, ... as in the file.

    >>> read_dimacs(b"c a comment\np edge 3 2\ne 1 2\ne 2 3\n")
    Complex(n_cells=(3, 2))
    """
    rows = [line.split() for line in as_text(data).splitlines()]
    rows = [row for row in rows if row and row[0] != "c"]
    if not rows or rows[0][0] != "p" or len(rows[0]) < 4:
        raise InputError("does not begin with `p edge n m`, so it is not a DIMACS graph")
    n = whole(rows[0][2], "the number of vertices", 1)
    check_declared(n, len(rows))
    nodes: dict[int, dict[str, Any]] = {i: {} for i in range(1, n + 1)}
    ends, records = [], []
    arcs = False
    for row in rows[1:]:
        if row[0] == "n" and len(row) == 3:
            nodes[whole(row[1], "a vertex", 1, n)]["weight"] = number(row[2], "a weight")
        elif row[0] in ("e", "a") and len(row) in (3, 4):
            arcs |= row[0] == "a"
            ends.append((whole(row[1], "a vertex", 1, n), whole(row[2], "a vertex", 1, n)))
            records.append({"weight": number(row[3], "a weight")} if len(row) == 4 else {})
        else:
            raise InputError(f"has the line {' '.join(row[:6])!r:.60}, which DIMACS does not know")
    if arcs and {(v, u) for u, v in ends} != set(ends):  # roads are listed both ways
        options.rules.check_direction("the graph")
    return listed_graph(nodes, ends, records, options.rules, labels=list(nodes))
