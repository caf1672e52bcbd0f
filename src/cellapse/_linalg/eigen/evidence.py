r"""Why a spectrum can be trusted: nothing is missed, vectors are orthonormal, residuals are small.

Nothing is missed if the eigenvalues of A leave no room for more of S; if a factorization counts as
many below the last one (Sylvester's law of inertia); or, without a certificate, once a search from
a random block turns up nothing smaller. Residuals

    || S u - lambda D u ||  <=  tol * norm

come from products whose error is bounded, and far smaller.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy import linalg

from cellapse._errors import ConvergenceError
from cellapse._linalg.blas import symmetric_eigenpairs
from cellapse._linalg.eigen.problem import Base, FirstPairs, Pairs, Problem
from cellapse._linalg.eigen.solver import EigenSolver
from cellapse._linalg.tuning import CERTIFY
from cellapse._shared.arrays import FloatArray

KEPT = 1e-8  # relative to the norm: the residuals of eigenpairs that are kept
_SAME = 1e-9  # relative to the norm: eigenvalues closer than this are the same
_FEW = 20  # dimensions that are left: all of them at once, as an iteration has no room


def nothing_missed(
    problem: Problem, pairs: Pairs, solver: EigenSolver
) -> tuple[Pairs, bool | None]:
    """Give the k smallest eigenpairs in order, once no smaller one is left.

    More pairs may be given, and come back: less is left to search then. Also whether that is
    certain, by a count. A number that cannot be is no certificate; then, and if nothing can count,
    what is left is searched.
    """
    values, vectors = in_order(pairs)
    counts = problem.certify and problem.n <= CERTIFY and solver.factorizes
    block, counted = 1, None  # how many are looked for at once
    for attempt in itertools.count(1):  # any seed but 0, which the first start had
        below = threshold(problem, values)
        smaller = int((values < below).sum())
        counted = problem.count_below(below) if counts else None
        if counted == smaller:
            return (values, vectors), True
        rest = problem.without(vectors, attempt)
        missing = counted - smaller if counted is not None and counted > smaller else block
        if rest.dimension <= _FEW:
            more = _all_below(rest, below)
        else:
            more = solver.search(rest, below, min(missing, rest.dimension - 1))
        if not len(more[0]):
            break
        values = np.concatenate([values, more[0]])
        values, vectors = in_order((values, np.hstack([vectors, more[1]])))
        block = min(2 * block, 16)
    if counted is not None and 0 < counted - smaller <= rest.dimension:
        raise ConvergenceError(
            f"{counted - smaller} eigenvalues below {below:.6g} exist but were not found; use "
            "solver=Dense()"
        )
    return (values, vectors), None


def threshold(problem: Problem, values: FloatArray) -> float:
    """Give a value below the k-th eigenvalue that its copies do not fall below."""
    return float(values[problem.k - 1]) - max(_SAME, 2.0 * problem.tol) * problem.norm


def in_order(pairs: Pairs) -> Pairs:
    """Sort eigenpairs by their values."""
    order = np.argsort(pairs[0])
    return pairs[0][order], pairs[1][:, order]


def _all_below(problem: Problem, below: float) -> Pairs:
    """Find all eigenpairs below a value, from a basis of everything that is left."""
    if not problem.dimension:
        return np.empty(0), np.empty((problem.n, 0))
    basis = linalg.qr(problem.random(problem.dimension), mode="economic")[0]
    basis = problem.project(basis)
    H = basis.T @ problem.apply(basis)
    values, rotation = symmetric_eigenpairs((H + H.T) / 2)
    return values[values < below], basis @ rotation[:, values < below]


def excluded_by_base(
    problem: Problem, vectors: FloatArray, base: Base, kept: FirstPairs, below: float
) -> bool:
    r"""Whether the eigenvalues of A exclude that S has others below a value.

    With eigenpairs (a_i, v_i) of A, the first m of them and the next value a, every y has

        y^T A y  >=  a |y|^2 - sum_i (a - a_i) (v_i^T y)^2,

    and S is at least A - c. Off the vectors X that were found and Q, which adds what they lack of
    the v_i, little of these is left: S is at least `gap` above the value there. In Q itself S is
    known. With E = S Q off X and Q, nothing off X is left below if

        Q^T (S - below) Q - E^T E / gap     is positive definite.

    All but the last of the eigenpairs of A that are `kept` serve as v_i.
    """
    X = linalg.qr(vectors, mode="economic")[0]
    V = kept.vectors[:, :-1]
    more = V.shape[1] - X.shape[1]
    Q = linalg.svd(V - X @ (X.T @ V), full_matrices=False)[0][:, :more]
    gap = lowest_off(base, kept, np.hstack([X, Q])) - below
    return gap > 0.0 and _least(problem, X, Q, gap) > below + _SAME * problem.norm


def lowest_off(base: Base, kept: FirstPairs, U: FloatArray) -> float:
    """Bound S from below off U, which is close to as many of the first eigenvectors of A."""
    m = U.shape[1]
    V, values = kept.vectors[:, :m], kept.values
    error = float(np.linalg.norm(base.problem.apply(V) - V * values[:m]))
    next_ = float(values[m]) - error - 2.0 * KEPT * base.problem.norm
    C, D = U.T @ V, np.sqrt(np.maximum(next_ - values[:m], 0.0))
    outside = float(symmetric_eigenpairs((np.eye(m) - C.T @ C) * D * D[:, None])[0][-1])
    return base.scale * (next_ - max(outside, 0.0) - error) - base.c


def _least(problem: Problem, X: FloatArray, Q: FloatArray, gap: float) -> float:
    """Find the smallest eigenvalue of Q^T S Q - E^T E / gap, with E = S Q off X and Q."""
    if not Q.shape[1]:
        return np.inf
    U, W = np.hstack([X, Q]), problem.apply(Q)
    E = W - U @ (U.T @ W)
    H = Q.T @ W - E.T @ E / gap
    return float(symmetric_eigenpairs((H + H.T) / 2)[0][0])


def orthonormal(problem: Problem, vectors: FloatArray) -> FloatArray:
    """Find an orthonormal basis of what an iteration found, off the kernel."""
    basis, R = linalg.qr(problem.project(vectors), mode="economic")
    if not abs(R.diagonal()).min(initial=np.inf) > 1e-4:
        raise ConvergenceError("an eigenvector was found twice; use solver=Dense()")
    return basis


def pairs_and_residuals(
    problem: Problem, pairs: Pairs, exact: bool
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Give eigenvalues, D-orthonormal vectors u and ||S u - lambda D u||, the kernel first.

    From one product with orthonormal vectors, whose error is far below the tolerance. Unless they
    are `exact`, as those of a dense solver, the Ritz vectors of their space are taken: on repeated
    eigenvalues an iteration may be less strict. Also the largest residual of the scaled problem,
    relative to its norm: what `tol` is about.
    """
    root, norm = problem.root, problem.norm
    error = 0.02 * problem.tol * norm * float(root.min(initial=np.inf))
    u = pairs[1] / root[:, None]
    inverse = None if exact else problem.inverse
    if inverse is None:
        image = problem.operator.apply(u, error)
    else:
        image = inverse.of_eigenvectors(u, pairs[0], error)
    if not exact:
        first = problem.n_kernel
        H = u[:, first:].T @ image[:, first:]
        rotation = symmetric_eigenpairs((H + H.T) / 2)[1]  # vectors have no scale
        u = np.hstack([u[:, :first], u[:, first:] @ rotation])
        image = np.hstack([image[:, :first], image[:, first:] @ rotation])
    values = np.einsum("ij,ij->j", u, image)
    values[: problem.n_kernel] = 0.0
    # What is at least zero is not below it, whatever the products say.
    known = problem.tol if problem.operator.definite and not problem.largest else 1e-13
    values[(values < 0) & (values > -known * norm)] = 0.0
    residual = image - root[:, None] ** 2 * u * values
    residuals = np.linalg.norm(residual, axis=0)
    scaled = residuals if problem.unit_mass else np.linalg.norm(residual / root[:, None], axis=0)
    return values, u, residuals, float(scaled.max(initial=0.0)) / norm
