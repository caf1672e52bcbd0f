r"""Why a spectrum can be trusted: nothing is missed, vectors are orthonormal, residuals are small.

Nothing is missed: where a factorization is at hand, Sylvester's law of inertia counts the
eigenvalues below the last one; where none is, what the vectors leave is searched from a random
block until nothing smaller turns up. Residuals

    || S u - lambda D u ||  <=  tol * norm

come from products whose error is bounded, and far smaller.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from scipy import linalg

from cellapse._errors import ConvergenceError, SizeError
from cellapse._linalg.blas import symmetric_eigenpairs
from cellapse._linalg.eigen.problem import Problem
from cellapse._linalg.symmetric import Lowest, Pairs
from cellapse._shared.arrays import FloatArray

Search = Callable[[Problem, float, int], Pairs]  # what is left, a value, how many -> those below it

_SAME = 1e-9  # relative to the norm: eigenvalues closer than this are the same
KEPT = 1e-8  # relative to the norm: what eigenpairs that are kept are known to
_BESIDE = 4  # eigenvectors of A beside those of S that tell whether one is missed
_FEW = 20  # dimensions that are left: all of them at once, as an iteration has no room


def nothing_missed(
    problem: Problem, pairs: Pairs, search: Search, count: Callable[[float], int | None] | None
) -> tuple[FloatArray, bool | None]:
    """The vectors of the k smallest eigenpairs in order, once no smaller one is left.

    More pairs may be given, and come back: what is left to search is smaller then. Also whether
    that is certain: `count` tells how many there are below a value. A number that cannot be is no
    certificate; then, and where there is no count, what is left is searched.
    """
    values, vectors = _in_order(*pairs)
    block, counted = 1, None  # how many are looked for at once
    for attempt in itertools.count(1):  # any seed but 0, which the first start had
        below = float(values[problem.k - 1]) - max(_SAME, 2.0 * problem.tol) * problem.norm
        smaller = int((values < below).sum())
        certain = _follows_from_plain(problem, vectors[:, : problem.k], below)
        if certain is not None:
            return vectors, certain or None
        counted = None if count is None else count(below)
        if counted == smaller:
            return vectors, True
        rest = problem.without(vectors, attempt)
        missing = counted - smaller if counted is not None and counted > smaller else block
        if rest.room <= _FEW:
            more, extra = _all_below(rest, below)
        else:
            more, extra = search(rest, below, min(missing, rest.room - 1))
        if not len(more):
            break
        values, vectors = _in_order(np.concatenate([values, more]), np.hstack([vectors, extra]))
        block = min(2 * block, 16)
    if counted is not None and 0 < counted - smaller <= rest.room:
        raise ConvergenceError(
            f"{counted - smaller} eigenvalues below {below:.6g} exist but were not found; use "
            "solver=Dense()"
        )
    return vectors, None


def _in_order(values: FloatArray, vectors: FloatArray) -> Pairs:
    order = np.argsort(values)
    return values[order], vectors[:, order]


def _all_below(problem: Problem, below: float) -> Pairs:
    """All eigenpairs below a value, from a basis of everything that is left."""
    if not problem.room:
        return np.empty(0), np.empty((problem.n, 0))
    basis = linalg.qr(problem.start(problem.room), mode="economic")[0]
    basis = problem.project(basis)
    H = basis.T @ problem.apply(basis)
    values, rotation = symmetric_eigenpairs((H + H.T) / 2)
    return values[values < below], basis @ rotation[:, values < below]


def _follows_from_plain(problem: Problem, vectors: FloatArray, below: float) -> bool | None:
    r"""Whether it is certain that nothing of S is left below a value, by the eigenvalues of A.

    With eigenpairs (a_i, v_i) of A, the first m of them and the next value a, every y has

        y^T A y  >=  a |y|^2 - sum_i (a - a_i) (v_i^T y)^2,

    and S is at least A - drop. Off the vectors X that were found and Q, which adds what they lack
    of the v_i, little of these is left: S is at least `gap` above the value there. In Q itself S is
    known. With E = S Q off X and Q, nothing off X is left below if

        Q^T (S - below) Q - E^T E / gap     is positive definite.

    False where the eigenvalues of A were searched for, but not counted; None where they leave room
    for more of S.
    """
    plain, room = problem.lowered or problem.plain, problem.room - problem.k - 1
    if plain is None or room < 0 or not problem.operator.definite:
        return None
    X = linalg.qr(vectors, mode="economic")[0]
    for more in (0, min(_BESIDE, room)):  # nothing beside is no product
        kept = _first_of(plain, problem.k + more + 1)
        if kept is None:
            return None
        V = kept.vectors[:, : problem.k + more]
        Q = linalg.svd(V - X @ (X.T @ V), full_matrices=False)[0][:, :more]
        gap = _gap(problem, plain, kept, np.hstack([X, Q])) - below
        if gap > 0.0 and _least(problem, X, Q, gap) > below + _SAME * problem.norm:
            return kept.certain
        if _highest(problem, plain, kept) <= below:  # more of them would not do
            break
    return None


def _highest(problem: Problem, plain: Problem, kept: Lowest) -> float:
    """What S is at least off eigenvectors of A beyond those that are kept, at best."""
    V = kept.beyond
    if not V.shape[1]:
        return np.inf
    value = float(np.einsum("ij,ij->j", V, plain.apply(V)).max())
    return _scale(problem) * value - _drop(problem, plain)


def _drop(problem: Problem, plain: Problem) -> float:
    """How far S may be below A, in the scaled problem; not at all below A - drop."""
    if plain is problem.lowered:
        return 0.0
    assert problem.operator.deficit is not None
    return problem.operator.deficit.c / float((problem.root**2).min(initial=np.inf))


def _scale(problem: Problem) -> float:
    assert problem.operator.deficit is not None
    return problem.operator.deficit.scale


def _gap(problem: Problem, plain: Problem, kept: Lowest, U: FloatArray) -> float:
    """What S is at least off U, which is next to as many of the first eigenvectors of A."""
    m = U.shape[1]
    V, values = kept.vectors[:, :m], kept.values
    error = float(np.linalg.norm(plain.apply(V) - V * values[:m]))
    next_ = float(values[m]) - error - 2.0 * KEPT * plain.norm
    C, D = U.T @ V, np.sqrt(np.maximum(next_ - values[:m], 0.0))
    left = float(symmetric_eigenpairs((np.eye(m) - C.T @ C) * D * D[:, None])[0][-1])
    return _scale(problem) * (next_ - max(left, 0.0) - error) - _drop(problem, plain)


def _least(problem: Problem, X: FloatArray, Q: FloatArray, gap: float) -> float:
    """The smallest eigenvalue of Q^T S Q - E^T E / gap, with E = S Q off X and Q."""
    if not Q.shape[1]:
        return np.inf
    U, W = np.hstack([X, Q]), problem.apply(Q)
    E = W - U @ (U.T @ W)
    H = Q.T @ W - E.T @ E / gap
    return float(symmetric_eigenpairs((H + H.T) / 2)[0][0])


def _first_of(plain: Problem, k: int) -> Lowest | None:
    """The first eigenpairs of A, where they are kept and can be found."""
    try:
        return plain.lowest(k)
    except (ConvergenceError, SizeError):
        return None


def orthonormal(problem: Problem, vectors: FloatArray) -> FloatArray:
    """An orthonormal basis of what an iteration found, off the kernel."""
    basis, R = linalg.qr(problem.project(vectors), mode="economic")
    if not abs(R.diagonal()).min(initial=np.inf) > 1e-4:
        raise ConvergenceError("an eigenvector was found twice; use solver=Dense()")
    return basis


def pairs_and_residuals(
    problem: Problem, vectors: FloatArray, exact: bool
) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Eigenvalues, D-orthonormal vectors u and ||S u - lambda D u||, the kernel first.

    From one product with orthonormal vectors, whose error is far below the tolerance. Unless they
    are `exact`, as those of a dense solver, the Ritz vectors of their space are taken: on repeated
    eigenvalues an iteration may be less strict. Also the largest residual of the scaled problem,
    relative to its norm: what `tol` is about.
    """
    root, norm = problem.root, problem.norm
    error = 0.02 * problem.tol * norm * float(root.min(initial=np.inf))
    u = vectors / root[:, None]
    deficit = problem.operator.deficit if problem.unit_mass and not exact else None
    inverse = None if deficit is None else deficit.inverse
    apply = problem.operator.apply if inverse is None else inverse.of_eigenvectors
    image = apply(u, error)
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
    left = image - root[:, None] ** 2 * u * values
    residuals = np.linalg.norm(left, axis=0)
    scaled = residuals if problem.unit_mass else np.linalg.norm(left / root[:, None], axis=0)
    return values, u, residuals, float(scaled.max(initial=0.0)) / norm
