"""Whether the rows of a file are one table, or edges and nodes one below the other.

A second table shows by a title (`nodes`, `[edges]`, `# vertices`), by its own header, or, behind an
empty line, by its first column: each vertex of the other rows once. Read as one table, its names
and ages would be vertices; so it is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from operator import itemgetter

from cellapse._errors import InputError
from cellapse.interop._ends import ENDS, NODE_TABLES, known_ends
from cellapse.io._rows import Rows
from cellapse.io._values import is_number

Row = list[str]

_TITLE = re.compile(
    r"\W*(?:nodes?|vertices|vertex|edges?|links?|arcs?|ids?|names?|labels?)"
    r"(?:[ _]?(?:list|table|data|attributes))?\W*|[-=_*]{2,}",
    re.IGNORECASE,
)
_FIRST_NAMES = frozenset(chain(NODE_TABLES, *ENDS))
_MOST_PARTS = 10  # beyond it, empty lines group edges
_FEWEST = 3  # rows of a table of nodes that has no header
_REMEDY = (
    "keep the rows of the edges in this file, and give what is known of the vertices with "
    "K.with_attributes({0: ...})"
)


def refuse_titles(table: Rows) -> None:
    r"""Raise where a line of one word, or a comment between rows, is the title of a table.

    >>> from cellapse.io._rows import split_rows
    >>> refuse_titles(split_rows("a b\nb c\n# nodes\na Ann\nb Bob"))
    Traceback (most recent call last):
    cellapse._errors.InputError: has the line '# nodes', which seems to be the title of a table; ...
    """
    if 1 not in map(len, table.rows) and "" not in map(itemgetter(-1), table.rows):
        alone = []  # found out quickly, as for most tables
    else:
        alone = [row for row in table.rows if len(row) - row.count("") == 1]
    titles = [row[0] for row in alone if _TITLE.fullmatch(row[0])]
    if titles:  # unless it is a vertex of some edge
        labels = set(chain.from_iterable(row for row in table.rows if any(row[1:])))
        titles = [word for word in titles if word not in labels]
    titles += [line for line in table.comments if _TITLE.fullmatch(line.lstrip("#%/ "))]
    title = next(iter(titles), None)
    if title is not None:
        raise InputError(
            f"has the line {title!r:.60}, which seems to be the title of a table; {_REMEDY}, "
            "without titles"
        )


def refuse_second_table(table: Rows) -> None:
    r"""Raise where a table of nodes, or another of edges, is below or above that of edges.

    >>> from cellapse.io._rows import split_rows
    >>> refuse_second_table(split_rows("source,target\na,b\nb,c\n\nid,name\na,Ann\nb,Bob"))
    Traceback (most recent call last):
    cellapse._errors.InputError: has a second header ['id', 'name'] in row 4, so that ...
    """
    rows = table.rows
    if 1 in map(len, rows):
        _refuse_count(rows)
        rows = [row for row in rows if len(row) > 1]
    named = known_ends(table.comment) is not None
    for i in _headers_within(rows) if rows else ():
        _refuse_header(rows, i)
    starts = [0, *table.gaps, len(table.rows)]
    if not 2 < len(starts) <= _MOST_PARTS + 1:
        return
    parts = [table.rows[start:end] for start, end in pairwise(starts)]
    named |= known_ends(table.rows[0]) is not None
    for i, part in enumerate(parts):
        others = list(chain.from_iterable(parts[:i] + parts[i + 1 :]))
        if i and _is_header(part, others, named):
            _refuse_header(table.rows, starts[i])
        if _is_of_nodes(part, others):
            raise InputError(
                f"has an empty line or a comment beside row {starts[i] or starts[1]}, and the rows "
                f"from {part[0][:3]} on have each vertex of the others once, as a table of nodes "
                f"does; {_REMEDY}, or close the gap if all rows are edges"
            )


def _headers_within(rows: list[Row]) -> Iterable[int]:
    """The rows below the first that have names of columns, and words that no other row has."""
    first = rows[0]
    if known_ends(first) is not None and rows.count(first) > 1:
        yield rows.index(first, 1)
    if _FIRST_NAMES.isdisjoint(map(str.lower, set(map(itemgetter(0), rows)))):
        return
    for i, row in enumerate(rows):
        if i and row[0].lower() in _FIRST_NAMES and not any(map(is_number, row)):
            known = known_ends(row) is not None or row[0].lower() in NODE_TABLES
            if known and _are_met_here_only(row, chain(rows[:i], rows[i + 1 :])):
                yield i


def _are_met_here_only(row: Row, others: Iterable[Row]) -> bool:
    return {*row[:2]}.isdisjoint(chain.from_iterable(other[:2] for other in others))


def _is_header(part: list[Row], others: list[Row], named: bool) -> bool:
    """Return whether rows behind a gap begin with names, in a file with names or above numbers."""
    first, rest = part[0], part[1:]
    if not rest or len(first) < 2 or any(map(is_number, first)) or len(set(first)) < len(first):
        return False
    columns = zip(*(row for row in rest if len(row) == len(first)), strict=True)
    above_numbers = any(all(map(is_number, column)) for column in columns)
    return (named or above_numbers) and _are_met_here_only(first, chain(rest, others))


def _is_of_nodes(part: list[Row], others: list[Row]) -> bool:
    """Return whether the first column has every vertex of the others once, the second none."""
    pairs = [row for row in part if len(row) > 1]
    keys = {row[0] for row in pairs}
    if len(pairs) < _FEWEST or len(keys) < len(part):
        return False
    labels = {w for row in others if len(row) > 1 for w in row[:2]}
    if len(labels & keys) < max(_FEWEST, len(labels) - 2):  # but for a header among them
        return False
    values = {row[1] for row in pairs}
    return labels <= keys or not values & (keys | labels)


def _refuse_count(rows: Sequence[Row]) -> None:
    """Raise where the first line is the number of rows up to the next line of one number."""
    n = int(rows[0][0]) if len(rows[0]) == 1 and rows[0][0].isdecimal() else 0
    part, then = rows[1 : n + 1], rows[n + 1 :]
    if 1 < n == len(part) and all(len(row) > 1 for row in part) and then and len(then[0]) == 1:
        raise InputError(f"begins with {n}, the number of rows of a first table; {_REMEDY}")


def _refuse_header(rows: Sequence[Row], i: int) -> None:
    raise InputError(
        f"has a second header {rows[i][:4]} in row {i + 1}, so that it seems to hold two tables; "
        f"{_REMEDY}, or close the gap above it if it is an edge"
    )
