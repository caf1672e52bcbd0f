"""Eigenvectors and groups of one window, turned and numbered like those of the last one."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from scipy.optimize import linear_sum_assignment

from cellapse._shared.arrays import FloatArray, IntArray

_SAME = 1e-8  # eigenvalues closer than this have no vectors of their own


def aligned(
    vectors: FloatArray, values: FloatArray, last: FloatArray, last_values: FloatArray, first: int
) -> FloatArray:
    """Orthonormal eigenvectors with the signs of the last ones, and turned where they may be.

    Eigenvectors of values that are closer than what values have moved since are defined up to a
    rotation; the one is taken that brings them closest to the last ones (Procrustes). The `first`
    ones, which say the groups, stay apart from the others.

    >>> turned = np.array([[0.6, -0.8], [0.8, 0.6]])
    >>> aligned(turned, np.ones(2), np.eye(2), np.ones(2), 2).round(9).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> values = np.array([0.0, 1.0])
    >>> aligned(-np.eye(2), values, np.eye(2), values, 1).tolist()
    [[1.0, -0.0], [-0.0, 1.0]]
    """
    k = min(len(values), len(last_values))
    if not k:
        return vectors
    close = max(_SAME, 2.0 * float(abs(values[:k] - last_values[:k]).max()))
    result = vectors.copy()
    apart = np.diff(values[:k]) > close
    apart[first - 1 : first] = True
    for part in np.split(np.arange(k), np.flatnonzero(apart) + 1):
        left, _, right = linalg.svd(vectors[:, part].T @ last[:, part])
        result[:, part] = vectors[:, part] @ (left @ right)
    return result


def distance(first: FloatArray, second: FloatArray) -> float:
    """Return how far two spaces are from each other, from 0 to 1, given orthonormal bases.

    d^2 = |P - Q|_F^2 / (p + q), with P and Q the projections onto spaces of dimensions p and q.

    >>> distance(np.eye(3)[:, :1], np.eye(3)[:, :1]), distance(np.eye(3)[:, :1], np.eye(3)[:, 1:])
    (0.0, 1.0)
    """
    total = first.shape[1] + second.shape[1]
    if not total:
        return 0.0
    shared = 2.0 * float(((first.T @ second) ** 2).sum())
    return float(np.sqrt(max(1.0 - shared / total, 0.0)))


class Numbering:
    """Groups keep their numbers as long as some of their vertices are in them.

    >>> same = Numbering(5)
    >>> same.numbered(np.array([0, 0, 1, 1, -1])).tolist()
    [0, 0, 1, 1, -1]
    >>> same.numbered(np.array([1, 1, 0, 0, 2])).tolist()  # one is new
    [0, 0, 1, 1, 2]
    """

    def __init__(self, n: int) -> None:
        self._last = np.full(n, -1)  # where each vertex was last seen

    def numbered(self, found: IntArray) -> IntArray:
        """The groups of a window by the numbers of those that share most vertices with them."""
        count, used = int(found.max(initial=-1)) + 1, int(self._last.max(initial=-1)) + 1
        shared = np.zeros((count, used))
        both = (found >= 0) & (self._last >= 0)
        np.add.at(shared, (found[both], self._last[both]), 1.0)
        sizes = np.bincount(found[found >= 0], minlength=count)[:, None]
        either = sizes + np.bincount(self._last[both], minlength=used)[None, :] - shared
        rows, columns = linear_sum_assignment(-shared / np.maximum(either, 1.0))
        number = np.full(count, -1)
        some = shared[rows, columns] > 0
        number[rows[some]] = columns[some]
        new = np.flatnonzero(number < 0)
        free = np.setdiff1d(np.arange(used + len(new)), self._last)  # of no vertex any more
        number[new] = free[: len(new)]
        result = np.where(found >= 0, number[found] if count else -1, -1)
        self._last = np.where(result >= 0, result, self._last)
        return result
