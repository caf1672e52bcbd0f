"""Which columns of a table hold the two ends of edges, by their names, and what else names say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

ENDS = (
    ("source", "target"), ("from", "to"), ("u", "v"), ("src", "dst"), ("i", "j"), ("start", "end"),
    ("head", "tail"), ("sourceid", "targetid"), ("fromid", "toid"), ("fromnodeid", "tonodeid"),
    ("sender", "receiver"), ("sender", "recipient"), ("citing", "cited"), ("parent", "child"),
    ("ego", "alter"), ("fromnode", "tonode"), ("sourcenode", "targetnode"), ("src", "dest"),
)  # fmt: skip
NODE_TABLES = ("node", "id", "vertex")  # the first column of results and of Gephi's nodes


# What things are called that are numbered each on its own: user 1 is not film 1.
_KINDS = frozenset({
    "actor", "article", "artist", "author", "book", "club", "company", "course", "customer",
    "developer", "director", "disease", "doc", "document", "drug", "edge", "event", "film", "group",
    "hyperedge", "ingredient", "item", "member", "movie", "node", "order", "paper", "patient",
    "person", "playlist", "product", "project", "reader", "recipe", "shop", "song", "station",
    "student", "symptom", "tag", "teacher", "term", "user", "word",
})  # fmt: skip


def known_ends(names: Sequence[str]) -> tuple[int, int] | None:
    """Return where the two ends are, if names of columns say so.

    >>> known_ends(["weight", "From", "to"]), known_ends(["gene_a", "gene_b"]), known_ends(["x"])
    ((1, 2), (0, 1), None)
    """
    plain = list(map(_plain, names))
    for u, v in ENDS:
        if plain.count(u) == 1 and plain.count(v) == 1:
            return plain.index(u), plain.index(v)
    if plain and plain[0] in NODE_TABLES:
        return None
    pairs = twins(names)
    return pairs[0] if len(pairs) == 1 else None


def twins(names: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of columns whose names differ in the last letter, 1 and 2 or A and B.

    >>> twins(["gene_a", "gene_b", "score", "id1", "id2"]), twins(["001", "002"])
    ([(0, 1), (3, 4)], [])
    """
    plain = list(map(_plain, names[:50]))
    return [
        (i, j)
        for (i, a), (j, b) in combinations(enumerate(plain), 2)
        if len(a) > 2 and a[:-1] == b[:-1] and a[-1] + b[-1] in ("12", "ab")
        if not a[:-1].isdigit()
    ]


def two_kinds(u: str, v: str) -> bool:
    """Return whether two names are those of different things, which are numbered each on its own.

    >>> two_kinds("userId", "movie_id"), two_kinds("user1", "user2"), two_kinds("x", "y")
    (True, False, False)
    """
    a, b = (re.sub(r"(id|no|number|name)?s?$", "", _plain(name)) for name in (u, v))
    return a != b and a in _KINDS and b in _KINDS


def has_arcs(columns: Mapping[str, Iterable[Any]]) -> bool:
    """Return whether a column `Type`, as Gephi has it, calls any edge directed.

    >>> has_arcs({"Type": ["Undirected", "Directed"]}), has_arcs({"Type": ["directed", "loan"]})
    (True, False)
    """
    kinds = [values for name, values in columns.items() if str(name).lower() == "type"]
    words = {str(v).lower() for values in kinds for v in values if v is not None}
    return "directed" in words and words <= {"directed", "undirected", "mutual"}


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", str(name).lower())
