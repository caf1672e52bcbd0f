"""What the columns of a table of edges mean: its header, the two ends, and all the rest.

Nothing is guessed that could go wrong in silence. Where a table could mean two things, it is
refused with the words that say which: `header=`, `columns=`, `format=`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

from cellapse._errors import InputError
from cellapse._shared.notes import fact
from cellapse.interop._ends import NODE_TABLES, known_ends, twins
from cellapse.io._headers import with_header
from cellapse.io._options import Options
from cellapse.io._refused_columns import (
    refuse_neighbours,
    refuse_other_ends,
    refuse_signs,
    refuse_two_kinds,
    refuse_words_among_numbers,
    refuse_zeros_and_ones,
)
from cellapse.io._rows import Rows
from cellapse.io._values import is_number

Row = list[str]

_NOTHING = ("nan", "NaN", "NAN", "<NA>", "null", "NULL", "NA")  # where others are numbers


@dataclass(frozen=True)
class Columns:
    """A table of edges: its rows, the names of its columns, and where the ends are."""

    rows: list[Row]
    names: list[str]
    ends: tuple[int, int]
    others: list[int]  # that become attributes
    width: int


def understood(table: Rows, options: Options) -> Columns:
    """The columns of a table, by what the caller says, else by their names, else by position."""
    rows, header = with_header(table, options)
    width = max(map(len, rows), default=0)
    rows, header, width = _without_empty_last(rows, header, width)
    if not set(map(len, rows)) <= {1, width}:
        i, row = next((i, row) for i, row in enumerate(rows) if len(row) not in (1, width))
        raise InputError(
            f"rows have {width} columns, but row {i + 1} of the data, {row[:5]}, has {len(row)}; "
            'fill the empty places, or pass format="hyperedges" if every row is a hyperedge, '
            '"adjlist" if it is a vertex and its neighbours'
        )
    if width < 2:
        raise InputError("holds no row of two labels; write one edge a line, such as: a b")
    full = rows if 1 not in map(len, rows) else [row for row in rows if len(row) == width]
    names = _names(header, width)
    # The first column without the numbers of rows.
    first = int(header is not None and _is_index(header, rows))
    if options.columns is not None:
        chosen = [_place(column, names, width, bool(header)) for column in options.columns]
        ends, others = (chosen[0], chosen[1]), chosen[2:]
    else:
        ends = _ends(names if header else None, full, first, width)
        others = [c for c in range(first, width) if c not in ends]
    sides = [set(map(itemgetter(c), full)) for c in ends]
    if options.columns is None:
        if header is None:
            refuse_signs(sides, ends, width)
            refuse_neighbours(full, sides[0])
        else:
            refuse_two_kinds(sides, ends, names)
        refuse_zeros_and_ones(len(full), sides[0] | sides[1])
    for c, labels in zip(ends, sides, strict=True):
        _check_end(full, labels, c, names)
    refuse_words_among_numbers(full, sides[0] | sides[1], ends)
    if len(full) < len(rows):
        _check_lonely(rows, sides[0] | sides[1])
    _say(names, ends, others, bool(header))
    return Columns(rows, names, ends, others, width)


def _say(names: list[str], ends: tuple[int, int], others: list[int], header: bool) -> None:
    fact("names in the first line" if header else "no header")
    u, v = (names[c] if header else c + 1 for c in ends)
    fact(f"columns {u!r} and {v!r} are the ends of edges")
    if others and header:
        fact(f"attributes of edges: {', '.join(repr(names[c]) for c in others[:8])}")


def _without_empty_last(
    rows: list[Row], header: Row | None, width: int
) -> tuple[list[Row], Row | None, int]:
    """Without the empty column behind a delimiter at the end of every line."""
    full = [row for row in rows if len(row) > 1]
    ended = full and all(len(row) == width and row[-1] == "" for row in full)
    if width < 3 or not ended or (header is not None and len(header) == width and header[-1]):
        return rows, header, width
    cut = None if header is None else header[: width - 1]
    return [row[: width - 1] for row in rows], cut, width - 1


def _names(header: Row | None, width: int) -> list[str]:
    usual = ["source", "target", *(f"column {c + 1}" for c in range(2, width))]
    if header is None:
        return usual
    if len(header) == width - 1:  # as R writes it: row numbers have no name
        header = ["", *header]
    if len(header) != width or len(set(header)) < width:
        raise InputError(f"the header {list(header)[:8]} must name {width} different columns")
    return [name or usual[c] for c, name in enumerate(header)]


def _is_index(header: Row, rows: Sequence[Row]) -> bool:
    """Return whether the first column holds the numbers of the rows."""
    named = len(header) == len(rows[0]) and header[0] not in ("", "Unnamed: 0", "index")
    if not rows or named or len(rows[0]) < 3:
        return False
    numbers = [row[0] for row in rows]
    if numbers in ([str(i) for i in range(len(rows))], [str(i + 1) for i in range(len(rows))]):
        fact("the first column, row numbers, is left out")
        return True
    if header[0] == "" or len(header) < len(rows[0]):
        raise InputError(
            f"has a first column without a name, {numbers[:3]}, as tables with named rows do; "
            'name the ends with columns=, or pass format="matrix" for an adjacency'
        )
    return False


def _place(column: str | int, names: list[str], width: int, header: bool) -> int:
    if isinstance(column, int) and column <= width:
        return column - 1
    if isinstance(column, str) and column in names:
        return names.index(column)
    listed = ", ".join(map(repr, names[:40])) if header else f"numbers from 1 to {width}"
    raise InputError(f"columns= names {column!r}, and there are {listed}")


def _ends(names: list[str] | None, rows: list[Row], first: int, width: int) -> tuple[int, int]:
    known = known_ends(names) if names else None
    if known is not None:
        return known
    if names and names[first].lower() in NODE_TABLES:
        raise InputError(
            f"has a first column {names[first]!r}, so it is a table of nodes; say with columns= "
            "which hold the ends of edges, or give the file with the edges"
        )
    pairs = [(names[u], names[v]) for u, v in twins(names)] if names else []
    if len(pairs) > 1:
        raise InputError(
            f"has several pairs of columns for ends, {', '.join(map(str, pairs[:4]))}; name one of "
            f"them: columns={pairs[0]}"
        )
    if width - first < 2:
        raise InputError("has one column beside row numbers; an edge has two ends")
    refuse_other_ends(rows, first, width, names)
    return first, first + 1


def _check_end(rows: list[Row], labels: set[str], c: int, names: list[str]) -> None:
    """Raise where a column has empty places or fractions instead of labels."""
    nothing = {"", *_NOTHING} & labels
    if nothing - {""} and not _mostly_numbers([row[c] for row in rows]):
        nothing &= {""}
    if nothing:
        i = next(i for i, row in enumerate(rows) if row[c] in nothing)
        raise InputError(
            f"row {i + 1} of the data, {rows[i][:5]}, has no label in column {c + 1}; "
            "remove it, or write a vertex without edges as a line of its label alone"
        )
    if all(map(is_number, labels)) and not all(map(_is_whole, labels)):
        raise InputError(
            f"column {names[c]!r} holds fractions ({rows[0][c]!r}, ...), as weights and "
            "positions are, where labels belong; say which hold the ends with columns=, or "
            "take lifts.nearest_neighbour_complex for points"
        )


def _check_lonely(rows: list[Row], labels: set[str]) -> None:
    """Raise where a line of one word is rather an edge with another delimiter."""
    for row in rows:
        words = row[0].replace(",", " ").split() if len(row) == 1 else []
        if len(words) > 1 and all(w in labels or is_number(w) for w in words):
            raise InputError(f"has a line {row[0]!r:.60} without the delimiter of the others")


def _mostly_numbers(column: Sequence[str]) -> bool:
    return 2 * sum(map(is_number, column)) > len(column)


def _is_whole(word: str) -> bool:
    number = float(word)
    return number == number and abs(number) != float("inf") and number % 1 == 0
