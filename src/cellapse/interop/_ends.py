"""Which columns of a table hold the two ends of edges, by their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

_ENDS = (
    ("source", "target"), ("from", "to"), ("u", "v"), ("src", "dst"), ("i", "j"), ("start", "end"),
    ("head", "tail"), ("sourceid", "targetid"), ("fromid", "toid"), ("fromnodeid", "tonodeid"),
    ("sender", "receiver"), ("sender", "recipient"), ("citing", "cited"), ("parent", "child"),
    ("ego", "alter"), ("fromnode", "tonode"), ("sourcenode", "targetnode"), ("src", "dest"),
)  # fmt: skip
NODE_TABLES = ("node", "id", "vertex")  # the first column of results and of Gephi's nodes


def known_ends(names: Sequence[str]) -> tuple[int, int] | None:
    """Where the two ends are, if names of columns say so.

    >>> known_ends(["weight", "From", "to"]), known_ends(["gene_a", "gene_b"]), known_ends(["x"])
    ((1, 2), (0, 1), None)
    """
    plain = [re.sub(r"[^a-z0-9]", "", name.lower()) for name in names]
    for u, v in _ENDS:
        if plain.count(u) == 1 and plain.count(v) == 1:
            return plain.index(u), plain.index(v)
    if plain and plain[0] in NODE_TABLES:
        return None
    twins = [
        (i, j)
        for (i, a), (j, b) in combinations(enumerate(plain[:50]), 2)
        if len(a) > 2 and a[:-1] == b[:-1] and a[-1] + b[-1] in ("12", "ab")
    ]
    return twins[0] if len(twins) == 1 else None
