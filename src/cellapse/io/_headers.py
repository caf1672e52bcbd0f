"""Whether the first line of a table has the names of its columns, the sizes of the graph, or data.

A row of data must not get lost as a header, nor a header or the number of edges become an edge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cellapse._errors import InputError
from cellapse.interop._ends import known_ends
from cellapse.io._options import Options
from cellapse.io._rows import Rows
from cellapse.io._values import is_number

Row = list[str]

_FEWEST = 3  # rows below sizes: by chance an edge of a small graph looks like them


def with_header(table: Rows, options: Options) -> tuple[list[Row], Row | None]:
    """Return the rows of data, and the names above them."""
    rows = table.rows
    if not rows:
        raise InputError("holds no row of two labels; write one edge a line, such as: a b")
    width, comment = max(map(len, rows)), table.comment
    known = known_ends(comment) is not None
    plain = len(set(comment)) == len(comment) and not any(map(is_number, comment))
    named = len(comment) == width and plain and (known or table.delimiter is not None)
    sure = named and known and options.header is None
    if options.header or (options.header is None and not sure and _is_header(rows, options)):
        return rows[1:], rows[0]
    if options.header is None and not named and all(map(str.isdecimal, rows[0])):
        refuse_sizes(rows[0], [w for row in rows[1:] for w in row[:2]], len(rows) - 1)
    return rows, comment if named else None


def refuse_sizes(first: Sequence[str], labels: Sequence[str], n_rows: int) -> None:
    """Raise where the first line may say how many vertices and edges follow.

    >>> refuse_sizes(["9", "3"], ["1", "2", "2", "3", "3", "1"], 3)
    Traceback (most recent call last):
    cellapse._errors.InputError: begins with '9 3', which may be an edge ...
    """
    if (
        n_rows < _FEWEST - (len(first) == 3)
        or len(first) > 3
        or not all(w.isdecimal() for w in (*first, *labels))
    ):
        return
    n, last = int(first[0]), int(first[-1])
    largest = max(map(int, labels), default=0)
    if len(first) == 1:
        counts = n in (n_rows, largest, largest + 1)
    elif len(first) == 2:  # of vertices and edges, or of hyperedges and vertices
        counts = (last == n_rows and n >= largest) or (n == n_rows and last >= largest)
    else:  # of rows, columns and entries
        counts = last == n_rows and n == int(first[1]) >= largest
    if counts:
        raise InputError(
            f"begins with {' '.join(first)!r}, which may be an edge or a vertex, or say how many "
            "vertices and edges follow; remove that line, or pass header=False if it is data"
        )


def _is_header(rows: Sequence[Row], options: Options) -> bool:
    first, rest = rows[0], rows[1:]
    if not rest:
        return known_ends(first) is not None
    above_numbers = any(_are_numbers(rest, c) for c, w in enumerate(first) if not is_number(w))
    if known_ends(first) is not None:
        return above_numbers or _are_no_labels(first, rest)
    if first[0] == "" and any(first) and len(first) > 2:  # above row numbers, as pandas writes
        return True
    wanted = [c for c in options.columns or () if isinstance(c, str)]
    if wanted and all(name in first for name in wanted):
        return True
    if len(first) + 1 == len(rest[0]) and all(len(row) == len(rest[0]) for row in rest):
        return not any(map(is_number, first))  # above all but row numbers, as R writes
    if any(map(is_number, first)):  # a name is no number, and a row of data must not get lost
        counted = len(first) > 1 and first == [str(c) for c in range(len(first))]
        return counted and _are_words(rest, 0) and _are_words(rest, 1)
    if above_numbers:
        below = {w for row in rest for w in row[:2]}
        if len(first) > 1 and any(w[:1].isdigit() for w in first[2:]) and below & set(first[:2]):
            raise InputError(
                f"begins with {first[:4]}, whose first words come again below, so that it could be "
                "an edge with a misspelt number; mend that, or pass header=True"
            )
        return True
    if len(first) > 1 and not set(first[:2]) & {w for row in rest for w in row[:2]}:
        raise InputError(
            f"begins with {first[:2]}, and neither word comes again, so that it could be a header "
            "or an edge; pass header=True or header=False"
        )
    return False


def _are_no_labels(first: Row, rest: Sequence[Row]) -> bool:
    """Return whether possible names of the ends, such as u and v, do not occur below."""
    ends = known_ends(first) or ()
    labels = {row[c] for row in rest for c in ends if c < len(row)}
    for c in ends:
        alike = re.compile(re.escape(first[c][:-1]) + r"(?:[0-9]+|[A-Za-z])")
        if first[c] in labels or (len(first[c]) > 2 and any(map(alike.fullmatch, labels))):
            raise InputError(
                f"begins with {first[:3]}, which could be names of columns or an edge, since such "
                "labels come below; pass header=True or header=False"
            )
    return True


def _are_words(rows: Sequence[Row], c: int) -> bool:
    return all(not is_number(row[c]) for row in rows if len(row) > c)


def _are_numbers(rows: Sequence[Row], c: int) -> bool:
    first = next((row[c] for row in rows if c < len(row) and row[c]), "")
    return is_number(first) and all(is_number(row[c]) for row in rows if c < len(row) and row[c])
