r"""How many ways the eliminated cells can have values without any energy.

With z_1, z_2, ... on the eliminated ranks, nearest first, y = z_{k-1} and z = z_k, the energy of C
is beta_1 |B_1 z_1|^2 and for every further matrix

    beta |B^T y|^2 + beta |B z|^2 - 2 gamma y^T B z
        = sum_i (beta sigma_i - gamma) sigma_i (a_i^2 + b_i^2) + gamma sigma_i (a_i - b_i)^2

with a_i = u_i^T y and b_i = v_i^T z in the singular vectors of B. It is zero where all a_i and b_i
are; but for gamma = beta sigma_i, at its bound, where they are the same. These are conditions on z
of length one: how many of them are independent does not depend on the size of weights, as the
eigenvalues of C do.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from cellapse._errors import ConvergenceError
from cellapse._linalg.sigma import rank_of
from cellapse._shared.arrays import FloatArray

_DENSE = 400  # up to so many cells the conditions are written down
_WIDE = 1e3  # entries that differ by more than this have eigenvalues that look like zero
_AT_BOUND = 1e-9  # how near gamma is to its bound, relative to it
# Conditions that differ by less are the same one. Where rounding leaves more of two that are the
# same, an eigenvalue of the size of rounding is taken for positive: that is noticed, and refused.
_SAME = 1e-12


def nullity(
    matrices: Sequence[sparse.csr_array],
    beta: Sequence[float] | FloatArray,
    gamma: Sequence[float] | FloatArray,
) -> int | None:
    """How many eigenvalues of C are zero, for matrices from the kept rank outwards.

    None where there are many cells and their weights are of one size: the eigenvalues tell.

    >>> edge = sparse.csr_array([[-1.0], [1.0]])
    >>> nullity([edge], [1.0], [1.0]), nullity([edge, edge.T], [1.0, 1.0], [1.0, 1.0])
    (0, 1)
    """
    cuts = np.cumsum([0, *(B.shape[1] for B in matrices)])
    if cuts[-1] > _DENSE:
        _check_sizes(matrices, beta)
        return None
    conditions = [np.zeros((1, cuts[-1]))]
    for k, (B, b, g) in enumerate(zip(matrices, beta, gamma, strict=True)):
        if b == 0.0 or not B.nnz:
            continue
        rank = rank_of(B)
        u, sigma, v = (part[..., :rank] for part in _triples(B))
        here = np.zeros((rank, cuts[-1]))
        here[:, cuts[k] : cuts[k + 1]] = v.T
        if k:
            there = np.zeros_like(here)
            there[:, cuts[k - 1] : cuts[k]] = u.T
            same = abs(g - b * sigma) <= _AT_BOUND * g
            here[same] = np.sqrt(0.5) * (here[same] - there[same])
            conditions.append(there[~same])
        conditions.append(here)
    independent = np.linalg.svd(np.vstack(conditions), compute_uv=False) > _SAME
    return int(cuts[-1] - independent.sum())


def nullity_around(
    matrices: Sequence[sparse.csr_array], beta: FloatArray, gamma: FloatArray, onto: int
) -> int | None:
    """The same for all ranks but `onto`, those above it and those below."""
    below = [B.T.tocsr() for B in reversed(matrices[:onto])]
    up = nullity(matrices[onto:], beta[onto:], gamma[onto:])
    down = nullity(below, beta[:onto][::-1], gamma[:onto][::-1])
    return None if up is None or down is None else up + down


def _triples(B: sparse.csr_array) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Singular vectors as columns, and values, largest first."""
    u, sigma, vt = np.linalg.svd(B.toarray(), full_matrices=False)
    return u, sigma, vt.T


def _check_sizes(matrices: Sequence[sparse.csr_array], beta: Sequence[float] | FloatArray) -> None:
    """Refuse what neither the conditions nor the eigenvalues of C would tell."""
    for B, b in zip(matrices, beta, strict=True):
        size = abs(B.data)[B.data != 0.0] if b > 0.0 else np.ones(0)
        if size.max(initial=0.0) > _WIDE * size.min(initial=np.inf):
            raise ConvergenceError(
                f"the weights of cells differ so much (by {size.max() / size.min():.0e} in one "
                "matrix) that which of their values have no energy is not certain; "
                "give a positive eps, or rescale the weights of the cells"
            )
