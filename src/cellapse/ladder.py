r"""Eliminating the ranks on one side of the rank that is kept, without cancellation.

With B from the first eliminated rank to the kept one and M its own effective operator plus eps,

    T = beta B B^T - c (I - K^-1),   K = I + beta B M^-1 B^T,   c = gamma^2 / beta.

K^-1 x = v comes from the quasi-definite system

    J (v, w) = | I      beta B | (v)   (x)
               | -B^T      M   | (w) = (0)

which never forms B^T B; w are the values of the eliminated cells, up to the factor gamma. Where M
is diagonal, w is eliminated first and one (n x n) matrix is factorized; otherwise M stands for the
block matrix of all further ranks. Iterative refinement of w keeps full accuracy when M has entries
as small as eps, and reaches the singular limit eps = 0 with a factor of a slightly larger M.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cellapse._errors import ConvergenceError
from cellapse.kernel import left_kernel
from cellapse.solvers import Direct, Solve

FloatArray = NDArray[np.float64]

_ACCURACY = 1e-12  # relative error of K^-1 x that refinement aims at
_FLOOR = 1e-6  # what is added to M, relative to its scale, when it may be singular
_MAX_STEPS = 200


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
    """

    def __init__(self, B: sparse.csr_array, beta: float, gamma: float, M: Any, eps: float) -> None:
        self.B, self.beta, self.gamma, self.M, self.eps = B, beta, gamma, M, eps
        self.c = gamma**2 / beta if beta > 0 else 0.0
        self.n, self.m = B.shape
        self.diagonal = isinstance(M, np.ndarray)
        self.kernel = left_kernel(B)
        self._solve: Solve | None = None
        self._steps = 0

    def apply(self, x: FloatArray) -> FloatArray:
        """T x, for one vector or many columns."""
        direct = self.beta * (self.B @ (self.B.T @ x))
        if self.c == 0.0:
            return direct
        return direct - self.c * (x - self.inverse(x)[0])

    def complete(self, x: FloatArray) -> FloatArray:
        """The eliminated values that minimize the energy, nearest rank first."""
        if self.c == 0.0:
            return np.zeros((len(self.M) if self.diagonal else self.M.shape[0], *x.shape[1:]))
        return self.gamma * self.inverse(x)[1]

    def inverse(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """v = K^-1 x and w = M^-1 B^T v."""
        solve = self._prepared()
        fixed = self._fixed(x)
        x = x - fixed
        v, w = self._block_solve(solve, x, None)
        change = np.inf
        for _ in range(self._steps):
            _, dw = self._block_solve(solve, np.zeros_like(x), self._residual(x, w))
            w = w + dw
            dv = self.beta * (self.B @ dw[: self.m])
            v = x - self.beta * (self.B @ w[: self.m])
            last, change = change, _size(dv)
            if self.eps == 0.0 and (change <= 1e-15 * _size(x) or change > 0.5 * last):
                break
        if self.eps == 0.0 and change > 1e-10 * _size(x):
            raise ConvergenceError(
                f"the limit eps = 0 is not reached (last change {change / _size(x):.1e}): C has "
                "positive eigenvalues next to zero; give a small eps like 1e-6"
            )
        return fixed + v - self._fixed(v), w

    def shift_inverse(self, A: sparse.csr_array, mass: FloatArray) -> tuple[float, Solve] | None:
        """A shift s and x -> (T - s D)^-1 x, from one more quasi-definite factorization.

        (T - s D)^-1 is the first block of the inverse of [[A - c I - s D, c^{1/2} I],
        [c^{1/2} I, -K]], with A = beta B B^T; s is chosen to keep the first block definite.
        """
        if self.eps == 0.0 or self.c == 0.0:
            return None
        known = self.kernel is not None and self.kernel.shape[1] == 0
        shift = -(0.05 if known else 1.05) * self.c / float(mass.min())
        n, eye = self.n, sparse.eye_array(self.n)
        H = A - self.c * eye - shift * sparse.diags_array(mass)
        if self.diagonal:
            G = self.B @ sparse.diags_array(1.0 / self.M) @ self.B.T
            rest = -(eye + self.beta * G)
            link = np.sqrt(self.c) * eye
        else:
            rest = self._mirrored(self.M)
            link = sparse.csr_array(np.sqrt(self.c / self.beta) * eye)
            link = sparse.hstack([link, sparse.csr_array((n, rest.shape[0] - n))])
        solve = Direct().prepare(sparse.block_array([[H, link], [link.T, rest]]))
        size = n + rest.shape[0]

        def apply(x: FloatArray) -> FloatArray:
            padded = np.zeros((size, *x.shape[1:]))
            padded[:n] = x
            return solve(padded)[:n]

        return shift, apply

    def _mirrored(self, M: Any) -> Any:
        """J scaled by 1 / beta and mirrored, so that it is symmetric: (v, -w) solves it."""
        pad = sparse.csr_array((self.n, M.shape[0] - self.m))
        side = sparse.hstack([self.B, pad], format="csr")
        return sparse.block_array([[-sparse.eye_array(self.n) / self.beta, side], [side.T, M]])

    def _prepared(self) -> Solve:
        """Factorize once; then measure how many steps of refinement the accuracy asks for."""
        if self._solve is not None:
            return self._solve
        self._floor = 0.0
        if self.eps == 0.0:
            scale = (
                self.beta * float(self.B.multiply(self.B).sum(axis=0).max()) if self.B.nnz else 1.0
            )
            self._floor = _FLOOR * scale
        if self.diagonal:
            G = self.B @ sparse.diags_array(1.0 / (self.M + self._floor)) @ self.B.T
            solve = Direct().prepare(sparse.eye_array(self.n) + self.beta * G)
        else:
            M = self.M + self._floor * sparse.eye_array(self.M.shape[0])
            solve = Direct().prepare(self._mirrored(M))
        self._solve = solve
        if self.eps == 0.0:
            self._steps = _MAX_STEPS
            return solve
        x = np.random.default_rng(0).standard_normal(self.n)
        x -= self._fixed(x)
        v, w = self._block_solve(solve, x, None)
        _, dw = self._block_solve(solve, np.zeros_like(x), self._residual(x, w))
        dv = self.beta * (self.B @ dw[: self.m])
        error = max(_size(dv) / max(_size(v), 1e-300), 1e-2 * _size(dw) / max(_size(w), 1e-300))
        self._steps = 0 if error < _ACCURACY else 1 if error < 1e-6 else 3
        return solve

    def _block_solve(
        self, solve: Solve, r1: FloatArray, r2: FloatArray | None
    ) -> tuple[FloatArray, FloatArray]:
        """Solve J (v, w) = (r1, r2) with the factor at hand."""
        if self.diagonal:
            mass = self.M + self._floor
            mass = mass if r1.ndim == 1 else mass[:, None]
            if r2 is not None:
                r1 = r1 - self.beta * (self.B @ (r2 / mass))
            v = solve(r1)
            w = self.B.T @ v
            return v, (w if r2 is None else w + r2) / mass
        rest = np.zeros((self.M.shape[0], *r1.shape[1:])) if r2 is None else -r2
        both = solve(np.concatenate([r1 / -self.beta, rest]))
        return both[: self.n], -both[self.n :]

    def _residual(self, x: FloatArray, w: FloatArray) -> FloatArray:
        """What is left of (M + beta B^T B) w = B^T x.

        In w alone, because v is large next to M w: rounding v would drown the small masses.
        """
        r = -((self.M if w.ndim == 1 else self.M[:, None]) * w if self.diagonal else self.M @ w)
        r[: self.m] += self.B.T @ (x - self.beta * (self.B @ w[: self.m]))
        return r

    def _fixed(self, x: FloatArray) -> FloatArray:
        """The part of x in ker B^T, where K is the identity whatever rounding says."""
        if self.kernel is None:
            return np.zeros_like(x)
        return self.kernel @ (self.kernel.T @ x)


def _size(x: FloatArray) -> float:
    return float(np.linalg.norm(x))
