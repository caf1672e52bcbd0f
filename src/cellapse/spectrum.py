r"""Eigenpairs S u = lambda D u of a symmetric operator, with evidence.

The kernel, where it is known, is not computed but removed before and put back after: Krylov methods
miss repeated zeros otherwise. Where a factorization is at hand, Sylvester's law of inertia counts
the eigenvalues below the last one found; if any was missed, it is looked for in what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cellapse._checks import whole_number
from cellapse._errors import ConvergenceError, InputError
from cellapse.eigensolvers import (
    Davidson,
    Dense,
    EigenSolver,
    Lanczos,
    Pairs,
    Problem,
    ShiftInvert,
    largest_pairs,
)
from cellapse.solvers import Direct, Solve, expands

FloatArray = NDArray[np.float64]

_DENSE = 1200  # up to this many cells the dense way is quick whatever the graph
_EXPANDING = 500  # and up to this many where the graph expands
_CERTIFY = 20_000  # up to this many cells a second factorization is worth the certainty


class Symmetric(Protocol):
    """What `eigenpairs` needs of an operator."""

    kernel: sparse.csr_array | None
    definite: bool
    A: sparse.csr_array

    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def plain(self) -> Symmetric | None: ...
    @property
    def iterates(self) -> bool: ...
    @property
    def slow(self) -> bool: ...
    def __matmul__(self, x: Any) -> Any: ...
    def toarray(self) -> FloatArray: ...
    def approximate(self, x: FloatArray, error: float) -> FloatArray: ...
    @property
    def lowest(self) -> Callable[[int], Pairs] | None: ...
    def shift_inverse(self, mass: FloatArray, direct: Direct) -> tuple[float, Solve] | None: ...
    def count_below(self, value: float, mass: Any = None) -> int | None: ...


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues in ascending order with their vectors and what is left of the equation.

    Attributes
    ----------
    values : (k,) array
    vectors : (n, k) array
        Columns with u^T D u = 1; the entry of largest size is positive.
    residuals : (k,) array
        Norms ||S u - lambda D u||.
    n_zeros : int or None
        Dimension of the kernel where it is known in advance; those values are exactly 0.
    certified : bool or None
        True where it is certain that none was missed: a dense solver found all, or the inertia of
        a factorization counted them. None where nothing counted.
    labels : sequence
        What the rows of `vectors` are.
    solver : EigenSolver
        What computed it.
    """

    values: FloatArray
    vectors: FloatArray = field(repr=False)
    residuals: FloatArray = field(repr=False)
    n_zeros: int | None
    certified: bool | None
    labels: Sequence[Hashable] = field(repr=False)
    solver: EigenSolver

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Choice:
    """A solver and the reason for it; prints as one sentence."""

    solver: EigenSolver
    reason: str

    def __str__(self) -> str:
        return f"{self.solver}: {self.reason}"


@dataclass(frozen=True)
class Auto:
    """Chooses the solver by size and by how the graph can be cut, and says why.

    Where Davidson does not converge (A may be far from S), Lanczos takes over; `spectrum.solver`
    names the one that found the result.
    """

    def select(self, operator: Symmetric, k: int | None = 10) -> Choice:
        """The solver `spectrum(k)` will use, and a sentence that says why.

        >>> import networkx as nx, cellapse as cl
        >>> L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(50)))
        >>> print(Auto().select(L))
        Dense(): 50 cells are few enough for a dense matrix
        """
        n = operator.shape[0]
        if k is None or k > n // 4:
            return Choice(Dense(), f"{'all' if k is None else k} of {n} eigenpairs are wanted")
        few = n < 100 or not operator.slow
        if n <= _EXPANDING and few:
            return Choice(Dense(), f"{n} cells are few enough for a dense matrix")
        if not operator.definite:
            return Choice(Lanczos(), "eigenvalues may be negative, so there is no safe shift")
        if expands(operator.A):
            why = "the graph expands: a factorization would fill in"
            if operator.plain is None:
                return Choice(Lanczos(), why)
            if operator.iterates or n > _DENSE or not few:
                return Choice(Davidson(None), why)
        if n <= _DENSE and few:
            return Choice(Dense(), f"{n} cells are few enough for a dense matrix")
        if operator.plain is not None:
            why = "the graph can be cut, and the eigenvectors of A are a close start"
            return Choice(Davidson(), why)
        return Choice(ShiftInvert(), "the graph can be cut: a factorization stays sparse")


def eigenpairs(
    operator: Symmetric,
    k: int | None,
    mass: FloatArray | None,
    labels: Sequence[Hashable],
    which: str = "smallest",
    tol: float = 1e-10,
    solver: EigenSolver | Auto | None = None,
) -> Spectrum:
    """`k` eigenpairs (all, by default) of S u = lambda D u with D = diag(mass)."""
    n = operator.shape[0]
    if which not in ("smallest", "largest"):
        raise InputError(f'which={which!r}; choose "smallest" or "largest"')
    if not 0 < tol < 1:
        raise InputError(f"tol={tol!r}; give a relative residual between 0 and 1, like 1e-8")
    wanted = n if k is None else whole_number("k", k, 1, n)
    root = np.ones(n) if mass is None else np.sqrt(mass)
    chosen = solver is None or isinstance(solver, Auto)
    if solver is None or isinstance(solver, Auto):
        solver = Auto().select(operator, None if wanted == n else wanted).solver
    deflate = operator.kernel is not None and operator.definite and which == "smallest"
    P = _normalized(root, operator.kernel) if deflate else sparse.csr_array((n, 0))
    p = P.shape[1]
    certified: bool | None = True if isinstance(solver, Dense) or p >= wanted else None
    problem = _problem(operator, wanted - p, root, P, tol)
    if p >= wanted:
        vectors = P[:, :wanted].toarray()
    elif which == "largest":
        vectors = largest_pairs(problem, dense=isinstance(solver, Dense))[1]
    else:
        try:
            values, found = solver.run(problem)
        except ConvergenceError:
            if not (chosen and isinstance(solver, Davidson)):
                raise
            solver = Lanczos()  # A was no close start after all; the result says who found it
            values, found = solver.run(problem)
        by_factor = isinstance(solver, ShiftInvert | Davidson) and solver.factorization is not None
        if by_factor and n <= _CERTIFY:
            certified, found = _certify(operator, problem, root, values, found)
        elif isinstance(solver, Lanczos):
            found = _second_look(solver, problem, values, found)
        vectors = np.hstack([P.toarray(), found]) if p else found
    return _spectrum(
        operator, vectors, root, p if deflate else None, certified, labels, solver, tol
    )


def _spectrum(
    operator: Symmetric,
    vectors: FloatArray,
    root: FloatArray,
    n_zeros: int | None,
    certified: bool | None,
    labels: Sequence[Hashable],
    solver: EigenSolver,
    tol: float,
) -> Spectrum:
    vectors = fix_signs(vectors / root[:, None])
    image = operator.approximate(vectors, 0.02 * tol * _norm(operator.A, root))
    values = np.einsum("ij,ij->j", vectors, image)
    values[: n_zeros or 0] = 0.0
    rounding = 1e-13 * _norm(operator.A, root)
    values[(values < 0) & (values > -rounding)] = 0.0
    order = np.argsort(values, kind="stable")
    residuals = np.linalg.norm(image - root[:, None] ** 2 * vectors * values, axis=0)
    return Spectrum(
        values[order], vectors[:, order], residuals[order], n_zeros, certified, labels, solver
    )


def _problem(
    operator: Symmetric, k: int, root: FloatArray, P: sparse.csr_array, tol: float
) -> Problem:
    scale = sparse.diags_array(1.0 / root)
    norm = _norm(operator.A, root)
    error = 0.05 * tol * norm * float(root.min())

    def apply(x: FloatArray, slack: float = 1.0) -> FloatArray:
        by = root if x.ndim == 1 else root[:, None]
        return operator.approximate(x / by, max(slack, 1.0) * error) / by

    def factor(name: str) -> tuple[float, Solve] | None:
        found = operator.shift_inverse(root**2, Direct(name))
        if found is None:
            return None
        shift, solve = found

        def scaled(x: FloatArray) -> FloatArray:
            by = root if x.ndim == 1 else root[:, None]
            return by * solve(by * x)

        return shift, scaled

    return Problem(
        n=operator.shape[0],
        k=k,
        apply=apply,
        kernel=P,
        norm=norm,
        tol=tol,
        dense=lambda: operator.toarray() / root / root[:, None],
        factor=factor,
        plain=None if operator.plain is None else _problem(operator.plain, k, root, P, tol),
        matrix=sparse.csr_array(scale @ operator.A @ scale),
        lowest=operator.lowest if (root == 1.0).all() else None,
    )


def lowest_pairs(operator: Symmetric, k: int) -> Pairs:
    """The first k eigenpairs off the known kernel, good enough to start from."""
    n = operator.shape[0]
    P = sparse.csr_array((n, 0)) if operator.kernel is None else operator.kernel
    problem = _problem(operator, k, np.ones(n), P, 1e-8)
    return Auto().select(operator, k).solver.run(problem)


def _certify(
    operator: Symmetric, problem: Problem, root: FloatArray, values: FloatArray, found: FloatArray
) -> tuple[bool | None, FloatArray]:
    """Count the eigenvalues below the last one found; look for those that were missed."""
    p = problem.kernel.shape[1]
    for _ in range(5):
        below = float(values.max()) - 1e-8 * problem.norm
        count = operator.count_below(below, root**2)
        if count is None:
            return None, found
        missing = count - p - int((values < below).sum())
        if missing <= 0:
            return True, found
        found, values = _look_again(ShiftInvert(), problem, values, found, missing)
    raise ConvergenceError(
        f"{missing} eigenvalues below {below:.6g} exist but were not found; use solver=Dense()"
    )


def _second_look(
    solver: Lanczos, problem: Problem, values: FloatArray, found: FloatArray
) -> FloatArray:
    """Without a factor to count with, see whether anything smaller is left."""
    for _ in range(problem.k):
        rest = _without(problem, found)
        if rest.n - rest.kernel.shape[1] < 2:
            return found
        smallest, _ = solver.run(replace(rest, k=1, tol=1e-3))
        if smallest[0] > values.max() - 1e-6 * problem.norm:
            return found
        found, values = _look_again(solver, problem, values, found, 1)
    return found


def _look_again(
    solver: EigenSolver, problem: Problem, values: FloatArray, found: FloatArray, count: int
) -> tuple[FloatArray, FloatArray]:
    more, extra = solver.run(replace(_without(problem, found), k=count))
    values, found = np.concatenate([values, more]), np.hstack([found, extra])
    order = np.argsort(values)[: problem.k]
    return found[:, order], values[order]


def _without(problem: Problem, found: FloatArray) -> Problem:
    kernel = sparse.hstack([problem.kernel, sparse.csr_array(found)], format="csr")
    return replace(problem, kernel=sparse.csr_array(kernel))


def _norm(A: sparse.csr_array, root: FloatArray) -> float:
    """An upper bound of the largest eigenvalue of A u = lambda D u."""
    return float((abs(A).sum(axis=1) / root**2).max(initial=0.0)) or 1.0


def _normalized(root: FloatArray, kernel: sparse.csr_array) -> sparse.csr_array:
    P = sparse.csr_array(sparse.diags_array(root) @ kernel)
    norms = np.sqrt(np.asarray(P.multiply(P).sum(axis=0)).ravel())
    return sparse.csr_array(P @ sparse.diags_array(1.0 / norms))


def fix_signs(vectors: FloatArray) -> FloatArray:
    """Make the entry of largest size of every column positive; among ties the first decides."""
    size = np.abs(vectors)
    first = np.argmax(size >= size.max(axis=-2, keepdims=True) * (1 - 1e-6), axis=-2, keepdims=True)
    sign = np.sign(np.take_along_axis(vectors, first, axis=-2))
    return vectors * np.where(sign == 0, 1.0, sign)
