r"""The smallest positive singular value of a sparse matrix, to digits of its own.

sigma_min+(B) bounds the coupling weights of the graded Laplacian. Which singular values are zero is
not a question of size: weights may differ by many orders. With G = B B^T there are four ways:

closed form   G is diagonal, as no column has two entries
grounded      the kernel of B^T is known (`kernel`); without one row of every component that carries
              a kernel vector G is definite, and its inverse has the largest eigenvalue 1 / sigma^2
dense         few rows; the rank is that of B with rows and columns scaled to length one
filtered      Lanczos on G (G + d I)^-3 G, whose eigenvalues s^2 / (s + d)^3 are largest at the
              smallest positive s of G and vanish on its kernel
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from cellapse._errors import ConvergenceError
from cellapse._linalg.blas import symmetric_eigenpairs
from cellapse._linalg.factor import Direct, Solve
from cellapse._linalg.kernel import Projector, left_kernel, left_kernel_in_rounds
from cellapse._linalg.tuning import DENSE_OPERATOR, DENSE_SIGMA
from cellapse._shared.arrays import ROUNDOFF, FloatArray, row_sum

_ZERO = 1e-9  # squared singular values of a balanced matrix below this are zero
_SQUARED = 1e-3  # a square that is smaller, relative to the largest, has lost three digits
_SHIFT, _LEAST_SHIFT = 1e-7, 1e-10  # of the filter, relative to the norm; the second for small ones
_LEAST_SQUARE = 10.0 * _LEAST_SHIFT  # what is smaller, relative to the norm, is not certain
_RANGE = 1e3  # entries that differ by more than this ask for a count


def sigma_min(B: sparse.csr_array, kernel: sparse.csr_array | None = None) -> float:
    """Find sigma_min+(B), with sigma_min+(0) = inf as in the paper.

    `kernel` is that of B^T, if known.

    >>> sigma_min(sparse.csr_array([[3.0, 0.0], [0.0, 0.0]]))
    3.0
    """
    B = sparse.csr_array(B, copy=True)
    B.eliminate_zeros()
    if B.nnz == 0:
        return float("inf")
    if np.bincount(B.indices).max() == 1:  # G is diagonal
        d = np.asarray(B.multiply(B).sum(axis=1)).ravel()
        return float(np.sqrt(d[d > 0].min()))
    size = float(abs(B.data).max())  # taken out, so that no square overflows or vanishes
    empty = np.diff(B.indptr) == 0
    if empty.any():
        B, kernel = B[~empty], None  # which has fewer rows now
    B = B / size
    if kernel is None:
        kernel = left_kernel(B)
    if kernel is None:
        if B.shape[0] > B.shape[1]:
            B = B.T.tocsr()
            B = B[np.diff(B.indptr) > 0]
        kernel = left_kernel(B)
    if B.shape[0] <= DENSE_SIGMA:
        return size * _dense(B, kernel)
    if kernel is not None:
        return size * _grounded(B, kernel)
    sigma = _grounded_in_rounds(B)
    return size * (_filtered(B) if sigma is None else sigma)


def sigma_of_square(values: FloatArray, nullity: int, B: Callable[[], FloatArray]) -> float:
    """Find sigma_min+(B) from the eigenvalues of B B^T, of which the first are zero.

    >>> sigma_of_square(np.array([0.0, 9.0]), 1, lambda: np.zeros((2, 2)))
    3.0
    """
    if nullity == len(values):
        return float("inf")
    if values[nullity] > _SQUARED * values[-1]:
        return float(np.sqrt(values[nullity]))
    return _by_orthogonal_factors(B(), len(values) - nullity)


def _dense(B: sparse.csr_array, kernel: sparse.csr_array | None) -> float:
    values = np.linalg.eigvalsh((B @ B.T).toarray())
    if kernel is not None:
        nullity = kernel.shape[1]
    else:  # no square of a value that is zero is large
        nullity = 0 if values[0] > _SQUARED * values[-1] else B.shape[0] - rank_of(B)
    return sigma_of_square(values, nullity, B.toarray)


def rank_of(B: sparse.csr_array) -> int:
    """Find the rank of a small matrix, whatever the sizes of its rows and columns.

    >>> rank_of(sparse.csr_array([[1.0, 0.0], [1.0, 1e-30], [0.0, 0.0]]))
    2
    """
    B = sparse.csr_array(B, copy=True)
    B.eliminate_zeros()
    if not B.nnz:
        return 0
    sizes = linalg.svdvals(_balanced(B[np.diff(B.indptr) > 0]).toarray())
    return int((sizes > 4 * max(B.shape) * ROUNDOFF * sizes[0]).sum())


def _by_orthogonal_factors(B: FloatArray, rank: int) -> float:
    """Find 1 / ||R^-1|| for B = Q_1 R Q_2 with square R: no square is ever formed.

    Rows in descending order of length and columns by pivoting keep the digits of small rows.
    """
    order = np.argsort(-np.linalg.norm(B, axis=0), kind="stable")
    wide = linalg.qr(B.T[order], mode="r", pivoting=True)[0][:rank]
    square = linalg.qr(wide.T, mode="r", pivoting=True)[0][:rank]
    inverse = linalg.solve_triangular(square, np.eye(rank))
    return 1.0 / float(np.linalg.norm(inverse, 2))


def _balanced(B: sparse.csr_array) -> sparse.csr_array:
    """B with rows and columns scaled to length one, as nearly as both can be."""
    for _ in range(20):  # each halves what is left, and nine orders are wanted
        rows = np.asarray(B.multiply(B).sum(axis=1)).ravel()
        B = sparse.csr_array(sparse.diags_array(rows**-0.25) @ B)
        columns = np.asarray(B.multiply(B).sum(axis=0)).ravel()
        B = sparse.csr_array(B @ sparse.diags_array(np.where(columns > 0, columns, 1.0) ** -0.25))
    return B


def _grounded(B: sparse.csr_array, kernel: sparse.csr_array) -> float:
    """Find sigma_min+ where the kernel of B^T is known."""
    n = B.shape[0]
    columns = sparse.csc_array(kernel)
    keep = np.ones(n, dtype=bool)
    keep[columns.indices[columns.indptr[:-1]]] = False
    left = B[keep]
    solve = Direct().prepare(left @ left.T)  # SuperLU, which raises no small pivot
    fixed = Projector(kernel)

    def inverse(x: FloatArray) -> FloatArray:
        y = np.zeros_like(x)
        y[keep] = solve(fixed.off(x)[keep])
        return fixed.remove_from(y)

    v = inverse(_top_vector(inverse, n))  # one step more than the tolerance asked for
    return float(np.linalg.norm(B.T @ v) / np.linalg.norm(v))


def _grounded_in_rounds(B: sparse.csr_array) -> float | None:
    """Find it where the kernel is known in rounds, unless G has lost too many digits of it."""
    kernel = left_kernel_in_rounds(B)
    if kernel is None:
        return None
    try:
        sigma = _grounded(B, kernel)
    except ConvergenceError:  # nearly singular, and no graph, whose factor keeps its digits
        return None
    norm = row_sum(B) * row_sum(B.T.tocsr())  # of G, at most
    return sigma if sigma**2 > _LEAST_SQUARE * norm else None


def _filtered(B: sparse.csr_array) -> float:
    """Find sigma_min+ where nothing is known of the kernel."""
    G = sparse.csr_array(B @ B.T)
    entries = abs(B.data)
    far_apart = entries.max() > _RANGE * entries.min()
    smallest = _smallest_positive(G)
    if far_apart:
        balanced = _balanced(B)
        nullity = _count_below(sparse.csr_array(balanced @ balanced.T), _ZERO)
        smaller = _count_below(G, 0.999 * smallest)
        if nullity is None or nullity != smaller:
            raise ConvergenceError(
                f"the smallest singular value of a {B.shape} matrix, whose entries differ by a "
                f"factor of {entries.max() / entries.min():.1e}, is not certain; give gamma as "
                "numbers, or rescale the weights of the cells"
            )
    return float(np.sqrt(smallest))


def _count_below(G: sparse.csr_array, value: float) -> int | None:
    return Direct().prepare(G - value * sparse.eye_array(G.shape[0])).n_negative()


def _smallest_positive(G: sparse.csr_array) -> float:
    """Find the smallest positive eigenvalue of a large semi-definite matrix by the filter."""
    n, norm, smallest = G.shape[0], row_sum(G), np.inf
    for shift in (_SHIFT, _LEAST_SHIFT):  # with the second after any gap, too
        solve = Direct().prepare(G + shift * norm * sparse.eye_array(n))
        v = _top_vector(lambda x, solve=solve: G @ solve(solve(solve(G @ x))), n)  # type: ignore[misc]
        value = float(v @ (G @ v) / (v @ v))
        if value < 0.9 * smallest:  # another one: of the same one the first has more digits
            smallest = value
    if smallest < _LEAST_SQUARE * norm:  # the filter would rather pass a larger one
        raise ConvergenceError(
            f"a matrix of {n:,} rows has eigenvalues of {smallest / norm:.1e} of the largest, and "
            "which is the smallest is not certain; give gamma as numbers, or a larger eps"
        )
    return smallest


def _top_vector(apply: Solve, n: int) -> FloatArray:
    try:
        return largest_eigenpair(apply, n, tol=1e-10)[1]
    except ConvergenceError as error:
        raise ConvergenceError(
            f"the smallest singular value of a matrix was not found ({error}); "
            "give gamma as numbers"
        ) from None


def smallest_positive_eigenvalue(M: sparse.csr_array, nullity: int | None = None) -> float:
    """Find the smallest positive eigenvalue of a sparse positive semi-definite matrix.

    `nullity` is how many are zero, where that is known: its entries, sums of products of weights,
    need not show it.

    >>> smallest_positive_eigenvalue(sparse.csr_array([[2.0, -2.0], [-2.0, 2.0]]))
    4.0
    """
    d = M.diagonal()
    if nullity is not None:
        nullity -= int((d <= 0).sum())
    M = sparse.csr_array(M)[d > 0][:, d > 0]  # a row without a diagonal is empty
    alone = np.diff(M.indptr) == 1
    first = float(M.diagonal()[alone].min(initial=np.inf))
    M = M[~alone][:, ~alone]
    if not M.shape[0]:
        return first
    if M.shape[0] > DENSE_SIGMA:
        return min(first, _smallest_positive(M))
    values = linalg.eigvalsh(M.toarray())
    if nullity is None:  # sums of products can be nearly singular though all entries are about one:
        scale = sparse.diags_array(1.0 / np.sqrt(M.diagonal()))  # only what rounding explains is 0
        balanced = linalg.eigvalsh((scale @ M @ scale).toarray())
        nullity = int((balanced <= 8 * len(balanced) * ROUNDOFF * balanced[-1]).sum())
    if nullity == len(values):
        return first
    if values[nullity] <= 4 * len(values) * ROUNDOFF * values[-1]:
        raise ConvergenceError(
            f"an eigenvalue of a matrix of {len(values):,} rows is positive, but less than "
            f"rounding leaves of {values[-1]:.1e}, the largest; rescale the weights of the cells"
        )
    return min(first, float(values[nullity]))


def largest_eigenpair(
    apply: Solve, n: int, *, tol: float, scale: float = 0.0, start: FloatArray | None = None
) -> tuple[float, FloatArray]:
    """Find the largest eigenvalue of a symmetric operator given by its action, and its vector.

    Parameters
    ----------
    apply : function
        x -> M x, for one vector or many columns.
    n : int
    tol : float
        Error to reach, relative to the eigenvalue plus `scale`.
    scale : float
        Above zero where the eigenvalue may be zero: Lanczos would never arrive.
    start : (n,) array, optional
        Random by default.

    >>> largest_eigenpair(lambda x: 3.0 * x, 2, tol=1e-3)[0]
    3.0
    """
    if n <= DENSE_OPERATOR:
        M = apply(np.eye(n))
        values, vectors = symmetric_eigenpairs((M + M.T) / 2)
        return (float(values[-1]), vectors[:, -1]) if n else (0.0, np.zeros(0))
    start = np.random.default_rng(0).standard_normal(n) if start is None else start

    def shifted(x: FloatArray) -> FloatArray:
        return apply(x.ravel()) + scale * x.ravel()

    if not shifted(start).any():  # the zero operator, which ARPACK stops at
        return 0.0, start / np.linalg.norm(start)
    operator = LinearOperator((n, n), matvec=shifted, dtype=np.float64)
    try:
        values, vectors = eigsh(operator, k=1, which="LA", v0=start, tol=tol)
    except ArpackError as error:
        raise ConvergenceError(
            f"the largest eigenvalue of an operator on {n:,} cells was not found ({error})"
        ) from None
    return float(values[0]) - scale, vectors[:, 0]
