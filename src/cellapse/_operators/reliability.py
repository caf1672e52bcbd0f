r"""Which sizes of cells carry the signal, without labels.

A fifth of the cells is hidden; the rest, as the projection in which a pair weighs w / (|e| - 1), is
embedded by its first eigenvectors, rows scaled to unit length; and a size of cells predicts

    (mean similarity inside hidden cells) - (mean similarity inside random cells of equal size),

with random cells drawn by degree. Five times over, every cell is hidden once. A size that predicts
is weighed by how well it does relative to the best one, a size that does not is dropped; with the
new weights all is measured again, four times, from several starts, and the start with the clearest
evidence wins. Where sizes cannot be told apart, all keep the weight 1: the plain projection.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh

from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._errors import InputError, extra
from cellapse._linalg.operators import Operator, SparseOperator
from cellapse._operators.as_operator import as_operator
from cellapse._operators.hyperedges import Hyperedges, inside
from cellapse._shared.arrays import FloatArray, IntArray, csr_from_entries
from cellapse._shared.checks import generator, whole_number

_FOLDS, _ROUNDS = 5, 4
_CLEAR = 2.0  # standard errors by which a size must fall behind the best to lose weight
_DENSE = 400  # speed only: vertices up to which the whole matrix is taken
_LEAST = 0.01  # of a weight in the operator: what predicts nothing still holds the parts together


@dataclass(frozen=True, eq=False)
class Reliability:
    """What every group of sizes predicts, and the weight it gets.

    Attributes
    ----------
    sizes : list of (int, int)
        Smallest and largest size of the cells in a group.
    counts : (g,) array of int
    predicts, errors : (g,) arrays
        The difference of means, and its standard error, at the final weights.
    weights : (g,) array
        1 for the best; all 1 where the sizes cannot be told apart.
    told_apart : bool
        Whether any weight differs from 1.

    Examples
    --------
    >>> import cellapse as cl
    >>> K = cl.hypergraph_complex([(i, (i + 1) % 30) for i in range(30)])
    >>> cl.tasks.rank_reliability(K, dimension=2).weights.tolist()
    [1.0]
    """

    sizes: list[tuple[int, int]]
    counts: IntArray = field(repr=False)
    predicts: FloatArray
    errors: FloatArray = field(repr=False)
    weights: FloatArray
    told_apart: bool
    labels: Sequence[Hashable] = field(repr=False)
    parts: list[sparse.csr_array] = field(repr=False)

    def operator(self) -> Operator:
        """The Laplacian of the projection in which every cell has the weight of its size.

        A size of weight 0 keeps a hundredth, so that no vertex is left alone. Where all weights
        are 1 it is the weighted projection.
        """
        n = len(self.labels)
        A = _sum(np.maximum(self.weights, _LEAST), self.parts, n)
        L = sparse.diags_array(np.asarray(A.sum(axis=1)).ravel()) - A
        return SparseOperator(L, self.labels, as_operator(L).kernel, "reliable projection")

    def to_frame(self) -> Any:
        """A pandas DataFrame with a row per group of sizes."""
        with extra("pandas", "pandas"):
            import pandas as pd
        low, high = zip(*self.sizes, strict=True)
        columns = {"from": low, "to": high, "cells": self.counts, "predicts": self.predicts}
        return pd.DataFrame({**columns, "error": self.errors, "weight": self.weights})


def rank_reliability(
    K: Complex, *, dimension: int = 4, rng: int | np.random.Generator = 0
) -> Reliability:
    """Which sizes of cells predict hidden cells, and weights for them; experimental.

    Parameters
    ----------
    K : Complex
        Of a hypergraph: cells above the edges are hyperedges, an edge is one where no larger cell
        holds it, or with what its weight has over those, as in `projection_laplacian`.
    dimension : int
        Eigenvectors of the embedding: about the number of groups that is expected.
    rng : seed or numpy Generator
        For what is hidden, and the random cells.

    Returns
    -------
    Reliability

    Examples
    --------
    >>> import cellapse as cl
    >>> groups = [tuple(range(i, i + 3)) for i in range(30)]
    >>> rank_reliability(cl.hypergraph_complex(groups)).weights.tolist()
    [1.0]
    """
    K = to_complex(K)
    dimension = whole_number("dimension", dimension, 1, 1000)
    generate = generator(rng)
    hyper = Hyperedges.of(K)
    if hyper.count < 1:
        raise InputError("the complex has no cell of two or more vertices; give it some")
    trial = Trial(hyper, hyper.groups(), min(dimension, max(K.n_vertices - 2, 1)), generate)
    weights, measured = trial.search()
    differs = bool((weights != 1.0).any())
    sizes = [(int(hyper.sizes[g].min()), int(hyper.sizes[g].max())) for g in trial.groups]
    counts = np.array([len(g) for g in trial.groups])
    parts = [hyper.projection(g) for g in trial.groups]
    return Reliability(
        sizes, counts, measured[:, 0], measured[:, 1], weights, differs, K.labels, parts
    )


class Trial:
    """What is hidden when, and how well each group of sizes is predicted at given weights."""

    def __init__(
        self, hyper: Hyperedges, groups: list[IntArray], dimension: int, rng: np.random.Generator
    ) -> None:
        self.hyper, self.groups, self._dimension = hyper, groups, dimension
        self._n = hyper.table.shape[0]
        degree = np.asarray(hyper.table.sum(axis=1)).ravel()
        reach = np.cumsum(degree / degree.sum())
        self._fold = [rng.permutation(len(g)) % _FOLDS for g in groups]
        self._random = [_random_cells(hyper.sizes[g], reach, rng) for g in groups]
        self._left = [
            [hyper.projection(g[f != q]) for q in range(_FOLDS)]
            for g, f in zip(groups, self._fold, strict=True)
        ]

    def measure(self, weights: FloatArray) -> FloatArray:
        """Per group of sizes, the difference of means and its standard error."""
        inside_hidden: list[list[FloatArray]] = [[] for _ in self.groups]
        chance: list[list[FloatArray]] = [[] for _ in self.groups]
        for q in range(_FOLDS):
            A = _sum(weights, [parts[q] for parts in self._left], self._n)
            X = _embedding(A, self._dimension)
            for t, (group, fold) in enumerate(zip(self.groups, self._fold, strict=True)):
                hidden = np.flatnonzero(fold == q)
                inside_hidden[t].append(self.hyper.inside(X, group[hidden]))
                sizes = self.hyper.sizes[group[hidden]]
                chance[t].append(inside(X, self._random[t][:, hidden], sizes))
        return np.array(
            [
                _difference(np.concatenate(a), np.concatenate(b))
                for a, b in zip(inside_hidden, chance, strict=True)
            ]
        )

    def search(self) -> tuple[FloatArray, FloatArray]:
        """The weights with the clearest evidence, and what is measured with them."""
        plain = np.ones(len(self.groups))
        first = self.measure(plain)
        if len(self.groups) == 1:
            return plain, first
        best = (_evidence(first), plain, first)
        for start in (plain, *np.eye(len(self.groups))):
            weights, measured = start, self.measure(start)
            for _ in range(_ROUNDS):
                new = _new_weights(measured)
                if (new == weights).all():
                    break
                weights, measured = new, self.measure(new)
            if _evidence(measured) > best[0] + 1e-9:
                best = (_evidence(measured), weights, measured)
        return (best[1], best[2]) if best[0] >= _CLEAR else (plain, first)


def _new_weights(measured: FloatArray) -> FloatArray:
    """Weights by what the sizes predict; 1 for all that are not clearly behind the best."""
    gain, error = measured.T
    top = int(np.argmax(gain))
    if gain[top] < _CLEAR * error[top]:
        return np.ones(len(gain))
    behind = gain[top] - gain > _CLEAR * np.hypot(error[top], error)
    return np.where(behind, np.maximum(gain, 0.0) / gain[top] * (gain > 1.5 * error), 1.0)


def _evidence(measured: FloatArray) -> float:
    return float((measured[:, 0] / np.maximum(measured[:, 1], 1e-12)).max())


def _difference(hidden: FloatArray, chance: FloatArray) -> tuple[float, float]:
    spread = hidden.var() / len(hidden) + chance.var() / len(chance)
    return float(hidden.mean() - chance.mean()), float(np.sqrt(max(spread, 1e-12)))


def _sum(weights: FloatArray, parts: list[sparse.csr_array], n: int) -> sparse.csr_array:
    total = sparse.csr_array((n, n))
    for weight, part in zip(weights.tolist(), parts, strict=True):
        if weight > 0:
            total = sparse.csr_array(total + weight * part)
    return total


def _embedding(A: sparse.csr_array, k: int) -> FloatArray:
    """The first k eigenvectors of the normalized adjacency, rows of unit length."""
    n = A.shape[0]
    degree = np.asarray(A.sum(axis=1)).ravel()
    root = 1.0 / np.sqrt(degree + max(0.5 * degree.mean(), 1e-12))
    M = sparse.csr_array(sparse.diags_array(root) @ A @ sparse.diags_array(root))
    if n <= _DENSE or k >= n - 1:
        X = np.linalg.eigh(M.toarray())[1][:, -k:]
    else:
        X = eigsh(M, k, which="LA", v0=np.ones(n), tol=1e-4)[1]
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)


def _random_cells(sizes: IntArray, reach: FloatArray, rng: np.random.Generator) -> sparse.csc_array:
    """Random cells of these sizes, without a vertex twice, drawn by degree."""
    members, n = [], len(reach)
    chance = np.diff(reach, prepend=0.0)
    for size in sizes.tolist():
        some = np.unique(np.searchsorted(reach, rng.random(2 * size) * reach[-1], side="right"))
        if len(some) < size:
            free = np.flatnonzero(chance)
            some = rng.choice(free, size, replace=False, p=chance[free] / chance[free].sum())
        members.append(rng.permutation(np.minimum(some, n - 1))[:size])
    cells = np.repeat(np.arange(len(sizes)), sizes)
    table = csr_from_entries(np.concatenate(members), cells, np.ones(len(cells)), (n, len(sizes)))
    return sparse.csc_array(table)
