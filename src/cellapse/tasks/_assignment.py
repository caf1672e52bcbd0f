"""From one row per vertex to a number for each: by k-means, or by rotation onto indicators."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import generator

_MANY_ROWS = 20_000  # from there on k-means tries its starts on a sample
_SAMPLE = 10_000  # of so many rows


def assigned(
    rows: FloatArray, n_clusters: int, assign: str, rng: int | np.random.Generator
) -> IntArray:
    """A number for every row, by k-means or by rotation."""
    random = generator(rng)
    if assign == "discretize":
        return _by_rotation(unit_rows(rows), random)
    # scikit-learn takes a seed as it is, if it is small enough.
    if isinstance(rng, int) and rng < 2**32:
        return by_kmeans(rows, n_clusters, rng)
    return by_kmeans(rows, n_clusters, int(random.integers(2**31)))


def unit_rows(rows: FloatArray) -> FloatArray:
    """Rows of length one; zeros stay."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0, length, 1.0)


def by_kmeans(rows: FloatArray, n_clusters: int, seed: int) -> IntArray:
    """The best of ten starts; of many rows they are tried on a sample, and the best goes on."""
    from sklearn.cluster import KMeans  # slow to import, and not needed by the operators

    few = n_clusters <= _SAMPLE // 100  # so that a sample has enough of each
    if len(rows) <= _MANY_ROWS or not few:
        return KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(rows)
    rng = np.random.default_rng(seed)
    sample = rng.choice(len(rows), _SAMPLE, replace=False)  # any sample will do
    first = KMeans(n_clusters, n_init=10, random_state=seed).fit(rows[sample]).cluster_centers_
    return KMeans(n_clusters, init=first, n_init=1).fit_predict(rows)


def _by_rotation(rows: FloatArray, rng: np.random.Generator) -> IntArray:
    """Alternate between the nearest indicators and the rotation that is best for them."""
    n, k = rows.shape
    R = np.zeros((k, k))
    R[:, 0] = rows[rng.integers(n)]
    overlap = np.zeros(n)
    for j in range(1, k):  # rows as far apart as can be
        overlap += abs(rows @ R[:, j - 1])
        R[:, j] = rows[np.argmin(overlap)]
    best = -np.inf
    for _ in range(100):  # it ends by itself after a few
        numbers = np.argmax(rows @ R, axis=1)
        indicators = np.zeros((n, k))
        indicators[np.arange(n), numbers] = 1.0  # a rotation has no scale
        U, sigma, Vt = linalg.svd(indicators.T @ rows)
        gained = sigma.sum() - best
        if gained <= 1e-12 * n:  # rounding, or a step; never in between
            break
        best, R = float(sigma.sum()), Vt.T @ U.T
    return numbers
