"""Edge lists and CSV tables of edges: two columns of labels, then whatever is known of the edges.

Lines that begin with # or % are comments. The delimiter (tab, comma, semicolon, bar or spaces) and
the header are detected. A third column without a name is called `weight` if it holds numbers.
"""

from __future__ import annotations

import ast
import csv
import io
import math
import re
import warnings
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Literal

import numpy as np

from cellapse._complex.attributes import columns_of
from cellapse._complex.complex import Complex
from cellapse._complex.labels import in_order, positions
from cellapse._errors import InputError
from cellapse._shared.files import as_bytes
from cellapse._shared.tables import plain_word, safe_word
from cellapse.io._graphs import graph_columns, graph_complex
from cellapse.io._source import as_text
from cellapse.io._values import is_number, label_words, text_column, text_labels

_ENDS = (
    ("source", "target"), ("from", "to"), ("u", "v"), ("node1", "node2"), ("src", "dst"),
    ("i", "j"), ("start", "end"),
)  # fmt: skip
_NODE_TABLES = ("node", "id", "vertex")  # the first column of results and of Gephi's nodes
# Whole numbers only: anything else in a file, such as a comment, goes the long way.
_TWO_NUMBERS = re.compile(
    r"(?:(?:0|[1-9][0-9]{0,17})(?:[ \t]+|[,;] *)(?:0|[1-9][0-9]{0,17})[ \t]*\r?(?:\n|\Z))++",
    re.ASCII,
)
_SPACES = str.maketrans(",;", "  ")
_OTHER_SPACE = re.compile(r"[^\S\n]")
_BREAKS = re.compile(r"[\t\v\f\x1c-\x1e\x85\u2028\u2029\r\n\0]")  # of lines, for Python, and tabs
_DATA = re.compile(r"(?<=[\s,;|])\{.*")
_LONGEST_DATA = 10_000  # of {'weight': 2.0} as networkx writes it behind an edge


def read_edges(data: bytes) -> Complex:
    r"""Read an edge list; a line with a single label is a lonely vertex.

    >>> read_edges(b"source,target,weight\na,b,2.5\nb,c,1").attributes[1]["weight"].tolist()
    [2.5, 1.0]
    """
    text = as_text(data)
    numbers = _two_numbers(text)
    if numbers is not None:
        labels, first, ends = np.unique(numbers, return_index=True, return_inverse=True)
        order = np.argsort(first)  # that of the file
        place = np.argsort(order)
        return graph_complex(labels[order].tolist(), place[ends].reshape(-1, 2), {}, {})
    rows, dicts = _networkx_data(split_rows(text))
    width = max((len(row) for row in rows), default=0)
    header = rows.pop(0) if rows and not dicts and _is_header(rows) else None
    if any(len(row) not in (1, width) for row in rows):
        other = next(row for row in rows if len(row) not in (1, width))
        raise InputError(
            f"rows have {width} columns, but {other[:5]} has {len(other)}; fill the empty places, "
            'or pass format="hyperedges" if every row is a hyperedge'
        )
    if width < 2:
        raise InputError("holds no row of two labels; write one edge a line, such as: a b")
    named = _known(header) if header else None
    if header and named is None and header[0].lower() in _NODE_TABLES:
        raise InputError(
            f"has a first column {header[0]!r}, so it is a table of nodes; name two columns source "
            "and target, or give the file with the edges"
        )
    u, v = named or (0, 1)
    edges = [row for row in rows if len(row) == width]
    pairs = [(row[u], row[v]) for row in edges]
    ends_or_lonely = pairs if len(pairs) == len(rows) else _vertices(rows, u, v)
    position = positions(in_order(chain.from_iterable(ends_or_lonely)))
    places = map(position.__getitem__, chain.from_iterable(pairs))
    table = np.fromiter(places, np.int64, 2 * len(pairs)).reshape(-1, 2)
    others = [c for c in range(width) if c not in (u, v)]
    values = {c: text_column([row[c] for row in edges]) for c in others}
    names = _names(header, values, width)
    columns = {names[c]: column for c, column in values.items()}
    if dicts:
        columns |= columns_of([d for row, d in zip(rows, dicts, strict=True) if len(row) == width])
    return graph_complex(text_labels([str(w) for w in position]), table, {}, columns)


def _two_numbers(text: str) -> Any:
    """The numbers of a file with two whole ones a line and nothing else, or None."""
    # Python before 3.11.5 takes the beginning of a line for a whole one where ++ comes to its end.
    last = text[text.rfind("\n", 0, -1) + 1 :]
    if not (_TWO_NUMBERS.fullmatch(text) and _TWO_NUMBERS.fullmatch(last)):
        return None
    return np.fromstring(text.translate(_SPACES), dtype=np.int64, sep=" ")


def _vertices(rows: Sequence[Sequence[str]], u: int, v: int) -> list[Sequence[str]]:
    return [row if len(row) == 1 else (row[u], row[v]) for row in rows]


def split_rows(text: str) -> list[list[str]]:
    """The rows of a table, by the delimiter that its first lines show."""
    lines = [s for line in text.splitlines() if (s := line.strip(" \r\n")) and s[0] not in "#%"]
    # A dict behind an edge has commas, too.
    head = [_DATA.sub("", line) if line[-1] == "}" else line for line in lines[:100]]
    delimiter = next((d for d in "\t,;|" if any(d in line for line in head)), None)
    if delimiter is None:
        split = (line.split() for line in lines if not line.isspace())
        return [list(map(plain_word, row)) for row in split] if "'" in text else list(split)
    if '"' not in text:
        rows = [line.split(delimiter) for line in lines]
    else:
        try:
            ended = (f"{line}\n" for line in lines)  # a quoted word may go on in the next line
            rows = list(csv.reader(ended, delimiter=delimiter, skipinitialspace=True))
        except csv.Error as error:
            raise InputError(
                f"is not a table of rows and columns ({error}); check quotes"
            ) from None
    if _OTHER_SPACE.search(text):
        rows = [[word.strip() for word in row] for row in rows]
    if "'" in text:  # as spreadsheets mark what is no formula
        rows = [list(map(plain_word, row)) for row in rows]
    return [row for row in rows if any(row)]


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


def _names(header: Sequence[str] | None, values: dict[int, list[Any]], width: int) -> list[str]:
    usual = ["source", "target", *(f"column {c + 1}" for c in range(2, width))]
    if not any(isinstance(value, str) for value in values.get(2, ["no such column"])):
        usual[2] = "weight"
    if header is None:
        return usual
    if len(header) != width or len(set(header)) < width:
        raise InputError(f"the header {list(header)[:8]} must name {width} different columns")
    return [name or usual[c] for c, name in enumerate(header)]


def write_edges(K: Complex, delimiter: str = ",") -> bytes:
    r"""The edges of a graph as a table: source, target, weight and attributes, header first.

    Vertices without edges follow as lines of one label.

    >>> write_edges(Complex.from_cells({0: "abc", 1: [("a", "b")]}, weights={1: [2.0]}))
    b'source,target,weight\na,b,2.0\nc\n'
    """
    edges, columns = graph_columns(K, "a table of edges")
    if not len(edges):
        raise InputError("a table of edges needs one at least; write .json, which holds vertices")
    if {"source", "target"} & columns.keys():
        raise InputError('an attribute is called "source" or "target", as the ends are; rename it')
    ends = [[K.labels[i] for i in column] for column in edges.T.tolist()]
    values = [column.tolist() for column in columns.values()]
    lonely = [K.labels[i] for i in np.setdiff1d(np.arange(K.n_vertices), edges).tolist()]
    rows = [["source", "target", *columns], *zip(*ends, *values, strict=True)]
    check_words(K)
    return write_rows([*rows, *([label] for label in lonely)], delimiter)


def check_words(K: Complex) -> None:
    """Raise unless the labels are different words of text, none of them empty."""
    if "" in label_words(K.labels):
        raise InputError("a label is the empty word, which text does not show; write .json")


def write_rows(rows: Iterable[Iterable[Any]], delimiter: str = ",") -> bytes:
    """Rows as text that `split_rows` splits into the same words; what it could not is refused."""
    words = [[safe_word(_word(v)) for v in row] for row in rows]
    odd = next((w for w in chain.from_iterable(words) if w != w.strip() or _BREAKS.search(w)), None)
    if odd is not None:
        raise InputError(f"{odd!r} has tabs, line ends or outer spaces; write .json, which has all")
    comments = any(row[0][:1] in ("#", "%") for row in words)
    file = io.StringIO(newline="")
    # No comment begins with a quote.
    quoting: Literal[0, 1] = csv.QUOTE_ALL if comments else csv.QUOTE_MINIMAL
    csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(words)
    return as_bytes(file.getvalue())


def _word(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return label_words([value])[0]
