"""Edge lists and CSV tables of edges: two columns of labels, then whatever is known of the edges.

Lines that begin with #, % or // are comments. The delimiter (tab, comma, semicolon, bar or spaces)
and the header are detected. A third column without a name is called `weight` if it holds numbers,
or `time` if they are seconds since 1970. A square of numbers is an adjacency matrix.
"""

from __future__ import annotations

import ast
import csv
import io
import math
import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Literal

import numpy as np

from cellapse._complex.attributes import columns_of
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.files import as_bytes
from cellapse._shared.notes import fact
from cellapse._shared.tables import safe_word
from cellapse.interop._ends import has_arcs
from cellapse.io._columns import Columns, understood
from cellapse.io._graphs import graph_columns, graph_complex
from cellapse.io._headers import refuse_sizes
from cellapse.io._one_table import refuse_second_table, refuse_titles
from cellapse.io._options import PLAIN, Options
from cellapse.io._other_formats import refuse_codes, refuse_other_formats
from cellapse.io._refused_columns import refuse_zeros_and_ones
from cellapse.io._rows import split_rows
from cellapse.io._same import tell_left_out
from cellapse.io._source import as_text
from cellapse.io._text_columns import attribute, time_column, unnamed
from cellapse.io._values import label_words, word_labels
from cellapse.io.konect import is_konect, read_konect
from cellapse.io.matrix_text import labelled_matrix, matrix_complex

# Whole numbers only: anything else in a file, such as a comment, goes the long way.
_TWO_NUMBERS = re.compile(
    r"(?:(?:0|[1-9][0-9]{0,17})(?:[ \t]+|[,;] *)(?:0|[1-9][0-9]{0,17})[ \t]*\r?(?:\n|\Z))++",
    re.ASCII,
)
_SPACES = str.maketrans(",;", "  ")
_BREAKS = re.compile(r"[\t\v\f\x1c-\x1e\x85\u2028\u2029\r\n\0]")  # of lines, for Python, and tabs
_LONGEST_DATA = 10_000  # of {'weight': 2.0} as networkx writes it behind an edge


def read_edges(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read an edge list; a line with a single label is a lonely vertex.

    >>> read_edges(b"source,target,weight\na,b,2.5\nb,c,1").attributes[1]["weight"].tolist()
    [2.5, 1.0]
    """
    if is_konect(data):
        return read_konect(data, options)
    text = as_text(data)
    refuse_other_formats(text)
    if options.columns is None and options.header is None:
        refuse_codes(text)
    numbers = _two_numbers(text) if (options.columns, options.sep) == (None, None) else None
    if numbers is not None and not options.header and options.window is None:
        labels, ends = np.unique(numbers, return_inverse=True)
        pairs = ends.reshape(-1, 2)
        if options.header is None:
            refuse_sizes(numbers[:2].astype(str), [str(numbers[2:].max(initial=0))], len(pairs) - 1)
        refuse_zeros_and_ones(len(pairs), labels)
        fact("two whole numbers a line, the ends of an edge")
        return graph_complex(labels.tolist(), pairs, {}, {}, rules=options.rules)
    split = split_rows(text, options.sep)
    refuse_titles(split)
    rows, dicts = _networkx_data(split.rows)
    matrix = None if dicts or options.columns else labelled_matrix(rows, options.header)
    if matrix is not None:
        return matrix_complex(*matrix, options.rules)
    if dicts:
        fact("data of edges as networkx writes it")
        table = Columns(rows, [], (0, 1), [], 2)
    else:
        refuse_second_table(split)
        table = understood(split, options)
    return _graph(table, dicts, options)


def read_ncol(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read an NCOL list: two labels and perhaps a weight, never a header.

    >>> read_ncol(b"a b\nc d\n")
    Complex(n_cells=(4, 2))
    """
    return read_edges(data, replace(options, header=False))


def _graph(table: Columns, dicts: list[dict[str, Any]], options: Options) -> Complex:
    """Return the graph of rows whose columns are known."""
    (u, v), width = table.ends, table.width
    edges = table.rows
    if 1 in map(len, edges):
        edges = [row for row in edges if len(row) == width]
    columns = _attributes(table, edges)
    if dicts:
        full = zip(table.rows, dicts, strict=True)
        columns |= columns_of([d for row, d in full if len(row) == width])
    if has_arcs(columns):
        options.rules.check_direction("the table of edges")
    if options.window is not None:
        chosen = _within(columns, options.window)
        edges = [edges[i] for i in chosen]
        columns = {name: [values[i] for i in chosen] for name, values in columns.items()}
    pairs = [(row[u], row[v]) for row in edges]
    lonely = len(edges) < len(table.rows) and options.window is None
    ends_or_lonely = _vertices(table.rows, u, v) if lonely else pairs
    label = word_labels(chain.from_iterable(ends_or_lonely))
    position = {w: i for i, w in enumerate(label)}
    places = map(position.__getitem__, chain.from_iterable(pairs))
    ends = np.fromiter(places, np.int64, 2 * len(pairs)).reshape(-1, 2)
    return graph_complex(list(label.values()), ends, {}, columns, rules=options.rules)


def _attributes(table: Columns, edges: list[list[str]]) -> dict[str, list[Any]]:
    columns = {}
    for c in table.others:
        name = table.names[c]
        values = attribute(name, [row[c] for row in edges])
        if name == f"column {c + 1}":
            name = next((n for n in [unnamed(c, values)] if n and n not in columns), name)
            what = "an attribute" if name == table.names[c] else f"the attribute {name!r}"
            fact(f"column {c + 1} is {what} of the edges")
        columns[name] = values
    return columns


def _within(columns: dict[str, list[Any]], window: tuple[float, float]) -> list[int]:
    """Return the positions of the edges within a window of times, its end left out."""
    name = time_column(list(columns))
    values = columns[name] if name is not None else []
    if not values or not all(isinstance(t, int | float) for t in values):
        raise InputError(
            f"window= needs a column of numbers called time, and there are {[*columns][:8]}; name "
            "it in the header"
        )
    chosen = [i for i, t in enumerate(values) if window[0] <= t < window[1]]
    fact(
        f"{len(chosen):,} of {len(values):,} rows have a {name} from {window[0]} up to {window[1]}"
    )
    return chosen


def _two_numbers(text: str) -> Any:
    """Return the numbers of a file with two whole ones a line and nothing else, or None."""
    # Python before 3.11.5 takes the beginning of a line for a whole one where ++ comes to its end.
    last = text[text.rfind("\n", 0, -1) + 1 :]
    if not (_TWO_NUMBERS.fullmatch(text) and _TWO_NUMBERS.fullmatch(last)):
        return None
    return np.fromstring(text.translate(_SPACES), dtype=np.int64, sep=" ")


def _vertices(rows: Sequence[Sequence[str]], u: int, v: int) -> list[Sequence[str]]:
    return [row if len(row) == 1 else (row[u], row[v]) for row in rows]


def _networkx_data(rows: list[list[str]]) -> tuple[list[list[str]], list[dict[str, Any]]]:
    """Return edges with a dict behind them, the way `networkx.write_edgelist` writes."""
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


def write_edges(K: Complex, delimiter: str = ",") -> bytes:
    r"""Return the edges of a graph as a table: source, target, weight and attributes, header first.

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
    tell_left_out(K, [0])
    return write_rows([*rows, *([label] for label in lonely)], delimiter)


def write_tabs(K: Complex) -> bytes:
    """Return the same with tabs between the columns."""
    return write_edges(K, "\t")


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
    if type(value) is str:  # most are one of these
        return value
    if type(value) is int or (type(value) is float and math.isfinite(value)):  # as JSON writes them
        return repr(value)
    return label_words([value])[0]
