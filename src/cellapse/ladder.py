r"""Eliminating the ranks on one side of the rank that is kept, without cancellation.

With B from the first eliminated rank to the kept one and M its own effective operator plus eps,

    T = beta B B^T - c (I - K^-1),   K = I + beta B M^-1 B^T,   c = gamma^2 / beta.

K^-1 x = v comes from the quasi-definite system

    J (v, w) = | I      beta B | (v)   (x)
               | -B^T      M   | (w) = (0)

which never forms B^T B; w are the values of the eliminated cells, up to the factor gamma, and M
stands for the block matrix of all further ranks. Where M falls into small blocks (it is diagonal in
the unfolded realization), its inverse is sparse and K an (n x n) matrix like a graph Laplacian;
otherwise J is factorized as it stands. Iterative refinement of w keeps full accuracy when M has
entries as small as eps, and reaches the singular limit eps = 0 with a slightly larger M.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from cellapse._errors import ConvergenceError
from cellapse._sparse import inverse_by_blocks
from cellapse.kernel import Projector, left_kernel
from cellapse.solvers import (
    Direct,
    Solve,
    best_direct,
    conjugate_gradients,
    expands,
    preconditioner,
)

FloatArray = NDArray[np.float64]

_ACCURACY = 1e-12  # relative error of K^-1 x that refinement aims at
_FLOOR = 1e-6  # what is added to M, relative to its scale, when it may be singular
_MAX_STEPS = 200
_SMALL = 300  # below this many cells everything is quick, and dense


class Ladder:
    """T, K^-1 and the completion for one chain of eliminated ranks.

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
    """

    def __init__(
        self,
        B: sparse.csr_array,
        beta: float,
        gamma: float,
        M: Any,
        eps: float,
        solver: Direct | None = None,
    ) -> None:
        self.beta, self.gamma, self.eps = beta, gamma, eps
        self.c = gamma**2 / beta if beta > 0 else 0.0
        self.n = B.shape[0]
        self.M = sparse.csr_array(sparse.diags_array(M) if isinstance(M, np.ndarray) else M)
        further = sparse.csr_array((self.n, self.M.shape[0] - B.shape[1]))
        self.B = sparse.csr_array(sparse.hstack([B, further]))  # to all eliminated cells
        self.A = sparse.csr_array(beta * (B @ B.T))
        self.kernel = left_kernel(B)
        self._fixed = Projector(self.kernel)
        self._solver = solver

    @cached_property
    def iterative(self) -> bool:
        """Whether K^-1 is applied by conjugate gradients."""
        # With a smaller eps the entries of K are so large that only refinement stays accurate.
        if self._solver is not None or self.eps < 1e-6 or self.n < _SMALL or self.c == 0.0:
            return False
        return expands(self.A) and self._exact is not None

    @cached_property
    def direct(self) -> Direct:
        """How K or J is factorized, where it is."""
        size = self.n if self._factored is not None else self.n + self.M.shape[0]
        return self._solver or best_direct(size)

    @property
    def slow(self) -> bool:
        """Whether one product costs so much that even a small T is better not formed."""
        return self.c > 0.0 and self._factored is None and self.M.shape[0] > 10 * self.n

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        """T x, for one vector or many columns; within an absolute error where that saves work."""
        if self.c == 0.0:
            return self.A @ x
        return self.A @ x - self.c * (x - self.inverse(x, error / self.c))

    def complete(self, x: FloatArray) -> FloatArray:
        """The eliminated values that minimize the energy, nearest rank first."""
        if self.c == 0.0:
            return np.zeros((self.M.shape[0], *x.shape[1:]))
        if self.iterative:
            assert self._exact is not None
            return self.gamma * (self._exact[1] @ (self.B.T @ self.inverse(x)))
        return self.gamma * self._refined(x - self._fixed(x))[1]

    def inverse(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        """K^-1 x."""
        fixed = self._fixed(x)
        x = x - fixed
        if not self.iterative:
            v = self._refined(x)[0] if self._steps else self._solve_first(x)
        else:
            assert self._exact is not None
            K = self._exact[0]
            tol = np.maximum(error, 1e-14 * np.linalg.norm(x, axis=0))
            v = conjugate_gradients(K.__matmul__, x, self._near, tol)
        return fixed + v - self._fixed(v)

    def toarray(self) -> FloatArray | None:
        """T as a dense array by dense algebra, where that is the quick and accurate way."""
        quick = self.n and self.eps >= 1e-5 and self.c > 0.0 and (self.n < _SMALL or self.iterative)
        if not quick or self._exact is None:
            return None
        inverse = linalg.inv(self._exact[0].toarray(), overwrite_a=True, check_finite=False)
        inverse -= self._fixed(inverse)
        inverse -= self._fixed(inverse.T).T
        T = self.c * (inverse + self._fixed(np.eye(self.n)) - np.eye(self.n)) + self.A.toarray()
        return (T + T.T) / 2

    def shifted(self, mass: FloatArray, shift: float) -> tuple[Any, int] | None:
        """A matrix whose inverse has (T - shift D)^-1 as its first block.

        [[A - c I - shift D, c^{1/2} I], [c^{1/2} I, -K]] with A = beta B B^T. Also returns how many
        negative eigenvalues belong to the second block: the others count those of T - shift D.
        """
        if self.eps == 0.0:
            return None
        eye = sparse.eye_array(self.n)
        H = self.A - self.c * eye - shift * sparse.diags_array(mass)
        if self.c == 0.0:
            return H, 0
        if self._exact is not None:
            rest: Any = -self._exact[0]
            link: Any = np.sqrt(self.c) * eye
        else:
            rest = self._mirrored(0.0)
            link = sparse.csr_array(np.sqrt(self.c / self.beta) * eye)
            link = sparse.hstack([link, sparse.csr_array((self.n, rest.shape[0] - self.n))])
        return sparse.block_array([[H, link], [link.T, rest]]), self.n

    def safe_shift(self, mass: FloatArray) -> float:
        """A shift below the spectrum that keeps both blocks definite."""
        definite = self.kernel is not None and self.kernel.shape[1] == 0
        near = 1e-6 * float(abs(self.A).sum(axis=1).max(initial=0.0) or 1.0)
        return -max((0.05 if definite else 1.05) * self.c, near) / float(mass.min())

    @cached_property
    def _exact(self) -> tuple[sparse.csr_array, sparse.csr_array] | None:
        return self._reduced(0.0)

    @cached_property
    def _near(self) -> Solve:
        """Next to K^-1, for conjugate gradients."""
        assert self._exact is not None
        return preconditioner(self._exact[0])

    def _reduced(self, floor: float) -> tuple[sparse.csr_array, sparse.csr_array] | None:
        """K and (M + floor)^-1, where the latter is sparse."""
        inverse = inverse_by_blocks(self.M + floor * sparse.eye_array(self.M.shape[0]))
        if inverse is None:
            return None
        K = sparse.eye_array(self.n) + self.beta * (self.B @ inverse @ self.B.T)
        return sparse.csr_array(K), inverse

    def _mirrored(self, floor: float) -> Any:
        """J scaled by 1 / beta and mirrored, so that it is symmetric: (v, -w) solves it."""
        M = self.M + floor * sparse.eye_array(self.M.shape[0])
        eye = sparse.eye_array(self.n)
        return sparse.block_array([[-eye / self.beta, self.B], [self.B.T, M]])

    @cached_property
    def _floor(self) -> float:
        """What is added to M to factorize it, when eps = 0 leaves it singular."""
        if self.eps > 0.0:
            return 0.0
        return _FLOOR * self.beta * float(self.B.multiply(self.B).sum(axis=0).max(initial=1.0))

    @cached_property
    def _factor(self) -> Solve:
        """Solves with K where its parts are sparse, with J otherwise; factorized once."""
        reduced = self._factored
        matrix = self._mirrored(self._floor) if reduced is None else reduced[0]
        return self.direct.prepare(matrix)

    @cached_property
    def _factored(self) -> tuple[sparse.csr_array, sparse.csr_array] | None:
        """K and M^-1 as they are factorized: `_exact`, but for a singular M."""
        return self._reduced(self._floor) if self._floor else self._exact

    def _solve_first(self, x: FloatArray) -> FloatArray:
        """v of J (v, w) = (x, 0), without w."""
        if self._factored is not None:
            return self._factor(x)
        return self._block_solve(x, np.zeros((self.M.shape[0], *x.shape[1:])))[0]

    @cached_property
    def _block_solve(self) -> Any:
        """(r1, r2) -> (v, w) of J (v, w) = (r1, r2)."""
        solve, reduced = self._factor, self._factored
        if reduced is not None:
            inverse = reduced[1]

            def by_blocks(r1: FloatArray, r2: Any) -> tuple[FloatArray, FloatArray]:
                v = solve(r1 - self.beta * (self.B @ (inverse @ r2)))
                return v, inverse @ (self.B.T @ v + r2)

            return by_blocks

        def at_once(r1: FloatArray, r2: Any) -> tuple[FloatArray, FloatArray]:
            both = solve(np.concatenate([r1 / -self.beta, -r2]))
            return both[: self.n], -both[self.n :]

        return at_once

    @cached_property
    def _steps(self) -> int:
        """How many steps of refinement the accuracy asks for, measured on a random vector."""
        if self.eps == 0.0:
            return _MAX_STEPS
        x = np.random.default_rng(0).standard_normal(self.n)
        x -= self._fixed(x)
        v, w = self._block_solve(x, np.zeros(self.M.shape[0]))
        _, dw = self._block_solve(np.zeros_like(x), self._residual(x, w))
        dv = self.beta * (self.B @ dw)
        error = max(_size(dv) / max(_size(v), 1e-300), 1e-2 * _size(dw) / max(_size(w), 1e-300))
        return 0 if error < _ACCURACY else 1 if error < 1e-6 else 3

    def _refined(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """v = K^-1 x and w = M^-1 B^T v for x without a part in the kernel."""
        nothing = np.zeros((self.M.shape[0], *x.shape[1:]))
        v, w = self._block_solve(x, nothing)
        change = np.inf
        for _ in range(self._steps):
            _, dw = self._block_solve(np.zeros_like(x), self._residual(x, w))
            w = w + dw
            v = x - self.beta * (self.B @ w)
            last, change = change, _size(self.beta * (self.B @ dw))
            if self.eps == 0.0 and (change <= 1e-15 * _size(x) or change > 0.99 * last):
                break
        if self.eps == 0.0 and change > 1e-10 * _size(x):
            raise ConvergenceError(
                f"the limit eps = 0 is not reached (last change {change / _size(x):.1e}): C has "
                "positive eigenvalues next to zero; give a small eps like 1e-6"
            )
        return v, w

    def _residual(self, x: FloatArray, w: FloatArray) -> FloatArray:
        """What is left of (M + beta B^T B) w = B^T x.

        In w alone, because v is large next to M w: rounding v would drown the small masses.
        """
        return self.B.T @ (x - self.beta * (self.B @ w)) - self.M @ w


def _size(x: FloatArray) -> float:
    return float(np.linalg.norm(x))
