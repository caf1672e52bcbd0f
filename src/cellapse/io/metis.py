"""METIS: `n m fmt ncon`, then a line for every vertex with its neighbours, counted from 1.

Every edge is listed at both ends. The first digit of `fmt` says that a vertex has a size, the
second that it has weights, `ncon` of them, and the third that edges have weights.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.io._graphs import check_declared, graph_complex
from cellapse.io._numbers import not_whole, numbers_by_line, whole
from cellapse.io._options import PLAIN, Options
from cellapse.io._source import as_text

_COMMENT = re.compile(r"^[ \t]*%[^\n]*\n?", re.MULTILINE)
_SIZES = re.compile(
    r"\s*(?:%[^\n]*\n\s*)*([0-9]{1,15})[ \t]+[0-9]{1,15}(?:[ \t]+[0-9]{1,3}){0,2}[ \t\r]*(?:\n|\Z)"
)
_EMPTY_LINES = 5  # at the end


class _Lists(NamedTuple):
    """The neighbours of every vertex, one after the other, and what is known of each."""

    n: int
    vertex: IntArray
    neighbour: IntArray
    weight: FloatArray | None
    own: dict[str, Any]


def read_metis(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read a METIS graph; vertices are called 1, 2, ... as in the file.

    >>> read_metis(b"3 2\n2\n1 3\n2\n")
    Complex(n_cells=(3, 2))
    """
    lists = _lists(as_text(data))
    once = lists.vertex <= lists.neighbour  # every edge is listed at both ends
    edges = np.column_stack([lists.vertex[once], lists.neighbour[once]])
    columns = {} if lists.weight is None else {"weight": lists.weight[once]}
    labels = range(1, lists.n + 1)
    return graph_complex(labels, edges, lists.own, columns, rules=options.rules)


def is_metis(text: str) -> bool:
    r"""Return whether a text is a METIS graph: lines and edges as many as the first line says.

    >>> is_metis("3 2\n2\n1 3\n2\n"), is_metis("3 2\n2 1\n1 3\n1 2\n")
    (True, False)
    """
    sizes = _SIZES.match(text)
    if sizes is None:
        return False
    n_comments = text.count("%") + text.count("\n", 0, sizes.start(1))
    if not -1 <= text.count("\n", sizes.start(1)) - int(sizes[1]) <= _EMPTY_LINES + n_comments:
        return False
    try:
        _lists(text)
    except InputError:
        return False
    return True


def _lists(text: str) -> _Lists:
    text = _COMMENT.sub("", text) if "%" in text else text
    first, _, rest = text.lstrip().partition("\n")
    head = first.split()
    if not 2 <= len(head) <= 4:
        raise InputError("does not begin with `n m`, two to four numbers, as METIS files do")
    n, m = whole(head[0], "the number of vertices", 1), whole(head[1], "the number of edges")
    check_declared(n, 1 + rest.count("\n"))
    values, counts = numbers_by_line(rest.replace("\r", ""))
    # A last line may be empty, and any number of empty ones may follow.
    if len(counts) < n - 1 or counts[n:].any():
        raise InputError(f"declares {n} vertices, and has {len(counts)} lines of neighbours")
    counts = np.append(counts, 0)[:n]
    kind = head[2].zfill(3) if len(head) > 2 else "000"
    if len(kind) != 3 or set(kind) - {"0", "1"}:
        raise InputError(f"has the format {kind!r}; METIS has three digits, 0 or 1")
    n_weights = whole(head[3], "the number of weights", 1, 100) if len(head) == 4 else 1
    before = int(kind[0]) + (n_weights if kind[1] == "1" else 0)
    line = np.repeat(np.arange(n), counts)
    if counts.min(initial=before) < before:
        raise InputError(f"has a vertex with {counts.min()} of its {before} sizes and weights")
    own: dict[str, Any] = {}
    if before:
        place = np.arange(len(line)) - (np.cumsum(counts) - counts)[line]  # within its line
        own = _own(values[place < before].reshape(n, before), kind[0] == "1")
        values, line = values[place >= before], line[place >= before]
    if kind[2] == "1":
        if ((counts - before) % 2).any():
            raise InputError("has a neighbour without a weight; the third digit of the format is 1")
        lists = _Lists(n, line[::2], _vertices(values[::2], n), values[1::2], own)
    else:
        lists = _Lists(n, line, _vertices(values, n), None, own)
    _check_edges(lists, m)
    return lists


def _own(values: FloatArray, sized: bool) -> dict[str, Any]:
    """Return what is known of the vertices: size, and weight or weights."""
    own: dict[str, Any] = {"size": values[:, 0]} if sized else {}
    weights = values[:, int(sized) :]
    if weights.shape[1]:
        own["weight"] = weights if weights.shape[1] > 1 else weights[:, 0]
    return own


def _vertices(values: FloatArray, n: int) -> IntArray:
    odd = values[(values < 1) | (values > n) | not_whole(values)]
    if len(odd):
        raise InputError(f"has {odd[0]:g} where a vertex belongs, a number from 1 to {n}")
    return values.astype(np.int64) - 1


def _check_edges(lists: _Lists, m: int) -> None:
    """Raise unless there are as many edges as declared, each listed at both ends."""
    u, v = lists.vertex, lists.neighbour
    n_edges = int((u <= v).sum())
    if n_edges != m:
        raise InputError(f"declares {m} edges, and lists {n_edges}; it may be cut off")
    starts = np.concatenate([[0], np.cumsum(np.bincount(u, minlength=lists.n))])
    values = np.ones(len(v)) if lists.weight is None else lists.weight
    back = sparse.csr_array((values, v, starts), shape=(lists.n, lists.n)).T.tocsr()
    there = back.T.tocsr()  # what was listed, with neighbours in order, as `back` has them
    same = np.array_equal(there.indices, back.indices)  # then vertices have as many in both, too
    if not same or not np.array_equal(there.data, back.data):
        raise InputError("has an edge at one of its ends only, or with two weights; METIS has both")
