"""Homology: Hodge Laplacians, the Dirac operator, Betti numbers.

L_k = B_k^T B_k + B_{k+1} B_{k+1}^T, as it is, with normalized boundaries, or with the boundaries of
a larger complex that lie within.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import linalg, sparse

from cellapse._complex.complex import Complex, require_complex
from cellapse._complex.given import to_complex
from cellapse._errors import InputError
from cellapse._linalg.kernel import left_kernel
from cellapse._linalg.operators import SparseOperator
from cellapse._matrices.matrices import boundary_matrices
from cellapse._operators.baselines import operator_of
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import whole_number
from cellapse._shared.memory import require_memory

# Exact over the rationals unless the complex has torsion of this very order.
_PRIME = 2**31 - 1  # any prime that is no order of torsion


def hodge_laplacian(source: Any, rank: int) -> SparseOperator:
    """Return the Hodge Laplacian of one rank; its kernel counts holes.

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


def normalized_hodge_laplacian(source: Any, rank: int) -> SparseOperator:
    """Return the Hodge Laplacian normalized by the numbers of paths to maximal cells.

    w(x) = 1 for a cell in no larger one (or its weight), otherwise the sum of w(y) over its
    cofaces y: the number of chains x < y < ... up to maximal cells. With these as weights of the
    cells, W_{k-1}^{-1/2} B_k W_k^{1/2} takes the place of B_k. The eigenvalues of
    B_{k+1} B_{k+1}^T are then at most k + 2, the kernel still counts holes, and rank 0 of a graph
    is its normalized Laplacian (Horak and Jost 2013; Viganò et al. 2026, from random walks).

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
        Maximal cells may have weights; those of other cells follow from them.
    rank : int
        The rank k of the cells it acts on.

    Returns
    -------
    Operator

    Examples
    --------
    >>> import cellapse as cl
    >>> circle = cl.Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]]})
    >>> normalized_hodge_laplacian(circle, 0).spectrum().values.round(6).tolist()
    [0.0, 1.5, 1.5]
    """
    K = to_complex(source)
    rank = whole_number("rank", rank, 0, K.max_rank)
    L = hodge_laplacian(replace(K, weights=_path_counts(K)), rank)
    L.name = f"normalized {L.name}"
    return L


def _path_counts(K: Complex) -> tuple[FloatArray, ...]:
    """Return for every cell the weights of the maximal cells above it, once for each chain."""
    faces = boundary_matrices(replace(K, weights=(None,) * (K.max_rank + 1)))
    above: FloatArray = np.empty(0)  # no cells above the top rank
    counts = []
    for k in range(K.max_rank, -1, -1):
        B = abs(faces[k]) if k < K.max_rank else sparse.csr_array((K.n_cells[k], 0))
        given = K.weights[k]
        maximal = B.sum(axis=1) == 0
        if given is not None and (given[~maximal] != 1.0).any():
            raise InputError(
                f"weights of cells of rank {k} that lie in larger ones, whose weights are sums of "
                "those; give weights to maximal cells only"
            )
        above = np.where(maximal, 1.0 if given is None else given, B @ above)
        counts.append(above)
    return tuple(reversed(counts))


def persistent_laplacian(source: Any, inside: Any, rank: int) -> SparseOperator:
    """Return the persistent Laplacian of a complex inside a larger one.

    L_k = B_k^T B_k + P (I - R^+ R) P^T, where P has the rows of B_{k+1} of the larger complex that
    belong to cells inside, and R the others: chains count whose boundary lies inside. This is the
    Schur complement of the larger complex's B_{k+1} B_{k+1}^T onto the cells inside, and its
    kernel counts the holes that persist (Mémoli, Wan and Wang 2022).

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
        The larger complex; its weights count.
    inside : Complex, or whatever `collapse` takes
        A closed part of it, by the labels of the vertices, without weights of its own.
    rank : int
        The rank k of the cells it acts on.

    Returns
    -------
    Operator
        On the cells of that rank inside, in their order.

    Examples
    --------
    >>> import cellapse as cl
    >>> circle = cl.Complex.from_cells({1: [(0, 1), (1, 2), (0, 2)]})
    >>> disc = cl.Complex.from_cells({1: [(0, 1), (1, 2), (0, 2)], 2: [(0, 1, 2)]})
    >>> [persistent_laplacian(K, circle, 1).spectrum().values.round(6).tolist()[0]
    ...  for K in (circle, disc)]
    [0.0, 3.0]
    """
    K, part = to_complex(source), to_complex(inside)
    rank = whole_number("rank", rank, 0, part.max_rank)
    where = [_positions_within(K, part, k) for k in range(rank + 1)]
    B = boundary_matrices(K)
    n = len(where[rank])
    L = np.zeros((n, n))
    if rank > 0:
        down = B[rank - 1][:, where[rank]]
        if down.nnz != down[where[rank - 1]].nnz:
            raise InputError(
                f"a cell of rank {rank} of `inside` has a face that is not inside; give a closed "
                "part, with all faces of its cells"
            )
        L += (down.T @ down).toarray()
    if rank < K.max_rank:
        rows = np.zeros(K.n_cells[rank], dtype=bool)
        rows[where[rank]] = True
        P, R = B[rank][where[rank]], B[rank][~rows]
        touched = np.flatnonzero(abs(R).sum(axis=0))  # by chains that leave the part
        free = np.setdiff1d(np.arange(R.shape[1]), touched)
        require_memory(
            24.0 * len(touched) * (R.shape[0] + len(touched)),
            f"the null space of {R.shape[0]:,} x {len(touched):,} boundaries",
            "give a part that more cells of the larger complex belong to",
        )
        closed = P[:, touched] @ linalg.null_space(R[:, touched].toarray())
        L += closed @ closed.T + (P[:, free] @ P[:, free].T).toarray()
    name = f"persistent Laplacian of rank {rank}"
    operator = operator_of(K, sparse.csr_array(L), None, name, part.cell_labels(rank))
    operator.onto = rank
    return operator


def _positions_within(K: Complex, part: Complex, rank: int) -> IntArray:
    """Return where the cells of a part stand among those of its complex."""
    if part.weights[rank] is not None:
        raise InputError(
            f"`inside` has weights of rank {rank}, but those of the larger complex count; "
            "give it without weights"
        )
    name = (lambda label: label) if rank == 0 else frozenset
    known = {name(label): i for i, label in enumerate(K.cell_labels(rank))}
    wanted = part.cell_labels(rank)
    for label in wanted:
        if name(label) not in known:
            raise InputError(
                f"{label!r} of rank {rank} is inside but not in the larger complex; give a part "
                "of it"
            )
    return np.array([known[name(label)] for label in wanted], dtype=np.int64)


def dirac_operator(source: Any) -> SparseOperator:
    """Return the topological Dirac operator on all cells: every B_k and its transpose.

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


def betti_numbers(K: Complex) -> tuple[int, ...]:
    """Return number of independent holes of each rank: b_k = n_k - rank B_k - rank B_{k+1}.

    >>> betti_numbers(Complex.from_arrays(2, {}))
    (2,)
    """
    require_complex(K, "betti_numbers")
    unweighted = Complex(K.labels, K.cells, (None,) * len(K.cells), ())
    ranks = [0]
    cleared: set[int] = set()
    for B in reversed(boundary_matrices(unweighted).matrices):
        # Columns that were pivots one rank up are boundaries: they reduce to zero (clearing).
        cleared = _pivots(B.tocsc(), cleared)
        ranks.append(len(cleared))
    ranks = [0, *reversed(ranks)]  # rank B_0 = 0, B_1, ..., B_K, B_{K+1} = 0
    return tuple(n - ranks[k] - ranks[k + 1] for k, n in enumerate(K.n_cells))


def _pivots(B, cleared: set[int]) -> set[int]:  # type: ignore[no-untyped-def]
    """Return rows that hold the lowest entry of a reduced column; their number is the rank of B."""
    reduced: dict[int, dict[int, int]] = {}
    for j in range(B.shape[1]):
        if j in cleared:
            continue
        at = slice(B.indptr[j], B.indptr[j + 1])
        column = dict(
            zip(B.indices[at].tolist(), np.sign(B.data[at]).astype(int).tolist(), strict=True)
        )
        while column:
            low = max(column)
            other = reduced.get(low)
            if other is None:
                inverse = pow(column[low], -1, _PRIME)
                reduced[low] = {i: v * inverse % _PRIME for i, v in column.items()}
                break
            factor = column[low]
            for i, v in other.items():
                value = (column.get(i, 0) - factor * v) % _PRIME
                if value:
                    column[i] = value
                else:
                    column.pop(i, None)
    return set(reduced)
