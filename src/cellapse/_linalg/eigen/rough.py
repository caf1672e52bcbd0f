r"""Rough solutions of (N - s) t = r for a matrix N next to S, in single precision.

One or two digits are all that a correction is good for, and half as many bytes to move. N is A, or
what the operator knows to be closer to S; all of it over its norm, so that numbers stay in range.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import sparse

from cellapse._linalg.blas import remove_span, times
from cellapse._linalg.cg import ROUGH, rough_solution, scaled
from cellapse._linalg.eigen.problem import Problem
from cellapse._linalg.factor import Solve
from cellapse._linalg.kernel import Projector
from cellapse._shared.arrays import FloatArray

_FINE = 0.01  # the part of r that is left
_FEW = 8  # columns of a kernel that are not worth a projector of their own


class Rough:
    """N / norm on single precision, with a diagonal preconditioner where there are hubs.

    Parameters
    ----------
    problem : Problem
    nearby : function, optional
        x -> N x / norm for columns of float32; A by default.
    """

    def __init__(self, problem: Problem, nearby: Solve | None = None) -> None:
        self._norm, kernel, known = problem.norm, problem.kernel, problem.deflated
        if kernel is not None and problem.n_kernel <= _FEW:  # they go with the others
            known, kernel = np.hstack([kernel.toarray(), known]), None
        self._fixed, self._known = Projector(kernel, np.float32), known.astype(np.float32)
        self._product = _single(problem.matrix, problem.norm) if nearby is None else nearby
        self._near = _one_over_diagonal(problem)

    def quotients(self, X: FloatArray) -> FloatArray:
        """The Rayleigh quotients x^T N x of columns of length one."""
        x: FloatArray = np.ascontiguousarray(X, dtype=np.float32)
        return self._norm * np.einsum("ij,ij->j", x, self._product(x).astype(np.float64))

    def solution(
        self, rhs: FloatArray, shift: FloatArray, V: FloatArray, *, invariant: bool = False
    ) -> FloatArray:
        """About (N - s)^-1 r off the kernel, what is known, and V; s for each column.

        What is off them may be `invariant` under N: then nothing has to be kept there, and V are
        eigenvectors: S is so close to N that a second digit pays off.
        """
        V = np.hstack([self._known, V.astype(np.float32)])
        size = np.linalg.norm(rhs, axis=0)
        size[size == 0.0] = 1.0
        by = shift / self._norm

        def project(x: FloatArray) -> FloatArray:
            return remove_span(self._fixed.remove_from(x), V)

        buffer: FloatArray = np.empty(rhs.shape, np.float32)

        def apply(p: FloatArray) -> FloatArray:
            image = self._product(p)
            image -= scaled(p, by, buffer)
            return image if invariant else project(image)

        near = self._near
        x = rough_solution(
            apply,
            project((rhs / size).astype(np.float32, order="C")),
            None if near is None else lambda r: project(near(r)),
            _FINE if invariant else ROUGH,
        )
        return x * (size / self._norm)


def _single(matrix: sparse.csr_array, norm: float) -> Solve:
    entries = (matrix.data / norm).astype(np.float32)
    N = sparse.csr_array((entries, matrix.indices, matrix.indptr), shape=matrix.shape)
    return partial(times, N)


def _one_over_diagonal(problem: Problem) -> Solve | None:
    """One over the diagonal of A / norm, where there are hubs."""
    if not problem.has_hubs:
        return None
    diagonal = problem.matrix.diagonal() / problem.norm
    inverse = (1.0 / np.where(diagonal > 0, diagonal, 1.0)).astype(np.float32)[:, None]
    return lambda r: inverse * r
