r"""The graded Laplacian of all ranks at once.

    L* = | D_0           -gamma_0 B_1                      |
         | -gamma_0 B_1^T  D_1          -gamma_1 B_2       |
         |                -gamma_1 B_2^T   D_2         ... |

with D_k = beta_k B_k^T B_k + beta_{k+1} B_{k+1} B_{k+1}^T.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._collapse.weights import check_beta, check_gamma, psd_bound
from cellapse._errors import InputError
from cellapse._linalg.sigma import sigma_min
from cellapse._matrices.incidence import Incidence
from cellapse._shared.arrays import FloatArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import whole_number
from cellapse._shared.pictures import grid


@dataclass(frozen=True, eq=False, repr=False)
class GradedLaplacian(Shown):
    """L* by blocks; made by `graded_laplacian`.

    Attributes
    ----------
    incidence : Incidence
    beta, gamma : arrays of K numbers
        beta_1..beta_K and gamma_0..gamma_{K-1}.
    """

    incidence: Incidence
    beta: FloatArray
    gamma: FloatArray

    def _card(self) -> Card:
        n, (rows, columns) = self.incidence.n_cells, self.matrix.nonzero()
        weights = (("beta", f"{self.beta.round(4)}"), ("gamma", f"{self.gamma.round(4)}"))
        title = f"GradedLaplacian of {', '.join(f'{m:,}' for m in n)} cells"
        calls = (("L.matrix", "is sparse"), ("L.block(i, j)", "is the one between two ranks"))
        return Card(title, weights, lambda: grid(rows, columns, sum(n)), calls)

    def block(self, i: int, j: int) -> sparse.csr_array:
        """Return the block of L* between ranks i and j."""
        n, K = self.incidence.n_cells, len(self.incidence)
        i, j = (whole_number(f"a rank of block({i!r}, {j!r})", k, 0, K) for k in (i, j))
        if abs(i - j) == 1:
            low = min(i, j)
            coupling = -self.gamma[low] * self.incidence[low]
            return sparse.csr_array(coupling if i < j else coupling.T)
        if i != j:
            return sparse.csr_array((n[i], n[j]))
        B = self.incidence
        parts = [self.beta[i - 1] * (B[i - 1].T @ B[i - 1])] if i > 0 else []
        parts += [self.beta[i] * (B[i] @ B[i].T)] if i < K else []
        return sparse.csr_array(sum(parts[1:], parts[0]) if parts else (n[i], n[i]))

    @cached_property
    def matrix(self) -> sparse.csr_array:
        """L* as one sparse matrix, ranks in order."""
        return self._assemble(range(len(self.incidence) + 1))

    def apply(self, z: FloatArray) -> FloatArray:
        """Compute L* z from the matrices B_k: no entry is a sum of large and small ones."""
        cuts = np.cumsum(self.incidence.n_cells)[:-1]
        parts = np.split(z, cuts)
        images = [np.zeros_like(part) for part in parts]
        for k, B in enumerate(self.incidence):
            low, high = parts[k], parts[k + 1]
            beta, gamma = self.beta[k], self.gamma[k]
            images[k] += B @ (beta * (B.T @ low) - gamma * high)
            images[k + 1] += B.T @ (beta * (B @ high) - gamma * low)
        return np.concatenate(images)

    def split(self, onto: int = 0) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
        """Return A, X, C of L* = [[A, X], [X^T, C]], rank `onto` first, the others in order."""
        onto = whole_number("onto", onto, 0, len(self.incidence))
        others = [k for k in range(len(self.incidence) + 1) if k != onto]
        A = self.block(onto, onto)
        if not others:
            return A, sparse.csr_array((A.shape[0], 0)), sparse.csr_array((0, 0))
        X = sparse.hstack([self.block(onto, k) for k in others], format="csr")
        return A, sparse.csr_array(X), self._assemble(others)

    def _assemble(self, ranks: Sequence[int]) -> sparse.csr_array:
        rows = [[self.block(i, j) if abs(i - j) < 2 else None for j in ranks] for i in ranks]
        return sparse.csr_array(sparse.block_array(rows, format="csr"))


def graded_laplacian(
    matrices: Incidence | Sequence[Any], *, beta: Any = 1.0, gamma: Any = "bound"
) -> GradedLaplacian:
    """Make the graded Laplacian of a chain of matrices.

    L* has the blocks D_k = beta_k B_k^T B_k + beta_{k+1} B_{k+1} B_{k+1}^T on the diagonal, and
    -gamma_k B_{k+1} between the ranks k and k + 1.

    Parameters
    ----------
    matrices : Incidence or list of matrices B_1..B_K
    beta : number or K numbers
        Adjacency weights beta_1..beta_K, at least 0.
    gamma : "bound", number or K numbers, or Unchecked
        Coupling weights gamma_0..gamma_{K-1}; "bound" is the largest that `thm:psd` allows.

    Returns
    -------
    GradedLaplacian
        Its `matrix`, its `block(i, j)`, and `split(onto)` into A, X and C.

    Examples
    --------
    >>> L = graded_laplacian([[[-1.0], [1.0]]])
    >>> L.matrix.toarray().round(3).tolist()
    [[1.0, -1.0, 1.414], [-1.0, 1.0, -1.414], [1.414, -1.414, 2.0]]
    """
    B = Incidence.of(matrices)
    beta = check_beta(beta, len(B))
    if isinstance(gamma, str) and gamma == "regularized":
        raise InputError('gamma="regularized" needs an eps that pays for it; use it in collapse')
    bound = psd_bound(beta, np.array([sigma_min(M) for M in B]))
    return GradedLaplacian(B, beta, check_gamma(gamma, bound, bound))
