r"""Conjugate gradients that know how far they are from the solution.

For H x = b, preconditioned by P, with e the error and z = P^-1 r the preconditioned residual,

    e^T H e = r^T H^-1 r <= g_j z^T r,    g_0 = 1 / lower,
    g_{j+1} = (g_j - step_j) / (lower (g_j - step_j) + turn_{j+1})

is the bound of Gauss and Radau: it needs a number below the eigenvalues of P^-1 H, and costs
nothing. Neither the residual nor the preconditioned residual is such a bound. Where no such number
is known, the smallest Ritz value of P^-1 H, which the iteration brings along, takes its place.

`CG(...)` is Algorithm 1 of the paper: conjugate gradients on C + eps I for every vector.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse import linalg as sparse_linalg
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from cellapse._errors import ConvergenceError
from cellapse._linalg.direct import Direct, Solve
from cellapse._shared.arrays import row_sum
from cellapse._shared.checks import share, whole_number

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

_PASSES = 6  # times that the residual is computed anew: rounding drifts away from the recursion
_DRIFT = 8 * 2.0**-53  # of one pass, over the smallest eigenvalue of P^-1 H
_MOST_DRIFT = 1e-3  # what was seen where that leaves nothing
_FIRST = 30.0  # the first pass stops at so many times the error wanted: the next one goes on


@dataclass(frozen=True)
class CG:
    """Conjugate gradients for a positive semi-definite matrix.

    Parameters
    ----------
    rtol : float
        Residual to reach, relative to the right-hand side.
    maxiter : int, optional
        Iterations allowed per right-hand side; ten times the size by default.

    >>> CG(rtol=1e-8).prepare(sparse.eye_array(2) * 4)(np.ones(2)).tolist()
    [0.25, 0.25]
    """

    rtol: float = 1e-12
    maxiter: int | None = None

    def __post_init__(self) -> None:
        share("rtol", self.rtol)
        if self.maxiter is not None:
            whole_number("maxiter", self.maxiter, 1)

    def prepare(self, matrix: Any) -> Solve:
        """Bind the matrix; every call iterates anew, column by column."""
        bound = sparse.csr_array(matrix)

        def solve(rhs: FloatArray) -> FloatArray:
            if rhs.ndim == 2:
                columns = [solve(rhs[:, j]) for j in range(rhs.shape[1])]
                return np.stack(columns, axis=1) if columns else np.zeros_like(rhs)
            size = float(np.linalg.norm(rhs))
            x, _ = sparse_linalg.cg(bound, rhs, rtol=self.rtol, atol=0.0, maxiter=self.maxiter)
            # SciPy looks at the residual of its recursion: here is the true one.
            residual = float(np.linalg.norm(rhs - bound @ x)) / size if size else 0.0
            if not residual <= 2.0 * self.rtol:
                raise ConvergenceError(
                    f"conjugate gradients stopped at a relative residual of {residual:.1e}, short "
                    f"of rtol={self.rtol:.0e}; raise eps, rtol or maxiter, or use solver=Direct()"
                )
            return x

        return solve


def conjugate_gradients(
    apply: Solve,
    rhs: FloatArray,
    precondition: Solve,
    tol: float | FloatArray,
    lower: float | None = None,
    maxiter: int = 2000,
    residual: Solve | None = None,
    null: float = 0.0,
) -> tuple[FloatArray, FloatArray]:
    """The solution of H x = b for all columns at once, and the error of each.

    The error is a bound of the energy norm (e^T H e)^{1/2}: where H >= I, of e itself. It starts
    from a residual that was computed anew, so rounding in the recursion does not hide in it.

    Parameters
    ----------
    apply, precondition : functions
        x -> H x and r -> P^-1 r; both symmetric and positive definite on the space of `rhs`.
    rhs : (n,) or (n, columns) array
    tol : float, or one for each column
        Error to reach.
    lower : float, optional
        A number below the eigenvalues of P^-1 H; with None the smallest Ritz value, halved.
    maxiter : int
        Steps of one pass.
    residual : function, optional
        x -> b - H x, with less rounding than by subtraction: x is then in extended precision.
    null : float
        Where P^-1 H is below this, it is taken for zero: the way does not lead there, and nothing
        there counts as an error. For H that may be singular.

    Returns
    -------
    x, error
        Where `error` is above `tol` the iteration did not arrive, and the caller decides.
    """
    b = rhs[:, None] if rhs.ndim == 1 else rhs
    tol = np.broadcast_to(np.asarray(tol, dtype=np.float64), b.shape[1:])

    def act(function: Solve, x: FloatArray) -> FloatArray:
        return function(x[:, 0])[:, None] if rhs.ndim == 1 else function(x)

    columns = b.shape[1]
    maxiter = min(maxiter, 50 * len(b) + 100)  # what takes longer gets nowhere
    bound = _Estimate(null, columns) if lower is None else _Bound(lower, columns)
    x = np.zeros(b.shape, np.float64 if residual is None else np.longdouble)
    r, error = b, np.full(columns, np.inf)
    for trial in range(_PASSES):
        goal = tol * (_FIRST if trial == 0 else 1.0)
        bound.begin()
        step, rz, fallen = _one_pass(
            lambda x: act(apply, x),
            r,
            lambda x: act(precondition, x),
            lambda _, rz, goal=goal: bound.within(rz, goal),  # type: ignore[misc]
            maxiter,
            null,
            bound.advance,
        )
        now = bound.error(rz)
        # The residual that is carried along drifts from the true one by a share of what the pass
        # began with, which is known when it ends: (e^T H e) falls by step * r^T z in every step.
        began = np.sqrt(fallen + now**2)
        now = np.maximum(now, np.minimum(_DRIFT / bound.least(), _MOST_DRIFT) * began)
        better = now < error  # at the last digit a pass may do harm: then it is not taken
        gained = bool((now < 0.5 * error).any())
        x = x + np.where(better, step, 0.0)
        if trial:  # what the first pass says of itself is no evidence: it began far away
            error = np.where(better, now, error)
        if trial and (bool((error <= tol).all()) or not gained):
            break
        r = b - act(apply, x) if residual is None else act(residual, x).astype(np.float64)
    return (x[:, 0] if rhs.ndim == 1 else x), error


def rough_solution(apply: Solve, rhs: FloatArray) -> FloatArray:
    """H x = b to two hundredths of the residual, as far as H is definite, for all columns at once.

    Good enough to correct something that is checked elsewhere.
    """
    goal = 0.02 * np.linalg.norm(rhs, axis=0)
    near = _one_pass(apply, rhs, lambda r: r, lambda r, _: np.linalg.norm(r, axis=0) <= goal, 150)
    return near[0]


def _one_pass(
    apply: Solve,
    rhs: FloatArray,
    precondition: Solve,
    within: Callable[[FloatArray, FloatArray], BoolArray],
    maxiter: int,
    null: float = 0.0,
    advance: Callable[[FloatArray, FloatArray, BoolArray], None] = lambda *_: None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Conjugate gradients on columns, each until it is within its goal.

    Returns x, r^T P^-1 r, and by how much the energy of the error has fallen.
    """
    r, x = rhs, np.zeros_like(rhs)
    z = precondition(r)
    p, rz = z, _dots(r, z)
    size, gained = rz, np.zeros_like(rz)  # the first is p^T P p
    stuck = np.zeros(rhs.shape[1], dtype=bool)  # H or P is not definite there, to rounding
    for _ in range(maxiter):
        done = within(r, rz) | stuck
        if done.all():
            break
        q = apply(p)
        pq = _dots(p, q)
        stuck |= ~done & ~((pq > null * size) & (rz > 0))
        # Columns that are done stay as they are: rounding would blow them up.
        live = ~(done | stuck)
        step = np.where(live, rz / np.where(live, pq, 1.0), 0.0)
        x += step * p
        gained += step * rz
        r = r - step * q  # not in place: z and p may be the same array
        z = np.where(live, precondition(r), z)
        last, rz = rz, np.where(live, _dots(r, z), rz)
        turn = np.where(live, rz / np.where(live, last, 1.0), 0.0)
        p, size = z + turn * p, rz + turn**2 * size
        advance(step, turn, live)
    return x, rz, gained


class _Bound:
    """The bound of Gauss and Radau for every column: e^T H e <= factor * z^T r."""

    def __init__(self, lower: float, columns: int) -> None:
        self._lower = lower
        self._factor = np.full(columns, 1.0 / lower)

    def begin(self) -> None:
        """Start a pass from a new residual."""
        self._factor = np.full_like(self._factor, 1.0 / self._lower)

    def advance(self, step: FloatArray, turn: FloatArray, live: BoolArray) -> None:
        """Take one step of every live column into account."""
        rest = np.maximum(self._factor - step, 1e-14 * self._factor)  # positive but for rounding
        below = np.maximum(self._lower * rest + turn, 1e-300)
        self._factor = np.where(live, rest / below, self._factor)

    def least(self) -> FloatArray:
        """A number below the eigenvalues of P^-1 H, for every column."""
        return np.full_like(self._factor, self._lower)

    def error(self, rz: FloatArray) -> FloatArray:
        """The error of each column."""
        return np.sqrt(self._factor * np.abs(rz))

    def within(self, rz: FloatArray, tol: FloatArray) -> BoolArray:
        """Whether the error of each column is within its tolerance."""
        return self.error(rz) <= tol


class _Estimate:
    """In its place, where nothing bounds P^-1 H from below: one over the smallest Ritz value.

    The steps and turns of a column make a tridiagonal matrix, whose eigenvalues are Ritz values.
    They are halved, as they come from above, and remembered from pass to pass.
    """

    def __init__(self, null: float, columns: int) -> None:
        self._null = null
        self._smallest = np.full(columns, np.inf)
        self._steps: list[FloatArray] = []
        self._turns: list[FloatArray] = []

    def begin(self) -> None:
        """Start a pass from a new residual."""
        self._look(np.ones(len(self._smallest), dtype=bool))
        self._steps, self._turns = [], []

    def advance(self, step: FloatArray, turn: FloatArray, live: BoolArray) -> None:
        """Take one step of every live column into account."""
        self._steps.append(step)
        self._turns.append(turn)

    def least(self) -> FloatArray:
        """The smallest Ritz value of every column, 1 where there is none."""
        return np.where(np.isfinite(self._smallest), self._smallest, 1.0)

    def error(self, rz: FloatArray) -> FloatArray:
        """The error of each column; unknown before the first step."""
        self._look(rz != 0)
        known = np.isfinite(self._smallest)
        estimate = np.sqrt(2.0 * np.abs(rz) / np.where(known, self._smallest, 1.0))
        return np.where(rz == 0, 0.0, np.where(known, estimate, np.inf))

    def within(self, rz: FloatArray, tol: FloatArray) -> BoolArray:
        """Whether the error of each column is within its tolerance."""
        # Ritz values only fall: the last look is enough to see which columns are not there yet.
        near = 2.0 * np.abs(rz) <= tol**2 * np.minimum(self._smallest, 1.0)
        return near & (self.error(np.where(near, rz, 0.0)) <= tol)

    def _look(self, wanted: BoolArray) -> None:
        for j in np.flatnonzero(wanted):
            self._smallest[j] = min(self._smallest[j], self._smallest_ritz_value(int(j)))

    def _smallest_ritz_value(self, j: int) -> float:
        step = np.array([s[j] for s in self._steps if s[j] > 0])
        turn = np.array([t[j] for s, t in zip(self._steps, self._turns, strict=True) if s[j] > 0])
        if not len(step):
            return np.inf
        diagonal = 1.0 / step
        diagonal[1:] += turn[:-1] / step[:-1]
        beside = np.sqrt(turn[:-1]) / step[:-1]
        values = linalg.eigvalsh_tridiagonal(diagonal, beside) if len(beside) else diagonal
        counted = values[values > max(self._null, 1e-16 * float(values[-1]))]
        return float(counted[0]) if len(counted) else np.inf


def _dots(x: FloatArray, y: FloatArray) -> FloatArray:
    return np.einsum("ij,ij->j", x, y)


def preconditioner(matrix: sparse.csr_array) -> tuple[Solve, float]:
    """An approximate inverse of a diagonally dominant matrix, and a bound of what it inverts.

    Its diagonal; or, where heavy edges tie small groups of vertices together and the groups to each
    other only by light ones, a factor of the diagonal with the edges of a heaviest spanning forest:
    it has no fill-in, and follows the groups, which the diagonal would take hundreds of steps for.
    """
    diagonal = matrix.diagonal()
    edges = sparse.csr_array(abs(matrix - sparse.diags_array(diagonal)))
    edges.eliminate_zeros()
    lightest, heaviest = edges.data.min(initial=np.inf), edges.data.max(initial=0.0)
    if heaviest > 100.0 * lightest:
        heavy = edges.multiply(edges > np.sqrt(lightest * heaviest))
        groups, components = (connected_components(g, directed=False)[0] for g in (heavy, edges))
        if groups > 2 * components + 10:
            forest = minimum_spanning_tree(-edges).astype(bool)
            near = sparse.diags_array(diagonal) + matrix.multiply(forest + forest.T)
            return Direct().prepare(near), row_sum(near)
    inverse = 1.0 / diagonal
    return (
        lambda r: (inverse if r.ndim == 1 else inverse[:, None]) * r,
        float(diagonal.max(initial=0.0)),
    )
