r"""A sparse operator below S that is closer to it than A, for masses that differ.

K is I on the kernel of A, onto which P projects, and at least I elsewhere, so that

    S = A - c (I - K^-1)  >=  A - c (I - P).

With one mass for all, that has the eigenvectors of A. With others, c / mass is another shift for
every cell, and of the size of the smallest eigenvalues: those of A are a poor start then. Here the
masses are part of the operator, D^{-1/2} (A - c (I - P)) D^{-1/2}.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cellapse._linalg.blas import times
from cellapse._linalg.kernel import scaled_kernel
from cellapse._linalg.symmetric import Deficit, SymmetricOperator
from cellapse._shared.arrays import Entries, FloatArray, row_sum

_COMPONENTS = 20  # at most so many columns of P: each is a dense row of the shifted system
_BELOW = 0.1  # how far below 0 a shift is, relative to c over the mean mass


class LowerBound(SymmetricOperator):
    """D^{-1/2} (A - c (I - P)) D^{-1/2}; c <= lambda_1(A), and `A` here is without P."""

    cheap = True

    def __init__(
        self, A: sparse.csr_array, kernel: sparse.csr_array, c: float, mass: FloatArray
    ) -> None:
        super().__init__(A.shape[0], ())
        root = np.sqrt(mass)
        scale = sparse.diags_array(1.0 / root)
        self.A = sparse.csr_array(scale @ (A - c * sparse.eye_array(A.shape[0])) @ scale)
        self.kernel = scaled_kernel(root, Entries.of(kernel)).csr
        self._P = sparse.csr_array(np.sqrt(c) * (scale @ kernel))
        self._shift = -_BELOW * c / float(mass.mean())
        self._bound = row_sum(A, mass) or 1.0

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        return times(self.A, x) + self._P @ (self._P.T @ x)

    def norm_bound(self, mass: FloatArray | None = None) -> float:
        return self._bound if mass is None else self._bound / float(mass.min(initial=np.inf))

    def shifted_system(self, shift: float, mass: FloatArray) -> tuple[sparse.csr_array, int] | None:
        H = self.A - shift * sparse.diags_array(mass)
        count = self._P.shape[1]
        system = sparse.block_array([[H, self._P], [self._P.T, -sparse.eye_array(count)]])
        return sparse.csr_array(system), count

    def safe_shift(self, mass: FloatArray) -> float:
        return self._shift / float(mass.max())


def lower_bound(deficit: Deficit, mass: FloatArray) -> LowerBound | None:
    """The lower bound of S / scale with masses; None if there is none that would help."""
    kernel, c = deficit.base.kernel, deficit.c
    if kernel is None or not deficit.lower_is_definite or not 0.0 < c < np.inf:
        return None
    if not 0 < kernel.shape[1] <= _COMPONENTS:
        return None
    return LowerBound(deficit.base.A, kernel, c / deficit.scale, mass)
