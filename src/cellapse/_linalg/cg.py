r"""Conjugate gradients that bound their error, in double and in mixed precision.

With e the error and z = P^-1 r the preconditioned residual of H x = b,

    e^T H e = r^T H^-1 r <= g_j z^T r,    g_0 = 1 / lower,
    g_{j+1} = (g_j - step_j) / (lower (g_j - step_j) + turn_{j+1})

is the bound of Gauss and Radau (Golub and Meurant, Matrices, Moments and Quadrature, 2010): it
needs a number below the eigenvalues of P^-1 H, and costs nothing. `lower_bound` finds one from a
random start; without one, the smallest Ritz value of P^-1 H takes its place. Neither the residual
nor the preconditioned residual is such a bound.

`CG(...)` is Algorithm 1 of the paper: conjugate gradients on C + eps I for every vector.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import linalg, sparse

from cellapse._errors import ConvergenceError
from cellapse._linalg.blas import column_dots, times
from cellapse._linalg.factor import Solve
from cellapse._linalg.kernel import Projector, scaled_kernel
from cellapse._shared.arrays import ROUNDOFF, BoolArray, Entries, FloatArray
from cellapse._shared.checks import share, whole_number

_PASSES = 6  # restarts from a residual that is computed anew, while they help
_DRIFT = 8 * ROUNDOFF  # of the recursive residual in one pass, over the least eigenvalue of P^-1 H
_MOST_DRIFT = 1e-3  # the largest observed, whatever that eigenvalue
_DIVERGED = 1e40  # growth of r^T P^-1 r from which on nothing converges
_FIRST = 30.0  # without a bound the first pass stops at so many times the error
_ENOUGH = 0.8  # part of the error allowed, so that rounding does not ask for another pass
ROUGH, _ROUGH_STEPS = 0.1, 70  # of `rough_solution`
# Of `lower_bound`: probability of failure, shares of the smallest Ritz value that are tried, one
# that is good enough, steps between two trials, and most steps
_FAILURE, _SHARES, _GOOD_SHARE, _EVERY, _MOST = 1e-9, np.arange(1, 20) / 20, 0.6, 3, 100
# Of `MixedPrecision`: refinements (then double precision goes on), the most digits that one gains,
# the least, and its steps
_REFINEMENTS, _MOST_GAIN, _LEAST_GAIN, _STEPS = 3, 1e-6, 0.1, 300


class System:
    """H x = b with a preconditioner P: by default a sparse matrix, and P = I.

    `extended` says whether `residual` makes use of an x in extended precision.
    """

    extended = False

    def __init__(self, matrix: sparse.csr_array) -> None:
        self.matrix = matrix

    def apply(self, x: FloatArray) -> FloatArray:
        """Return H x for columns."""
        return times(self.matrix, x)

    def precondition(self, r: FloatArray) -> FloatArray:
        """Return P^-1 r for columns."""
        return r

    def residual(self, rhs: FloatArray, x: FloatArray) -> FloatArray:
        """Return b - H x, computed anew."""
        return rhs - self.apply(x)


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
        system = System(sparse.csr_array(matrix))
        steps = self.max_steps or 10 * system.matrix.shape[0]

        def solve(rhs: FloatArray) -> FloatArray:
            if rhs.ndim == 1:
                return solve(rhs[:, None])[:, 0]
            size = np.linalg.norm(rhs, axis=0)
            for state in iterations(system, rhs, steps):
                state.done = np.sqrt(state.rz) <= self.rtol * size
            # The recursive residual may drift: here is the true one.
            left = np.linalg.norm(system.residual(rhs, state.x), axis=0)
            if not (left <= 2.0 * self.rtol * size).all():
                residual = float((left / np.maximum(size, 1e-300)).max())
                raise ConvergenceError(
                    f"conjugate gradients stopped at a relative residual of {residual:.1e}, short "
                    f"of rtol={self.rtol:.0e}; raise eps, rtol or max_steps, or use solver=Direct()"
                )
            return state.x

        return solve


@dataclass(eq=False)
class _State:
    """Where conjugate gradients are, per column; who iterates says which columns are `done`."""

    x: FloatArray
    r: FloatArray  # by recursion
    rz: FloatArray  # r^T P^-1 r
    fallen: FloatArray  # by how much the energy e^T H e of the error has fallen
    step: FloatArray  # of the last step: x grew by step * p, and p became z + turn * p
    turn: FloatArray
    live: BoolArray  # which columns took it
    done: BoolArray
    count: int = 0


def iterations(system: System, rhs: FloatArray, most: int, null: float = 0.0) -> Iterator[_State]:
    """Iterate on all columns at once, until each is done, stuck, or has taken `most` steps.

    Directions where P^-1 H is at most `null` count as its kernel: a column that gets there is
    stuck, and so is one where H or P is not definite to rounding.
    """
    r, columns = np.array(rhs, order="C"), rhs.shape[1]
    part = np.empty_like(r)  # large arrays take longer to get than to fill
    z = system.precondition(r)
    p = np.array(z, order="C")  # a copy, as z may be r
    rz = column_dots(r, z)
    first = size = rz  # size is p^T P p
    zeros, nowhere = np.zeros(columns), np.zeros(columns, dtype=bool)
    state = _State(np.zeros_like(r), r, rz, zeros.copy(), zeros, zeros, nowhere, nowhere)
    stuck = nowhere.copy()
    for _ in range(most):
        yield state
        done = state.done | stuck
        if done.all():
            return
        q = system.apply(p)
        pq = column_dots(p, q)
        stuck |= ~done & ~((pq > null * size) & (rz > 0))
        live = ~(done | stuck)  # others stay as they are: rounding would make them grow
        step = np.where(live, rz / np.where(live, pq, 1.0), 0.0)
        by = step.astype(r.dtype)
        state.x += np.multiply(p, by, out=part)
        r -= np.multiply(q, by, out=part)
        state.fallen += step * rz
        z = system.precondition(r)
        last, rz = rz, np.where(live, column_dots(r, z), rz)
        stuck |= rz > _DIVERGED * first
        live &= ~stuck
        turn = np.where(live, rz / np.where(live, last, 1.0), 0.0)
        p *= turn.astype(r.dtype)
        p += z
        size = rz + turn**2 * size
        state.rz, state.step, state.turn, state.live = rz, step, turn, live
        state.count += 1
    yield state


# Of entries over hundreds of orders numbers may leave their range: then no error is within `tol`.
@np.errstate(over="ignore", invalid="ignore")
def conjugate_gradients(
    system: System,
    rhs: FloatArray,
    tol: float | FloatArray,
    lower: float | None = None,
    maxiter: int = 2000,
    null: float = 0.0,
    start: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Solve H x = b for all columns at once, and bound the error of each.

    The error is a bound of the energy norm (e^T H e)^{1/2}: where H >= I, of e itself. It is that
    of a residual computed anew, so rounding in the recursion does not hide in it. Where it is above
    `tol` the iteration did not arrive, and the caller decides.

    Parameters
    ----------
    system : System
        H and P; both positive definite on the space of `rhs`.
    rhs : (n,) or (n, columns) array
    tol : float, or one for each column
        Error to reach.
    lower : float, optional
        A number below the eigenvalues of P^-1 H; with None the smallest Ritz value, halved.
    maxiter : int
        Steps of one pass.
    null : float
        Where P^-1 H is below this, it is taken for zero, and nothing there counts as an error.
    start : array like rhs, optional
    """
    if rhs.ndim == 1:
        x, error = conjugate_gradients(system, rhs[:, None], tol, lower, maxiter, null)
        return x[:, 0], error
    columns = rhs.shape[1]
    tol = np.broadcast_to(np.asarray(tol, dtype=np.float64), (columns,))
    maxiter = min(maxiter, 50 * len(rhs) + 100)  # what takes longer gets nowhere
    bound: _Bound
    bound = _RitzEstimate(null, columns) if lower is None else _GaussRadau(lower, columns)
    x = np.zeros_like(rhs) if start is None else start
    r = rhs if start is None else system.residual(rhs, x).astype(np.float64, copy=False)
    error = np.full(columns, np.inf)
    for number in range(_PASSES):
        goal = tol * (1.0 if number else _FIRST if lower is None else _ENOUGH)
        state, now = _one_pass(system, r, bound, goal, maxiter, null)
        better = now < error  # at the last digit a pass may do harm: then it is not taken
        gained = bool((now < 0.5 * error).any())
        x = x + np.where(better, state.x, 0.0)
        if number:  # the first pass began too far away for an estimate of its own
            error = np.where(better, now, error)
            if (error <= tol).all() or not gained:
                break
        r = system.residual(rhs, x).astype(np.float64, copy=False)
        if not number and lower is not None:
            drift = r - state.r
            energy = np.sqrt(np.abs(column_dots(drift, system.precondition(drift))) / lower)
            now = bound.error(state.rz) + energy
            if (now <= tol).all():
                return x, now
        x = x.astype(np.longdouble if system.extended else np.float64, copy=False)
    return x, error


def _one_pass(
    system: System, rhs: FloatArray, bound: _Bound, goal: FloatArray, most: int, null: float
) -> tuple[_State, FloatArray]:
    """Iterate until the error is within the goal; return that error, too."""
    bound.restart()
    for state in iterations(system, rhs, most, null):
        bound.advance(state)
        state.done = bound.within(state.rz, goal)
    # The recursive residual drifts by a share of the error that the pass began with.
    error = bound.error(state.rz)  # updates `least`
    drift = np.minimum(_DRIFT / np.minimum(bound.least, 1.0), _MOST_DRIFT)
    return state, np.maximum(error, drift * np.sqrt(state.fallen))


def rough_solution(
    system: System, rhs: FloatArray, left: float = ROUGH, most: int = _ROUGH_STEPS
) -> FloatArray:
    """Solve H x = b but for what is `left` of b, as far as H is definite, for all columns at once.

    Good enough for a correction that is checked elsewhere.
    """
    for state in iterations(system, rhs, most):
        if not state.count:
            goal = left**2 * np.abs(state.rz)
        state.done = state.rz <= goal
    return state.x


class _GaussRadau:
    """Bound the error of every column: e^T H e <= factor * z^T r."""

    def __init__(self, lower: float, columns: int) -> None:
        self._lower, self.least = lower, np.full(columns, lower)

    def restart(self) -> None:
        self._factor = 1.0 / self.least

    def advance(self, state: _State) -> None:
        rest = np.maximum(self._factor - state.step, 1e-14 * self._factor)  # positive in exact
        below = np.maximum(self._lower * rest + state.turn, 1e-300)
        self._factor = np.where(state.live, rest / below, self._factor)

    def error(self, rz: FloatArray) -> FloatArray:
        return np.sqrt(self._factor * np.abs(rz))

    def within(self, rz: FloatArray, tol: FloatArray) -> BoolArray:
        return self.error(rz) <= tol


class _RitzEstimate:
    """Estimate the error by the smallest Ritz value, halved as it comes from above.

    It is kept from pass to pass, and infinite before the first step.
    """

    def __init__(self, null: float, columns: int) -> None:
        self._null, self.least = null, np.full(columns, np.inf)
        self._last: list[tuple[FloatArray, FloatArray]] = []

    def restart(self) -> None:
        self._update(self.least > 0)
        self._last = []

    def advance(self, state: _State) -> None:
        if state.count:
            self._last.append((state.step, state.turn))

    def error(self, rz: FloatArray) -> FloatArray:
        self._update(rz != 0)
        known = np.where(np.isfinite(self.least), np.abs(rz), np.inf)
        return np.where(rz == 0, 0.0, np.sqrt(2.0 * known / np.minimum(self.least, 1e300)))

    def within(self, rz: FloatArray, tol: FloatArray) -> BoolArray:
        # Ritz values only fall: the last ones rule out most columns without new ones.
        maybe = 2.0 * np.abs(rz) <= tol**2 * np.minimum(self.least, 1.0)
        return maybe & (self.error(np.where(maybe, rz, 0.0)) <= tol)

    def _update(self, columns: BoolArray) -> None:
        for j in np.flatnonzero(columns):
            step, turn = (
                np.array([(s[j], t[j]) for s, t in self._last if s[j] > 0]).reshape(-1, 2).T
            )
            values = _ritz_values(step, turn)
            counted = values[values > max(self._null, 1e-16 * float(values.max(initial=0.0)))]
            self.least[j] = min(self.least[j], counted.min(initial=np.inf))


_Bound: TypeAlias = _GaussRadau | _RitzEstimate


def _ritz_values(step: FloatArray, turn: FloatArray) -> FloatArray:
    """Return the Ritz values of P^-1 H after some steps, ascending: of a tridiagonal matrix."""
    diagonal = 1.0 / step
    diagonal[1:] += turn[:-1] / step[:-1]
    beside = np.sqrt(turn[:-1]) / step[:-1]
    return linalg.eigvalsh_tridiagonal(diagonal, beside) if len(beside) else diagonal


def lower_bound(system: System, start: FloatArray) -> float:
    """Find a number below the eigenvalues of P^-1 H on the space of the start; 0 if none is found.

    After some steps with Ritz values theta_i, product_i (1 - lambda / theta_i) is left of the part
    along an eigenvector with value lambda: nearly all of it, where lambda is below all theta_i. A
    random start has more than p along every given direction, but for a share of less than p of the
    starts. So once less than p times that product is left in all, no eigenvalue is as small as
    lambda. P^{-1/2} times the start is to be normally distributed, alike in all directions.

    >>> d, start = sparse.diags_array(np.linspace(1.0, 2.0, 500)), np.random.default_rng(0)
    >>> 0.3 < lower_bound(System(sparse.csr_array(d)), start.normal(size=500)) < 1.0
    True
    """
    steps: list[float] = []
    turns: list[float] = []
    bound = 0.0
    for state in iterations(system, start[:, None], _MOST):
        if not state.count:
            continue
        if not state.live[0]:  # H or P is not definite to rounding: further steps say nothing
            break
        steps.append(float(state.step[0]))
        turns.append(float(state.turn[0]))
        left = max(float(np.sqrt(np.abs(state.rz[0]))), 1e-300) / _FAILURE
        if left >= 1.0 or state.rz[0] < 0.0 or len(steps) % _EVERY:
            continue
        theta = _ritz_values(np.array(steps), np.array(turns))
        kept = np.log1p(-np.outer(_SHARES, theta[0] / theta)).sum(axis=1)
        bound = float(theta[0] * _SHARES[kept >= np.log(left)].max(initial=0.0))
        if bound >= _GOOD_SHARE * theta[0]:
            break
    return bound


class _SinglePrecision(System):
    """D^{-1/2} K D^{-1/2} in single precision, off the kernel of K - I; D is the diagonal of K."""

    def __init__(self, K: sparse.csr_array, root: FloatArray, fixed: Entries | None) -> None:
        rows = np.repeat(root, np.diff(K.indptr))
        entries = (K.data * rows * root[K.indices]).astype(np.float32)
        # Copies: SciPy may sort the entries of K later on, in place.
        super().__init__(sparse.csr_array((entries, K.indices.copy(), K.indptr.copy()), K.shape))
        self.fixed = Projector(None if fixed is None else scaled_kernel(root, fixed), np.float32)
        self.products = 0  # with one column

    def apply(self, x: FloatArray) -> FloatArray:
        self.products += x.shape[1]
        return self.fixed.remove_from(times(self.matrix, x))


class MixedPrecision:
    """Iterative refinement of K v = x off the kernel of K - I, with steps in single precision.

    With D the diagonal of K they go on

        D^{-1/2} K D^{-1/2} y = D^{-1/2} r,    v = D^{-1/2} y:

    half as many bytes to move, and nothing left to precondition with. The residual r = x - K v in
    double precision bounds the error of v, as `lower` is below the eigenvalues of D^-1 K, and is
    solved for again where that is too large: up to six digits more each time (Higham, Accuracy and
    Stability, 2002, chapter 12). The kernel has orthonormal columns of disjoint support.
    """

    def __init__(self, K: sparse.csr_array, kernel: sparse.csr_array | None, lower: float) -> None:
        self._root, self._lower = 1.0 / np.sqrt(K.diagonal()), lower
        fixed = None if kernel is None else Entries.of(kernel)
        self._single, self._fixed = _SinglePrecision(K, self._root, fixed), Projector(kernel)

    @property
    def products(self) -> int:
        """Products of one column so far."""
        return self._single.products

    @np.errstate(over="ignore", invalid="ignore")  # then no error is within `tol`
    def refine(
        self, system: System, x: FloatArray, tol: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Find v whose error is within `tol` in the energy norm, or as small as this way leads.

        `system` is K with its residuals. Return v and a bound of the energy of its error, for every
        column.
        """
        v, left = np.zeros_like(x), x
        energy = self._energy(left)
        for _ in range(_REFINEMENTS):
            if (energy <= tol).all():
                break
            refined = v + self._correction(left, energy, tol)
            left = system.residual(x, refined).astype(np.float64, copy=False)
            now = self._energy(left)
            if not (now <= np.maximum(tol, _LEAST_GAIN * energy)).all():
                break
            v, energy = refined, now
        return v, energy

    def _energy(self, r: FloatArray) -> FloatArray:
        """Bound the energy (e^T K e)^{1/2} of an error that leaves r, off the kernel."""
        return np.sqrt(np.einsum("i,ij,ij->j", self._root**2, r, r) / self._lower)

    def _correction(self, left: FloatArray, energy: FloatArray, tol: FloatArray) -> FloatArray:
        """Solve for a residual in single precision."""
        scale = float(energy.max(initial=0.0))  # keeps all numbers in range
        rhs: Any = (left * (self._root / scale)[:, None]).astype(np.float32, order="C")
        share = np.maximum(_ENOUGH * tol / np.maximum(energy, 1e-300), _MOST_GAIN)
        goal = self._lower * (share * energy / scale) ** 2
        for state in iterations(self._single, self._single.fixed.remove_from(rhs), _STEPS):
            state.done = state.rz <= goal
        return self._fixed.remove_from(state.x * (self._root * scale)[:, None])
