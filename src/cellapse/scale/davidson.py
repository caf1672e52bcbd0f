r"""Iterations for S u = lambda D u over ranks: block Davidson, and Krylov-Schur of SLEPc.

They see D^{-1/2} S D^{-1/2} off its kernel. For Ritz pairs (lambda, x) in a space V, with residuals
r = S x - lambda x, each step of block Davidson is

    V  <-  V + span  T r,

T one cycle of multigrid on A where S is a sparse matrix; where its products take solutions with K,
a rough solution with A - lambda off the eigenvectors of A, so that steps are few. Products with S
are as accurate as the residuals ask for, no more. Krylov-Schur serves sparse matrices of graphs
that expand: products are all it needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cellapse._errors import ConvergenceError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.scale.blocks import (
    conjugate_gradients,
    dots,
    gram,
    norms,
    orthonormal,
    random_block,
    small_eigenpairs,
)
from cellapse.scale.edges import Kernel
from cellapse.scale.exchange import Ranges
from cellapse.scale.libraries import PETSc, SLEPc
from cellapse.scale.multigrid import Cycle

Pairs = tuple[FloatArray, FloatArray]
Correction = Callable[[FloatArray, FloatArray], FloatArray]  # Ritz vectors, residuals -> steps
OnStep = Callable[[int, FloatArray, float, float], None]  # step, vectors, residual, goal
GUARD = 4  # vectors beyond those wanted
ENOUGH = 0.05  # error of products relative to the residual to reach
_LOOSE = 1e4  # how much larger residuals may be where accuracy comes later
_ROUNDING = 2e-14  # relative to the norm: residuals that rounding allows
_BASIS = 80  # vectors kept: fewer restart too often, more cost more than they save
_RESTARTS = 2000


@dataclass(frozen=True, eq=False)
class Problem:
    """A symmetric operator over ranks, what is close to it, and what is not to be found.

    Attributes
    ----------
    vertices : Ranges
    apply : function
        Block, absolute error -> product.
    matrix : PETSc matrix
        A, scaled by the masses: at least S, and close to it.
    kernel : Kernel
    norm : float
        An upper bound of the largest eigenvalue.
    cycle : Cycle
        About the inverse of the matrix, up to a factor.
    known : (n, q) array
        Orthonormal vectors off the kernel that are left out, too.
    """

    vertices: Ranges
    apply: Callable[[FloatArray, float], FloatArray]
    matrix: Any
    kernel: Kernel
    norm: float
    cycle: Cycle
    known: FloatArray = field(repr=False)

    @property
    def comm(self) -> Any:
        return self.vertices.comm

    @property
    def room(self) -> int:
        """The dimension of the space off the kernel and what is known."""
        return self.vertices.total - self.kernel.count - self.known.shape[1]

    def project(self, X: FloatArray) -> FloatArray:
        """Return what X has besides the kernel and what is known."""
        X = self.kernel.project(X)
        if self.known.shape[1]:
            X = X - self.known @ gram(self.comm, self.known, X)
        return X

    def precondition(self, X: FloatArray) -> FloatArray:
        """About A^-1 X, up to a factor."""
        return self.project(self.cycle(X))

    def without(self, vectors: FloatArray) -> Problem:
        """Return the same, looking for others than these."""
        return replace(self, known=np.hstack([self.known, vectors]))


def goal_of(problem: Problem, value: float, tol: float) -> float:
    """Return the residual to reach: small relative to the norm and the last eigenvalue."""
    return max(min(tol * problem.norm, 1e-7 * abs(value)), _ROUNDING * problem.norm)


def davidson(
    problem: Problem,
    k: int,
    start: FloatArray,
    correct: Correction | None = None,
    *,
    tol: float = 1e-10,
    error: float = 0.0,
    below: float | None = None,
    accurate: int | None = None,
    on_step: OnStep | None = None,
    max_steps: int = 200,
) -> tuple[Pairs, int]:
    """Return the k smallest eigenpairs off the kernel, and the steps it took.

    Products may have an absolute `error` at first. Given `below`, it ends as soon as no eigenvalue
    can be smaller. Given `accurate`, only so many need full accuracy; the others are good enough to
    start from.
    """
    width = min(k + GUARD, problem.room)
    space = _Space(problem, start, width, error)
    slack = np.where(np.arange(width) < (width if accurate is None else accurate), 1.0, _LOOSE)
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
        if not space.extend(
            problem.precondition(left) if correct is None else correct(X[:, open_], left)
        ):
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
        """Return the first Ritz values, vectors and residuals."""
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
        """Return an orthonormal basis of what some steps have besides the space.

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


def off_known_vectors(
    uncollapsed: Problem, V: FloatArray, highest: float, max_steps: int
) -> Correction:
    """Residuals R -> about (A - s)^-1 R off the eigenvectors V of A, s close to each eigenvalue.

    There A - s is positive definite for s up to the last of their values, `highest`.
    """
    off = uncollapsed.without(V)

    def correct(X: FloatArray, R: FloatArray) -> FloatArray:
        shift = np.minimum(dots(uncollapsed.comm, X, uncollapsed.apply(X, 0.0)), highest)
        return _rough_solution(off, shift, R, max_steps)

    return correct


def off_ritz_vectors(uncollapsed: Problem, max_steps: int) -> Correction:
    """Return the same off the approximate eigenvectors themselves, s below their quotients."""

    def correct(X: FloatArray, R: FloatArray) -> FloatArray:
        quotients = dots(uncollapsed.comm, X, uncollapsed.apply(X, 0.0))
        shift = np.maximum(quotients - norms(uncollapsed.comm, R), 0.0)
        return _rough_solution(uncollapsed.without(X), shift, R, max_steps)

    return correct


def _rough_solution(off: Problem, shift: FloatArray, R: FloatArray, max_steps: int) -> FloatArray:
    """(A - shift)^-1 R by a few conjugate gradients.

    Where the graph expands, the degrees precondition them: they separate hubs from others.
    """
    rhs = off.project(R)

    def apply(P: FloatArray, columns: IntArray) -> FloatArray:
        return off.project(off.apply(P, 0.0) - shift[columns] * P)

    goal = 0.02 * norms(off.comm, rhs)
    return conjugate_gradients(off.comm, apply, rhs, off.precondition, goal, max_steps)[0]


class _Lifted:
    """x -> A x off the kernel, and norm times x on it, where it is in nobody's way."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    def mult(self, _: Any, x: Any, y: Any) -> None:
        """As PETSc calls it."""
        problem = self._problem
        problem.matrix.mult(x, y)
        block = x.getArray(readonly=True).reshape(-1, 1)
        y.getArray()[:] += 2.0 * problem.norm * (block - problem.project(block))[:, 0]


def krylov_schur(problem: Problem, k: int, goal: float) -> Pairs:
    """Return the k smallest eigenpairs of the matrix of a problem, off its kernel.

    A repeated eigenvalue may be found once: the caller looks again.
    """
    size = (problem.vertices.count, problem.vertices.total)
    A = PETSc.Mat().createPython((size, size), _Lifted(problem), comm=problem.comm)
    A.setUp()
    solver = SLEPc.EPS().create(problem.comm)
    solver.setOperators(A)
    solver.setProblemType(SLEPc.EPS.ProblemType.HEP)
    solver.setType(SLEPc.EPS.Type.KRYLOVSCHUR)
    solver.setWhichEigenpairs(SLEPc.EPS.Which.SMALLEST_REAL)
    solver.setDimensions(k, min(max(_BASIS, 3 * k), problem.room))
    solver.setConvergenceTest(SLEPc.EPS.Conv.ABS)
    solver.setTolerances(goal, _RESTARTS)
    first = A.createVecRight()
    first.getArray()[:] = problem.project(random_block(problem.vertices, 1, seed=3))[:, 0]
    solver.setInitialSpace([first])
    solver.solve()
    converged = solver.getConverged()
    if converged < k:
        raise ConvergenceError(
            f"Krylov-Schur found {converged} of {k} eigenpairs with a residual of {goal:.1e} in "
            f"{_RESTARTS} restarts; ask for fewer, or raise tol"
        )
    x = A.createVecRight()
    values, V = np.empty(k), np.empty((problem.vertices.count, k), order="F")
    for i in range(k):
        values[i] = solver.getEigenpair(i, x).real
        V[:, i] = x.getArray()
    solver.destroy()
    order = np.argsort(values)
    return values[order], V[:, order]
