r"""The values of eliminated cells that minimize the energy, and how well they are known.

With H = M + beta B^T B of `eliminated`,

    z = gamma w,    H w = B^T x,

and at eps = 0 the limit of that: of all minimizers the shortest. Values are given out only if
their error is within a millionth of them. The entries of B and M are rounded, and what that puts
into the kernel of C comes back divided by eps.

`nullity` is the dimension of that kernel. With y = z_{k-1} and z = z_k on the eliminated ranks,
nearest first, the energy of C is beta_1 |B_1 z_1|^2 and for every further matrix

    beta |B^T y|^2 + beta |B z|^2 - 2 gamma y^T B z
        = sum_i (beta sigma_i - gamma) sigma_i (a_i^2 + b_i^2) + gamma sigma_i (a_i - b_i)^2

with a_i = u_i^T y and b_i = v_i^T z in the singular vectors of B. It is zero where all a_i and b_i
are; but for gamma = beta sigma_i, at its bound, where they are the same. How many of these
conditions are independent does not depend on the size of weights, as the eigenvalues of C do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from cellapse._collapse.eliminated import EliminatedSystem, Level
from cellapse._errors import ConvergenceError
from cellapse._linalg.sigma import rank_of, sigma_min, smallest_positive_eigenvalue
from cellapse._shared.arrays import ROUNDOFF, FloatArray

_AIM = 1e-14  # of the energy of the values: the error that is gone for
_LIMIT = 1e-6  # an error beyond this, relative to the values, is not given out
_UNIFORM_FLOOR = 1e-5  # added to H at eps = 0, where the shortest values are asked for
_TRIES = 4
_SMALL_MOVE = 1e-7  # what rounding of the data may move values by, before anybody looks closer
_DENSE = 400  # up to so many cells the conditions of the kernel are written down
_WIDE = 1e3  # entries that differ by more than this have eigenvalues that look like zero
_AT_BOUND = 1e-9  # of gamma: how close it is to its bound
# Conditions that differ by less are the same one. Where rounding leaves more of two that are the
# same, an eigenvalue of the size of rounding is taken for positive: that is noticed, and refused.
_SAME = 1e-12


class MassErrors(NamedTuple):
    """What is known of a diagonal M besides its entries."""

    growth: FloatArray  # of each mass with eps: the squared length of the values behind a value 1
    rounding: FloatArray  # how far rounding may have moved it


def completed(
    system: EliminatedSystem, x: FloatArray, masses: MassErrors | None = None
) -> FloatArray:
    """Find the eliminated values that minimize the energy of x, nearest rank first."""
    level = system.level
    asked = np.linalg.norm(system.B.T @ x, axis=0) > 0
    if level.c == 0.0 or not asked.any():
        return np.zeros((system.M.shape[0], *x.shape[1:]))
    least, rounding = level.eps, 0.0
    if level.eps == 0.0:
        system, least, rounding = _shortest(system, masses)
    goal = _AIM * system.energy_of(system.B.T @ x)
    if not level.definite:
        return level.gamma * system.refine(x)[0].astype(np.float64)
    w, energy = system.values(x, goal)
    size = np.maximum(np.linalg.norm(w, axis=0), 1e-300)
    error = energy / np.sqrt(least) / size + rounding
    if level.eps > 0.0:
        error = error + moved_by_rounding(system, x, w, masses) / size
    worst = float(np.max(np.where(asked, error, 0.0)))
    if not worst <= _LIMIT:
        raise level.lost(worst, "|z|")
    return level.gamma * w.astype(np.float64)


def completed_by(system: EliminatedSystem, x: FloatArray, v: FloatArray) -> FloatArray | None:
    """Find the same from v = K^-1 x; None where its error, divided by eps, is too large."""
    assert system.reduced is not None
    w = system.reduced[1] @ (system.B.T @ v)
    left = np.linalg.norm(system.residual(x, w.astype(np.longdouble)), axis=0)
    error = left / system.eps  # H >= eps
    accurate = (error <= _LIMIT * np.linalg.norm(w, axis=0)).all()
    return system.level.gamma * w if accurate else None


def moved_by_rounding(
    system: EliminatedSystem, x: FloatArray, w: FloatArray, masses: MassErrors | None
) -> FloatArray:
    """Bound how far w moves, per column, when the entries of B and M move in their last digit.

    A worst-case bound by the smallest eigenvalue of H; where that is too much, twice the largest
    of a few random perturbations. `masses` say how well a diagonal M is known.
    """
    w, B, M, beta = w.astype(np.float64), system.B, system.M, system.beta
    size = abs(M) @ np.abs(w) if masses is None else (np.abs(w).T * (masses.rounding / ROUNDOFF)).T
    if (B.data != np.rint(B.data)).any():  # whole numbers are exact
        size = size + abs(B).T @ np.abs(x - beta * (B @ w))
        size = size + beta * (abs(B).T @ (abs(B) @ np.abs(w)))
    size *= 2.0 * ROUNDOFF
    worst = np.atleast_1d(np.linalg.norm(size, axis=0)) / system.eps
    if (worst <= _SMALL_MOVE * np.linalg.norm(w, axis=0)).all():
        return worst
    tries = np.random.default_rng(0).standard_normal((len(w), 1, _TRIES))
    moves = (size.reshape(len(w), -1, 1) * tries).reshape(len(w), -1)
    e, _ = system.solve(moves, 1e-2 * system.energy_of(moves))
    farthest = np.linalg.norm(e, axis=0).reshape(-1, _TRIES).max(axis=1)
    return np.minimum(worst, 2.0 * farthest)


def _shortest(
    system: EliminatedSystem, masses: MassErrors | None
) -> tuple[EliminatedSystem, float, float]:
    """Give, at eps = 0, the system of the shortest minimizer, the least energy and its rounding."""
    least, largest = _least_energy(system.level), system.largest
    # The energy does not see what rounding puts into a kernel.
    rounding = 4 * ROUNDOFF * largest / max(least, 1e-300)
    if not rounding <= _LIMIT:
        raise system.level.lost(rounding, "|z|")
    growth = np.ones(system.M.shape[0]) if masses is None else masses.growth
    # A thousandth of the floor is taken for zero: less than the smallest that is not.
    floor = min(_UNIFORM_FLOOR * largest, 100.0 * least) * growth / growth.max(initial=1.0)
    return EliminatedSystem(system.level, floor, system.solver), least, rounding


def _least_energy(level: Level) -> float:
    """Find the smallest positive eigenvalue of H at eps = 0."""
    beta, B, M, graded = level.beta, level.B, level.M, level.graded
    if graded is None:  # M is diagonal, and H a square
        root = sparse.vstack([np.sqrt(beta) * B, sparse.diags_array(np.sqrt(M.diagonal()))])
        return sigma_min(sparse.csr_array(root)) ** 2
    matrices, gamma = [level.chain.nearest, *graded.incidence], [level.gamma, *graded.gamma]
    zeros = nullity(matrices, [beta, *graded.beta], gamma)
    try:
        return smallest_positive_eigenvalue(sparse.csr_array(M + beta * (B.T @ B)), zeros)
    except ConvergenceError:
        raise level.lost(np.inf, "|z|") from None


def nullity(
    matrices: Sequence[sparse.csr_array],
    beta: Sequence[float] | FloatArray,
    gamma: Sequence[float] | FloatArray,
) -> int | None:
    """Count the zero eigenvalues of C, for matrices from the kept rank outwards.

    None where there are many cells and their weights are of one size: the eigenvalues tell.

    >>> edge = sparse.csr_array([[-1.0], [1.0]])
    >>> nullity([edge], [1.0], [1.0]), nullity([edge, edge.T], [1.0, 1.0], [1.0, 1.0])
    (0, 1)
    """
    cuts = np.cumsum([0, *(B.shape[1] for B in matrices)])
    if cuts[-1] > _DENSE:
        _check_sizes(matrices, beta)
        return None
    conditions = [np.zeros((1, cuts[-1]))]
    for k, (B, b, g) in enumerate(zip(matrices, beta, gamma, strict=True)):
        if b == 0.0 or not B.nnz:
            continue
        rank = rank_of(B)
        u, sigma, vt = np.linalg.svd(B.toarray(), full_matrices=False)
        here = np.zeros((rank, cuts[-1]))
        here[:, cuts[k] : cuts[k + 1]] = vt[:rank]
        if k:
            there = np.zeros_like(here)
            there[:, cuts[k - 1] : cuts[k]] = u.T[:rank]
            same = abs(g - b * sigma[:rank]) <= _AT_BOUND * g
            here[same] = np.sqrt(0.5) * (here[same] - there[same])
            conditions.append(there[~same])
        conditions.append(here)
    independent = np.linalg.svd(np.vstack(conditions), compute_uv=False) > _SAME
    return int(cuts[-1] - independent.sum())


def nullity_around(
    matrices: Sequence[sparse.csr_array], beta: FloatArray, gamma: FloatArray, onto: int
) -> int | None:
    """Return the nullity for all ranks but `onto`, those above it and those below."""
    below = [B.T.tocsr() for B in reversed(matrices[:onto])]
    up = nullity(matrices[onto:], beta[onto:], gamma[onto:])
    down = nullity(below, beta[:onto][::-1], gamma[:onto][::-1])
    return None if up is None or down is None else up + down


def _check_sizes(matrices: Sequence[sparse.csr_array], beta: Sequence[float] | FloatArray) -> None:
    """Refuse what neither the conditions nor the eigenvalues of C would tell."""
    for B, b in zip(matrices, beta, strict=True):
        size = abs(B.data)[B.data != 0.0] if b > 0.0 else np.ones(0)
        if size.max(initial=0.0) > _WIDE * size.min(initial=np.inf):
            raise ConvergenceError(
                f"the weights of cells differ so much (by {size.max() / size.min():.0e} in one "
                "matrix) that which of their values have no energy is not certain; "
                "give a positive eps, or rescale the weights of the cells"
            )
