"""Linear solvers as small frozen objects: `solve = solver.prepare(matrix)`, then `solve(rhs)`.

They are handed to `collapse(..., solver=...)` and decide how (C + eps I)^-1 is applied:

* `Direct()` (the normal way) factorizes one sparse quasi-definite matrix, once;
* `CG(...)` is Algorithm 1 of the paper: conjugate gradients on C + eps I for every vector.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg
from scipy.sparse.csgraph import (
    breadth_first_order,
    connected_components,
    minimum_spanning_tree,
)

from cellapse._errors import ConvergenceError, InputError, SizeError, extra
from cellapse._memory import require_memory

_SURE_TO_FIT = 10_000  # rows whose factor fits into any memory, even when dense
_COLUMNS = 24  # right-hand sides that SuperLU takes at once: twice as quick as hundreds
_LARGE = 200_000  # rows from which PARDISO is clearly better

FloatArray = NDArray[np.float64]
Solve = Callable[[FloatArray], FloatArray]


class Factor:
    """A factorized symmetric matrix: call it to solve, for one right-hand side or many columns."""

    def __init__(self, solve: Solve, n_negative: Callable[[], int | None]) -> None:
        self._solve, self._n_negative = solve, n_negative

    def __call__(self, rhs: FloatArray) -> FloatArray:
        """The solution for a right-hand side."""
        return self._solve(rhs)

    def n_negative(self) -> int | None:
        """Number of negative eigenvalues (Sylvester's law of inertia), where it can be read off."""
        return self._n_negative()


@dataclass(frozen=True)
class Direct:
    """Sparse factorization of a symmetric matrix.

    Parameters
    ----------
    factorization : {"superlu", "pardiso", "cholmod", "qdldl"}
        SuperLU comes with SciPy. PARDISO and QDLDL need the extra `fast`, CHOLMOD the extra
        `cholmod`. PARDISO orders by nested dissection and wins on large systems.

    >>> solve = Direct().prepare(sparse.eye_array(2, format="csc") * 4)
    >>> solve(np.ones(2)).tolist(), solve.n_negative()
    ([0.25, 0.25], 0)
    """

    factorization: str = "superlu"

    def __post_init__(self) -> None:
        if self.factorization not in FACTORIZATIONS:
            raise InputError(
                f"Direct({self.factorization!r}); choose one of {', '.join(FACTORIZATIONS)}"
            )

    def prepare(self, matrix: Any) -> Factor:
        """Factorize once; refused when the factor is not likely to fit into memory."""
        columns = sparse.csc_array(matrix)
        n = columns.shape[0]
        if n > _SURE_TO_FIT:
            require_memory(
                factor_size(columns),
                f"a factorization of {n:,} rows and {columns.nnz:,} entries",
                "use what needs none: Lanczos(), Davidson(None) or LOBPCG() for eigenpairs, "
                "CG() to collapse",
            )
        return FACTORIZATIONS[self.factorization](columns)


def best_direct(n: int) -> Direct:
    """PARDISO for large systems where it is installed, SuperLU otherwise.

    Its nested dissection is two to three times quicker from some 200,000 rows on; below, SuperLU
    is as quick and quicker to solve with.
    """
    return Direct("pardiso" if n > _LARGE and find_spec("pypardiso") else "superlu")


def factor_size(matrix: sparse.csc_array) -> float:
    """About how many bytes a factor takes: the widest level of a search becomes a dense block.

    Measured on random, small-world, geometric graphs and meshes; within a factor of three there.
    """
    n = matrix.shape[0]
    filled = widest_level(matrix)[0] ** 2 + 3 * n * np.log2(n + 2) + 3 * matrix.nnz
    return 12.0 * filled  # a number and an index each


def _superlu(matrix: sparse.csc_array) -> Factor:
    # No pivoting off the diagonal: definite and quasi-definite matrices do not need it, and it
    # keeps the fill-in of the symmetric ordering.
    try:
        factor = linalg.splu(
            matrix,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except MemoryError:
        raise SizeError(
            f"the factorization of a matrix of {matrix.shape[0]:,} rows and {matrix.nnz:,} entries "
            "does not fit into memory; use an iterative solver (Lanczos(), CG())"
        ) from None

    def n_negative() -> int | None:
        if (factor.perm_r != factor.perm_c).any():
            return None  # pivots off the diagonal: no congruence
        return int((factor.U.diagonal() < 0).sum())

    def solve(rhs: FloatArray) -> FloatArray:
        if rhs.ndim == 1 or rhs.shape[1] <= _COLUMNS:
            return factor.solve(rhs)
        cuts = range(_COLUMNS, rhs.shape[1], _COLUMNS)
        return np.hstack([factor.solve(part) for part in np.split(rhs, cuts, axis=1)])

    return Factor(solve, n_negative)


def _pardiso(matrix: sparse.csc_array) -> Factor:
    with extra("pypardiso", "fast"):
        from pypardiso import PyPardisoSolver
    upper = sparse.csr_matrix(sparse.triu(matrix, format="csr"))
    upper.sort_indices()
    solver = PyPardisoSolver(mtype=-2)  # real symmetric indefinite, from the upper triangle
    solver.factorize(upper)

    def solve(rhs: FloatArray) -> FloatArray:
        solver.set_phase(33)
        return solver._call_pardiso(upper, np.asfortranarray(rhs, dtype=np.float64))

    return Factor(solve, lambda: int(solver.get_iparm(23)))


def _cholmod(matrix: sparse.csc_array) -> Factor:
    with extra("scikit-sparse", "cholmod"):
        from sksparse.cholmod import analyze
    plain = sparse.csc_matrix(matrix)
    factor = analyze(plain, mode="simplicial")  # L D L^T, which takes negative pivots
    factor.cholesky_inplace(plain)
    return Factor(factor, lambda: int((factor.D() < 0).sum()))


def _qdldl(matrix: sparse.csc_array) -> Factor:
    with extra("qdldl", "fast"):
        from qdldl import Solver
    factor = Solver(sparse.csc_matrix(sparse.triu(matrix, format="csc")), upper=True)

    def solve(rhs: FloatArray) -> FloatArray:
        if rhs.ndim == 1:
            return factor.solve(rhs)
        columns = [factor.solve(np.ascontiguousarray(rhs[:, j])) for j in range(rhs.shape[1])]
        return np.stack(columns, axis=1)

    return Factor(solve, lambda: None)


FACTORIZATIONS = {
    "superlu": _superlu,
    "pardiso": _pardiso,
    "cholmod": _cholmod,
    "qdldl": _qdldl,
}


@dataclass(frozen=True)
class CG:
    """Conjugate gradients for a positive semi-definite matrix.

    Parameters
    ----------
    rtol : float
        Residual to reach, relative to the right-hand side.
    maxiter : int, optional
        Iterations allowed per right-hand side; ten times the size by default.

    >>> CG(rtol=1e-8).prepare(sparse.eye_array(2) * 4)(np.ones(2)).tolist()
    [0.25, 0.25]
    """

    rtol: float = 1e-12
    maxiter: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.rtol < 1:
            raise InputError(f"CG(rtol={self.rtol}); choose a number between 0 and 1, like 1e-8")
        if self.maxiter is not None and self.maxiter < 1:
            raise InputError(f"CG(maxiter={self.maxiter}); allow at least one iteration")

    def prepare(self, matrix: Any) -> Solve:
        """Bind the matrix; every call iterates anew, column by column."""
        bound = sparse.csr_array(matrix)

        def solve(rhs: FloatArray) -> FloatArray:
            if rhs.ndim == 2:
                columns = [solve(rhs[:, j]) for j in range(rhs.shape[1])]
                return np.stack(columns, axis=1) if columns else np.zeros_like(rhs)
            x, info = linalg.cg(bound, rhs, rtol=self.rtol, atol=0.0, maxiter=self.maxiter)
            if info:
                residual = np.linalg.norm(rhs - bound @ x) / np.linalg.norm(rhs)
                raise ConvergenceError(
                    f"conjugate gradients stopped after {info} iterations at a relative residual "
                    f"of {residual:.1e}, short of rtol={self.rtol:.0e}; raise eps or maxiter, or "
                    "use solver=Direct()"
                )
            return x

        return solve


def conjugate_gradients(
    apply: Solve,
    rhs: FloatArray,
    precondition: Solve,
    tol: float,
    maxiter: int = 2000,
    strict: bool = True,
) -> FloatArray:
    """Preconditioned conjugate gradients on all columns at once, to an absolute error.

    Stops when the preconditioned residual of every column, which estimates its error, is below
    `tol` (one number, or one for each column); without `strict`, also after `maxiter` steps.
    """
    dot = np.dot if rhs.ndim == 1 else _column_dots
    r, x = rhs.copy(), np.zeros_like(rhs)
    z = precondition(r)
    p, rz = z, dot(r, z)
    for _ in range(maxiter):
        done = np.sqrt(dot(z, z)) <= tol
        if done.all():
            return x
        q = apply(p)
        # Columns that are done stay as they are: rounding would blow them up.
        step = np.where(done, 0.0, rz / np.maximum(dot(p, q), 1e-300))
        x += step * p
        r -= step * q
        z = precondition(r)
        last, rz = rz, dot(r, z)
        p = z + rz / np.maximum(last, 1e-300) * p
    if not strict:
        return x
    raise ConvergenceError(
        f"conjugate gradients stopped after {maxiter} steps at an error of about "
        f"{np.linalg.norm(z, axis=0).max():.1e}; raise eps, or use solver=Direct()"
    )


def _column_dots(x: FloatArray, y: FloatArray) -> FloatArray:
    return np.einsum("ij,ij->j", x, y)


def preconditioner(matrix: sparse.csr_array) -> Solve:
    """An approximate inverse of a diagonally dominant matrix like a weighted graph Laplacian.

    Its diagonal; or, where heavy edges tie small groups of vertices together and the groups to each
    other only by light ones, a factor of the diagonal with the edges of a heaviest spanning forest:
    it has no fill-in, and follows the groups, which the diagonal would take hundreds of steps for.
    """
    diagonal = matrix.diagonal()
    edges = sparse.csr_array(abs(matrix - sparse.diags_array(diagonal)))
    edges.eliminate_zeros()
    lightest, heaviest = edges.data.min(initial=np.inf), edges.data.max(initial=0.0)
    if heaviest > 100.0 * lightest:
        heavy = edges.multiply(edges > np.sqrt(lightest * heaviest))
        groups, components = (connected_components(g, directed=False)[0] for g in (heavy, edges))
        if groups > 2 * components + 10:
            forest = minimum_spanning_tree(-edges).astype(bool)
            kept = matrix.multiply(forest + forest.T)
            return Direct().prepare(sparse.diags_array(diagonal) + kept)
    inverse = 1.0 / diagonal
    return lambda r: (inverse if r.ndim == 1 else inverse[:, None]) * r


def expands(graph: sparse.csr_array) -> bool:
    """Whether a graph has no small cuts, so that a factorization would fill in.

    That is when one level of a breadth-first search holds an eighth of its core.
    """
    widest, n = widest_level(graph)
    return n >= 100 and widest > n / 8


def widest_level(graph: Any) -> tuple[int, int]:
    """The widest level of a breadth-first search from a far vertex, and the size of the core.

    The core is what is left when vertices of degree one and two, which never fill in, are peeled
    off.
    """
    core = sparse.csr_array(graph != 0)
    core.setdiag(False)
    core.eliminate_zeros()
    for _ in range(50):
        degree = np.diff(core.indptr)
        if not len(degree) or degree.min() > 2:
            break
        keep = np.flatnonzero(degree > 2)
        core = core[keep][:, keep]
    n = core.shape[0]
    if n == 0:
        return 0, 0
    _, component = connected_components(core, directed=False)
    largest = np.flatnonzero(component == np.bincount(component).argmax())
    far = largest[0]
    for _ in range(2):  # to the far end, and back to measure
        order, parent = breadth_first_order(core, far, directed=False)
        far = order[-1]
    return _widest_level(order, parent), n


def _widest_level(order: NDArray[Any], parent: NDArray[Any]) -> int:
    """The size of the largest level of a breadth-first search."""
    place = np.empty(len(parent), dtype=np.int64)
    place[order] = np.arange(len(order))
    above = place[parent[order[1:]]]  # ascending: levels are contiguous in the order
    widest, start, stop = 1, 0, 1
    while stop < len(order):
        start, stop = stop, 1 + int(np.searchsorted(above, stop))
        widest = max(widest, stop - start)
    return widest
