r"""Factorize sparse symmetric matrices: `solve = Direct().prepare(matrix)` once, then `solve(b)`.

Handed to `collapse(..., solver=...)`, `Direct()` decides how (C + eps I)^-1 is applied; its
counterpart without a factorization is `CG()`. How far a factor fills in is estimated from a
breadth-first search: a level separates what lies before it from what lies behind; eliminated last,
it becomes a dense block, so that with w rows in the widest level and n rows in all a factor has
about

    w^2 + 3 n log2(n) + 3 nnz     entries

(George and Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, TypeAlias
from weakref import finalize

import numpy as np
from scipy import sparse
from scipy.sparse import linalg
from scipy.sparse.csgraph import breadth_first_order, connected_components

from cellapse._errors import CellapseError, ConvergenceError, SizeError, extra
from cellapse._linalg.blas import mkl_libraries
from cellapse._linalg.tuning import (
    DENSE_BLOCK,
    FITS_ANYWHERE,
    NESTED_DISSECTION_FROM,
    PARDISO_FROM,
    SUPERLU_COLUMNS,
    SUPERLU_PANEL,
)
from cellapse._shared.arrays import FloatArray, csr_from_entries, diagonal_matrix
from cellapse._shared.checks import one_of
from cellapse._shared.memory import require_memory

Solve: TypeAlias = Callable[[FloatArray], FloatArray]

# Of PARDISO (its `iparm`, counted from 1): nested dissection, small pivots raised, pivots of two
# rows, and the factorization for many cores, whose solutions are quick on one core, too. By its own
# defaults it refines every solution twice, which takes four times as long.
_SETTINGS = {1: 1, 2: 2, 10: 8, 21: 1, 24: 1}
_IPARM = {"ordering": 2, "permutation": 5, "pivots": 21, "negative": 23, "complement": 36}
_PHASES = {"factorize": 12, "solve": 33, "forward": 331, "backward": 333}


@dataclass(frozen=True, eq=False)
class Factor:
    """A factorized symmetric matrix: call it to solve, for one right-hand side or many columns.

    Attributes
    ----------
    n_negative : function
        Count the negative eigenvalues (Sylvester's law of inertia), or None where pivots hide them.
    growth : function
        The largest row sum of |L| |U| over that of the matrix; infinite where not known. Rounding
        makes the factors those of a matrix so many units away, relative to rows.
    """

    solve: Solve
    n_negative: Callable[[], int | None] = lambda: None
    growth: Callable[[], float] = lambda: np.inf

    def __call__(self, rhs: FloatArray) -> FloatArray:
        return self.solve(rhs)


@dataclass(frozen=True)
class Direct:
    """Sparse factorization of a symmetric matrix.

    Parameters
    ----------
    factorization : {"superlu", "pardiso", "cholmod", "qdldl"}
        SuperLU comes with SciPy. PARDISO and QDLDL need the extra `fast`, CHOLMOD the extra
        `cholmod`. PARDISO wins on large systems, the largest of which it orders by nested
        dissection.

    Examples
    --------
    >>> solve = Direct().prepare(sparse.eye_array(2, format="csc") * 4)
    >>> solve(np.ones(2)).tolist(), solve.n_negative()
    ([0.25, 0.25], 0)
    """

    factorization: str = "superlu"

    def __post_init__(self) -> None:
        one_of("factorization", self.factorization, FACTORIZATIONS)

    def prepare(self, matrix: Any) -> Factor:
        """Factorize once; refused when the factor is not likely to fit into memory."""
        columns = sparse.csc_array(matrix)
        n = columns.shape[0]
        if n > FITS_ANYWHERE:
            require_memory(
                _bytes(columns),
                f"a factorization of {n:,} rows and {columns.nnz:,} entries",
                "use what needs none: Lanczos() or Davidson(None) for eigenpairs, CG() to collapse",
            )
        try:
            return FACTORIZATIONS[self.factorization](columns)
        except MemoryError:
            raise SizeError(
                f"the factorization of a matrix of {n:,} rows and {columns.nnz:,} entries does not "
                "fit into memory; use an iterative solver (Lanczos(), CG())"
            ) from None
        except (RuntimeError, ArithmeticError, ValueError) as error:  # each library has its own
            if isinstance(error, CellapseError):
                raise
            raise ConvergenceError(
                f"a matrix of {n:,} rows cannot be factorized by {self} ({error})"
            ) from None


def best_direct(n: int) -> Direct:
    """Choose PARDISO for n rows if these are many and it is installed, SuperLU otherwise."""
    return Direct("pardiso" if n > PARDISO_FROM and find_spec("pypardiso") else "superlu")


def _superlu(matrix: sparse.csc_array) -> Factor:
    # No pivoting off the diagonal: definite and quasi-definite matrices do not need it, and it
    # keeps the fill-in of the symmetric ordering.
    factor = linalg.splu(
        matrix,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        panel_size=SUPERLU_PANEL,
        options={"SymmetricMode": True},
    )

    def n_negative() -> int | None:
        if (factor.perm_r != factor.perm_c).any():
            return None  # pivots off the diagonal: no congruence
        return int((factor.U.diagonal() < 0).sum())  # a pivot of zero is an error

    def solve(rhs: FloatArray) -> FloatArray:
        if rhs.ndim == 1 or rhs.shape[1] <= SUPERLU_COLUMNS:
            return factor.solve(rhs)
        cuts = range(SUPERLU_COLUMNS, rhs.shape[1], SUPERLU_COLUMNS)
        return np.hstack([factor.solve(part) for part in np.split(rhs, cuts, axis=1)])

    def growth() -> float:
        ones = np.ones(matrix.shape[0])
        rows = (abs(factor.L) @ (abs(factor.U) @ ones))[factor.perm_r]
        return float((rows / np.maximum(abs(matrix) @ ones, 1e-300)).max(initial=0.0))

    return Factor(solve, n_negative, growth)


def _cholmod(matrix: sparse.csc_array) -> Factor:
    with extra("scikit-sparse", "cholmod"):
        from sksparse.cholmod import analyze
    M = sparse.csc_matrix(matrix)
    factor = analyze(M, mode="simplicial")  # L D L^T, which takes negative pivots
    factor.cholesky_inplace(M)
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

    return Factor(solve)


def _pardiso(matrix: sparse.csc_array) -> Factor:
    factor = _Pardiso(sparse.triu(matrix, format="csr"))
    negative = _IPARM["negative"]
    return Factor(lambda b: factor.run("solve", b), lambda: int(factor.solver.get_iparm(negative)))


FACTORIZATIONS = {
    "superlu": _superlu,
    "pardiso": _pardiso,
    "cholmod": _cholmod,
    "qdldl": _qdldl,
}


class _Pardiso:
    """L D L^T of a symmetric matrix by `pypardiso`, from its upper triangle.

    Its elimination stops before the first `kept` rows, whose Schur complement is `complement`.
    """

    def __init__(self, upper: Any, kept: int = 0) -> None:
        # Some versions look numbers up where they were at first: they stay at their place
        self._upper = sparse.csr_matrix(upper)
        self._upper.sort_indices()
        n = self._upper.shape[0]
        self.solver = _new_solver(self)
        self.solver.perm = (np.arange(n) < kept).astype(np.int32)
        if kept:
            self.solver.set_iparm(_IPARM["complement"], 2)
            self.solver.set_iparm(_IPARM["pivots"], 0)  # what is eliminated is definite
        else:
            if n < NESTED_DISSECTION_FROM:
                self.solver.set_iparm(_IPARM["ordering"], 0)  # minimum degree
            self.solver.set_iparm(_IPARM["permutation"], 2)  # given back: takes half the time
        self.solver._check_A(self._upper)  # PARDISO would end the process
        # As a long vector, whose order nobody changes
        result = self.run("factorize", np.zeros(kept**2 or n))
        self.complement = result[: kept**2].reshape(kept, kept)

    def run(self, phase: str, rhs: FloatArray) -> FloatArray:
        from pypardiso.pardiso_wrapper import PyPardisoError

        self.solver.set_phase(_PHASES[phase])
        try:
            return self.solver._call_pardiso(self._upper, np.asfortranarray(rhs, dtype=np.float64))
        except PyPardisoError as error:
            raise ConvergenceError(f"a matrix of {self._upper.shape[0]:,} rows: {error}") from None


def _new_solver(owner: object) -> Any:
    """Make a solver without a factor, whose memory is released with its owner."""
    for library in mkl_libraries():  # else it looks through all folders of the environment
        os.environ.setdefault("PYPARDISO_MKL_RT", library)
    with extra("pypardiso", "fast"):
        from pypardiso import ps
    solver = copy(ps)  # a new one would search for its library again
    solver.pt = np.zeros_like(solver.pt)
    solver.iparm = np.zeros_like(solver.iparm)
    solver.remove_stored_factorization()
    solver.set_matrix_type(-2)  # real symmetric indefinite, from the upper triangle
    for place, value in _SETTINGS.items():
        solver.set_iparm(place, value)
    # Its memory is not Python's, which would keep it; all of it goes at the end of the process.
    finalize(owner, solver.free_memory, everything=True).atexit = False
    return solver


def can_complement() -> bool:
    """Return whether PARDISO, and with it `schur_complement`, is installed."""
    return find_spec("pypardiso") is not None


def schur_complement(upper: Any, n: int) -> tuple[FloatArray, Solve]:
    """Return A - B C^-1 B^T for A of n rows, and y -> C^-1 y for columns.

    `upper` is the upper triangle of [[A, B], [B^T, C]], with an entry for all of its diagonal.
    """
    rows = upper.shape[0]
    size = _bytes(sparse.csc_array(upper + upper.T))
    require_memory(size, f"the elimination of {rows - n:,} rows", "apply S instead: S @ x")
    factor = _Pardiso(upper, n)

    def solve(y: FloatArray) -> FloatArray:
        padded = np.zeros((rows, y.shape[1]))
        padded[n:] = y
        forward = factor.run("forward", padded)
        forward[:n] = 0.0
        return factor.run("backward", forward)[n:]

    return factor.complement, solve


def expands(graph: sparse.csr_array) -> bool:
    """Return whether a graph has no small cuts, so that a factorization would fill in.

    That is when one level of a breadth-first search holds an eighth of its core, and more than is
    quickly eliminated as a dense block.
    """
    widest, n = widest_level(graph)
    return widest > max(n / 8, DENSE_BLOCK)


def fill_in(matrix: Any) -> float:
    """Estimate the entries of a factor; within a factor of three on random graphs and meshes."""
    n = matrix.shape[0]
    return float(widest_level(matrix)[0] ** 2 + 3 * n * np.log2(n + 2) + 3 * matrix.nnz)


def _bytes(matrix: Any) -> float:
    return 12.0 * fill_in(matrix)  # a number and an index each


def widest_level(graph: Any) -> tuple[int, int]:
    """Return the widest level of a breadth-first search from a far vertex, and the core's size.

    The core is what is left when vertices of degree one and two, which never fill in, are peeled
    off. Of several components the largest is searched.
    """
    core = sparse.csr_array(graph.T if graph.format == "csc" else graph)  # the same pattern
    if not core.data.all():
        core = sparse.csr_array(core, copy=True)
        core.eliminate_zeros()
    for _ in range(50):  # what is left of long chains is narrow
        degree = np.diff(core.indptr) - (core.diagonal() != 0)
        keep = np.flatnonzero(degree > 2)
        if len(degree) - len(keep) <= len(degree) // 500:  # so few make no difference
            break
        core = core[keep][:, keep]
    n = core.shape[0]
    if n == 0:
        return 0, 0
    order, _ = breadth_first_order(core, 0)  # the pattern is symmetric: directed is enough
    if len(order) <= n / 2:
        component = connected_components(core, directed=False)[1]
        largest = np.flatnonzero(component == np.bincount(component).argmax())
        order, _ = breadth_first_order(core, largest[0])
    order, parent = breadth_first_order(core, order[-1])  # from the far end, to measure
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(len(order))
    above = place[parent[order[1:]]]  # ascending: levels are contiguous in the order
    widest, start, stop = 1, 0, 1
    while stop < len(order):
        start, stop = stop, 1 + int(np.searchsorted(above, stop))
        widest = max(widest, stop - start)
    return widest, n


def inverse_by_blocks(M: Any) -> sparse.csr_array | None:
    """Invert a sparse symmetric matrix that falls into small blocks; None where it does not.

    Nor is there an inverse where a block is singular.

    >>> inverse_by_blocks(sparse.diags_array([2.0, 4.0])).toarray().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    M = sparse.csr_array(M)
    diagonal, n = M.diagonal(), M.shape[0]
    if M.nnz == np.count_nonzero(diagonal) == n:
        return diagonal_matrix(1.0 / diagonal)
    block = connected_components(M, directed=False)[1]
    size = np.bincount(block)
    if float((size**2.0).sum()) > 20 * M.nnz + 10_000:
        return None
    members = np.argsort(block, kind="stable")  # block by block
    start = np.cumsum(size) - size
    within = np.empty(n, dtype=np.int64)
    within[members] = np.arange(n) - np.repeat(start, size)
    row, column = M.tocoo().coords
    parts = []
    for s in np.unique(size).tolist():
        cells = members[start[size == s][:, None] + np.arange(s)]
        here = size[block[row]] == s
        i, j = row[here], column[here]
        blocks = np.zeros((len(cells), s, s))
        blocks[(np.cumsum(size == s) - 1)[block[i]], within[i], within[j]] = M.data[here]
        try:
            inverses = _symmetric_inverses(blocks)
        except np.linalg.LinAlgError:  # singular to rounding: a factorization of all may still do
            return None
        parts.append((np.repeat(cells, s), np.tile(cells, s).ravel(), inverses.ravel()))
    rows, columns, values = (np.concatenate(each) for each in zip(*parts, strict=True))
    return csr_from_entries(rows, columns, values, (n, n))


def _symmetric_inverses(blocks: FloatArray) -> FloatArray:
    """Invert symmetric matrices, definite ones M = L L^T as Y Y^T with L^T Y = I.

    Then M^-1 is L^-T (I + F) L^-1 with a symmetric F of the size of rounding, and the error of a
    Schur complement by it is no larger. The columns of `inv` have an error of their own each.
    """
    inverses: Any  # what NumPy says of the type is wider
    try:
        Y = np.linalg.inv(np.linalg.cholesky(blocks).swapaxes(-2, -1))
        inverses = Y @ Y.swapaxes(-2, -1)
    except np.linalg.LinAlgError:  # not definite, or not to rounding
        inverses = np.linalg.inv(blocks)
    return inverses
