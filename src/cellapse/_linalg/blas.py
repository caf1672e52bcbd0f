"""Products and eigenpairs by the libraries that are quickest: BLAS, LAPACK and, if installed, MKL.

MKL (the extra `fast`) multiplies a sparse matrix by several columns in half to three quarters of
SciPy's time, in single precision in less than half.
"""

from __future__ import annotations

import os
import sys
from ctypes import CDLL, Structure, byref, c_double, c_float, c_int, c_void_p
from functools import cache
from glob import glob
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.linalg.blas import dgemm, sgemm

from cellapse._errors import ConvergenceError
from cellapse._linalg.tuning import CACHE, FEW_EIGENPAIRS_FROM, MKL_FROM
from cellapse._shared.arrays import FloatArray

_GEMM = {np.dtype(np.float64): dgemm, np.dtype(np.float32): sgemm}
_LETTERS = {"d": "d", "f": "s"}  # of MKL for types of numbers
_LINE = 64  # bytes that memory gives out together
_NOT_TRANSPOSED, _GENERAL, _ROWS_FIRST = 10, 20, 101  # of MKL


class _Description(Structure):
    _fields_ = (("type", c_int), ("mode", c_int), ("diagonal", c_int))


def times(A: sparse.csr_array, x: FloatArray) -> FloatArray:
    """Multiply a sparse matrix by a vector or columns.

    >>> times(sparse.csr_array([[0.0, 1.0], [2.0, 0.0]]), np.eye(2)).tolist()
    [[0.0, 1.0], [2.0, 0.0]]
    """
    mkl, letter = None, _LETTERS.get(A.dtype.char, "")
    if A.nnz >= MKL_FROM and x.ndim == 2 and x.shape[1] > 1 and len(x) == A.shape[1]:
        short = A.indices.dtype == A.indptr.dtype == np.int32
        mkl = _mkl() if short and letter and x.dtype == A.dtype else None
    if mkl is None:
        return A @ x
    x, columns, handle = np.ascontiguousarray(x), x.shape[1], c_void_p()
    y: FloatArray = np.empty((A.shape[0], columns), x.dtype)
    starts, places, entries = A.indptr.ctypes.data, A.indices.ctypes.data, A.data.ctypes.data
    before = mkl.MKL_Set_Num_Threads_Local(1)  # those that OpenMP starts do not live on in a fork
    create, multiply = _functions(mkl, letter)
    failed = create(byref(handle), 0, *A.shape, starts, starts + 4, places, entries) or multiply(
        *(_NOT_TRANSPOSED, 1.0, handle, _Description(_GENERAL, 0, 0), _ROWS_FIRST),
        *(x.ctypes.data, columns, columns, 0.0, y.ctypes.data, columns),
    )
    mkl.mkl_sparse_destroy(handle)
    mkl.MKL_Set_Num_Threads_Local(before)
    return A @ x if failed else y


def mkl_libraries() -> list[str]:
    """Find MKL where an installer puts it beside this Python."""
    return glob(f"{sys.prefix}/lib/libmkl_rt.*")


@cache
def _mkl() -> CDLL | None:
    """Load MKL, if it is installed and takes whole numbers of 32 bits."""
    if os.environ.get("MKL_INTERFACE_LAYER", "").upper().startswith("ILP64"):
        return None
    for path in mkl_libraries():
        try:
            mkl = CDLL(path)
        except OSError:  # not for this machine
            continue
        at, whole = c_void_p, c_int
        for letter, number in (("d", c_double), ("s", c_float)):
            create, multiply = _functions(mkl, letter)
            create.argtypes = [at, whole, whole, whole, at, at, at, at]
            multiply.argtypes = [whole, number, at, _Description, whole, at, whole, whole, number]
            multiply.argtypes += [at, whole]
        mkl.mkl_sparse_destroy.argtypes = [at]
        return mkl
    return None


def _functions(mkl: CDLL, letter: str) -> tuple[Any, Any]:
    return tuple(getattr(mkl, f"mkl_sparse_{letter}_{name}") for name in ("create_csr", "mm"))


def subtract_product(x: FloatArray, V: FloatArray, C: FloatArray) -> FloatArray:
    """Write x - V C over x, without another array of its size where BLAS can.

    >>> subtract_product(np.eye(2), np.array([[1.0], [2.0]]), np.array([[1.0, 1.0]])).tolist()
    [[0.0, -1.0], [-2.0, -1.0]]
    """
    alike = x.dtype == V.dtype == C.dtype and x.ndim == 2 and x.size and V.size
    gemm = _GEMM.get(x.dtype) if alike else None
    if gemm is not None and x.flags.c_contiguous:
        gemm(-1.0, C.T, V.T, 1.0, x.T, overwrite_c=True)
    elif gemm is not None and x.flags.f_contiguous:
        gemm(-1.0, V, C, 1.0, x, overwrite_c=True)
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

    The rows of a sparse matrix ask for rows of x from all over memory: whole lines of it, then.

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
    """Invert a symmetric matrix by Cholesky's factor; None where it is not definite.

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
