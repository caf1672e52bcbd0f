r"""Eliminating the ranks on one side of the rank that is kept, without cancellation.

With B from the first eliminated rank to the kept one and M its own effective operator plus eps,

    T = beta B B^T - c (I - K^-1),   K = I + beta B M^-1 B^T,   c = gamma^2 / beta.

K^-1 x = v comes from the quasi-definite system

    J (v, w) = | I      beta B | (v)   (x)
               | -B^T      M   | (w) = (0)

of `relaxation`; w are the values of the eliminated cells, up to the factor gamma, and M stands for
the block matrix of all further ranks. What is subtracted from A is

    c (x - v) = c beta B w,

whose first form is accurate where K is large, and whose second where K is next to I. One solve is
taken as it is where its residual says so: K >= I, so that |x - K v| bounds the error of v. Where it
does not, conjugate gradients go on with what the factorization lost.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._collapse.formed import GOOD, NEXT_TO_ONE
from cellapse._collapse.graded import GradedLaplacian
from cellapse._collapse.relaxation import Relaxation
from cellapse._errors import ConvergenceError
from cellapse._linalg.blas import times
from cellapse._linalg.cg import conjugate_gradients
from cellapse._linalg.factor import Direct, expands, widest_level
from cellapse._linalg.kernel import Projector, left_kernel
from cellapse._linalg.operators import SparseOperator
from cellapse._linalg.preconditioner import Near, next_to
from cellapse._shared.arrays import FloatArray, diagonal_matrix, row_sum, square

# Errors of T x, relative to ||A|| |x|.
AIM = 1e-14  # what refinement goes for
_LIMIT = 1e-9  # beyond it nothing is given out
_HIDDEN = 0.01  # of the error allowed: what rounding of a residual may hide
_SMALL = 300  # below this many cells everything is quick


class Ladder:
    """T and K^-1 for one chain of eliminated ranks.

    Parameters
    ----------
    B : (n, m) csr_array
        Nearest matrix; transposed when the eliminated ranks are the lower ones.
    beta, gamma : float
        Its weights.
    M : (m,) array or (m + further, m + further) sparse matrix
        eps plus the effective operator of the eliminated ranks, diagonal or as blocks.
    eps : float
        The eps inside M; 0 asks for the pseudo-inverse limit.
    solver : Direct, or None
        How K^-1 is applied: by factorization, or as suits the graph: by conjugate gradients where
        it expands (K is then well-conditioned, and would fill in).
    definite : bool
        Whether M is at least eps, so that K is at least I.
    above : GradedLaplacian, optional
        M - eps by its matrices, where M is not diagonal; kept as an attribute.
    plain : SparseOperator, optional
        B B^T with its kernel, where it is known already.
    """

    def __init__(
        self,
        B: sparse.csr_array,
        beta: float,
        gamma: float,
        M: Any,
        eps: float,
        solver: Direct | None = None,
        definite: bool = True,
        above: GradedLaplacian | None = None,
        plain: SparseOperator | None = None,
    ) -> None:
        self.beta, self.gamma, self.eps = beta, gamma, eps
        self.c = gamma**2 / beta if beta > 0 else 0.0
        self.n = B.shape[0]
        self.M = diagonal_matrix(M) if isinstance(M, np.ndarray) else sparse.csr_array(M)
        self.B = B  # to all eliminated cells
        if self.M.shape[0] > B.shape[1]:
            further = sparse.csr_array((self.n, self.M.shape[0] - B.shape[1]))
            self.B = sparse.csr_array(sparse.hstack([B, further]))
        self.A = beta * (square(B) if plain is None else plain.A)
        self.norm = row_sum(self.A)
        self.kernel = left_kernel(B) if plain is None else plain.kernel
        self.fixed = Projector(self.kernel)
        self._solver = solver
        self.definite = definite
        self.above = above
        self.relaxation = self.relaxing("tiny")
        # K as it is, however large: its residual tells whether that was good enough.
        self.as_it_is = self.relaxation
        diagonal = self.relaxation.diagonal and self.M.diagonal().min(initial=np.inf) > 0
        if not self.relaxation.exact and diagonal:
            self.as_it_is = self.relaxing("none")
        self._iterates, self._work = True, 0.0

    def relaxing(self, floor: str | FloatArray) -> Relaxation:
        """The same relaxation with another floor."""
        parts = self.B, self.beta, self.M, self.eps
        return Relaxation(*parts, floor, self._solver, self.above)

    @property
    def iterative(self) -> bool:
        """Whether K^-1 is applied by conjugate gradients."""
        return self._iterates and self._would_fill_in

    @cached_property
    def _widest(self) -> int:
        return widest_level(self.A)[0]

    @cached_property
    def _would_fill_in(self) -> bool:
        if self._solver is not None or self.n < _SMALL or self.c == 0.0:
            return False
        return self.one_solve_tells and self.relaxation.exact and expands(self.A)

    @property
    def one_solve_tells(self) -> bool:
        """Whether the residual of K v = x tells the error of v: K is known, and at least I."""
        return self.definite and self.as_it_is.tells

    @property
    def slow(self) -> bool:
        """Whether one product costs so much that even a small T is better not formed."""
        many = self.c > 0.0 and self.M.shape[0] > 10 * self.n
        return (
            many
            and self.relaxation.raised.reduced is None
            and self.relaxation.raised.crowded is None
        )

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        """T x, for one vector or many columns; within an absolute error where that saves work."""
        if self.c == 0.0:
            return times(self.A, x)
        return times(self.A, x) - self.c * self.moved(x, error / self.c)

    def moved(
        self, x: FloatArray, error: float = 0.0, about: FloatArray | None = None
    ) -> FloatArray:
        """x - K^-1 x = beta B w, within an absolute error where that saves work.

        Columns `about` K^-1 x are where iterations start.
        """
        # What refinement goes for, by column: of all of x, as A x rounds all of it, too.
        allowed = np.maximum(error, AIM * self._slack(x))
        x = self.fixed.off(x)
        result = self._by_iteration(x, allowed, about) if self.iterative else None
        if result is None:
            result = self._by_factor(x, allowed)
        if result is None:
            w = self._relaxed(x, allowed, error)
            result = (self.beta * (self.B @ w)).astype(np.float64)
        return self.fixed.remove_from(result)

    def _slack(self, x: FloatArray) -> FloatArray:
        """What an error of ||A|| |x| in T x is in K^-1 x."""
        size = np.atleast_1d(np.linalg.norm(x, axis=0))
        return self.norm / self.c * np.maximum(size, 1e-300)

    def inverse_by_iteration(
        self, x: FloatArray, allowed: FloatArray, about: FloatArray | None = None
    ) -> FloatArray | None:
        """K^-1 x by conjugate gradients for x off the kernel; None where they take too long."""
        assert self.relaxation.raised.reduced is not None
        if x.ndim == 1:
            v = self.inverse_by_iteration(x[:, None], allowed)
            return None if v is None else v[:, 0]
        moved, near, K = self.relaxation.moved, self.near, self.near.K
        least = np.sqrt(near.least)  # |e| <= (e^T K e)^{1/2} / least

        def apply(v: FloatArray) -> FloatArray:
            self._work += float(K.nnz) * v.size / self.n
            return times(K, v)

        def residual(v: FloatArray) -> FloatArray:
            short = v.astype(np.float64, copy=False)
            hides = near.hides(x, short, _HIDDEN * near.least * allowed)
            v = v.astype(np.longdouble, copy=False) if hides else short  # eight times as slow
            return x - v - moved(v)

        tol = np.broadcast_to(allowed * least, x.shape[1:])
        start = near.start(x, residual, tol, about)
        v, energy = start.v, start.energy
        self._work += float(start.products) * K.nnz * x.shape[1]
        if not (energy <= tol).all():
            v, energy = conjugate_gradients(
                apply,
                start.left,
                near.solve,
                tol,
                near.lower,
                maxiter=20 * _SMALL,
                residual=lambda v: residual(start.v + v),
            )
            v = start.v + v
        accepted = self._accepted(energy / least, x, allowed)
        if not accepted or self._work > max(2.0 * float(self._widest) ** 3, 1e7):
            self._iterates = False  # a factor of K would have been cheaper: from now on by that
        return v.astype(np.float64, copy=False) if accepted else None

    def _by_iteration(self, x: FloatArray, allowed: FloatArray, about: Any) -> FloatArray | None:
        """By conjugate gradients on K, or None where they take too long."""
        v = self.inverse_by_iteration(x, allowed, about)
        if v is None:
            return None
        return self.relaxation.moved(v) if self._largest < NEXT_TO_ONE else x - v

    def _by_factor(self, x: FloatArray, allowed: FloatArray) -> FloatArray | None:
        """By one solve, or None where its residual is too large."""
        if not self.one_solve_tells:
            return None
        try:
            v = self.as_it_is.raised.factor(x)
        except ConvergenceError:  # entries next to 1 / eps have swallowed the others
            if self.as_it_is is self.relaxation:
                raise
            self.as_it_is = self.relaxation
            return None
        moved = self.as_it_is.moved(v)
        error = np.atleast_1d(np.linalg.norm(x - v - moved, axis=0))
        if not self._accepted(error, x, allowed):
            return None
        return moved if self._largest < NEXT_TO_ONE else x - v

    def _accepted(self, error: FloatArray, x: FloatArray, allowed: FloatArray) -> bool:
        """Whether an error of v = K^-1 x is small enough: where K is next to I, it counts less."""
        error = min(1.0, 2.0 * self._largest) * error
        return bool((error <= np.maximum(allowed, GOOD * self._slack(x))).all())

    def _relaxed(self, x: FloatArray, allowed: FloatArray, error: float) -> FloatArray:
        """The values of the eliminated cells, up to gamma.

        beta^2 |B e|^2 <= beta e^T H e: what is further off than the limit, or than a few times what
        was asked for, is not given out.
        """
        limit, enough, slack = 10.0 * allowed, allowed, self._slack(x)
        root, relaxation = np.sqrt(self.beta), self.relaxation
        if error == 0.0:
            limit, enough = np.maximum(allowed, _LIMIT * slack), np.maximum(allowed, GOOD * slack)
        if self.definite:
            w, energy = relaxation.relax(x, allowed / root, enough / root)
        else:
            w, energy = relaxation.refine(x)
        if not (root * energy <= limit).all():
            raise lost(self, float((root * energy / slack).max()), "||A||")
        return w

    @cached_property
    def _largest(self) -> float:
        """The largest entry of K - I."""
        reduced = self.as_it_is.raised.reduced
        return np.inf if reduced is None else float(reduced[0].diagonal().max(initial=0.0))

    @cached_property
    def near(self) -> Near:
        """K, and what conjugate gradients on it need to know."""
        assert self.relaxation.raised.reduced is not None
        K = sparse.csr_array(sparse.eye_array(self.n) + self.relaxation.raised.reduced[0])
        return next_to(K, self.kernel)


def lost(ladder: Ladder, error: float, what: str) -> ConvergenceError:
    """The error for what cannot be known well enough."""
    return ConvergenceError(
        f"(C + eps I)^-1 is known only to an error of {error:.1e} of {what}: with "
        f"eps={ladder.eps:g} and weights of such different sizes C is next to singular; "
        "give a larger eps, or rescale the weights of the cells"
    )
