"""Matrix Market: the symmetric adjacency matrix of a graph.

The reader of SciPy 1.17 is quick, but crashes on some broken files (that end within a line), and
reads 1.2.3 as 1.2. So it only gets what has been looked over: whole lines of plain numbers, as many
as declared. All else is read here. The size that the header declares is checked against the numbers
there are before anything of that size is made.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.memory import require_memory
from cellapse._shared.notes import fact
from cellapse.io._adjacency import adjacency_complex
from cellapse.io._graphs import graph_columns, graph_complex
from cellapse.io._numbers import not_whole, numbers_of
from cellapse.io._options import PLAIN, Options
from cellapse.io._plain_lines import count_plain_lines
from cellapse.io._same import tell_left_out
from cellapse.io._source import as_text

_FIELDS = ("real", "double", "integer", "pattern")
_SYMMETRIES = ("general", "symmetric")
_COMMENTS = re.compile(rb"(?:[ \t]*(?:%[^\n]*)?\n)*")  # all stand before the sizes
_SIZES = re.compile(rb"([0-9]{1,15}) ([0-9]{1,15}) ([0-9]{1,15})\n")
_PIECE = 1 << 16  # bytes that SciPy gets at once; it asks for 1,024 each time


class _Pieces:
    """A stream with another banner before the sizes and entries, of which it makes no second copy.

    SciPy reads the pieces where they are, however long they are.
    """

    def __init__(self, banner: bytes, data: bytes, start: int) -> None:
        places = range(start, len(data), _PIECE)
        self._pieces = chain([banner], (data[at : at + _PIECE] for at in places))

    def read(self, _: int) -> bytes:
        return next(self._pieces, b"")


def read_matrix_market(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read an adjacency; its values are the edge attribute `weight`, a pattern has none.

    >>> read_matrix_market(b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n")
    Complex(n_cells=(3, 1))
    """
    if b"\r" in data:
        data = data.replace(b"\r", b"\n")
    banner_end = data.find(b"\n") if b"\n" in data else len(data)
    banner = as_text(data[:banner_end]).lower().split()
    if banner[:2] != ["%%matrixmarket", "matrix"] or len(banner) != 5:
        raise InputError("does not begin with %%MatrixMarket matrix, so it is no such file")
    _, _, layout, field, symmetry = banner
    if layout not in ("coordinate", "array") or field not in _FIELDS or symmetry not in _SYMMETRIES:
        raise InputError(
            f"is a {field} {symmetry} {layout} matrix; an adjacency has real entries, "
            "and is symmetric or general"
        )
    comments = _COMMENTS.match(data, banner_end)
    start = comments.end() if comments else banner_end
    symmetric, pattern = symmetry == "symmetric", field == "pattern"
    if layout == "array":
        matrix = _array(numbers_of(as_text(data[start:])), symmetric, pattern)
    else:
        matrix = _plain_entries(data, start, pattern)
        if matrix is None:
            matrix = _entries(numbers_of(as_text(data[start:])), pattern)
        if symmetric:
            return _half(_distinct(matrix), pattern, options)
    return adjacency_complex(matrix, weighted=not pattern, rules=options.rules)


def _plain_entries(data: bytes, start: int, pattern: bool) -> sparse.coo_matrix | None:
    """The entries as listed, by SciPy, if every line is plain and there are as many as declared."""
    sizes, width = _SIZES.match(data, start), 2 if pattern else 3
    if sizes is None or count_plain_lines(data, width, sizes.end()) != int(sizes[3]):
        return None
    from scipy.io import mmread

    n, m, count = map(int, sizes.groups())
    _check_sizes(n, m, count)
    field = "pattern" if pattern else "real"
    banner = f"%%MatrixMarket matrix coordinate {field} general\n".encode()
    try:
        return mmread(_Pieces(banner, data, start))
    except (ValueError, OverflowError):
        raise _outside(n) from None


def _sizes(numbers: Any, count: int) -> list[int]:
    sizes = numbers[:count]
    if len(sizes) < count or (sizes < 0).any() or not_whole(sizes).any():
        raise InputError(f"has the sizes {sizes.tolist()}; give {count} whole numbers")
    whole: list[int] = sizes.astype(np.int64).tolist()
    if whole[0] != whole[1]:
        raise InputError(f"is {whole[0]} x {whole[1]}; the adjacency of a graph is square")
    return whole


def _array(numbers: Any, symmetric: bool, pattern: bool) -> Any:
    n, values = _sizes(numbers, 2)[0], numbers[2:]
    expected = n * (n + 1) // 2 if symmetric else n * n
    if pattern or len(values) != expected:
        raise InputError(f"has {len(values)} entries for {n} x {n}; it may be cut off")
    if not symmetric:
        return values.reshape(n, n, order="F")
    matrix = np.zeros((n, n))
    columns, rows = np.triu_indices(n)  # the lower triangle, column by column
    matrix[rows, columns] = matrix[columns, rows] = values
    return matrix


def _entries(numbers: Any, pattern: bool) -> sparse.coo_array:
    """Return the same of whatever numbers there are."""
    n, m, count = _sizes(numbers, 3)
    width, listed = 2 if pattern else 3, numbers[3:]
    if len(listed) != count * width:
        raise InputError(
            f"declares {count} entries of {width} numbers, but has {len(listed)} numbers; "
            "it may be cut off"
        )
    _check_sizes(n, m, count)
    table = listed.reshape(count, width)
    places = table[:, :2] - 1
    if len(places) and ((places < 0).any() or (places >= n).any() or not_whole(places).any()):
        raise _outside(n)
    row, column = places.astype(np.int64).T
    values = np.ones(count) if pattern else table[:, 2]
    return sparse.coo_array((values, (row, column)), shape=(n, m))


def _check_sizes(n: int, m: int, count: int) -> None:
    if n != m:
        raise InputError(f"is {n} x {m}; the adjacency of a graph is square")
    if n > 100 * (count + 1000):
        raise InputError(
            f"declares {n} vertices and {count} entries: nearly all vertices would be alone; "
            "leave those out"
        )


def _outside(n: int) -> InputError:
    return InputError(f"has an entry outside of its {n} rows and columns, counted from 1")


def _distinct(listed: Any) -> sparse.coo_array:
    """The entries as of the upper half, in order, without zeros; those of one place added up."""
    places = (np.minimum(listed.row, listed.col), np.maximum(listed.row, listed.col))
    upper = sparse.coo_array((listed.data, places), shape=listed.shape).tocsr()  # sums repeats
    if upper.nnz < listed.nnz:
        fact(f"{listed.nnz - upper.nnz:,} repeated entries are added up")
    upper.sort_indices()
    upper.eliminate_zeros()
    return upper.tocoo()


def _half(entries: sparse.coo_array, pattern: bool, options: Options) -> Complex:
    """Return the graph of a matrix of which one half is listed: every entry is an edge."""
    n = entries.shape[0]
    require_memory(100.0 * n, f"a graph of {n:,} vertices", "leave out those without edges")
    if not np.isfinite(entries.data).all():
        raise InputError("has entries that are no finite numbers; leave out those without edges")
    edges = np.column_stack([entries.row, entries.col]).astype(np.int64)
    columns = {} if pattern else {"weight": entries.data}
    return graph_complex(range(n), edges, {}, columns, rules=options.rules)


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
    tell_left_out(K, [0])
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
