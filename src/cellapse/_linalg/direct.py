"""Sparse factorizations as small frozen objects: `solve = Direct().prepare(matrix)`, once.

Handed to `collapse(..., solver=...)`, `Direct()` (the normal way) decides how (C + eps I)^-1 is
applied; its counterpart without a factorization is `CG()`. Whether a factorization would fill in is
told by `levels`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from cellapse._errors import CellapseError, ConvergenceError, SizeError, extra
from cellapse._linalg.levels import factor_size
from cellapse._linalg.pardiso import Pardiso
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import one_of
from cellapse._shared.memory import require_memory

_SURE_TO_FIT = 10_000  # rows whose factor fits into any memory, even when dense
_COLUMNS = 12  # right-hand sides that SuperLU takes at once: twice as quick as hundreds
_LARGE = 30_000  # rows from which PARDISO is clearly better
_SOME = 5000  # the same where a level has so many rows
_WIDE = 1000

Solve = Callable[[FloatArray], FloatArray]


class Factor:
    """A factorized symmetric matrix: call it to solve, for one right-hand side or many columns."""

    def __init__(
        self,
        solve: Solve,
        n_negative: Callable[[], int | None],
        growth: Callable[[], float] = lambda: np.inf,
    ) -> None:
        self._solve, self._n_negative, self._growth = solve, n_negative, growth

    def __call__(self, rhs: FloatArray) -> FloatArray:
        """The solution for a right-hand side."""
        return self._solve(rhs)

    def n_negative(self) -> int | None:
        """Number of negative eigenvalues (Sylvester's law of inertia), where it can be read off."""
        return self._n_negative()

    def growth(self) -> float:
        """How much larger |L| |U| is than the matrix, in the worst row; infinite where not known.

        The factors are those of a matrix that is so many units of rounding away, relative to rows.
        """
        return self._growth()


@dataclass(frozen=True)
class Direct:
    """Sparse factorization of a symmetric matrix.

    Parameters
    ----------
    factorization : {"superlu", "pardiso", "cholmod", "qdldl"}
        SuperLU comes with SciPy. PARDISO and QDLDL need the extra `fast`, CHOLMOD the extra
        `cholmod`. PARDISO wins on large systems, the largest of which it orders by nested
        dissection.

    Examples
    --------
    >>> solve = Direct().prepare(sparse.eye_array(2, format="csc") * 4)
    >>> solve(np.ones(2)).tolist(), solve.n_negative()
    ([0.25, 0.25], 0)
    """

    factorization: str = "superlu"

    def __post_init__(self) -> None:
        one_of("factorization", self.factorization, FACTORIZATIONS)

    def prepare(self, matrix: Any) -> Factor:
        """Factorize once; refused when the factor is not likely to fit into memory."""
        columns = sparse.csc_array(matrix)
        n = columns.shape[0]
        if n > _SURE_TO_FIT:
            require_memory(
                factor_size(columns),
                f"a factorization of {n:,} rows and {columns.nnz:,} entries",
                "use what needs none: Lanczos() or Davidson(None) for eigenpairs, CG() to collapse",
            )
        try:
            return FACTORIZATIONS[self.factorization](columns)
        except MemoryError:
            raise SizeError(
                f"the factorization of a matrix of {n:,} rows and {columns.nnz:,} entries does not "
                "fit into memory; use an iterative solver (Lanczos(), CG())"
            ) from None
        except (RuntimeError, ArithmeticError, ValueError) as error:  # each library has its own
            if isinstance(error, CellapseError):
                raise
            raise ConvergenceError(
                f"a matrix of {n:,} rows cannot be factorized by {self} ({error})"
            ) from None


def best_direct(n: int, widest: Callable[[], int] = lambda: 0) -> Direct:
    """PARDISO for large systems where it is installed, SuperLU otherwise.

    It is quicker from some 30,000 rows on, and three times as quick from some 500,000 on. Dense
    blocks, of which a system with a `widest` level of many rows has some, take it a quarter of the
    time.
    """
    large = n > _LARGE or (n > _SOME and widest() > _WIDE)
    return Direct("pardiso" if large and find_spec("pypardiso") else "superlu")


def _superlu(matrix: sparse.csc_array) -> Factor:
    # No pivoting off the diagonal: definite and quasi-definite matrices do not need it, and it
    # keeps the fill-in of the symmetric ordering.
    factor = linalg.splu(
        matrix,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        panel_size=4,  # a fifth less than with the 20 of SuperLU
        options={"SymmetricMode": True},  # less fill-in
    )

    def n_negative() -> int | None:
        if (factor.perm_r != factor.perm_c).any():
            return None  # pivots off the diagonal: no congruence
        return int((factor.U.diagonal() < 0).sum())  # a pivot of zero is an error

    def solve(rhs: FloatArray) -> FloatArray:
        if rhs.ndim == 1 or rhs.shape[1] <= _COLUMNS:
            return factor.solve(rhs)
        cuts = range(_COLUMNS, rhs.shape[1], _COLUMNS)
        return np.hstack([factor.solve(part) for part in np.split(rhs, cuts, axis=1)])

    def growth() -> float:
        ones = np.ones(matrix.shape[0])
        rows = (abs(factor.L) @ (abs(factor.U) @ ones))[factor.perm_r]
        return float((rows / np.maximum(abs(matrix) @ ones, 1e-300)).max(initial=0.0))

    return Factor(solve, n_negative, growth)


def _pardiso(matrix: sparse.csc_array) -> Factor:
    factor = Pardiso(matrix)
    return Factor(factor.solve, factor.n_negative)


def _cholmod(matrix: sparse.csc_array) -> Factor:
    with extra("scikit-sparse", "cholmod"):
        from sksparse.cholmod import analyze
    plain = sparse.csc_matrix(matrix)
    factor = analyze(plain, mode="simplicial")  # L D L^T, which takes negative pivots
    factor.cholesky_inplace(plain)
    return Factor(factor, lambda: int((factor.D() < 0).sum()))


def _qdldl(matrix: sparse.csc_array) -> Factor:
    with extra("qdldl", "fast"):
        from qdldl import Solver
    factor = Solver(sparse.csc_matrix(sparse.triu(matrix, format="csc")), upper=True)

    def solve(rhs: FloatArray) -> FloatArray:
        if rhs.ndim == 1:
            return factor.solve(rhs)
        columns = [factor.solve(np.ascontiguousarray(rhs[:, j])) for j in range(rhs.shape[1])]
        return np.stack(columns, axis=1)

    return Factor(solve, lambda: None)


FACTORIZATIONS = {
    "superlu": _superlu,
    "pardiso": _pardiso,
    "cholmod": _cholmod,
    "qdldl": _qdldl,
}
