r"""Coordinates of vertices by random projection (Spielman and Srivastava).

Z = S^+ F G / k^{1/2},   S = F F^T,   G normal:   |z_i - z_j|^2 = R_ij (1 +- (2 / k)^{1/2})
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from cellapse._errors import InputError
from cellapse._linalg.operators import Operator
from cellapse._shared.arrays import FloatArray, IntArray, csr_from_entries
from cellapse._shared.checks import share
from cellapse.tasks._coordinates import groups_of

_BLOCK = 64  # right-hand sides solved at once


def sketched_coordinates(
    S: Operator, rtol: float, rng: np.random.Generator
) -> tuple[FloatArray, IntArray]:
    """S^+ F G / sqrt(k) with S = F F^T and k columns G of normal numbers."""
    rtol = share("rtol", rtol)
    F = _root(S)
    k = int(np.ceil(2.0 / rtol**2))
    Z = np.empty((S.shape[0], k))
    for start in range(0, k, _BLOCK):
        columns = min(_BLOCK, k - start)
        Z[:, start : start + columns] = S.solve(F @ rng.standard_normal((F.shape[1], columns)))
    return Z / np.sqrt(k), groups_of(S)


def _root(S: Operator) -> sparse.csr_array:
    """F with S = F F^T, one column per entry: |s| (e_i -+ e_j)(e_i -+ e_j)^T and the excess."""
    M = S.shortcuts.matrix
    if M is not None:
        off = sparse.triu(M.sorted_indices(), k=1, format="coo")  # the same order every time
        excess = 2.0 * M.diagonal() - abs(M).sum(axis=1)
        if (excess >= -1e-10 * abs(M).max()).all():
            n, m = S.shape[0], off.nnz
            size = np.sqrt(np.abs(off.data))
            rows = np.concatenate([off.row, off.col, np.arange(n)])
            columns = np.concatenate([np.arange(m), np.arange(m), m + np.arange(n)])
            ends = [size, np.sign(off.data) * size, np.sqrt(np.maximum(excess, 0.0))]
            return csr_from_entries(rows, columns, np.concatenate(ends), (n, m + n))
    raise InputError(
        f"rtol=... for {S!r}, which is not a diagonally dominant matrix; leave out rtol, or use "
        'graph_laplacian(K) or realization="screened"'
    )
