r"""What every operator is: S = S^T on the cells of one rank, known by its products.

    S x  within an absolute error,    S P = 0,    S <= A.

That is the whole contract of the solvers of eigenproblems and of systems: the products, the sparse
matrix A it is made from, the kernel P where it is known, and in one object, `shortcuts`, what only
some operators know besides.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from cellapse._errors import InputError
from cellapse._linalg.factor import Direct, Solve
from cellapse._shared.align import align, way_back
from cellapse._shared.arrays import Entries, FloatArray, row_sum
from cellapse._shared.checks import finite_rows, numbers
from cellapse._shared.memory import Fitting, require_memory
from cellapse._shared.scaling import homogeneous

Pairs = tuple[FloatArray, FloatArray]  # eigenvalues, and eigenvectors as columns


class Lowest(NamedTuple):
    """The first eigenpairs off the kernel, none missing.

    Attributes
    ----------
    values, vectors : arrays
    certain : bool
        Whether that none is missing was counted, or only searched for.
    beyond : (n, any) array
        Orthonormal columns that are next to the eigenvectors after those: a start for more.
    """

    values: FloatArray
    vectors: FloatArray
    certain: bool
    beyond: FloatArray

    def first(self, k: int) -> Lowest:
        """Its first k eigenpairs, all others beyond."""
        beyond = np.hstack([self.vectors[:, k:], self.beyond])
        return Lowest(self.values[:k], self.vectors[:, :k], self.certain, beyond)


COPIES = 7.0  # of a dense operator, at most, while it is made
_BLOCK = 256  # columns handled at once when a matrix is made of an operator


@dataclass(frozen=True, eq=False)
class Shortcuts:
    """What only some operators know; each default means that nothing is known.

    Attributes
    ----------
    matrix : scipy.sparse.csr_array, optional
        The operator as a sparse matrix.
    light : bool
        Whether a product costs no more than one with A.
    plain : SymmetricOperator, optional
        A without its weight, as an operator of its own: A = scale * plain. Its eigenvectors are a
        close start for those of S.
    scale : float
        The weight of A.
    drop : float
        How far S may be below A: S >= A - drop.
    lowered : function, optional
        mass -> A - drop, off the kernel, as an operator of its own like `plain`; at most S, and
        with masses next to it. They are part of it: D^{-1/2} (A - drop) D^{-1/2}, D = diag(mass).
    nearby : function, optional
        norm -> x -> about S x / norm for columns of float32 by a few sparse products, where that is
        closer to S than A is; else None.
    pair : function, optional
        x -> u and S u for u next to columns x of length one, where that costs less than S x.
    of_eigenvectors : function, optional
        x, error -> S x for columns next to eigenvectors, where that takes fewer steps.
    iterates : bool
        Whether a product takes iterations instead of a factorization.
    array_is_quick : function, optional
        Whether the dense array takes less than a few products.
    shifted : function, optional
        shift, mass -> a sparse matrix whose inverse begins with (S - shift D)^-1, D = diag(mass),
        and the number of negative eigenvalues of its other part; None where there is none.
    safe_shift : function, optional
        mass -> a shift below the spectrum of S u = lambda D u.
    rounding : float
        How far rounding in `shifted` may move an eigenvalue, beyond that of any matrix.
    factor : function, optional
        Direct(...) -> a safe shift and x -> (S - shift)^-1 x, where the operator keeps it.
    lowest : function, optional
        k -> the first k eigenpairs off the kernel, where the operator keeps them.
    """

    matrix: sparse.csr_array | None = None
    light: bool = False
    plain: SymmetricOperator | None = None
    scale: float = 1.0  # asked for only where there is a plain A
    drop: float = np.inf
    lowered: Callable[[FloatArray], SymmetricOperator] | None = None
    nearby: Callable[[float], Solve | None] | None = None
    pair: Callable[[FloatArray], tuple[FloatArray, FloatArray] | None] | None = None
    of_eigenvectors: Callable[[FloatArray, float], FloatArray] | None = None
    iterates: bool = False
    array_is_quick: Callable[[], bool] | None = None
    shifted: Callable[[float, FloatArray], tuple[Any, int] | None] | None = None
    safe_shift: Callable[[FloatArray], float] | None = None
    rounding: float = 0.0
    factor: Callable[[Direct], tuple[float, Solve] | None] | None = None
    lowest: Callable[[int], Lowest] | None = None


class SymmetricOperator(LinearOperator, ABC):
    """A symmetric operator on the cells of one rank, by its products.

    Attributes
    ----------
    labels : sequence
        What its rows are, in the user's order.
    A : scipy.sparse.csr_array
        The operator before any collapse: its direct, sparse part.
    kernel : scipy.sparse.csr_array or None
        Orthonormal columns that it maps to zero, where known in advance.
    definite : bool
        Whether no eigenvalue can be negative.
    slow : bool
        Whether a product costs so much more than one with A that a few are better than n.
    onto : int
        The rank of the cells that its rows are.
    """

    A: sparse.csr_array
    kernel: sparse.csr_array | None
    definite: bool = True
    slow: bool = False
    onto: int = 0

    def __init__(self, n: int, labels: Sequence[Hashable]) -> None:
        super().__init__(np.dtype(np.float64), (n, n))
        self.labels = labels

    @abstractmethod
    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        """S x for real columns; within an absolute error, where accepting one saves work."""

    @property
    def shortcuts(self) -> Shortcuts:
        """What this operator knows besides its products."""
        return Shortcuts()

    @property
    def zeros(self) -> Entries | None:
        """The kernel by its entries."""
        return None if self.kernel is None else Entries.of(self.kernel)

    def norm_bound(self, mass: FloatArray | None = None) -> float:
        """An upper bound of the largest eigenvalue of A u = lambda D u, 1 where A is zero."""
        return row_sum(self.A, mass) or 1.0

    def _matvec(self, x: Any) -> NDArray[Any]:
        return self._matmat(x).reshape(self.shape[0])

    def _matmat(self, X: Any) -> NDArray[Any]:
        if np.iscomplexobj(X):  # S is real: it acts on the two parts alone
            return self._matmat(X.real) + 1j * self._matmat(X.imag)
        return homogeneous(self.apply, np.asarray(X, dtype=np.float64))

    def _operand(self, x: Any) -> tuple[Any, Callable[[Any], Any]]:
        """What the operator can be applied to, one row for each cell, and the way back."""
        name, given = "what S is applied to", x.toarray() if sparse.issparse(x) else x
        values = numbers(align(given, self.labels, name, cells=self.onto > 0), name)
        if values.ndim not in (1, 2) or len(values) != self.shape[1]:
            raise InputError(
                f"an operator on {self.shape[1]} cells times an array of shape {values.shape}; "
                "give one row for each cell"
            )
        return values, way_back(x, self, name)

    def matvec(self, x: Any) -> Any:
        """S x for one signal, real or complex."""
        values, pack = self._operand(x)
        if values.shape[1:] not in ((), (1,)):
            raise InputError(f"matvec of shape {values.shape}; give one column, or use S @ x")
        return pack(super().matvec(values))

    def matmat(self, X: Any) -> Any:
        """S X for signals as columns, real or complex."""
        values, pack = self._operand(X)
        if values.ndim != 2:
            raise InputError(f"matmat of shape {values.shape}; give columns, or use S @ x")
        return pack(super().matmat(values))

    rmatvec, rmatmat = matvec, matmat  # S is its own adjoint

    @Fitting("S @ x", "take fewer columns at a time")
    def __matmul__(self, x: Any) -> Any:
        if isinstance(x, LinearOperator):
            return super().dot(x)
        values, pack = self._operand(x)
        return pack(super().dot(values))

    def dot(self, x: Any) -> Any:
        """S x for one signal or for columns; a Series or DataFrame keeps its index."""
        return super().dot(x) if np.isscalar(x) else self @ x

    def _adjoint(self) -> SymmetricOperator:
        return self

    def _transpose(self) -> SymmetricOperator:
        return self

    @Fitting("the energy", "take fewer columns")
    def energy(self, u: ArrayLike) -> float:
        """The quadratic form u^* S u: how much u varies; u may be complex."""
        values = align(u, self.labels, "the signal", cells=self.onto > 0)
        u = finite_rows(numbers(values, "the signal"), self.shape[0], "the signal")

        def of(flat: NDArray[Any]) -> float:
            columns = flat.reshape(u.shape)
            return float(np.vdot(columns, self @ columns).real)

        return float(homogeneous(of, u.ravel(), 2))

    def toarray(self, error: float = 0.0) -> FloatArray:
        """The operator as a dense array; refused when it would not fit into memory.

        Its products may be off by `error`, relative to the vector, where accepting that saves work.
        """
        n = self.shape[0]
        what, remedy = f"a dense operator on {n:,} cells", "apply it instead: S @ x"
        require_memory(COPIES * 8.0 * n * n, what, remedy)
        with Fitting(what, remedy):
            return self._dense(error)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("the matrix of an operator is made anew, so copy=False cannot be kept")
        return self.toarray().astype(dtype or np.float64, copy=False)

    def _dense(self, error: float) -> FloatArray:
        n, dense = self.shape[0], np.empty(self.shape)
        for start in range(0, n, _BLOCK):
            at = np.arange(start, min(start + _BLOCK, n))
            dense[:, at] = self._columns(at)
        return (dense + dense.T) / 2

    def diagonal(self) -> FloatArray:
        """The diagonal entries."""
        n = self.shape[0]
        entries = np.empty(n)
        for start in range(0, n, _BLOCK):
            at = np.arange(start, min(start + _BLOCK, n))
            entries[at] = self._columns(at)[at, at - start]
        return entries

    def _columns(self, at: NDArray[Any]) -> FloatArray:
        """Some columns of S."""
        columns = np.zeros((self.shape[0], len(at)))
        columns[at, np.arange(len(at))] = 1.0
        return self.apply(columns)
