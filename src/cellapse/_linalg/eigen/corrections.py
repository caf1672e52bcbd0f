r"""Corrections of approximate eigenvectors, t = (A - s)^-1 r for residuals r, with A alone.

By a factorization of A or by conjugate gradients, with s next to each eigenvalue, off the vectors
that are known: there A - s is positive definite. Where none are, by a factorization with s next
to 0. Where some degrees are much larger than the others, the diagonal of A preconditions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cellapse._linalg.blas import remove_span
from cellapse._linalg.eigen.problem import Problem
from cellapse._linalg.eigen.rough import Rough
from cellapse._linalg.factor import Direct, Solve
from cellapse._shared.arrays import BoolArray, FloatArray

_TERMS = 3  # solves with a factor of A that save a product with S, which costs more
_BELOW = 0.3  # of a residual: how far a shift is below its quotient
_LEAST, _CLOSE = 1e-3, 0.95  # how close to A off V a shift is taken to be


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


def by_factor_off_known_vectors(
    plain: Problem, direct: Direct, V: FloatArray, highest: float
) -> Correction:
    """(A - s)^-1 r off the eigenvectors V of A by that factor, s next to each eigenvalue.

    With a factor of A - s_0, s_0 next to 0, and X = (s - s_0) (A - s_0)^-1,

        (A - s)^-1 r  =  (I - X)^-1 (A - s_0)^-1 r,

    and off V the values of X are below one. Along V the first term does: a restart may have lost
    something of it.
    """
    below, solve = plain.factor(direct)
    project, last = _off(plain, V), V[:, -1]
    next_ = float(last @ plain.apply(last)) - below  # at most what A - s_0 is off V

    def correct(ritz: Ritz) -> FloatArray:
        shift = _quotients(plain.apply, ritz, highest) - below
        first = solve(ritz.R[:, ritz.open_])
        most = np.clip(shift / next_, _LEAST, _CLOSE)
        return summed_series(lambda y: solve(shift * project(y)), first, most)

    return correct


def summed_series(X: Solve, b: FloatArray, most: FloatArray) -> FloatArray:
    r"""About (I - X)^-1 b = b + X b + X^2 b + ... by a few products, the values of X in [0, most].

    By Chebyshev's iteration: what is left of b falls like T_m(2 / most - 1)^-1 with the number m
    of products plus one; by the terms of the series it would fall like most^m. One `most` below 1
    for each column.

    >>> b, most = np.ones((1, 1)), np.array([0.5])
    >>> summed_series(lambda y: 0.5 * y, b, most).round(2).tolist()
    [[2.0]]
    """
    middle, half = 1.0 - most / 2.0, most / 2.0
    turn, step = half / middle, b / middle
    y = step
    for _ in range(_TERMS):
        last, turn = turn, 1.0 / (2.0 * middle / half - turn)
        step = turn * last * step + (2.0 * turn / half) * (b - y + X(y))
        y = y + step
    return y


def off_known_vectors(plain: Problem, V: FloatArray, highest: float) -> Correction:
    """(A - s)^-1 r off the eigenvectors V of A, s next to each eigenvalue.

    There A - s is positive definite for s up to the k-th value, `highest`.
    """
    rough = Rough(plain)

    def correct(ritz: Ritz) -> FloatArray:
        shift = np.minimum(rough.quotients(ritz.X[:, ritz.open_]), highest)
        return rough.solution(ritz.R[:, ritz.open_], shift, V, invariant=True)

    return correct


def _off(problem: Problem, V: FloatArray) -> Solve:
    """x -> x without its part along V, in the kernel, and along what is known."""
    return lambda x: problem.project_in_place(remove_span(np.array(x, order="C"), V))


def _quotients(A: Solve, ritz: Ritz, highest: float) -> FloatArray:
    """The Rayleigh quotients of the open pairs with A, at most `highest`."""
    X = ritz.X[:, ritz.open_]
    return np.minimum(np.einsum("ij,ij->j", X, A(X)), highest)


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
