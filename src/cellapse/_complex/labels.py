"""From the labels people use to positions in arrays, and clear words where that fails."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.align import is_missing
from cellapse._shared.arrays import IntArray
from cellapse._shared.checks import listed

POINTS = (
    "points, it seems; say what joins them: lifts.nearest_neighbour_complex, lifts.rips_complex or "
    "lifts.alpha_complex. An adjacency is square and symmetric, edges with weights are a list of "
    "(u, v, weight)"
)
_PLAIN = frozenset({tuple, list, set, frozenset})
_NAMES = frozenset({str, int, tuple, np.int64})  # of which none means that there is no name


def as_tuples(rank: int, cells: Iterable[Any]) -> list[tuple[Hashable, ...]]:
    """Return the cells as tuples of labels; anything that is no collection is named and refused."""
    tuples: list[tuple[Hashable, ...]] = []
    for cell in listed(steady(cells), f"the list of cells of rank {rank}"):
        if type(cell) in _PLAIN:  # quicker to ask than whether it is any collection
            tuples.append(tuple(steady(cell)))
            continue
        if isinstance(cell, str | bytes | Mapping) or not isinstance(cell, Iterable):
            raise InputError(
                f"cell {cell!r} of rank {rank} is not a collection of vertices; "
                "write it as a tuple of labels"
            )
        tuples.append(tuple(cell.tolist() if hasattr(cell, "tolist") else cell))
    return list(steady(set(tuples))) if isinstance(cells, set | frozenset) else tuples


def refuse_points(groups: Iterable[Sequence[Any]]) -> None:
    """Rows of fractions are points: no lists of cells, though they could be read as such."""
    first = next(iter(groups), None)
    if first and all(group and all(isinstance(v, float) for v in group) for group in groups):
        raise InputError(f"{first!r:.80} and others hold only fractions: {POINTS}")


def steady(group: Any) -> Any:
    """Return a set as a list in an order that is no accident of hashing; anything else as it is.

    >>> steady({"c", "a"}), steady(("c", "a"))
    (['a', 'c'], ('c', 'a'))
    """
    if not isinstance(group, set | frozenset):
        return group
    try:
        return sorted(group)
    except TypeError:
        return sorted(group, key=repr)


def vertex_order(
    named: Iterable[Hashable], listed_: Collection[Hashable] = ()
) -> tuple[Hashable, ...]:
    """Return the vertices that cells name, each once, in the one order that they get everywhere.

    A list of all vertices is an order of its own, and is kept. Without one, whole numbers are in
    numeric order, whatever holds the cells, and other labels come as they are named first.

    >>> vertex_order([5, 0, 2, 0]), vertex_order("cab"), vertex_order([5, 0], [0, 5, 2][::-1])
    ((0, 2, 5), ('c', 'a', 'b'), (2, 5, 0))
    """
    try:
        known = dict.fromkeys(listed_)
        first = dict.fromkeys(named)
    except TypeError as error:
        raise _unhashable(error) from None
    if known and first.keys() <= known.keys():
        return tuple(known)
    every = {**first, **known}
    kinds = set(map(type, every))
    _refuse_missing(every, kinds)
    if all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
        numbers: Any = every
        return tuple(sorted(map(int, numbers)))
    return tuple(every)


def _refuse_missing(labels: Iterable[Hashable], kinds: set[type]) -> None:
    missing = [v for v in labels if is_missing(v)] if kinds - _NAMES else []
    if missing:
        raise InputError(
            f"a vertex is called {missing[0]!r}, which means a missing value; leave out its cells, "
            "or call it something else, such as a word"
        )


def _unhashable(error: TypeError) -> InputError:
    return InputError(f"a vertex label cannot be hashed ({error}); use strings, numbers or tuples")


def positions(labels: Sequence[Hashable]) -> dict[Hashable, int]:
    """Return where each label stands; labels that repeat or cannot be hashed are refused."""
    try:
        position = {v: i for i, v in enumerate(labels)}
    except TypeError as error:
        raise _unhashable(error) from None
    if len(position) < len(labels):
        twice = next(v for i, v in enumerate(labels) if position[v] != i)
        raise InputError(f"vertex {twice!r} is listed twice; labels must differ")
    if not isinstance(labels, range):
        _refuse_missing(labels, set(map(type, labels)))
    return position


def _known(label: Any, position: Mapping[Hashable, int]) -> bool:
    try:
        return label in position
    except TypeError:  # cannot be hashed
        return False


def numbered(
    rank: int, cells: Sequence[Collection[Hashable]], position: Mapping[Hashable, int]
) -> tuple[IntArray, IntArray]:
    """Labelled cells as (indptr, indices); a label without a position is named and refused."""
    sizes = np.fromiter(map(len, cells), dtype=np.int64, count=len(cells))
    try:
        members = map(position.__getitem__, chain.from_iterable(cells))
        flat = np.fromiter(members, dtype=np.int64, count=int(sizes.sum()))
    except (KeyError, TypeError):
        cell, v = next((c, v) for c in cells for v in c if not _known(v, position))
        raise InputError(
            f"cell {cell!r} of rank {rank} names {v!r}, which is not among the vertices "
            "that are listed; list it there, too"
        ) from None
    return np.concatenate([[0], np.cumsum(sizes)]), flat
