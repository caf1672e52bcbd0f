r"""Which sizes of cells carry the signal, without labels.

A fifth of the cells is hidden; the rest, as the projection in which a pair weighs w / (|e| - 1), is
embedded by its first eigenvectors, rows scaled to unit length; and a size of cells predicts

    (mean similarity inside hidden cells) - (mean similarity inside random cells of equal size),

with random cells drawn by degree. Five times over, every cell is hidden once. A size that is
clearly behind the best one gets the weight (what it predicts) / (what the best predicts), all
others keep 1. As noise in one size can hide the signal of another, this is measured with all sizes
and with each by itself, and the clearest evidence wins. Nothing changes, and the result is the fair
operator without weights, unless with the new weights hidden cells of all sizes together are
predicted at least as well. On a graph, sizes are those of the largest clique around an edge.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh

from cellapse._complex.given import to_complex
from cellapse._errors import InputError, extra
from cellapse._linalg.operators import Operator, SparseOperator
from cellapse._operators.as_operator import as_operator
from cellapse._operators.by_size import BySize
from cellapse._operators.hyperedges import inside
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import generator, whole_number
from cellapse._shared.pictures import bars

_FOLDS = 5
_CLEAR = 2.0  # standard errors by which a size must fall behind the best to lose weight
_DENSE = 400  # vertices up to which the whole matrix is taken
_LEAST = 0.01  # of a weight in the operator: what predicts nothing still holds the parts together


@dataclass(frozen=True, eq=False, repr=False)
class Reliability(Shown):
    """What every group of sizes predicts, and the weight it gets.

    Attributes
    ----------
    sizes : list of (int, int)
        Smallest and largest size of the cells in a group.
    counts : (g,) array of int
        Cells that were hidden once; of a graph, cliques without a common edge.
    predicts, errors : (g,) arrays
        The difference of means, and its standard error, at the final weights.
    weights : (g,) array
        1 for the best; all 1 where the sizes do not differ significantly.
    differ : bool
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
    differ: bool
    labels: Sequence[Hashable] = field(repr=False)
    parts: list[sparse.csr_array] = field(repr=False)
    of_vertices: FloatArray | None = field(default=None, repr=False)  # their weights

    def _card(self) -> Card:
        rows = tuple(
            (
                f"size {low}" if low == high else f"size {low}-{high}",
                f"weight {weight:.2f}; {count:,} cells predict {value:.3f} +- {error:.3f}",
            )
            for (low, high), weight, count, value, error in zip(
                self.sizes, self.weights, self.counts, self.predicts, self.errors, strict=True
            )
        )
        calls = (
            ("reliability.operator()", "is the Laplacian with these weights"),
            ("reliability.to_frame()", "is a table with a row per group of sizes"),
        )
        said = "differ" if self.differ else "do not differ significantly"
        title = f"Reliability of {len(self.sizes)} groups of sizes, which {said}"
        return Card(title, rows, lambda: bars(self.weights.tolist()), calls)

    def operator(self) -> Operator:
        """Return the Laplacian in which every cell, or edge of a graph, has the weight of its size.

        A size of weight 0 keeps a hundredth, so that no vertex is left alone. Where all weights
        are 1 it is the weighted projection, of a graph the graph Laplacian.
        """
        n = len(self.labels)
        A = _sum(np.maximum(self.weights, _LEAST), self.parts, n)
        L = sparse.diags_array(np.asarray(A.sum(axis=1)).ravel()) - A
        kernel = as_operator(L).kernel
        if self.of_vertices is not None:  # as B_1 has them
            root = np.sqrt(self.of_vertices)
            L = sparse.diags_array(1.0 / root) @ L @ sparse.diags_array(1.0 / root)
            kernel = None if kernel is None else _unit(sparse.diags_array(root) @ kernel)
        return SparseOperator(L, self.labels, kernel, "reliable projection")

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row per group of sizes."""
        with extra("pandas", "pandas"):
            import pandas as pd
        low, high = zip(*self.sizes, strict=True)
        columns = {"from": low, "to": high, "cells": self.counts, "predicts": self.predicts}
        return pd.DataFrame({**columns, "error": self.errors, "weight": self.weights})


def rank_reliability(
    source: Any, *, dimension: int = 4, rng: int | np.random.Generator = 0
) -> Reliability:
    """Return which sizes of cells predict hidden cells, and weights for them; experimental.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
        Of a hypergraph: cells above the edges are hyperedges, an edge is one where no larger cell
        holds it, or with what its weight has over those, as in `projection_laplacian`. Of a graph:
        an edge has the size of the largest clique (or other cell) that holds it.
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
    K = to_complex(source)
    dimension = whole_number("dimension", dimension, 1, 1000)
    generate = generator(rng)
    cells = BySize.of(K, generate)
    if not cells.sizes:
        raise InputError("the complex has no cell of two or more vertices; give it some")
    trial = Trial(cells, min(dimension, max(K.n_vertices - 2, 1)), generate)
    weights, measured = trial.search()
    return Reliability(
        [(int(s.min()), int(s.max())) for s in cells.sizes],
        np.array([len(s) for s in cells.sizes]),
        np.array([m.gain for m in measured]),
        np.array([m.error for m in measured]),
        weights,
        bool((weights != 1.0).any()),
        K.labels,
        cells.parts,
        K.weights[0],
    )


class Trial:
    """What is hidden when, and how well each group of sizes is predicted at given weights."""

    def __init__(self, cells: BySize, dimension: int, rng: np.random.Generator) -> None:
        self._cells, self._dimension = cells, dimension
        n = cells.parts[0].shape[0]
        folds = [rng.permutation(len(s)) % _FOLDS for s in cells.sizes]
        self._chance = cells.chance
        self._hidden: list[list[IntArray]] = [
            [np.flatnonzero(f == q) for f in folds] for q in range(_FOLDS)
        ]
        self._left = [cells.without(hidden) for hidden in self._hidden]
        self._reached = [
            _sum(np.ones(len(folds)), parts, n).sum(axis=1) > 0 for parts in self._left
        ]

    def measure(self, weights: FloatArray) -> list[Excess]:
        """Per group of sizes, the similarity inside hidden cells and inside random ones.

        Cells with a member that nothing else holds are left out: there is nothing to predict from.
        """
        groups = range(len(self._cells.sizes))
        similar: list[list[FloatArray]] = [[] for _ in groups]
        chance: list[list[FloatArray]] = [[] for _ in groups]
        for hidden, parts, reached in zip(self._hidden, self._left, self._reached, strict=True):
            X = _embedding(_sum(weights, parts, len(reached)), self._dimension)
            for g, at in zip(groups, hidden, strict=True):
                sizes = self._cells.sizes[g][at]
                for table, into in ((self._cells.members[g], similar), (self._chance[g], chance)):
                    some = table[:, at]
                    known = np.asarray(some.T @ ~reached).ravel() == 0
                    into[g].append(inside(X, some[:, known], sizes[known]))
        return [
            Excess(np.concatenate(a), np.concatenate(b))
            for a, b in zip(similar, chance, strict=True)
        ]

    def search(self) -> tuple[FloatArray, list[Excess]]:
        """Return the weights by the clearest evidence, and what is measured with them.

        All are 1 unless hidden cells of all sizes together are then predicted as well at least.
        """
        plain = np.ones(len(self._cells.sizes))
        first = self.measure(plain)
        if len(plain) == 1:
            return plain, first
        alone = [self.measure(one) for one in np.eye(len(plain))]
        weights = _new_weights(max([first, *alone], key=_evidence))
        measured = self.measure(weights)
        better = sum((a - b).gain for a, b in zip(measured, first, strict=True)) >= 0.0
        return (weights, measured) if better else (plain, first)


@dataclass(frozen=True, eq=False)
class Excess:
    """Similarities inside hidden cells of a group of sizes, and inside random ones."""

    hidden: FloatArray
    chance: FloatArray

    @property
    def gain(self) -> float:
        return float(self.hidden.mean() - self.chance.mean()) if self.comparable else 0.0

    @property
    def error(self) -> float:
        if not self.comparable:
            return 1.0
        spread = self.hidden.var() / len(self.hidden) + self.chance.var() / len(self.chance)
        return float(np.sqrt(max(spread, 1e-12)))

    @property
    def comparable(self) -> bool:
        """Whether both have cells enough for a mean and a standard error."""
        return len(self.hidden) > 1 and len(self.chance) > 1

    def __sub__(self, other: Excess) -> Excess:
        """Return the same cells at other weights: what changed for each of them."""
        return Excess(self.hidden - other.hidden, self.chance - other.chance)


def _new_weights(measured: list[Excess]) -> FloatArray:
    """Return weights by what the sizes predict; 1 for all that are not clearly behind the best."""
    gain, error = np.array([(m.gain, m.error) for m in measured]).T
    top = int(np.argmax(gain))
    if gain[top] < _CLEAR * error[top]:
        return np.ones(len(gain))
    behind = gain[top] - gain > _CLEAR * np.hypot(error[top], error)
    return np.where(behind, np.maximum(gain, 0.0) / gain[top] * (gain > 1.5 * error), 1.0)


def _evidence(measured: list[Excess]) -> float:
    return max(m.gain / m.error for m in measured)


def _sum(weights: FloatArray, parts: list[sparse.csr_array], n: int) -> sparse.csr_array:
    total = sparse.csr_array((n, n))
    for weight, part in zip(weights.tolist(), parts, strict=True):
        if weight > 0:
            total = sparse.csr_array(total + weight * part)
    return total


def _unit(columns: Any) -> sparse.csr_array:
    """Return the columns, of length one."""
    return sparse.csr_array(columns / sparse.linalg.norm(columns, axis=0))


def _embedding(A: sparse.csr_array, k: int) -> FloatArray:
    """Return the first k eigenvectors of the normalized adjacency, rows of unit length."""
    n = A.shape[0]
    degree = np.asarray(A.sum(axis=1)).ravel()
    root = 1.0 / np.sqrt(degree + (0.5 * degree.mean() or 1.0))
    M = sparse.csr_array(sparse.diags_array(root) @ A @ sparse.diags_array(root))
    if n <= _DENSE or k >= n - 1:
        X = np.linalg.eigh(M.toarray())[1][:, -k:]
    else:
        X = eigsh(M, k, which="LA", v0=np.ones(n), tol=1e-4)[1]
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)
