r"""Did it change here? Windows before a time against those after, by a permutation test.

    t = mean d(before, after) - (mean d(before, before) + mean d(after, after)) / 2,

with d the distance of two windows. If nothing changed, it does not matter which of them come first:
p is how often another split of the same windows has a t as large (Szekely and Rizzo, energy
statistics, 2013).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb
from typing import Any

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import generator, one_of, share, whole_number
from cellapse._shared.pictures import points
from cellapse._shared.tables import to_frame
from cellapse.temporal.alignment import distance as distance_of_spaces
from cellapse.temporal.moments import Moment, edge_distance
from cellapse.temporal.times import shown

_ALL = 1000  # splits that are all tried; of more, as many are drawn
DISTANCES = ("groups", "values", "edges")


@dataclass(frozen=True, eq=False, repr=False)
class Changes(Shown):
    """Between which windows something changed, and how sure that is.

    Attributes
    ----------
    times : (m,) array
        Where windows end before, and others begin.
    statistics, p_values : (m,) arrays
    places : (any,) array of int
        Where the statistic is largest nearby and p at most the level, in the order of time.
    distance : str
        Of two windows.
    level : float
    dated : bool

    Examples
    --------
    >>> import cellapse as cl
    >>> T = cl.temporal.moving_triangles(n_windows=20, moves=(10,), rng=0)
    >>> found = cl.temporal.find_changes(cl.collapse_over_time(T, 1, n_clusters=3, k=3))
    >>> found.times[found.places].tolist()
    [10.0]
    """

    times: FloatArray
    statistics: FloatArray
    p_values: FloatArray
    places: Any
    distance: str
    level: float
    dated: bool

    def _card(self) -> Card:
        found = [
            f"{shown(float(self.times[i]), self.dated)} (p = {self.p_values[i]:.3f})"
            for i in self.places.tolist()[:8]
        ]
        rows = (
            ("changes", ", ".join(found) or "none"),
            ("distance", f"by {self.distance}; at p <= {self.level:g}, place by place"),
        )
        calls = (("changes.to_frame()", "is a table with a row per place"),)
        n = len(self.places)
        title = f"Changes: {n:,} at {len(self.times):,} places"
        return Card(title, rows, lambda: points(self.statistics), calls)

    def to_words(self) -> list[str]:
        """Return the times of the changes, as dates where they are."""
        return [shown(float(self.times[i]), self.dated) for i in self.places.tolist()]

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row per place: its statistic and p, indexed by time."""
        columns = ["statistic", "p"]
        values = np.column_stack([self.statistics, self.p_values])
        return to_frame(values, [shown(float(t), self.dated) for t in self.times], columns)


def find_changes(
    moments: Iterable[Moment],
    *,
    distance: str = "groups",
    around: int = 5,
    level: float = 0.05,
    rng: int | np.random.Generator = 0,
) -> Changes:
    """Find the times at which a complex changed, by a permutation test at every window.

    t = mean d(before, after) - (mean d(before, before) + mean d(after, after)) / 2.

    Parameters
    ----------
    moments : iterable of Moment
        As `collapse_over_time` gives them; no more than a few are kept at a time. Of windows that
        overlap only those are compared that do not.
    distance : {"groups", "values", "edges"}
        Of windows: of the spaces of the first eigenvectors, of the eigenvalues, or of the
        weights of edges.
    around : int
        How many windows before and after; five have a p of 1 / 126 at best.
    level : float
        The largest p of a change. Each place is a test of its own.
    rng : seed or numpy Generator
        For the splits, where there are more than a thousand.

    Returns
    -------
    Changes

    Examples
    --------
    >>> import cellapse as cl
    >>> T = cl.TemporalComplex.from_cells([("a", "b")] * 12, range(12))
    >>> find_changes(cl.collapse_over_time(T, 1), distance="edges")
    <Changes: 0 at 3 places>
    """
    one_of("distance", distance, DISTANCES)
    n, level, random = (
        whole_number("around", around, 2, 50),
        share("level", level),
        generator(rng),
    )
    if not isinstance(moments, Iterable):
        raise InputError(f"moments={moments!r:.80}; give what collapse_over_time gives")
    splits = _splits(n, random)
    times, statistics, p_values, dated = [], [], [], False
    recent: deque[Moment] = deque()
    for moment in moments:
        if not isinstance(moment, Moment):
            raise InputError(
                f"a {type(moment).__name__} among the moments; give what collapse_over_time gives"
            )
        dated = moment.window.source.dated
        recent.append(moment)
        apart = _apart(recent)
        while len(recent) > (2 * n - 1) * apart + 1:
            recent.popleft()
        chosen = list(islice(recent, 0, None, apart))
        if len(chosen) == 2 * n and len(recent) == (2 * n - 1) * apart + 1:
            t, p = _test(_distances(chosen, distance), splits)
            times.append(chosen[n].window.start)
            statistics.append(t)
            p_values.append(p)
    t_, p_ = np.array(statistics), np.array(p_values)
    return Changes(np.array(times), t_, p_, _peaks(t_, p_, level, n), distance, level, dated)


def _apart(recent: deque[Moment]) -> int:
    """Return how many windows later the first one begins that does not overlap."""
    first = recent[0].window
    for i, moment in enumerate(recent):
        if i and moment.window.start >= first.end:
            return i
    return len(recent)


def _distances(moments: list[Moment], by: str) -> FloatArray:
    """The squared distances of all pairs."""
    squares = np.zeros((len(moments), len(moments)))
    for (i, a), (j, b) in combinations(enumerate(moments), 2):
        if by == "groups":
            d = distance_of_spaces(_first(a), _first(b))
        elif by == "values":
            k = min(len(a.values), len(b.values))
            d = float(np.linalg.norm(a.values[:k] - b.values[:k]))
        else:
            d = edge_distance(a.window, a.weights, b.window, b.weights)
        squares[i, j] = squares[j, i] = d**2
    return squares


def _first(moment: Moment) -> FloatArray:
    return moment.vectors[:, : min(moment.n_groups, moment.vectors.shape[1])]


def _splits(n: int, rng: np.random.Generator) -> FloatArray:
    """Halves of 2n windows as rows of zeros and ones, the first n first; mirrored ones once."""
    if comb(2 * n, n) // 2 <= _ALL:
        halves = [(0, *rest) for rest in combinations(range(1, 2 * n), n - 1)]
    else:
        drawn = (np.sort(rng.permutation(2 * n)[:n]).tolist() for _ in range(_ALL - 1))
        halves = [tuple(range(n)), *map(tuple, drawn)]
    splits = np.zeros((len(halves), 2 * n))
    np.put_along_axis(splits, np.array(halves), 1.0, axis=1)
    return splits


def _test(squares: FloatArray, splits: FloatArray) -> tuple[float, float]:
    """The statistic of the first split, and the share of splits with one as large."""
    n, other = len(squares) // 2, 1.0 - splits
    within = np.einsum("si,ij,sj->s", splits, squares, splits)
    within += np.einsum("si,ij,sj->s", other, squares, other)
    between = np.einsum("si,ij,sj->s", splits, squares, other)
    t = between / n**2 - within / (2 * n * (n - 1))
    return float(t[0]), float((t >= t[0] - 1e-12).mean())


def _peaks(t: FloatArray, p: FloatArray, level: float, n: int) -> Any:
    """Places with a small p where the statistic is the largest within n places."""
    found: list[int] = []
    for i in np.flatnonzero(p <= level).tolist():
        near = t[max(i - n + 1, 0) : i + n]
        if t[i] > 0 and t[i] >= near.max() and not (found and i - found[-1] < n):
            found.append(i)
    return np.array(found, dtype=np.int64)
