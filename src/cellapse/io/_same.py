"""Whether a file reads back as what was written: the last check before it gets its name.

Formats of text have no types and several delimiters, so that some labels cannot survive in them
('1' comes back as 1, `a|b` may come back as two words). Instead of a list of such cases, what was
written is read again and compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.hyperedges import GivenHyperedges, given_hyperedges
from cellapse._errors import CellapseError, InputError
from cellapse._shared.arrays import IntArray
from cellapse._shared.notes import loss
from cellapse.io._graphs import columns_with_weights


def require_same(K: Complex, data: bytes, read: Callable[[bytes], Complex], kind: str) -> None:
    """Raise unless `data` reads back as K; `kind` says what the format is able to hold.

    "full": everything. "graph": labels and edges in any order, attributes of both.
    "table": the same without those of vertices, and nothing, NaN and the empty word are one.
    "hypergraph": labels and cells in any order.
    """
    try:
        L = read(data)
        difference = _difference(K, L, kind)
    except CellapseError as error:
        difference = str(error)
    if difference:
        raise InputError(
            f"it would not read back the same ({difference:.200}); write .npz, which holds "
            "everything, or rename"
        )


def tell_left_out(K: Complex, ranks: Sequence[int], keeps: Collection[str] = ()) -> None:
    """Say what of some ranks a format has no place for: weights, and attributes but for some."""
    names = {
        name: None
        for k in ranks
        for name in ("weight", *K.attributes[k])
        if name not in keeps and (name != "weight" or K.weights[k] is not None)
    }
    if names:
        of = "vertices" if max(ranks) == 0 else "cells"
        loss(f"what is known of {of} is left out ({', '.join(names):.200}); .json keeps it")


def _difference(K: Complex, L: Complex, kind: str) -> str:
    if kind == "full":
        if not _same(list(K.labels), list(L.labels)):
            return _first_label(K, L)
        if not _same_cells(K, L):
            return "other cells"
        if not all(map(_same_column, K.weights, L.weights)):
            return "other weights"
        if not _same_hyperedges(given_hyperedges(K), L.hyperedges):
            return "other hyperedges"
        if not _same(dict(K.metadata), dict(L.metadata)):
            return "other metadata"
        pairs = zip(K.attributes, L.attributes, strict=True)
        return next((d for a, b in pairs if (d := _other_column(a, b, False))), "")
    place = {_typed(v): i for i, v in enumerate(K.labels)}
    position = [place.get(_typed(v), -1) for v in L.labels]
    if len(position) != len(place) or set(position) != set(range(len(place))):
        return _first_label(K, L)
    if kind == "hypergraph":
        same = all(set(_cells(K, k)) == set(_cells(L, k, position)) for k in (1, 2))
        return "" if same else "other hyperedges"
    if not _same_edges(K, L, np.array(position)):
        return "other edges"
    ranks = range(1 if kind == "table" else 0, min(K.max_rank, 1) + 1)
    for k in ranks:
        columns = L.attributes[k] if L.max_rank >= k else {}
        if difference := _other_column(columns_with_weights(K, k), columns, kind == "table"):
            return difference
    return ""


def _same_cells(K: Complex, L: Complex) -> bool:
    pairs = zip(K.cells, L.cells, strict=True)
    return len(K.cells) == len(L.cells) and all(
        np.array_equal(a.indices, b.indices) and np.array_equal(a.indptr, b.indptr)
        for a, b in pairs
    )


def _same_hyperedges(given: GivenHyperedges | None, read: GivenHyperedges | None) -> bool:
    if given is None or read is None:
        return given is read
    names = [None if H.names is None else list(H.names) for H in (given, read)]
    return (
        np.array_equal(given.cells, read.cells)
        and _same_column(given.weights, read.weights)
        and _same(*names)
        and given.counted == read.counted
    )


def _same_edges(K: Complex, L: Complex, position: IntArray) -> bool:
    """Return whether both list the same edges in order, whatever the order of vertices."""
    none = np.empty((0, 2), np.int64)
    ours, theirs = (C.cells[1].as_array(2) if C.max_rank else none for C in (K, L))
    return np.array_equal(ours, np.sort(position[theirs], axis=1))


def _first_label(K: Complex, L: Complex) -> str:
    kept = set(map(_typed, L.labels))
    lost = [v for v in K.labels if _typed(v) not in kept]
    return f"the label {lost[0]!r:.80} would change" if lost else "the vertices would change"


def _cells(
    K: Complex, rank: int, position: Sequence[int] | None = None
) -> Iterator[frozenset[int]]:
    """Yield the members of all cells, by their places or others."""
    for cell in K.cells[rank] if K.max_rank >= rank else ():
        yield frozenset(cell.tolist() if position is None else (position[v] for v in cell.tolist()))


def _other_column(given: Mapping[str, Any], read: Mapping[str, Any], lenient: bool) -> str:
    """Return the name of a column that differs; one without any value need not come back."""
    for name in dict.fromkeys([*given, *read]):
        if _same_column(given.get(name), read.get(name)):
            continue
        ours, theirs = (_listed(table.get(name), lenient) for table in (given, read))
        if not _same(ours or [None] * len(theirs or ()), theirs or [None] * len(ours or ())):
            return f"the attribute {name!r:.80} would change"
    return ""


def _same_column(a: Any, b: Any) -> bool:
    """Return whether two columns are the same at first sight: the same numbers, to the last bit."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.dtype.kind in "biuf":
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return a is None and b is None


def _listed(values: Any, lenient: bool) -> list[Any] | None:
    if values is None:
        return None
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return [None if _is_nothing(v) else v for v in listed] if lenient else listed


def _is_nothing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _typed(value: Any) -> Any:
    """Return a value that is equal only to one of the same type, NaN to NaN, 0.0 not to -0.0."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple | np.ndarray):
        return tuple(map(_typed, value))
    if isinstance(value, Mapping):
        return tuple((k, _typed(v)) for k, v in value.items())
    return (type(value), repr(value)) if isinstance(value, float) else (type(value), value)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, Sequence) and isinstance(b, Sequence) and len(a) != len(b):
        return False
    return bool(_typed(a) == _typed(b))
