r"""Systems (S + shift I) x = b with a positive semi-definite operator.

A + shift I, which is at least S + shift I, is factorized (or, where the graph expands, its diagonal
taken), and conjugate gradients go on from there until the error in the energy norm

    (e^T (S + shift I) e)^{1/2}  <=  rtol (x^T (S + shift I) x)^{1/2}.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from cellapse._errors import ConvergenceError
from cellapse._linalg.blas import column_blocks
from cellapse._linalg.cg import conjugate_gradients
from cellapse._linalg.factor import Solve, best_direct, expands
from cellapse._linalg.kernel import Projector
from cellapse._linalg.symmetric import SymmetricOperator
from cellapse._shared.arrays import FloatArray, row_sum

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
    # Conjugate gradients arrive with the diagonal, too.
    inverse = _by_diagonal(ridged) if fills_in else best_direct(len(rhs)).prepare(ridged)
    lower = shift / (norm + ridge) if large else None
    system = _System(operator, shift, ridge, inverse, lower)
    if rhs.ndim == 1 or not fills_in:  # a factor takes all columns at once
        return _solution(system, rhs, rtol)
    blocks = column_blocks(rhs, 4 if operator.iterative else 8)
    return np.hstack([_solution(system, rhs[:, block], rtol) for block in blocks])


class _System(NamedTuple):
    """S + shift, about the inverse of A + ridge, and a number below their product."""

    operator: SymmetricOperator
    shift: float
    ridge: float
    inverse: Solve
    lower: float | None


def _solution(system: _System, rhs: FloatArray, rtol: float) -> FloatArray:
    """Solve one system by conjugate gradients."""
    operator, shift, ridge, inverse, lower = system
    onto_kernel = Projector(operator.kernel)
    rest = onto_kernel.off(rhs)
    rounding = np.linalg.norm(rest, axis=0) <= _ROUNDING * np.linalg.norm(rhs, axis=0)
    rest = np.where(rounding, 0.0, rest)
    # S is at most A, so that this is at most the energy of the solution.
    energy = np.sqrt(np.maximum(np.einsum("i...,i...->...", rest, inverse(rest)), 0.0))
    least = 1e-15 * np.linalg.norm(rhs, axis=0) / np.sqrt(ridge)
    goal = np.atleast_1d(np.maximum(rtol * energy, least))
    slack = 0.01 * float(goal.min(initial=np.inf)) * np.sqrt(ridge)
    x, error = conjugate_gradients(
        lambda x: onto_kernel.remove_from(operator.apply(x, slack)) + shift * x,
        rest,
        lambda r: onto_kernel.remove_from(inverse(r)),
        0.5 * goal,
        lower=lower,
        # An unknown kernel has zero energy: directions of next to none are skipped.
        null=_NULL if operator.kernel is None and shift == 0.0 else 0.0,
    )
    if not (error <= goal).all():
        reached = float((error / np.maximum(goal, 1e-300)).max()) * rtol
        raise ConvergenceError(
            f"(S + {shift:g} I) x = b is solved to a relative error of {reached:.1e} only, "
            f"short of rtol={rtol:.0e}: S is singular or next to it; give a larger shift or rtol"
        )
    return x + (onto_kernel(rhs) / shift if shift else 0.0)  # S is zero on the kernel


def _by_diagonal(matrix: sparse.csr_array) -> Solve:
    inverse: sparse.csr_array = sparse.diags_array(1.0 / matrix.diagonal())
    return inverse.__matmul__
