r"""From the eigenvectors of A to those of its collapse S, corrected with A alone.

For Ritz pairs (lambda, x) of S in a space V, with residuals r = S x - lambda x, each step is

    V  <-  V + span (A - s)^-1 r,

and a Rayleigh-Ritz step in what V has become.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import linalg

from cellapse._errors import ConvergenceError, InputError
from cellapse._linalg.cg import rough_solution
from cellapse._linalg.direct import Direct
from cellapse._linalg.eigen.lanczos import Lanczos
from cellapse._linalg.eigen.problem import Problem
from cellapse._linalg.eigen.shift_invert import SUPERLU, ShiftInvert
from cellapse._linalg.eigen.spectrum import EigenSolver, check_factorization, only_below
from cellapse._linalg.lapack import symmetric_eigenpairs
from cellapse._linalg.symmetric import Pairs
from cellapse._shared.arrays import FloatArray
from cellapse._shared.progress import Bar

Correction = Callable[[FloatArray, FloatArray], FloatArray]  # Ritz vectors, residuals -> steps

_GUARD = 4  # extra vectors of A to start with


@dataclass(frozen=True)
class Davidson(EigenSolver):
    """Starts from the eigenvectors of A and corrects them, with A alone.

    The collapse moves A by little in the directions that matter, so a few corrections do; each is
    a Rayleigh-Ritz step in the space of all vectors so far and (A - s)^-1 times the residuals.

    Parameters
    ----------
    factorization : Direct or None
        How (A - s)^-1 is applied: s = 0 and a factorization, or, with None, s next to each
        eigenvalue and conjugate gradients off the eigenvectors of A, for graphs that expand.
    max_steps : int
    """

    factorization: Direct | None = SUPERLU
    max_steps: int = 60
    finds_largest: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.factorization is not None:
            check_factorization(self.factorization)

    @property
    def factorizes(self) -> bool:
        return self.factorization is not None

    def find(self, problem: Problem) -> Pairs:
        if problem.k > problem.room - 2:
            raise InputError(f"{self} for {problem.k} of {problem.n}; use Dense() for so many")
        plain = _plain(problem)
        values, V = self._first_pairs(plain, min(problem.k + _GUARD, problem.room - 1))
        if self.factorization is None:
            correct = _by_iteration(plain, V, float(values[problem.k - 1]))
        else:
            correct = _by_factor(plain, self.factorization)
        return self._iterate(problem, V, correct)

    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        if self.factorization is None:
            correct = _by_rough_solution(problem)
        else:
            correct = _by_factor(_plain(problem), self.factorization)
        start = problem.start(min(block + 2, problem.room))
        V = correct(start, start)  # smooth, and still random where it counts
        return only_below(self._iterate(replace(problem, k=block), V, correct, below), below)

    def _first_pairs(self, plain: Problem, count: int) -> Pairs:
        """The first eigenpairs of A, as the operator keeps them, or computed."""
        kept = plain.lowest(count)
        if kept is not None:
            return kept
        solver = ShiftInvert(self.factorization) if self.factorization else Lanczos()
        return solver.find(replace(plain, k=count))

    def _iterate(
        self, problem: Problem, V: FloatArray, correct: Correction, below: float | None = None
    ) -> Pairs:
        """Until k eigenpairs have converged, or, given a value, none can be below it."""
        k = problem.k
        space = _spanned(problem, V)
        room = min(max(8 * k, 80), problem.room)
        goal, bar = 0.5 * problem.tol * problem.norm, Bar("Davidson", unit="steps")
        for step in range(self.max_steps):
            values, rotation = symmetric_eigenpairs(space.H)
            X, Y = space.V @ rotation[:, :k], space.W @ rotation[:, :k]
            R = problem.project(Y - X * values[:k])
            size = np.linalg.norm(R, axis=0)
            nothing = below is not None and step > 2 and values[0] - size[0] > below
            if size.max() <= goal or nothing or space.V.shape[1] >= problem.room:
                bar.end()
                return values[:k], X
            bar.step(f"residual {size.max():.1e} on the way to {goal:.1e}")
            if space.V.shape[1] + k > room:
                space = _best(space, values, rotation, 2 * k)
            open_ = size > 0.1 * goal
            larger = _extended(problem, space, correct(X[:, open_], R[:, open_]))
            if larger is None:
                break
            space = larger
        bar.end()
        raise ConvergenceError(
            f"Davidson() reached a residual of {size.max():.1e} after {step + 1} steps, "
            f"short of {goal:.1e}; allow more max_steps, or use Lanczos()"
        )


class _Space(NamedTuple):
    """A space with orthonormal basis V, its image W = S V, and H = V^T S V."""

    V: FloatArray
    W: FloatArray
    H: FloatArray


def _spanned(problem: Problem, vectors: FloatArray) -> _Space:
    V = linalg.qr(problem.project(vectors), mode="economic")[0]
    W = problem.apply(V)
    return _Space(V, W, _symmetric(V.T @ W))


def _best(space: _Space, values: FloatArray, rotation: FloatArray, count: int) -> _Space:
    """The best Ritz vectors, without the way to them."""
    keep = rotation[:, :count]
    return _Space(space.V @ keep, space.W @ keep, np.diag(values[:count]))


def _extended(problem: Problem, space: _Space, steps: FloatArray) -> _Space | None:
    """The space with some steps added; None where they add nothing."""
    # A step enters the result with its size: S times it may be as much less accurate, as long as
    # its couplings to what was there come from the older, accurate side.
    slack = 0.1 / max(float(np.linalg.norm(steps, axis=0).max()), 1e-5)
    steps = _orthogonal_to(space.V, steps, problem)
    if not steps.shape[1]:
        return None
    image = problem.apply(steps, slack)
    across = steps.T @ space.W
    H = np.block([[space.H, across.T], [across, _symmetric(steps.T @ image)]])
    return _Space(np.hstack([space.V, steps]), np.hstack([space.W, image]), H)


def _orthogonal_to(V: FloatArray, steps: FloatArray, problem: Problem) -> FloatArray:
    """An orthonormal basis of what the steps add to the space of V, without the kernel."""
    for _ in range(3):  # once is not enough when a step is nearly inside the space
        steps = problem.project(steps)
        steps = steps - V @ (V.T @ steps)
        length = np.linalg.norm(steps, axis=0)
        Q, R, _ = linalg.qr(
            steps / np.where(length > 0, length, 1.0), mode="economic", pivoting=True
        )
        steps = Q[:, abs(R.diagonal()) > 1e-10]
    return steps


def _symmetric(M: FloatArray) -> FloatArray:
    return (M + M.T) / 2


def _plain(problem: Problem) -> Problem:
    if problem.plain is None:
        raise InputError(
            "Davidson() starts from the eigenvectors of A, and this operator is A itself; "
            "use ShiftInvert() or Lanczos()"
        )
    return problem.plain


def _by_factor(plain: Problem, direct: Direct) -> Correction:
    """Residuals R -> (A - s)^-1 R by a factorization, s next to 0."""
    solve = plain.factor(direct)[1]
    return lambda X, R: solve(R)


def _by_rough_solution(problem: Problem) -> Correction:
    """Residuals R -> A^-1 R by conjugate gradients, without the kernel and what is known."""
    A = _plain(problem).matrix
    return lambda X, R: rough_solution(lambda p: problem.project(A @ p), R)


def _by_iteration(plain: Problem, V: FloatArray, highest: float) -> Correction:
    """Residuals R -> (A - s)^-1 R by conjugate gradients, s next to the eigenvalue of each.

    Off the eigenvectors V of A, A - s is positive definite for s up to the k-th value.
    """
    A = plain.matrix

    def project(x: FloatArray) -> FloatArray:
        return plain.project(x - V @ (V.T @ x))

    def correct(X: FloatArray, R: FloatArray) -> FloatArray:
        shift = np.minimum(np.einsum("ij,ij->j", X, A @ X), highest)
        return rough_solution(lambda p: project(A @ p - shift * p), project(R))

    return correct
