r"""About K^-1 by a few products, where heavy edges tie vertices to groups.

Within a group all values of K^-1 x are nearly the same. With Z the members of every group, which
only light edges tie to each other, and D the diagonal of K_g = Z^T K Z,

    K^-1  >=  Z K_g^-1 Z^T  >=  Z (2 D^-1 - D^-1 K_g D^-1) Z^T:

two of Jacobi's steps between groups.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import sparse

from cellapse._linalg.blas import times
from cellapse._shared.arrays import FloatArray, IntArray, csr_from_entries


class Groups:
    """A weight times about K^-1, in single precision.

    Parameters
    ----------
    K : (n, n) csr_array
        Diagonally dominant.
    group : (n,) array
        The number of the group that each vertex is in.
    weight : float
    """

    def __init__(self, K: sparse.csr_array, group: IntArray, weight: float = 1.0) -> None:
        n, ones = len(group), np.ones(len(group))
        count = int(group.max(initial=-1)) + 1
        Z = csr_from_entries(np.arange(n), group, ones, (n, count))
        between = sparse.csr_array(Z.T @ K @ Z)
        inverse = sparse.diags_array(1.0 / between.diagonal())
        steps = sparse.csr_array(2.0 * inverse - inverse @ between @ inverse)
        parts = sparse.csr_array(Z.T), weight * steps, Z
        self._products = [partial(times, part.astype(np.float32)) for part in parts]

    def inverse(self, x: FloatArray) -> FloatArray:
        """That times x for columns x of float32; at most K^-1.

        >>> K = sparse.csr_array([[9.0, -8.0, 0.0], [-8.0, 9.5, -0.5], [0.0, -0.5, 1.5]])
        >>> Groups(K, np.array([0, 0, 1])).inverse(np.ones((3, 1), np.float32)).round(2).tolist()
        [[0.93], [0.93], [0.93]]
        """
        for product in self._products:
            x = product(x)
        return x
