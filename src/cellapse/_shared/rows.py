"""Finding rows of integer tables, without a Python loop over rows."""

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._shared.arrays import BoolArray, IntArray

_MOST_KEYS = 10_000  # so few keys have a place each
_MANY = 3_000  # so many pairs are worth a sparse matrix


class RowIndex:
    """Where each row stands in a table of integers 0..n_values-1.

    >>> index = RowIndex(np.array([[0, 1], [1, 2]]), n_values=3)
    >>> index.find(np.array([[1, 2], [0, 2]])).tolist()
    [1, -1]
    """

    def __init__(self, table: IntArray, n_values: int) -> None:
        self._n_values, self._table = n_values, table
        # A row becomes one integer, digit by digit; where that would overflow, the digits so far
        # are replaced by their place among those that occur.
        self._places: list[IntArray | None] = []
        keys, span = np.zeros(len(table), dtype=np.int64), 1
        for column in range(table.shape[1]):
            overflow = span * n_values >= 2**62
            place = np.unique(keys) if overflow else None
            self._places.append(place)
            if place is not None:
                keys, span = np.searchsorted(place, keys), len(place)
            digit = table[:, column].astype(np.int64, copy=False)
            keys = keys * n_values + digit if column else digit
            span *= n_values
        self._given, self._span = keys, span

    @cached_property
    def _ascend(self) -> bool:
        return bool((self._given[1:] > self._given[:-1]).all())  # as most lists do: no sorting

    @cached_property
    def _place(self) -> IntArray | None:
        """The first position of every key, -1 where it does not occur; where keys are few."""
        if self._span > _MOST_KEYS:  # a search needs less memory
            return None
        place = np.full(self._span, -1)
        place[self._given[::-1]] = np.arange(len(self._given))[::-1]
        return place

    @cached_property
    def _numbers(self) -> sparse.csr_array | None:
        """The place of every pair, counted from 1, as an entry of a matrix; None where some repeat.

        A row of it has few entries, where the list of all pairs is long to search.
        """
        index = np.int32 if self._n_values < 2**31 else np.int64
        numbers = np.arange(1, len(self._table) + 1)
        places = tuple(self._table.T.astype(index))
        matrix = sparse.coo_array((numbers, places), (self._n_values, self._n_values)).tocsr()
        matrix.sum_duplicates()  # in order, too
        return matrix if matrix.nnz == len(numbers) else None

    @cached_property
    def _order(self) -> IntArray:
        return np.argsort(self._given, kind="stable")

    @cached_property
    def _keys(self) -> IntArray:
        return self._given if self._ascend else self._given[self._order]

    def find(self, rows: IntArray) -> IntArray:
        """First position of every row in the table, or -1 where there is none."""
        if not len(self._given):
            return np.full(len(rows), -1, dtype=np.int64)
        if rows.shape[1] == 2 and len(rows) > _MANY and self._numbers is not None:
            return np.asarray(self._numbers[rows[:, 0], rows[:, 1]]) - 1
        keys: Any = 0
        known: Any = True
        for column, place in enumerate(self._places):
            if place is not None:
                keys, there = _look_up(place, keys)
                known = known & there
            keys = keys * self._n_values + rows[:, column]
        if self._place is not None:
            return self._place[keys]
        at, there = _look_up(self._keys, keys)
        if not self._ascend:
            at = self._order[at]
        return np.where(known & there, at, -1)

    def first_repeat(self) -> tuple[int, int] | None:
        """Return positions of the first two equal rows, or None when all differ."""
        if self._ascend:
            return None
        # Quicker than their order, and stable, as most lists are in order but for a few
        keys = np.sort(self._given, kind="stable")
        same = np.flatnonzero(keys[1:] == keys[:-1])
        if not len(same):
            return None
        return int(self._order[same[0]]), int(self._order[same[0] + 1])


def _look_up(ordered: IntArray, wanted: IntArray) -> tuple[IntArray, BoolArray]:
    at = np.searchsorted(ordered, wanted)
    at[at == len(ordered)] = 0
    return at, ordered[at] == wanted
