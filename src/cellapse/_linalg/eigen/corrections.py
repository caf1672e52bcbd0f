r"""Corrections of approximate eigenvectors, t = (A - s)^-1 r for residuals r, with A alone.

By a factorization of A with s next to 0, or by conjugate gradients with s next to each eigenvalue,
off the vectors that are known: there A - s is positive definite. If some degrees are much larger
than the others, the diagonal of A preconditions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cellapse._linalg.eigen.problem import Problem
from cellapse._linalg.eigen.rough import Rough
from cellapse._linalg.factor import Direct
from cellapse._shared.arrays import BoolArray, FloatArray

_BELOW = 0.3  # of a residual: how far a shift is below its quotient


class Ritz(NamedTuple):
    """Approximate eigenvectors X of S and their residuals R; those that are `open_` need a step."""

    X: FloatArray
    R: FloatArray
    open_: BoolArray


Correction = Callable[[Ritz], FloatArray]  # one column for each open pair


def by_factor(plain: Problem, direct: Direct) -> Correction:
    """(A - s)^-1 r by a factorization, s next to 0."""
    solve = plain.factor(direct)[1]
    return lambda ritz: solve(ritz.R[:, ritz.open_])


def off_known_vectors(plain: Problem, V: FloatArray, highest: float) -> Correction:
    """(A - s)^-1 r off the eigenvectors V of A, s next to each eigenvalue.

    There A - s is positive definite for s up to the k-th value, `highest`.
    """
    rough = Rough(plain)

    def correct(ritz: Ritz) -> FloatArray:
        shift = np.minimum(rough.quotients(ritz.X[:, ritz.open_]), highest)
        return rough.solution(ritz.R[:, ritz.open_], shift, V, invariant=True)

    return correct


def off_ritz_vectors(problem: Problem) -> Correction:
    """(N - s)^-1 r off the approximate eigenvectors themselves, s below their quotients.

    N is what the operator knows to be next to S, or A.
    """
    rough = Rough(problem, problem.nearby)

    def correct(ritz: Ritz) -> FloatArray:
        R = ritz.R[:, ritz.open_]
        quotients = rough.quotients(ritz.X[:, ritz.open_])
        shift = np.maximum(quotients - _BELOW * np.linalg.norm(R, axis=0), 0.0)
        return rough.solution(R, shift, ritz.X)

    return correct


def smoothed(problem: Problem, columns: int) -> FloatArray:
    """A random start on which A is small; still random where it counts."""
    start = problem.start(columns)
    return Rough(problem).solution(start, np.zeros(columns), start[:, :0])
