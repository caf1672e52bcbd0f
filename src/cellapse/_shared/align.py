"""One entry for each vertex or cell, in the order of the labels.

The one rule for every argument of that kind: what has labels of its own (a pandas Series or
DataFrame, a mapping, a result of cellapse) is aligned by them, and labels that are missing, unknown
or named twice are refused; arrays and lists have no labels and are taken by position. Values that
are masked are missing, too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from numbers import Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import finite_rows, plain_array, real_array, unmasked
from cellapse._shared.devices import as_given, as_numpy, is_tensor

_NAMED = 3  # labels in a message


def align(
    values: Any,
    labels: Sequence[Hashable],
    name: str,
    *,
    cells: bool = False,
    partial: bool = False,
) -> Any:
    """Return the values in the order of the labels.

    Arrays, lists and whatever else has no labels are returned as they are, by position; how many
    there are is for the caller to check.

    Parameters
    ----------
    values : anything with one entry, or one row, for each label
    labels : sequence
        Of the vertices; or of the cells of another rank, as tuples of vertices.
    name : str
        What the argument is called in messages.
    cells : bool
        Whether a label is a set of vertices, in whatever order they are listed.
    partial : bool
        Whether labels may be missing; their entry is None.

    Examples
    --------
    >>> align({"b": 2, "a": 1}, ("a", "b"), "age")
    [1, 2]
    >>> align({("b", "a"): 5}, (("a", "b"),), "length", cells=True)
    [5]
    >>> align([1, 2], ("a", "b"), "age")
    [1, 2]
    """
    values = _as_mapping(as_numpy(values, name))
    found = _keys(values)
    if found is None:
        return unmasked(values, name)
    order = _places(*found, labels, name, cells=cells, partial=partial)
    own: Any
    if isinstance(values, Mapping):
        own = list(values.values())
    elif _is_pandas(values):
        own = values.to_numpy()
    else:
        own = np.asarray(values)
    if isinstance(own, list) or partial:
        entries = own if isinstance(own, list) else own.tolist()
        return [None if i < 0 else entries[i] for i in order.tolist()]
    return own[order]


def align_numbers(
    values: Any, labels: Sequence[Hashable], name: str, *, cells: bool = False
) -> FloatArray:
    """Return finite real numbers in the order of the labels: one, or one row, for each.

    >>> align_numbers({"b": 2, "a": 1}, ("a", "b"), "mass").tolist()
    [1.0, 2.0]
    """
    return finite_rows(
        real_array(align(values, labels, name, cells=cells), name), len(labels), name
    )


def align_one_each(
    values: Any, labels: Sequence[Hashable], name: str, *, cells: bool = False
) -> FloatArray:
    """Return one finite real number for each label, in their order.

    >>> align_one_each([3, 4], ("a", "b"), "mass").tolist()
    [3.0, 4.0]
    """
    array = align_numbers(one_column(values), labels, name, cells=cells)
    if array.ndim != 1:
        raise InputError(f"{name} has shape {array.shape}; give one number for each cell")
    return array


def align_groups(values: Any, labels: Sequence[Hashable], name: str) -> NDArray[Any]:
    """Return one value of any kind for each label, in their order; none may be missing.

    >>> align_groups({"b": "x", "a": "y"}, ("a", "b"), "groups").tolist()
    ['y', 'x']
    """
    array = plain_array(align(one_column(values), labels, name), name)
    if array.shape != (len(labels),):
        raise InputError(f"{name} of shape {array.shape}; give one for each of {len(labels)}")
    if array.dtype == object and all(isinstance(v, Real) for v in array):
        array = np.array(array.tolist())
    if array.dtype.kind in "fcOmM":
        missing = np.flatnonzero(list(map(is_missing, array)))
        if len(missing):
            raise InputError(
                f"{name} of {labels[missing[0]]!r:.80} (and {len(missing) - 1} more) is missing; "
                "give all of them, for instance a word for what is not known"
            )
    return array


def one_column(values: Any) -> Any:
    """Return a table of one column as that column, where one entry is wanted for each label."""
    if getattr(values, "ndim", 0) != 2 or values.shape[1] != 1:
        return values
    if _is_pandas(values):
        return values.iloc[:, 0]
    return values[:, 0] if isinstance(values, np.ndarray) else values


def is_missing(value: Any) -> bool:
    """Return whether it is None or not equal to itself, like NaN, NaT and NA of pandas."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # NA has no truth
        return True
    except ValueError:  # an array
        return False


def plain(value: Any) -> Any:
    """A number, truth or word of NumPy as Python's own, which is equal; anything else as it is.

    >>> plain(np.int64(3)), plain(np.str_("a")), plain(("a", 1))
    (3, 'a', ('a', 1))
    """
    is_numpy = isinstance(value, np.generic) and value.dtype.kind in "biufU"
    return value.item() if is_numpy else value


def has_labels(values: Any) -> bool:
    """Return whether the values came with labels."""
    return type(values) not in (list, tuple, np.ndarray) and _keys(_as_mapping(values)) is not None


def own_labels(values: Any, name: str) -> Sequence[Any] | None:
    """Return the labels that the values came with, each once; None where they have none.

    >>> own_labels({"b": 2, "a": 1}, "age"), own_labels([1, 2], "age")
    (['b', 'a'], None)
    """
    found = _keys(_as_mapping(values))
    if found is None:
        return None
    try:
        twice = _odd(found[0], found[0], set(found[0]))
    except TypeError as error:
        raise InputError(f"the labels of {name} cannot be hashed ({error}); give names") from None
    if twice:
        raise InputError(f"{name} has {twice[0]}; leave out all but one")
    return found[0]


class Labelled(Protocol):
    """What an operator says of its rows: their labels, and the rank of the cells that they are."""

    labels: Sequence[Hashable]
    onto: int


def unpack(
    values: Any, operator: Labelled, name: str = "the signal"
) -> tuple[FloatArray, Callable[[FloatArray], Any]]:
    """Return a signal in the order of an operator, and the way back to what the user gave."""
    array = align_numbers(values, operator.labels, name, cells=operator.onto > 0)
    return array, way_back(values, operator, name)


def way_back(values: Any, operator: Labelled, name: str) -> Callable[[Any], Any]:
    """Return what makes of a result, with one row for each label, what the values were.

    That is a Series or DataFrame with the index of the user, a tensor of PyTorch, or else an array
    in the order of the operator.
    """
    if is_tensor(values):
        return as_given(values)
    if not _is_pandas(values):
        return lambda result: result
    pandas, index = sys.modules["pandas"], values.index
    cells = operator.onto > 0
    order = _places(index.tolist(), "", operator.labels, name, cells=cells, partial=False)
    back = np.argsort(order)

    def pack(result: Any) -> Any:
        if result.ndim == 1:
            return pandas.Series(result[back], index, name=getattr(values, "name", None))
        return pandas.DataFrame(result[back], index, getattr(values, "columns", None))

    return pack


def _is_pandas(values: Any) -> bool:
    pandas = sys.modules.get("pandas")  # whoever holds a Series has imported pandas already
    return pandas is not None and isinstance(values, pandas.Series | pandas.DataFrame)


def _as_mapping(values: Any) -> Any:
    """A view of networkx, such as G.degree or G.nodes(data="age"), as a dict; all else as it is."""
    kind = type(values)
    if kind.__module__ != "networkx.classes.reportviews":
        return values
    if kind.__name__.endswith(("DegreeView", "NodeDataView")):
        return dict(values)
    of_edges = kind.__name__.endswith("EdgeDataView")
    return {(u, v): value for u, v, value in values} if of_edges else values


def _keys(values: Any) -> tuple[Sequence[Any], str] | None:
    """The labels that the values came with, and what leaves them out; None where there are none."""
    if isinstance(values, Mapping):
        return list(values), "list(values.values())"
    if _is_pandas(values):
        return values.index.tolist(), "values.to_numpy()"
    labels = getattr(values, "labels", getattr(values, "edges", None))  # Clusters, EdgeTrust, ...
    if labels is None or not hasattr(values, "__array__"):
        return None
    return list(labels), "numpy.asarray(values)"


def _places(
    keys: Sequence[Any],
    plain: str,
    labels: Sequence[Hashable],
    name: str,
    *,
    cells: bool,
    partial: bool,
) -> IntArray:
    """Return where the entry of each label stands among the keys; -1 where there is none."""
    if keys == list(labels):
        return np.arange(len(keys))
    wanted = [_as_set(v) for v in labels] if cells else labels
    given = [_as_set(v) for v in keys] if cells else keys
    try:
        place = {v: i for i, v in enumerate(given)}
    except TypeError as error:
        raise InputError(f"the labels of {name} cannot be hashed ({error}); give names") from None
    order = np.array([place.get(v, -1) for v in wanted], dtype=np.int64)
    if len(np.unique(order[order >= 0])) < len(given) or ((order < 0).any() and not partial):
        remedy = f"name its entries like {_few(labels)}"
        if len(keys) == len(labels):
            remedy += f", or give {plain} where its entries stand in that order"
        gaps = [] if partial else np.flatnonzero(order < 0).tolist()
        said = [f"no entry for {_few([labels[i] for i in gaps])}"] if len(gaps) else []
        said += _odd(keys, given, set(wanted))
        raise InputError(f"{name} goes by its labels, and has {' and '.join(said)}; {remedy}")
    return order


def _as_set(label: Any) -> Any:
    """Return a cell by its vertices, whatever their order."""
    try:
        return frozenset(label) if isinstance(label, tuple | list | set) else label
    except TypeError:  # vertices that cannot be hashed
        return label


def _odd(keys: Sequence[Any], given: Sequence[Any], known: set[Hashable]) -> list[str]:
    """Return what is wrong with labels: those named twice, and those that are unknown."""
    seen, twice, unknown = set(), [], []
    for key, v in zip(keys, given, strict=True):
        if v not in known:
            unknown.append(key)
        elif v in seen:
            twice.append(key)
        seen.add(v)
    said = [f"entries for {_few(unknown)}, not among the {len(known):,} labels"] if unknown else []
    return [*said, *([f"two entries for {_few(twice)}"] if twice else [])]


def _few(labels: Sequence[Any]) -> str:
    """Return the first labels, and how many more there are."""
    more = len(labels) - _NAMED
    text = ", ".join(f"{v!r:.60}" for v in list(labels[:_NAMED]))
    return f"{text} and {more:,} more" if more > 0 else text
