"""An adjacency matrix as text: a square of numbers, with the labels in the first row or column.

This is what `pandas.DataFrame.to_csv`, `numpy.savetxt` and spreadsheets write. Empty places and NaN
are no edges.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.simple import Rules
from cellapse._errors import InputError
from cellapse._shared.memory import require_memory
from cellapse._shared.notes import fact
from cellapse.interop._ends import known_ends
from cellapse.io._adjacency import adjacency_complex
from cellapse.io._numbers import numbers_or_none, real
from cellapse.io._options import PLAIN, Options
from cellapse.io._rows import split_rows
from cellapse.io._source import as_text
from cellapse.io._text_columns import has_decimal_commas
from cellapse.io._values import is_number, text_labels

_NOTHING = {"", "nan", "na", "<na>", "none", "null", "."}
_TRUTHS = {"true": 1.0, "false": 0.0}
_SMALL = 4  # up to this many rows, a table of edges may be a square as well

Matrix = tuple[Sequence[Hashable] | None, Any]


def read_matrix(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read an adjacency matrix.

    >>> read_matrix(b",a,b\na,0,2\nb,2,0\n").attributes[1]["weight"].tolist()
    [2.0]
    """
    rows = split_rows(as_text(data), options.sep).rows
    matrix = labelled_matrix(rows, options.header, sure=True)
    if matrix is None:
        raise InputError(
            "is no square of numbers, with or without labels in the first row and column; check "
            "the delimiter, or pass it as sep="
        )
    return matrix_complex(*matrix, options.rules)


def labelled_matrix(
    rows: list[list[str]], header: bool | None = None, *, sure: bool = False
) -> Matrix | None:
    """Return the labels and numbers of a matrix, or None where rows are rather a list of edges.

    >>> labelled_matrix([["", "x", "y"], ["x", "0", "1"], ["y", "1", "0"]])[0]
    ['x', 'y']
    """
    n = len(rows)
    widths = {len(row) for row in rows[1:]}
    if n < 3 or len(widths) != 1:
        return None
    width = widths.pop()
    names = rows[0][1:] if len(rows[0]) == width else rows[0]
    corner = rows[0][0] if len(rows[0]) == width else ""
    named = width == n and len(names) == n - 1 and header is not False and not known_ends(rows[0])
    if named and not is_number(corner) and set(names) == {row[0] for row in rows[1:]} != {""}:
        return _with_row_names(names, rows[1:])
    if width == n - 1 == len(rows[0]) and header is not False and not _are_numbers(rows[0]):
        matrix = _numbers(rows[1:]) if sure or known_ends(rows[0]) is None else None
        if matrix is not None and (sure or _is_adjacency(matrix)):
            fact("a square of numbers with labels in the first line: an adjacency matrix")
            return text_labels(rows[0]), matrix
    if width == n == len(rows[0]) and header is not True:
        matrix = _numbers(rows)
        if matrix is not None and (sure or _is_adjacency(matrix)):
            fact("a square of numbers: an adjacency matrix")
            return None, matrix
    return None


def _with_row_names(names: list[str], rows: list[list[str]]) -> Matrix | None:
    matrix = _numbers([row[1:] for row in rows])
    if matrix is None or len(set(names)) < len(names):
        return None
    place = {name: i for i, name in enumerate(names)}
    order = [place[row[0]] for row in rows]
    sorted_ = np.empty_like(matrix)
    sorted_[order] = matrix
    fact("a square of numbers with labels in the first line and column: an adjacency matrix")
    return text_labels(names), sorted_


def _are_numbers(words: Sequence[str]) -> bool:
    return any(is_number(w) and w.lower() not in _NOTHING for w in words)


def _numbers(rows: list[list[str]]) -> Any:
    require_memory(100.0 * len(rows) ** 2, f"a matrix of {len(rows):,} rows", "write .mtx")
    plain = numbers_or_none(list(chain.from_iterable(rows)))
    if plain is not None:  # else empty places and truths, decimal commas, or words
        plain = plain.reshape(len(rows), -1)
        return plain if not np.isnan(plain).any() else np.nan_to_num(plain, posinf=np.inf)
    if has_decimal_commas([w for row in rows for w in row]):
        fact("decimal commas")
        rows = [[w.replace(",", ".") for w in row] for row in rows]
    try:
        return np.array([[_number(w) for w in row] for row in rows])
    except ValueError:
        return None


def _number(word: str) -> float:
    lower = word.lower()
    if lower in _NOTHING:
        return 0.0
    return _TRUTHS[lower] if lower in _TRUTHS else real(word)


def _is_adjacency(matrix: Any) -> bool:
    """Return whether it is large, or symmetric with the same number all along the diagonal."""
    diagonal = matrix.diagonal()
    same = bool((diagonal == diagonal[0]).all())
    return len(matrix) > _SMALL or (same and bool(np.allclose(matrix, matrix.T, rtol=1e-9)))


def matrix_complex(labels: Sequence[Hashable] | None, matrix: Any, rules: Rules) -> Complex:
    """Return the graph of a matrix; of zeros and ones it has no weights."""
    if not np.isfinite(matrix).all():
        raise InputError("has infinite entries; leave places empty where there is no edge")
    weighted = bool(((matrix != 0) & (matrix != 1)).any())
    return adjacency_complex(matrix, weighted=weighted, labels=labels, rules=rules)
