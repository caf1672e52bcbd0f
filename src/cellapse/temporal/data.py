"""Complexes over time with a known truth: contacts of people, and triangles that change sides."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse._shared.checks import generator, listed, number, whole_number
from cellapse._shared.memory import require_memory
from cellapse.datasets.contacts import load_contacts, raw_contacts
from cellapse.temporal.complex import TemporalComplex
from cellapse.temporal.sources import as_temporal

_COUNTED = {"highschool": "s"}  # since 1970; of the workplace they count from its first day


def load_timed_contacts(name: str, path: str | Path | None = None) -> TemporalComplex:
    """Read who met whom and when, face to face, with the groups people belong to.

    Times are seconds or dates, a contact for each 20 seconds of one: T = {({u, v}, t)}.

    Parameters
    ----------
    name : {"workplace", "highschool"}
        92 people in 5 departments over two weeks; 327 students in 9 classes over five days.
    path : str or Path, optional
        The file `workplace.dat` or `High-School_data_2013.csv` of hypergraphx; by default that of
        the installed package.

    Returns
    -------
    TemporalComplex
        Its attribute `group` is the department or class.

    Raises
    ------
    MissingExtraError
        When hypergraphx is not installed.

    Examples
    --------
    >>> load_timed_contacts("workplace")  # doctest: +SKIP
    <TemporalComplex: 9,827 cells on 92 vertices, from 28820 to 1016440>
    """
    known = load_contacts(name)
    file = raw_contacts(name) if path is None else Path(path)
    T = as_temporal(file, columns=(2, 3, 1), unit=_COUNTED.get(name))
    group = dict(zip(known.nodes, np.array(known.group_names)[known.groups].tolist(), strict=True))
    missing = next((v for v in T.labels if v not in group), None)
    if missing is not None:
        raise InputError(f"{file} has {missing!r}, of whom no group is known; give the right file")
    return TemporalComplex.from_arrays(
        *(T.n_vertices, (T.cells.indptr, T.cells.indices)),
        T.start.astype("datetime64[s]") if T.dated else T.start,
        labels=T.labels,
        attributes={"group": [group[v] for v in T.labels]},
        metadata={"name": known.title, "source": known.source},
    )


def moving_triangles(
    n: int = 300,
    n_windows: int = 40,
    moves: Sequence[int] = (10, 20, 30),
    *,
    n_groups: int = 3,
    degree: float = 20.0,
    meeting: int = 5,
    rng: int | np.random.Generator = 0,
) -> TemporalComplex:
    """Make a planted partition that only triangles show, with known times of change.

    In each window edges are drawn anew, p = degree / (n - 1) for each pair, within groups and
    between them alike; but those within come as
    meetings of a few, and so with triangles. At a change the vertices are put into
    other groups, so that degrees and numbers of edges stay as they are.

    Parameters
    ----------
    n : int
        Vertices.
    n_windows : int
        Window i holds the times from i up to i + 1.
    moves : sequence of int
        The windows that begin with other groups.
    n_groups : int
        Groups of equal size.
    degree : float
        Mean degree.
    meeting : int
        How many vertices meet at a time, so that all pairs of them are edges.
    rng : seed or numpy Generator

    Returns
    -------
    TemporalComplex
        Its attributes `group_0`, `group_1`, ... are the groups from the start, from the first
        change on, and so on.

    Examples
    --------
    >>> T = moving_triangles(90, n_windows=4, moves=(2,), rng=0)
    >>> sorted(T.attributes), len(list(T.windows(1)))
    (['group_0', 'group_1'], 4)
    """
    n, windows = whole_number("n", n, 6), whole_number("n_windows", n_windows, 1, 100_000)
    require_memory(40.0 * n**2, f"all pairs of {n:,} vertices", "take fewer")
    count = whole_number("n_groups", n_groups, 1, n // 3)
    size = whole_number("meeting", meeting, 2, n // count)
    density = number("degree", degree, "a number above 0, below n - 1", lambda d: 0 < d < n - 1) / (
        n - 1
    )
    places = [whole_number("a move", c, 1, windows - 1) for c in listed(moves, "moves")]
    random = generator(rng)
    cells, times, groups = [], [], {}
    group = random.permutation(np.arange(n) % count)
    groups["group_0"] = group
    for window in range(windows):
        if window in places:
            group = random.permutation(group)
            groups[f"group_{len(groups)}"] = group
        edges = _drawn(group, count, density, size, random)
        cells.append(edges)
        times.append(np.full(len(edges), float(window)))
    return TemporalComplex.from_arrays(
        *(n, np.concatenate(cells), np.concatenate(times)), attributes=groups
    )


def _drawn(
    group: IntArray, count: int, density: float, meeting: int, rng: np.random.Generator
) -> IntArray:
    """Edges of one window: triangles within groups, single pairs between them."""
    found: list[Any] = []
    for g in range(count):
        members = np.flatnonzero(group == g)
        size = len(members)
        pairs = size * (size - 1) / 2
        # Some of the pairs that meet are there already.
        n_meetings = rng.poisson(-np.log1p(-density) * pairs / comb(meeting, 2))
        for _ in range(int(n_meetings)):
            met = np.sort(rng.choice(members, meeting, replace=False)).tolist()
            found += combinations(met, 2)
    u, v = np.triu_indices(len(group), 1)
    across = group[u] != group[v]
    chosen = across & (rng.random(len(u)) < density)
    found += np.column_stack([u[chosen], v[chosen]]).tolist()
    return np.unique(np.array(found, dtype=np.int64).reshape(-1, 2), axis=0)
