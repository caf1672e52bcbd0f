"""From the labels people use to positions in arrays, and clear words where that fails."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse._shared.checks import listed

_PLAIN = frozenset({tuple, list, set, frozenset})


def as_tuples(rank: int, cells: Iterable[Any]) -> list[tuple[Hashable, ...]]:
    """The cells as tuples of labels; anything that is no collection is named and refused."""
    tuples = []
    for cell in listed(cells, f"the list of cells of rank {rank}"):
        if type(cell) in _PLAIN:  # quicker to ask than whether it is any collection
            tuples.append(tuple(cell))
            continue
        if isinstance(cell, str | bytes | Mapping) or not isinstance(cell, Iterable):
            raise InputError(
                f"cell {cell!r} of rank {rank} is not a collection of vertices; "
                "write it as a tuple of labels"
            )
        tuples.append(tuple(cell.tolist() if hasattr(cell, "tolist") else cell))
    return tuples


def in_order(labels: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Each label once, in the order of first appearance."""
    try:
        return tuple(dict.fromkeys(labels))
    except TypeError as error:
        raise _unhashable(error) from None


def _unhashable(error: TypeError) -> InputError:
    return InputError(f"a vertex label cannot be hashed ({error}); use strings, numbers or tuples")


def positions(labels: Sequence[Hashable]) -> dict[Hashable, int]:
    """Where each label stands; labels that repeat or cannot be hashed are refused."""
    try:
        position = {v: i for i, v in enumerate(labels)}
    except TypeError as error:
        raise _unhashable(error) from None
    if len(position) < len(labels):
        twice = next(v for i, v in enumerate(labels) if position[v] != i)
        raise InputError(f"vertex {twice!r} is listed twice; labels must differ")
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
            f"cell {cell!r} of rank {rank} names {v!r}, which is not among the vertices; "
            "list it in cells[0]"
        ) from None
    return np.concatenate([[0], np.cumsum(sizes)]), flat
