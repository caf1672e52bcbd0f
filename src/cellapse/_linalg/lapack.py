"""Symmetric eigenproblems that LAPACK and ARPACK may not fail on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from cellapse._errors import ConvergenceError
from cellapse._shared.arrays import FloatArray

_SMALL = 64  # up to this size all eigenpairs cost as little as some
_DENSE = 100  # up to this size an operator is made a matrix


def symmetric_eigenpairs(
    M: FloatArray, first: int = 0, stop: int | None = None
) -> tuple[FloatArray, FloatArray]:
    """Eigenpairs number `first` to `stop` of a symmetric matrix, ascending.

    LAPACK's driver for a few of them fails where many eigenvalues are equal (on stars, say); the
    one that computes all does not.

    >>> symmetric_eigenpairs(np.diag([3.0, 1.0, 2.0]), 0, 2)[0].tolist()
    [1.0, 2.0]
    """
    n = len(M)
    stop = n if stop is None else stop
    if n == 1:  # for which the workspace of some versions of SciPy is too small
        return M[0, first:stop], np.ones((1, stop - first))
    few = 2 * (stop - first) < n and n > _SMALL
    for driver in ("evr", "evd", "ev") if few else ("evd", "ev"):
        some = (first, stop - 1) if driver == "evr" else None
        try:
            if driver == "evd":  # NumPy checks less on the way to it
                values, vectors = np.linalg.eigh(M)
            else:
                # By columns, as LAPACK has it, the same matrix
                values, vectors = linalg.eigh(M.T, subset_by_index=some, driver=driver)
        except linalg.LinAlgError:
            continue
        if some is None:
            values, vectors = values[first:stop], vectors[:, first:stop]
        if len(values) == stop - first and np.isfinite(vectors).all():
            return values, vectors
    raise ConvergenceError(f"LAPACK found no eigenpairs of a dense matrix of {n} rows")


def definite_inverse(M: FloatArray) -> FloatArray | None:
    """The inverse of a symmetric matrix by Cholesky's factor, or None where it is not definite.

    M is overwritten: a large array takes long to get.

    >>> definite_inverse(np.array([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    # By columns, as LAPACK has it, the same matrix; with zeros above the diagonal.
    factor, failed = linalg.lapack.dpotrf(M.T, lower=1, overwrite_a=1)
    if failed:
        return None
    upper = linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)[0].T  # by rows again
    upper.reshape(-1)[:: len(M) + 1] *= 0.5
    upper += upper.T.copy()  # row by row, as a sum with a transpose is not
    return upper


def largest_eigenpair(
    apply: Callable[[FloatArray], FloatArray],
    n: int,
    *,
    tol: float,
    scale: float = 0.0,
    start: FloatArray | None = None,
) -> tuple[float, FloatArray]:
    """The largest eigenvalue of a symmetric operator given by its action, and its vector.

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
    if n <= _DENSE:
        M = apply(np.eye(n))
        values, vectors = symmetric_eigenpairs((M + M.T) / 2)
        return (float(values[-1]), vectors[:, -1]) if n else (0.0, np.zeros(0))
    start = np.random.default_rng(0).standard_normal(n) if start is None else start

    def raised(x: FloatArray) -> FloatArray:
        return apply(x.ravel()) + scale * x.ravel()

    if not raised(start).any():  # the zero operator, which ARPACK stops at
        return 0.0, start / np.linalg.norm(start)
    operator = LinearOperator((n, n), matvec=raised, dtype=np.float64)
    try:
        values, vectors = eigsh(operator, k=1, which="LA", v0=start, tol=tol)
    except ArpackError as error:
        raise ConvergenceError(
            f"the largest eigenvalue of an operator on {n:,} cells was not found ({error})"
        ) from None
    return float(values[0]) - scale, vectors[:, 0]
