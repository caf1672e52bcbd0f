"""Tables with one row per node: a column of nodes, and one of what is known of them.

Columns are found by their names (`node`, `vertex`, `id`, `name`; of classes `label`, `class`,
`group`), in either order; two columns without names are the node and its value. Where a table could
mean two things, it is refused with the words that say which.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.checks import file_path
from cellapse.interop._ends import known_ends
from cellapse.io._formats import FORMATS
from cellapse.io._numbers import number
from cellapse.io._other_formats import other_format
from cellapse.io._rows import MARKS, split_rows
from cellapse.io._source import as_text, reading_file
from cellapse.io._text_columns import has_decimal_commas
from cellapse.io._values import is_number, label_words

Row = list[str]

_NODES = (("node", "nodes", "vertex", "vertices", "nodeid", "vertexid", "nodename"), ("id", "name"))
_LONGEST = 131_072  # characters of a word, as the csv module takes them
_NOTHING = ("nan", "none", "null", "na", "n/a", "<na>", "?")
_EXAMPLE = "name the columns in the first line, such as: node,{}"


@dataclass(frozen=True)
class Kind:
    """What a table holds beside the nodes.

    Attributes
    ----------
    names : tuple of str
        What the column is usually called; the first is the one in advice.
    convert : function of the words of the column and the places of their rows, to values
    complete : bool
        Whether every node must have a value.
    """

    names: tuple[str, ...]
    convert: Callable[[Sequence[str]], list[Any]]
    complete: bool


def node_values(
    path: str | os.PathLike[str], K: Complex, kind: Kind, column: str | None = None
) -> dict[Hashable, Any]:
    r"""Return what a file says of the vertices, by labels; empty places are left out.

    Parameters
    ----------
    path : path of a table, which may be packed with gzip
    K : Complex
    kind : Kind
        `CLASSES`, `GROUPS` or `NUMBERS`.
    column : str, optional
        The column that counts: its name, or its number counted from 1.

    Returns
    -------
    dict

    Examples
    --------
    >>> import tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "known.csv")
    >>> with open(file, "w") as opened:
    ...     _ = opened.write("team,node\nred,a\nblue,c\n")
    >>> node_values(file, Complex.from_cells({1: [("a", "b"), ("b", "c")]}), CLASSES, "team")
    {'a': 'red', 'c': 'blue'}
    """
    with reading_file(file_path(path), FORMATS["edges"].growth) as data:
        return _values(as_text(data), K, kind, column)


def _values(text: str, K: Complex, kind: Kind, column: str | None) -> dict[Hashable, Any]:
    known = _by_word(K)
    _refuse_comments(text, known)
    names, rows, first = _parted(text, known, kind, column)
    if not rows:
        raise InputError(f"holds no row; write one node a line, {_example(kind)}")
    nodes, values = _places(names, rows, known, kind, column)
    labels = [_label(row[nodes], known, kind) for row in rows]
    words = [row[values] for row in rows]
    if names is None or (column is None and _plain(names[values]) not in kind.names):
        _refuse_edges(K, labels, words, known, kind)
    said: dict[Hashable, Any] = {}
    for i, (label, value) in enumerate(zip(labels, kind.convert(words), strict=True)):
        if label in said and said[label] != value:
            before, now = (repr(_shown(v)) for v in (said[label], value))
            raise InputError(
                f"lists node {_shown(label)!r} with {before} and, in row {i + first}, "
                f"with {now}; keep one of them"
            )
        said[label] = value
    given = {label: value for label, value in said.items() if value is not None}
    missing = [label for label in K.labels if label not in given] if kind.complete else []
    if missing:
        listed = ", ".join(repr(_shown(label)) for label in missing[:5])
        raise InputError(
            f"has nothing for {len(missing):,} of {K.n_vertices:,} nodes ({listed}"
            f"{', ...' if len(missing) > 5 else ''}); give every node a {kind.names[0]}"
        )
    return given


def _refuse_comments(text: str, known: dict[str, Any]) -> None:
    """Raise where a line that is a comment by its first letter is the row of a node."""
    if not any(word.startswith(MARKS) for word in known):
        return
    for line in map(str.strip, text.splitlines()):
        word = re.split(r"[\s,;|]", line, maxsplit=1)[0]
        if line.startswith(MARKS) and word in known:
            raise InputError(
                f"has the line {line!r:.60}, a comment by its first letter, which names a node; "
                f'write that in quotes, "{word:.40}"'
            )


def _parted(
    text: str, known: dict[str, Any], kind: Kind, column: str | None
) -> tuple[Row | None, list[Row], int]:
    """The names of the columns, if there are any, the rows below, and the place of the first."""
    format_ = other_format(text)
    if format_ is not None:
        raise InputError(f"is {format_}, and no table of nodes; {_example(kind)}")
    table = split_rows(text)
    rows = table.rows
    long = next((w for row in rows for w in row if len(w) > _LONGEST), None)
    if long is not None:
        raise InputError(
            f"has a word of {len(long):,} characters ({long[:20]!r}...), and {_LONGEST:,} are the "
            "most that tables hold; check its quotes and ends of lines"
        )
    widths = set(map(len, rows[1:]))
    if rows and widths == {len(rows[0]) + 1}:  # as R writes it: names of rows have no name
        rows = [["", *rows[0]], *rows[1:]]
    if len(set(map(len, rows))) > 1:
        width = max(map(len, rows))
        i, row = next((i, row) for i, row in enumerate(rows, 1) if len(row) < width)
        raise InputError(
            f"rows have {width} columns, but row {i}, {_cut(row)}, has {len(row)}; fill the empty "
            'places, and put words with delimiters into quotes: "a, b"'
        )
    if rows and len(rows[0]) == len(table.comment) and _names_nodes(table.comment):
        return table.comment, rows, 1
    if rows and _is_header(rows, known, kind, column):
        return rows[0], rows[1:], 2
    return None, rows, 1


def _is_header(rows: list[Row], known: dict[str, Any], kind: Kind, column: str | None) -> bool:
    """Return whether the first row has names: usual, asked for, or none above the nodes."""
    first = rows[0]
    of_nodes = [c for c, word in enumerate(first) if _names_nodes([word])]
    lost = next((first[c] for c in of_nodes if first[c] in known), None)
    if lost is not None and all(row[c] != lost for row in rows[1:] for c in of_nodes):
        raise InputError(
            f"begins with {_cut(first)}, which could be names of columns or the row of the node "
            f"{lost!r}; {_example(kind)}, and give that node a row below"
        )
    if known_ends(first) is not None and not of_nodes and not set(first) & known.keys():
        raise InputError(f"begins with {_cut(first)}, so it is a table of edges; give one of nodes")
    unnamed = first[0] == "" and all(first[1:])
    usual = any(_plain(word) in kind.names for word in first)
    asked = column is not None and column in first
    return bool(of_nodes) or unnamed or ((usual or asked) and not set(first) & known.keys())


def _places(
    names: Row | None, rows: list[Row], known: dict[str, Any], kind: Kind, column: str | None
) -> tuple[int, int]:
    """Return which columns hold the nodes and the values."""
    width = len(rows[0])
    if width < 2:
        raise InputError("has one column, and needs two, of nodes and of values; " + _example(kind))
    if names is not None and len(set(names)) < width:
        raise InputError(f"names a column twice, {_cut(names)}; rename one of them")
    chosen = None if column is None else _asked(column, names, width)
    nodes = _nodes(names, rows, known, chosen, kind)
    if chosen is not None:
        if chosen == nodes:
            raise InputError(f"column {column} holds the nodes; choose another")
        return nodes, chosen
    others = [c for c in range(width) if c != nodes]
    if len(others) > 1 and names is not None:
        others = [c for c in others if _plain(names[c]) in kind.names]
    if len(others) != 1:
        which = f"the columns {_cut(names)}" if names else f"{width} columns without names"
        raise InputError(
            f"has {which}, and which of them counts is not clear; choose with --column, by name or "
            "number, or leave two columns"
        )
    return nodes, others[0]


def _nodes(
    names: Row | None, rows: list[Row], known: dict[str, Any], chosen: int | None, kind: Kind
) -> int:
    """Return the column of the nodes: by its name, and where several could be, by what is in it."""
    if names is None:
        return 0
    for words in _NODES:
        places = [c for c, name in enumerate(names) if _plain(name) in words and c != chosen]
        if len(places) > 1:
            fit = [c for c in places if all(row[c] in known for row in rows)]
            alike = {tuple(row[c] for row in rows) for c in fit}
            if len(alike) > 1:
                raise InputError(f"has several columns of nodes, {_cut(names)}; keep one of them")
            places = fit or places
        if places:
            return places[0]
    if names[0] == "":  # the index of a pandas table
        return 0
    usual = [c for c, name in enumerate(names) if _plain(name) in kind.names]
    apart = usual if chosen is None else [chosen]
    if len(names) == 2 and len(apart) == 1:
        return 1 - apart[0]
    raise InputError(f"has the columns {_cut(names)}, none of them called node; {_example(kind)}")


def _asked(column: str, names: Row | None, width: int) -> int:
    if names is not None and column in names:
        return names.index(column)
    if re.fullmatch(r"[1-9][0-9]{0,5}", column) and int(column) <= width:
        return int(column) - 1
    listed = f"the columns {_cut(names)}" if names else f"no names, and columns 1 to {width}"
    raise InputError(f"has no column {column!r:.60}; there are {listed}")


def _by_word(K: Complex) -> dict[str, Any]:
    """The labels by the words that stand for them in a table; `_Twice` where two look the same."""
    known: dict[str, Any] = {}
    for label in K.labels:
        for word in {str(label).strip(), *islice(_json_word(label), 1)}:
            known[word] = label if known.get(word, label) == label else _Twice
    return known


class _Twice:
    """Stands for two labels that look the same, such as 1 and '1'."""


def _json_word(label: Hashable) -> Iterator[str]:
    try:
        yield label_words([label])[0].strip()
    except InputError:  # no file holds such a label, but its text may stand for it
        return


def _label(word: str, known: dict[str, Any], kind: Kind) -> Hashable:
    label = known.get(word, _label)
    if label is _label:
        raise InputError(
            f"names {word!r:.60}, which is no node of the network; remove or mend its row, or, if "
            f"it is the name of a column, {_example(kind)}"
        )
    if label is _Twice:
        raise InputError(f"names {word!r:.60}, as two nodes of the network are; rename one there")
    return cast(Hashable, label)


def _refuse_edges(
    K: Complex, labels: list[Hashable], words: list[str], known: dict[str, Any], kind: Kind
) -> None:
    """Raise where both columns hold nodes, and as neighbours: a list of edges is none of values."""
    if not all(word in known for word in words):
        return
    pairs = [frozenset((v, known[word])) for v, word in zip(labels, words, strict=True)]
    edges: Sequence[Any] = K.cell_labels(1) if K.max_rank else ()
    cells = {frozenset(edge) for edge in edges}
    numbers = all(map(is_number, words))
    if not numbers or 2 * sum(pair in cells for pair in pairs) > len(pairs):
        raise InputError(
            f"has nodes in both columns, as a list of edges has; if it is a table of nodes, "
            f"{_example(kind)}"
        )


def _classes(words: Sequence[str]) -> list[str | None]:
    nothing = next((word for word in words if word.lower() in _NOTHING), None)
    if nothing is not None:
        raise InputError(
            f"has {nothing!r}, which could be a class or mean that it is not known; leave the "
            "place empty if it is not known, or call the class something else"
        )
    return [word or None for word in words]


def _real_numbers(words: Sequence[str]) -> list[float | None]:
    if has_decimal_commas([word for word in words if word]):
        words = [word.replace(",", ".") for word in words]
    numbers = [None if word == "" else number(word, "a value") for word in words]
    if not all(x is None or math.isfinite(x) for x in numbers):
        word = next(w for w in words if w and not math.isfinite(float(w)))
        raise InputError(f"has {word!r:.40} where a value belongs, a finite number")
    return numbers


def _example(kind: Kind) -> str:
    return _EXAMPLE.format(kind.names[0])


def _names_nodes(names: Sequence[str]) -> bool:
    return any(_plain(name) in words for name in names for words in _NODES)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _cut(row: Sequence[str] | None) -> str:
    """Return the words of a row, as far as a message should go."""
    shown = [f"{word:.40}" for word in islice(row or (), 8)]
    return ", ".join(map(repr, shown)) + (", ..." if len(row or ()) > 8 else "")


def _shown(value: Any) -> Any:
    return "nothing" if value is None else f"{value:.60}" if isinstance(value, str) else value


_OF_CLASSES = ("label", "labels", "class", "classes", "group", "groups")
CLASSES = Kind((*_OF_CLASSES, "known"), _classes, complete=False)
GROUPS = Kind(("group", "groups", *_OF_CLASSES[:4], "cluster", "community"), _classes, True)
NUMBERS = Kind(("value", "values", "signal"), _real_numbers, complete=True)
