r"""Corrections of approximate eigenvectors, t = (A - s)^-1 r for residuals r, with A alone.

By a factorization of A or by conjugate gradients, with s next to each eigenvalue, off the vectors
that are known: there A - s is positive definite. Where none are, by a factorization with s next
to 0. Where some degrees are
much larger than the others, the diagonal of A preconditions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cellapse._linalg.cg import rough_solution
from cellapse._linalg.direct import Direct, Solve
from cellapse._linalg.eigen.problem import Problem, has_hubs
from cellapse._shared.arrays import BoolArray, FloatArray, remove_span

_TERMS = 2  # speed only: solves with a factor of A that save a product with S, which costs more


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

    Off V, A is so far above s that a few terms of the series in s (A - s_0)^-1 do, s_0 next to 0.
    Along V the first one does: a restart may have lost something of it.
    """
    below, solve = plain.factor(direct)
    project = _off(plain, V)

    def correct(ritz: Ritz) -> FloatArray:
        R, shift = ritz.R[:, ritz.open_], _quotients(plain.apply, ritz, highest) - below
        first = steps = solve(R)
        for _ in range(_TERMS):
            steps = first + solve(shift * project(steps))
        return steps

    return correct


def off_known_vectors(plain: Problem, V: FloatArray, highest: float) -> Correction:
    """(A - s)^-1 r off the eigenvectors V of A, s next to each eigenvalue.

    There A - s is positive definite for s up to the k-th value, `highest`.
    """
    near, project = _diagonal(plain), _off(plain, V)

    def correct(ritz: Ritz) -> FloatArray:
        shift = _quotients(plain.apply, ritz, highest)
        # A - s commutes with the projection: only a preconditioner leaves what it projects onto.
        return rough_solution(
            lambda p: plain.apply(p) - shift * p,
            project(ritz.R[:, ritz.open_]),
            None if near is None else lambda r: project(near(r)),
        )

    return correct


def _off(problem: Problem, V: FloatArray) -> Solve:
    """x -> x without its part along V, in the kernel, and along what is known."""
    return lambda x: problem.project_in_place(remove_span(np.array(x, order="C"), V))


def _quotients(A: Solve, ritz: Ritz, highest: float = np.inf) -> FloatArray:
    """The Rayleigh quotients of the open pairs with A, at most `highest`."""
    X = ritz.X[:, ritz.open_]
    return np.minimum(np.einsum("ij,ij->j", X, A(X)), highest)


def off_ritz_vectors(problem: Problem) -> Correction:
    """(A - s)^-1 r off the approximate eigenvectors themselves, s below their quotients."""
    A, near = problem.matrix, _diagonal(problem)

    def correct(ritz: Ritz) -> FloatArray:
        project = _off(problem, ritz.X)
        R = ritz.R[:, ritz.open_]
        shift = np.maximum(_quotients(A.__matmul__, ritz) - np.linalg.norm(R, axis=0), 0.0)
        return rough_solution(
            lambda p: project(A @ p - shift * p),
            project(R),
            None if near is None else lambda r: project(near(r)),
        )

    return correct


def smoothed(problem: Problem, columns: int) -> FloatArray:
    """A random start on which A is small; still random where it counts."""
    A, near = problem.matrix, _diagonal(problem)
    return rough_solution(
        lambda p: problem.project(A @ p),
        problem.start(columns),
        None if near is None else lambda r: problem.project(near(r)),
    )


def _diagonal(problem: Problem) -> Solve | None:
    """One over the diagonal of A, where there are hubs."""
    if not has_hubs(problem.matrix):
        return None
    diagonal = problem.matrix.diagonal()
    inverse = (1.0 / np.where(diagonal > 0, diagonal, 1.0))[:, None]
    return lambda r: inverse * r
