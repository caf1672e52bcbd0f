"""The smallest eigenpairs over ranks: which way, and the evidence that it arrived.

few vertices          dense, on every rank
the graph can be cut  block Davidson with multigrid; a collapse starts from A's vectors
the graph expands     Krylov-Schur on a sparse matrix; a collapse from A's vectors by Davidson

The first eigenpairs of L are kept with the complex: the first value is sigma_min+(B_1)^2, and a
collapse starts from the vectors. Values and residuals come from products with S itself.

Why these are no solvers of `cellapse._linalg.eigen`: those hold whole vectors and factorize. Their
corrections are solutions with a factor of A, and the inertia of another factor counts whether an
eigenvalue is missed. Here a vector is spread over all ranks, an inner product is one sum over them,
and nothing is factorized, since the factors of a mesh of millions of vertices do not fit. So
corrections are cycles of multigrid and a few conjugate gradients, and nothing is missed where
A - drop <= S leaves no room for more (Weyl), or where a search from a random block of what the
vectors leave finds no smaller eigenvalue: likely, but not counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cellapse._errors import ConvergenceError
from cellapse._shared.arrays import FloatArray
from cellapse.scale.blocks import (
    dots,
    fix_signs,
    gram,
    norms,
    orthonormal,
    random_block,
    small_eigenpairs,
)
from cellapse.scale.checkpoint import Checkpoint
from cellapse.scale.complexes import DistributedComplex
from cellapse.scale.davidson import (
    ENOUGH,
    GUARD,
    OnStep,
    Pairs,
    Problem,
    davidson,
    goal_of,
    krylov_schur,
    off_known_vectors,
    off_ritz_vectors,
)
from cellapse.scale.elimination import ScreenedElimination, UnfoldedElimination
from cellapse.scale.libraries import MPI, PETSc
from cellapse.scale.multigrid import NUDGE, Cycle, Diagonal, Multigrid, Product
from cellapse.scale.output import Report, both

DENSE = 400  # up to this many vertices a dense matrix on every rank is quick
_SAME = 1e-9  # relative to the norm: eigenvalues closer than this are the same
_ROUGHLY = 2e-10  # relative to the norm: error of products where only the order counts
_VALUES = 1e-12  # error of the eigenvalues relative to the last of them
_LOOKS = 20
_FIRST = 12  # a few more than most users want of a spectrum


@dataclass(frozen=True, eq=False)
class DistributedSpectrum:
    """Eigenvalues in ascending order, and this rank's rows of their vectors.

    Attributes
    ----------
    values, residuals : (k,) arrays
        The same on all ranks.
    vectors : (rows of this rank, k) array
        Columns with u^T D u = 1; the entry of largest size is positive.
    norm : float
        What `tol` is relative to.
    n_zeros : int
        Dimension of the kernel.
    steps : int
        Of the iteration, 0 where there was none.
    solver : str
        What computed it, and why.
    """

    values: FloatArray
    vectors: FloatArray = field(repr=False)
    residuals: FloatArray = field(repr=False)
    norm: float
    n_zeros: int
    steps: int
    solver: str

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class Search:
    """How one spectrum is looked for.

    Attributes
    ----------
    expands : bool
    tol : float
    start : (n, q) array or None
        A space to begin with, from a checkpoint.
    on_step : function, optional
    accurate : int, optional
        How many need full accuracy; all by default.
    """

    expands: bool
    tol: float = 1e-10
    start: FloatArray | None = None
    on_step: OnStep | None = None
    accurate: int | None = None

    def of_matrix(self, problem: Problem, k: int) -> tuple[Pairs, int]:
        """Return the first k eigenpairs of a problem that is its own matrix."""
        width = min(k + GUARD, problem.room)
        start = self._begun(problem, width)
        kept = ritz(problem, start)
        if len(kept[0]) >= k and self._arrived(problem, kept, k):
            return (kept[0][:k], kept[1][:, :k]), 0
        if not self.expands:
            return davidson(
                problem, k, start, tol=self.tol, accurate=self.accurate, on_step=self.on_step
            )
        goal = 0.3 * goal_of(problem, float(kept[0][min(k, len(kept[0])) - 1]), self.tol)
        return krylov_schur(problem, k, goal), 0

    def of_collapse(self, problem: Problem, uncollapsed: Problem, first: Pairs, k: int) -> Any:
        """Return those of a collapse, from the first ones of A, of which there are more than k."""
        last = float(first[0][min(k, len(first[0])) - 1])
        correct = off_known_vectors(uncollapsed, first[1][:, : k + GUARD], last, self.rough)
        start = first[1] if self.start is None else np.hstack([first[1], self.start])
        error = ENOUGH * goal_of(problem, last, self.tol)
        return davidson(problem, k, start, correct, tol=self.tol, error=error, on_step=self.on_step)

    @property
    def rough(self) -> int:
        """Steps of conjugate gradients for one correction: multigrid needs few."""
        return 60 if self.expands else 5

    def _begun(self, problem: Problem, width: int) -> FloatArray:
        """Return what a checkpoint has, filled up at random, smoothed by the preconditioner."""
        X = problem.precondition(problem.project(random_block(problem.vertices, width, seed=7)))
        if self.start is not None:
            X = np.hstack([self.start, X])
        return orthonormal(problem.comm, problem.project(X))

    def _arrived(self, problem: Problem, pairs: Pairs, k: int) -> bool:
        if self.start is None:
            return False
        values, X = pairs[0][:k], pairs[1][:, :k]
        size = norms(problem.comm, problem.apply(X, 0.0) - X * values)
        return bool(size.max() <= goal_of(problem, float(values[-1]), self.tol))


def ritz(problem: Problem, V: FloatArray, error: float = 0.0) -> Pairs:
    """Ritz pairs in the space of orthonormal columns."""
    H = gram(problem.comm, V, problem.apply(V, error))
    values, rotation = small_eigenpairs(problem.comm, H)
    return values, np.asfortranarray(V @ rotation)


def complete_pairs(
    problem: Problem, uncollapsed: Problem, pairs: Pairs, search: Search, certain: bool
) -> Pairs:
    """Return the k smallest eigenpairs, once a search of what they leave finds no smaller one."""
    values, vectors = pairs
    k, block = len(values), 1
    for look in range(_LOOKS):
        below = float(values.max()) - max(_SAME, 2.0 * search.tol) * problem.norm
        rest = problem.without(vectors)
        if certain or below <= 0.0 or rest.room < 1:
            return values, vectors
        start = random_block(problem.vertices, min(block + 2, rest.room), seed=11 + look)
        (more, extra), _ = davidson(
            rest,
            min(block, rest.room),
            rest.precondition(start),
            off_ritz_vectors(uncollapsed.without(vectors), search.rough)
            if search.expands
            else None,
            tol=search.tol,
            error=_ROUGHLY * problem.norm,
            below=below,
        )
        smaller = more < below
        if not smaller.any():
            return values, vectors
        values = np.concatenate([values, more[smaller]])
        vectors = np.hstack([vectors, extra[:, smaller]])
        order = np.argsort(values)[:k]
        values, vectors, block = values[order], vectors[:, order], min(2 * block, 16)
    raise ConvergenceError(
        f"{_LOOKS} searches still found smaller eigenvalues; ask for more of them"
    )


def dense_pairs(problem: Problem, k: int) -> Pairs:
    """Return the first k eigenpairs by a dense matrix on every rank; those of the kernel first."""
    vertices, comm, n = problem.vertices, problem.comm, problem.vertices.total
    E = np.zeros((vertices.count, n), order="F")
    E[np.arange(vertices.count), np.arange(vertices.low, vertices.high)] = 1.0
    image = problem.project(problem.apply(problem.project(E), 0.0))
    T = np.concatenate(comm.allgather(np.ascontiguousarray(image)))
    P = problem.kernel.vectors(problem.kernel.count)
    whole = np.concatenate(comm.allgather(np.ascontiguousarray(P)))
    lifted = T + 2.0 * (problem.norm + 1.0) * whole @ whole.T
    values, vectors = small_eigenpairs(comm, lifted)
    q = k - min(k, problem.kernel.count)
    return values[:q], np.asfortranarray(vectors[vertices.low : vertices.high, :q])


def with_evidence(
    problem: Problem,
    pairs: Pairs,
    k: int,
    root: FloatArray,
    tol: float,
    steps: int,
    solver: str,
) -> DistributedSpectrum:
    """Return the spectrum with its kernel, signs, and residuals from true products."""
    comm, p = problem.comm, min(problem.kernel.count, k)
    X = orthonormal(comm, problem.project(pairs[1])) if pairs[1].shape[1] else pairs[1]
    goal = goal_of(problem, float(pairs[0][-1]) if len(pairs[0]) else 0.0, tol)
    V = np.asfortranarray(np.hstack([problem.kernel.vectors(p), X]))
    # An error of the products is one of the values: residuals alone would allow far more.
    last = float(np.abs(pairs[0]).max(initial=0.0))
    image = problem.apply(V, min(0.01 * goal, _VALUES * last))
    if X.shape[1]:
        _, rotation = small_eigenpairs(comm, gram(comm, X, image[:, p:]))
        V[:, p:], image[:, p:] = X @ rotation, image[:, p:] @ rotation
    values = dots(comm, V, image)
    values[:p] = 0.0
    residuals = norms(comm, image - V * values)
    reached = float(residuals.max(initial=0.0))
    if not reached <= max(tol * problem.norm, 3.0 * goal):
        raise ConvergenceError(
            f"a residual of {reached:.1e}, short of {tol * problem.norm:.1e}; raise tol"
        )
    vectors = fix_signs(problem.vertices, V / root[:, None])
    return DistributedSpectrum(
        values, vectors, residuals, problem.norm, problem.kernel.count, steps, solver
    )


class LaplacianPairs:
    """Eigenpairs of L off its kernel.

    Parameters
    ----------
    D : DistributedComplex
    checkpoint : Checkpoint, optional
        Where to begin, and what to keep.
    report : Report

    Attributes
    ----------
    cycle : Cycle
        About the inverse of L.
    """

    def __init__(
        self, D: DistributedComplex, checkpoint: Checkpoint | None, report: Report
    ) -> None:
        self._complex, self._checkpoint, self._report = D, checkpoint, report
        L = D.laplacian(D.edges.weights)
        product, norm = Product(L), float(L.norm(PETSc.NormType.INFINITY))
        self.cycle = Cycle(L, NUDGE * norm, Diagonal if D.expands else Multigrid)
        none = np.empty((D.vertices.count, 0))
        self._problem = Problem(
            D.vertices, lambda X, _: product(X), L, D.kernel, norm, self.cycle, none
        )
        self._kept: Pairs = np.empty(0), none
        self.steps = 0

    @classmethod
    def of(
        cls, D: DistributedComplex, checkpoint: Checkpoint | None, report: Report
    ) -> LaplacianPairs:
        """Return those that the complex keeps, if it does."""
        if "laplacian_pairs" not in D.shared:
            D.shared["laplacian_pairs"] = cls(D, checkpoint, report)
        kept: LaplacianPairs = D.shared["laplacian_pairs"]
        return kept

    def smallest(self) -> float:
        """Return the smallest eigenvalue off the kernel; infinite for a graph without edges."""
        if not self._complex.edges.ranges.total:
            return float("inf")
        return float(self.pairs(min(_FIRST, self._problem.room))[0][0])

    def pairs(self, count: int) -> Pairs:
        """Return the first eigenpairs, at least as many as wanted (or as there are)."""
        count = min(count, self._problem.room)
        if len(self._kept[0]) < count:
            self._kept = self._found(count)
        return self._kept

    def _found(self, count: int) -> Pairs:
        problem = self._problem
        if self._complex.n_vertices <= DENSE or 4 * (count + GUARD) > problem.room:
            return dense_pairs(problem, count + problem.kernel.count)
        start: FloatArray | None = self._kept[1] if self._kept[1].shape[1] else None
        if start is None and self._checkpoint is not None:
            start = self._checkpoint.load()
        keep = None if self._checkpoint is None else self._checkpoint.keeping(start)
        search = Search(
            self._complex.expands, 1e-11, start, both(self._report("L"), keep), accurate=1
        )
        pairs, self.steps = search.of_matrix(problem, count)
        if keep is not None:
            keep(-1, pairs[1], 0.0, 0.0)
        return pairs


@dataclass(frozen=True, eq=False)
class Eigensolve:
    """The eigenproblem of S, that of A, and what is known of both.

    Attributes
    ----------
    problem, uncollapsed : Problem
        Of S and of A, scaled by the masses.
    elimination : UnfoldedElimination or ScreenedElimination
    laplacian : LaplacianPairs or None
        The eigenpairs of L, where S is no sparse matrix.
    mass : array or None
    tol : float
    """

    problem: Problem
    uncollapsed: Problem
    elimination: UnfoldedElimination | ScreenedElimination
    laplacian: LaplacianPairs | None
    mass: FloatArray | None
    tol: float

    def pairs(
        self, k: int, expands: bool, checkpoint: Checkpoint | None, report: Report
    ) -> tuple[Pairs, int, str]:
        """The eigenpairs off the kernel, the steps they took, and the way with its reason."""
        problem, vertices = self.problem, self.problem.vertices
        q = k - min(k, problem.kernel.count)
        if q == 0:
            none = np.empty((vertices.count, 0))
            return (np.empty(0), none), 0, f"none needed: {problem.kernel.count} components"
        if vertices.total <= DENSE or 4 * (q + GUARD) > problem.room:
            return dense_pairs(problem, k), 0, f"dense: {k} of {vertices.total} eigenpairs"
        start = None if checkpoint is None else checkpoint.load()
        first = None
        if self.laplacian is not None:
            first = self._first_uncollapsed(q + 1, Search(expands, self.tol, start, report("A")))
        also = None if first is None else first[1]
        keep = None if checkpoint is None else checkpoint.keeping(also)
        search = Search(expands, self.tol, start, both(report("S"), keep))
        if first is None:
            pairs, steps = search.of_matrix(problem, q)
        else:
            pairs, steps = search.of_collapse(problem, self.uncollapsed, first, q)
        if keep is not None:
            keep(-1, pairs[1], 0.0, 0.0)
        certain = first is not None and self._follows(first, pairs, q)
        report.say("S: a second look" if not certain else "S: none can be missing")
        return (
            complete_pairs(problem, self.uncollapsed, pairs, search, certain),
            steps,
            _way(expands),
        )

    def _first_uncollapsed(self, count: int, search: Search) -> Pairs:
        """Return the first eigenpairs of A."""
        assert self.laplacian is not None
        if self.mass is not None:
            return search.of_matrix(self.uncollapsed, count)[0]
        values, vectors = self.laplacian.pairs(count)
        return self.elimination.scale * values, vectors

    def _follows(self, first: Pairs, pairs: Pairs, q: int) -> bool:
        """Return whether A leaves no room for more eigenvalues of S: A - drop <= S."""
        if len(first[0]) <= q:
            return False
        least = 1.0
        if self.mass is not None:
            mine = float(self.mass.min(initial=np.inf))
            least = float(self.problem.comm.allreduce(mine, MPI.MIN))
        top = float(pairs[0].max()) + self.elimination.drop / least + _SAME * self.problem.norm
        return bool(first[0][q] > top)


def _way(expands: bool) -> str:
    if expands:
        return "Krylov-Schur and Davidson: the graph expands, so that multigrid would not help"
    return "block Davidson with multigrid: the graph can be cut"
