"""Adjacency lists: every line a vertex and then its neighbours, as networkx writes .adjlist."""

from __future__ import annotations

import re
from itertools import chain

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse.io._graphs import listed_graph
from cellapse.io._one_table import refuse_titles
from cellapse.io._options import PLAIN, Options
from cellapse.io._rows import split_rows
from cellapse.io._source import as_text
from cellapse.io._values import word_labels

_COLON = re.compile(r"([^\s:]+):(?:\s+(.*))?")  # a: b, c


def read_adjlist(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read an adjacency list; an edge may be listed at one end or at both.

    A colon behind the vertex of every line is none of its name.

    >>> read_adjlist(b"a b c\nb c\nc\n")
    Complex(n_cells=(3, 3))
    """
    table = split_rows(as_text(data), options.sep)
    refuse_titles(table)
    rows = table.rows
    heads = [head for row in rows if (head := _COLON.fullmatch(row[0]))]
    if len(heads) == len(rows):
        rows = [[head[1], head[2] or "", *row[1:]] for head, row in zip(heads, rows, strict=True)]
    rows = [[w for w in row if w] for row in rows]
    if not rows:
        raise InputError("holds no vertex; write each with its neighbours on a line")
    heads_first = [row[0] for row in rows]
    nodes: dict[str, dict[str, object]] = {w: {} for w in word_labels(chain(heads_first, *rows))}
    ends = [(row[0], neighbour) for row in rows for neighbour in row[1:]]
    return listed_graph(nodes, ends, [{}] * len(ends), options.rules)
