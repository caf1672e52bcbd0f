"""Krylov-Schur of SLEPc on a sparse matrix, for graphs that expand: products are all it needs."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._errors import ConvergenceError
from cellapse.scale.blocks import random_block
from cellapse.scale.davidson import Pairs
from cellapse.scale.libraries import PETSc, SLEPc
from cellapse.scale.problem import Problem

_BASIS = 80  # vectors kept: fewer restart too often, more cost more than they save
_RESTARTS = 2000


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
    """The k smallest eigenpairs of the matrix of a problem, off its kernel.

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
