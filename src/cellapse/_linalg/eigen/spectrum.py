r"""Eigenpairs S u = lambda D u of a symmetric operator, with evidence.

The kernel, where it is known, is not computed but removed before and put back after: Krylov methods
miss repeated zeros otherwise. Nothing is missed: where a factorization is at hand, Sylvester's law
of inertia counts the eigenvalues below the last one found; where none is, what the vectors found
leave is searched from a random block until nothing smaller turns up. The residuals that are
reported come from products whose error is bounded, and far smaller; what does not keep
`residual <= tol * norm` is not given out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy import linalg, sparse

from cellapse._errors import ConvergenceError, InputError, SizeError
from cellapse._linalg.direct import Direct, Solve, expands
from cellapse._linalg.eigen.solvers import (
    LOBPCG,
    Davidson,
    Dense,
    EigenSolver,
    Lanczos,
    Pairs,
    Problem,
    ShiftInvert,
)
from cellapse._linalg.lapack import symmetric_eigenpairs
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import one_of, share, whole_number

_DENSE = 1200  # up to this many cells the dense way is quick whatever the graph
_EXPANDING = 500  # and up to this many where the graph expands
_CERTIFY = 20_000  # up to this many cells a second factorization is worth the certainty
_LAST = 4000  # up to this many cells the dense way is the last resort
_SAME = 1e-9  # relative to the norm: eigenvalues closer than this are the same


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
    def drop(self) -> float: ...
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
        Norms ||S u - lambda D u||; with D^{-1/2} in front at most `tol * norm`.
    norm : float
        An upper bound of the largest eigenvalue of A u = lambda D u, which `tol` is relative to.
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
    norm: float
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

    Where the first choice does not arrive (A may be far from S, a factor may not fit), the next one
    takes over; `spectrum.solver` names the one that found the result.
    """

    def candidates(self, operator: Symmetric, k: int | None) -> list[EigenSolver]:
        """What to try, in this order."""
        n = operator.shape[0]
        further: list[EigenSolver] = [Lanczos()] if k is not None else []
        if n <= _LAST:
            further.append(Dense())
        first = self.select(operator, k).solver
        return [first, *(s for s in further if s != first)]

    def select(self, operator: Symmetric, k: int | None = 10) -> Choice:
        """The solver `spectrum(k)` will use, and a sentence that says why.

        >>> import networkx as nx, cellapse as cl
        >>> L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(50)))
        >>> print(Auto().select(L))
        Dense(): 50 cells are few enough for a dense matrix
        """
        if not hasattr(operator, "count_below"):
            raise InputError(
                f"select({operator!r:.80}); give an operator such as collapse(K) or "
                "graph_laplacian(K)"
            )
        n = operator.shape[0]
        if k is not None:
            whole_number("k", k, 1, max(n, 1))
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
    one_of("which", which, ("smallest", "largest"))
    tol = share("tol", tol)
    wanted = n if k is None else whole_number("k", k, 1, n)
    root = np.ones(n) if mass is None else np.sqrt(mass)
    if solver is None or isinstance(solver, Auto):
        chosen = Auto().candidates(operator, None if wanted == n else wanted)
        if which == "largest":
            chosen = [s if isinstance(s, Dense) else Lanczos() for s in chosen]
    else:
        chosen = [_checked(solver, which)]
    for number, candidate in enumerate(chosen, start=1):
        try:
            return _attempt(operator, wanted, root, labels, which, tol, candidate)
        except (ConvergenceError, SizeError):
            if number == len(chosen):
                raise
    raise AssertionError("there is always a candidate")


def _checked(solver: Any, which: str) -> EigenSolver:
    """A solver that can find the wanted end of the spectrum."""
    if not isinstance(solver, EigenSolver):
        raise InputError(
            f"solver={solver!r}; give Dense(), ShiftInvert(), Davidson(), Lanczos(), LOBPCG() or "
            "Auto()"
        )
    if which == "largest" and not isinstance(solver, Dense | Lanczos | LOBPCG):
        raise InputError(
            f'{solver} finds the smallest eigenpairs only; for which="largest" use Lanczos(), '
            "LOBPCG() or Dense()"
        )
    return solver


def _attempt(
    operator: Symmetric,
    wanted: int,
    root: FloatArray,
    labels: Sequence[Hashable],
    which: str,
    tol: float,
    solver: EigenSolver,
) -> Spectrum:
    """The spectrum by one solver, if it keeps its promise."""
    n = operator.shape[0]
    deflate = operator.kernel is not None and operator.definite and which == "smallest"
    P = _normalized(root, operator.kernel) if deflate else sparse.csr_array((n, 0))
    p = P.shape[1]
    certified: bool | None = True
    if p >= wanted:
        vectors = P[:, :wanted].toarray()
    else:
        problem = _problem(operator, wanted - p, root, P, tol)
        if which == "largest":
            problem = problem.upside_down()
        pairs = solver.run(problem)

        def count(value: float) -> int | None:
            """How many eigenvalues of the problem are below a value."""
            if which == "smallest":
                below = operator.count_below(value, root**2)
                return None if below is None else below - (p if value > 0 else 0)
            below = operator.count_below(problem.norm - value, root**2)
            return None if below is None else n - below

        # Where a factorization was no option before, it is none for counting.
        counts = n <= _CERTIFY and getattr(solver, "factorization", None) is not None
        certified, found = nothing_missed(problem, solver, pairs, count if counts else None)
        if not isinstance(solver, Dense):
            found = _orthonormal(problem, found)
        vectors = np.hstack([P.toarray(), found]) if p else found
    n_zeros = p if deflate else None
    return _spectrum(operator, vectors, root, n_zeros, certified, labels, solver, tol)


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
    norm = _norm(operator.A, root)
    vectors = fix_signs(vectors / root[:, None])
    image = operator.approximate(vectors, 0.02 * tol * norm * float(root.min(initial=np.inf)))
    values = np.einsum("ij,ij->j", vectors, image)
    values[: n_zeros or 0] = 0.0
    values[(values < 0) & (values > -1e-13 * norm)] = 0.0
    order = np.argsort(values, kind="stable")
    left = image - root[:, None] ** 2 * vectors * values
    residuals = np.linalg.norm(left, axis=0)
    reached = float(np.linalg.norm(left / root[:, None], axis=0).max(initial=0.0)) / norm
    if not reached <= 0.75 * tol:  # the rest is for the error of the products
        raise ConvergenceError(
            f"{solver} reached a residual of {reached:.1e}, relative to the norm, "
            f"short of tol={tol:.0e}; raise tol, or use another solver"
        )
    return Spectrum(
        values[order], vectors[:, order], residuals[order], norm, n_zeros, certified, labels, solver
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
        found=np.empty((operator.shape[0], 0)),
        norm=norm,
        tol=tol,
        dense=lambda: operator.toarray() / root / root[:, None],
        factor=factor,
        plain=None if operator.plain is None else _problem(operator.plain, k, root, P, tol),
        matrix=sparse.csr_array(scale @ operator.A @ scale),
        lowest=operator.lowest if (root == 1.0).all() else None,
        drop=operator.drop / float((root**2).min(initial=np.inf)),
    )


def lowest_pairs(operator: Symmetric, k: int) -> Pairs:
    """The first k eigenpairs off the known kernel, good enough to start from; none is missed."""
    n = operator.shape[0]
    P = sparse.csr_array((n, 0)) if operator.kernel is None else operator.kernel
    problem = _problem(operator, k, np.ones(n), P, 1e-8)
    solver = Auto().select(operator, k).solver
    pairs = solver.run(problem)
    vectors = nothing_missed(problem, solver, pairs, None)[1]
    values = np.einsum("ij,ij->j", vectors, problem.apply(vectors))
    order = np.argsort(values)
    return values[order], vectors[:, order]


def nothing_missed(
    problem: Problem,
    solver: EigenSolver,
    pairs: Pairs,
    count: Callable[[float], int | None] | None,
) -> tuple[bool | None, FloatArray]:
    """The vectors of the k smallest eigenpairs, once no smaller one is left.

    Also whether that is certain: a dense solver has them all, and `count` tells how many there are
    below a value. A number that cannot be is no certificate; then, and where there is no count,
    what is left is searched.
    """
    values, found = pairs
    if isinstance(solver, Dense):
        return True, found
    block, counted = 1, None
    if count is None and _follows_from_plain(problem, float(values.max())):
        return None, found
    for look in itertools.count(1):
        below = float(values.max()) - max(_SAME, 2.0 * problem.tol) * problem.norm
        known = int((values < below).sum())
        counted = None if count is None else count(below)
        if counted == known:
            return True, found
        rest = problem.without(found, look)
        missing = counted - known if counted is not None and counted > known else block
        missing = min(missing, rest.room - 1)
        if missing < 1:
            return None, found
        more, extra = solver.look(rest, below, missing)
        if not len(more):
            break
        values, found = np.concatenate([values, more]), np.hstack([found, extra])
        order = np.argsort(values)[: problem.k]
        values, found = values[order], found[:, order]
        block = min(2 * block, 16)
    if counted is not None and 0 < counted - known <= rest.room:
        raise ConvergenceError(
            f"{counted - known} eigenvalues below {below:.6g} exist but were not found; use "
            "solver=Dense()"
        )
    return None, found


def _orthonormal(problem: Problem, vectors: FloatArray) -> FloatArray:
    """Ritz vectors of the space found: on repeated eigenvalues an iteration may be less strict."""
    basis, R = linalg.qr(problem.project(vectors), mode="economic")
    if not abs(R.diagonal()).min(initial=np.inf) > 1e-4:
        raise ConvergenceError("an eigenvector was found twice; use solver=Dense()")
    H = basis.T @ problem.apply(basis)
    return basis @ symmetric_eigenpairs((H + H.T) / 2)[1]


def _follows_from_plain(problem: Problem, top: float) -> bool:
    """Whether the eigenvalues of A leave no room for more than k of S up to the largest found.

    A - drop <= S, so that S has at most as many eigenvalues below a value as A has below it + drop.
    """
    if problem.plain is None or problem.plain.lowest is None:
        return False
    values = problem.plain.lowest(problem.k + 1)[0]
    return bool(values[problem.k] > top + problem.drop + _SAME * problem.norm)


def _norm(A: sparse.csr_array, root: FloatArray) -> float:
    """An upper bound of the largest eigenvalue of A u = lambda D u."""
    return float((abs(A).sum(axis=1) / root**2).max(initial=0.0)) or 1.0


def _normalized(root: FloatArray, kernel: sparse.csr_array) -> sparse.csr_array:
    P = sparse.csr_array(sparse.diags_array(root) @ kernel)
    norms = np.sqrt(np.asarray(P.multiply(P).sum(axis=0)).ravel())
    return sparse.csr_array(P @ sparse.diags_array(1.0 / norms))


def fix_signs(vectors: FloatArray) -> FloatArray:
    """Make the entry of largest size of every column positive; among ties the first decides."""
    if not vectors.size:
        return vectors
    size = np.abs(vectors)
    first = np.argmax(size >= size.max(axis=-2, keepdims=True) * (1 - 1e-6), axis=-2, keepdims=True)
    sign = np.sign(np.take_along_axis(vectors, first, axis=-2))
    return vectors * np.where(sign == 0, 1.0, sign)
