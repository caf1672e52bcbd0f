"""SIF, the simple interaction format of Cytoscape: `node relation node node ...` on every line."""

from __future__ import annotations

from typing import Any

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse.io._graphs import listed_graph
from cellapse.io._options import PLAIN, Options
from cellapse.io._source import as_text
from cellapse.io._values import word_labels


def read_sif(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read interactions; the relation is the edge attribute `interaction`.

    >>> read_sif(b"a pp b c\nd\n").attributes[1]["interaction"].tolist()
    ['pp', 'pp']
    """
    text = as_text(data)
    delimiter = "\t" if "\t" in text else None  # then names may have spaces
    rows = [[w.strip() for w in line.split(delimiter)] for line in text.splitlines()]
    rows = [[w for w in row if w] for row in rows]
    named: list[str] = []
    ends, records = [], []
    for row in filter(None, rows):
        if len(row) == 2:
            raise InputError(f"has the line {row!r:.60} without a target; write node relation node")
        named += [row[0], *row[2:]]
        ends += [(row[0], target) for target in row[2:]]
        records += [{"interaction": row[1]} for _ in row[2:]]
    if not named:
        raise InputError("holds no node; write node relation node")
    nodes: dict[str, dict[str, Any]] = {w: {} for w in word_labels(named)}
    return listed_graph(nodes, ends, records, options.rules)
