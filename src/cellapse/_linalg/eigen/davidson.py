r"""Eigenpairs by corrections: from those of A to those of its collapse S, or to those of A itself.

For Ritz pairs (lambda, x) of S in a space V, with residuals r = S x - lambda x, each step is

    V  <-  V + span (A - s)^-1 r,

and a Rayleigh-Ritz step in what V has become. How (A - s)^-1 is applied: `corrections`. With
masses, A is lowered to what is next to S (`Problem.lowered`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import linalg

from cellapse._errors import ConvergenceError, InputError
from cellapse._linalg.blas import remove_span, subtract_product, symmetric_eigenpairs
from cellapse._linalg.eigen.corrections import (
    Correction,
    Ritz,
    by_factor,
    off_known_vectors,
    off_ritz_vectors,
    smoothed,
)
from cellapse._linalg.eigen.lanczos import Lanczos
from cellapse._linalg.eigen.problem import Problem, has_hubs
from cellapse._linalg.eigen.shift_invert import SUPERLU, ShiftInvert
from cellapse._linalg.eigen.spectrum import EigenSolver, check_factorization, only_below
from cellapse._linalg.factor import Direct
from cellapse._linalg.symmetric import Pairs
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import whole_number
from cellapse._shared.progress import Bar

_DEPENDENT = 1e-13  # squared, of steps of length one: what is less is rounding
_GUARD = 4  # vectors beyond those wanted, which the others need not wait for


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
        if problem.k > problem.room - 2:
            raise InputError(f"{self} for {problem.k} of {problem.n}; use Dense() for so many")
        count, plain = min(problem.k + _GUARD, problem.room - 1), problem.lowered or problem.plain
        if plain is None:
            self._refuse_factor(problem)
            return self._iterate(problem, smoothed(problem, count), off_ritz_vectors(problem))
        values, V = self._first_pairs(plain, problem.k, count)
        highest = float(values[problem.k - 1])
        if self.factorization is None and problem.nearby is not None:
            correct = off_ritz_vectors(problem)
        elif self.factorization is None:
            correct = off_known_vectors(plain, V, highest)
        else:
            correct = by_factor(plain, self.factorization)
        return self._iterate(problem, V, correct)

    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        plain, count = problem.plain, min(block + 2, problem.room)
        if plain is None or self.factorization is None:
            self._refuse_factor(problem)
            V, correct = smoothed(problem, count), off_ritz_vectors(problem)
        else:
            V = plain.factor(self.factorization)[1](problem.start(count))
            correct = by_factor(plain, self.factorization)
        pairs = self._iterate(replace(problem, k=block), V, correct, below)
        return only_below(_first(pairs, block), below)

    def _refuse_factor(self, problem: Problem) -> None:
        """Where A itself is wanted, a factor of it does not correct but solve."""
        if problem.plain is None and self.factorization is not None:
            raise InputError(
                "Davidson() starts from the eigenvectors of A, and this operator is A itself; "
                "use ShiftInvert(), Lanczos() or Davidson(None)"
            )

    def _first_pairs(self, plain: Problem, k: int, count: int) -> Pairs:
        """The first k values of A and more vectors, as the operator keeps them, or computed."""
        kept = plain.lowest(k)
        if kept is not None:
            return kept.values, np.hstack([kept.vectors, kept.beyond])[:, :count]
        solver: EigenSolver = self if has_hubs(plain.matrix) else Lanczos()
        if self.factorization is not None:
            solver = ShiftInvert(self.factorization)
        return solver.find(replace(plain, k=count))

    def _iterate(
        self, problem: Problem, V: FloatArray, correct: Correction, below: float | None = None
    ) -> Pairs:
        """Until k eigenpairs have converged, or, given a value, none can be below it.

        A few more come with them as they are.
        """
        k = problem.k
        space = _spanned(problem, V)
        room = min(max(8 * k, 80), problem.room)  # columns before a restart
        goal, bar = 0.5 * problem.tol * problem.norm, Bar("Davidson", unit="steps")
        for step in range(self.max_steps):
            values, rotation = symmetric_eigenpairs(space.H)
            first = rotation[:, : k + _GUARD]
            X, Y = _combined(space.V, first), _combined(space.W, first)
            R = problem.project(Y - X * values[: X.shape[1]])
            size = np.linalg.norm(R[:, :k], axis=0)
            nothing = below is not None and step > 2 and values[0] - size[0] > below
            if size.max() <= goal or nothing or len(space.H) >= problem.room:
                bar.end()
                return values[: X.shape[1]], X
            bar.step(f"residual {size.max():.1e} on the way to {goal:.1e}")
            if len(space.H) + k > room:  # a smaller space has cheaper products
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


class _Space(NamedTuple):
    """A space with orthonormal basis V, its image W = S V, and H = V^T S V.

    V and W are blocks of columns: to copy what is there takes longer than to make a block more.
    """

    V: tuple[FloatArray, ...]
    W: tuple[FloatArray, ...]
    H: FloatArray


def _spanned(problem: Problem, vectors: FloatArray) -> _Space:
    # Rows one after the other, as all blocks are.
    V = np.ascontiguousarray(linalg.qr(problem.project(vectors), mode="economic")[0])
    W = problem.apply(V)
    return _Space((V,), (W,), _symmetric(V.T @ W))


def _combined(blocks: tuple[FloatArray, ...], factors: FloatArray) -> FloatArray:
    """All columns side by side times the factors."""
    parts = np.split(factors, np.cumsum([block.shape[1] for block in blocks[:-1]]))
    result = blocks[0] @ parts[0]
    for block, part in zip(blocks[1:], parts[1:], strict=True):
        subtract_product(result, block, -part)
    return result


def _across(blocks: tuple[FloatArray, ...], columns: FloatArray) -> FloatArray:
    """The products of all columns with some others."""
    return np.concatenate([block.T @ columns for block in blocks])


def _best(space: _Space, values: FloatArray, rotation: FloatArray, count: int) -> _Space:
    """The best Ritz vectors, without the way to them."""
    V, W = (_combined(blocks, rotation[:, :count]) for blocks in (space.V, space.W))
    return _Space((V,), (W,), np.diag(values[:count]))


def _extended(problem: Problem, space: _Space, steps: FloatArray) -> _Space | None:
    """The space with some steps added; None where they add nothing."""
    # A step enters the result with its size: S times it may be as much less accurate, as long as
    # its couplings to what was there come from the older, accurate side.
    length = float(np.linalg.norm(steps, axis=0).max())
    slack = 0.1 / max(length, 1e-5)  # the residual of the result is computed anew
    steps = _orthogonal_to(space.V, steps, problem)
    if not steps.shape[1]:
        return None
    deficit = problem.operator.deficit
    inverse = None if deficit is None or not problem.unit_mass else deficit.inverse
    pair = None if inverse is None else inverse.pair(steps)
    if pair is None:
        image = problem.apply(steps, slack)
    else:
        steps, image = _orthonormal_pair(problem, space, *pair)
    across = _across(space.W, steps)
    H = np.block([[space.H, across], [across.T, _symmetric(steps.T @ image)]])
    return _Space((*space.V, steps), (*space.W, image), H)


def _orthonormal_pair(
    problem: Problem, space: _Space, steps: FloatArray, image: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Steps that are nearly orthonormal made so, and S times them.

    What is projected out are eigenvectors: S of what is left is what is left of S.
    """
    steps, image = problem.project(steps), problem.project(image)
    for V, W in zip(space.V, space.W, strict=True):
        inside = V.T @ steps
        steps, image = subtract_product(steps, V, inside), subtract_product(image, W, inside)
    values, rotation = symmetric_eigenpairs(steps.T @ steps)
    turn = rotation / np.sqrt(values)
    return steps @ turn, image @ turn


def _orthogonal_to(V: tuple[FloatArray, ...], steps: FloatArray, problem: Problem) -> FloatArray:
    """An orthonormal basis of what the steps add to the space of V, without the kernel."""
    # Once is not enough when a step is nearly inside the space.
    for _ in range(2):
        steps = problem.project(steps)
        for block in V:
            steps = remove_span(steps, block)
        steps = _orthonormal(steps)
    return steps


def _orthonormal(steps: FloatArray) -> FloatArray:
    """A basis of their span, orthonormal but for rounding times how close they are to each other.

    By their products alone, which takes a fraction of the time of a QR decomposition.
    """
    length = np.linalg.norm(steps, axis=0)
    scale = 1.0 / np.where(length > 0, length, 1.0)
    values, rotation = symmetric_eigenpairs((steps.T @ steps) * scale * scale[:, None])
    keep = values > _DEPENDENT
    return steps @ (scale[:, None] * rotation[:, keep] / np.sqrt(values[keep]))


def _symmetric(M: FloatArray) -> FloatArray:
    return (M + M.T) / 2
