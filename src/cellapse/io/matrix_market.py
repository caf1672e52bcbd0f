"""Matrix Market: the symmetric adjacency matrix of a graph.

The reader of SciPy 1.17 is quick, but crashes on some broken files (that end within a line), and
reads 1.2.3 as 1.2. So it only gets what has been looked over: whole lines of plain numbers. All
else is read here. The size that the header declares is checked against the numbers there are before
anything of that size is made.
"""

from __future__ import annotations

import io
import re
import warnings
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse.io._adjacency import adjacency_complex
from cellapse.io._graphs import graph_columns
from cellapse.io._options import PLAIN, Options
from cellapse.io._source import as_text

_FIELDS = ("real", "double", "integer", "pattern")
_SYMMETRIES = ("general", "symmetric")
_COMMENTS = re.compile(r"\A(?:[ \t]*(?:%[^\n]*)?\n)+")  # all stand before the sizes
_PLACES = r"[1-9][0-9]{0,14} [1-9][0-9]{0,14}"
_VALUE = r" -?[0-9]++(?:\.[0-9]*+)?+(?:[eE][-+]?[0-9]{1,3}+)?+"
_PLAIN = re.compile(
    rf"([0-9]{{1,15}}) ([0-9]{{1,15}}) ([0-9]{{1,15}})\n"
    rf"(?:(?P<real>(?:{_PLACES}{_VALUE}\n)++)|(?P<pattern>(?:{_PLACES}\n)++))",
    re.ASCII,
)


def read_matrix_market(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read an adjacency; its values are the edge attribute `weight`, a pattern has none.

    >>> read_matrix_market(b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n")
    Complex(n_cells=(3, 1))
    """
    first, _, rest = as_text(data).replace("\r", "\n").partition("\n")
    banner = first.lower().split()
    if banner[:2] != ["%%matrixmarket", "matrix"] or len(banner) != 5:
        raise InputError("does not begin with %%MatrixMarket matrix, so it is no such file")
    _, _, layout, field, symmetry = banner
    if layout not in ("coordinate", "array") or field not in _FIELDS or symmetry not in _SYMMETRIES:
        raise InputError(
            f"is a {field} {symmetry} {layout} matrix; an adjacency has real entries, "
            "and is symmetric or general"
        )
    comments = _COMMENTS.match(rest)
    numbers = _numbers(rest[comments.end() :] if comments else rest)
    n_sizes = 2 if layout == "array" else 3
    sizes = numbers[:n_sizes]
    if len(sizes) < n_sizes or (sizes < 0).any() or (sizes > 2**53).any() or (sizes % 1).any():
        raise InputError(f"has the sizes {sizes.tolist()}; give {n_sizes} whole numbers")
    n, n_columns = int(sizes[0]), int(sizes[1])
    if n != n_columns:
        raise InputError(f"is {n} x {n_columns}; the adjacency of a graph is square")
    read = _array if layout == "array" else _coordinates
    matrix = read(n, numbers[2:], symmetry == "symmetric", field == "pattern")
    return adjacency_complex(matrix, weighted=field != "pattern", rules=options.rules)


def _numbers(text: str) -> Any:
    """All numbers of a text, one after the other."""
    plain = _PLAIN.fullmatch(text)
    # Python before 3.11.5 takes the beginning of a line for a whole one where ++ comes to its end.
    if plain is not None and text.endswith("\n"):
        sizes = [float(size) for size in plain.groups()[:3]]
        return np.concatenate([sizes, _entries(plain).ravel()])
    if not text or text.isspace():
        return np.empty(0)
    try:
        with warnings.catch_warnings(action="error"):  # NumPy warns where it stops at a word
            return np.fromstring(text, sep=" ")
    except (ValueError, DeprecationWarning) as error:
        raise InputError(f"holds what is no number ({error})") from None


def _entries(plain: re.Match[str]) -> Any:
    """The lines of coordinates as a table, read by SciPy."""
    from scipy.io import mmread

    field = plain.lastgroup
    body = plain[str(field)]
    size = 10**15  # every place that a line may name
    head = (
        f"%%MatrixMarket matrix coordinate {field} general\n{size} {size} {body.count(chr(10))}\n"
    )
    matrix = mmread(io.BytesIO((head + body).encode()))
    columns = [matrix.row + 1.0, matrix.col + 1.0, matrix.data]
    return np.column_stack(columns[: 3 if field == "real" else 2])


def _array(n: int, values: Any, symmetric: bool, pattern: bool) -> Any:
    expected = n * (n + 1) // 2 if symmetric else n * n
    if pattern or len(values) != expected:
        raise InputError(f"has {len(values)} entries for {n} x {n}; it may be cut off")
    if not symmetric:
        return values.reshape(n, n, order="F")
    matrix = np.zeros((n, n))
    columns, rows = np.triu_indices(n)  # the lower triangle, column by column
    matrix[rows, columns] = matrix[columns, rows] = values
    return matrix


def _coordinates(n: int, numbers: Any, symmetric: bool, pattern: bool) -> Any:
    n_entries, width = int(numbers[0]), 2 if pattern else 3
    if len(numbers) - 1 != n_entries * width:
        raise InputError(
            f"declares {n_entries} entries of {width} numbers, but has {len(numbers) - 1} numbers; "
            "it may be cut off"
        )
    if n > 100 * (n_entries + 1000):
        raise InputError(
            f"declares {n} vertices and {n_entries} entries: nearly all vertices would be alone; "
            "leave those out"
        )
    table = numbers[1:].reshape(n_entries, width)
    places = table[:, :2] - 1
    if len(places) and ((places < 0).any() or (places >= n).any() or (places % 1).any()):
        raise InputError(f"has an entry outside of its {n} rows and columns, counted from 1")
    row, column = places.astype(np.int64).T
    values = np.ones(n_entries) if pattern else table[:, 2]
    if symmetric:
        off = row != column
        row, column = np.r_[row, column[off]], np.r_[column, row[off]]
        values = np.r_[values, values[off]]
    return sparse.coo_array((values, (row, column)), shape=(n, n))


def write_matrix_market(K: Complex) -> bytes:
    r"""The adjacency of a graph with the labels 0, 1, ...; its values are the attribute `weight`.

    >>> write_matrix_market(Complex.from_cells({1: [(0, 1)]}))
    b'%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n'
    """
    edges, columns = graph_columns(K, "Matrix Market")
    if list(K.labels) != list(range(K.n_vertices)) or columns.keys() - {"weight"}:
        raise InputError(
            "Matrix Market holds vertices 0, 1, ... and one number for each edge, and this graph "
            "has other labels or attributes; write .graphml, or rename"
        )
    order = np.lexsort((edges.max(axis=1), edges.min(axis=1)))
    low, high = np.sort(edges[order] + 1, axis=1).T.tolist() if len(edges) else ([], [])
    field, values = "pattern", [""] * len(edges)
    if "weight" in columns:
        weights = np.asarray(columns["weight"])
        if weights.dtype.kind not in "biuf" or not weights.all() or not np.isfinite(weights).all():
            raise InputError("the attribute `weight` is no number other than zero on every edge")
        field, values = "real", [f" {w!r}" for w in weights[order].astype(float).tolist()]
    rows = [f"{v} {u}{w}" for u, v, w in zip(low, high, values, strict=True)]
    head = [f"%%MatrixMarket matrix coordinate {field} symmetric"]
    head += [f"{K.n_vertices} {K.n_vertices} {len(rows)}"]
    return ("\n".join(head + rows) + "\n").encode()
