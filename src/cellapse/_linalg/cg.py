r"""Conjugate gradients that know how far they are from the solution, by `error_bounds`.

`CG(...)` is Algorithm 1 of the paper: conjugate gradients on C + eps I for every vector.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import linalg as sparse_linalg

from cellapse._errors import ConvergenceError
from cellapse._linalg.blas import column_dots
from cellapse._linalg.error_bounds import Bound, ErrorBound, ErrorEstimate
from cellapse._linalg.factor import Solve
from cellapse._shared.arrays import BoolArray, FloatArray
from cellapse._shared.checks import share, whole_number

_PASSES = 6  # times that the residual is computed anew, where that still helps
_DRIFT = 8 * 2.0**-53  # of one pass, over the smallest eigenvalue of P^-1 H
_LOST = 1e40  # a residual that has grown so much leads nowhere
_MOST_DRIFT = 1e-3  # what was seen where that leaves nothing
ROUGH = 0.1  # the part of a right-hand side that a rough solution leaves
_FIRST = 30.0  # the first pass stops at so many times the error, the next goes on
_ROW = 2048  # numbers that are multiplied at once, if there are many
_LARGE = 2**14  # how many are many
_SURE = 1e-4  # with P^-1 H above this one pass is likely to be enough


@dataclass(frozen=True)
class CG:
    """Conjugate gradients for a positive semi-definite matrix.

    Parameters
    ----------
    rtol : float
        Residual to reach, relative to the right-hand side.
    max_steps : int, optional
        Iterations allowed per right-hand side; ten times the size by default.

    Examples
    --------
    >>> CG(rtol=1e-8).prepare(sparse.eye_array(2) * 4)(np.ones(2)).tolist()
    [0.25, 0.25]
    """

    rtol: float = 1e-12
    max_steps: int | None = None

    def __post_init__(self) -> None:
        share("rtol", self.rtol)
        if self.max_steps is not None:
            whole_number("max_steps", self.max_steps, 1)

    def prepare(self, matrix: Any) -> Solve:
        """Bind the matrix; every call iterates anew, column by column."""
        bound = sparse.csr_array(matrix)

        def solve(rhs: FloatArray) -> FloatArray:
            if rhs.ndim == 2:
                columns = [solve(rhs[:, j]) for j in range(rhs.shape[1])]
                return np.stack(columns, axis=1) if columns else np.zeros_like(rhs)
            size = float(np.linalg.norm(rhs))
            x, _ = sparse_linalg.cg(bound, rhs, rtol=self.rtol, atol=0.0, maxiter=self.max_steps)
            # SciPy looks at the residual of its recursion: here is the true one.
            residual = float(np.linalg.norm(rhs - bound @ x)) / size if size else 0.0
            if not residual <= 2.0 * self.rtol:
                raise ConvergenceError(
                    f"conjugate gradients stopped at a relative residual of {residual:.1e}, short "
                    f"of rtol={self.rtol:.0e}; raise eps, rtol or max_steps, or use solver=Direct()"
                )
            return x

        return solve


# Of entries over hundreds of orders numbers may leave their range: then no error is within `tol`.
@np.errstate(over="ignore", invalid="ignore")
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
        x -> b - H x, with less rounding than by subtraction; x is then summed in extended digits.
    null : float
        Where P^-1 H is below this, it is taken for zero: the way does not lead there, and nothing
        there counts as an error. For H that may be singular.

    Returns
    -------
    x, error
        Where `error` is above `tol` the iteration did not arrive, and the caller decides.
    """
    if rhs.ndim == 1:
        functions = (on_column(apply), rhs[:, None], on_column(precondition))
        anew = None if residual is None else on_column(residual)
        x, error = conjugate_gradients(*functions, tol, lower, maxiter, anew, null)
        return x[:, 0], error
    columns, anew = rhs.shape[1], residual or (lambda x: rhs - apply(x))
    tol = np.broadcast_to(np.asarray(tol, dtype=np.float64), (columns,))
    maxiter = min(maxiter, 50 * len(rhs) + 100)  # what takes longer gets nowhere
    bound = ErrorEstimate(null, columns) if lower is None else ErrorBound(lower, columns)
    x, r, error = np.zeros_like(rhs), rhs, np.full(columns, np.inf)
    first = 0.8 if lower is not None and lower > _SURE else _FIRST
    for trial in range(_PASSES):
        bound.begin()
        within = partial(_reached, bound, tol * (1.0 if trial else first))
        run = one_pass(apply, r, precondition, within, maxiter, null, bound.advance)
        now = _with_drift(bound, run)
        better = now < error  # at the last digit a pass may do harm: then it is not taken
        gained = bool((now < 0.5 * error).any())
        x = x + np.where(better, run.x, 0.0)
        if trial:  # what the first pass says of itself is no evidence: it began far away
            error = np.where(better, now, error)
        if trial and (bool((error <= tol).all()) or not gained):
            break
        r = anew(x).astype(np.float64, copy=False)
        if not trial and lower is not None:
            now = bound.error(run.rz) + _energy(r - run.r, precondition, lower)
            if bool((now <= tol).all()):
                return x, now
        x = x.astype(np.float64 if residual is None else np.longdouble, copy=False)
    return x, error


def _energy(drift: FloatArray, precondition: Solve, lower: float) -> FloatArray:
    """The energy of an error at most, for what it puts into the residual of each column."""
    return np.sqrt(np.abs(column_dots(drift, precondition(drift))) / lower)


def _reached(bound: Bound, goal: FloatArray, _: FloatArray, rz: FloatArray) -> BoolArray:
    return bound.within(rz, goal)


def _with_drift(bound: Bound, run: Pass) -> FloatArray:
    """The error at the end of a pass.

    The residual that is carried along drifts from the true one by a share of the error that the
    pass began with. That is known when it ends: e^T H e falls by step * r^T z in every step.
    """
    now = bound.error(run.rz)  # first: it looks at the Ritz values
    return np.maximum(now, np.minimum(_DRIFT / bound.least(), _MOST_DRIFT) * np.sqrt(run.fallen))


def on_column(function: Solve) -> Solve:
    """A function of one vector, as one of a matrix with one column."""
    return lambda x: function(x[:, 0])[:, None]


def rough_solution(
    apply: Solve, rhs: FloatArray, precondition: Solve | None = None, left: float = ROUGH
) -> FloatArray:
    """H x = b but for what is `left` of b, as far as H is definite, for all columns at once.

    Good enough to correct something that is checked elsewhere.
    """
    near = (lambda r: r) if precondition is None else precondition
    goal = left**2 * np.abs(column_dots(rhs, near(rhs)))  # the result is checked elsewhere
    steps = 70  # the result is checked elsewhere
    return one_pass(apply, rhs, near, lambda _, rz: rz <= goal, steps).x


class Pass(NamedTuple):
    """What conjugate gradients end with, per column.

    Attributes
    ----------
    x, r : (n, columns) arrays
        The solution, and the residual that was carried along.
    rz : array
        r^T P^-1 r.
    fallen : array
        By how much the energy of the error has fallen.
    """

    x: FloatArray
    r: FloatArray
    rz: FloatArray
    fallen: FloatArray


def one_pass(
    apply: Solve,
    rhs: FloatArray,
    precondition: Solve,
    within: Callable[[FloatArray, FloatArray], BoolArray],
    maxiter: int,
    null: float = 0.0,
    advance: Callable[[FloatArray, FloatArray, BoolArray], None] = lambda *_: None,
) -> Pass:
    """Conjugate gradients on columns, each until it is within its goal."""
    r = np.array(rhs, order="C")
    x, buffer = np.zeros_like(r), np.empty_like(r)
    z = precondition(r)
    p = np.array(z, order="C")  # a copy: z may be r, and all of them change in place
    rz = column_dots(r, z)
    size, fallen, first = rz, np.zeros_like(rz), rz  # the first is p^T P p
    stuck = np.zeros(rhs.shape[1], dtype=bool)  # H or P is not definite there, to rounding
    for _ in range(maxiter):
        done = within(r, rz) | stuck
        if done.all():
            break
        q = apply(p)
        pq = column_dots(p, q, buffer)
        stuck |= ~done & ~((pq > null * size) & (rz > 0))
        # Columns that are done stay as they are: rounding would blow them up.
        live = ~(done | stuck)
        step = np.where(live, rz / np.where(live, pq, 1.0), 0.0)
        x += scaled(p, step, buffer)
        r -= scaled(q, step, buffer)
        fallen += step * rz
        z = precondition(r) if live.all() else np.where(live, precondition(r), z)
        last, rz = rz, np.where(live, column_dots(r, z, buffer), rz)
        stuck |= rz > _LOST * first
        live &= ~stuck
        turn = np.where(live, rz / np.where(live, last, 1.0), 0.0)
        p = np.add(scaled(p, turn, p), z, out=p)
        size = rz + turn**2 * size
        advance(step, turn, live)
    return Pass(x, r, rz, fallen)


def scaled(x: FloatArray, factors: FloatArray, out: FloatArray) -> FloatArray:
    """x with a factor for each column; `out` has its rows one after the other."""
    factors = factors.astype(x.dtype, copy=False)
    if x.size < _LARGE:
        return np.multiply(x, factors, out=out)
    # Several rows as one long one, as NumPy takes its time over each of a few numbers
    rows = max(_ROW // len(factors), 1)
    whole, shape = len(x) // rows * rows, (len(x) // rows, rows * len(factors))
    np.multiply(x[:whole].reshape(shape), np.tile(factors, rows), out=out[:whole].reshape(shape))
    np.multiply(x[whole:], factors, out=out[whole:])
    return out
