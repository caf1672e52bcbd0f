"""The one interface of all operators: a scipy LinearOperator with a spectrum and labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from cellapse._checks import signal
from cellapse._errors import InputError
from cellapse._memory import require_memory
from cellapse.solvers import Direct
from cellapse.spectrum import Spectrum, eigenpairs

FloatArray = NDArray[np.float64]
_BLOCK = 256  # columns handled at once when a matrix is made out of an operator


class Operator(LinearOperator):
    """A symmetric operator on the cells of one rank.

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
    """

    A: sparse.csr_array
    kernel: sparse.csr_array | None
    definite: bool = True

    def __init__(self, n: int, labels: Sequence[Hashable]) -> None:
        super().__init__(np.dtype(np.float64), (n, n))
        self.labels = labels

    def _apply(self, x: FloatArray) -> FloatArray:
        raise NotImplementedError

    def _matvec(self, x: FloatArray) -> FloatArray:
        return self._apply(np.asarray(x, dtype=np.float64).reshape(self.shape[0]))

    def _matmat(self, X: FloatArray) -> FloatArray:
        return self._apply(np.asarray(X, dtype=np.float64))

    def __matmul__(self, x: Any) -> Any:
        if isinstance(x, np.ndarray | list | tuple):
            shape = np.shape(x)
            if len(shape) not in (1, 2) or shape[0] != self.shape[1]:
                raise InputError(
                    f"an operator on {self.shape[1]} cells times an array of shape {shape}; "
                    "give one row for each cell"
                )
        return super().__matmul__(x)

    def _adjoint(self) -> Operator:
        return self

    def _transpose(self) -> Operator:
        return self

    def energy(self, u: ArrayLike) -> float:
        """The quadratic form u^T S u: how much u varies."""
        u = signal(u, self.shape[0])
        return float(np.vdot(u, self @ u))

    def toarray(self) -> FloatArray:
        """The operator as a dense array; refused when it would not fit into memory."""
        n = self.shape[0]
        require_memory(
            3 * 8.0 * n * n, f"a dense operator on {n:,} cells", "apply it instead: S @ x"
        )
        dense = np.empty(self.shape)
        for start in range(0, n, _BLOCK):
            stop = min(start + _BLOCK, n)
            columns = np.zeros((n, stop - start))
            columns[np.arange(start, stop), np.arange(stop - start)] = 1.0
            dense[:, start:stop] = self._apply(columns)
        return (dense + dense.T) / 2

    def diagonal(self) -> FloatArray:
        """The diagonal entries."""
        n = self.shape[0]
        entries = np.empty(n)
        for start in range(0, n, _BLOCK):
            at = np.arange(start, min(start + _BLOCK, n))
            columns = np.zeros((n, len(at)))
            columns[at, at - start] = 1.0
            entries[at] = self._apply(columns)[at, at - start]
        return entries

    def spectrum(self, k: int | None = None, mass: str | ArrayLike | None = None) -> Spectrum:
        """The `k` smallest eigenpairs of S u = lambda D u (all of them by default).

        Parameters
        ----------
        k : int, optional
        mass : None, "diagonal", "degree" or n positive numbers
            D: the identity, the diagonal of S, the diagonal of A, or as given.

        Returns
        -------
        Spectrum
        """
        return eigenpairs(self, k, self._mass(mass), self.labels)

    def shift_inverse(
        self, mass: FloatArray
    ) -> tuple[float, Callable[[FloatArray], FloatArray]] | None:
        """A shift s below the spectrum and x -> (S - s D)^-1 x; None if there is no quick way."""
        return None

    def _mass(self, mass: str | ArrayLike | None) -> FloatArray | None:
        if mass is None:
            return None
        if isinstance(mass, str):
            if mass not in ("diagonal", "degree"):
                raise InputError(f'mass={mass!r}; choose "diagonal", "degree" or give numbers')
            values = self.diagonal() if mass == "diagonal" else self.A.diagonal()
            # A vertex without edges has no mass of its own; one keeps its zero eigenvalue.
            lonely = np.diff(self.A.indptr) == 0
            values = np.where(lonely, 1.0, values)
        else:
            values = signal(mass, self.shape[0], "mass")
            if values.ndim != 1:
                raise InputError(f"mass has shape {values.shape}; give one number for each cell")
        bad = np.flatnonzero(values <= 0)
        if len(bad):
            raise InputError(
                f"mass {values[bad[0]]:.3g} at {self.labels[bad[0]]!r}; masses must be positive: "
                'use mass="degree" or None'
            )
        return values


class SparseOperator(Operator):
    """An operator that is a sparse matrix.

    >>> L = SparseOperator(sparse.csr_array([[1.0, -1.0], [-1.0, 1.0]]), ("a", "b"))
    >>> L.spectrum().values.round(6).tolist()
    [0.0, 2.0]
    """

    def __init__(
        self,
        matrix: Any,
        labels: Sequence[Hashable],
        kernel: sparse.csr_array | None = None,
        name: str = "sparse",
        definite: bool = True,
    ) -> None:
        super().__init__(matrix.shape[0], labels)
        self.A = sparse.csr_array(matrix).astype(np.float64)
        self.A.eliminate_zeros()
        self.kernel = kernel
        self.name = name
        self.definite = definite

    def __repr__(self) -> str:
        return f"<{self.name} operator on {self.shape[0]} cells, {self.A.nnz} entries>"

    def _apply(self, x: FloatArray) -> FloatArray:
        return self.A @ x

    def diagonal(self) -> FloatArray:
        return self.A.diagonal()

    @cached_property
    def _norm(self) -> float:
        return float(abs(self.A).sum(axis=1).max()) if self.A.nnz else 1.0

    def shift_inverse(
        self, mass: FloatArray
    ) -> tuple[float, Callable[[FloatArray], FloatArray]] | None:
        # Closer to zero converges faster; the known kernel is projected out, so it does not hurt.
        shift = -1e-6 * self._norm / float(mass.max())
        return shift, Direct().prepare(self.A - shift * sparse.diags_array(mass))
