r"""What every operator is: S = S^T on the cells of one rank, known by its products.

    S x  within an absolute error,    S P = 0,    S <= A.

The solvers of eigenproblems and of systems need no more: products within an error, the sparse
matrix A that bounds S, and its kernel P if that is known. Some operators know more: S as a sparse
`matrix`, or its `deficit` from A, or a sparse `shifted_system` whose inverse begins with that of
S - shift D. These have defaults, and a class overrides what it knows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from cellapse._linalg.factor import Solve
from cellapse._shared.align import align
from cellapse._shared.arrays import Entries, FloatArray, row_sum
from cellapse._shared.checks import finite_rows, numbers
from cellapse._shared.labelled import LabelledOperator
from cellapse._shared.memory import Fitting, require_memory
from cellapse._shared.scaling import homogeneous

COPIES = 7.0  # of a dense operator, at most, while it is made
_BLOCK = 256  # columns handled at once when a matrix is made of an operator


@dataclass(frozen=True, eq=False)
class Deficit:
    """What S lacks of A: S = scale * base - c (I - K^-1) with K >= I, so that A - c <= S <= A.

    Attributes
    ----------
    base : SymmetricOperator
        A / scale, a sparse matrix that S shares with the same collapse of other weights.
    scale, c : float
        `c` is infinite if nothing is known of what S lacks.
    lower_is_definite : bool
        Whether A - c has no negative eigenvalue off the kernel of A.
    iterative : bool
        Whether a product with S takes iterations instead of a factorization.
    """

    base: SymmetricOperator
    scale: float = 1.0
    c: float = np.inf
    lower_is_definite: bool = False
    iterative: bool = False


class SymmetricOperator(LabelledOperator, ABC):
    """A symmetric operator S on the cells of one rank, by its products.

    Attributes
    ----------
    labels : sequence
        What its rows are, in the user's order.
    A : scipy.sparse.csr_array
        The operator before any collapse, which bounds S from above.
    kernel : scipy.sparse.csr_array or None
        Orthonormal columns that it maps to zero, where known in advance.
    definite : bool
        Whether no eigenvalue can be negative.
    onto : int
        The rank of the cells that its rows are.
    matrix : scipy.sparse.csr_array or None
        S itself, if it is a sparse matrix.
    deficit : Deficit or None
        What S lacks of A, if S is a collapse of A.
    rounding : float
        How far rounding in `shifted_system` may move an eigenvalue, beyond that of any matrix.
    slow : bool
        Whether a product costs so much that even a small S is better not formed by n of them.
    found : dict
        Factors and eigenpairs that are kept for the next call.
    """

    A: sparse.csr_array
    kernel: sparse.csr_array | None
    definite: bool = True
    matrix: sparse.csr_array | None = None
    deficit: Deficit | None = None
    rounding: float = 0.0
    slow: bool = False

    def __init__(self, n: int, labels: Sequence[Hashable]) -> None:
        super().__init__(np.dtype(np.float64), (n, n))
        self.labels = labels
        self.found: dict[Any, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"found": {}}  # factors cannot be copied, but are soon made

    @abstractmethod
    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        """Compute S x for real columns; within an absolute error, if accepting one saves work."""

    @property
    def cheap(self) -> bool:
        """Whether a product costs no more than with a sparse matrix."""
        return self.matrix is not None

    @property
    def zeros(self) -> Entries | None:
        """The kernel by its entries."""
        return None if self.kernel is None else Entries.of(self.kernel)

    def norm_bound(self, mass: FloatArray | None = None) -> float:
        """Bound the largest eigenvalue of A u = lambda D u from above; by 1 if A is zero."""
        return row_sum(self.A, mass) or 1.0

    @property
    def iterative(self) -> bool:
        """Whether a product takes iterations, which single precision begins."""
        return self.deficit is not None and self.deficit.iterative

    def approximation(self, norm: float) -> Solve | None:
        """Make x -> about S x / norm for columns of float32, if it is closer to S than A is."""
        return None

    def pair(self, x: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Give u and S u for a u close to columns x of length one, if cheaper than S x."""
        return None

    def shifted_system(self, shift: float, mass: FloatArray) -> tuple[sparse.csr_array, int] | None:
        """Make a sparse matrix whose inverse begins with (S - shift D)^-1, D = diag(mass).

            M = | H    N |,    H - N C^-1 N^T = S - shift D,
                | N^T  C |

        and the number of negative eigenvalues of C. None if there is nothing to factorize.
        """
        if self.matrix is None:
            return None
        return sparse.csr_array(self.matrix - shift * sparse.diags_array(mass)), 0

    def safe_shift(self, mass: FloatArray) -> float:
        """Choose a shift below the spectrum of S u = lambda D u for which that can be factorized.

        Closer to zero converges faster; a known kernel is projected out, and does no harm.
        """
        size = 0.0 if self.matrix is None else row_sum(self.matrix)
        return -1e-6 * (size or 1.0) / float(mass.max())

    def _matvec(self, x: Any) -> NDArray[Any]:
        return self._matmat(x).reshape(self.shape[0])

    def _matmat(self, X: Any) -> NDArray[Any]:
        if np.iscomplexobj(X):  # S is real: it acts on the two parts alone
            return self._matmat(X.real) + 1j * self._matmat(X.imag)
        return homogeneous(self.apply, np.asarray(X, dtype=np.float64))

    def _adjoint(self) -> SymmetricOperator:
        return self

    def _transpose(self) -> SymmetricOperator:
        return self

    @Fitting("the energy", "take fewer columns")
    def energy(self, u: ArrayLike) -> float:
        """Compute the quadratic form u^* S u: how much u varies; u may be complex."""
        values = align(u, self.labels, "the signal", cells=self.onto > 0)
        u = finite_rows(numbers(values, "the signal"), self.shape[0], "the signal")

        def of(flat: NDArray[Any]) -> float:
            columns = flat.reshape(u.shape)
            return float(np.vdot(columns, self @ columns).real)

        return float(homogeneous(of, u.ravel(), 2))

    def toarray(self, error: float = 0.0) -> FloatArray:
        """Make a dense array of the operator; refused when it would not fit into memory.

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
        """Compute the diagonal entries."""
        n = self.shape[0]
        entries = np.empty(n)
        for start in range(0, n, _BLOCK):
            at = np.arange(start, min(start + _BLOCK, n))
            entries[at] = self._columns(at)[at, at - start]
        return entries

    def _columns(self, at: NDArray[Any]) -> FloatArray:
        """Compute some columns of S."""
        columns = np.zeros((self.shape[0], len(at)))
        columns[at, np.arange(len(at))] = 1.0
        return self.apply(columns)
