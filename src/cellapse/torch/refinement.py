r"""Solutions of H z = b that are checked, from factorizations that may be far off.

    w(z) = max over rows of |b - H z| / (|H| |z| + |b|)

is the least w such that z solves a system exactly whose entries differ from those of H and b by at
most w of their size (Oettli and Prager). Refinement, z + H^-1 (b - H z), brings w down to rounding
if the factorization is any good. Where it is not, because 1 / eps has swallowed the other entries,
the next one is taken: it keeps all rows and chooses its pivots by size.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from cellapse._errors import ConvergenceError, SizeError
from cellapse._linalg.factor import Direct, Solve
from cellapse._shared.arrays import FloatArray

_PROMISE = 1e-14  # w of what is returned
_ROUNDING = float(np.finfo(np.float64).eps)
_PATIENCE = 3  # steps that may go by without halving w: small rows need others to settle first


class Refined:
    """Solves with a sparse symmetric matrix; each solution keeps the promise w <= 1e-14.

    Parameters
    ----------
    H : sparse array
    n_diagonal : int
        How many of the last rows are a positive diagonal among themselves; eliminated first.
    solver : Direct
        Factorizes the rest, if it is quasi-definite.
    pivot : bool
        Whether the rest is not.
    """

    def __init__(self, H: sparse.csr_array, n_diagonal: int, solver: Direct, pivot: bool) -> None:
        self._H, self._sizes = H, abs(H)
        self._rows = np.asarray(self._sizes.sum(axis=1))[:, None]
        first = _pivoting if pivot else solver.prepare
        self._ways: list[Callable[[], Solve]] = [cache(lambda: _pivoting(H))]
        if n_diagonal or not pivot:
            self._ways.insert(0, cache(lambda: _eliminating(H, n_diagonal, first)))

    def __call__(self, rhs: FloatArray) -> FloatArray:
        """Return the solutions for the columns of a right-hand side."""
        reached = np.inf
        while True:
            z, left = self._refine(rhs)
            if left <= _PROMISE:
                return z
            reached = min(reached, left)
            if len(self._ways) == 1:
                raise ConvergenceError(
                    f"a system of {self._H.shape[0]} equations was solved to {reached:.1e} of the "
                    f"size of its terms only, short of {_PROMISE:.0e}; raise eps, or lower "
                    "beta and the weights"
                )
            del self._ways[0]  # what failed once is not tried again, and its factor is freed

    def _refine(self, rhs: FloatArray) -> tuple[FloatArray, float]:
        """Return the best solution by the present factorization, and its w."""
        z, residual, left = np.zeros_like(rhs), rhs, np.full(rhs.shape[1], np.inf)
        with np.errstate(all="ignore"):  # what overflows is not an improvement
            try:
                factor = self._ways[0]()
                last, idle = z, 0
                while idle < _PATIENCE and left.max() > 2 * _ROUNDING:
                    last = last + factor(residual)
                    residual, error = self._check(last, rhs)
                    idle = 0 if (error <= 0.5 * left).any() else idle + 1
                    improved = error < left
                    z[:, improved], left[improved] = last[:, improved], error[improved]
            except RuntimeError:  # an exact zero as pivot
                pass
        return z, float(left.max())

    def _check(self, z: FloatArray, rhs: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the residual, and w of each column."""
        residual = rhs - self._H @ z
        terms = self._sizes @ np.abs(z) + np.abs(rhs)
        # Terms far below the size of the solution are held to that size instead (Arioli, Demmel
        # and Duff): rounding elsewhere reaches them.
        largest = self._rows * np.abs(z).max(axis=0)
        small = terms <= 1e3 * len(z) * _ROUNDING * largest
        share = np.abs(residual) / np.where(small, terms + largest, terms)
        share[residual == 0] = 0.0
        w = share.max(axis=0)
        return residual, np.where(np.isfinite(w), w, np.inf)


def _pivoting(matrix: sparse.sparray) -> Solve:
    try:
        return linalg.splu(sparse.csc_array(matrix)).solve
    except MemoryError:
        raise SizeError(
            f"the factorization of a matrix of {matrix.shape[0]:,} rows with pivots by size does "
            "not fit into memory; raise eps, lower the strength, or use solver=CG()"
        ) from None


def _eliminating(
    H: sparse.csr_array, n_diagonal: int, factorize: Callable[[sparse.csc_array], Solve]
) -> Solve:
    """Solves without the last rows, and has them from the others."""
    m = H.shape[0] - n_diagonal
    N, D = H[:m, m:], H.diagonal()[m:, None]
    reduced = H[:m, :m] - N @ sparse.diags_array(1.0 / D[:, 0]) @ N.T
    factor = factorize(reduced.tocsc())

    def solve(rhs: FloatArray) -> FloatArray:
        last = rhs[m:] / D
        first = factor(rhs[:m] - N @ last)
        return np.concatenate([first, last - N.T @ first / D])

    return solve
