"""The one interface of all operators: a scipy LinearOperator with a spectrum and labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from cellapse._errors import ConvergenceError, InputError
from cellapse._linalg.cg import conjugate_gradients
from cellapse._linalg.direct import Direct, Solve, expands
from cellapse._linalg.eigen.solvers import EigenSolver, Pairs
from cellapse._linalg.eigen.spectrum import Auto, Spectrum, eigenpairs, lowest_pairs
from cellapse._linalg.kernel import Projector
from cellapse._shared.arrays import FloatArray, row_sum
from cellapse._shared.checks import at_least_zero, finite_rows, number, numbers, share, signal
from cellapse._shared.memory import require_memory

_SUPERLU = Direct()
_BLOCK = 256  # columns handled at once when a matrix is made out of an operator
_NULL = 1e-3  # where S is below 1e-11 of A, it is zero to the accuracy of a product


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

    def _matvec(self, x: Any) -> NDArray[Any]:
        return self._matmat(x).reshape(self.shape[0])

    def _matmat(self, X: Any) -> NDArray[Any]:
        if np.iscomplexobj(X):  # S is real: it acts on the two parts alone
            return self._matmat(X.real) + 1j * self._matmat(X.imag)
        return self._apply(np.asarray(X, dtype=np.float64))

    def _operand(self, x: Any) -> Any:
        """What the operator can be applied to: numbers, one row for each cell."""
        values = numbers(x.toarray() if sparse.issparse(x) else x, "what S is applied to")
        if values.ndim not in (1, 2) or len(values) != self.shape[1]:
            raise InputError(
                f"an operator on {self.shape[1]} cells times an array of shape {values.shape}; "
                "give one row for each cell"
            )
        return values

    def matvec(self, x: Any) -> Any:
        """S x for one signal, real or complex."""
        values = self._operand(x)
        if values.shape[1:] not in ((), (1,)):
            raise InputError(f"matvec of shape {values.shape}; give one column, or use S @ x")
        return super().matvec(values)

    def matmat(self, X: Any) -> Any:
        """S X for signals as columns, real or complex."""
        values = self._operand(X)
        if values.ndim != 2:
            raise InputError(f"matmat of shape {values.shape}; give columns, or use S @ x")
        return super().matmat(values)

    rmatvec, rmatmat = matvec, matmat  # S is its own adjoint

    def __matmul__(self, x: Any) -> Any:
        return super().dot(x if isinstance(x, LinearOperator) else self._operand(x))

    def _adjoint(self) -> Operator:
        return self

    def _transpose(self) -> Operator:
        return self

    def energy(self, u: ArrayLike) -> float:
        """The quadratic form u^* S u: how much u varies; u may be complex."""
        u = finite_rows(numbers(u, "the signal"), self.shape[0], "the signal")
        return float(np.vdot(u, self @ u).real)

    def toarray(self) -> FloatArray:
        """The operator as a dense array; refused when it would not fit into memory."""
        n = self.shape[0]
        require_memory(
            3 * 8.0 * n * n, f"a dense operator on {n:,} cells", "apply it instead: S @ x"
        )
        return self._dense()

    def _dense(self) -> FloatArray:
        n, dense = self.shape[0], np.empty(self.shape)
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

    def spectrum(
        self,
        k: int | None = None,
        mass: str | ArrayLike | None = None,
        *,
        which: str = "smallest",
        tol: float = 1e-10,
        solver: EigenSolver | Auto | None = None,
    ) -> Spectrum:
        """The `k` smallest eigenpairs of S u = lambda D u (all of them by default).

        Parameters
        ----------
        k : int, optional
        mass : None, "diagonal", "degree" or n positive numbers
            D: the identity, the diagonal of S, the diagonal of A, or as given.
        which : {"smallest", "largest"}
        tol : float
            Residual to reach, relative to an upper bound of ||A||.
        solver : Dense, ShiftInvert, Davidson, Lanczos, LOBPCG or Auto, optional
            `Auto().select(S)` says which one is used by default, and why.

        Returns
        -------
        Spectrum
        """
        return eigenpairs(self, k, self._mass(mass), self.labels, which, tol, solver)

    @property
    def plain(self) -> SparseOperator | None:
        """A as an operator of its own, where this one is its collapse."""
        return None

    @property
    def matrix(self) -> sparse.csr_array | None:
        """The operator as a sparse matrix, where it is one."""
        return None

    @property
    def drop(self) -> float:
        """How far the operator may be below A: S >= A - drop."""
        return 0.0

    @property
    def rounding(self) -> float:
        """How far rounding in `shifted` may move an eigenvalue, beyond that of any matrix."""
        return 0.0

    @property
    def iterates(self) -> bool:
        """Whether applying the operator takes iterations, but no factorization."""
        return False

    @property
    def slow(self) -> bool:
        """Whether a product costs so much more than one with A that a few are better than n."""
        return False

    def approximate(self, x: FloatArray, error: float) -> FloatArray:
        """S x within an absolute error, where accepting one saves work."""
        return self._apply(x)

    @property
    def lowest(self) -> Callable[[int], Pairs] | None:
        """k -> the first k eigenpairs off the kernel, where the operator keeps them."""
        return None

    def safe_shift(self, mass: FloatArray) -> float:
        """A shift below the spectrum of S u = lambda D u."""
        return -1e-6 * row_sum(self.A) / float(mass.max(initial=1.0))

    def shifted(self, shift: float, mass: FloatArray) -> tuple[Any, int] | None:
        """A sparse matrix whose inverse begins with (S - shift D)^-1, where there is one.

        Also the number of negative eigenvalues of its other part.
        """
        return None

    def shift_inverse(
        self, mass: FloatArray, direct: Direct = _SUPERLU
    ) -> tuple[float, Solve] | None:
        """A shift s below the spectrum and x -> (S - s D)^-1 x; None without a factorization."""
        shift = self.safe_shift(mass)
        matrix = self.shifted(shift, mass)
        if matrix is None:
            return None
        solve, n = direct.prepare(matrix[0]), self.shape[0]
        size = matrix[0].shape[0]
        if size == n:
            return shift, solve

        def apply(x: FloatArray) -> FloatArray:
            padded = np.zeros((size, *x.shape[1:]))
            padded[:n] = x
            return solve(padded)[:n]

        return shift, apply

    def count_below(self, value: float, mass: str | ArrayLike | None = None) -> int | None:
        """How many eigenvalues are smaller than `value`, by Sylvester's law of inertia.

        Eigenvalues that equal `value` within 5e-9 of the norm may not count. None where there is
        nothing to factorize, or the factorization cannot be relied on.
        """
        n, D = self.shape[0], self._mass(mass)
        D = np.ones(n) if D is None else D
        value = number("value", value, "a finite number", lambda _: True)
        norm = float((abs(self.A).sum(axis=1) / D).max(initial=0.0) or 1.0)
        rounding = self.rounding / float(D.min(initial=np.inf))
        if rounding > 5e-10 * norm:
            return None
        margin = 1e-11 * norm + 10.0 * rounding
        for away in (1.0, 2.0, 5.0):  # where a pivot vanishes, a little further off
            shifted = self.shifted(float(value) - away * margin, D)
            if shifted is None:
                return None
            matrix, others = sparse.csc_array(shifted[0]), shifted[1]
            try:
                factor = Direct().prepare(matrix)
            except ConvergenceError:
                continue
            negative = factor.n_negative()
            if negative is not None and 0 <= negative - others <= n and _solves(factor, matrix):
                return negative - others
        return None

    def solve(self, b: ArrayLike, shift: float = 0.0, *, rtol: float = 1e-10) -> FloatArray:
        """The solution x of (S + shift I) x = b, for one right-hand side or many columns.

        A sparse matrix with a shift above 1e-4 ||A|| is factorized. Everything else goes by
        conjugate gradients, preconditioned with a factor of A + shift (or its diagonal where the
        graph expands). The error is at most `rtol` relative to x, both in the energy norm
        (x^T (S + shift) x)^{1/2}. With `shift=0` the solution is the one without a part in the
        kernel, and b is taken without its part in the kernel, too.

        >>> L = SparseOperator(sparse.csr_array([[2.0, 0.0], [0.0, 4.0]]), ("a", "b"))
        >>> L.solve([1.0, 1.0]).round(6).tolist(), L.solve([1.0, 1.0], shift=1.0).round(6).tolist()
        ([0.5, 0.25], [0.333333, 0.2])
        """
        rhs = signal(b, self.shape[0], "the right-hand side")
        shift, rtol = at_least_zero("shift", shift), share("rtol", rtol)
        if not self.definite:
            raise InputError(f"{self!r} may have negative eigenvalues; solve needs a definite one")
        norm = row_sum(self.A) or 1.0
        fills_in = expands(self.A)
        if self.matrix is not None and shift > 1e-4 * norm and not fills_in:
            matrix = self.matrix + shift * sparse.eye_array(len(rhs))
            return Direct().prepare(matrix)(rhs)  # with so large a shift it keeps its digits
        ridge = shift + 1e-8 * norm
        ridged = self.A + ridge * sparse.eye_array(len(rhs))
        near: Any = sparse.diags_array(1.0 / ridged.diagonal())
        inner: Solve = near.__matmul__ if fills_in else Direct().prepare(ridged)
        fixed_part = Projector(self.kernel)
        fixed = fixed_part(rhs)  # where S is zero

        def project(x: FloatArray) -> FloatArray:
            return x - fixed_part(x)

        rest = project(rhs)
        # S is at most A, so that this is at most the energy of the solution.
        energy = np.sqrt(np.maximum(np.einsum("i...,i...->...", rest, inner(rest)), 0.0))
        rounding = 1e-15 * np.linalg.norm(rhs, axis=0) / np.sqrt(ridge)
        goal = np.atleast_1d(np.maximum(rtol * energy, rounding))
        slack = 0.01 * float(goal.min(initial=np.inf)) * np.sqrt(ridge)

        def apply(x: FloatArray) -> FloatArray:
            return project(self.approximate(x, slack)) + shift * x

        x, error = conjugate_gradients(
            apply,
            rest,
            lambda r: project(inner(r)),
            0.5 * goal,
            lower=shift / (norm + ridge) if shift > 1e-4 * norm else None,
            # The energy does not see a kernel that nobody knows of: the way must not lead there.
            null=_NULL if self.kernel is None and shift == 0.0 else 0.0,
        )
        if not (error <= goal).all():
            reached = float((error / np.maximum(goal, 1e-300)).max()) * rtol
            raise ConvergenceError(
                f"(S + {shift:g} I) x = b is solved to a relative error of {reached:.1e} only, "
                f"short of rtol={rtol:.0e}: S is singular or next to it; give a larger shift or "
                "rtol"
            )
        return x + (fixed / shift if shift else 0.0)

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


def _solves(factor: Solve, matrix: sparse.csc_array) -> bool:
    """Whether a factorization without pivoting kept its digits: seen on a random vector."""
    rhs = np.random.default_rng(0).standard_normal(matrix.shape[0])
    x = factor(rhs)
    left = np.abs(matrix @ x - rhs)
    return bool((left <= 1e-8 * (abs(matrix) @ np.abs(x) + np.abs(rhs))).all())


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
        self.A.sum_duplicates()  # in order at once: SciPy would sort it at its first maximum
        self.kernel = kernel
        self.name = name
        self.definite = definite
        self._factor: tuple[Direct, float, Solve] | None = None
        self._lowest: Pairs = (np.empty(0), np.empty((self.shape[0], 0)))

    def __repr__(self) -> str:
        return f"<{self.name} operator on {self.shape[0]} cells, {self.A.nnz} entries>"

    def _apply(self, x: FloatArray) -> FloatArray:
        return self.A @ x

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_factor": None}  # a factor cannot be copied, but is soon made

    @property
    def matrix(self) -> sparse.csr_array | None:
        return self.A

    def diagonal(self) -> FloatArray:
        return self.A.diagonal()

    def safe_shift(self, mass: FloatArray) -> float:
        # Closer to zero converges faster; the known kernel is projected out, so it does not hurt.
        return -1e-6 * self._norm / float(mass.max())

    def shifted(self, shift: float, mass: FloatArray) -> tuple[Any, int] | None:
        return self.A - shift * sparse.diags_array(mass), 0

    def shift_inverse(
        self, mass: FloatArray, direct: Direct = _SUPERLU
    ) -> tuple[float, Solve] | None:
        if (mass != 1.0).any():
            return super().shift_inverse(mass, direct)
        if self._factor is None or self._factor[0] != direct:  # kept: sigma, start and steps use it
            found = super().shift_inverse(mass, direct)
            assert found is not None
            self._factor = (direct, *found)
        return self._factor[1:]

    @property
    def lowest(self) -> Callable[[int], Pairs]:
        def kept(k: int) -> Pairs:
            if len(self._lowest[0]) < k:
                self._lowest = lowest_pairs(self, k)
            values, vectors = self._lowest
            return values[:k], vectors[:, :k]

        return kept

    @cached_property
    def _norm(self) -> float:
        return row_sum(self.A) or 1.0
