"""Products and eigenpairs by the libraries that are quickest: BLAS, LAPACK and, if installed, MKL.

MKL (the extra `fast`) multiplies a large sparse matrix by several columns in half to three quarters
of SciPy's time, in single precision in less than half.
"""

from __future__ import annotations

import os
import sys
from ctypes import CDLL, Structure, byref, c_double, c_float, c_int, c_void_p
from functools import cache
from glob import glob

import numpy as np
from scipy import linalg, sparse
from scipy.linalg.blas import dgemm, sgemm

from cellapse._errors import ConvergenceError
from cellapse._linalg.tuning import CACHE, FEW_EIGENPAIRS_FROM, MKL_FROM
from cellapse._shared.arrays import FloatArray

_GEMM = {np.dtype(np.float64): dgemm, np.dtype(np.float32): sgemm}
_LINE = 64  # bytes of a line of the cache
_NOT_TRANSPOSED, _GENERAL, _ROW_MAJOR = 10, 20, 101  # of MKL


class _Description(Structure):
    _fields_ = (("type", c_int), ("mode", c_int), ("diagonal", c_int))


def times(A: sparse.csr_array, x: FloatArray) -> FloatArray:
    """Multiply a sparse matrix by a vector or columns.

    >>> times(sparse.csr_array([[0.0, 1.0], [2.0, 0.0]]), np.eye(2)).tolist()
    [[0.0, 1.0], [2.0, 0.0]]
    """
    large = A.nnz >= MKL_FROM and x.ndim == 2 and x.shape[1] > 1 and len(x) == A.shape[1]
    if large and x.dtype == A.dtype and A.dtype in _GEMM:
        mkl = _mkl() if A.indices.dtype == A.indptr.dtype == np.int32 else None
        y = None if mkl is None else _by_mkl(mkl, A, np.ascontiguousarray(x))
        if y is not None:
            return y
    return A @ x


def _by_mkl(mkl: CDLL, A: sparse.csr_array, x: FloatArray) -> FloatArray | None:
    letter, number = ("d", c_double) if A.dtype == np.float64 else ("s", c_float)
    y: FloatArray = np.empty((A.shape[0], x.shape[1]), x.dtype)
    columns, handle, general = x.shape[1], c_void_p(), _Description(_GENERAL, 0, 0)
    before = mkl.MKL_Set_Num_Threads_Local(1)  # those that OpenMP starts do not live on in a fork
    rows = A.indptr.ctypes, A.indptr[1:].ctypes
    failed = mkl[f"mkl_sparse_{letter}_create_csr"](
        byref(handle), 0, *A.shape, *rows, A.indices.ctypes, A.data.ctypes
    ) or mkl[f"mkl_sparse_{letter}_mm"](
        *(_NOT_TRANSPOSED, number(1.0), handle, general, _ROW_MAJOR, x.ctypes, columns, columns),
        *(number(0.0), y.ctypes, columns),
    )
    mkl.mkl_sparse_destroy(handle)
    mkl.MKL_Set_Num_Threads_Local(before)
    return None if failed else y


def mkl_libraries() -> list[str]:
    """Find MKL where an installer puts it beside this Python."""
    return glob(f"{sys.prefix}/lib/libmkl_rt.*")


@cache
def _mkl() -> CDLL | None:
    """Load MKL, if it is installed and takes integers of 32 bits."""
    if os.environ.get("MKL_INTERFACE_LAYER", "").upper().startswith("ILP64"):
        return None
    for path in mkl_libraries():
        try:
            return CDLL(path)
        except OSError:  # not for this machine
            continue
    return None


def subtract_product(x: FloatArray, V: FloatArray, C: FloatArray) -> FloatArray:
    """Write x - V C over x, without another array of its size where BLAS can.

    >>> subtract_product(np.eye(2), np.array([[1.0], [2.0]]), np.array([[1.0, 1.0]])).tolist()
    [[0.0, -1.0], [-2.0, -1.0]]
    """
    alike = x.ndim == 2 and x.dtype == V.dtype == C.dtype and x.dtype in _GEMM
    if alike and x.flags.c_contiguous:
        if x.size and V.size:
            _GEMM[x.dtype](-1.0, C.T, V.T, 1.0, x.T, overwrite_c=True)
    else:
        x -= V @ C
    return x


def remove_span(x: FloatArray, V: FloatArray) -> FloatArray:
    """Write x - V V^T x over x."""
    return subtract_product(x, V, V.T @ x)


def column_dots(x: FloatArray, y: FloatArray) -> FloatArray:
    """Multiply the columns of x with those of y, as doubles.

    >>> column_dots(np.array([[3.0, 0.0], [4.0, 2.0]]), np.ones((2, 2))).tolist()
    [7.0, 2.0]
    """
    products = x * y
    dots: FloatArray = np.ones(len(x), products.dtype) @ products  # BLAS sums columns quickly
    return dots.astype(np.float64)


def column_blocks(x: FloatArray, size: int = 8) -> list[slice]:
    """Divide columns of numbers of `size` bytes so that a block of them stays in the cache.

    >>> column_blocks(np.zeros((100_000, 20)))
    [slice(0, 8, None), slice(8, 16, None), slice(16, 24, None)]
    """
    line = _LINE // size
    step = max(line, CACHE // (size * max(len(x), 1)) // line * line)
    return [slice(start, start + step) for start in range(0, max(x.shape[1], 1), step)]


def symmetric_eigenpairs(
    M: FloatArray, first: int = 0, stop: int | None = None
) -> tuple[FloatArray, FloatArray]:
    """Find eigenpairs number `first` to `stop` of a symmetric matrix, ascending.

    LAPACK's driver for a few of them fails where many eigenvalues are equal (on stars, say); the
    one that computes all does not.

    >>> symmetric_eigenpairs(np.diag([3.0, 1.0, 2.0]), 0, 2)[0].tolist()
    [1.0, 2.0]
    """
    n = len(M)
    stop = n if stop is None else stop
    if n == 1:  # for which the workspace of some versions of SciPy is too small
        return M[0, first:stop], np.ones((1, stop - first))
    few = 2 * (stop - first) < n and n > FEW_EIGENPAIRS_FROM
    for driver in ("evr", "evd", "ev") if few else ("evd", "ev"):
        try:
            if driver == "evr":  # M.T is M by columns, as LAPACK has it
                part = (first, stop - 1)
                values, vectors = linalg.eigh(M.T, subset_by_index=part, driver=driver)
            else:  # NumPy takes evd, and checks less
                values, vectors = np.linalg.eigh(M) if driver == "evd" else linalg.eigh(M)
                values, vectors = values[first:stop], vectors[:, first:stop]
        except linalg.LinAlgError:
            continue
        if len(values) == stop - first and np.isfinite(vectors).all():
            return values, vectors
    raise ConvergenceError(f"LAPACK found no eigenpairs of a dense matrix of {n} rows")


def definite_inverse(M: FloatArray) -> FloatArray | None:
    """Invert a symmetric matrix by Cholesky's factor; None where it is not definite.

    M is overwritten: a large array takes long to get.

    >>> definite_inverse(np.array([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    # M.T is M by columns, as LAPACK has it; its factor has zeros above the diagonal.
    factor, failed = linalg.lapack.dpotrf(M.T, lower=1, overwrite_a=1)
    if failed or not len(M):  # of no rows LAPACK inverts nothing, and says so
        return None if failed else M
    upper = linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)[0].T
    upper.reshape(-1)[:: len(M) + 1] *= 0.5
    upper += upper.T.copy()  # row by row, as a sum with a transpose is not
    return upper
