"""The smallest eigenpairs over ranks: which way, and the evidence that it arrived.

few vertices          dense, on every rank
the graph can be cut  block Davidson with multigrid; a collapse starts from A's vectors
the graph expands     Krylov-Schur on a sparse matrix; a collapse from A's vectors by Davidson

The kernel is known and removed before; what the vectors leave is searched once more from a random
block; values and residuals come from products with S itself.
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
from cellapse.scale.davidson import (
    ENOUGH,
    GUARD,
    OnStep,
    Pairs,
    davidson,
    goal_of,
    off_known_vectors,
    off_ritz_vectors,
)
from cellapse.scale.krylov import krylov_schur
from cellapse.scale.problem import Problem

DENSE = 400  # up to this many vertices a dense matrix on every rank is quick
_SAME = 1e-9  # relative to the norm: eigenvalues closer than this are the same
_ROUGHLY = 2e-10  # relative to the norm: error of products where only the order counts
_VALUES = 1e-12  # error of the eigenvalues next to the last of them
_LOOKS = 20


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
    firm : int, optional
        How many need full accuracy; all by default.
    """

    expands: bool
    tol: float = 1e-10
    start: FloatArray | None = None
    on_step: OnStep | None = None
    firm: int | None = None

    def of_matrix(self, problem: Problem, k: int) -> tuple[Pairs, int]:
        """The first k eigenpairs of a problem that is its own matrix."""
        width = min(k + GUARD, problem.room)
        start = self._begun(problem, width)
        kept = ritz(problem, start)
        if len(kept[0]) >= k and self._arrived(problem, kept, k):
            return (kept[0][:k], kept[1][:, :k]), 0
        if not self.expands:
            return davidson(problem, k, start, tol=self.tol, firm=self.firm, on_step=self.on_step)
        goal = 0.3 * goal_of(problem, float(kept[0][min(k, len(kept[0])) - 1]), self.tol)
        return krylov_schur(problem, k, goal), 0

    def of_collapse(self, problem: Problem, plain: Problem, close: Pairs, k: int) -> Any:
        """Those of a collapse, from the first ones of A, of which there are more than k."""
        last = float(close[0][min(k, len(close[0])) - 1])
        correct = off_known_vectors(plain, close[1][:, : k + GUARD], last, self.rough)
        start = close[1] if self.start is None else np.hstack([close[1], self.start])
        error = ENOUGH * goal_of(problem, last, self.tol)
        return davidson(problem, k, start, correct, tol=self.tol, error=error, on_step=self.on_step)

    @property
    def rough(self) -> int:
        """Steps of conjugate gradients for one correction: multigrid needs few."""
        return 60 if self.expands else 5

    def _begun(self, problem: Problem, width: int) -> FloatArray:
        """What a checkpoint has, filled up at random, smoothed by the preconditioner."""
        X = problem.near(problem.project(random_block(problem.vertices, width, seed=7)))
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


def nothing_missed(
    problem: Problem, plain: Problem, pairs: Pairs, search: Search, certain: bool
) -> Pairs:
    """The k smallest eigenpairs, once a search of what they leave finds no smaller one."""
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
            rest.near(start),
            off_ritz_vectors(plain.without(vectors), search.rough) if search.expands else None,
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
    """The first k eigenpairs by a dense matrix on every rank; those of the kernel first."""
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
    """The spectrum with its kernel, signs, and residuals from true products."""
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
