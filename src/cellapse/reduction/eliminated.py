r"""The block of the eliminated vertices: b -> S_EE^-1 b, prepared once.

A sparse S that can be cut is factorized. Everything else goes by conjugate gradients with products
of S, preconditioned with a factor of A_EE, which bounds S_EE from above, or with its diagonal where
the graph expands. Values y of a right-hand side -S_EF x have at most the energy of x, so that
values far larger than x have almost none: S_EE is singular there, and conjugate gradients leave
such directions out.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cellapse._errors import ConvergenceError
from cellapse._linalg.cg import System, conjugate_gradients
from cellapse._linalg.factor import Solve, best_direct, expands
from cellapse._linalg.operators import Operator
from cellapse._shared.arrays import FloatArray, IntArray, row_sum

_LEAST = 1e-13  # relative error in the energy norm that is aimed at
_PROMISED = 1e-9  # what is taken
_FARTHEST = 1e6  # times x: values with an energy of 1e-12 of S_FF
_RIDGE = 1e-8  # of the norm, added where a block is singular
_NULL = 1e-3  # of the ridge: where S_EE is below, it is zero


class Eliminated(System):
    """S_EE y = b for the vertices E of an operator.

    Attributes
    ----------
    method : str
        How it is applied, in words.
    """

    def __init__(self, S: Operator, vertices: IntArray) -> None:
        self._S, self._vertices = S, vertices
        bound = S.A if S.matrix is None else S.matrix
        block = sparse.csr_array(bound[vertices][:, vertices])
        super().__init__(block)
        self._norm, self._null, self._slack = row_sum(S.A) or 1.0, 0.0, 0.0
        fills_in = expands(block)
        self._exact = S.matrix is not None and not fills_in
        self._inverse: Solve
        if fills_in:
            self.method = "conjugate gradients, as the graph expands and a factor would fill in"
            diagonal = block.diagonal()
            inverse: sparse.csr_array = sparse.diags_array(1.0 / np.where(diagonal, diagonal, 1.0))
            self._inverse = inverse.__matmul__
            return
        direct = best_direct(len(vertices))
        factor = f"a factor of {len(vertices):,} rows by {direct}"
        self.method = factor if self._exact else f"conjugate gradients with {factor}"
        try:
            self._inverse = direct.prepare(block)
        except ConvergenceError:
            self._raise()

    def _raise(self) -> None:
        """Go on with a block that is singular: iterate, with a factor of the raised block."""
        ridge: sparse.csr_array = _RIDGE * self._norm * sparse.eye_array(len(self._vertices))
        self._inverse = best_direct(len(self._vertices)).prepare(self.matrix + ridge)
        self._exact, self._null = False, _NULL
        self.method = "conjugate gradients with a factor, as the block is singular"

    def apply(self, y: FloatArray) -> FloatArray:
        if self._S.matrix is not None:
            return super().apply(y)
        x = np.zeros((self._S.shape[0], *y.shape[1:]))
        x[self._vertices] = y
        return self._S.apply(x, self._slack)[self._vertices]

    def precondition(self, r: FloatArray) -> FloatArray:
        return self._inverse(r)

    def values(self, b: FloatArray, x: FloatArray, energy: float = 0.0) -> FloatArray:
        """Solve S_EE y = b for b = -S_EF x.

        The energy of the error of y is at most `energy`, or as small as can be.
        """
        if not self._exact:
            return self._by_steps(b, energy)
        y = self._inverse(b)
        y += self._inverse(b - self.matrix @ y)
        size = np.linalg.norm(x, axis=0) * np.sqrt(len(y))
        if (np.linalg.norm(y, axis=0) <= _FARTHEST * size).all():
            return y
        self._raise()
        return self._by_steps(b, energy)

    def solve(self, b: FloatArray, rtol: float) -> FloatArray:
        """Solve S_EE y = b for any b, with a relative error of `rtol` in the energy norm."""
        return self._inverse(b) if self._exact else self._by_steps(b, rtol * self._size(b))

    def _size(self, b: FloatArray) -> FloatArray:
        """About the root of the energy of the solutions."""
        squares = np.einsum("i...,i...->...", b, self._inverse(b))
        return np.sqrt(np.maximum(np.atleast_1d(squares), 1e-300))

    def _by_steps(self, b: FloatArray, energy: float | FloatArray) -> FloatArray:
        size = self._size(b)
        goal = np.maximum(energy, _LEAST * size)
        self._slack = 0.01 * float(goal.min()) * np.sqrt(_LEAST * self._norm)
        y, error = conjugate_gradients(self, b, 0.5 * goal, null=self._null)
        if not (error <= np.maximum(goal, _PROMISED * size)).all():
            reached = float((error / size).max())
            raise ConvergenceError(
                f"the {len(self._vertices):,} vertices that are not kept can be eliminated from "
                f"{self._S!r} with a relative error of {reached:.1e} only: it is close to singular "
                "on them; keep more vertices, or use a larger eps"
            )
        return y
