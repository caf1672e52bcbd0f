"""Rows of text: which delimiter separates the columns, and the words between.

A comma between digits may be a decimal one, spaces may be within names, and a table of tabs may
have lines with spaces instead: the delimiter is the one that gives all lines as many columns.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cellapse._errors import InputError
from cellapse._shared.notes import fact
from cellapse._shared.tables import plain_word

_DATA = re.compile(r"(?<=[\s,;|])\{.*")
_OTHER_SPACE = re.compile(r"[^\S\n]")
_DECIMAL = re.compile(r"(?<=[0-9]),(?=[0-9])")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"(?=\s|\Z)|(\S+)')
_NAMES = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars", None: "spaces"}
_HEAD = 100  # lines that show the delimiter
MARKS = ("#", "%", "//")  # at the beginning of comments
_SEPARATOR = re.compile(r'"?sep=(.)"?', re.IGNORECASE)  # the first line, for spreadsheets


@dataclass(frozen=True)
class Rows:
    """The words of every line, those of the comment above the first one, and what is between."""

    rows: list[list[str]]
    comment: list[str]
    delimiter: str | None
    comments: list[str]  # between rows
    gaps: list[int]  # rows that come behind a comment or an empty line


def split_rows(text: str, sep: str | None = None) -> Rows:
    """Return the rows of a table; lines that begin with #, % or // are comments."""
    lines, above, within = _lines(text)
    if lines and (declared := _SEPARATOR.fullmatch(lines[0])):
        sep, lines = sep or declared[1], lines[1:]
    # A dict behind an edge has commas, too.
    first = list(filter(None, lines[: 2 * _HEAD]))[:_HEAD]
    head = [_DATA.sub("", line) if line[-1] == "}" else line for line in first]
    delimiter = (
        _delimiter(head) if sep is None else (None if sep.isspace() and sep != "\t" else sep)
    )
    split = _splitter(delimiter, '"' in text)
    rows = list(split(lines))
    if delimiter == "\t" and sep is None and len({len(row) for row in rows if any(row)}) > 1:
        by_space = list(_splitter(None, '"' in text)(lines))
        if len({len(row) for row in by_space if row}) == 1:  # tabs here and spaces there
            delimiter, rows = None, by_space
    if delimiter is not None and _has_other_space(text):
        rows = [[word.strip() for word in row] for row in rows]
    if "'" in text:  # as spreadsheets mark what is no formula
        rows = [list(map(plain_word, row)) for row in rows]
    if lines:
        fact(f"columns separated by {_NAMES.get(delimiter, repr(delimiter))}")
        _refuse_marked(within, rows, delimiter)
    words = next(iter(_splitter(delimiter, '"' in above)([above.lstrip("#%/ ")])), [])
    comment = [w.strip() for w in words]
    if all(map(any, rows)):
        return Rows(rows, comment, delimiter, within, [])
    return Rows([row for row in rows if any(row)], comment, delimiter, within, _behind_gaps(rows))


def _has_other_space(text: str) -> bool:
    """Return whether there is any space but the ends of lines."""
    if any(space in text for space in " \t\r\v\f"):  # words without any stay the same
        return True
    return not text.isascii() and _OTHER_SPACE.search(text) is not None


def _behind_gaps(rows: list[list[str]]) -> list[int]:
    """Return the places, among the rows with words, of those that come behind rows without."""
    places, place, gap = [], 0, False
    for row in rows:
        if not any(row):
            gap = place > 0
            continue
        if gap:
            places.append(place)
        place, gap = place + 1, False
    return places


def _lines(text: str) -> tuple[list[str], str, list[str]]:
    """Return the lines of data, empty where a gap is, the comment above, and those between."""
    if not any(mark in text for mark in MARKS):
        plain = [line.strip(" \r\n") for line in text.strip("\r\n ").splitlines()]
        return plain, "", []
    lines: list[str] = []
    above, within = "", []
    for line in text.splitlines():
        stripped = line.strip(" \r\n")
        if stripped and not stripped.startswith(MARKS):
            lines.append(stripped)
        elif not lines:
            above = stripped or above
        else:
            lines.append("")
            if stripped:
                within.append(stripped)
    while lines and not lines[-1]:
        lines.pop()
    return lines, above, within


def _refuse_marked(comments: list[str], rows: list[list[str]], delimiter: str | None) -> None:
    """Raise where a comment between rows may be a row whose label begins with # or %."""
    if not comments:
        return
    marked = any(word.startswith(MARKS) for row in rows for word in row)
    for line in comments if delimiter is not None or marked else ():
        words = line.split(delimiter)
        if len(words) == len(rows[-1]) > 1 and line.lstrip("#%/")[:1] not in (" ", "\t", ""):
            raise InputError(
                f"has the line {line!r:.60}, a comment by its first letter and a row by the "
                'others; write such labels in quotes, "#a", or remove the line'
            )
    fact(f"{len(comments):,} comments between the rows")


def _delimiter(head: list[str]) -> str | None:
    """Return what the first lines are separated by; None stands for any spaces."""
    if any("\t" in line for line in head):
        return "\t"
    commas = [line for line in head if "," in line]
    decimal = all("," not in _DECIMAL.sub("", line) for line in commas)
    if any(";" in line for line in head) and decimal:
        return ";"
    if commas and not (decimal and _same_width(head)):
        return ","
    if commas:
        return None
    return next((d for d in ";|" if any(d in line for line in head)), None)


def _same_width(lines: list[str]) -> bool:
    """Return whether spaces part all lines into as many words, two at least."""
    widths = {len(line.split()) for line in lines}
    return len(widths) == 1 and widths.pop() > 1


def _splitter(delimiter: str | None, quoted: bool) -> Callable[[list[str]], Iterator[list[str]]]:
    if delimiter is None:
        return _by_spaces if quoted else lambda lines: (line.split() for line in lines)
    if not quoted or len(delimiter) > 1:
        return lambda lines: (line.split(delimiter) for line in lines)
    return lambda lines: _by_csv(lines, delimiter)


def _by_spaces(lines: list[str]) -> Iterator[list[str]]:
    for line in lines:
        words = _QUOTED.finditer(line)
        yield [w[2] if w[2] is not None else w[1].replace('""', '"') for w in words]


def _by_csv(lines: list[str], delimiter: str) -> Iterator[list[str]]:
    try:
        ended = (f"{line}\n" for line in lines)  # a quoted word may go on in the next line
        yield from csv.reader(ended, delimiter=delimiter, skipinitialspace=True, strict=True)
    except csv.Error as error:
        raise InputError(f"is not a table of rows and columns ({error}); check quotes") from None
