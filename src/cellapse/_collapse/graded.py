r"""The graded Laplacian of all ranks at once, and the weights that keep it positive semi-definite.

    L* = | D_0           -gamma_0 B_1                      |
         | -gamma_0 B_1^T  D_1          -gamma_1 B_2       |
         |                -gamma_1 B_2^T   D_2         ... |

with D_k = beta_k B_k^T B_k + beta_{k+1} B_{k+1} B_{k+1}^T. It is positive semi-definite when
gamma_k <= beta_{k+1} sigma_min+(B_{k+1}) (`thm:psd`); with eps added to the eliminated ranks,
gamma_k^2 <= beta_{k+1} (beta_{k+1} sigma_min+^2 + eps) is enough for the collapsed operator.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._errors import CellapseWarning, InputError
from cellapse._linalg.singular import smallest_singular_value
from cellapse._matrices.incidence import Incidence
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import real_array, whole_number


@dataclass(frozen=True)
class Unchecked:
    """Coupling weights to use as they are, with a warning instead of an error beyond the bound.

    >>> Unchecked(2.0)
    Unchecked(gamma=2.0)
    """

    gamma: float | Sequence[float]


@dataclass(frozen=True, eq=False)
class GradedLaplacian:
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

    def block(self, i: int, j: int) -> sparse.csr_array:
        """The block of L* between ranks i and j."""
        n, K = self.incidence.n_cells, len(self.incidence)
        i, j = (whole_number(f"a rank of block({i!r}, {j!r})", k, 0, K) for k in (i, j))
        if abs(i - j) == 1:
            low = min(i, j)
            coupling = -self.gamma[low] * self.incidence[low]
            return sparse.csr_array(coupling if i < j else coupling.T)
        block = sparse.csr_array((n[i], n[j]))
        if i == j and i > 0:
            B = self.incidence[i - 1]
            block = block + self.beta[i - 1] * (B.T @ B)
        if i == j and i < K:
            B = self.incidence[i]
            block = block + self.beta[i] * (B @ B.T)
        return sparse.csr_array(block)

    @cached_property
    def matrix(self) -> sparse.csr_array:
        """L* as one sparse matrix, ranks in order."""
        return self._assemble(range(len(self.incidence) + 1))

    def apply(self, z: FloatArray) -> FloatArray:
        """L* z from the matrices B_k themselves: no entry is a sum of large and small ones."""
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
        """A, X, C of L* = [[A, X], [X^T, C]] with rank `onto` first and the others in order."""
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
    """The graded Laplacian of a chain of matrices.

    Parameters
    ----------
    matrices : Incidence or list of matrices B_1..B_K
    beta : number or K numbers
        Adjacency weights beta_1..beta_K, at least 0.
    gamma : "bound", number or K numbers, or Unchecked
        Coupling weights gamma_0..gamma_{K-1}; "bound" is the largest that `thm:psd` allows.

    Examples
    --------
    >>> L = graded_laplacian([[[-1.0], [1.0]]])
    >>> L.matrix.toarray().round(3).tolist()
    [[1.0, -1.0, 1.414], [-1.0, 1.0, -1.414], [1.414, -1.414, 2.0]]
    """
    B = matrices if isinstance(matrices, Incidence) else Incidence.from_matrices(matrices)
    beta = check_beta(beta, len(B))
    if isinstance(gamma, str) and gamma == "regularized":
        raise InputError('gamma="regularized" needs an eps that pays for it; use it in collapse')
    bound = psd_bound(beta, np.array([smallest_singular_value(M) for M in B]))
    return GradedLaplacian(B, beta, check_gamma(gamma, bound, bound))


def check_beta(beta: Any, K: int) -> FloatArray:
    """beta_1..beta_K as an array of K numbers >= 0."""
    return _numbers("beta", beta, K, "beta_1..beta_K")


def check_eps(eps: Any) -> float:
    """eps as a finite number >= 0."""
    value = _numbers("eps", eps, 1, "one regularization")
    return float(value[0])


def psd_bound(beta: FloatArray, sigma: FloatArray) -> FloatArray:
    """The largest gamma of `thm:psd`, beta_{k+1} sigma_min+(B_{k+1}); infinite for B = 0."""
    finite = np.isfinite(sigma)
    return np.where(finite, beta * np.where(finite, sigma, 0.0), np.inf)


def regularized_bound(beta: FloatArray, sigma: FloatArray, eps: float) -> FloatArray:
    """The largest gamma for which S_eps is sure to be positive semi-definite.

    gamma_k^2 = beta_{k+1} (beta_{k+1} sigma_min+(B_{k+1})^2 + eps)
    """
    bound = psd_bound(beta, sigma)
    return np.sqrt(bound**2 + beta * eps)


def check_gamma(gamma: Any, bound: FloatArray, limit: FloatArray) -> FloatArray:
    """gamma_0..gamma_{K-1} as numbers: by name, or as given if none exceeds `limit`.

    A matrix without entries has an infinite bound and no effect: its coupling is set to 0.
    """
    if isinstance(gamma, str):
        named = {"bound": bound, "regularized": limit}
        if gamma not in named:
            raise InputError(f'gamma={gamma!r}; choose "bound", "regularized" or numbers')
        return np.where(np.isfinite(named[gamma]), named[gamma], 0.0)
    checked = not isinstance(gamma, Unchecked)
    given = gamma if checked else gamma.gamma
    values = _numbers("gamma", given, len(bound), "gamma_0..gamma_{K-1}")
    if (values > limit * (1 + 1e-9)).any():
        problem = (
            f"gamma={_tuple(values)} exceeds the PSD bound {_tuple(limit)}, so L* may be indefinite"
        )
        if checked:
            raise InputError(f'{problem}; pass gamma="bound", or Unchecked(gamma) to try it anyway')
        warnings.warn(problem, CellapseWarning, stacklevel=3)
    return values


def _numbers(name: str, given: Any, count: int, meaning: str) -> FloatArray:
    values = real_array(given, f"{name}={given!r}")
    if values.ndim > 1 or (values.ndim == 1 and len(values) != count):
        raise InputError(
            f"{name} has shape {values.shape}; give one number, or {count} of them for {meaning}"
        )
    values = np.array(np.broadcast_to(values, (count,)))
    if not np.isfinite(values).all() or (values < 0).any():
        raise InputError(f"{name}={given!r}; it must be finite and at least 0")
    return values


def _tuple(values: FloatArray) -> str:
    return "(" + ", ".join(f"{v:.4g}" for v in values) + ("," if len(values) == 1 else "") + ")"
