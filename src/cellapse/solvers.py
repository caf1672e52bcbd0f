"""Linear solvers as small frozen objects: `solve = solver.prepare(matrix)`, then `solve(rhs)`.

They are handed to `collapse(..., solver=...)` and decide how (C + eps I)^-1 is applied:

* `Direct()` (the normal way) factorizes one sparse quasi-definite matrix, once;
* `CG(...)` is Algorithm 1 of the paper: conjugate gradients on C + eps I for every vector.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg

from cellapse._errors import ConvergenceError, InputError

FloatArray = NDArray[np.float64]
Solve = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Direct:
    """Sparse factorization of a symmetric matrix by SuperLU, ordered for symmetric patterns.

    >>> solve = Direct().prepare(sparse.eye_array(2, format="csc") * 4)
    >>> solve(np.ones(2)).tolist()
    [0.25, 0.25]
    """

    def prepare(self, matrix: Any) -> Solve:
        """Factorize; the result solves for one right-hand side or many columns."""
        # No pivoting off the diagonal: definite and quasi-definite matrices do not need it, and it
        # keeps the fill-in of the symmetric ordering.
        factor = linalg.splu(
            sparse.csc_array(matrix),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        return factor.solve


@dataclass(frozen=True)
class CG:
    """Conjugate gradients for a positive semi-definite matrix.

    Parameters
    ----------
    rtol : float
        Residual to reach, relative to the right-hand side.
    maxiter : int, optional
        Iterations allowed per right-hand side; ten times the size by default.

    >>> CG(rtol=1e-8).prepare(sparse.eye_array(2) * 4)(np.ones(2)).tolist()
    [0.25, 0.25]
    """

    rtol: float = 1e-12
    maxiter: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.rtol < 1:
            raise InputError(f"CG(rtol={self.rtol}); choose a number between 0 and 1, like 1e-8")
        if self.maxiter is not None and self.maxiter < 1:
            raise InputError(f"CG(maxiter={self.maxiter}); allow at least one iteration")

    def prepare(self, matrix: Any) -> Solve:
        """Bind the matrix; every call iterates anew, column by column."""
        bound = sparse.csr_array(matrix)

        def solve(rhs: FloatArray) -> FloatArray:
            if rhs.ndim == 2:
                columns = [solve(rhs[:, j]) for j in range(rhs.shape[1])]
                return np.stack(columns, axis=1) if columns else np.zeros_like(rhs)
            x, info = linalg.cg(bound, rhs, rtol=self.rtol, atol=0.0, maxiter=self.maxiter)
            if info:
                residual = np.linalg.norm(rhs - bound @ x) / np.linalg.norm(rhs)
                raise ConvergenceError(
                    f"conjugate gradients stopped after {info} iterations at a relative residual "
                    f"of {residual:.1e}, short of rtol={self.rtol:.0e}; raise eps or maxiter, or "
                    "use solver=Direct()"
                )
            return x

        return solve
