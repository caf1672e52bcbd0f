"""Operators of homology on the cells of any rank: Hodge Laplacians and the Dirac operator."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from cellapse._complex.given import to_complex
from cellapse._linalg.kernel import left_kernel
from cellapse._linalg.operators import SparseOperator
from cellapse._matrices.matrices import boundary_matrices
from cellapse._operators.baselines import operator_of
from cellapse._shared.checks import whole_number


def hodge_laplacian(source: Any, rank: int) -> SparseOperator:
    """The Hodge Laplacian of one rank; its kernel counts holes.

    L_k = B_k^T B_k + B_{k+1} B_{k+1}^T.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
    rank : int
        The rank k of the cells it acts on.

    Returns
    -------
    Operator

    Examples
    --------
    >>> import cellapse as cl
    >>> circle = cl.Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]]})
    >>> hodge_laplacian(circle, 1).spectrum().values.round(6).tolist()
    [0.0, 3.0, 3.0]
    """
    K = to_complex(source)
    rank = whole_number("rank", rank, 0, K.max_rank)
    B = boundary_matrices(K)
    n = B.n_cells[rank]
    L = sparse.csr_array((n, n))
    if rank > 0:
        L = L + B[rank - 1].T @ B[rank - 1]
    if rank < K.max_rank:
        L = L + B[rank] @ B[rank].T
    kernel = left_kernel(B[0]) if rank == 0 and len(B) else None
    name = f"Hodge Laplacian of rank {rank}"
    operator = operator_of(K, L, kernel, name, K.cell_labels(rank))
    operator.onto = rank
    return operator


def dirac_operator(source: Any) -> SparseOperator:
    """The topological Dirac operator on all cells: every B_k and its transpose.

    Its square is the direct sum of the Hodge Laplacians; it is symmetric but not definite. Labels
    are (rank, label) pairs.

    D = sum over k of B_k and B_k^T, as the blocks between ranks k - 1 and k.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes

    Returns
    -------
    Operator

    Examples
    --------
    >>> import cellapse as cl
    >>> dirac_operator(cl.Complex.from_cells({1: [("a", "b")]})).toarray().tolist()
    [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [-1.0, 1.0, 0.0]]
    """
    K = to_complex(source)
    B = boundary_matrices(K)
    size = range(K.max_rank + 1)
    blocks: list[list[sparse.csr_array | None]] = [[None] * len(size) for _ in size]
    for k, n in enumerate(K.n_cells):
        blocks[k][k] = sparse.csr_array((n, n))
    for k, M in enumerate(B):
        blocks[k][k + 1], blocks[k + 1][k] = M, sparse.csr_array(M.T)
    labels = tuple((k, label) for k in size for label in K.cell_labels(k))
    matrix = sparse.block_array(blocks, format="csr")
    return operator_of(K, matrix, None, "Dirac", labels, definite=False)
