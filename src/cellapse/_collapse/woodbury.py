r"""Solve with large cliques by Woodbury's identity, with dense algebra on their faces.

A clique of 60 vertices has 1,770 edges and 34,220 triangles, and a factorization with a row for
every triangle fills in. From the top rank down each rank is eliminated by Woodbury's identity
instead, with matrices of the size of its faces: with N the matrix that is left of a rank (at the
top, its masses), and B, beta, gamma below it,

    G = B N^-1 B^T,   N_below = masses + beta B B^T - gamma^2 (I + beta G)^-1 G,

and what is left in the end is N_1 of the first rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from cellapse._collapse.graded import GradedLaplacian
from cellapse._linalg.factor import Solve, widest_level
from cellapse._linalg.tuning import LARGE_CLIQUES_FROM
from cellapse._shared.arrays import FloatArray
from cellapse._shared.memory import available_memory


class _Rank(NamedTuple):
    """One eliminated rank: its matrix to the faces, its weights, and solvers."""

    B: sparse.csr_array
    beta: float
    gamma: float
    within: Solve  # with N
    between: Solve  # with I + beta G
    taken: FloatArray  # (I + beta G)^-1 G


def has_large_cliques(n_cells: Sequence[int], system: Any) -> bool:
    """Return whether dense algebra on the faces is quicker than to factorize `system`.

    `n_cells` are those of the eliminated ranks, nearest first; the last are never rows.
    """
    rows = max(n_cells[:-1])
    if system.shape[0] <= LARGE_CLIQUES_FROM or 6 * 8.0 * rows**2 > available_memory():
        return False
    return widest_level(system)[0] > max(LARGE_CLIQUES_FROM, 2 * rows)


class Woodbury:
    """Solves with beta B^T B + `graded` + masses, where B has empty columns above the first rank.

    `nearest` is N_1, what is left of the first rank.
    """

    def __init__(
        self, B: sparse.csr_array, beta: float, graded: GradedLaplacian, masses: FloatArray
    ) -> None:
        self._cuts = np.cumsum(graded.incidence.n_cells)[:-1]
        *lower, left = np.split(masses, self._cuts)
        self._ranks: list[_Rank] = []  # from the top down
        for k in reversed(range(len(lower))):
            rank = _eliminated(graded, k, left)
            self._ranks.append(rank)
            W = (rank.beta * (rank.B @ rank.B.T)).toarray()
            left = np.diag(lower[k]) + W - rank.gamma**2 * rank.taken
        self.nearest = left
        first = B[:, : len(left)]
        self._first = _by_cholesky(left + beta * (first.T @ first).toarray())

    def solve(self, r: FloatArray) -> FloatArray:
        """Return the values of all cells, for one right-hand side or many columns."""
        parts = np.split(r, self._cuts)
        for k, rank in zip(reversed(range(len(parts) - 1)), self._ranks, strict=True):
            pushed = rank.between(rank.B @ rank.within(parts[k + 1]))
            parts[k] = parts[k] + rank.gamma * pushed
        values = [self._first(parts[0])]
        for rhs, rank in zip(parts[1:], reversed(self._ranks), strict=True):
            free = rank.within(rhs)
            # N^-1 of both in one sum would cancel to the last digits where N is close to zero.
            pulled = rank.between(rank.gamma * values[-1] - rank.beta * (rank.B @ free))
            values.append(free + rank.within(rank.B.T @ pulled))
        return np.concatenate(values)


def _eliminated(graded: GradedLaplacian, k: int, N: FloatArray) -> _Rank:
    """Eliminate the rank behind the k-th matrix, with its N: an array of masses, or dense."""
    B, beta, gamma = graded.incidence[k], float(graded.beta[k]), float(graded.gamma[k])
    if N.ndim == 1:  # the cells of the top rank are many: never rows of a dense array
        G = (B @ sparse.diags_array(1.0 / N) @ B.T).toarray()
        within: Solve = lambda y: (y.T / N).T  # noqa: E731
    else:
        within = _by_cholesky(N)
        G = B @ within(B.T.toarray())
    between = _by_cholesky(np.eye(len(G)) + beta * (G + G.T) / 2)
    taken = between(G)
    return _Rank(B, beta, gamma, within, between, (taken + taken.T) / 2)


def _by_cholesky(matrix: FloatArray) -> Solve:
    factor = linalg.cho_factor(matrix, lower=True)
    return lambda y: linalg.cho_solve(factor, y)
