r"""Davidson's method: eigenpairs of S from those of A, or those of A itself, by corrections.

For Ritz pairs (lambda, x) of S in a space V, with residuals r = S x - lambda x, each step is

    V  <-  V + span (A - s)^-1 r,

and a Rayleigh-Ritz step in what V has become (Davidson, 1975). The corrections take A alone: by a
factorization with s close to 0, or by conjugate gradients in single precision with s below each
eigenvalue, off the Ritz vectors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import linalg, sparse

from cellapse._errors import ConvergenceError, InputError
from cellapse._linalg.blas import (
    column_dots,
    remove_span,
    subtract_product,
    symmetric_eigenpairs,
    times,
)
from cellapse._linalg.cg import ROUGH, System, rough_solution
from cellapse._linalg.eigen.problem import (
    SUPERLU,
    EigenSolver,
    FirstPairs,
    Pairs,
    Problem,
    check_factorization,
    only_below,
)
from cellapse._linalg.factor import Direct, Solve
from cellapse._linalg.kernel import Projector
from cellapse._linalg.tuning import CORRECTION_PRODUCTS
from cellapse._shared.arrays import BoolArray, FloatArray
from cellapse._shared.checks import whole_number
from cellapse._shared.progress import Bar

_DEPENDENT = 1e-13  # squared, of steps of length one: what is less is rounding
_GUARD = 4  # vectors beyond those to find, which the others need not wait for
_BELOW = 0.3  # of a residual: how far a shift is below its quotient
_CLOSE = 0.01  # of a residual that is left by a correction with A, which is close to S
_FEW = 8  # columns of a kernel that are not worth a projector of their own


class Correction(ABC):
    """About (A - s)^-1 for columns, s below their eigenvalues."""

    @abstractmethod
    def correct(self, X: FloatArray, R: FloatArray, open_: BoolArray) -> FloatArray:
        """Find steps for the open ones of approximate eigenvectors X with residuals R."""

    @abstractmethod
    def smooth(self, x: FloatArray) -> FloatArray:
        """Make random columns small where A is large; still random where it counts."""


class ByFactor(Correction):
    r"""(A - s)^-1 by a factorization of A - s_0, s_0 close to 0.

    Off the eigenvectors V of A at the start, s is close to each eigenvalue: X = (s - s_0)
    (A - s_0)^-1 is below one there, and Chebyshev's iteration finds (I - X)^-1 (A - s_0)^-1 r. That
    saves half of the products with S for the mixed realization of a mesh.
    """

    def __init__(self, base: Problem, direct: Direct, start: FirstPairs | None = None) -> None:
        self._below, self._solve = base.factor(direct)
        self._base, self._start = base, start

    def correct(self, X: FloatArray, R: FloatArray, open_: BoolArray) -> FloatArray:
        b, start = self._solve(R[:, open_]), self._start
        if start is None:
            return b
        V, X = np.hstack([start.vectors, start.more]), X[:, open_]
        next_ = float(V[:, -1] @ self._base.apply(V[:, -1])) - self._below  # about A - s_0 off V
        quotients = np.einsum("ij,ij->j", X, self._base.apply(X))
        shift = np.minimum(quotients, start.values[-1]) - self._below
        most = np.clip(shift / next_, 1e-3, 0.95)
        middle, half = 1.0 - most / 2.0, most / 2.0
        turn, step = half / middle, b / middle
        y = step
        for _ in range(CORRECTION_PRODUCTS):
            before, turn = turn, 1.0 / (2.0 * middle / half - turn)
            off = self._base.project_in_place(remove_span(np.array(y, order="C"), V))
            left = b - y + self._solve(shift * off)
            step = turn * before * step + (2.0 * turn / half) * left
            y = y + step
        return y

    def smooth(self, x: FloatArray) -> FloatArray:
        return self._solve(x)


class BySinglePrecision(Correction):
    """(N - s)^-1 off the Ritz vectors by conjugate gradients, s below their quotients.

    N is an approximation of S by its iterative inverse, or the matrix of the base, or S itself; all
    of it over its norm, so that numbers stay in range. One or two digits are all that a correction
    is good for. If there are hubs, the diagonal preconditions.
    """

    def __init__(self, problem: Problem) -> None:
        base, self._scale, self._left = problem.base, 1.0, ROUGH
        N = problem.operator.approximation(problem.norm) if problem.unit_mass else None
        if N is None and base is not None:
            problem = replace(base.problem, deflated=problem.deflated)
            self._scale, self._left = base.scale, _CLOSE  # of S: a second digit saves steps
        self._norm, self._matrix = problem.norm, problem.matrix
        kernel, deflated = problem.kernel, problem.deflated
        if kernel is not None and problem.n_kernel <= _FEW:  # they go with the others
            deflated, kernel = np.hstack([kernel.toarray(), deflated]), None
        self.off_kernel = Projector(kernel, np.float32)
        self._deflated: FloatArray = np.asarray(deflated, np.float32)
        self.product = self._by_matrix() if N is None else N
        self.inverse_diagonal: FloatArray | None = None
        if problem.has_hubs:
            diagonal = self._matrix.diagonal() / self._norm
            inverted = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
            self.inverse_diagonal = np.asarray(inverted[:, None], np.float32)

    def _by_matrix(self) -> Solve:
        A = self._matrix
        entries = (A.data / self._norm).astype(np.float32)
        return partial(times, sparse.csr_array((entries, A.indices, A.indptr), shape=A.shape))

    def correct(self, X: FloatArray, R: FloatArray, open_: BoolArray) -> FloatArray:
        R = R[:, open_] / self._scale
        x: FloatArray = np.ascontiguousarray(X[:, open_], dtype=np.float32)
        quotients = self._norm * column_dots(x, self.product(x))
        shift = np.maximum(quotients - _BELOW * np.linalg.norm(R, axis=0), 0.0)
        return self._solution(R, shift, X)

    def smooth(self, x: FloatArray) -> FloatArray:
        return self._solution(x, np.zeros(x.shape[1]), x[:, :0])

    def _solution(self, rhs: FloatArray, shift: FloatArray, X: FloatArray) -> FloatArray:
        V: FloatArray = np.hstack([self._deflated, np.asarray(X, np.float32)])
        size = np.linalg.norm(rhs, axis=0)
        size[size == 0.0] = 1.0
        system = _Shifted(self, np.asarray(shift / self._norm, np.float32), V)
        b = system.project((rhs / size).astype(np.float32, order="C"))
        return rough_solution(system, b, self._left) * (size / self._norm)


class _Shifted(System):
    """N - s in single precision, off the kernel and orthonormal columns V."""

    def __init__(self, N: BySinglePrecision, shift: FloatArray, V: FloatArray) -> None:
        self._N, self._shift, self._V = N, shift, V

    def project(self, x: FloatArray) -> FloatArray:
        return remove_span(self._N.off_kernel.remove_from(x), self._V)

    def apply(self, x: FloatArray) -> FloatArray:
        image = self._N.product(x)
        image -= x * self._shift
        return self.project(image)

    def precondition(self, r: FloatArray) -> FloatArray:
        inverse = self._N.inverse_diagonal
        return r if inverse is None else self.project(inverse * r)


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
        values, vectors = self.find_more(problem)
        return values[: problem.k], vectors[:, : problem.k]

    def find_more(self, problem: Problem) -> Pairs:
        if problem.k > problem.dimension - 2:
            raise InputError(f"{self} for {problem.k} of {problem.n}; use Dense() for so many")
        count, start = min(problem.k + _GUARD, problem.dimension - 1), problem.start
        if start is None:
            correction = self._correction(problem)
            return self._iterate(problem, correction.smooth(problem.random(count)), correction)
        start = start._replace(more=start.more[:, : count - problem.k])
        V = np.hstack([start.vectors, start.more])
        return self._iterate(problem, V, self._correction(problem, start))

    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        correction = self._correction(problem)
        V = correction.smooth(problem.random(min(block + 2, problem.dimension)))
        values, vectors = self._iterate(replace(problem, k=block), V, correction, below)
        return only_below((values[:block], vectors[:, :block]), below)

    def _correction(self, problem: Problem, start: FirstPairs | None = None) -> Correction:
        if self.factorization is None:
            return BySinglePrecision(problem)
        if problem.base is not None:
            return ByFactor(problem.base.problem, self.factorization, start)
        raise InputError(
            "Davidson() starts from the eigenvectors of A, and this operator is A itself; "
            "use ShiftInvert(), Lanczos() or Davidson(None)"
        )

    def _iterate(
        self, problem: Problem, V: FloatArray, correction: Correction, below: float | None = None
    ) -> Pairs:
        """Iterate until k eigenpairs have converged, or, given a value, none can be below it.

        A few more come with them as they are.
        """
        k, space = problem.k, _Space.of(problem, V)
        most = min(max(8 * k, 80), problem.dimension)  # columns before a restart
        goal, bar = 0.5 * problem.tol * problem.norm, Bar("Davidson", unit="steps")
        for step in range(self.max_steps):
            values, rotation = symmetric_eigenpairs(space.H)
            X, Y = (part @ rotation[:, : k + _GUARD] for part in space[:2])
            R = problem.project(Y - X * values[: X.shape[1]])
            size = np.linalg.norm(R[:, :k], axis=0)
            nothing = below is not None and step > 2 and values[0] - size[0] > below
            if size.max() <= goal or nothing or len(space.H) >= problem.dimension:
                bar.end()
                return values[: X.shape[1]], X
            bar.step(f"residual {size.max():.1e} on the way to {goal:.1e}")
            if len(space.H) + k > most:  # a smaller space has cheaper products
                best = rotation[:, : 2 * k]
                space = _Space(space.V @ best, space.W @ best, np.diag(values[: 2 * k]))
            open_ = np.zeros(X.shape[1], dtype=bool)
            open_[:k] = size > 0.1 * goal  # what is nearly there needs no step
            larger = space.extended(problem, correction.correct(X, R, open_))
            if larger is None:
                break
            space = larger
        bar.end()
        raise ConvergenceError(
            f"Davidson() reached a residual of {size.max():.1e} after {step + 1} steps, "
            f"short of {goal:.1e}; allow more max_steps, or use Lanczos()"
        )


class _Space(NamedTuple):
    """A space with orthonormal basis V, its image W = S V, and H = V^T S V."""

    V: FloatArray
    W: FloatArray
    H: FloatArray

    @classmethod
    def of(cls, problem: Problem, vectors: FloatArray) -> _Space:
        V = np.ascontiguousarray(linalg.qr(problem.project(vectors), mode="economic")[0])
        W = problem.apply(V)
        return cls(V, W, _symmetric(V.T @ W))

    def extended(self, problem: Problem, steps: FloatArray) -> _Space | None:
        """Add some steps; None if they add nothing."""
        # A step enters the result with its size: S times it may be as much less accurate, as long
        # as its couplings to what was there come from the older, accurate side.
        length = float(np.linalg.norm(steps, axis=0).max())
        slack = 0.1 / max(length, 1e-5)  # the residual of the result is computed anew
        for _ in range(2):  # once is not enough when a step is nearly inside the space
            steps = _orthonormal(remove_span(problem.project(steps), self.V))
        if not steps.shape[1]:
            return None
        pair = problem.operator.pair(steps) if problem.unit_mass else None
        if pair is None:
            image = problem.apply(steps, slack)
        else:
            steps, image = self._orthonormal_pair(problem, *pair)
        across = self.W.T @ steps
        H = np.block([[self.H, across], [across.T, _symmetric(steps.T @ image)]])
        return _Space(np.hstack([self.V, steps]), np.hstack([self.W, image]), H)

    def _orthonormal_pair(
        self, problem: Problem, steps: FloatArray, image: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Make steps orthonormal that are nearly so, and S times them.

        What is projected out are eigenvectors: S of what is left is what is left of S.
        """
        steps, image = problem.project(steps), problem.project(image)
        inside = self.V.T @ steps
        steps = subtract_product(steps, self.V, inside)
        image = subtract_product(image, self.W, inside)
        values, rotation = symmetric_eigenpairs(steps.T @ steps)
        turn = rotation / np.sqrt(values)
        return steps @ turn, image @ turn


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
