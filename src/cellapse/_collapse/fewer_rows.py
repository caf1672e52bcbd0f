r"""Solving with fewer rows where cells have fewer cofaces than there are cells, as on meshes.

A mesh has three edges for two triangles. With w the values of the cells next to the kept rank, m
their masses, B_2, beta, gamma to their cofaces with values t, and N the matrix of these and of all
further ranks, the quasi-definite system of `raised` is

    | -I / beta_1   B                                |
    |  B^T          m + beta B_2 B_2^T    -gamma B_2 |
    |              -gamma B_2^T            N         |.

What w needs to know of its cofaces is s = beta B_2^T w - gamma t, one number for each of them:

    m w = r - B^T v - B_2 s.

So w leaves the system, and (v, s) are tied by Z = (B^T, B_2), which is as sparse as a graph:

    | -diag(1 / beta_1, 1 / beta) - Z^T m^-1 Z     -(0, gamma / beta)^T |
    | -(0, gamma / beta)                            N - gamma^2 / beta  |,

definite in both blocks where gamma is within its bound and B_2 has no kernel. Dividing by m, which
may be as small as eps, costs digits: products to full accuracy are refined once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from cellapse._collapse.graded import GradedLaplacian
from cellapse._linalg.direct import Solve
from cellapse._shared.arrays import FloatArray, diagonal_matrix, row_sum, square

_SMALL = 30_000  # rows up to which orders are soon found, and products count more
_DIGITS = 1e-12  # what elimination may lose of the matrix, which need not be definite in blocks


def saves_rows(n: int, n_cells: Sequence[int]) -> bool:
    """Whether all ranks above n kept cells, nearest first, have fewer cells than the one below.

    >>> saves_rows(10_000, (29_977, 19_978)), saves_rows(10_000, (50_000, 72_520))
    (True, False)
    """
    fewer = all(n_cells[k + 1] < n_cells[k] for k in range(len(n_cells) - 1))
    return fewer and n + sum(n_cells) > _SMALL


class FewerRows:
    """Solves with beta_1 B^T B + `above` + masses by a system without its first cells.

    Parameters
    ----------
    B : (n, any) csr_array
        With empty columns above the first rank.
    beta : float
        beta_1, positive, as is the first beta of `above`.
    above : GradedLaplacian
        Of the eliminated ranks, nearest first.
    masses : array
        What is added to its diagonal, positive.

    Attributes
    ----------
    matrix : csr_array
        What is left to factorize.
    """

    def __init__(
        self, B: sparse.csr_array, beta: float, above: GradedLaplacian, masses: FloatArray
    ) -> None:
        n, (cells, cofaces) = B.shape[0], above.incidence.n_cells[:2]
        first, b, gamma = above.incidence[0], float(above.beta[0]), float(above.gamma[0])
        self._m = masses[:cells]
        # (v, s) in units of this size: entries of both blocks are alike then.
        unit = float(np.sqrt(self._m.min()))
        ties = sparse.vstack([unit * B[:, :cells], unit * first.T.tocsr()], format="csr")
        self._pulls = sparse.csr_array(ties @ diagonal_matrix(1.0 / self._m))
        self._pushes = self._pulls.T.tocsr()
        near = -square(ties, 1.0 / self._m)
        held = np.repeat([1.0 / beta, 1.0 / b], [n, cofaces])
        near = sparse.csr_array(near - diagonal_matrix(unit**2 * held))
        drop = np.zeros(len(masses) - cells)
        drop[:cofaces] = gamma**2 / b
        far = above.matrix[cells:, cells:] + diagonal_matrix(masses[cells:] - drop)
        link = _linked(near[:, n:], -unit * gamma / b)
        link.resize(len(held), far.shape[0])
        # Rows first, which moves whole rows; all four at once would sort entries
        rows = [sparse.hstack([near, link], "csr"), sparse.hstack([link.T.tocsr(), far], "csr")]
        self.matrix = sparse.csr_array(sparse.vstack(rows, "csr"))

    def keeps_digits(self, factor: Solve) -> bool:
        """Whether a factor is one of the matrix, as far as a random right-hand side tells."""
        rhs = np.random.default_rng(0).standard_normal(self.matrix.shape[0])
        u = factor(rhs)
        size = row_sum(self.matrix) * np.linalg.norm(u) + np.linalg.norm(rhs)
        return bool(np.linalg.norm(self.matrix @ u - rhs) <= _DIGITS * size)

    def solve(self, factor: Solve, r: FloatArray) -> FloatArray:
        """The values of all cells by a factor of the matrix, for one right-hand side or many."""
        cells, ties = self._pushes.shape
        u = factor(np.concatenate([-(self._pulls @ r[:cells]), r[cells:]]))
        w = (r[:cells].T / self._m).T - self._pushes @ u[:ties]
        return np.concatenate([w, u[ties:]])


def _linked(columns: sparse.csr_array, value: float) -> sparse.csr_array:
    """The value where a coface meets itself, and zeros where it meets what is in its column.

    Both numbers of a coface then have the same neighbours, and an order of elimination takes them
    for one.
    """
    rows = np.repeat(np.arange(columns.shape[0]), np.diff(columns.indptr))
    itself = rows - columns.indices == columns.shape[0] - columns.shape[1]
    entries = np.where(itself, value, 0.0), columns.indices, columns.indptr
    return sparse.csr_array(entries, shape=columns.shape)
