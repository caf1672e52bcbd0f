"""Krylov spaces of symmetric operators: by ARPACK, and without a basis."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh

from cellapse._errors import ConvergenceError, InputError
from cellapse._linalg.eigen.problem import Problem
from cellapse._linalg.factor import Solve
from cellapse._linalg.symmetric import Pairs
from cellapse._shared.arrays import FloatArray
from cellapse._shared.progress import Bar


def recurrence(problem: Problem) -> Iterator[tuple[float, float]]:
    """Plain Lanczos from a random start: what each step adds to the diagonal, and beside it.

    It ends where the space does.
    """
    v = problem.start()
    v, last, beside = v / np.linalg.norm(v), np.zeros_like(v), 0.0
    while True:
        w = problem.apply(v)
        diagonal = float(v @ w)
        w -= diagonal * v
        w -= beside * last
        # Last, as rounding would bring back what is known: it lies below everything else.
        w = problem.project_in_place(w)
        beside = float(np.sqrt(w @ w))
        yield diagonal, beside
        if beside <= 1e-8 * problem.norm:
            return
        w /= beside
        last, v = v, w


def largest_pairs(
    problem: Problem,
    apply: Solve,
    basis: int,
    tol: float,
    start: FloatArray | None = None,
    restarts: int | None = None,
) -> Pairs:
    """The k largest eigenpairs of an operator off the kernel, in descending order, by ARPACK."""
    n, k = problem.n, problem.k
    if k >= n or k > problem.room:
        raise InputError(f"an iteration for {k} of {n} eigenpairs; use Dense() for so many")
    bar = Bar("Lanczos", unit="products")

    def matvec(x: FloatArray) -> FloatArray:
        bar.step()
        # Of a start without a part in the kernel all that follows is: one projection is enough.
        return problem.project(apply(x.ravel()))

    operator = LinearOperator((n, n), matvec=matvec, dtype=np.float64)
    start = problem.start() if start is None else start
    options = {"v0": start, "ncv": min(n, basis), "maxiter": restarts, "tol": tol}
    try:
        mu, vectors = eigsh(operator, k=k, which="LA", **options)
    except ArpackNoConvergence as error:
        raise ConvergenceError(
            f"{len(error.eigenvalues)} of {k} eigenpairs converged to a relative residual of "
            f"{tol:.0e}; raise rtol or eps, or use another solver"
        ) from None
    except ArpackError as error:
        raise ConvergenceError(f"ARPACK gave up on {k} eigenpairs ({error})") from None
    finally:
        bar.end()
    order = np.argsort(-mu)
    return mu[order], problem.project(vectors[:, order])
