r"""Block Davidson over ranks.

For Ritz pairs (lambda, x) of S in a space V, with residuals r = S x - lambda x, each step is

    V  <-  V + span  T r,

T one cycle of multigrid on A where S is a sparse matrix; where its products take solutions with K,
a rough solution with A - lambda off the eigenvectors of A, so that steps are few. Products with S
are as accurate as the residuals ask for, no more.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cellapse._errors import ConvergenceError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.scale.blocks import (
    conjugate_gradients,
    dots,
    gram,
    norms,
    orthonormal,
    small_eigenpairs,
)
from cellapse.scale.problem import Problem

Pairs = tuple[FloatArray, FloatArray]
Correction = Callable[[FloatArray, FloatArray], FloatArray]  # Ritz vectors, residuals -> steps
OnStep = Callable[[int, FloatArray, float, float], None]  # step, vectors, residual, goal

GUARD = 4  # vectors beyond those wanted
ENOUGH = 0.05  # error of products next to the residual to reach
_LOOSE = 1e4  # how much larger residuals may be where accuracy comes later
_FLOOR = 2e-14  # relative to the norm: residuals that rounding allows


def goal_of(problem: Problem, value: float, tol: float) -> float:
    """The residual to reach: tol times the norm, and small next to the last eigenvalue."""
    return max(min(tol * problem.norm, 1e-7 * abs(value)), _FLOOR * problem.norm)


def davidson(
    problem: Problem,
    k: int,
    start: FloatArray,
    correct: Correction | None = None,
    *,
    tol: float = 1e-10,
    error: float = 0.0,
    below: float | None = None,
    firm: int | None = None,
    on_step: OnStep | None = None,
    max_steps: int = 200,
) -> tuple[Pairs, int]:
    """The k smallest eigenpairs off the kernel, and the steps it took.

    Products may have an absolute `error` at first. Given `below`, it ends as soon as no eigenvalue
    can be smaller. Given `firm`, only so many need full accuracy; the others are good enough to
    start from.
    """
    width = min(k + GUARD, problem.room)
    space = _Space(problem, start, width, error)
    slack = np.where(np.arange(width) < (width if firm is None else firm), 1.0, _LOOSE)
    for step in range(max_steps):
        values, X, R = space.ritz(min(width, space.dimension))
        sizes, goal = norms(problem.comm, R), goal_of(problem, values[:k][-1], tol)
        size = float((sizes / slack[: len(sizes)])[:k].max())
        result = (values[:k], X[:, :k]), step
        if on_step is not None:
            on_step(step, X, size, goal)
        least = values[0] - sizes[0] - 3.0 * space.error
        if below is not None and step > 2 and least > below:
            return result
        sharp = below is None or values[0] < below  # a search needs no more than the order
        if space.error > 0.1 * goal and sharp:  # the goal is closer than was thought
            space.start(X, ENOUGH * goal)
            continue
        if (size <= goal and len(values) >= k) or space.dimension >= problem.room:
            return result
        open_ = sizes > 0.1 * goal * slack[: len(sizes)]
        left = np.asfortranarray(R[:, open_])
        if not space.extend(problem.near(left) if correct is None else correct(X[:, open_], left)):
            return result
    words = f"Davidson reached a residual of {size:.1e} in {max_steps} steps, short of {goal:.1e}"
    raise ConvergenceError(f"{words}; raise tol")


class _Space:
    """A space with orthonormal basis V, its image W = S V, and H = V^T S V."""

    def __init__(self, problem: Problem, V: FloatArray, width: int, error: float) -> None:
        self._problem, self._width = problem, width
        V = orthonormal(problem.comm, problem.project(V))
        self._room = max(4 * width, V.shape[1] + width)
        n = len(V)
        self._V, self._W = (np.empty((n, self._room), order="F") for _ in range(2))
        self.start(V, error)

    @property
    def dimension(self) -> int:
        return len(self._H)

    def start(self, V: FloatArray, error: float) -> None:
        """The span of V alone, with products of such an error."""
        self.error = error
        V = orthonormal(self._problem.comm, self._problem.project(V))
        q = V.shape[1]
        self._V[:, :q] = V
        self._W[:, :q] = self._problem.apply(V, error)
        self._H = gram(self._problem.comm, self._V[:, :q], self._W[:, :q])

    def ritz(self, count: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The first Ritz values, vectors and residuals."""
        q = self.dimension
        values, rotation = small_eigenpairs(self._problem.comm, self._H)
        V, W = self._V[:, :q], self._W[:, :q]
        if q + self._width > self._room:  # only the best of it, without the way to it
            q = min(2 * self._width, q)
            rotation = rotation[:, :q]
            self._V[:, :q], self._W[:, :q] = V @ rotation, W @ rotation
            self._H, rotation = np.diag(values[:q]), np.eye(q)
            V, W = self._V[:, :q], self._W[:, :q]
        X, Y = V @ rotation[:, :count], W @ rotation[:, :count]
        return values[:count], X, Y - X * values[:count]

    def extend(self, steps: FloatArray) -> bool:
        """Add some steps to the space; whether they added anything."""
        comm, q = self._problem.comm, self.dimension
        # A step enters the result with its size, so its product may be as much less accurate.
        largest = float(norms(comm, steps).max(initial=0.0))
        slack = max(0.5 / max(largest, 1e-5), 1.0)
        W = self._W[:, :q]
        steps = self._apart(steps)[:, : self._room - q]
        width = steps.shape[1]
        if not width:
            return False
        image = self._problem.apply(steps, self.error * slack)
        across = gram(comm, steps, W)
        self._H = np.block([[self._H, across.T], [across, gram(comm, steps, image)]])
        self._V[:, q : q + width], self._W[:, q : q + width] = steps, image
        return True

    def _apart(self, steps: FloatArray) -> FloatArray:
        """An orthonormal basis of what some steps have besides the space.

        Rounding leaves as much of the space in it as little is left of the steps: then once more.
        """
        comm, V = self._problem.comm, self._V[:, : self.dimension]
        for _ in range(2):
            length = norms(comm, steps)
            steps = steps[:, length > 1e-300] / length[length > 1e-300]
            steps = self._problem.project(steps - V @ gram(comm, V, steps))
            w, Q = small_eigenpairs(comm, gram(comm, steps, steps))
            good = w > 1e-12
            steps = np.asfortranarray(steps @ (Q[:, good] / np.sqrt(w[good])))
            if not good.any() or w[good][0] > 1e-6:
                break
        return steps


def off_known_vectors(plain: Problem, V: FloatArray, highest: float, max_steps: int) -> Correction:
    """Residuals R -> about (A - s)^-1 R off the eigenvectors V of A, s next to each eigenvalue.

    There A - s is positive definite for s up to the last of their values, `highest`.
    """
    off = plain.without(V)

    def correct(X: FloatArray, R: FloatArray) -> FloatArray:
        shift = np.minimum(dots(plain.comm, X, plain.apply(X, 0.0)), highest)
        return _rough_solution(off, shift, R, max_steps)

    return correct


def off_ritz_vectors(plain: Problem, max_steps: int) -> Correction:
    """The same off the approximate eigenvectors themselves, s below their quotients."""

    def correct(X: FloatArray, R: FloatArray) -> FloatArray:
        quotients = dots(plain.comm, X, plain.apply(X, 0.0))
        shift = np.maximum(quotients - norms(plain.comm, R), 0.0)
        return _rough_solution(plain.without(X), shift, R, max_steps)

    return correct


def _rough_solution(off: Problem, shift: FloatArray, R: FloatArray, max_steps: int) -> FloatArray:
    """(A - shift)^-1 R by a few conjugate gradients.

    Where the graph expands, the degrees precondition them: they tell hubs from others.
    """
    rhs = off.project(R)

    def apply(P: FloatArray, columns: IntArray) -> FloatArray:
        return off.project(off.apply(P, 0.0) - shift[columns] * P)

    goal = 0.02 * norms(off.comm, rhs)
    return conjugate_gradients(off.comm, apply, rhs, off.near, goal, max_steps)[0]
