r"""Learn what supports an edge of a network from the network itself, by random pairs.

Pairs that are no edges, a fifth as many as there are edges, are added to the network as decoys and
get the same numbers as the edges (`_edge_features`). A logistic regression separates edges from
decoys, both of the same weight in all; every edge and decoy is judged by one that was fitted
without it (target and decoy, with cross-fitting: Elias and Gygi 2007; Kall et al., Percolator,
2007). If a share p of the edges is like the decoys, f = (1 - p) f_real + p f_decoy, and the odds
f / f_decoy that are learned grow with f_real / f_decoy, whatever p is: false edges among the
examples do not change the order.

For every kind of decoys there is a regression of its own, from three draws in which only these
were added; ten draws of up to 2,000 edges, one of more than 200,000. The learned score of an edge
is the mean of its probabilities over kinds and draws.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cellapse._errors import InputError
from cellapse._shared.arrays import BoolArray, FloatArray, IntArray
from cellapse.tasks._edge_features import edge_features
from cellapse.tasks._random_pairs import DRAWN, KINDS, random_pairs

FEWEST = 20  # edges to learn from
_SHARE = 0.2  # decoys in a draw, of the edges
_DRAWS = ((2_000, 10), (200_000, 3), (np.inf, 1))  # of up to so many edges; few need more
_FOLDS, _EXAMPLES = 4, 8000  # each regression is fitted to at most so many edges and decoys


@dataclass(frozen=True, eq=False)
class Draw:
    """Edges and the decoys that were added to them: scores between 0 and 1."""

    pairs: IntArray  # of the decoys
    kind: str
    edges: FloatArray
    decoys: FloatArray


@dataclass(frozen=True, eq=False)
class _Table:
    """The numbers of all edges, and of the decoys behind them."""

    pairs: IntArray
    kind: str
    numbers: NDArray[np.float32]
    fold: IntArray

    @property
    def is_edge(self) -> BoolArray:
        is_edge: BoolArray = np.arange(len(self.numbers)) < len(self.numbers) - len(self.pairs)
        return is_edge


def learn(
    edges: IntArray,
    n: int,
    decoys: str,
    rng: np.random.Generator,
    weights: FloatArray | None = None,
) -> list[Draw]:
    """Learn from all kinds of decoys, where `decoys` is "mixed", or from one.

    Of "mixed", a kind of pairs that the network does not have is left out. Where edges have
    weights, a random pair weighs what any of them does.
    """
    m = len(edges)
    if m < FEWEST:
        raise InputError(
            f"{m} edges are too few to learn from; give at least {FEWEST}, or take "
            'evidence="cells", which learns nothing'
        )
    fold = _folds(m, rng)
    tables = []
    for _ in range(next(draws for most, draws in _DRAWS if m <= most)):
        for kind in KINDS if decoys == "mixed" else (decoys,):
            pairs = random_pairs(edges, n, round(_SHARE * m), kind, rng)
            if len(pairs) >= _FOLDS:
                more = None if weights is None else rng.choice(weights, len(pairs))
                known = None if weights is None else np.concatenate([weights, more])
                numbers = edge_features(np.concatenate([edges, pairs]), n, known).astype(np.float32)
                own = np.concatenate([fold, _folds(len(pairs), rng)])
                tables.append(_Table(pairs, kind, numbers, own))
    if not tables:
        which = "" if decoys == "mixed" else f" drawn {DRAWN[decoys]}"
        raise InputError(
            f"of {n:,} vertices fewer than {_FOLDS} pairs{which} are not joined, so there is "
            'nothing to compare edges with; take evidence="cells", which needs no decoys'
        )
    return _judged(tables, m, rng)


def mean_over_draws(draws: Sequence[Draw]) -> FloatArray:
    """Return the learned score of every edge."""
    return np.mean([draw.edges for draw in draws], axis=0)


def _folds(count: int, rng: np.random.Generator) -> IntArray:
    return rng.permutation(np.arange(count) % _FOLDS)


def _judged(tables: list[_Table], m: int, rng: np.random.Generator) -> list[Draw]:
    """Return the mean over kinds of the probabilities, in every draw."""
    scores = [np.zeros(len(table.numbers)) for table in tables]
    kinds = list(dict.fromkeys(table.kind for table in tables))
    for kind in kinds:
        own = [table for table in tables if table.kind == kind]
        for f in range(_FOLDS):
            slope, offset = _regression(own, f, rng)
            for table, score in zip(tables, scores, strict=True):
                at = table.fold == f
                odds = table.numbers[at] @ slope + offset
                score[at] += 1.0 / (1.0 + np.exp(-odds)) / len(kinds)
    return [
        Draw(table.pairs, table.kind, score[:m], score[m:])
        for table, score in zip(tables, scores, strict=True)
    ]


def _regression(
    tables: Sequence[_Table], fold: int, rng: np.random.Generator
) -> tuple[FloatArray, float]:
    """The logarithm of the odds of an edge as a linear function, without one of the folds."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    X = np.concatenate([table.numbers[table.fold != fold] for table in tables]).astype(np.float64)
    y = np.concatenate([table.is_edge[table.fold != fold] for table in tables])
    if len(X) > _EXAMPLES:
        some = rng.choice(len(X), _EXAMPLES, replace=False)
        X, y = X[some], y[some]
    center, scale = X.mean(axis=0), X.std(axis=0)
    scale[scale < 1e-9] = 1.0  # all alike, such as the triangles of a tree
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(max_iter=200, class_weight="balanced")
        model.fit((X - center) / scale, y)
    slope = model.coef_[0] / scale
    return slope, float(model.intercept_[0] - center @ slope)
