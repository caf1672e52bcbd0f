"""Random pairs of vertices that are no edges: decoys, which edges are compared with.

How they are drawn is a model of errors:

    uniform   both ends alike,
    degree    both ends in proportion to their degrees,
    near      the ends of a random walk of two or three steps: mostly at distance two or three.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cellapse._shared.arrays import IntArray

KINDS = ("uniform", "degree", "near")
DRAWN = {
    "uniform": "uniformly",
    "degree": "by degree",
    "near": "at distance two or three",
}
_GOES = 20  # few pairs are left where these are not enough

Draw = Callable[[int], IntArray]


def random_pairs(
    edges: IntArray, n: int, count: int, kind: str, rng: np.random.Generator
) -> IntArray:
    """Draw up to `count` different pairs that are no edges, the smaller end first.

    >>> path = np.array([[0, 1], [1, 2]])
    >>> random_pairs(path, 3, 5, "near", np.random.default_rng(0)).tolist()
    [[0, 2]]
    """
    draw = {"uniform": _uniform, "degree": _by_degree, "near": _near}[kind](edges, n, rng)
    known = np.sort(edges.min(axis=1).astype(np.int64) * n + edges.max(axis=1))
    new = np.empty(0, dtype=np.int64)
    for _ in range(_GOES if len(known) else 0):
        low, high = np.sort(draw(4 * (count - len(new)) + 10), axis=1).T
        codes = (low * n + high)[low < high]
        at = np.minimum(np.searchsorted(known, codes), len(known) - 1)
        fresh = np.concatenate([new, codes[known[at] != codes]])
        _, first = np.unique(fresh, return_index=True)
        new = fresh[np.sort(first)][:count]  # in the order drawn
        if len(new) == count:
            break
    return np.stack([new // n, new % n], axis=1)


def _uniform(edges: IntArray, n: int, rng: np.random.Generator) -> Draw:
    return lambda count: np.minimum((rng.random((count, 2)) * n).astype(np.int64), n - 1)


def _by_degree(edges: IntArray, n: int, rng: np.random.Generator) -> Draw:
    ends = edges.ravel()
    return lambda count: ends[_below(np.full((count, 2), len(ends)), rng)].astype(np.int64)


def _near(edges: IntArray, n: int, rng: np.random.Generator) -> Draw:
    ends = np.concatenate([edges[:, 0], edges[:, 1]]).astype(np.int64)
    order = np.argsort(ends, kind="stable")
    neighbours = np.concatenate([edges[:, 1], edges[:, 0]]).astype(np.int64)[order]
    start = np.searchsorted(ends[order], np.arange(n + 1))
    joined = np.flatnonzero(np.diff(start))

    def step(at: IntArray) -> IntArray:
        return neighbours[start[at] + _below(start[at + 1] - start[at], rng)]

    def draw(count: int) -> IntArray:
        begin = joined[_below(np.full(count, len(joined)), rng)]
        two = step(step(begin))
        three = rng.random(count) < 0.5
        return np.stack([begin, np.where(three, step(two), two)], axis=1)

    return draw


def _below(bounds: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw a whole number from 0 to below each bound."""
    return np.minimum((rng.random(bounds.shape) * bounds).astype(np.int64), bounds - 1)
