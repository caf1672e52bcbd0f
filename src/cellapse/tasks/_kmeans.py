"""k-means: rows to the nearest of k centres, each the mean of its rows.

Written here, and not taken from scikit-learn, since importing that takes longer than clustering
thousands of rows.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cellapse._shared.arrays import FloatArray, IntArray

_STARTS = 10
_SWEEPS = 300  # at most; it ends by itself after some
_SAMPLE = 10_000  # of more rows than these, the starts are tried on a sample
_BLOCK = 4_000_000  # distances at a time


def by_kmeans(rows: FloatArray, n_clusters: int, rng: np.random.Generator) -> IntArray:
    """The best of ten starts; of many rows they are tried on a sample, and the best goes on."""
    rows = rows / (float(abs(rows).max()) or 1.0)  # whose squares are numbers
    few = n_clusters <= _SAMPLE // 100  # so that a sample has enough of each
    if len(rows) <= _SAMPLE or not few:
        return nearest(rows, kmeans_centres(rows, n_clusters, rng))[0]
    sample = rows[rng.choice(len(rows), _SAMPLE, replace=False)]  # any will do
    centres, _ = _settled(rows, kmeans_centres(sample, n_clusters, rng))
    return nearest(rows, centres)[0]


def kmeans_centres(rows: FloatArray, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """The centres of the best of ten starts: the least sum of squared distances to the nearest."""
    best, least = rows[:0], np.inf
    for _ in range(_STARTS):
        centres, within = _settled(rows, _spread_out(rows, n_clusters, rng))
        if within < (1 - 1e-9) * least or not len(best):
            best, least = centres, within
    return best


def nearest(rows: FloatArray, centres: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the nearest centre of every row, and the square of its distance."""
    numbers, squares = np.empty(len(rows), dtype=np.int64), np.empty(len(rows))
    lengths = (centres**2).sum(axis=1)
    step = max(1, _BLOCK // len(centres))
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        distances = lengths - 2.0 * (part @ centres.T)
        here = distances.argmin(axis=1)
        numbers[start : start + step] = here
        squares[start : start + step] = distances[np.arange(len(part)), here]
    return numbers, np.maximum(squares + (rows**2).sum(axis=1), 0.0)


def _settled(rows: FloatArray, centres: FloatArray) -> tuple[FloatArray, float]:
    """Lloyd's iteration: rows go to the nearest centre, and centres to the mean of their rows.

    A centre without rows goes to a row far from all others.
    """
    k, n = len(centres), len(rows)
    still = 1e-4 * float(rows.var(axis=0).mean())
    for _ in range(_SWEEPS):
        numbers, squares = nearest(rows, centres)
        count = np.bincount(numbers, minlength=k)
        sums = sparse.csr_array((np.ones(n), numbers, np.arange(n + 1)), shape=(n, k)).T @ rows
        empty = np.flatnonzero(count == 0)
        sums[empty] = rows[np.argsort(-squares, kind="stable")[: len(empty)]]
        count[empty] = 1
        before, centres = centres, sums / count[:, None]
        if ((centres - before) ** 2).sum() <= still:
            break
    return centres, float(nearest(rows, centres)[1].sum())


def _spread_out(rows: FloatArray, n_clusters: int, rng: np.random.Generator) -> FloatArray:
    """Rows drawn by the square of their distance to those before, each the best of a few draws.

    References
    ----------
    .. [1] D. Arthur, S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.
    """
    drawn = 2 + int(np.log(n_clusters))
    lengths = (rows**2).sum(axis=1)
    chosen = [int(rng.integers(len(rows)))]
    squares = nearest(rows, rows[chosen])[1]
    for _ in range(n_clusters - 1):
        upto = np.cumsum(squares)
        draws = np.searchsorted(upto, upto[-1] * rng.random(drawn)).clip(max=len(rows) - 1)
        there = lengths + lengths[draws, None] - 2.0 * (rows[draws] @ rows.T)
        closer = np.minimum(squares, np.maximum(there, 0.0))
        best = int(closer.sum(axis=1).argmin())
        chosen.append(int(draws[best]))
        squares = closer[best]
    return rows[chosen]
