"""A complex that changes: cells with a time each, or an interval, over one set of vertices.

A cell with one time t is there in a window [a, b) where a <= t < b; one with an interval [s, e)
where both overlap, s < b and a < e.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from cellapse._complex.attributes import Columns, check_attributes, check_metadata
from cellapse._complex.cells import Cells, ascending_rows, build_cells
from cellapse._complex.complex import Complex
from cellapse._complex.labels import as_tuples, numbered, positions, steady, vertex_order
from cellapse._complex.validity import check_labels
from cellapse._errors import InputError
from cellapse._shared.arrays import BoolArray, FloatArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import listed, real_array, whole_number
from cellapse._shared.pictures import bars
from cellapse.lifts.cliques import clique_complex
from cellapse.lifts.hyperedges import lift_hyperedges
from cellapse.temporal.pairs import Pairs
from cellapse.temporal.times import in_seconds, shown
from cellapse.temporal.windows import Window, sliding


@dataclass(frozen=True, eq=False, repr=False)
class TemporalComplex(Shown):
    """Cells with a time or an interval; made by `from_cells`, `from_arrays` or `as_temporal`.

    Attributes
    ----------
    labels : sequence of hashable
        The vertices of all windows, in their order.
    cells : Cells
        The members of each cell, as positions of vertices; a cell may come any number of times.
    start, end : arrays
        When each is there: numbers, or seconds since 1970. Equal where it has one time.
    weights : array or None
        A positive weight of each; in a window an edge has the sum over the cells that hold it.
    dated : bool
        Whether times are dates.
    attributes : mapping
        Named columns with one entry for each vertex.
    metadata : mapping

    Examples
    --------
    >>> met = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")]
    >>> T = TemporalComplex.from_cells(met, [0, 1, 2, 7])
    >>> T
    <TemporalComplex: 4 cells on 4 vertices, from 0 to 7>
    >>> [window.complex.n_cells for window in T.windows(4, 4)]
    [(4, 3, 1), (4, 1, 0)]
    """

    labels: Sequence[Hashable]
    cells: Cells
    start: FloatArray
    end: FloatArray
    weights: FloatArray | None = None
    dated: bool = False
    attributes: Columns = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_cells(
        cls,
        cells: Iterable[Any],
        times: Any,
        ends: Any = None,
        *,
        weights: Any = None,
        vertices: Sequence[Hashable] | None = None,
        attributes: Mapping[str, Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> TemporalComplex:
        """Build it from cells in the words of the user.

        Parameters
        ----------
        cells : collection of collections of labels
            Pairs, or larger sets such as the authors of a paper.
        times : one for each cell
            Numbers, or dates: of pandas, NumPy, datetime, or ISO text.
        ends : one for each cell, optional
            Then a cell is there from its time up to, not including, its end.
        weights : one positive number for each cell, optional
        vertices : sequence of hashable, optional
            All of them, in their order; by default as in `Complex.from_cells`.
        attributes : {name: one value for each vertex}, optional
        metadata : {name: value}, optional

        Returns
        -------
        TemporalComplex

        Examples
        --------
        >>> TemporalComplex.from_cells([("a", "b")], ["2024-01-31 12:30"])
        <TemporalComplex: 1 cell on 2 vertices, from 2024-01-31 12:30:00 to 2024-01-31 12:30:00>
        """
        groups = as_tuples(1, listed(cells, "the list of cells, whose times go by position,"))
        if vertices is None:
            labels = vertex_order(v for group in groups for v in group)
        else:
            labels = tuple(listed(steady(vertices), "the list of vertices"))
        table = numbered(1, groups, positions(labels))
        known = {"weights": weights, "attributes": attributes, "metadata": metadata}
        return cls.from_arrays(len(labels), table, times, ends, labels=labels, **known)

    @classmethod
    def from_arrays(
        cls,
        n_vertices: int,
        cells: Any,
        times: Any,
        ends: Any = None,
        *,
        labels: Sequence[Hashable] | None = None,
        weights: Any = None,
        attributes: Mapping[str, Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> TemporalComplex:
        """Build it from arrays: the quick way for large data.

        Parameters
        ----------
        n_vertices : int
        cells : (m, size) integer array or (indptr, indices)
        times, ends, weights, attributes, metadata
            As for `from_cells`.
        labels : sequence of hashable, optional
            By default the positions themselves.

        Examples
        --------
        >>> TemporalComplex.from_arrays(3, [[0, 1], [1, 2]], [0.5, 1.5], [2, 3])
        <TemporalComplex: 2 cells on 3 vertices, from 0.5 to 3>
        """
        _require_one_order({"times": times, "ends": ends, "weights": weights})
        n = whole_number("n_vertices", n_vertices, 1)
        names = check_labels(labels, n)
        table = build_cells(1, cells, n, names)
        table = Cells(table.indptr, ascending_rows(table.indices, table.indptr))
        start, dated = in_seconds(times, "times")
        _require_one_each(start, table, "times")
        end = start if ends is None else _checked_ends(ends, start, dated)
        if not len(table):
            raise InputError("no cells; a temporal complex needs one at least")
        masses = None if weights is None else _checked_weights(weights, len(table))
        columns = check_attributes(
            {0: {} if attributes is None else attributes}, [n], lambda _: names
        )[0]
        known = check_metadata(metadata)
        return cls(names, table, start, end, masses, dated, columns, known)

    def _card(self) -> Card:
        span = f"from {shown(self.first, self.dated)} to {shown(self.last, self.dated)}"
        cells = f"{len(self):,} cell{'s' if len(self) != 1 else ''}"
        largest = int(self.cells.sizes.max())
        rows = (
            ("kind", "pairs" if self.is_graph else f"sets of up to {largest:,} vertices"),
            ("weights", "none" if self.weights is None else "one for each cell"),
            ("times", "intervals" if (self.end > self.start).any() else "one for each cell"),
            ("attributes", ", ".join(self.attributes)),
        )
        calls = (("T.windows(width, step)", "gives a complex for each window of time"),)
        counts = np.histogram(self.start, 20)[0].tolist()
        title = f"TemporalComplex: {cells} on {len(self.labels):,} vertices, {span}"
        return Card(title, tuple(row for row in rows if row[1]), lambda: bars(counts), calls)

    def __len__(self) -> int:
        return len(self.start)

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.labels)

    @cached_property
    def first(self) -> float:
        """The first time."""
        return float(self.start.min())

    @cached_property
    def last(self) -> float:
        """The last time, or end."""
        return float(self.end.max())

    @cached_property
    def is_graph(self) -> bool:
        """Whether no cell has more than two vertices: cliques of pairs are then the higher ones."""
        return bool(self.cells.sizes.max() <= 2)

    @cached_property
    def gone_at(self) -> FloatArray:
        """Windows that start here or later have the cell no more."""
        return np.where(self.end > self.start, self.end, np.nextafter(self.start, np.inf))

    def _within(self, start: float, end: float) -> BoolArray:
        """Which cells are there between two times."""
        return (self.start < end) & (self.gone_at > start)

    def between(self, start: Any, end: Any, *, max_rank: int = 2) -> Complex:
        """Return the complex of one window; `windows` makes many from one another.

        Pairs are edges, and their cliques the higher cells. Of larger sets, all pairs within are
        edges and the sets cells of rank 2, as in `hypergraph_complex`.

        >>> T = TemporalComplex.from_cells([("a", "b"), ("b", "c"), ("a", "c")], [0, 1, 2])
        >>> T.between(0, 2)
        Complex(n_cells=(3, 2, 0))
        """
        limits = in_seconds([start, end], "start and end")[0]
        if not limits[0] < limits[1]:
            raise InputError(f"a window from {start!r:.40} to {end!r:.40}; give a later end")
        top = whole_number("max_rank", max_rank, 1, 10)
        chosen = np.flatnonzero(self._within(*limits.tolist()) & (self.cells.sizes > 1))
        each = None if self.weights is None else self.weights[chosen]
        if self.is_graph:
            places, number = np.unique(self.pairs.of_cells(chosen)[0], return_inverse=True)
            sums = None if each is None else {1: np.bincount(number, each)}
            edges = {1: self.pairs.ends[places]}
            K = Complex.from_arrays(self.n_vertices, edges, self.labels, sums)
            K = clique_complex(K, top)
        else:
            order = np.argsort(self.pairs.distinct[chosen], kind="stable")
            each = None if each is None else each[order]
            K = lift_hyperedges(self.cells.take(chosen[order]), self.labels, each)
        return Complex(
            *(K.labels, K.cells, K.weights, ({**self.attributes}, *K.attributes[1:])),
            self.metadata,
        )

    def windows(self, width: Any, step: Any = None, *, max_rank: int = 2) -> Iterator[Window]:
        """Yield the complexes of windows of time, each made from the last one.

        Windows begin at whole multiples of the step, the first of them with the first cell in it.

        Parameters
        ----------
        width : number, or words such as "1h"
            How long a window is, in the unit of the times; words are seconds, minutes, ...
        step : number or words, optional
            From the start of a window to that of the next; by default as long as a window.
        max_rank : int
            Cliques of pairs of up to `max_rank` + 1 vertices are cells.

        Returns
        -------
        iterator of Window
            All have the same vertices, in the same order; some may have no cells.

        Examples
        --------
        >>> T = TemporalComplex.from_cells([("a", "b"), ("b", "c"), ("a", "c")], [0, 1, 2])
        >>> for w in T.windows(2, 1):
        ...     print(w.start, w.complex.n_cells, w.entered, w.left)
        -1.0 (3, 1, 0) (1, 0) (0, 0)
        0.0 (3, 2, 0) (1, 0) (0, 0)
        1.0 (3, 2, 0) (1, 0) (1, 0)
        2.0 (3, 1, 0) (0, 0) (1, 0)
        """
        return sliding(self, width, step, max_rank)

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs of vertices that ever share a cell."""
        return Pairs.of(self.cells, self.n_vertices)


def _require_one_order(given: Mapping[str, Any]) -> None:
    """Refuse what has labels of its own: a cell may come again, so that these go by position."""
    first = None
    for name, values in given.items():
        if isinstance(values, Mapping):
            raise InputError(
                f"{name} is a {type(values).__name__}, and goes by position, as a cell may come "
                "again; give list(values.values()) in the order of the cells"
            )
        if not hasattr(values, "iloc"):
            continue
        if first is None:
            first = name
        elif not values.index.equals(given[first].index):
            raise InputError(
                f"{first} and {name} have rows in another order, or of other names; give columns "
                "of one table, or values.to_numpy() where they are in the order of the cells"
            )


def _require_one_each(values: FloatArray, cells: Cells, name: str) -> None:
    if len(values) != len(cells):
        raise InputError(f"{len(values)} {name} for {len(cells)} cells; give one for each")


def _checked_ends(given: Any, start: FloatArray, dated: bool) -> FloatArray:
    end, also = in_seconds(given, "ends")
    if also != dated:
        raise InputError("times and ends mix numbers and dates; give one of the two")
    if len(end) != len(start):
        raise InputError(f"{len(end)} ends for {len(start)} times; give one for each")
    early = np.flatnonzero(end < start)
    if len(early):
        i = early[0]
        raise InputError(
            f"cell number {i} ends at {shown(end[i], dated)}, before its time "
            f"{shown(start[i], dated)}; swap the two, or leave it out"
        )
    return end


def _checked_weights(given: Any, count: int) -> FloatArray:
    weights = real_array(given, "weights")
    if weights.shape != (count,):
        raise InputError(f"weights of shape {weights.shape} for {count} cells; give one for each")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights > 0)))
    if len(wrong):
        raise InputError(
            f"weight {weights[wrong[0]]} of cell number {wrong[0]} is no positive finite number; "
            "leave out cells that should not count"
        )
    return weights
