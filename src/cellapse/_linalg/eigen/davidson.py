r"""Davidson's method: eigenpairs of S from those of A, or those of A itself, by corrections.

For Ritz pairs (lambda, x) of S in a space V, with residuals r = S x - lambda x, each step is

    V  <-  V + span (A - s)^-1 r,

and a Rayleigh-Ritz step in what V has become (Davidson, 1975). The corrections take A alone: by a
factorization with s close to 0, or by conjugate gradients in single precision with s close to each
eigenvalue, off vectors outside of which A - s is positive definite.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import linalg

from cellapse._errors import ConvergenceError, InputError
from cellapse._linalg.blas import remove_span, subtract_product, symmetric_eigenpairs
from cellapse._linalg.eigen.krylov import SUPERLU
from cellapse._linalg.eigen.problem import Pairs, Problem, only_below
from cellapse._linalg.eigen.rough import Rough
from cellapse._linalg.eigen.solver import EigenSolver, check_factorization
from cellapse._linalg.factor import Direct, Solve
from cellapse._shared.arrays import BoolArray, FloatArray
from cellapse._shared.checks import whole_number
from cellapse._shared.progress import Bar

_DEPENDENT = 1e-13  # squared, of steps of length one: what is less is rounding
_GUARD = 4  # vectors beyond those to find, which the others need not wait for
_BELOW = 0.3  # of a residual: how far a shift is below its quotient


class Ritz(NamedTuple):
    """Approximate eigenvectors X of S and their residuals R; those that are `open_` need a step."""

    X: FloatArray
    R: FloatArray
    open_: BoolArray


Correction = Callable[[Ritz], FloatArray]  # one column for each open pair


@dataclass(frozen=True)
class Davidson(EigenSolver):
    """Starts from the eigenvectors of A and corrects them, with A alone.

    The collapse moves A by little in the directions that matter, so a few corrections do; each is
    a Rayleigh-Ritz step in the space of all vectors so far and (A - s)^-1 times the residuals.
    Eigenvectors of A itself are corrected from a random start; that is quicker than Lanczos where
    some degrees are much larger than the others.

    Parameters
    ----------
    factorization : Direct or None
        How (A - s)^-1 is applied, s next to each eigenvalue: by a factorization or, with None, by
        conjugate gradients, for graphs that expand.
    max_steps : int

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K, "unfolded")
    >>> S.spectrum(3, solver=cl.Davidson()).values.round(3).tolist()
    [0.0, 0.161, 1.356]
    """

    factorization: Direct | None = SUPERLU
    max_steps: int = 150
    finds_largest: ClassVar[bool] = False
    starts_from_base: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.factorization is not None:
            check_factorization(self.factorization)
        whole_number("max_steps", self.max_steps, 1)

    @property
    def factorizes(self) -> bool:
        return self.factorization is not None

    def find(self, problem: Problem) -> Pairs:
        return _first(self.find_more(problem), problem.k)

    def find_more(self, problem: Problem) -> Pairs:
        if problem.k > problem.dimension - 2:
            raise InputError(f"{self} for {problem.k} of {problem.n}; use Dense() for so many")
        count = min(problem.k + _GUARD, problem.dimension - 1)
        begin = self._from_random if problem.start is None else self._from_base
        return self._iterate(problem, *begin(problem, count))

    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        begin = self._from_random(problem, min(block + 2, problem.dimension))
        pairs = self._iterate(replace(problem, k=block), *begin, below)
        return only_below(_first(pairs, block), below)

    def _from_base(self, problem: Problem, count: int) -> tuple[FloatArray, Correction]:
        """Start from the eigenvectors of A, and correct off them."""
        start = problem.start
        assert start is not None
        assert problem.base is not None
        V, base = np.hstack([start.vectors, start.more])[:, :count], problem.base.problem
        if self.factorization is not None:
            return V, by_factor(base, self.factorization)
        N = _approximation(problem)
        if N is not None:
            return V, off_ritz_vectors(problem, N)
        return V, off_eigenvectors(base, V, float(start.values[problem.k - 1]))

    def _from_random(self, problem: Problem, count: int) -> tuple[FloatArray, Correction]:
        """Start anywhere, and correct off the Ritz vectors."""
        if problem.base is not None and self.factorization is not None:
            base = problem.base.problem
            V = base.factor(self.factorization)[1](problem.random(count))
            return V, by_factor(base, self.factorization)
        if self.factorization is not None:
            raise InputError(
                "Davidson() starts from the eigenvectors of A, and this operator is A itself; "
                "use ShiftInvert(), Lanczos() or Davidson(None)"
            )
        return smoothed(problem, count), off_ritz_vectors(problem, _approximation(problem))

    def _iterate(
        self, problem: Problem, V: FloatArray, correct: Correction, below: float | None = None
    ) -> Pairs:
        """Iterate until k eigenpairs have converged, or, given a value, none can be below it.

        A few more come with them as they are.
        """
        k = problem.k
        space = _spanned(problem, V)
        most = min(max(8 * k, 80), problem.dimension)  # columns before a restart
        goal, bar = 0.5 * problem.tol * problem.norm, Bar("Davidson", unit="steps")
        for step in range(self.max_steps):
            values, rotation = symmetric_eigenpairs(space.H)
            first = rotation[:, : k + _GUARD]
            X, Y = space.V @ first, space.W @ first
            R = problem.project(Y - X * values[: X.shape[1]])
            size = np.linalg.norm(R[:, :k], axis=0)
            nothing = below is not None and step > 2 and values[0] - size[0] > below
            if size.max() <= goal or nothing or len(space.H) >= problem.dimension:
                bar.end()
                return values[: X.shape[1]], X
            bar.step(f"residual {size.max():.1e} on the way to {goal:.1e}")
            if len(space.H) + k > most:  # a smaller space has cheaper products
                space = _best(space, values, rotation, 2 * k)  # as many as pay off
            open_ = np.zeros(X.shape[1], dtype=bool)
            open_[:k] = size > 0.1 * goal  # what is nearly there needs no step
            larger = _extended(problem, space, correct(Ritz(X, R, open_)))
            if larger is None:
                break
            space = larger
        bar.end()
        raise ConvergenceError(
            f"Davidson() reached a residual of {size.max():.1e} after {step + 1} steps, "
            f"short of {goal:.1e}; allow more max_steps, or use Lanczos()"
        )


def _first(pairs: Pairs, k: int) -> Pairs:
    return pairs[0][:k], pairs[1][:, :k]


def by_factor(base: Problem, direct: Direct) -> Correction:
    """Correct by (A - s)^-1 r from a factorization, s close to 0."""
    solve = base.factor(direct)[1]
    return lambda ritz: solve(ritz.R[:, ritz.open_])


def off_eigenvectors(base: Problem, V: FloatArray, highest: float) -> Correction:
    """Correct by (A - s)^-1 r off the eigenvectors V of A, s close to each eigenvalue.

    There A - s is positive definite for s up to the k-th value, `highest`.
    """
    rough = Rough(base)

    def correct(ritz: Ritz) -> FloatArray:
        shift = np.minimum(rough.quotients(ritz.X[:, ritz.open_]), highest)
        return rough.solution(ritz.R[:, ritz.open_], shift, V, invariant=True)

    return correct


def off_ritz_vectors(problem: Problem, N: Solve | None) -> Correction:
    """Correct by (N - s)^-1 r off the Ritz vectors themselves, s below their quotients.

    N is an approximation of S over its norm, or else A.
    """
    rough = Rough(problem, N)

    def correct(ritz: Ritz) -> FloatArray:
        R = ritz.R[:, ritz.open_]
        quotients = rough.quotients(ritz.X[:, ritz.open_])
        shift = np.maximum(quotients - _BELOW * np.linalg.norm(R, axis=0), 0.0)
        return rough.solution(R, shift, ritz.X)

    return correct


def _approximation(problem: Problem) -> Solve | None:
    return None if problem.inverse is None else problem.inverse.approximation(problem.norm)


def smoothed(problem: Problem, columns: int) -> FloatArray:
    """Draw a random start on which A is small; still random where it counts."""
    start = problem.random(columns)
    return Rough(problem).solution(start, np.zeros(columns), start[:, :0])


class _Space(NamedTuple):
    """A space with orthonormal basis V, its image W = S V, and H = V^T S V."""

    V: FloatArray
    W: FloatArray
    H: FloatArray


def _spanned(problem: Problem, vectors: FloatArray) -> _Space:
    V = np.ascontiguousarray(linalg.qr(problem.project(vectors), mode="economic")[0])
    W = problem.apply(V)
    return _Space(V, W, _symmetric(V.T @ W))


def _best(space: _Space, values: FloatArray, rotation: FloatArray, count: int) -> _Space:
    """Keep the best Ritz vectors, without the way to them."""
    best = rotation[:, :count]
    return _Space(space.V @ best, space.W @ best, np.diag(values[:count]))


def _extended(problem: Problem, space: _Space, steps: FloatArray) -> _Space | None:
    """Add some steps; None if they add nothing."""
    # A step enters the result with its size: S times it may be as much less accurate, as long as
    # its couplings to what was there come from the older, accurate side.
    length = float(np.linalg.norm(steps, axis=0).max())
    slack = 0.1 / max(length, 1e-5)  # the residual of the result is computed anew
    steps = _orthogonal_to(space.V, steps, problem)
    if not steps.shape[1]:
        return None
    pair = None if problem.inverse is None else problem.inverse.pair(steps)
    if pair is None:
        image = problem.apply(steps, slack)
    else:
        steps, image = _orthonormal_pair(problem, space, *pair)
    across = space.W.T @ steps
    H = np.block([[space.H, across], [across.T, _symmetric(steps.T @ image)]])
    return _Space(np.hstack([space.V, steps]), np.hstack([space.W, image]), H)


def _orthonormal_pair(
    problem: Problem, space: _Space, steps: FloatArray, image: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Make steps that are nearly orthonormal so, and S times them.

    What is projected out are eigenvectors: S of what is left is what is left of S.
    """
    steps, image = problem.project(steps), problem.project(image)
    inside = space.V.T @ steps
    steps = subtract_product(steps, space.V, inside)
    image = subtract_product(image, space.W, inside)
    values, rotation = symmetric_eigenpairs(steps.T @ steps)
    turn = rotation / np.sqrt(values)
    return steps @ turn, image @ turn


def _orthogonal_to(V: FloatArray, steps: FloatArray, problem: Problem) -> FloatArray:
    """Find an orthonormal basis of what the steps add to the space of V, without the kernel."""
    # Once is not enough when a step is nearly inside the space.
    for _ in range(2):
        steps = _orthonormal(remove_span(problem.project(steps), V))
    return steps


def _orthonormal(steps: FloatArray) -> FloatArray:
    """Find a basis of their span, orthonormal but for rounding times how parallel they are.

    By their products alone, which takes a fraction of the time of a QR decomposition.
    """
    length = np.linalg.norm(steps, axis=0)
    scale = 1.0 / np.where(length > 0, length, 1.0)
    values, rotation = symmetric_eigenpairs((steps.T @ steps) * scale * scale[:, None])
    keep = values > _DEPENDENT
    return steps @ (scale[:, None] * rotation[:, keep] / np.sqrt(values[keep]))


def _symmetric(M: FloatArray) -> FloatArray:
    return (M + M.T) / 2
