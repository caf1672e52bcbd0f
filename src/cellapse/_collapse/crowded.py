r"""Solving with many cells on few faces, by dense algebra on the faces.

A clique of 60 vertices has 1,770 edges and 34,220 triangles, and a factorization with a row for
every triangle fills in. From the top rank down a rank with more cells than faces is eliminated by
Woodbury's identity instead, which needs matrices of the size of the faces alone: with
N the matrix that is left of a rank (at the top, its masses), and B, beta, gamma below it,

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
from cellapse._shared.arrays import FloatArray
from cellapse._shared.memory import available_memory

_SMALL = 1000  # rows of a widest level that any factorization takes in its stride


class _Level(NamedTuple):
    """One eliminated rank.

    Attributes
    ----------
    B, beta, gamma
        Its matrix to the faces, and its weights.
    within, between : functions
        Solve with N, and with I + beta G.
    taken : array
        (I + beta G)^-1 G.
    """

    B: sparse.csr_array
    beta: float
    gamma: float
    within: Solve
    between: Solve
    taken: FloatArray


def is_crowded(n_cells: Sequence[int], system: Any) -> bool:
    """Whether dense algebra on the faces is quicker than a factorization with all cells.

    Parameters
    ----------
    n_cells : sequence of int
        Cells of the eliminated ranks, nearest first; those of the last are never rows.
    system : sparse matrix
        What would be factorized.
    """
    rows = max(n_cells[:-1])
    if system.shape[0] <= _SMALL or 6 * 8.0 * rows**2 > available_memory():
        return False
    widest = widest_level(system)[0]
    return widest > max(_SMALL, 2 * rows)


class Crowded:
    """Solves with beta B^T B + `above` + masses, B to the cells of the first rank.

    Parameters
    ----------
    B : (n, m) csr_array
        With empty columns above the first rank.
    beta : float
    above : GradedLaplacian
        Of the eliminated ranks, nearest first.
    masses : (m,) array
        What is added to its diagonal, positive.

    Attributes
    ----------
    nearest : (m_1, m_1) array
        N_1, what is left of the first rank.
    """

    def __init__(
        self, B: sparse.csr_array, beta: float, above: GradedLaplacian, masses: FloatArray
    ) -> None:
        self._cuts = np.cumsum(above.incidence.n_cells)[:-1]
        *lower, top = np.split(masses, self._cuts)
        self._levels: list[_Level] = []  # from the top down
        left: FloatArray | None = None  # of the rank at hand; at the top its masses alone
        for k in reversed(range(len(lower))):
            level = _eliminated(above, k, top if left is None else left)
            self._levels.append(level)
            W = (level.beta * (level.B @ level.B.T)).toarray()
            left = np.diag(lower[k]) + W - level.gamma**2 * level.taken
        assert left is not None
        self.nearest = left
        first = B[:, : len(left)]
        self._first = _by_cholesky(left + beta * (first.T @ first).toarray())

    def solve(self, r: FloatArray) -> FloatArray:
        """The values of all cells, for one right-hand side or many columns."""
        parts = np.split(r, self._cuts)
        for k, level in zip(reversed(range(len(parts) - 1)), self._levels, strict=True):
            pushed = level.between(level.B @ level.within(parts[k + 1]))
            parts[k] = parts[k] + level.gamma * pushed
        values = [self._first(parts[0])]
        for rhs, level in zip(parts[1:], reversed(self._levels), strict=True):
            free = level.within(rhs)
            # N^-1 of both in one sum would cancel to the last digits where N is next to zero.
            pulled = level.between(level.gamma * values[-1] - level.beta * (level.B @ free))
            values.append(free + level.within(level.B.T @ pulled))
        return np.concatenate(values)


def _eliminated(above: GradedLaplacian, k: int, N: FloatArray) -> _Level:
    """The rank behind the k-th matrix, with its N: an array of masses, or dense."""
    B, beta, gamma = above.incidence[k], float(above.beta[k]), float(above.gamma[k])
    if N.ndim == 1:  # the cells of the top rank are many: never rows of a dense array
        within = _by_masses(N)
        G = (B @ sparse.diags_array(1.0 / N) @ B.T).toarray()
    else:
        within = _by_cholesky(N)
        G = B @ within(B.T.toarray())
    between = _by_cholesky(np.eye(len(G)) + beta * (G + G.T) / 2)
    taken = between(G)
    return _Level(B, beta, gamma, within, between, (taken + taken.T) / 2)


def _by_masses(masses: FloatArray) -> Solve:
    return lambda y: (y.T / masses).T


def _by_cholesky(matrix: FloatArray) -> Solve:
    factor = linalg.cho_factor(matrix, lower=True)
    return lambda y: linalg.cho_solve(factor, y)
