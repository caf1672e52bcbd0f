r"""Shifted systems: (S - s D)^-1 for a safe shift s, and how many eigenvalues are below a value.

An operator may know a sparse matrix whose inverse begins with that of S - s D,

    M = | H    N |,    H - N C^-1 N^T = S - s D,    M^-1 = | (S - s D)^-1  . |
        | N^T  C |                                         |      .        . |.

By Sylvester's law of inertia, M has as many negative eigenvalues as C and S - s D together; those
of S - s D are the eigenvalues of S u = lambda D u below s.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cellapse._errors import ConvergenceError
from cellapse._linalg.direct import Direct, Solve
from cellapse._linalg.symmetric import SymmetricOperator
from cellapse._shared.arrays import FloatArray, row_sum


def shift_inverse(
    operator: SymmetricOperator, mass: FloatArray, direct: Direct
) -> tuple[float, Solve] | None:
    """A shift s below the spectrum and x -> (S - s D)^-1 x; None without a factorization."""
    shortcuts = operator.shortcuts
    if shortcuts.shifted is None or shortcuts.safe_shift is None:
        return None
    shift = shortcuts.safe_shift(mass)
    system = shortcuts.shifted(shift, mass)
    if system is None:
        return None
    matrix, n = system[0], operator.shape[0]
    solve = direct.prepare(matrix)
    size = matrix.shape[0]
    if size == n:
        return shift, solve

    def first_block(x: FloatArray) -> FloatArray:
        padded = np.zeros((size, *x.shape[1:]))
        padded[:n] = x
        return solve(padded)[:n]

    return shift, first_block


def count_below(operator: SymmetricOperator, value: float, mass: FloatArray) -> int | None:
    """How many eigenvalues of S u = lambda D u are smaller than a value.

    None where there is nothing to factorize, or the factorization cannot be relied on.
    """
    shortcuts = operator.shortcuts
    if shortcuts.shifted is None:
        return None
    norm = row_sum(operator.A, mass) or 1.0
    rounding = shortcuts.rounding / float(mass.min(initial=np.inf))
    if rounding > 5e-10 * norm:
        return None
    margin = 1e-11 * norm + 10.0 * rounding
    for away in (1.0, 2.0, 5.0):  # where a pivot vanishes, a little further off
        system = shortcuts.shifted(value - away * margin, mass)
        if system is None:
            return None
        matrix, others = sparse.csc_array(system[0]), system[1]
        try:
            factor = Direct().prepare(matrix)
        except ConvergenceError:
            continue
        negative = factor.n_negative()
        if negative is None or not 0 <= negative - others <= operator.shape[0]:
            continue
        if _solves(factor, matrix):
            return negative - others
    return None


def _solves(factor: Solve, matrix: sparse.csc_array) -> bool:
    """Whether a factorization without pivoting kept its digits: seen on a random vector."""
    rhs = np.random.default_rng(0).standard_normal(matrix.shape[0])
    x = factor(rhs)
    left = np.abs(matrix @ x - rhs)
    return bool((left <= 1e-8 * (abs(matrix) @ np.abs(x) + np.abs(rhs))).all())
