"""Tables of points: one row of coordinates each, as text or as an array of NumPy."""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import file_path
from cellapse.io._formats import FORMATS
from cellapse.io._numbers import number
from cellapse.io._options import PLAIN, Options
from cellapse.io._rows import split_rows
from cellapse.io._source import as_text, reading_file
from cellapse.io._text_columns import has_decimal_commas
from cellapse.io._values import is_number
from cellapse.io.npz import read_array

EXTENSIONS = (".csv", ".tsv", ".txt", ".dat", ".npy")

_NO_COORDINATES = ("node", "vertex", "id", "name", "index", "point", "label", "class", "group")
_ARRAY = 8  # bytes of memory for a byte of an array


def is_point_table(path: str | os.PathLike[str]) -> bool:
    """Return whether a file may be a table of points, by its extension.

    >>> is_point_table("points.csv.gz"), is_point_table("mesh.off")
    (True, False)
    """
    return Path(str(path).lower().removesuffix(".gz")).suffix in EXTENSIONS


def read_points(path: str | os.PathLike[str], options: Options = PLAIN) -> FloatArray:
    r"""Read the coordinates of points, one row each; of the options, columns, sep and header count.

    >>> import tempfile
    >>> file = os.path.join(tempfile.mkdtemp(), "points.csv")
    >>> with open(file, "w") as opened:
    ...     _ = opened.write("x,y\n0,1\n2,3.5\n")
    >>> read_points(file).tolist()
    [[0.0, 1.0], [2.0, 3.5]]
    """
    file = file_path(path)
    options.check("points", ("columns", "sep", "header"))
    packed = str(file).lower().removesuffix(".gz")
    if packed.endswith(".npy"):
        with reading_file(file, _ARRAY) as data:
            return _array(data, options)
    with reading_file(file, FORMATS["edges"].growth) as data:
        return _table(as_text(data), options)


def _array(data: bytes, options: Options) -> FloatArray:
    options.check("npy", ())
    array = read_array(data)
    if array.ndim != 2 or array.dtype.kind not in "iuf":
        raise InputError(
            f"holds an array of shape {array.shape} and type {array.dtype}; points are numbers, "
            "one row each"
        )
    return _finite(array.astype(np.float64))


def _table(text: str, options: Options) -> FloatArray:
    rows = split_rows(text, options.sep).rows
    if not rows:
        raise InputError("holds no row; write the coordinates of one point a line, such as: 0.5 2")
    width = max(map(len, rows))
    short = next((i for i, row in enumerate(rows, 1) if len(row) < width), None)
    if short is not None:
        raise InputError(f"rows have {width} columns, but row {short} has {len(rows[short - 1])}")
    names = rows[0] if _is_header(rows, options.header) else None
    chosen = _chosen(names, options.columns, width)
    body = rows if names is None else rows[1:]
    columns = [_column([row[c] for row in body]) for c in chosen]
    return _finite(np.array(columns).T)


def _is_header(rows: list[list[str]], given: bool | None) -> bool:
    first = rows[0]
    if given is not None:
        return given
    if len(first) > 1 and first == [str(c) for c in range(len(first))]:
        raise InputError(
            f"begins with {first[:8]}, which could be a point or the numbers of the columns; pass "
            "header=True or header=False"
        )
    return not any(map(is_number, first)) or (first[0] == "" and len(first) > 1)


def _chosen(
    names: list[str] | None, columns: tuple[str | int, ...] | None, width: int
) -> list[int]:
    """Return the columns of coordinates: those asked for, or all."""
    if columns is None:
        odd = [n for n in names or () if re.sub(r"[\W_]", "", n.lower()) in ("", *_NO_COORDINATES)]
        if odd:
            raise InputError(
                f"has a column called {odd[0]!r:.40}, which seems to be no coordinate; name those "
                f"that are: columns={tuple(n for n in names or () if n not in odd)}"
            )
        return list(range(width))
    places = []
    for column in columns:
        if isinstance(column, int) and column <= width:
            places.append(column - 1)
        elif names and column in names:
            places.append(names.index(str(column)))
        else:
            there = ", ".join(map(repr, islice(names or (), 12))) or f"numbers from 1 to {width}"
            raise InputError(f"columns= names {column!r:.60}, and there are {there}")
    return places


def _column(words: list[str]) -> list[float]:
    if has_decimal_commas(words):
        words = [word.replace(",", ".") for word in words]
    return [number(word, "a coordinate") for word in words]


def _finite(points: FloatArray) -> FloatArray:
    if not points.size:
        raise InputError("holds no point; write the coordinates of one a line, such as: 0.5 2")
    rows = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(rows):
        raise InputError(
            f"has {len(rows):,} points with nan or infinite coordinates, the first in row "
            f"{rows[0] + 1}; leave them out"
        )
    return points
