"""Inverses of sparse matrices that fall into small blocks, one block at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from cellapse._shared.arrays import FloatArray, csr_from_entries, diagonal_matrix


def inverse_by_blocks(M: Any) -> sparse.csr_array | None:
    """The inverse of a sparse matrix that falls into small blocks, or None if it does not.

    Nor is there one where a block is singular.

    >>> inverse_by_blocks(sparse.diags_array([2.0, 4.0])).toarray().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    entries = sparse.csr_array(M)
    n = entries.shape[0]
    diagonal = entries.diagonal()
    if entries.nnz == np.count_nonzero(diagonal) == n:
        return diagonal_matrix(1.0 / diagonal)
    most = 20 * entries.nnz + 10_000
    fullest = int(np.argmax(np.diff(entries.indptr)))
    if len(breadth_first_order(entries, fullest, return_predecessors=False)) ** 2 > most:
        return None  # one large block says as much as all of them
    _, block = connected_components(entries, directed=False)
    size = np.bincount(block, minlength=1)
    if int((size.astype(np.int64) ** 2).sum()) > most:
        return None
    if size.max(initial=0) <= 1:
        return sparse.csr_array(sparse.diags_array(1.0 / entries.diagonal()))
    members = np.argsort(block, kind="stable")  # block by block
    start = np.cumsum(size) - size
    within = np.empty(n, dtype=np.int64)
    within[members] = np.arange(n) - np.repeat(start, size)
    coo = entries.tocoo()
    rows, columns, values = [], [], []
    for s in np.unique(size).tolist():
        chosen = np.flatnonzero(size == s)
        number = np.full(len(size), -1)
        number[chosen] = np.arange(len(chosen))
        here = number[block[coo.row]] >= 0
        i, j = coo.row[here], coo.col[here]
        dense = np.zeros((len(chosen), s, s))
        dense[number[block[i]], within[i], within[j]] = coo.data[here]
        cells = members[start[chosen][:, None] + np.arange(s)]
        rows.append(np.repeat(cells, s, axis=1).ravel())
        columns.append(np.tile(cells, (1, s)).ravel())
        try:
            values.append(_symmetric_inverses(dense).ravel())
        except np.linalg.LinAlgError:  # singular to rounding: a factorization of all may still do
            return None
    i, j, v = (np.concatenate(part) for part in (rows, columns, values))
    return csr_from_entries(i, j, v, (n, n))


def _symmetric_inverses(blocks: FloatArray) -> FloatArray:
    """Those of symmetric matrices, as Y Y^T with L^T Y = I for definite ones, M = L L^T.

    Then M^-1 is L^-T (I + F) L^-1 with a symmetric F of the size of rounding, and the error of a
    Schur complement by it is no larger. The columns of `inv` have an error of their own each.
    """
    inverses: Any  # what NumPy says of the type is wider
    try:
        Y = np.linalg.inv(np.linalg.cholesky(blocks).swapaxes(-2, -1))
        inverses = Y @ Y.swapaxes(-2, -1)
    except np.linalg.LinAlgError:  # not definite, or not to rounding
        inverses = np.linalg.inv(blocks)
    return inverses
