"""Whether a file reads back as what was written: the last check before it gets its name.

Formats of text have no types and several delimiters, so that some labels cannot survive in them
('1' comes back as 1, `a|b` may come back as two words). Instead of a list of such cases, what was
written is read again and compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import CellapseError, InputError
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
            f"it would not read back the same ({difference:.200}); write .npz or .json, or rename"
        )


def _difference(K: Complex, L: Complex, kind: str) -> str:
    if kind == "full":
        if not _same(list(K.labels), list(L.labels)):
            return _first_label(K, L)
        if [c.indices.tolist() for c in K.cells] != [c.indices.tolist() for c in L.cells]:
            return "other cells"
        if not _same(list(K.weights), list(L.weights)):
            return "other weights"
        if not _same(dict(K.metadata), dict(L.metadata)):
            return "other metadata"
        pairs = zip(K.attributes, L.attributes, strict=True)
        return next((d for a, b in pairs if (d := _other_column(a, b, False))), "")
    if set(map(_typed, K.labels)) != set(map(_typed, L.labels)):
        return _first_label(K, L)
    if kind == "hypergraph":
        same = all(set(_cells(K, k)) == set(_cells(L, k)) for k in (1, 2))
        return "" if same else "other hyperedges"
    if _cells(K, 1) != _cells(L, 1):
        return "other edges"
    ranks = range(1 if kind == "table" else 0, min(K.max_rank, 1) + 1)
    for k in ranks:
        columns = L.attributes[k] if L.max_rank >= k else {}
        if difference := _other_column(columns_with_weights(K, k), columns, kind == "table"):
            return difference
    return ""


def _first_label(K: Complex, L: Complex) -> str:
    kept = set(map(_typed, L.labels))
    lost = next((v for v in K.labels if _typed(v) not in kept), None)
    return f"the label {lost!r:.80} would change"


def _cells(K: Complex, rank: int) -> list[frozenset[Any]]:
    labels = K.cell_labels(rank) if K.max_rank >= rank else ()
    return [frozenset(map(_typed, cell)) for cell in labels]  # type: ignore[call-overload]


def _other_column(given: Mapping[str, Any], read: Mapping[str, Any], lenient: bool) -> str:
    """The name of a column that differs; one without any value need not come back."""
    for name in dict.fromkeys([*given, *read]):
        ours, theirs = (_listed(table.get(name), lenient) for table in (given, read))
        if not _same(ours or [None] * len(theirs or ()), theirs or [None] * len(ours or ())):
            return f"the attribute {name!r:.80} would change"
    return ""


def _listed(values: Any, lenient: bool) -> list[Any] | None:
    if values is None:
        return None
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return [None if _is_nothing(v) else v for v in listed] if lenient else listed


def _is_nothing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _typed(value: Any) -> Any:
    """A value that is equal only to one of the same type, NaN to NaN, 0.0 not to -0.0."""
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
