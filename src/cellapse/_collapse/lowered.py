r"""A sparse matrix below S that is closer to it than A, where masses differ.

K is I on the kernel of A, onto which P projects, and at least I elsewhere, so that

    S = A - c (I - K^-1)  >=  A - c (I - P).

With one mass for all, that has the eigenvectors of A. With others, c / mass is another shift for
every cell, and of the size of the smallest eigenvalues: those of A are a poor start then. Here the
masses are part of the matrix, D^{-1/2} (A - c (I - P)) D^{-1/2}.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import linalg, sparse

from cellapse._errors import ConvergenceError
from cellapse._linalg.blas import times
from cellapse._linalg.factor import Direct, Solve
from cellapse._linalg.kernel import scaled_kernel
from cellapse._linalg.operators import SparseOperator
from cellapse._linalg.symmetric import Shortcuts
from cellapse._shared.arrays import Entries, FloatArray, row_sum

_BELOW = 0.1  # how far below 0 a shift is, next to what masses make of c


class Lowered(SparseOperator):
    """D^{-1/2} (A - c (I - P)) D^{-1/2}; its sparse part `A` is without P.

    Parameters
    ----------
    A : (n, n) csr_array
    kernel : (n, any) csr_array
        Orthonormal columns that A maps to zero.
    c : float
        At most the smallest positive eigenvalue of A, but for rounding.
    mass : (n,) array
    """

    def __init__(
        self, A: sparse.csr_array, kernel: sparse.csr_array, c: float, mass: FloatArray
    ) -> None:
        root = np.sqrt(mass)
        scale = sparse.diags_array(1.0 / root)
        lower = scale @ (A - c * sparse.eye_array(A.shape[0])) @ scale
        super().__init__(lower, (), scaled_kernel(root, Entries.of(kernel)).csr)
        self._P = sparse.csr_array(np.sqrt(c) * (scale @ kernel))
        self._shift = -_BELOW * c / float(mass.mean())
        self._bound = row_sum(A, mass) or 1.0

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        return times(self.A, x) + self._P @ (self._P.T @ x)

    def norm_bound(self, mass: FloatArray | None = None) -> float:
        return self._bound

    @property
    def shortcuts(self) -> Shortcuts:
        known = super().shortcuts
        return replace(known, matrix=None, shifted=self._shifted, factor=self._factorized)

    def _factorized(self, direct: Direct) -> tuple[float, Solve]:
        """A shift, and the solution with M + P P^T by one with M, by Woodbury's identity."""
        M = self.A - self._shift * sparse.eye_array(self.shape[0])
        solve, Q, inner = self._woodbury(M, direct)
        factor = linalg.lu_factor(inner)

        def solution(x: FloatArray) -> FloatArray:
            y = solve(x)
            return y - Q @ linalg.lu_solve(factor, self._P.T @ y)

        return self._shift, solution

    def _shifted(self, shift: float, mass: FloatArray) -> tuple[sparse.csr_array, int] | None:
        """M, which has as many negative eigenvalues as M + P P^T and I + P^T M^-1 P together."""
        M = self.A - shift * sparse.diags_array(mass)
        try:
            inner = self._woodbury(M, Direct())[2]
        except ConvergenceError:  # singular, though M + P P^T need not be
            return None
        return M, int((linalg.eigvalsh(inner) < 0.0).sum())

    def _woodbury(
        self, M: sparse.csr_array, direct: Direct
    ) -> tuple[Solve, FloatArray, FloatArray]:
        """Solutions with M, M^-1 P, and I + P^T M^-1 P."""
        solve = direct.prepare(M)
        Q = solve(self._P.toarray())
        return solve, Q, np.eye(Q.shape[1]) + self._P.T @ Q
