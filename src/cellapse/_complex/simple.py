"""From the edges people list to those of a simple graph: loops, directions and repeats.

A cell holds a vertex once, has no direction, and a set of vertices is one cell. Files and objects
have loops, arcs and copies all the same. `Rules` says what becomes of them, and nothing that is
known of an edge gets lost in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cellapse._complex.attributes import usual_weight
from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse._shared.checks import one_of
from cellapse._shared.notes import fact, loss

Columns = Mapping[str, Any]


@dataclass(frozen=True)
class Rules:
    """What becomes of arcs, loops and repeats.

    directed : "refuse", or "ignore" for arcs as edges
    loops : "drop" with a note, "keep" as the vertex attribute `loop`, or "refuse"
    repeats : None for copies with the same data counted once and others refused, "count" for the
        attribute `multiplicity`, "sum" for this and sums of all numbers, "first" for the first
    """

    directed: str = "refuse"
    loops: str = "drop"
    repeats: str | None = None

    def __post_init__(self) -> None:
        one_of("directed", self.directed, ("refuse", "ignore"))
        one_of("loops", self.loops, ("drop", "keep", "refuse"))
        one_of("repeats", self.repeats, (None, "count", "sum", "first"))

    def check_direction(self, what: str, remedy: str = "") -> None:
        """Raise unless the direction of `what` is to be ignored."""
        if self.directed == "refuse":
            raise InputError(
                f"{what} is directed, but cells have no direction; {remedy}take "
                'as_complex(..., directed="ignore") for arcs as edges, or magnetic_laplacian, '
                "which keeps directions"
            )
        fact("directions are ignored")


SIMPLE = Rules()


def simple_edges(
    labels: Sequence[Hashable], edges: IntArray, columns: Columns, rules: Rules
) -> tuple[IntArray, dict[str, Any], dict[str, Any]]:
    """Return the edges without loops and copies, what is known of them, and of vertices with loops.

    >>> simple_edges("ab", np.array([[0, 1], [1, 0]]), {"w": [1, 2]}, Rules(repeats="sum"))[1]
    {'w': array([3.]), 'multiplicity': array([2])}
    """
    edges, columns, loops = without_loops(labels, edges, columns, rules.loops)
    first, second = edges.T
    if (first > second).any():
        first, second = np.minimum(first, second), np.maximum(first, second)
    keys = first * len(labels) + second
    if (keys[1:] > keys[:-1]).all() or not _has_copies(keys):
        return edges, dict(columns), loops
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    n_copies = len(edges) - len(first)
    order = np.argsort(first)  # that of first appearance
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    place, kept = rank[place], first[order]
    if rules.repeats is None:
        _check_copies(labels, edges, columns, kept[place])
        merged = _taken(columns, kept)
    else:
        merged = _MERGED[rules.repeats](columns, kept, place)
    fact(f"{n_copies:,} repeated edges are counted once")
    return edges[kept], merged, loops


def _has_copies(keys: IntArray) -> bool:
    ordered = np.sort(keys, kind="stable")  # most lists are in order but for a few
    return bool((ordered[1:] == ordered[:-1]).any())


def without_loops(
    labels: Sequence[Hashable], edges: IntArray, columns: Columns, rule: str
) -> tuple[IntArray, Columns, dict[str, Any]]:
    """The edges between two vertices, what is known of them, and what becomes of the others."""
    is_loop = edges[:, 0] == edges[:, 1]
    if not is_loop.any():
        return edges, columns, {}
    at = edges[is_loop, 0]
    what = f"{len(at):,} self-loop{'s' * (len(at) > 1)}, the first at vertex {labels[at[0]]!r:.80}"
    if rule == "refuse":
        raise InputError(f'{what}; a cell holds a vertex once: remove them, or pass loops="drop"')
    kept = np.flatnonzero(~is_loop)
    if rule == "drop":
        loss(f'{what}, left out; as_complex(..., loops="keep") keeps them')
        return edges[kept], _taken(columns, kept), {}
    values = _numbers(columns.get(usual_weight(columns), ()))
    each = np.ones(len(at)) if values is None or not len(values) else values[is_loop]
    fact(f"{what}, kept as the vertex attribute `loop`")
    return edges[kept], _taken(columns, kept), {"loop": np.bincount(at, each, len(labels))}


def _check_copies(
    labels: Sequence[Hashable], edges: IntArray, columns: Columns, original: IntArray
) -> None:
    again = np.flatnonzero(original != np.arange(len(original)))
    for name, values in columns.items():
        for i, j in zip(again.tolist(), original[again].tolist(), strict=True):
            if differ(values[i], values[j]):
                pair = tuple(labels[v] for v in edges[i].tolist())
                raise InputError(
                    f"edge {pair!r:.80} is listed twice with different data, {name} "
                    f"{values[j]!r:.40} and {values[i]!r:.40}; merge them with "
                    'as_complex(..., repeats="count"), "sum" or "first"'
                )


def differ(a: Any, b: Any) -> bool:
    """Return whether two values are not the same; nothing known is the same as nothing known.

    >>> differ(1, 1.0), differ(np.nan, np.nan), differ([1, 2], [1, 3])
    (False, False, True)
    """
    return bool(np.any(a != b)) and not bool(np.all((a != a) & (b != b)))


def _taken(columns: Columns, kept: IntArray) -> dict[str, Any]:
    return {
        name: values[kept] if isinstance(values, np.ndarray) else [values[i] for i in kept.tolist()]
        for name, values in columns.items()
    }


def _numbers(values: Any) -> Any:
    """Return the column as numbers, or None where it holds anything else."""
    array = np.asarray(values)
    return array.astype(np.float64) if array.ndim == 1 and array.dtype.kind in "biuf" else None


def _counted(columns: Columns, kept: IntArray, place: IntArray) -> dict[str, Any]:
    """Return what all copies agree on, and how many there are."""
    same: dict[str, Any] = {}
    for name, values in columns.items():
        listed = values.tolist() if isinstance(values, np.ndarray) else values
        first = [listed[i] for i in kept.tolist()]
        if not any(differ(a, first[p]) for a, p in zip(listed, place.tolist(), strict=True)):
            same[name] = _taken({name: values}, kept)[name]
        else:
            fact(f"{name!r:.40}, in which repeated edges differ, is left out")
    return {**same, "multiplicity": np.bincount(place)}


def _summed(columns: Columns, kept: IntArray, place: IntArray) -> dict[str, Any]:
    """Return the sums of the columns of numbers, and the rest as in `_counted`."""
    sums, others = {}, {}
    for name, values in columns.items():
        numbers = _numbers(values)
        if numbers is None or name == "time":
            others[name] = values
        else:
            sums[name] = np.bincount(place, numbers)
    return {**sums, **_counted(others, kept, place)}


_MERGED: Mapping[str, Callable[[Columns, IntArray, IntArray], dict[str, Any]]] = {
    "count": _counted,
    "sum": _summed,
    "first": lambda columns, kept, _: _taken(columns, kept),
}
