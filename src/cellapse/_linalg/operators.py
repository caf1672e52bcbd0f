r"""The one interface of all operators: a scipy LinearOperator with a spectrum and labels.

    S u = lambda D u,    (S + shift I) x = b,    u^T S u.

For systems A + shift I, which is at least S + shift I, is factorized (or, where the graph expands,
its diagonal taken); conjugate gradients go on from there until the error in the energy norm

    (e^T (S + shift I) e)^{1/2}  <=  rtol (x^T (S + shift I) x)^{1/2}.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from cellapse._errors import ConvergenceError, InputError
from cellapse._linalg.blas import column_blocks, column_dots, times
from cellapse._linalg.cg import System, conjugate_gradients
from cellapse._linalg.eigen.auto import Auto
from cellapse._linalg.eigen.inertia import count_below
from cellapse._linalg.eigen.problem import EigenSolver, eigenproblem
from cellapse._linalg.eigen.spectrum import Spectrum, solve_eigenproblem
from cellapse._linalg.factor import Solve, best_direct, expands
from cellapse._linalg.kernel import Projector
from cellapse._linalg.symmetric import SymmetricOperator
from cellapse._shared.align import align_one_each, unpack
from cellapse._shared.arrays import FloatArray, diagonal_matrix, row_sum
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import (
    at_least_zero,
    flag,
    number,
    one_of,
    share,
    whole_number,
)
from cellapse._shared.memory import Fitting, require_memory
from cellapse._shared.pictures import grid
from cellapse._shared.scaling import homogeneous

_ROUNDING = 1e-12  # of the norm of A: what a product may be off by without being refined


class Operator(Shown, SymmetricOperator):
    """A symmetric operator with labels: what every task takes, collapsed or not.

    Attributes
    ----------
    labels : sequence
        What the rows are called.
    A : scipy.sparse.csr_array
        The matrix it is made from, which bounds it from above.
    kernel : scipy.sparse.csr_array or None
        A basis of its kernel, where that is known exactly.
    definite : bool
        Whether it has no negative eigenvalue.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> for operator in (cl.graph_laplacian(K), cl.collapse(K)):
    ...     print(operator.spectrum(2).values.round(3).tolist())
    [0.0, 1.187]
    [0.0, 0.145]
    """

    lift: str = ""  # how its complex was made of what was given, where a function did that itself

    def _card(self) -> Card:
        kernel = "" if self.kernel is None else f"dimension {self.kernel.shape[1]:,}, known exactly"
        rows = [
            ("size", f"{self.shape[0]:,} cells"),
            ("kernel", kernel),
            ("definite", "no negative eigenvalue" if self.definite else "may be indefinite"),
        ]
        return Card(repr(self), tuple(r for r in rows if r[1]), self._picture, self._calls())

    def _picture(self) -> str:
        rows, columns = self.A.nonzero()
        return grid(rows, columns, self.shape[0])

    def _calls(self) -> tuple[tuple[str, str], ...]:
        return (
            ("S.spectrum(k)", "gives the smallest eigenpairs"),
            ("S.plot()", "draws them"),
            ("cl.cluster(S)", "groups the vertices"),
        )

    def plot(self, k: int = 30, *, ax: Any = None) -> Any:
        """Draw its smallest eigenvalues, and return the axes: see `cellapse.plot.plot_spectrum`."""
        from cellapse.plot import plot_spectrum

        return plot_spectrum(self, k, ax=ax)

    def tocsr(self) -> sparse.csr_array:
        """Return the operator as a sparse matrix, where it is one."""
        raise InputError(
            f"{self!r} is no sparse matrix; S.toarray() gives a dense one, and the screened and "
            "renormalized realizations are sparse"
        )

    @Fitting("a spectrum", "lower k")
    def spectrum(
        self,
        k: int | None = None,
        mass: str | ArrayLike | None = None,
        *,
        which: str = "smallest",
        rtol: float = 1e-10,
        solver: EigenSolver | None = None,
        certify: bool = True,
    ) -> Spectrum:
        """Find the `k` smallest eigenpairs of S u = lambda D u (all of them by default).

        Parameters
        ----------
        k : int, optional
        mass : None, "diagonal", "degree" or n positive numbers
            D: the identity, the diagonal of S, the diagonal of A, or as given.
        which : {"smallest", "largest"}
        rtol : float
            Residual to reach, relative to an upper bound of ||A||.
        solver : Dense, ShiftInvert, Davidson, Lanczos or Auto, optional
            `Auto().select(S)` says which one is used by default, and why.
        certify : bool
            Whether eigenvalues may be counted, up to 20,000 cells, to be certain that none was
            missed; that can take as long as the rest. Without, what was found leaves a rest, which
            is searched.

        Returns
        -------
        Spectrum
        """
        D = self._mass(mass)
        n = self.shape[0]
        one_of("which", which, ("smallest", "largest"))
        rtol = share("rtol", rtol)
        wanted = n if k is None else whole_number("k", k, 1, n)
        # The basis of an iteration is twice as many, and what comes of it as many again.
        require_memory(32.0 * n * wanted, f"{wanted:,} eigenvectors of {n:,} cells", "lower k")
        solver = Auto() if solver is None else solver
        if not isinstance(solver, EigenSolver):
            raise InputError(
                f"solver={solver!r}; give Dense(), ShiftInvert(), Davidson(), Lanczos() or Auto()"
            )
        largest, certify = which == "largest", flag("certify", certify)
        problem = eigenproblem(self, wanted, D, largest=largest, tol=rtol, certify=certify)
        return solve_eigenproblem(problem, solver)

    def count_below(self, value: float, mass: str | ArrayLike | None = None) -> int | None:
        """Count the eigenvalues smaller than `value`, by Sylvester's law of inertia.

        Eigenvalues that equal `value` within 5e-9 of the norm may not count. None where there is
        nothing to factorize, or the factorization cannot be relied on.
        """
        D = self._mass(mass)
        value = number("value", value, "a finite number", lambda _: True)
        return count_below(self, value, np.ones(self.shape[0]) if D is None else D)

    @Fitting("a solution", "take fewer right-hand sides at a time")
    def solve(self, b: Any, shift: float = 0.0, *, rtol: float = 1e-10) -> Any:
        """Solve (S + shift I) x = b, for one right-hand side or many columns.

        A sparse matrix with a shift above 1e-4 ||A|| is factorized. Everything else goes by
        conjugate gradients, preconditioned with a factor of A + shift (or its diagonal where the
        graph expands). The error is at most `rtol` relative to x, both in the energy norm
        (x^T (S + shift) x)^{1/2}. With `shift=0` the solution is the one without a part in the
        kernel, and b is taken without its part in the kernel, too. A Series or DataFrame is aligned
        by label, and so is what comes out.

        >>> L = SparseOperator(sparse.csr_array([[2.0, 0.0], [0.0, 4.0]]), ("a", "b"))
        >>> L.solve([1.0, 1.0]).round(6).tolist(), L.solve([1.0, 1.0], shift=1.0).round(6).tolist()
        ([0.5, 0.25], [0.333333, 0.2])
        """
        rhs, pack = unpack(b, self, "the right-hand side")
        shift, rtol = at_least_zero("shift", shift), share("rtol", rtol)
        if not self.definite:
            raise InputError(f"{self!r} may have negative eigenvalues; solve needs a definite one")
        return pack(homogeneous(lambda b: solve_system(self, b, shift, rtol), rhs))

    def _mass(self, mass: str | ArrayLike | None) -> FloatArray | None:
        if mass is None:
            return None
        if isinstance(mass, str):
            if mass not in ("diagonal", "degree"):
                raise InputError(f'mass={mass!r}; choose "diagonal", "degree" or give numbers')
            values = self.diagonal() if mass == "diagonal" else self.A.diagonal()
            held = abs(self.A).sum(axis=1) > 0.0
            if mass == "diagonal":
                _check_known(np.where(held, values, np.inf), self)
            # A vertex without edges has no mass of its own; any keeps its zero eigenvalue, and the
            # mean of the others has their unit.
            usual = float(values[held].mean()) if held.any() else 1.0
            values = np.where(held, values, usual)
        else:
            values = align_one_each(mass, self.labels, "mass", cells=self.onto > 0)
        bad = np.flatnonzero((values < 1e-150) | (values > 1e150))
        if len(bad):
            raise InputError(
                f"mass {values[bad[0]]:.3g} at {self.labels[bad[0]]!r}; masses must be positive "
                'numbers from 1e-150 to 1e150: use mass="degree" or None'
            )
        return values


def _check_known(masses: FloatArray, S: Operator) -> None:
    """Refuse masses that are rounding: where the collapse takes all of A, nothing is left of it."""
    least = _ROUNDING * row_sum(S.A)
    unknown = np.flatnonzero((masses < least) & (S.matrix is None))
    if len(unknown):
        raise ConvergenceError(
            f"the diagonal of S at {S.labels[unknown[0]]!r} is {masses[unknown[0]]:.1e}, which is "
            f'rounding next to a norm of {row_sum(S.A):.1e}; use mass="degree" or None'
        )


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

    def __repr__(self) -> str:
        lift = f"; {self.lift}" if self.lift else ""
        return f"<{self.name} operator on {self.shape[0]} cells, {self.A.nnz} entries{lift}>"

    @property
    def matrix(self) -> sparse.csr_array:  # type: ignore[override]
        return self.A

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        return times(self.A, x)

    def diagonal(self) -> FloatArray:
        return self.A.diagonal()

    def tocsr(self) -> sparse.csr_array:
        return self.A.copy()


_LARGE_SHIFT = 1e-4  # relative to ||A||: from here on a factorization keeps its digits
_ROUNDING = 1e-14  # of a projection
_NULL = 1e-3  # where S is below 1e-11 of A, it is zero to the accuracy of a product


def solve_system(
    operator: SymmetricOperator, rhs: FloatArray, shift: float, rtol: float
) -> FloatArray:
    """Solve (S + shift I) x = rhs; for shift = 0 both without a part in the kernel."""
    A = operator.A if operator.matrix is None else operator.matrix
    norm, fills_in = row_sum(A), expands(A)
    if norm == 0.0:  # and so is S, which is at most A: all of the right-hand side is in its kernel
        return rhs / shift if shift else np.zeros_like(rhs)
    large, eye = shift > _LARGE_SHIFT * norm, sparse.eye_array(len(rhs))
    if operator.matrix is not None and large and not fills_in:
        return best_direct(len(rhs)).prepare(A + shift * eye)(rhs)
    ridge = shift + 1e-8 * norm
    ridged = A + ridge * eye
    inverse: Solve = diagonal_matrix(1.0 / ridged.diagonal()).__matmul__
    if not fills_in:
        inverse = best_direct(len(rhs)).prepare(ridged)
    system = _Shifted(operator, shift, inverse)
    lower = shift / (norm + ridge) if large else None
    if rhs.ndim == 1:
        return _solution(system, rhs[:, None], ridge, rtol, lower)[:, 0]
    if not fills_in:  # a factor takes all columns at once
        return _solution(system, rhs, ridge, rtol, lower)
    blocks = column_blocks(rhs, 4 if operator.iterative else 8)
    return np.hstack([_solution(system, rhs[:, block], ridge, rtol, lower) for block in blocks])


class _Shifted(System):
    """S + shift off the kernel, preconditioned by the inverse of A + ridge."""

    def __init__(self, operator: SymmetricOperator, shift: float, inverse: Solve) -> None:
        self.operator, self.shift, self._inverse = operator, shift, inverse
        self.onto_kernel, self.error = Projector(operator.kernel), 0.0

    def apply(self, x: FloatArray) -> FloatArray:
        return self.onto_kernel.remove_from(self.operator.apply(x, self.error)) + self.shift * x

    def precondition(self, r: FloatArray) -> FloatArray:
        return self.onto_kernel.remove_from(self._inverse(r))


def _solution(
    system: _Shifted, rhs: FloatArray, ridge: float, rtol: float, lower: float | None
) -> FloatArray:
    """Solve for columns by conjugate gradients."""
    shift, onto_kernel = system.shift, system.onto_kernel
    rest, size = onto_kernel.off(rhs), np.linalg.norm(rhs, axis=0)
    rest = np.where(np.linalg.norm(rest, axis=0) <= _ROUNDING * size, 0.0, rest)
    # S is at most A, so that this is at most the energy of the solution.
    energy = np.sqrt(np.maximum(column_dots(rest, system.precondition(rest)), 0.0))
    goal = np.maximum(rtol * energy, 1e-15 * size / np.sqrt(ridge))
    system.error = 0.01 * float(goal.min(initial=np.inf)) * np.sqrt(ridge)
    # An unknown kernel has zero energy: directions of next to none are skipped.
    null = _NULL if system.operator.kernel is None and shift == 0.0 else 0.0
    x, error = conjugate_gradients(system, rest, 0.5 * goal, lower, null=null)
    if not (error <= goal).all():
        reached = float((error / np.maximum(goal, 1e-300)).max()) * rtol
        raise ConvergenceError(
            f"(S + {shift:g} I) x = b is solved to a relative error of {reached:.1e} only, "
            f"short of rtol={rtol:.0e}: S is singular or next to it; give a larger shift or rtol"
        )
    return x + (onto_kernel(rhs) / shift if shift else 0.0)  # S is zero on the kernel
