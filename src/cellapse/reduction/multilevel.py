r"""Reductions of reductions: ever fewer vertices, and ways from one level to another.

    S = S_0, S_1, ..., S_L,    S_(l+1) = P_l^T S_l P_l,    P_l x = (x, -S_EE^-1 S_EF x).

P_l interpolates: of all values on level l that agree with x it has the least energy. Its transpose
restricts: it moves what flows in at eliminated vertices to kept ones. (Shuman, Faraji and
Vandergheynst, A multiscale pyramid transform for graph signals, 2016.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cellapse._errors import InputError
from cellapse._linalg.operators import Operator
from cellapse._operators.as_operator import as_operator
from cellapse._shared.align import align_numbers
from cellapse._shared.arrays import FloatArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import generator, listed, whole_number
from cellapse._shared.pictures import bars
from cellapse.reduction.approximate import SparseReduction
from cellapse.reduction.kron import reduce
from cellapse.reduction.reduced import ReducedOperator

_RATIO = 4  # times fewer vertices on every level


@dataclass(frozen=True, eq=False, repr=False)
class Pyramid(Shown):
    """An operator and its reductions to ever fewer vertices; made by `pyramid`.

    Attributes
    ----------
    operators : tuple of Operator
        From the whole one to that on the fewest vertices.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> P = cl.reduction.pyramid(cl.graph_laplacian(nx.path_graph(9)), [3, 2])
    >>> P.sizes, P.operators[2].labels
    ((9, 3, 2), (1, 8))
    >>> P.interpolate([0.0, 7.0]).round(6).tolist()
    [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    """

    operators: tuple[Operator, ...] = field(repr=False)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return how many vertices every level has."""
        return tuple(S.shape[0] for S in self.operators)

    def _card(self) -> Card:
        rows = (
            ("of", repr(self.operators[0])),
            ("sizes", ", ".join(f"{n:,}" for n in self.sizes)),
        )
        calls = (
            ("P.operators[-1]", "is the operator on the fewest vertices"),
            ("P.interpolate(x)", "carries values from there to all vertices"),
        )
        return Card(
            f"Pyramid of {len(self.sizes)} levels", rows, lambda: bars(list(self.sizes)), calls
        )

    def interpolate(self, x: ArrayLike, depth: int = -1) -> FloatArray:
        """Carry values on a level to all vertices: of the least energy, level by level."""
        S, steps = self._level(depth)
        values = align_numbers(x, S.labels, "the signal", cells=S.onto > 0)
        for R in reversed(steps):
            values = R.complete(values)
        return values

    def restrict(self, b: ArrayLike, depth: int = -1) -> FloatArray:
        """Carry right-hand sides of all vertices to a level: the transpose of `interpolate`."""
        S, (_, steps) = self.operators[0], self._level(depth)
        values = align_numbers(b, S.labels, "the right-hand side", cells=S.onto > 0)
        for R in steps:
            values = R.restrict(values)
        return values

    def _level(self, depth: int) -> tuple[Operator, list[ReducedOperator]]:
        """Return the operator of a level, and the reductions from the whole one to it."""
        last = len(self.operators) - 1
        at = whole_number("depth", depth, -1, last) % len(self.operators)
        S, chain = self.operators[at], self.operators[1 : at + 1]
        if isinstance(S, ReducedOperator) and at:  # of the whole operator, at once
            return S, [S]
        return S, [R.exact for R in chain if isinstance(R, SparseReduction)]


def pyramid(
    operator: Any,
    levels: Any,
    *,
    rule: str | None = None,
    sparse: float | None = None,
    rng: Any = 0,
) -> Pyramid:
    """Reduce an operator level by level, each a reduction of the one before.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator; or a network
    levels : int, or falling list of int
        How many reductions, each to a quarter of the vertices; or how many vertices each keeps.
    rule, rng
        As for `reduce`.
    sparse : float, optional
        Every level is a sparse graph within this factor of the reduction of the one before: as
        quick for large networks as for small ones. Exact without.

    Returns
    -------
    Pyramid

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> P = cl.reduction.pyramid(cl.collapse(nx.karate_club_graph()), 2)
    >>> P.sizes
    (34, 9, 3)
    >>> P.interpolate([1.0, 1.0, 1.0]).round(9).max()
    np.float64(1.0)
    """
    S, draws = as_operator(operator), generator(rng)
    operators: list[Operator] = [S]
    for count in _sizes(levels, S.shape[0]):
        R = reduce(operators[-1], count, rule=rule, sparse=sparse, rng=draws)
        operators.append(R)
    return Pyramid(tuple(operators))


def _sizes(levels: Any, n: int) -> list[int]:
    """Return how many vertices every level keeps."""
    if isinstance(levels, int | np.integer | float | bool):
        count = whole_number("levels", levels, 1)
        sizes = [-(-n // _RATIO)]
        while len(sizes) < count:  # which may be more than anybody can list
            if sizes[-1] == 1:
                raise InputError(
                    f"levels={count} of {n:,} vertices: they end in one before; give fewer"
                )
            sizes.append(-(-sizes[-1] // _RATIO))
        return sizes
    sizes = [whole_number("levels", size, 1, n) for size in listed(levels, "levels")]
    if not sizes or (np.diff([n, *sizes]) > 0).any():
        raise InputError(f"levels={levels!r:.80}; give falling numbers of vertices, or how many")
    return sizes
