r"""T of a ladder as a dense array, by dense algebra on the cells of the kept rank.

    T = A - c (I - K^-1),   K = I + G,   G = beta B M^-1 B^T.

G is a sparse matrix where M falls into small blocks. Elsewhere PARDISO, where it is installed, is
asked for it: it eliminates all other cells, which takes less than a few products with T.
"""

from __future__ import annotations

import numpy as np

from cellapse._collapse.ladder import GOOD, Array, Ladder
from cellapse._errors import ConvergenceError
from cellapse._linalg.direct import Solve
from cellapse._linalg.lapack import definite_inverse
from cellapse._shared.arrays import FloatArray

_DENSE = 1500  # speed only: up to this many a dense inverse is quicker than n products


def array_is_quick(ladder: Ladder, error: float) -> bool:
    """Whether T as an array, good enough for an error, takes less than a few products."""
    few = ladder.n <= _DENSE and ladder.c > 0.0
    quick = few and ladder.as_it_is.exact and ladder.as_it_is.raised.complements
    return quick and ladder_array(ladder, error) is not None


def ladder_array(ladder: Ladder, error: float = 0.0) -> FloatArray | None:
    """T as a dense array, where that is the quick and accurate way.

    Products with it are off by a small share of `error`, relative to the vector, or by what is
    accepted everywhere.
    """
    good = max(0.3 * GOOD * ladder.norm, 0.01 * error)
    if ladder.array is not None and ladder.array.error <= good:
        return ladder.array.T
    quick = ladder.n and ladder.c > 0.0 and (ladder.n <= _DENSE or ladder.iterative)
    if not quick or not ladder.definite:
        return None
    try:
        with ladder.as_it_is.dense() as known:
            moved = None if known is None else _moved(ladder, *known, good / ladder.c)
    except ConvergenceError:  # products may still do
        return None
    if moved is None:
        return None
    T = ladder.A.toarray() - ladder.c * moved
    T = (T + T.T) / 2
    if not ladder.one_solve_tells:  # products take longer than with an array
        ladder.array = Array(T, good)
    return T


def _moved(ladder: Ladder, G: FloatArray, by: Solve, good: float) -> FloatArray | None:
    """I - K^-1, or None where two random vectors show an error that is too large.

    K is at least I, so that |x - K v| bounds the error of v; `by` is v -> G v with less rounding.
    """
    eye = np.eye(ladder.n)
    inverse = definite_inverse(G + eye)
    if inverse is None:
        return None
    probes = np.random.default_rng(0).standard_normal((ladder.n, 2))
    images = inverse @ probes
    left = np.linalg.norm(images + by(images) - probes) / np.linalg.norm(probes)
    if not left <= good:
        return None
    moved = G @ inverse if G.diagonal().max(initial=0.0) < 0.5 else eye - inverse
    moved -= ladder.fixed(moved)
    moved -= ladder.fixed(moved.T).T
    return moved
