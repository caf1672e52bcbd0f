r"""Spectral transformation and Sylvester's law of inertia, both from one shifted system.

`operator.shifted_system(s, mass)` is a sparse matrix whose inverse begins with that of S - s D,

    M = | H    N |,    H - N C^-1 N^T = S - s D,    M^-1 = | (S - s D)^-1  . |
        | N^T  C |                                         |      .        . |.

M has as many negative eigenvalues as C and S - s D together; those of S - s D are the eigenvalues
of S u = lambda D u below s (Parlett, The Symmetric Eigenvalue Problem, 1998, chapter 3).
"""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse

from cellapse._errors import ConvergenceError
from cellapse._linalg.factor import Direct, Solve
from cellapse._linalg.symmetric import SymmetricOperator
from cellapse._linalg.tuning import PIVOTED_UP_TO
from cellapse._shared.arrays import FloatArray

_FARTHEST = 5e-9  # relative to the norm: how far from the value the count may be taken
_UNIT = 2.0**-53


def shift_inverse(
    operator: SymmetricOperator, mass: FloatArray, direct: Direct, above: float | None = None
) -> tuple[float, Solve] | None:
    """Give a shift s outside the spectrum and x -> (S - s D)^-1 x; None without a factorization.

    Below the spectrum, or `above` it: S <= A, so that all of the system is negative definite there.
    """
    shift = operator.safe_shift(mass) if above is None else above
    system = operator.shifted_system(shift, mass)
    if system is None:
        return None
    matrix, n = system[0], operator.shape[0]
    solve, size = direct.prepare(matrix), matrix.shape[0]
    if size == n:
        return shift, solve

    def first_block(x: FloatArray) -> FloatArray:
        padded = np.zeros((size, *x.shape[1:]))
        padded[:n] = x
        return solve(padded)[:n]

    return shift, first_block


def count_below(operator: SymmetricOperator, value: float, mass: FloatArray) -> int | None:
    """Count the eigenvalues of S u = lambda D u that are smaller than a value.

    None if there is nothing to factorize, or the factorization cannot be relied on.
    """
    norm = operator.norm_bound(mass)
    rounding = operator.rounding / float(mass.min(initial=np.inf))
    nearest, farthest = 1e-11 * norm + 10.0 * rounding, _FARTHEST * norm
    if nearest > farthest:
        return None
    for away in (nearest, farthest):  # further off, if a pivot is close to 0
        system = operator.shifted_system(value - away, mass)
        if system is None:
            return None
        matrix, others = sparse.csc_array(system[0]), system[1]
        unit = 2 * _UNIT * norm + rounding  # what rounding in every row may move an eigenvalue
        negative = inertia(matrix, 0.5 * away / unit)
        if negative is not None and 0 <= negative - others <= operator.shape[0]:
            return negative - others
    return None


def inertia(matrix: sparse.csc_array, most_growth: float) -> int | None:
    """Count the negative eigenvalues; None if rounding may have changed the number.

    Without pivoting a pivot may be close to zero, and what follows is noise, however well the
    factors solve: the count is good as long as the factors have not grown beyond the matrix.
    """
    if matrix.shape[0] <= PIVOTED_UP_TO:
        return _pivoted(matrix.toarray())
    try:
        factor = Direct().prepare(matrix)
    except ConvergenceError:
        return None
    return factor.n_negative() if factor.growth() <= most_growth else None


def _pivoted(M: FloatArray) -> int:
    """Count by L D L^T with pivots of one or two rows, of the matrix with its rows scaled alike."""
    scale = 1.0 / np.sqrt(np.maximum(np.abs(M).max(axis=1, initial=0.0), 1e-300))
    D = linalg.ldl(scale[:, None] * M * scale)[1]
    beside = D.diagonal(1)
    values = linalg.eigvalsh_tridiagonal(D.diagonal(), beside) if len(beside) else D.diagonal()
    return int((values < 0).sum())
