r"""A number below the eigenvalues of P^-1 H, by conjugate gradients on a random right-hand side.

After some steps with Ritz values theta_i, what is left along an eigenvector with value lambda is

    product_i (1 - lambda / theta_i)

times what was there at the start: nearly all of it, where lambda is below all theta_i. A random
start has more than p along every given direction, but for a share of less than p of the starts. So
once less than p times that product is left in all, no eigenvalue is as small as lambda.
"""

from __future__ import annotations

import numpy as np

from cellapse._linalg.cg import one_pass
from cellapse._linalg.error_bounds import ritz_values
from cellapse._linalg.factor import Solve
from cellapse._shared.arrays import BoolArray, FloatArray

_START = 1e-9  # p
_SHARES = np.arange(1, 20) / 20  # parts of the smallest Ritz value that are tried
_CLOSE = 0.6  # a share that is good enough
_OFTEN = 3  # steps from one look to the next
_STEPS = 100  # what says nothing by then is not worth more


def spectral_floor(apply: Solve, precondition: Solve, start: FloatArray) -> float:
    """A number below the eigenvalues of P^-1 H, on the space of the start; 0 where none is found.

    Parameters
    ----------
    apply, precondition : functions
        x -> H x and r -> P^-1 r for columns, as for `conjugate_gradients`.
    start : (n,) array
        Drawn so that P^{-1/2} times it is normally distributed, alike in all directions.

    >>> d, start = np.linspace(1.0, 2.0, 500)[:, None], np.random.default_rng(0).normal(size=500)
    >>> 0.3 < spectral_floor(lambda x: d * x, lambda r: r, start) < 1.0
    True
    """
    steps: list[float] = []
    turns: list[float] = []
    floor = 0.0

    def advance(step: FloatArray, turn: FloatArray, live: BoolArray) -> None:
        if live[0]:
            steps.append(float(step[0]))
            turns.append(float(turn[0]))
        else:  # H or P is not definite to rounding, which tells nothing more
            steps.clear()

    def enough(_: FloatArray, rz: FloatArray) -> BoolArray:
        nonlocal floor
        left = max(float(np.sqrt(np.abs(rz[0]))), 1e-300) / _START
        if left >= 1.0 or not steps or rz[0] < 0.0:  # nothing can be told yet, or any more
            return rz < 0.0
        if len(steps) % _OFTEN:
            return rz < 0.0
        theta = ritz_values(np.array(steps), np.array(turns))
        kept = np.log1p(-np.outer(_SHARES, theta[0] / theta)).sum(axis=1)
        floor = float(theta[0] * _SHARES[kept >= np.log(left)].max(initial=0.0))
        return np.array([floor >= _CLOSE * theta[0]])

    one_pass(apply, start[:, None], precondition, enough, _STEPS, advance=advance)
    return floor
