"""Vertices by name: a dictionary of which every rank holds a range, in ascending order.

A label goes to the rank whose range it falls into, gets its number there, and the number comes
back. The ranges are cut by a sample, so that they are about equally long.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse.scale.agreement import together
from cellapse.scale.routes import Ranges, Route

_SAMPLE = 1000  # labels of each rank that decide about the ranges


class Dictionary:
    """Numbers 0..n-1 for the labels that any rank names: whole numbers, or words.

    Parameters
    ----------
    comm : communicator
    given : array
        The labels this rank knows of, as often as it likes.
    """

    def __init__(self, comm: Any, given: Any) -> None:
        self._kind = _common_kind(comm, given)
        mine = np.unique(given.astype(self._kind).ravel())
        step = max(len(mine) // _SAMPLE, 1)
        sample = np.sort(np.concatenate(comm.allgather(mine[::step])))
        at = len(sample) * np.arange(1, comm.size) // comm.size
        self._comm, self._cuts = comm, sample[at] if len(sample) else sample
        self._labels = np.unique(_moved(self._route(mine), mine, "send"))
        self._ranges = Ranges.of_counts(comm, len(self._labels))

    @property
    def total(self) -> int:
        """How many labels there are."""
        return self._ranges.total

    def _route(self, labels: Any) -> Route:
        to = np.zeros(len(labels), np.int64)
        if len(self._cuts):
            to = np.searchsorted(self._cuts, labels, side="right")
        return Route(self._comm, to)

    def numbers(self, labels: Any) -> IntArray:
        """The number of each label, all of which are known; of any shape."""
        flat = labels.astype(self._kind).ravel()
        route = self._route(flat)
        at = np.searchsorted(self._labels, _moved(route, flat, "send"))
        return route.back(at + self._ranges.low).reshape(labels.shape)

    def labels(self, numbers: IntArray) -> Any:
        """The label of each number."""
        route = self._ranges.route(numbers)
        at = route.send(numbers) - self._ranges.low
        labels = _moved(route, self._labels[at], "back")
        return labels if labels.dtype.kind == "i" else np.char.decode(labels, "utf-8")


def as_labels(table: Any, what: str) -> Any:
    """Whole numbers or words, as an array that can be compared; words as bytes."""
    table = np.asarray(table)
    if np.issubdtype(table.dtype, np.integer):
        return table.astype(np.int64)
    if table.dtype.kind in "US" or (table.size and all(isinstance(v, str) for v in table.flat)):
        return np.char.encode(table.astype(str), "utf-8")
    if not table.size:
        return np.empty(table.shape, np.int64)
    raise InputError(f"{what} are {table.dtype}; give whole numbers or words")


def _common_kind(comm: Any, given: Any) -> Any:
    """int64, or bytes as long as the longest word of all ranks."""
    kinds = comm.allgather((given.dtype.kind, given.dtype.itemsize) if given.size else None)
    known = {kind for kind in kinds if kind is not None}
    with together(comm):
        if len({kind for kind, _ in known}) > 1:
            raise InputError("labels are words on some ranks and numbers on others; give one kind")
    if not known or next(iter(known))[0] == "i":
        return np.dtype(np.int64)
    return np.dtype(f"S{max(size for _, size in known)}")


def _moved(route: Route, labels: Any, way: str) -> Any:
    """Labels along a route; words travel as rows of bytes."""
    move = route.send if way == "send" else route.back
    if labels.dtype.kind == "i":
        return move(labels)
    width = labels.dtype.itemsize
    letters = np.ascontiguousarray(labels).view(np.uint8).reshape(len(labels), width)
    return np.ascontiguousarray(move(letters)).view(labels.dtype).reshape(-1)
