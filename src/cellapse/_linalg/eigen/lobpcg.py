r"""Locally optimal block iteration: each step minimizes the energy over three blocks.

    span (X, M^-1 (S X - X Lambda), X of the step before)

M is the diagonal of A, or algebraic multigrid on A.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, lobpcg

from cellapse._errors import ConvergenceError, InputError, extra
from cellapse._linalg.eigen.lanczos import Lanczos, most_products
from cellapse._linalg.eigen.problem import Problem
from cellapse._linalg.eigen.spectrum import EigenSolver, no_pairs, only_below
from cellapse._linalg.symmetric import Pairs
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import one_of, whole_number

_STEPS = 500  # speed only: what takes more is told
_RESTARTS = 4  # speed only: one that falls short is told
_GUARD = 4  # speed only: columns beyond those wanted


@dataclass(frozen=True)
class LOBPCG(EigenSolver):
    """Locally optimal block iteration, for what is too large to factorize.

    Parameters
    ----------
    preconditioner : {"jacobi", "amg"}
        The diagonal of A, or algebraic multigrid on A (needs pyamg, extra `fast`).
    max_steps : int, optional
        By default 500, and fewer where the products with so many columns would take minutes.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K)
    >>> S.spectrum(3, solver=cl.LOBPCG()).values.round(3).tolist()
    [0.0, 0.145, 0.158]
    """

    preconditioner: str = "jacobi"
    max_steps: int | None = None

    def __post_init__(self) -> None:
        one_of("preconditioner", self.preconditioner, ("jacobi", "amg"))
        if self.max_steps is not None:
            whole_number("max_steps", self.max_steps, 1)

    def find(self, problem: Problem) -> Pairs:
        n, k = problem.n, problem.k
        if problem.room < 5 * (k + _GUARD):
            raise InputError(f"LOBPCG() for {k} of {n} eigenpairs; use Dense() for so many")
        M, known = self._prepared(problem), _fixed_columns(problem)
        tol = 0.7 * problem.tol * problem.norm
        operator = LinearOperator((n, n), matvec=problem.apply, matmat=problem.apply, dtype=float)
        block = problem.start(k + _GUARD)
        steps = self.max_steps
        if steps is None:
            steps = min(_STEPS, most_products(problem, 3 * block.shape[1]) // block.shape[1])
        for _ in range(_RESTARTS):  # its last digits get lost in the basis: a new one finds them
            options = {"tol": 0.5 * tol, "maxiter": steps, "largest": False}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the residual is checked below
                values, block = lobpcg(operator, block, M=M, Y=known, **options)
            order = np.argsort(values)
            values, block = values[order], block[:, order]
            vectors = block[:, :k]
            left = np.linalg.norm(problem.apply(vectors) - vectors * values[:k], axis=0).max()
            if left <= tol:  # equivalent: they are never equal
                return values[:k], vectors
            if left > 100.0 * tol:  # speed only: more is missing than the last digits
                break
        raise ConvergenceError(
            f"LOBPCG stopped at a residual of {left:.1e}, short of {tol:.1e}, after "
            f"{steps} steps; raise rtol or max_steps, or use another solver"
        )

    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        if problem.room < 5 * (block + _GUARD):
            return Lanczos().search(problem, below, block)
        roughly = max(1e-5, problem.tol)
        values, _ = self.find(replace(problem, k=block, tol=roughly))
        if values[0] - roughly * problem.norm > below:
            return no_pairs(problem.n)
        return only_below(self.find(replace(problem, k=block)), below)

    def _prepared(self, problem: Problem) -> Any:
        """The preconditioner, near A^-1; at the other end of the spectrum that would be no help."""
        if problem.largest:
            return None
        ridge = 1e-6 * problem.norm  # speed only: of what is near A^-1
        if self.preconditioner == "jacobi":
            return sparse.diags_array(1.0 / (problem.matrix.diagonal() + ridge))
        with extra("pyamg", "fast"):
            from pyamg import smoothed_aggregation_solver
        ridged = problem.matrix + ridge * sparse.eye_array(problem.n)
        return smoothed_aggregation_solver(sparse.csr_matrix(ridged)).aspreconditioner()


def _fixed_columns(problem: Problem) -> FloatArray | None:
    """What the iteration stays orthogonal to: the kernel, and what is known."""
    columns = problem.known
    if problem.kernel is not None:
        columns = np.hstack([problem.kernel.toarray(), columns])
    return columns if columns.shape[1] else None
