r"""How sure each edge is by itself, as a prior that the evidence of the network adds to.

With c the share of the edges that are less sure (ties by halves), t the evidence, and q the mean of
c among edges with that evidence, never falling with it (isotonic regression), the odds of an edge
are

    c / (1 - c)  (q / (1 - q))^(1/2).

If c were the probability of an edge and independent of t otherwise, so would q be, and the power
were 1; the root is for evidence that repeats what c says. Where the evidence has nothing to do with
c, q is constant and the confidence alone is left.

The evidence t is the trust by cells that count as much as their edges are sure, with weights c^4:
where records are linked, false edges close triangles, but of edges that are not sure. What was
learned is added with a tenth of the logarithm of the odds of its rank.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import isotonic_regression

from cellapse._complex.complex import Complex
from cellapse._shared.arrays import FloatArray
from cellapse.tasks._trust_by_cells import trust_by_cells

_POWER = 4  # of the confidence, as a weight of edges
_ROOT, _TENTH = 0.5, 0.1


def ranks(values: FloatArray) -> FloatArray:
    """Return the share of the values that are less, ties by halves: strictly between 0 and 1.

    >>> ranks(np.array([3.0, 1.0, 3.0, 7.0])).tolist()
    [0.5, 0.125, 0.5, 0.875]
    """
    from scipy.stats import rankdata  # loads for half a second

    result: FloatArray = (rankdata(values) - 0.5) / max(len(values), 1)
    return result


def by_confidence(K: Complex, sure: FloatArray, learned: FloatArray | None) -> FloatArray:
    """Return the probability of every edge, by the formula above."""
    c = ranks(sure)
    weights = np.maximum(c, 1e-3) ** _POWER
    cells = trust_by_cells(replace(K, weights=(K.weights[0], weights, *K.weights[2:])))[0]
    odds = _log_odds(c) + _ROOT * _log_odds(np.clip(increasing(cells, c), 0.05, 0.95))
    if learned is not None:
        odds += _TENTH * _log_odds(ranks(learned))
    values: FloatArray = 1.0 / (1.0 + np.exp(-odds))
    return values


def increasing(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the mean of y at every x, where it never falls with x.

    >>> increasing(np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.0, 0.2])).round(3).tolist()
    [0.0, 0.4, 0.4, 0.4]
    """
    unique, at = np.unique(x, return_inverse=True)
    count = np.bincount(at, minlength=len(unique)).astype(np.float64)
    if not len(unique):
        return np.empty(0)
    fit: FloatArray = isotonic_regression(np.bincount(at, y) / count, weights=count).x[at]
    return fit


def _log_odds(p: FloatArray) -> FloatArray:
    odds: FloatArray = np.log(p) - np.log1p(-p)
    return odds
