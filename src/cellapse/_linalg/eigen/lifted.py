r"""Lanczos on a polynomial of a matrix that lifts its smallest eigenvalues out of the others.

For the Chebyshev polynomial T of odd degree, and an interval [cut, top] that holds all eigenvalues
but the wanted ones,

    p(A) = T((middle - A) / half),    middle = (top + cut) / 2,    half = (top - cut) / 2,

is between -1 and 1 on the interval, above 1 below it, and below -1 above it: the eigenvectors of
the smallest eigenvalues of A are those of the largest of p(A), which are further apart. A step of
Lanczos costs as much as several products with a sparse matrix: so a few of them take it further.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import numpy as np
from scipy import linalg, sparse

from cellapse._errors import ConvergenceError
from cellapse._linalg.eigen.krylov import largest_pairs, recurrence
from cellapse._linalg.eigen.problem import Problem
from cellapse._linalg.symmetric import Pairs
from cellapse._shared.arrays import FloatArray

_DEGREE = 5  # odd, so that what is above the interval stays away
_BEYOND = 4  # Ritz values besides the wanted ones: what is next to the cut is hardly lifted
_SAME = 1e-6  # of the norm: closer ones are copies
_WIDE = 0.5  # a cut above this part of the spectrum lifts nothing


def lifted_pairs(problem: Problem, tol: float, most: int) -> Pairs | None:
    """The k smallest eigenpairs of a sparse matrix with at most so many products, or None.

    None where products cost more, there is nothing to lift, or not enough of it: the wanted ones
    have to be above 1, as others within the interval come close to that.
    """
    bounds = _interval(problem) if problem.operator.cheap else None
    if bounds is None:
        return None
    cut, top = bounds
    turned = _turned(problem, 0.5 * (top + cut), 0.5 * (top - cut))

    def polynomial(x: FloatArray) -> FloatArray:
        before, now = x, 0.5 * turned(np.zeros_like(x), x)
        for _ in range(_DEGREE - 1):
            before, now = now, turned(-before, now)
        return now

    basis = max(2 * problem.k + 2, 24)  # of the Krylov space
    restarts = most // (_DEGREE * max(basis - problem.k, 1))
    try:
        vectors = largest_pairs(problem, polynomial, basis, tol, restarts=restarts)[1]
    except ConvergenceError:
        return None
    image = problem.apply(vectors)
    values = np.einsum("ij,ij->j", vectors, image)
    left = np.linalg.norm(image - vectors * values, axis=0).max()
    order = np.argsort(values, kind="stable")
    return (values[order], vectors[:, order]) if left <= 1.5 * tol * problem.norm else None


def _interval(problem: Problem) -> tuple[float, float] | None:
    """From above the k smallest eigenvalues to about the largest one.

    The k-th Ritz value is above the k-th eigenvalue, once copies do not count: rounding makes some
    of those that have converged.
    """
    steps = 2 * problem.k + 60  # more of them tell it better
    known = list(islice(recurrence(problem), steps)) if steps <= problem.room else []
    if len(known) < steps:
        return None
    diagonal, beside = (np.array(part) for part in zip(*known, strict=True))
    values = linalg.eigvalsh_tridiagonal(diagonal, beside[:-1])
    top = min(float(values[-1] + beside[-1]), problem.norm)
    values = values[np.diff(values, prepend=-np.inf) > _SAME * problem.norm]
    at = problem.k + _BEYOND
    return (float(values[at]), top) if at < len(values) and values[at] < _WIDE * top else None


def _turned(
    problem: Problem, middle: float, half: float
) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """y, x -> y + 2 (middle - A) x / half, the smallest eigenvalues on top; y is written over."""
    if problem.operator.matrix is None:
        return lambda y, x: y + (2.0 / half) * (middle * x - problem.apply(x))
    A, eye = problem.matrix, sparse.eye_array(problem.n)
    if problem.largest:
        A = problem.norm * eye - A
    H = sparse.csr_array((2.0 / half) * (middle * eye - A))
    return lambda y, x: np.add(y, H @ x, out=y)
