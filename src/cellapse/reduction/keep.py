"""Which vertices are kept: named ones, or a number of them by a rule.

* "coarsest": k-centres. Each next one is the farthest from those chosen, in steps along edges
  (Gonzalez, Clustering to minimize the maximum intercluster distance, 1985), so that every
  component gets one before any gets two.
* "degree": the largest entries on the diagonal of A.
* "eigenvector": the largest entries of the eigenvector of the largest eigenvalue, which differ in
  sign between neighbours (Shuman, Faraji and Vandergheynst, A multiscale pyramid transform for
  graph signals, 2016). Its sign makes the first entry positive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.labels import positions, steady
from cellapse._errors import InputError
from cellapse._linalg.operators import Operator
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import listed, one_of, whole_number
from cellapse.reduction.reduced import ReducedOperator, graph_of


def kept_vertices(S: Operator, keep: Any, rule: str | None) -> tuple[IntArray, str]:
    """Find where the kept vertices stand, and say how they were chosen."""
    if isinstance(keep, int | np.integer | float | bool):
        one_of("rule", rule, (*RULES, None))
        count = whole_number("keep", keep, 1, S.shape[0])
        name = rule or "coarsest"
        chosen = np.sort(RULES[name](S, count))
        return chosen, f'{count:,} by the rule "{name}"'
    if rule is not None:
        raise InputError(
            f"rule={rule!r} for vertices that are named; leave it out, or give a number as keep"
        )
    if isinstance(keep, str | bytes):
        raise InputError(f"keep={keep!r:.80}; give a list of labels, or a number")
    place, named = positions(S.labels), listed(steady(keep), "keep")
    if not named:
        raise InputError("keep names no vertex; give at least one label, or a number")
    try:
        unknown = [v for v in named if v not in place]
    except TypeError as error:
        raise InputError(f"keep holds what is no label ({error}); give labels") from None
    if unknown:
        raise InputError(
            f"{unknown[0]!r:.80} in keep is not among the {S.shape[0]:,} labels of the operator"
        )
    found = np.array([place[v] for v in named], dtype=np.int64)
    if len(np.unique(found)) < len(found):
        twice = next(v for i, v in enumerate(named) if v in named[:i])
        raise InputError(f"keep names {twice!r:.80} twice; name each vertex once")
    return found, f"{len(found):,} by name"


def coarsest(S: Operator, count: int) -> IntArray:
    """Choose vertices far apart: k-centres in steps along edges, from the highest degree on.

    >>> from cellapse._operators.as_operator import as_operator
    >>> path = sparse.diags_array([1.0, 1, 1, 1], offsets=1, shape=(5, 5))
    >>> coarsest(as_operator(path + path.T), 2).tolist()
    [1, 4]
    """
    # What is reduced has few neighbours of its own: steps are those of the whole.
    of, among = (S.of, S.vertices) if isinstance(S, ReducedOperator) else (S, np.arange(S.shape[0]))
    graph, n = graph_of(of), of.shape[0]
    far, start = np.full(n, n, dtype=np.int64), int(np.argmax(graph.diagonal()[among]))
    chosen = np.empty(count, dtype=np.int64)
    for i in range(count):
        chosen[i] = start
        _come_closer(graph, far, int(among[start]))
        start = int(np.argmax(far[among]))
    return chosen


def _come_closer(graph: sparse.csr_array, far: IntArray, centre: int) -> None:
    """Lower the steps to the nearest centre by those to a new one, as far as it is nearer."""
    front, steps = np.array([centre]), 0
    far[centre] = -1  # an argmax of nothing but centres is one that is not chosen yet
    while len(front):
        steps += 1
        starts, lengths = graph.indptr[front], np.diff(graph.indptr)[front]
        ends = np.cumsum(lengths)
        at = np.arange(ends[-1]) + np.repeat(starts - ends + lengths, lengths)
        reached = graph.indices[at[graph.data[at] != 0]]
        front = np.unique(reached[far[reached] > steps])
        far[front] = steps


def _degree(S: Operator, count: int) -> IntArray:
    return _largest(S.A.diagonal(), count)


def _eigenvector(S: Operator, count: int) -> IntArray:
    vector = S.spectrum(1, which="largest").vectors[:, 0]
    first = vector[np.argmax(np.abs(vector) > 1e-12)]
    return _largest(vector * (1.0 if first >= 0 else -1.0), count)


def _largest(values: FloatArray, count: int) -> IntArray:
    """Find the largest values; of equal ones the first."""
    return np.argsort(-values, kind="stable")[:count]


RULES: dict[str, Callable[[Operator, int], IntArray]] = {
    "coarsest": coarsest,
    "degree": _degree,
    "eigenvector": _eigenvector,
}
