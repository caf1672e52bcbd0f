"""Windows of time, each made from the last one: cells enter and leave, the others stay.

Pairs have the same number in all windows, so that what is known of them need not move. A clique is
new only if one of its pairs is: new triangles are the common neighbours of both ends of new pairs,
and larger cliques grow from these. One goes as soon as one of its pairs does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from cellapse._complex.cells import Cells
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.arrays import BoolArray, FloatArray, IntArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import whole_number
from cellapse._shared.memory import require_memory
from cellapse._shared.pictures import bars
from cellapse.temporal.pairs import Pairs, distinct
from cellapse.temporal.times import shown, span

if TYPE_CHECKING:
    from cellapse.temporal.complex import TemporalComplex

_MOST_WINDOWS = 10_000_000
_MANY = 10  # times as many pairs as edges: sorting these is quicker than going through all
_NONE = np.empty(0, dtype=np.int64)
_EPSILON = float(np.finfo(np.float64).eps)
_VAGUE = 1e-13  # of a weight: rounding that is recounted


@dataclass(frozen=True, eq=False)
class Group:
    """Cells of one rank in a window, as the numbers of all pairs within.

    Attributes
    ----------
    pairs : Cells
        `pairs[i]` are the pairs within cell i: of its first vertex with the others, and so on.
    ends : (any, 2) array
        The vertices of all pairs.
    weights : array or None
    """

    pairs: Cells
    ends: IntArray = field(repr=False)
    weights: FloatArray | None = None

    @cached_property
    def cells(self) -> Cells:
        """Their vertices: both of the first pair, and the second ones of those that follow."""
        held, m = self.pairs, len(self.pairs)
        sizes = ((1 + np.sqrt(1 + 8 * held.sizes)) / 2).round().astype(np.int64)
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        owner = np.repeat(np.arange(m), sizes)
        place = np.arange(len(owner)) - indptr[:-1][owner]
        chosen = held.indices[held.indptr[:-1][owner] + np.maximum(place - 1, 0)]
        return Cells(indptr, self.ends[chosen, (place > 0).astype(np.int64)])


@dataclass(frozen=True, eq=False, repr=False)
class Window(Shown):
    """One window: its times, its complex, and what changed since the last one.

    Attributes
    ----------
    number : int
        Of the window, from 0.
    start, end : float
    entered, left : tuple of int
        How many cells of rank 1, 2, ... are new, and how many are gone, since the last window.
    edges : array
        The numbers of its edges among all pairs of the temporal complex, in ascending order.
    ends : (m, 2) array
        Their vertices.
    changed : array
        The numbers of pairs that came, went, or have another weight.
    groups : tuple of Group
        The cells of rank 2, 3, ...
    cells_changed : array
        The numbers of pairs within cells of rank 2 and above that came or went.
    weights : array or None
        Of its edges.
    source : TemporalComplex

    Examples
    --------
    >>> import cellapse as cl
    >>> T = cl.TemporalComplex.from_cells([("a", "b"), ("b", "c")], [0, 5])
    >>> next(T.windows(10))
    <Window 0, 0 to 10>
    """

    number: int
    start: float
    end: float
    entered: tuple[int, ...]
    left: tuple[int, ...]
    edges: IntArray = field(repr=False)
    ends: IntArray = field(repr=False)
    changed: IntArray = field(repr=False)
    groups: tuple[Group, ...] = field(repr=False)
    cells_changed: IntArray = field(repr=False)
    weights: FloatArray | None = field(repr=False)
    source: TemporalComplex = field(repr=False)

    def _card(self) -> Card:
        dated = self.source.dated
        rows = (
            ("cells", f"{self.complex!r}"),
            ("new", ", ".join(f"{n:,} of rank {k}" for k, n in enumerate(self.entered, 1))),
            ("gone", ", ".join(f"{n:,} of rank {k}" for k, n in enumerate(self.left, 1))),
        )
        calls = (("window.complex", "is its complex"), ("window.start", "is its first time"))
        title = f"Window {self.number}, {shown(self.start, dated)} to {shown(self.end, dated)}"
        counts = [float(n) for n in self.n_cells[1:]]
        return Card(title, rows, lambda: bars(counts), calls)

    @property
    def n_cells(self) -> tuple[int, ...]:
        """Number of cells of each rank."""
        counts = (len(group.pairs) for group in self.groups)
        return (self.source.n_vertices, len(self.edges), *counts)

    @property
    def by_second(self) -> IntArray:
        """The places of its edges in the order of their second vertex."""
        pairs, m = self.source.pairs, len(self.edges)
        if len(pairs.ends) > _MANY * m:
            return np.argsort(self.ends[:, 1], kind="stable")
        place = np.full(len(pairs.ends), -1)
        place[self.edges] = np.arange(m)
        order = place[pairs.by_second]
        return order[order >= 0]

    @cached_property
    def complex(self) -> Complex:
        """Its complex, on all vertices."""
        T = self.source
        n, m = T.n_vertices, len(self.edges)
        tables = [
            Cells(np.arange(n + 1), np.arange(n)),
            Cells(2 * np.arange(m + 1), self.ends.ravel()),
            *(group.cells for group in self.groups),
        ]
        weights = (None, self.weights, *(group.weights for group in self.groups))
        known = ({**T.attributes}, *[{}] * len(tables[1:]))
        return Complex(T.labels, tuple(tables), weights, known, T.metadata)


class Counter:
    """Which of some numbers are there, how often, and with which weight: in ascending order.

    What goes leaves its rounding behind, which can be more than all of a small weight: where it may
    be, weights are taken from `recount`, which sums those that are there.
    """

    def __init__(self, most: int, recount: Callable[[], FloatArray] | None) -> None:
        self.there = _NONE
        self.count = np.zeros(most, dtype=np.int64)
        self._recount = recount
        self.weight = None if recount is None else np.zeros(most)
        self._rounding = np.zeros(most)

    def change(self, came: IntArray, went: IntArray, came_by: Any, went_by: Any) -> IntArray:
        """Count some more and some less; give the numbers that came, went or weigh other."""
        touched = np.unique(np.concatenate([came, went]))
        before = self.count[touched] > 0
        np.add.at(self.count, came, 1)
        np.subtract.at(self.count, went, 1)
        now = self.count[touched] > 0
        moved = before != now
        if self.weight is not None:
            old = self.weight[touched]
            np.add.at(self.weight, came, came_by)
            self._rounding[touched] += _EPSILON * self.weight[touched]
            np.subtract.at(self.weight, went, went_by)
            self._settle(touched, now)
            moved |= self.weight[touched] != old
        gone, new = touched[before & ~now], touched[now & ~before]
        if len(gone):
            self.there = np.delete(self.there, np.searchsorted(self.there, gone))
        if len(new):
            self.there = np.insert(self.there, np.searchsorted(self.there, new), new)
        return touched[moved]

    def _settle(self, touched: IntArray, now: BoolArray) -> None:
        """Leave no weight to what is gone, and none that rounding has changed to what is there."""
        assert self.weight is not None
        assert self._recount is not None
        gone, left = touched[~now], touched[now]
        self.weight[gone] = self._rounding[gone] = 0.0
        vague = left[self._rounding[left] > _VAGUE * np.abs(self.weight[left])]
        if len(vague):
            self.weight[vague] = self._recount()[vague]
            self._rounding[vague] = 0.0

    def weights(self) -> FloatArray | None:
        """The weights of those that are there."""
        return None if self.weight is None else self.weight[self.there]


class Cliques:
    """The cliques of 3, ..., `top` + 1 vertices of the pairs that are there."""

    def __init__(self, pairs: Pairs, n: int, top: int) -> None:
        self._pairs, self._n = pairs, n
        self.held = [np.empty((0, s * (s - 1) // 2), dtype=np.int64) for s in range(3, top + 2)]

    def change(
        self, window: tuple[IntArray, IntArray], is_there: BoolArray, new: IntArray, gone: IntArray
    ) -> Any:
        """Leave out cliques of pairs that are gone, and find those around new ones.

        Give how many came and went of each size, and the pairs within them.
        """
        came, went = [], []
        around: list[IntArray] = [_NONE]
        grown = new[:, None]
        neighbours = self._neighbours(*window, new)
        for i, held in enumerate(self.held):
            broken: IntArray = _NONE
            if len(gone):  # few: NumPy is slow along short rows
                broken = distinct(np.flatnonzero(~is_there[held.ravel()]) // held.shape[1])
            grown = self._grown(grown, neighbours)
            came.append(len(grown))
            went.append(len(broken))
            around += [held[broken].ravel(), grown.ravel()]
            if len(broken) or len(grown):
                both = np.concatenate([np.delete(held, broken, axis=0), grown])
                self.held[i] = np.take(both, _order(both, self._pairs), axis=0)
        return tuple(came), tuple(went), np.concatenate(around)

    def _grown(self, held: IntArray, neighbours: sparse.csr_array) -> IntArray:
        """The cliques with one vertex more, each once, as the pairs within them in order."""
        size = _clique_size(held) + 1
        if not len(held):
            return np.empty((0, size * (size - 1) // 2), dtype=np.int64)
        rows = [neighbours[vertices] for vertices in _vertices(held, self._pairs).T]
        common = rows[0].astype(bool)
        for row in rows[1:]:
            common = common.multiply(row.astype(bool))
        common = sparse.csr_array(common)
        require_memory(16.0 * common.nnz * size**2, "new cliques", "lower max_rank")
        joined = [sparse.csr_array(row.multiply(common)).data - 1 for row in rows]
        owner = np.repeat(np.arange(len(held)), np.diff(common.indptr))
        # Pairs are numbered in lexicographic order: sorted numbers are those of a sorted cell.
        larger = np.sort(np.column_stack([held[owner], *joined]), axis=1)
        larger = np.take(larger, _order(larger, self._pairs), axis=0)
        first = np.ones(len(larger), dtype=bool)
        first[1:] = (larger[1:, : size - 1] != larger[:-1, : size - 1]).any(axis=1)
        return larger[first]

    def _neighbours(self, there: IntArray, ends: IntArray, new: IntArray) -> sparse.csr_array:
        """Which vertices are joined, by the number of their pair counted from 1.

        For triangles only the rows of the ends of new pairs are asked for.
        """
        u, v = ends.T
        if len(self.held) == 1:
            near = np.zeros(self._n, dtype=bool)
            near[self._pairs.ends[new]] = True
            some = near[u] | near[v]
            there, u, v = there[some], u[some], v[some]
        numbers = np.concatenate([there, there]) + 1
        places = (np.concatenate([v, u]), np.concatenate([u, v]))  # so that rows ascend
        return sparse.csr_array((numbers, places), shape=(self._n, self._n))


def _clique_size(held: IntArray) -> int:
    """Return how many vertices have so many pairs."""
    return round((1 + (1 + 8 * held.shape[1]) ** 0.5) / 2)


def _vertices(held: IntArray, pairs: Pairs) -> IntArray:
    """The vertices of cliques: both of the first pair, and the second ones of those that follow."""
    first = pairs.ends[held[:, 0], 0]
    return np.column_stack([first, pairs.ends[held[:, : _clique_size(held) - 1], 1]])


def _order(held: IntArray, pairs: Pairs) -> IntArray:
    """The lexicographic order of cells, which is that of the pairs of their first vertex."""
    if held.shape[1] == 3:
        return np.argsort(held[:, 0] * len(pairs.ends) + held[:, 1], kind="stable")
    return np.lexsort(held[:, : _clique_size(held) - 1].T[::-1])


def sliding(T: TemporalComplex, width: Any, step: Any, max_rank: int) -> Iterator[Window]:
    """The windows of a temporal complex, checked before the first one is asked for."""
    length = span("width", width)
    pace = length if step is None else span("step", step)
    top = whole_number("max_rank", max_rank, 1, 10)
    with np.errstate(over="ignore"):
        count = float((T.last - T.first + length) / np.float64(pace))
    if not count < _MOST_WINDOWS:
        also = "" if step is None else f" and step={step!r}"
        raise InputError(
            f"width={width!r}{also} would make {count:,.0f} windows from "
            f"{shown(T.first, T.dated)} to {shown(T.last, T.dated)}; give longer ones"
        )
    low = int(np.floor((T.first - length) / pace)) + 1  # the first that the first cell is in
    high = int(np.floor(T.last / pace))
    return _windows(T, [low, high], length, pace, top)


def _windows(
    T: TemporalComplex, limits: list[int], width: float, step: float, top: int
) -> Iterator[Window]:
    state, last = _Sliding(T, top), float(T.gone_at.max())
    for number, i in enumerate(range(limits[0], limits[1] + 1)):
        start = i * step
        if start + width > T.first and start < last:
            yield state.move(number, start, start + width)


class _Sliding:
    """What is known of the last window."""

    def __init__(self, T: TemporalComplex, top: int) -> None:
        self.T, self.top = T, top
        self._by_start = np.argsort(T.start, kind="stable")
        self._starts = T.start[self._by_start]
        self._by_end = np.argsort(T.gone_at, kind="stable")
        self._ends = T.gone_at[self._by_end]
        self._next = self._last = 0
        self._active = np.zeros(len(T), dtype=bool)
        w = T.weights
        self._edges = Counter(len(T.pairs.ends), None if w is None else self._by_pairs(w))
        self._sets = Counter(len(T.pairs.sets), None if w is None else self._by_sets(w))
        self._cliques = Cliques(T.pairs, T.n_vertices, top if T.is_graph else 1)

    def _by_pairs(self, weights: FloatArray) -> Callable[[], FloatArray]:
        """Return what sums the weights of cells that are there, pair by pair."""

        def recount() -> FloatArray:
            active = np.flatnonzero(self._active)
            numbers, owner = self.T.pairs.of_cells(active)
            found = np.zeros(len(self.T.pairs.ends))
            np.add.at(found, numbers, weights[active][owner])
            return found

        return recount

    def _by_sets(self, weights: FloatArray) -> Callable[[], FloatArray]:
        """Return what sums the weights of cells that are there, set by set."""

        def recount() -> FloatArray:
            active = np.flatnonzero(self._active & (self.T.pairs.distinct >= 0))
            found = np.zeros(len(self.T.pairs.sets))
            np.add.at(found, self.T.pairs.distinct[active], weights[active])
            return found

        return recount

    def _moved(self, start: float, end: float) -> tuple[IntArray, IntArray]:
        """The cells that come and go."""
        upto = int(np.searchsorted(self._starts, end, side="left"))
        came = self._by_start[self._next : upto]
        came = came[self.T.gone_at[came] > start]
        gone_upto = int(np.searchsorted(self._ends, start, side="right"))
        went = self._by_end[self._last : gone_upto]
        went = went[self._active[went]]
        self._next, self._last = upto, gone_upto
        self._active[came], self._active[went] = True, False
        return came, went

    def move(self, number: int, start: float, end: float) -> Window:
        T, (came, went) = self.T, self._moved(start, end)
        before = self._edges.there
        (new, by_new), (old, by_old) = T.pairs.of_cells(came), T.pairs.of_cells(went)
        w = T.weights
        masses = (None, None) if w is None else (w[came][by_new], w[went][by_old])
        changed = self._edges.change(new, old, *masses)
        there = self._edges.there
        ends = T.pairs.ends[there]
        entered = changed[~_among(changed, before) & _among(changed, there)]
        left = changed[_among(changed, before) & ~_among(changed, there)]
        if T.is_graph:
            more, fewer, around = self._cliques.change(
                (there, ends), self._edges.count > 0, entered, left
            )
            groups = tuple(_group(held, T.pairs.ends) for held in self._cliques.held)
        else:
            more, fewer, around, groups = self._hyperedges(came, went)
        return Window(
            *(number, start, end, (len(entered), *more), (len(left), *fewer), there, ends),
            *(changed, groups, around, self._edges.weights(), T),
        )

    def _hyperedges(self, came: IntArray, went: IntArray) -> Any:
        """The sets of three and more vertices that are there, and the pairs around what changed."""
        T, before = self.T, self._sets.there
        large = [cells[T.pairs.distinct[cells] >= 0] for cells in (came, went)]
        w = T.weights
        masses = [None if w is None else w[cells] for cells in large]
        changed = self._sets.change(*(T.pairs.distinct[cells] for cells in large), *masses)
        there, sets = self._sets.there, T.pairs.sets
        was, now = _among(changed, before), _among(changed, there)
        around = T.pairs.of_cells(sets[changed])[0]
        pairs = Cells(T.pairs.indptr, T.pairs.indices).take(sets[there])
        group = Group(pairs, T.pairs.ends, self._sets.weights())
        more, fewer = int((now & ~was).sum()), int((was & ~now).sum())
        return (more,), (fewer,), around, (group,)


def _among(numbers: IntArray, ordered: IntArray) -> BoolArray:
    """Return whether each number is among those that are in order."""
    at = np.searchsorted(ordered, numbers)
    at[at == len(ordered)] = 0
    return ordered[at] == numbers if len(ordered) else np.zeros(len(numbers), dtype=bool)


def _group(held: IntArray, ends: IntArray) -> Group:
    """Cells of one size."""
    count, size = held.shape
    return Group(Cells(size * np.arange(count + 1), held.ravel()), ends)
