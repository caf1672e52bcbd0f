"""Squared distances between rows: of pairs, of all, and their sums over groups."""

from __future__ import annotations

import numpy as np

from cellapse._shared.arrays import FloatArray, IntArray

_ENTRIES = 2**21  # differences held at once


def squares(x: FloatArray, i: IntArray, j: IntArray) -> FloatArray:
    """|x_i - x_j|^2 of pairs of rows."""
    result = np.empty(i.shape)
    step = max(1, _ENTRIES // max(x.shape[1], 1))  # rows at once
    for start in range(0, len(i), step):
        part = slice(start, start + step)
        result[part] = ((x[i[part]] - x[j[part]]) ** 2).sum(axis=1)
    return result


def all_squares(x: FloatArray) -> FloatArray:
    """|x_i - x_j|^2 of all pairs of rows.

    By |x_i|^2 + |x_j|^2 - 2 x_i x_j, which is quick, but cancels for rows that are close beside
    their length: those are subtracted.
    """
    y = x - x.mean(axis=0) if len(x) else x
    length = (y**2).sum(axis=1)
    both = length[:, None] + length
    distances = both - 2.0 * (y @ y.T)
    np.fill_diagonal(distances, 0.0)
    close = distances < 1e-3 * both  # more of them would be as right
    i, j = np.nonzero(np.triu(close, 1))
    distances[i, j] = distances[j, i] = squares(x, i, j)
    return distances


def group_sums(x: FloatArray, group: IntArray) -> FloatArray:
    """For every row the sum of |x_i - x_j|^2 over its group."""
    total = np.zeros(len(x))
    for g in np.unique(group):
        here = group == g
        z = x[here] - x[here].mean(axis=0)
        squares = (z**2).sum(axis=1)
        total[here] = len(z) * squares + squares.sum()
    return total
