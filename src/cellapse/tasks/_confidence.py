r"""How sure each edge is by itself, as a prior that the evidence of the network adds to.

With c the share of the edges that are less sure (ties by halves), the evidence is the closeness of
both ends by what is sure,

    t = s / (g + h - s + 1/2),   s = sum over its cells of the product of the other edges' c^8,

g and h the sums of c^8 of the other edges at its ends (a weighted Jaccard index; a cell of more
than three edges counts by the squared geometric mean of the others'). The edge itself has no part
in t, so that what t says of its c is news. With q the mean of c^8 among edges of that t, never
falling with it (isotonic regression), and r that among all edges, the odds of an edge are

    c / (1 - c)  q / (1 - q)  (1 - r) / r.

The eighth power asks for the surest edges: where records are linked, false edges close triangles,
too, but of edges that are not sure, and that edges in triangles are a bit surer than others says
nothing if the surest are alone. Where t has nothing to do with c, q is constant and the confidence
alone is left. What was learned is added with a tenth of the logarithm of the odds of its rank.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import isotonic_regression

from cellapse._collapse.edges import Cofaces
from cellapse._complex.complex import Complex
from cellapse._matrices.matrices import cells_around_edges
from cellapse._shared.arrays import Entries, FloatArray

_POWER = 8  # of the confidence
_TENTH = 0.1  # of what was learned
_LEAST = 0.02  # of q, and of 1 - q


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
    surest = c**_POWER
    q = np.append(increasing(_closeness(K, surest), surest), surest.mean())
    found = _log_odds(np.clip(q, _LEAST, 1.0 - _LEAST))
    odds = _log_odds(c) + found[:-1] - found[-1]
    if learned is not None:
        odds += _TENTH * _log_odds(ranks(learned))
    values: FloatArray = 1.0 / (1.0 + np.exp(-odds))
    return values


def _closeness(K: Complex, weights: FloatArray) -> FloatArray:
    """Return t of every edge, by the weights of the others."""
    held = [Cofaces.of(Entries.of(matrix)) for matrix in cells_around_edges(K)]
    shared = sum((c.add_up(c.weight * c.mean(weights)) for c in held), np.zeros(len(weights)))
    ends = K.cells[1].as_array(2)
    around = np.bincount(ends.ravel(), np.repeat(weights, 2), K.n_vertices)
    others = around[ends].sum(axis=1) - 2.0 * weights
    closeness: FloatArray = shared / (np.maximum(others - shared, 0.0) + 0.5)
    return closeness


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
