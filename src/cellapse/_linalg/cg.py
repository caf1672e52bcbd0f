r"""Conjugate gradients that know how far they are from the solution.

With e the error and z = P^-1 r the preconditioned residual of H x = b,

    e^T H e = r^T H^-1 r <= g_j z^T r,    g_0 = 1 / lower,
    g_{j+1} = (g_j - step_j) / (lower (g_j - step_j) + turn_{j+1})

is the bound of Gauss and Radau (Golub and Meurant, Matrices, Moments and Quadrature, 2010): it
needs a number below the eigenvalues of P^-1 H, and costs nothing. `lower_bound` finds one from a
random start; without one, the smallest Ritz value of P^-1 H, which the iteration brings along,
takes its place. Neither the residual nor the preconditioned residual is such a bound.

`MixedPrecision` iterates in single precision, held to residuals in double. `CG(...)` is Algorithm 1
of the paper: conjugate gradients on C + eps I for every vector.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from cellapse._errors import ConvergenceError
from cellapse._linalg.blas import column_dots, times
from cellapse._linalg.factor import Solve
from cellapse._linalg.kernel import Projector, scaled_kernel
from cellapse._linalg.tuning import LONG_ROW
from cellapse._shared.arrays import BoolArray, Entries, FloatArray
from cellapse._shared.checks import share, whole_number

_PASSES = 6  # times that the residual is computed anew, where that still helps
_DRIFT = 8 * 2.0**-53  # of one pass, over the smallest eigenvalue of P^-1 H
_MOST_DRIFT = 1e-3  # what was seen where that leaves nothing
_LOST = 1e40  # a residual that has grown so much leads nowhere
_FIRST = 30.0  # without a bound a first pass stops at so many times the error, the next goes on
_ENOUGH = 0.8  # part of the error allowed, so that rounding does not ask for another pass
ROUGH = 0.1  # the part of a right-hand side that a rough solution leaves
# Of `lower_bound`: p, the parts of the smallest Ritz value that are tried, one that is good enough,
# the steps from one look to the next, and those after which nothing is worth more
_START, _SHARES, _GOOD_SHARE, _OFTEN, _MOST = 1e-9, np.arange(1, 20) / 20, 0.6, 3, 100
# Of `MixedPrecision`: rounds (then double precision goes on), what one gains at most, what it has
# to gain, and steps (more of them lose in single precision what they gain)
_ROUNDS, _GAIN, _MORE, _STEPS = 3, 1e-6, 0.1, 300


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
        """Bind the matrix; every call iterates anew."""
        bound = sparse.csr_array(matrix)
        steps = self.max_steps or 10 * bound.shape[0]

        def solve(rhs: FloatArray) -> FloatArray:
            if rhs.ndim == 1:
                return solve(rhs[:, None])[:, 0]
            size = np.linalg.norm(rhs, axis=0)

            def within(r: FloatArray, _: FloatArray) -> BoolArray:
                return np.linalg.norm(r, axis=0) <= self.rtol * size

            x = one_pass(bound.__matmul__, rhs, lambda r: r, within, steps).x
            # The residual that is carried along may drift: here is the true one.
            left = np.linalg.norm(rhs - bound @ x, axis=0)
            if not (left <= 2.0 * self.rtol * size).all():
                residual = float((left / np.maximum(size, 1e-300)).max())
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
    """Solve H x = b for all columns at once, and bound the error of each.

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
        functions = _on_column(apply), rhs[:, None], _on_column(precondition)
        anew = None if residual is None else _on_column(residual)
        x, error = conjugate_gradients(*functions, tol, lower, maxiter, anew, null)
        return x[:, 0], error
    columns, anew = rhs.shape[1], residual or (lambda x: rhs - apply(x))
    tol = np.broadcast_to(np.asarray(tol, dtype=np.float64), (columns,))
    maxiter = min(maxiter, 50 * len(rhs) + 100)  # what takes longer gets nowhere
    bound: Any = RitzEstimate(null, columns) if lower is None else GaussRadau(lower, columns)
    x, r, error = np.zeros_like(rhs), rhs, np.full(columns, np.inf)
    for trial in range(_PASSES):
        bound.begin()
        goal = tol * (1.0 if trial else _FIRST if lower is None else _ENOUGH)
        within = lambda _, rz, goal=goal: bound.within(rz, goal)  # noqa: E731
        run = one_pass(apply, r, precondition, within, maxiter, null, bound.advance)
        now = _with_drift(bound, run)
        better = now < error  # at the last digit a pass may do harm: then it is not taken
        gained = bool((now < 0.5 * error).any())
        x = x + np.where(better, run.x, 0.0)
        if trial:  # what the first pass says of itself is no evidence: it began far away
            error = np.where(better, now, error)
        if trial and ((error <= tol).all() or not gained):
            break
        r = anew(x).astype(np.float64, copy=False)
        if not trial and lower is not None:
            now = bound.error(run.rz) + _energy(r - run.r, precondition, lower)
            if (now <= tol).all():
                return x, now
        x = x.astype(np.float64 if residual is None else np.longdouble, copy=False)
    return x, error


def _energy(drift: FloatArray, precondition: Solve, lower: float) -> FloatArray:
    """Bound the energy of an error by what it puts into the residual of each column."""
    return np.sqrt(np.abs(column_dots(drift, precondition(drift))) / lower)


def _with_drift(bound: Any, run: Pass) -> FloatArray:
    """Bound the error at the end of a pass.

    The residual that is carried along drifts from the true one by a share of the error that the
    pass began with. That is known when it ends: e^T H e falls by step * r^T z in every step.
    """
    now = bound.error(run.rz)  # first: it looks at the Ritz values
    return np.maximum(now, np.minimum(_DRIFT / bound.least(), _MOST_DRIFT) * np.sqrt(run.fallen))


def _on_column(function: Solve) -> Solve:
    """Make a function of one vector one of a matrix with one column."""
    return lambda x: function(x[:, 0])[:, None]


def rough_solution(
    apply: Solve, rhs: FloatArray, precondition: Solve | None = None, left: float = ROUGH
) -> FloatArray:
    """Solve H x = b but for what is `left` of b, as far as H is definite, for all columns at once.

    Good enough to correct something that is checked elsewhere.
    """
    inverse = (lambda r: r) if precondition is None else precondition
    goal = left**2 * np.abs(column_dots(rhs, inverse(rhs)))
    return one_pass(apply, rhs, inverse, lambda _, rz: rz <= goal, 70).x


class Pass(NamedTuple):
    """What conjugate gradients end with, per column.

    Attributes
    ----------
    x, r : (n, columns) arrays
        The solution, and the residual that was carried along.
    rz : array
        r^T P^-1 r.
    fallen : array
        By how much the energy e^T H e of the error has fallen.
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
    """Iterate on all columns, each until it is within its goal."""
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
    """Multiply every column of x by a factor; `out` has its rows one after the other."""
    factors = factors.astype(x.dtype, copy=False)
    # Several rows as one long one, as NumPy takes its time over each of a few numbers
    rows = max(LONG_ROW // max(len(factors), 1), 1)
    whole, shape = len(x) // rows * rows, (len(x) // rows, rows * len(factors))
    np.multiply(x[:whole].reshape(shape), np.tile(factors, rows), out=out[:whole].reshape(shape))
    np.multiply(x[whole:], factors, out=out[whole:])
    return out


class GaussRadau:
    """Bound the error of every column: e^T H e <= factor * z^T r."""

    def __init__(self, lower: float, columns: int) -> None:
        self._lower = lower
        self._factor = np.full(columns, 1.0 / lower)

    def begin(self) -> None:
        """Start a pass from a new residual."""
        self._factor[:] = 1.0 / self._lower

    def advance(self, step: FloatArray, turn: FloatArray, live: BoolArray) -> None:
        """Take one step of every live column into account."""
        rest = np.maximum(self._factor - step, 1e-14 * self._factor)  # positive but for rounding
        below = np.maximum(self._lower * rest + turn, 1e-300)
        self._factor = np.where(live, rest / below, self._factor)

    def least(self) -> FloatArray:
        """Give a number below the eigenvalues of P^-1 H, for every column."""
        return np.full_like(self._factor, self._lower)

    def error(self, rz: FloatArray) -> FloatArray:
        """Bound the error of each column."""
        return np.sqrt(self._factor * np.abs(rz))

    def within(self, rz: FloatArray, tol: FloatArray) -> BoolArray:
        """Whether the error of each column is within its tolerance."""
        return self.error(rz) <= tol


class RitzEstimate:
    """Estimate the error where nothing bounds P^-1 H from below, by the smallest Ritz value.

    It is halved, as it comes from above, and remembered from pass to pass.
    """

    def __init__(self, null: float, columns: int) -> None:
        self._null = null
        self._smallest = np.full(columns, np.inf)
        self._steps: list[FloatArray] = []
        self._turns: list[FloatArray] = []

    def begin(self) -> None:
        """Start a pass from a new residual."""
        self._update(np.ones(len(self._smallest), dtype=bool))
        self._steps, self._turns = [], []

    def advance(self, step: FloatArray, turn: FloatArray, live: BoolArray) -> None:
        """Take one step of every live column into account."""
        self._steps.append(step)
        self._turns.append(turn)

    def least(self) -> FloatArray:
        """Give the smallest Ritz value of every column, 1 where there is none."""
        return np.where(np.isfinite(self._smallest), self._smallest, 1.0)

    def error(self, rz: FloatArray) -> FloatArray:
        """Estimate the error of each column; infinite before the first step."""
        self._update(rz != 0)
        error = np.sqrt(2.0 * np.abs(rz) / self.least())
        return np.where(rz == 0, 0.0, np.where(np.isfinite(self._smallest), error, np.inf))

    def within(self, rz: FloatArray, tol: FloatArray) -> BoolArray:
        """Whether the error of each column is within its tolerance."""
        # Ritz values only fall: the last ones rule out most columns without new ones.
        maybe = 2.0 * np.abs(rz) <= tol**2 * np.minimum(self._smallest, 1.0)
        return maybe & (self.error(np.where(maybe, rz, 0.0)) <= tol)

    def _update(self, columns: BoolArray) -> None:
        for j in np.flatnonzero(columns):
            step = np.array([s[j] for s in self._steps if s[j] > 0])
            turn = np.array(
                [t[j] for s, t in zip(self._steps, self._turns, strict=True) if s[j] > 0]
            )
            values = ritz_values(step, turn)
            counted = values[values > max(self._null, 1e-16 * float(values.max(initial=0.0)))]
            self._smallest[j] = min(self._smallest[j], counted.min(initial=np.inf))


def ritz_values(step: FloatArray, turn: FloatArray) -> FloatArray:
    """Find the Ritz values of P^-1 H after some steps, ascending: those of a tridiagonal matrix.

    >>> ritz_values(np.array([0.5]), np.array([0.1])).tolist()
    [2.0]
    """
    diagonal = 1.0 / step
    diagonal[1:] += turn[:-1] / step[:-1]
    beside = np.sqrt(turn[:-1]) / step[:-1]
    return linalg.eigvalsh_tridiagonal(diagonal, beside) if len(beside) else diagonal


def lower_bound(apply: Solve, precondition: Solve, start: FloatArray) -> float:
    """Find a number below the eigenvalues of P^-1 H on the space of the start; 0 where none is.

    After some steps with Ritz values theta_i, what is left along an eigenvector with value lambda
    is product_i (1 - lambda / theta_i) times what was there at the start: nearly all of it, where
    lambda is below all theta_i. A random start has more than p along every given direction, but for
    a share of less than p of the starts. So once less than p times that product is left in all, no
    eigenvalue is as small as lambda.

    Parameters
    ----------
    apply, precondition : functions
        x -> H x and r -> P^-1 r for columns, as for `conjugate_gradients`.
    start : (n,) array
        Drawn so that P^{-1/2} times it is normally distributed, alike in all directions.

    >>> d, start = np.linspace(1.0, 2.0, 500)[:, None], np.random.default_rng(0).normal(size=500)
    >>> 0.3 < lower_bound(lambda x: d * x, lambda r: r, start) < 1.0
    True
    """
    steps: list[float] = []
    turns: list[float] = []
    bound = 0.0

    def advance(step: FloatArray, turn: FloatArray, live: BoolArray) -> None:
        if live[0]:
            steps.append(float(step[0]))
            turns.append(float(turn[0]))
        else:  # H or P is not definite to rounding: nothing follows from further steps
            steps.clear()

    def enough(_: FloatArray, rz: FloatArray) -> BoolArray:
        nonlocal bound
        left = max(float(np.sqrt(np.abs(rz[0]))), 1e-300) / _START
        if left >= 1.0 or not steps or rz[0] < 0.0:  # too early, or too late
            return rz < 0.0
        if len(steps) % _OFTEN:
            return rz < 0.0
        theta = ritz_values(np.array(steps), np.array(turns))
        kept = np.log1p(-np.outer(_SHARES, theta[0] / theta)).sum(axis=1)
        bound = float(theta[0] * _SHARES[kept >= np.log(left)].max(initial=0.0))
        return np.array([bound >= _GOOD_SHARE * theta[0]])

    one_pass(apply, start[:, None], precondition, enough, _MOST, advance=advance)
    return bound


class Refined(NamedTuple):
    """v, what it leaves of x, the energy of its error at most, and how many products that took."""

    v: FloatArray
    left: FloatArray
    energy: FloatArray
    products: int


class MixedPrecision:
    """Iterative refinement of K v = x off the kernel of K - I, with steps in single precision.

    With D the diagonal of K they go on

        D^{-1/2} K D^{-1/2} y = D^{-1/2} r,    v = D^{-1/2} y:

    half as many bytes to move, and nothing left to precondition with. The residual r = x - K v is
    computed in double precision, bounds the error of v, and is solved for again where that is too
    large: up to six digits more each time (Higham, Accuracy and Stability, 2002, chapter 12).

    Parameters
    ----------
    K : (n, n) csr_array
        At least I.
    kernel : csr_array, optional
        Orthonormal columns of disjoint support.
    lower : float
        Below the eigenvalues of D^-1 K off the kernel.
    """

    def __init__(self, K: sparse.csr_array, kernel: sparse.csr_array | None, lower: float) -> None:
        self._root = root = 1.0 / np.sqrt(K.diagonal())
        rows = np.repeat(root, np.diff(K.indptr))
        entries = (K.data * rows * root[K.indices]).astype(np.float32)
        # Copies: SciPy may sort the entries of K later on, in place.
        scaled = sparse.csr_array((entries, K.indices.copy(), K.indptr.copy()), shape=K.shape)
        self._scaled = scaled
        self._fixed, self._scaled_fixed = Projector(kernel), Projector(None, np.float32)
        if kernel is not None:
            self._scaled_fixed = Projector(scaled_kernel(root, Entries.of(kernel)), np.float32)
        self._lower = lower

    @np.errstate(over="ignore", invalid="ignore")  # then no error is within `tol`
    def refine(self, v: FloatArray, left: FloatArray, residual: Solve, tol: FloatArray) -> Refined:
        """Find v whose error is within `tol` in the energy norm, or as small as this way leads.

        Parameters
        ----------
        v, left : (n, columns) arrays
            A start off the kernel, and what it leaves of x.
        residual : function
            v -> x - K v.
        tol : array
            Error to reach, for every column.
        """
        now = Refined(v, left, self._energy(left), 0)
        for _ in range(_ROUNDS):
            if (now.energy <= tol).all():
                break
            step, products = self._solution(now, tol)
            v = now.v + step
            left = residual(v).astype(np.float64, copy=False)
            energy = self._energy(left)
            if not (energy <= np.maximum(tol, _MORE * now.energy)).all():
                break
            now = Refined(v, left, energy, now.products + products)
        return now

    def _energy(self, r: FloatArray) -> FloatArray:
        """Bound the energy (e^T K e)^{1/2} of an error that leaves r, off the kernel."""
        return np.sqrt(np.einsum("i,ij,ij->j", self._root**2, r, r) / self._lower)

    def _solution(self, now: Refined, tol: FloatArray) -> tuple[FloatArray, int]:
        """Solve for what is missing of v in single precision; and count the products it took."""
        scale, products = float(now.energy.max(initial=0.0)), 0  # keeps all numbers in range
        rhs: Any = np.empty(now.left.shape, np.float32)
        np.multiply(now.left, (self._root / scale)[:, None], out=rhs, casting="same_kind")
        share = np.maximum(_ENOUGH * tol / np.maximum(now.energy, 1e-300), _GAIN)
        goal = self._lower * (share * now.energy / scale) ** 2

        def apply(p: FloatArray) -> FloatArray:
            nonlocal products
            products += 1
            return self._scaled_fixed.remove_from(times(self._scaled, p))

        rhs = self._scaled_fixed.remove_from(rhs)
        y = one_pass(apply, rhs, lambda r: r, lambda _, rr: rr <= goal, _STEPS).x
        return self._fixed.remove_from(y * (self._root * scale)[:, None]), products
