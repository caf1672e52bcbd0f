r"""Systems (S + shift I) x = b with a positive semi-definite operator.

A + shift I, which is at least S + shift I, is factorized (or, where the graph expands, its diagonal
taken), and conjugate gradients go on from there until the error in the energy norm

    (e^T (S + shift I) e)^{1/2}  <=  rtol (x^T (S + shift I) x)^{1/2}.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cellapse._errors import ConvergenceError
from cellapse._linalg.blas import column_blocks, column_dots
from cellapse._linalg.cg import System, conjugate_gradients
from cellapse._linalg.factor import Solve, best_direct, expands
from cellapse._linalg.kernel import Projector
from cellapse._linalg.symmetric import SymmetricOperator
from cellapse._shared.arrays import FloatArray, diagonal_matrix, row_sum

_LARGE_SHIFT = 1e-4  # relative to ||A||: from here on a factorization keeps its digits
_ROUNDING = 1e-14  # of a projection
_NULL = 1e-3  # where S is below 1e-11 of A, it is zero to the accuracy of a product


def solve_system(
    operator: SymmetricOperator, rhs: FloatArray, shift: float, rtol: float
) -> FloatArray:
    """Solve (S + shift I) x = rhs; for shift = 0 both without a part in the kernel."""
    A = operator.A if operator.matrix is None else operator.matrix
    norm, fills_in = row_sum(A), expands(A)
    if norm == 0.0:  # and so is S, which is at most A: all of the right-hand side is in its kernel
        return rhs / shift if shift else np.zeros_like(rhs)
    large, eye = shift > _LARGE_SHIFT * norm, sparse.eye_array(len(rhs))
    if operator.matrix is not None and large and not fills_in:
        return best_direct(len(rhs)).prepare(A + shift * eye)(rhs)
    ridge = shift + 1e-8 * norm
    ridged = A + ridge * eye
    inverse: Solve = diagonal_matrix(1.0 / ridged.diagonal()).__matmul__
    if not fills_in:
        inverse = best_direct(len(rhs)).prepare(ridged)
    system = _Shifted(operator, shift, inverse)
    lower = shift / (norm + ridge) if large else None
    if rhs.ndim == 1:
        return _solution(system, rhs[:, None], ridge, rtol, lower)[:, 0]
    if not fills_in:  # a factor takes all columns at once
        return _solution(system, rhs, ridge, rtol, lower)
    blocks = column_blocks(rhs, 4 if operator.iterative else 8)
    return np.hstack([_solution(system, rhs[:, block], ridge, rtol, lower) for block in blocks])


class _Shifted(System):
    """S + shift off the kernel, preconditioned by the inverse of A + ridge."""

    def __init__(self, operator: SymmetricOperator, shift: float, inverse: Solve) -> None:
        self.operator, self.shift, self._inverse = operator, shift, inverse
        self.onto_kernel, self.error = Projector(operator.kernel), 0.0

    def apply(self, x: FloatArray) -> FloatArray:
        return self.onto_kernel.remove_from(self.operator.apply(x, self.error)) + self.shift * x

    def precondition(self, r: FloatArray) -> FloatArray:
        return self.onto_kernel.remove_from(self._inverse(r))


def _solution(
    system: _Shifted, rhs: FloatArray, ridge: float, rtol: float, lower: float | None
) -> FloatArray:
    """Solve for columns by conjugate gradients."""
    shift, onto_kernel = system.shift, system.onto_kernel
    rest, size = onto_kernel.off(rhs), np.linalg.norm(rhs, axis=0)
    rest = np.where(np.linalg.norm(rest, axis=0) <= _ROUNDING * size, 0.0, rest)
    # S is at most A, so that this is at most the energy of the solution.
    energy = np.sqrt(np.maximum(column_dots(rest, system.precondition(rest)), 0.0))
    goal = np.maximum(rtol * energy, 1e-15 * size / np.sqrt(ridge))
    system.error = 0.01 * float(goal.min(initial=np.inf)) * np.sqrt(ridge)
    # An unknown kernel has zero energy: directions of next to none are skipped.
    null = _NULL if system.operator.kernel is None and shift == 0.0 else 0.0
    x, error = conjugate_gradients(system, rest, 0.5 * goal, lower, null=null)
    if not (error <= goal).all():
        reached = float((error / np.maximum(goal, 1e-300)).max()) * rtol
        raise ConvergenceError(
            f"(S + {shift:g} I) x = b is solved to a relative error of {reached:.1e} only, "
            f"short of rtol={rtol:.0e}: S is singular or next to it; give a larger shift or rtol"
        )
    return x + (onto_kernel(rhs) / shift if shift else 0.0)  # S is zero on the kernel
