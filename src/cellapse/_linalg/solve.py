r"""Systems (S + shift I) x = b with a positive semi-definite operator.

A + shift I, which is at least S + shift I, is factorized (or, where the graph expands, its diagonal
taken), and conjugate gradients go on from there until the error in the energy norm

    (e^T (S + shift I) e)^{1/2}  <=  rtol (x^T (S + shift I) x)^{1/2}.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
    """The x of (S + shift I) x = rhs; for shift = 0 both without a part in the kernel."""
    matrix = operator.matrix
    A = operator.A if matrix is None else matrix  # of a reweighted A, nothing is closer than itself
    norm, fills_in = row_sum(A), expands(A)
    if norm == 0.0:  # and so is S, which is at most A: all of the right-hand side is in its kernel
        return rhs / shift if shift else np.zeros_like(rhs)
    large = shift > _LARGE_SHIFT * norm
    if matrix is not None and large and not fills_in:
        solver = best_direct(len(rhs))
        return solver.prepare(matrix + shift * sparse.eye_array(len(rhs)))(rhs)
    ridge = shift + 1e-8 * norm
    system = _System(
        operator,
        shift,
        ridge,
        _near(A + ridge * sparse.eye_array(len(rhs)), fills_in),
        shift / (norm + ridge) if large else None,
    )
    if rhs.ndim == 1 or not fills_in:  # a factor takes all columns at once
        return _solution(system, rhs, rtol)
    blocks = column_blocks(rhs, 4 if operator.iterative else 8)
    return np.hstack([_solution(system, rhs[:, block], rtol) for block in blocks])


class _System(NamedTuple):
    """S + shift, the inverse of something next to A + ridge, and a number below their product."""

    operator: SymmetricOperator
    shift: float
    ridge: float
    near: Solve
    lower: float | None


def _solution(system: _System, rhs: FloatArray, rtol: float) -> FloatArray:
    """The x of one system, by conjugate gradients."""
    operator, shift, ridge, near, lower = system
    onto_kernel = Projector(operator.kernel)
    fixed = onto_kernel(rhs)  # S is zero on it

    rest = _without_rounding(onto_kernel.off(rhs), rhs)
    # S is at most A, so that this is at most the energy of the solution.
    energy = np.sqrt(np.maximum(np.einsum("i...,i...->...", rest, near(rest)), 0.0))
    rounding = 1e-15 * np.linalg.norm(rhs, axis=0) / np.sqrt(ridge)
    goal = np.atleast_1d(np.maximum(rtol * energy, rounding))
    slack = 0.01 * float(goal.min(initial=np.inf)) * np.sqrt(ridge)
    x, error = conjugate_gradients(
        lambda x: onto_kernel.remove_from(operator.apply(x, slack)) + shift * x,
        rest,
        lambda r: onto_kernel.remove_from(near(r)),
        0.5 * goal,
        lower=lower,
        # The energy does not see a kernel that nobody knows of: the way must not lead there.
        null=_NULL if operator.kernel is None and shift == 0.0 else 0.0,
    )
    if not (error <= goal).all():
        reached = float((error / np.maximum(goal, 1e-300)).max()) * rtol
        raise ConvergenceError(
            f"(S + {shift:g} I) x = b is solved to a relative error of {reached:.1e} only, "
            f"short of rtol={rtol:.0e}: S is singular or next to it; give a larger shift or rtol"
        )
    return x + (fixed / shift if shift else 0.0)


def _without_rounding(rest: FloatArray, rhs: FloatArray) -> FloatArray:
    """What is left of a right-hand side off the kernel; zero where rounding is all of it."""
    return np.where(
        np.linalg.norm(rest, axis=0) > _ROUNDING * np.linalg.norm(rhs, axis=0), rest, 0.0
    )


def _near(ridged: Any, fills_in: bool) -> Solve:
    """x -> the inverse of A + ridge times x, or of its diagonal where a factor would fill in."""
    if not fills_in:  # conjugate gradients arrive from both
        return best_direct(ridged.shape[0]).prepare(ridged)
    inverse: Any = sparse.diags_array(1.0 / ridged.diagonal())
    return inverse.__matmul__
