r"""Corrections of approximate eigenvectors, t = (A - s)^-1 r for residuals r, with A alone.

By a factorization of A, with s next to 0; or by conjugate gradients, with s next to each
eigenvalue, off the vectors that are known: there A - s is positive definite. Where some degrees are
much larger than the others, the diagonal of A preconditions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from cellapse._linalg.cg import rough_solution
from cellapse._linalg.direct import Direct, Solve
from cellapse._linalg.eigen.problem import Problem
from cellapse._shared.arrays import BoolArray, FloatArray

_HUBS = (
    10.0  # speed only: times the median: from there on the largest diagonal entry is one of a hub
)
_TERMS = 3  # speed only: of the series for a factor


class Ritz(NamedTuple):
    """Approximate eigenvectors X of S and their residuals R; those that are `open_` need a step."""

    X: FloatArray
    R: FloatArray
    open_: BoolArray


Correction = Callable[[Ritz], FloatArray]  # one column for each open pair


def has_hubs(matrix: sparse.csr_array) -> bool:
    """Whether some rows are so much heavier than most that a polynomial of A mainly sees those."""
    diagonal = matrix.diagonal()
    diagonal = diagonal[diagonal > 0]
    return len(diagonal) > 0 and bool(diagonal.max() > _HUBS * np.median(diagonal))


def by_factor(plain: Problem, direct: Direct) -> Correction:
    """(A - s)^-1 r by a factorization, s next to 0."""
    solve = plain.factor(direct)[1]
    return lambda ritz: solve(ritz.R[:, ritz.open_])


def by_factor_off_known_vectors(
    plain: Problem, direct: Direct, V: FloatArray, highest: float
) -> Correction:
    """(A - s)^-1 r off the eigenvectors V of A, s next to each eigenvalue, by a factorization.

    A^-1 r + s A^-2 r + s^2 A^-3 r: off V, A is above `highest`, the last of the values. A product
    with S costs more than the two solutions besides the first, and steps fewer save them.
    """
    A, solve = plain.matrix, plain.factor(direct)[1]

    def correct(ritz: Ritz) -> FloatArray:
        shift = np.minimum(_quotients(A, ritz.X[:, ritz.open_]), highest)
        r = ritz.R[:, ritz.open_]
        term = total = solve(plain.project(r - V @ (V.T @ r)))
        for _ in range(_TERMS - 1):
            term = shift * solve(term)
            total = total + term
        return total

    return correct


def off_known_vectors(plain: Problem, V: FloatArray, highest: float) -> Correction:
    """(A - s)^-1 r off the eigenvectors V of A, s next to each eigenvalue.

    There A - s is positive definite for s up to the k-th value, `highest`.
    """
    A, near = plain.matrix, _diagonal(plain)

    def project(x: FloatArray) -> FloatArray:
        return plain.project(x - V @ (V.T @ x))

    def correct(ritz: Ritz) -> FloatArray:
        shift = np.minimum(_quotients(A, ritz.X[:, ritz.open_]), highest)
        # A - s commutes with the projection: only a preconditioner leaves what it projects onto.
        return rough_solution(
            lambda p: A @ p - shift * p,
            project(ritz.R[:, ritz.open_]),
            None if near is None else lambda r: project(near(r)),
        )

    return correct


def off_ritz_vectors(problem: Problem) -> Correction:
    """(A - s)^-1 r off the approximate eigenvectors themselves, s below their quotients."""
    A, near = problem.matrix, _diagonal(problem)

    def correct(ritz: Ritz) -> FloatArray:
        def project(x: FloatArray) -> FloatArray:
            return problem.project(x - ritz.X @ (ritz.X.T @ x))

        X, R = ritz.X[:, ritz.open_], ritz.R[:, ritz.open_]
        shift = np.maximum(_quotients(A, X) - np.linalg.norm(R, axis=0), 0.0)
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


def _quotients(A: sparse.csr_array, X: FloatArray) -> FloatArray:
    """x^T A x of every column."""
    return np.einsum("ij,ij->j", X, A @ X)


def _diagonal(problem: Problem) -> Solve | None:
    """One over the diagonal of A, where there are hubs."""
    if not has_hubs(problem.matrix):
        return None
    diagonal = problem.matrix.diagonal()
    inverse = (1.0 / np.where(diagonal > 0, diagonal, 1.0))[:, None]
    return lambda r: inverse * r
