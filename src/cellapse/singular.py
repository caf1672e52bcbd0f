"""The smallest positive singular value of a sparse matrix, whose rank nobody knows.

sigma_min+(B) bounds the coupling weights of the graded Laplacian. With G = B B^T: G is diagonal
when every column of B has one entry; its kernel is known when columns have two; otherwise Lanczos
runs on G (G + d I)^-3 G, whose eigenvalues s^2 / (s + d)^3 are largest at the smallest positive s
of G and vanish on its kernel.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from cellapse._errors import ConvergenceError
from cellapse.kernel import left_kernel
from cellapse.solvers import Direct

_DENSE = 400  # up to this size a dense eigenvalue problem is quicker than a factorization


def smallest_singular_value(B: sparse.csr_array) -> float:
    """sigma_min+(B), with sigma_min+(0) = inf as in the paper.

    >>> smallest_singular_value(sparse.csr_array([[3.0, 0.0], [0.0, 0.0]]))
    3.0
    """
    B = sparse.csr_array(B)
    B.eliminate_zeros()
    if B.nnz == 0:
        return float("inf")
    if np.bincount(B.indices).max() == 1:  # G is diagonal
        d = np.asarray(B.multiply(B).sum(axis=1)).ravel()
        return float(np.sqrt(d[d > 0].min()))
    B = B[np.diff(B.indptr) > 0]
    kernel = left_kernel(B)
    if kernel is None:
        if B.shape[0] > B.shape[1]:
            B = B.T.tocsr()
            B = B[np.diff(B.indptr) > 0]
        kernel = left_kernel(B)
    G = sparse.csr_array(B @ B.T)
    if G.shape[0] <= _DENSE:
        return _dense(B, G, None if kernel is None else kernel.shape[1])
    return float(np.sqrt(_smallest_positive(G, kernel)))


def smallest_positive_eigenvalue(M: sparse.csr_array) -> float:
    """The smallest positive eigenvalue of a sparse positive semi-definite matrix.

    >>> smallest_positive_eigenvalue(sparse.csr_array([[2.0, -2.0], [-2.0, 2.0]]))
    4.0
    """
    if M.shape[0] > _DENSE:
        return _smallest_positive(sparse.csr_array(M), None)
    values = linalg.eigvalsh(M.toarray()) if M.shape[0] else np.zeros(1)
    positive = values[values > 1e-10 * max(values[-1], 1e-300)]
    return float(positive[0]) if len(positive) else float("inf")


def _dense(B: sparse.csr_array, G: sparse.csr_array, nullity: int | None) -> float:
    values = linalg.eigvalsh(G.toarray())
    if nullity is None:
        nullity = int((values <= 1e-10 * values[-1]).sum())
    if values[nullity] > 1e-7 * values[-1]:
        return float(np.sqrt(values[nullity]))
    # So small a square is half rounding: pay for the singular values themselves.
    return float(linalg.svdvals(B.toarray())[len(values) - nullity - 1])


def _smallest_positive(G: sparse.csr_array, kernel: sparse.csr_array | None) -> float:
    n = G.shape[0]
    scale = float(abs(G).sum(axis=1).max())
    shift = (1e-7 if kernel is None else 1e-9) * scale
    solve = Direct().prepare(G + shift * sparse.eye_array(n))
    rng = np.random.default_rng(0)

    if kernel is None:

        def apply(x: np.ndarray) -> np.ndarray:
            return G @ solve(solve(solve(G @ x)))

    else:

        def apply(x: np.ndarray) -> np.ndarray:
            y = solve(x - kernel @ (kernel.T @ x))
            return y - kernel @ (kernel.T @ y)

    inverse = LinearOperator((n, n), matvec=lambda x: apply(x.ravel()), dtype=np.float64)
    start = G @ rng.standard_normal(n)
    try:
        _, v = eigsh(inverse, k=1, which="LM", v0=start, tol=1e-10, ncv=min(n - 1, 24))
    except ArpackNoConvergence as error:
        raise ConvergenceError(
            f"the smallest singular value of a {G.shape} matrix was not found ({error}); "
            "give gamma as numbers"
        ) from None
    v = v[:, 0]
    return float(v @ (G @ v) / (v @ v))
