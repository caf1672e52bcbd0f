r"""The values of eliminated cells that minimize the energy, and how well they are known.

With H = M + beta B^T B of `relaxation`,

    z = gamma w,    H w = B^T x,

and at eps = 0 the limit of that: of all minimizers the shortest. Values are given out only where
their error is within a millionth of them. Where cells are held in place by eps alone, that asks
more than a small residual: the entries of B and M are rounded, and what that puts into the kernel
of C comes back divided by eps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from cellapse._collapse.ladder import AIM, Ladder, lost
from cellapse._collapse.relaxation import Relaxation
from cellapse._collapse.zeros import nullity
from cellapse._errors import ConvergenceError
from cellapse._linalg.sigma import sigma_min, smallest_positive_eigenvalue
from cellapse._shared.arrays import FloatArray

_LIMIT = 1e-6  # an error beyond this, relative to the values, is not given out
_UNIFORM_FLOOR = 1e-5  # added to H at eps = 0, where the shortest values are asked for
_UNIT = 2.0**-53
_TRIES = 4
_SMALL_BLUR = 1e-7  # what rounding of the data may move values by, before anybody looks closer


class Masses(NamedTuple):
    """What is known of a diagonal M besides its entries.

    Attributes
    ----------
    growth : (m,) array
        How fast each mass grows with eps: the squared length of the values behind a value of one.
    blur : (m,) array
        How far rounding may have moved it.
    """

    growth: FloatArray
    blur: FloatArray


def completed(ladder: Ladder, x: FloatArray, masses: Masses | None = None) -> FloatArray:
    """The eliminated values that minimize the energy, nearest rank first."""
    x = ladder.fixed.off(x)
    asked = np.linalg.norm(ladder.B.T @ x, axis=0) > 0
    if ladder.c == 0.0 or not asked.any():
        return np.zeros((ladder.M.shape[0], *x.shape[1:]))
    quick = _by_iteration(ladder, x)
    if quick is not None:
        return ladder.gamma * quick
    relaxation, least, rounding = ladder.relaxation, ladder.eps, 0.0
    if ladder.eps == 0.0:
        relaxation, least, rounding = _shortest(ladder, masses)
    goal = AIM * relaxation.energy_of(relaxation.B.T @ x)
    if not ladder.definite:
        return ladder.gamma * relaxation.refine(x)[0].astype(np.float64)
    w, energy = relaxation.relax(x, goal)
    size = np.maximum(np.linalg.norm(w, axis=0), 1e-300)
    error = energy / np.sqrt(least) / size + rounding
    if ladder.eps > 0.0:
        error = error + blurred(relaxation, x, w, None if masses is None else masses.blur) / size
    worst = float(np.max(np.where(asked, error, 0.0)))
    if not worst <= _LIMIT:
        raise lost(ladder, worst, "|z|")
    return ladder.gamma * w.astype(np.float64)


def blurred(
    relaxation: Relaxation, x: FloatArray, w: FloatArray, blur: FloatArray | None
) -> FloatArray:
    """How far w moves, in every column, when the entries of B and M move in their last digit.

    They are roots and sums that were rounded: no w can be better known than that. As if all
    of it went where H is smallest; where that is too much, twice the farthest of a few random
    moves. `blur` is how well a diagonal M is known, where cancellation left less of it.
    """
    w, B, M, beta = w.astype(np.float64), relaxation.B, relaxation.M, relaxation.beta
    moved = abs(M) @ np.abs(w) if blur is None else (np.abs(w).T * (blur / _UNIT)).T
    if (B.data != np.rint(B.data)).any():  # whole numbers are exact
        moved = moved + abs(B).T @ np.abs(x - beta * (B @ w))
        moved = moved + beta * (abs(B).T @ (abs(B) @ np.abs(w)))
    moved *= 2.0 * _UNIT
    worst = np.atleast_1d(np.linalg.norm(moved, axis=0)) / relaxation.eps
    if (worst <= _SMALL_BLUR * np.linalg.norm(w, axis=0)).all():
        return worst
    tries = np.random.default_rng(0).standard_normal((len(w), 1, _TRIES))
    moves = (moved.reshape(len(w), -1, 1) * tries).reshape(len(w), -1)
    e, _ = relaxation.solve(moves, 1e-2 * relaxation.energy_of(moves))
    farthest = np.linalg.norm(e, axis=0).reshape(-1, _TRIES).max(axis=1)
    return np.minimum(worst, 2.0 * farthest)


def _by_iteration(ladder: Ladder, x: FloatArray) -> FloatArray | None:
    """From K^-1 x where that is found by iterations, or None where it does not tell enough."""
    if ladder.eps == 0.0 or not ladder.iterative:
        return None
    relaxation = ladder.relaxation
    assert relaxation.raised.reduced is not None
    size = np.atleast_1d(np.linalg.norm(x, axis=0))
    v = ladder.inverse_by_iteration(x, AIM * size / ladder.near.least)  # v may be that small
    if v is None:
        return None
    w = relaxation.raised.reduced[1] @ (ladder.B.T @ v)
    left = np.linalg.norm(relaxation.residual(x, w.astype(np.longdouble)), axis=0)
    error = left / ladder.eps  # H >= eps
    return w if bool((error <= _LIMIT * np.linalg.norm(w, axis=0)).all()) else None


def _shortest(ladder: Ladder, masses: Masses | None) -> tuple[Relaxation, float, float]:
    """At eps = 0: what finds the shortest minimizer, the smallest eigenvalue of H, its rounding."""
    least, largest = _least_energy(ladder), ladder.relaxation.largest
    rounding = (
        4 * _UNIT * largest / max(least, 1e-300)
    )  # the energy does not see what it puts into a kernel
    if not rounding <= _LIMIT:
        raise lost(ladder, rounding, "|z|")
    growth = np.ones(ladder.M.shape[0]) if masses is None else masses.growth
    # A thousandth of the floor is taken for zero: less than the smallest that is not.
    floor = min(_UNIFORM_FLOOR * largest, 100.0 * least)
    return ladder.relaxing(floor * growth / growth.max(initial=1.0)), least, rounding


def _least_energy(ladder: Ladder) -> float:
    """The smallest positive eigenvalue of H at eps = 0."""
    beta, B, M, above = ladder.beta, ladder.B, ladder.M, ladder.above
    if above is None:  # M is diagonal, and H a square
        root = sparse.vstack([np.sqrt(beta) * B, sparse.diags_array(np.sqrt(M.diagonal()))])
        return sigma_min(sparse.csr_array(root)) ** 2
    nearest = B[:, : above.incidence.n_cells[0]]
    zeros = nullity([nearest, *above.incidence], [beta, *above.beta], [ladder.gamma, *above.gamma])
    try:
        return smallest_positive_eigenvalue(sparse.csr_array(M + beta * (B.T @ B)), zeros)
    except ConvergenceError:
        raise lost(ladder, np.inf, "|z|") from None
