"""Matrices of a user: which lists are lists of matrices, and which matrix is no B_1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._errors import InputError
from cellapse._shared.checks import own_csr


def are_matrices(source: Any) -> bool:
    """Whether this is a list of matrices, and not one of edges, cells or points.

    >>> are_matrices([np.eye(3)]), are_matrices([[[-1], [1]]]), are_matrices([(0, 1), (1, 2)])
    (True, True, False)
    """
    if not isinstance(source, list | tuple):
        return isinstance(source, Iterator)  # a generator of matrices can be looked at only once
    return all(sparse.issparse(M) or isinstance(M, np.ndarray) or _is_nested(M) for M in source)


def _is_nested(rows: Any) -> bool:
    return isinstance(rows, list) and bool(rows) and isinstance(rows[0], list | tuple)


def looks_like_adjacency(B: sparse.csr_array) -> bool:
    """Square, symmetric, not negative; but columns of two ones may be edges around a cycle."""
    if B.shape[0] != B.shape[1] or (B.data < 0).any() or abs(B - B.T).nnz:
        return False
    pairs = (np.diff(sparse.csc_array(B).indptr) == 2).all()
    return bool(B.nnz) and not (pairs and B.diagonal().any())


def as_csr(k: int, given: Any) -> sparse.csr_array:
    """A copy of B_k of a user, checked."""
    try:
        return own_csr(given, f"B_{k}")
    except InputError as error:
        raise InputError(
            f"{error}; collapse a Complex, such as clique_complex(graph) gives, or a list of "
            "matrices B_1, ..., B_K"
        ) from None
