"""The types of arrays, and sparse ones made the same way everywhere.

Sparse arrays have float64 values, and int32 indices where they fit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.integer[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]
# What gives an array where it goes in; a pandas Series, or what else has labels, gives its kind.
Numbers: TypeAlias = NDArray[Any] | Sequence[float] | Sequence[Sequence[float]]

ROUNDOFF = 2.0**-53  # of a double, relative


def csr_from_entries(
    rows: Any, columns: Any, values: Any, shape: tuple[int, int]
) -> sparse.csr_array:
    """Return a csr_array of float64 from its entries; entries at the same place add up."""
    fits = max(*shape, len(rows)) < 2**31
    index = np.int32 if fits else np.int64
    i, j = np.asarray(rows, dtype=index), np.asarray(columns, dtype=index)
    data = np.asarray(values, dtype=np.float64)
    return sparse.coo_array((data, (i, j)), shape=shape).tocsr()


def diagonal_matrix(values: FloatArray) -> sparse.csr_array:
    """Return the csr_array with these values on its diagonal; zeros are no entries.

    >>> diagonal_matrix(np.array([2.0, 0.0])).toarray().tolist()
    [[2.0, 0.0], [0.0, 0.0]]
    """
    n = len(values)
    places = np.arange(n + 1, dtype=np.int32 if n < 2**31 else np.int64)
    matrix = sparse.csr_array((values, places[:-1], places), shape=(n, n))
    if not values.all():
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    return matrix


def square(B: "Matrix", weights: FloatArray | None = None) -> sparse.csr_array:
    """B diag(w) B^T, entries in order; the quick way where every column has two, as of edges.

    >>> square(sparse.csr_array([[-1.0], [1.0]]), np.array([3.0])).toarray().tolist()
    [[3.0, -3.0], [-3.0, 3.0]]
    """
    if (edges := _two_a_column(B)) is not None:
        i, j, b, c = edges
        w = np.ones(len(b)) if weights is None else weights
        diagonal = _sums(i, w * b**2, B.shape[0]) + _sums(j, w * c**2, B.shape[0])
        at, beside = np.flatnonzero(diagonal), w * b * c
        rows, others = np.concatenate([i, j, at]), np.concatenate([j, i, at])
        values = np.concatenate([beside, beside, diagonal[at]])
        product = csr_from_entries(rows, others, values, (B.shape[0], B.shape[0]))
    else:
        M = B.csr if isinstance(B, Entries) else B
        product = sparse.csr_array((M if weights is None else M @ diagonal_matrix(weights)) @ M.T)
    product.sum_duplicates()  # in order at once: SciPy would sort it at its first maximum
    return product


def _two_a_column(B: "Matrix") -> list[Any] | None:
    """Return the rows i and j of the two entries of every column, and both values; or None."""
    if isinstance(B, Entries) and np.array_equal(B.columns, np.arange(B.shape[1]).repeat(2)):
        rows, values = B.rows, B.values
    else:
        columns = sparse.csc_array(B.csr if isinstance(B, Entries) else B)
        if (np.diff(columns.indptr) != 2).any():
            return None
        rows, values = columns.indices, columns.data
    return [*rows.reshape(-1, 2).T, *values.reshape(-1, 2).T]


def row_sum(matrix: Any, mass: FloatArray | None = None) -> float:
    """The largest sum of absolute values along a row: an upper bound of the norm of a matrix.

    With a mass D it bounds the eigenvalues of the pencil (matrix, D), whose rows are divided by D.
    The matrix is symmetric, sparse or dense.

    >>> row_sum(sparse.csr_array([[1.0, -1.0], [-1.0, 1.0]]))
    2.0
    """
    if not matrix.shape[0]:
        return 0.0
    sums = abs(matrix).sum(axis=1)
    return float((sums if mass is None else sums / mass).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Entries:
    """A matrix by its entries, no place twice: enough for sums over them.

    One is made in a microsecond, where a sparse array takes thirty, however small.

    >>> B = Entries(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([1.0, 2.0, 3.0]), (2, 2))
    >>> (B @ np.array([1.0, 10.0])).tolist(), B.sum(axis=0).tolist(), B.csr.toarray().tolist()
    ([1.0, 32.0], [3.0, 3.0], [[1.0, 0.0], [2.0, 3.0]])
    """

    rows: IntArray
    columns: IntArray
    values: FloatArray
    shape: tuple[int, int]

    @classmethod
    def of(cls, matrix: sparse.csr_array) -> "Entries":
        """Return those of a sparse array."""
        coo = matrix.tocoo()
        entries = cls(coo.row, coo.col, coo.data, matrix.shape)
        entries.__dict__["csr"] = matrix  # need not be made again
        return entries

    @property
    def nnz(self) -> int:
        """How many there are."""
        return len(self.values)

    @property
    def T(self) -> "Entries":
        """The transposed matrix."""
        return Entries(self.columns, self.rows, self.values, self.shape[::-1])

    @cached_property
    def csr(self) -> sparse.csr_array:
        """The same as a sparse array."""
        return csr_from_entries(self.rows, self.columns, self.values, self.shape)

    @cached_property
    def squared(self) -> "Entries":
        """The matrix of squared entries."""
        return Entries(self.rows, self.columns, self.values**2, self.shape)

    @cached_property
    def row_squares(self) -> FloatArray:
        """The sums of squared entries along the rows."""
        return self.squared.sum(axis=1)

    def toarray(self) -> FloatArray:
        """Return the same as a dense array."""
        dense = np.zeros(self.shape)
        dense[self.rows, self.columns] = self.values
        return dense

    def __abs__(self) -> "Entries":
        return Entries(self.rows, self.columns, abs(self.values), self.shape)

    def __matmul__(self, x: FloatArray) -> FloatArray:
        return _sums(self.rows, self.values * x[self.columns], self.shape[0])

    def sum(self, axis: int) -> FloatArray:
        """Return the sums along the rows (1) or the columns (0)."""
        return _sums((self.columns, self.rows)[axis], self.values, self.shape[1 - axis])

    def scaled(self, low: FloatArray | None, high: FloatArray | None) -> "Entries":
        """Return the matrix with its rows and columns multiplied."""
        if low is None and high is None:
            return self
        values = self.values
        if low is not None:
            values = low[self.rows] * values
        if high is not None:
            values = values * high[self.columns]
        return Entries(self.rows, self.columns, values, self.shape)


Matrix: TypeAlias = sparse.csr_array | Entries


def _sums(at: IntArray, values: FloatArray, n: int) -> FloatArray:
    return np.bincount(at, values, n).astype(np.float64, copy=False)  # works for no entries


def squared(B: Any) -> Any:
    """Return the matrix of squared entries, of a sparse array or of `Entries`."""
    if isinstance(B, Entries):
        return B.squared
    return sparse.csr_array((B.data**2, B.indices, B.indptr), shape=B.shape)


def row_squares(B: Any) -> FloatArray:
    """Return the sums of squared entries along the rows, of a sparse array or of `Entries`."""
    if isinstance(B, Entries):
        return B.row_squares
    return np.asarray(squared(B).sum(axis=1)).ravel()
