"""Edge lists and CSV tables of edges: two columns of labels, then whatever is known of the edges.

Lines that begin with # or % are comments. The delimiter (tab, comma, semicolon or spaces) and the
header are detected. A third column without a name is called `weight` if it holds numbers.
"""

from __future__ import annotations

import ast
import csv
import warnings
from collections.abc import Sequence
from typing import Any

from cellapse._errors import InputError
from cellapse.complex import Complex
from cellapse.io._graphs import graph_complex
from cellapse.io._source import as_text
from cellapse.io._values import is_number, text_column, text_labels

_ENDS = (
    ("source", "target"), ("from", "to"), ("u", "v"), ("node1", "node2"), ("src", "dst"),
    ("i", "j"), ("start", "end"),
)  # fmt: skip
_LONGEST_DATA = 10_000  # of {'weight': 2.0} as networkx writes it behind an edge


def read_edges(data: bytes) -> Complex:
    r"""Read an edge list; a line with a single label is a lonely vertex.

    >>> read_edges(b"source,target,weight\na,b,2.5\nb,c,1").attributes[1]["weight"].tolist()
    [2.5, 1.0]
    """
    rows, dicts = _networkx_data(split_rows(as_text(data)))
    width = max((len(row) for row in rows), default=0)
    header = rows.pop(0) if rows and _is_header(rows) else None
    if any(len(row) not in (1, width) for row in rows):
        other = next(row for row in rows if len(row) not in (1, width))
        raise InputError(
            f"rows have {width} columns, but {other[:5]} has {len(other)}; fill the empty places, "
            'or pass format="hyperedges" if every row is a hyperedge'
        )
    if width < 2:
        raise InputError("holds no row of two labels; write one edge a line, such as: a b")
    names = _names(header, rows, width)
    u, v = _ends(names) if header else (0, 1)
    edges = [i for i, row in enumerate(rows) if len(row) == width]
    words = dict.fromkeys(
        w for row in rows for w in ((row[u], row[v]) if len(row) == width else row)
    )
    label = dict(zip(words, text_labels(list(words)), strict=True))
    others = [c for c in range(width) if c not in (u, v)]
    columns = {names[c]: text_column([rows[i][c] for i in edges]) for c in others}
    records = [
        {name: values[e] for name, values in columns.items()} | (dicts[i] if dicts else {})
        for e, i in enumerate(edges)
    ]
    pairs = [(label[rows[i][u]], label[rows[i][v]]) for i in edges]
    return graph_complex(list(label.values()), pairs, {}, records)


def split_rows(text: str) -> list[list[str]]:
    """The rows of a table, by the delimiter that its first lines show."""
    lines = [s for line in text.splitlines() if (s := line.strip(" \r\n")) and s[0] not in "#%"]
    head = [line.split("{")[0] for line in lines[:100]]  # a dict behind an edge has commas, too
    delimiter = next((d for d in "\t,;" if any(d in line for line in head)), None)
    if delimiter is None:
        return [line.split() for line in lines if not line.isspace()]
    try:
        rows = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
    except csv.Error as error:
        raise InputError(f"is not a table of rows and columns ({error}); check quotes") from None
    return [[word.strip() for word in row] for row in rows if any(row)]


def _networkx_data(rows: list[list[str]]) -> tuple[list[list[str]], list[dict[str, Any]]]:
    """Edges with a dict behind them, the way `networkx.write_edgelist` writes."""
    if not rows or len(rows[0]) < 3 or not rows[0][2].startswith("{"):
        return rows, []
    return [row[:2] for row in rows], [_literal(" ".join(row[2:])) for row in rows]


def _literal(text: str) -> dict[str, Any]:
    try:
        with warnings.catch_warnings(action="ignore"):  # of the parser, about odd numbers
            value = ast.literal_eval(text) if len(text) < _LONGEST_DATA else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        value = None
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise InputError(f"{text[:80]!r} behind an edge is no dict of its data; remove it")
    return value


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    first, rest = rows[0], rows[1:]
    if _known(first) is not None:
        return True
    if any(map(is_number, first)):  # a name is no number, and a row of data must not get lost
        return False
    columns = [[row[c] for row in rest if c < len(row) and row[c]] for c in range(len(first))]
    return any(column and all(map(is_number, column)) for column in columns)


def _known(names: Sequence[str]) -> tuple[int, int] | None:
    lower = [name.lower() for name in names]
    for u, v in _ENDS:
        if u in lower and v in lower:
            return lower.index(u), lower.index(v)
    return None


def _ends(names: Sequence[str]) -> tuple[int, int]:
    return _known(names) or (0, 1)


def _names(header: Sequence[str] | None, rows: Sequence[Sequence[str]], width: int) -> list[str]:
    numbers = all(is_number(row[2]) for row in rows if len(row) > 2 and row[2])
    usual = ["source", "target", "weight" if numbers else "column 3"]
    usual += [f"column {c + 1}" for c in range(3, width)]
    if header is None:
        return usual[:width]
    if len(header) != width or len(set(header)) < width:
        raise InputError(f"the header {list(header)[:8]} must name {width} different columns")
    return [name or usual[c] for c, name in enumerate(header)]
