r"""How far conjugate gradients are from the solution, from what they compute anyway.

With e the error and z = P^-1 r the preconditioned residual of H x = b,

    e^T H e = r^T H^-1 r <= g_j z^T r,    g_0 = 1 / lower,
    g_{j+1} = (g_j - step_j) / (lower (g_j - step_j) + turn_{j+1})

is the bound of Gauss and Radau: it needs a number below the eigenvalues of P^-1 H, and costs
nothing. Neither the residual nor the preconditioned residual is such a bound. Where no such number
is known, the smallest Ritz value of P^-1 H, which the iteration brings along, takes its place.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from cellapse._shared.arrays import BoolArray, FloatArray


class ErrorBound:
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


class ErrorEstimate:
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
        near = 2.0 * np.abs(rz) <= tol**2 * np.minimum(self._smallest, 1.0)  # a sieve
        return near & (self.error(np.where(near, rz, 0.0)) <= tol)

    def _look(self, wanted: BoolArray) -> None:
        for j in np.flatnonzero(wanted):
            self._smallest[j] = min(self._smallest[j], self._smallest_ritz_value(int(j)))

    def _smallest_ritz_value(self, j: int) -> float:
        step = np.array([s[j] for s in self._steps if s[j] > 0])
        turn = np.array([t[j] for s, t in zip(self._steps, self._turns, strict=True) if s[j] > 0])
        if not len(step):
            return np.inf
        values = ritz_values(step, turn)
        counted = values[values > max(self._null, 1e-16 * float(values[-1]))]
        return float(counted[0]) if len(counted) else np.inf


def ritz_values(step: FloatArray, turn: FloatArray) -> FloatArray:
    """The Ritz values of P^-1 H after some steps of conjugate gradients, ascending.

    >>> ritz_values(np.array([0.5]), np.array([0.1])).tolist()
    [2.0]
    """
    diagonal = 1.0 / step
    diagonal[1:] += turn[:-1] / step[:-1]
    beside = np.sqrt(turn[:-1]) / step[:-1]
    return linalg.eigvalsh_tridiagonal(diagonal, beside) if len(beside) else diagonal


Bound = ErrorBound | ErrorEstimate
