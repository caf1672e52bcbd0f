"""Reduce an operator to a few of its vertices, exactly or by a sparse graph."""

from __future__ import annotations

import warnings
from typing import Any, overload

from cellapse._errors import CellapseWarning
from cellapse._operators.as_operator import as_operator
from cellapse._shared.checks import generator, number
from cellapse.reduction.approximate import SparseReduction, approximate
from cellapse.reduction.keep import kept_vertices
from cellapse.reduction.reduced import ReducedOperator

_LEAST = 1e-6  # a factor that takes 1e12 copies of an edge


@overload
def reduce(
    operator: Any, keep: Any, *, rule: str | None = None, sparse: None = None, rng: Any = 0
) -> ReducedOperator: ...


@overload
def reduce(
    operator: Any, keep: Any, *, rule: str | None = None, sparse: float, rng: Any = 0
) -> SparseReduction: ...


def reduce(
    operator: Any,
    keep: Any,
    *,
    rule: str | None = None,
    sparse: float | None = None,
    rng: Any = 0,
) -> ReducedOperator | SparseReduction:
    """Reduce an operator to a few of its vertices (Kron reduction).

    S_F = S_FF - S_FE S_EE^-1 S_EF: the energy of values on F once all others have relaxed.
    Resistances between kept vertices do not change.

    Parameters
    ----------
    operator : Operator, matrix or LinearOperator; or a network
        A network is collapsed. What is reduced already is reduced further.
    keep : int, or list of labels
        The vertices that are kept: those named, in that order, or so many by a rule. Components
        of which none is kept have no effect on the others; a warning says so.
    rule : {"coarsest", "degree", "eigenvector"}, optional
        For a number: vertices far apart (k-centres, the default), those of the largest degree, or
        of the largest entries in the last eigenvector.
    sparse : float, optional
        A factor between 0 and 1: a sparse graph is made by sampling, with (1 - sparse) x^T S_F x <=
        x^T R x <= (1 + sparse) x^T S_F x. The factor is measured, `R.lower` and `R.upper`. The
        operator must be a graph itself: a sparse matrix without positive entries off its diagonal.
    rng : seed or numpy Generator
        Of `sparse`.

    Returns
    -------
    ReducedOperator
        Or a SparseReduction, with `sparse`.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> S = cl.collapse(nx.karate_club_graph())
    >>> R = cl.reduce(S, 5, rule="degree")
    >>> R.labels
    (0, 1, 2, 32, 33)
    >>> [cl.effective_resistance(given, [(0, 33)]).round(6).tolist() for given in (S, R)]
    [[0.474849], [0.474849]]
    """
    factor = None if sparse is None else _factor(sparse)
    draws = generator(rng)
    S = as_operator(operator)
    vertices, chosen = kept_vertices(S, keep, rule)
    if isinstance(S, ReducedOperator):  # a Schur complement of a Schur complement is one
        S, vertices = S.of, S.vertices[vertices]
    R = ReducedOperator(S, vertices, chosen)
    if len(R.missed):
        warnings.warn(
            f"{len(R.missed):,} vertices, such as {S.labels[R.missed[0]]!r:.60}, are in components "
            "of which no vertex is kept: they have no effect on the others, and R.complete gives "
            'them 0; keep one of each component, or a number with rule="coarsest"',
            CellapseWarning,
            stacklevel=2,
        )
    return R if factor is None else approximate(R, factor, draws)


def _factor(sparse: float) -> float:
    what = f"a number from {_LEAST:g} to below 1, like 0.1"
    return number("sparse", sparse, what, lambda x: _LEAST <= x < 1)
