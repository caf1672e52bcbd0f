"""What users know about cells besides their weight: one column per name, one entry per cell."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cellapse._errors import InputError
from cellapse._shared.align import align, has_labels, is_missing, plain
from cellapse._shared.checks import unmasked
from cellapse._shared.memory import draw_memory

Columns = Mapping[str, NDArray[Any]]
LabelsOf = Callable[[int], Sequence[Hashable]]  # the labels of the cells of a rank

USUAL = "weight"  # what the attribute is called that counts as weights by itself
_PLAIN = frozenset({str, int, float, bool, tuple, list, dict, type(None)})
_MANY_NAMES = 10_000  # words of a file used as names by mistake


def check_attributes(given: Any, counts: Sequence[int], labels_of: LabelsOf) -> tuple[Columns, ...]:
    """Return the columns of every rank, each as long as there are cells and in their order.

    >>> columns = {"age": [30, 40], "town": {"b": None, "a": "Ulm"}}
    >>> check_attributes({0: columns}, [2, 1], lambda rank: ["a", "b"])[0]["town"].tolist()
    ['Ulm', None]
    """
    if given is not None and not isinstance(given, Mapping):
        raise InputError(
            f"attributes is a {type(given).__name__}; give a mapping from rank to columns, "
            "for instance {0: {'age': [30, 40]}}"
        )
    rest = dict(given or {})
    checked = []
    for rank, count in enumerate(counts):
        columns = _by_name(rest.pop(rank, {}))
        if not isinstance(columns, Mapping):
            raise InputError(
                f"attributes of rank {rank} are a {type(columns).__name__}; give a mapping from "
                "names to one value per cell"
            )
        checked.append(
            {name: _column(name, v, rank, count, labels_of) for name, v in columns.items()}
        )
    if rest:
        raise InputError(f"attributes for rank {min(rest)}, where there are no cells; remove them")
    return tuple(checked)


def check_metadata(given: Any) -> Mapping[str, Any]:
    """Return what is known of the whole complex: a mapping from names to anything."""
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise InputError(
            f"metadata is {given!r:.80}; give a mapping from names to values, for instance "
            "{'name': 'Les Miserables'}"
        )
    return dict(given)


def usual_weight(names: Iterable[Any]) -> Any:
    """Return the attribute that counts by itself: "weight", or else the same with capitals.

    >>> usual_weight(["Weight", "id"]), usual_weight(["Weight", "weight"]), usual_weight(["id"])
    ('Weight', 'weight', None)
    """
    alike = [n for n in names if isinstance(n, str) and n.lower() == USUAL]
    return USUAL if USUAL in alike else next(iter(alike), None)


def columns_of(records: Sequence[Mapping[Any, Any]]) -> dict[Any, list[Any]]:
    """Return one dict per cell as one column per name; None where a cell has no such entry.

    >>> columns_of([{"age": 30}, {}, {"age": 40, "town": "Ulm"}])
    {'age': [30, None, 40], 'town': [None, None, 'Ulm']}
    """
    names = dict.fromkeys(chain.from_iterable(records))
    if not names:
        return {}
    if len(names) > _MANY_NAMES:
        raise InputError(
            f"{len(names):,} names of attributes; at most {_MANY_NAMES:,} make sense: "
            "use one name for what is the same kind of thing"
        )
    # Lists while the table is made, arrays when it is, and a copy on the way between complexes.
    draw_memory(
        48.0 * len(names) * len(records),
        f"the table of {len(names):,} attributes of {len(records):,} cells",
        "leave out attributes",
    )
    return {name: [record.get(name) for record in records] for name in names}


def as_table(values: Sequence[Any]) -> NDArray[Any] | None:
    """Lists or arrays of numbers, all of one length, as the rows of an array; others are None.

    >>> as_table([[0.5, 1], [2, 3]]).tolist(), as_table([[1], [2, 3]])
    ([[0.5, 1.0], [2.0, 3.0]], None)
    """
    if not values or not all(map(_are_numbers, values)):
        return None
    try:
        table = np.array(values)
    except ValueError:  # of several lengths
        return None
    return None if table.dtype == object else table  # whole numbers that are too large


def _are_numbers(row: Any) -> bool:
    if isinstance(row, np.ndarray):
        return row.dtype.kind in "biuf"
    if not isinstance(row, list):
        return False
    kinds = set(map(type, row))
    return bool(kinds) and (kinds <= {int, float} or kinds == {bool})


def _by_name(columns: Any) -> Any:
    """Return the columns of a DataFrame by their names, each with its index; all else as it is."""
    pandas = sys.modules.get("pandas")
    frame = pandas is not None and isinstance(columns, pandas.DataFrame)
    return dict(columns.items()) if frame else columns


def _column(name: Any, values: Any, rank: int, count: int, labels_of: LabelsOf) -> NDArray[Any]:
    if not isinstance(name, str):
        raise InputError(f"attribute name {name!r} of rank {rank}; give a string")
    said = f"attribute {name!r}"
    if has_labels(values):
        values = align(values, labels_of(rank), said, cells=rank > 0)
    values = unmasked(values, said)
    if not hasattr(values, "__iter__") and hasattr(values, "__array__"):
        values = np.asarray(values)
    single = isinstance(values, str | set | frozenset) or getattr(values, "shape", None) == ()
    if single or not hasattr(values, "__len__") or len(values) != count:
        raise InputError(
            f"attribute {name!r} of rank {rank} does not hold one value for each of {count} cells"
        )
    if isinstance(values, np.ndarray) and (values.dtype != object or values.ndim > 1):
        return values
    listed = list(values)
    if any(kind not in _PLAIN for kind in set(map(type, listed))):
        listed = [_entry(v) for v in listed]
    if isinstance(values, np.ndarray):
        return _objects(listed)
    table = as_table(listed)
    if table is not None:
        return table
    kinds = set(map(type, listed))
    if len(kinds) == 1 and issubclass(kinds.pop(), Real):
        return np.array(listed)
    return _objects(listed)


def _entry(value: Any) -> Any:
    """An entry as Python's own; None for the NA and NaT of pandas, which no library else knows."""
    if isinstance(value, float | np.floating):
        return plain(value)
    return None if is_missing(value) else plain(value)


def _objects(listed: Sequence[Any]) -> NDArray[Any]:
    """Words, tuples, or None where nothing is known."""
    column = np.empty(len(listed), dtype=object)
    column[:] = listed
    return column
