r"""K^-1, with which the ranks on one side of the kept rank are eliminated without cancellation.

With B from the first eliminated rank to the kept one and M its own effective operator plus eps,

    T = A - c (I - K^-1),   K = I + beta B M^-1 B^T,   A = beta B B^T,   c = gamma^2 / beta.

What is subtracted from A is c times x - K^-1 x = beta B w. The first form is accurate where K is
large, and the second where K is close to I; w are the values of the eliminated cells, up to the
factor gamma. K >= I, so that |x - K v| bounds the error of v = K^-1 x.

Three implementations: `DenseInverse` by an array, `FactoredInverse` by one solve, and where its
residual shows that this was not enough by conjugate gradients on the eliminated cells, and
`IterativeInverse` by conjugate gradients on K, where the graph expands and a factor would fill in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property, lru_cache
from math import prod

import numpy as np
from scipy import sparse

from cellapse._collapse.completion import MassErrors, completed, completed_by
from cellapse._collapse.eliminated import EliminatedSystem, Level
from cellapse._errors import ConvergenceError
from cellapse._linalg.blas import definite_inverse, times
from cellapse._linalg.cg import System, iterations
from cellapse._linalg.factor import Direct, Solve, expands, widest_level
from cellapse._linalg.preconditioner import Preconditioner
from cellapse._linalg.tuning import (
    DENSE_DIAGONAL,
    DENSE_INVERSE,
    EVERYTHING_IS_QUICK,
    FARTHEST_PAIR,
    MOST_STEPS,
    ROUGH_RESIDUAL,
    ROUGH_STEPS,
    SLOW_PRODUCTS,
)
from cellapse._shared.arrays import FloatArray

# Errors of T x, relative to ||A|| |x|.
AIM = 1e-14  # what refinement goes for
GOOD = 1e-12  # what is accepted of one solve
_LIMIT = 1e-9  # beyond it nothing is given out
_CLOSE_TO_ONE = 0.5  # entries of K - I below this: I - K^-1 is taken as (K - I) K^-1
_HIDDEN = 0.01  # of the error allowed: what rounding of a residual may hide


class Inverse(ABC):
    """I - K^-1 of one level.

    Laws: `apply` is within the bound it returns, and that within what it was asked for or raised
    as an error; `dense` is `apply` of I; `shifted_system` has the inertia of T - shift D besides
    that of its second block; `complete` minimizes the energy.
    """

    iterative = False  # whether products take iterations instead of a factorization
    slow = False  # whether one product costs so much that even a small T is better not formed

    def __init__(self, level: Level, solver: Direct | None = None) -> None:
        self.level, self.solver = level, solver

    @cached_property
    def system(self) -> EliminatedSystem:
        """That of the eliminated cells, with tiny masses raised."""
        return EliminatedSystem(self.level, solver=self.solver)

    @property
    def method(self) -> str:
        """How it is applied, in words."""
        return self.system.method

    @abstractmethod
    def apply(self, x: FloatArray, error: float = 0.0) -> tuple[FloatArray, FloatArray]:
        """Compute x - K^-1 x and bound its error, per column; within `error` if that saves work."""

    @abstractmethod
    def dense(self, error: float = 0.0) -> FloatArray | None:
        """Make I - K^-1 an array, if that is quick and accurate; columns may be off by `error`."""

    def approximation(self, norm: float) -> Solve | None:
        """Make x -> about T x / norm for columns of float32, if it is closer to T than A is."""
        return None

    def pair(self, x: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Give u and T u for a u close to columns x of length one, if cheaper than T x."""
        return None

    def complete(self, x: FloatArray, masses: MassErrors | None = None) -> FloatArray:
        """Find the eliminated values that minimize the energy of x, nearest rank first."""
        return completed(self.system, self.level.fixed.off(x), masses)

    def shifted_system(self, shift: float, mass: FloatArray) -> tuple[sparse.csr_array, int] | None:
        r"""Make a matrix whose inverse begins with (T - shift D)^-1; count negatives of the rest.

            | A - c I - shift D   c^{1/2} I |
            | c^{1/2} I           -K        |

        has as many negative eigenvalues as T - shift D besides those of -K, whose number is
        returned. None where masses had to be raised.
        """
        level, system, c, n = self.level, self.system, self.level.c, self.level.n
        eye = sparse.eye_array(n)
        H = sparse.csr_array(level.A - c * eye - shift * sparse.diags_array(mass))
        if c == 0.0:
            return H, 0
        if not system.exact:
            return None
        if system.reduced is not None:
            rest, link = -(eye + system.reduced[0]), np.sqrt(c) * eye
        else:
            rest = system.joint()
            link = np.sqrt(c / level.beta) * sparse.eye_array(n, rest.shape[0])
        # K is at least I, unless the weights are beyond their bounds.
        negative = n if level.definite else Direct().prepare(rest).n_negative()
        if negative is None:
            return None
        return sparse.csr_array(sparse.block_array([[H, link], [link.T, rest]])), negative

    def safe_shift(self, mass: FloatArray) -> float:
        """Choose a shift below the spectrum of T u = lambda D u that keeps both blocks definite."""
        level, kernel = self.level, self.level.chain.zeros
        definite = kernel is not None and kernel.shape[1] == 0
        least = 1e-6 * (level.norm or 1.0)
        return -max((0.05 if definite else 1.05) * level.c, least) / float(mass.min())

    @property
    def rounding(self) -> float:
        """How far rounding of K, whose entries reach 1 / eps, may move the eigenvalues of T."""
        level = self.level
        light = float(level.M.diagonal().min(initial=np.inf)) if level.diagonal else level.eps
        return 2.0**-52 * level.c * level.norm / light if light > 0 else np.inf


class DenseInverse(Inverse):
    """By an array, from the entries of B: sparse matrices take longer to make than all the rest."""

    @cached_property
    def array(self) -> FloatArray | None:
        """The array, if there are few vertices, masses of edges, K >= I and enough digits."""
        level, edges = self.level, self.level.chain.edge_squares
        masses, zeros = level.masses, level.chain.zeros
        if edges is None or masses is None or not level.definite or level.c == 0.0:
            return None
        if not masses.min(initial=np.inf) > 0.0:  # eps = 0 is a limit
            return None
        G = edges.weighted(level.beta / masses)
        P = np.zeros((level.n, 0)) if zeros is None else zeros.toarray()
        D, error = one_less_inverse(G, lambda x: x - P @ (P.T @ x), G.__matmul__)
        return D if level.c * error <= 0.3 * GOOD * level.norm else None

    def apply(self, x: FloatArray, error: float = 0.0) -> tuple[FloatArray, FloatArray]:
        return self.dense() @ self.level.fixed.off(x), GOOD * self.level.size(x)

    def dense(self, error: float = 0.0) -> FloatArray:
        assert self.array is not None
        return self.array


class FactoredInverse(Inverse):
    """By one solve with K or the joint matrix, or by the values of the eliminated cells."""

    @property
    def slow(self) -> bool:  # type: ignore[override]
        system, level = self.system, self.level
        many = level.c > 0.0 and level.M.shape[0] > SLOW_PRODUCTS * level.n
        return many and system.reduced is None and system.woodbury is None

    def apply(self, x: FloatArray, error: float = 0.0) -> tuple[FloatArray, FloatArray]:
        allowed, x = self.allowed(x, error), self.level.fixed.off(x)
        found = self._by_one_solve(self.system, x, allowed)
        if found is None:
            try:
                found = self._by_values(x, allowed, error)
            except ConvergenceError:  # some are only known with K as it is, however large
                found = self._by_one_solve(self._unraised, x, allowed)
                if found is None:
                    raise
        return self.level.fixed.remove_from(found[0]), found[1]

    @cached_property
    def _unraised(self) -> EliminatedSystem:
        return EliminatedSystem(self.level, 0.0 * self.system.floor, self.solver)

    def allowed(self, x: FloatArray, error: float) -> FloatArray:
        """Choose the error to reach, by column: of all of x, as A x rounds all of it, too."""
        return np.maximum(error, AIM * self.level.size(x))

    def accepted(
        self, system: EliminatedSystem, error: FloatArray, x: FloatArray, allowed: FloatArray
    ) -> FloatArray | None:
        """Give the error of x - v for one of v, if it is small enough.

        Where K is close to I, it counts less.
        """
        error = min(1.0, 2.0 * system.largest_of_k) * error
        return error if (error <= np.maximum(allowed, GOOD * self.level.size(x))).all() else None

    def _by_one_solve(
        self, system: EliminatedSystem, x: FloatArray, allowed: FloatArray
    ) -> tuple[FloatArray, FloatArray] | None:
        """Find it by one solve; None where its residual bounds no error, or is too large."""
        if not (self.level.definite and system.knows_k):
            return None
        v = system.factor(x)
        less = system.less_identity(v)
        error = np.atleast_1d(np.linalg.norm(x - v - less, axis=0))
        bound = self.accepted(system, error, x, allowed)
        close = system.largest_of_k < _CLOSE_TO_ONE
        return None if bound is None else (less if close else x - v, bound)

    def _by_values(
        self, x: FloatArray, allowed: FloatArray, error: float
    ) -> tuple[FloatArray, FloatArray]:
        """Compute beta B w by the values of the eliminated cells.

        beta^2 |B e|^2 <= beta e^T H e: what is further off than the limit, or than a few times what
        was asked for, is not given out.
        """
        level, system, size = self.level, self.system, self.level.size(x)
        limit, enough, root = 10.0 * allowed, allowed, np.sqrt(level.beta)
        if error == 0.0:
            limit, enough = np.maximum(allowed, _LIMIT * size), np.maximum(allowed, GOOD * size)
        if level.definite:
            w, energy = system.values(x, allowed / root, enough / root)
        else:
            w, energy = system.refine(x)
        if not (root * energy <= limit).all():
            raise level.lost(float((root * energy / size).max()), "||A||")
        return (level.beta * (level.B @ w)).astype(np.float64), root * energy

    def dense(self, error: float = 0.0) -> FloatArray | None:
        level, n = self.level, self.level.n
        if not level.definite or n > (DENSE_INVERSE if self.system.reduced else DENSE_DIAGONAL):
            return None
        try:
            found = self.system.dense()
        except ConvergenceError:  # products may still do
            return None
        if found is None:
            return None
        D, off = one_less_inverse(found[0], level.fixed.remove_from, found[1])
        return D if level.c * off <= 0.3 * max(GOOD * level.norm, 0.03 * error * level.c) else None


class IterativeInverse(Inverse):
    """By conjugate gradients in mixed precision on K, as long as a factor would cost more."""

    def __init__(self, factored: FactoredInverse) -> None:
        super().__init__(factored.level)
        self.system, self._factored, self._given_up = factored.system, factored, False
        self._widest = widest_level(self.level.A)[0]

    @staticmethod
    def suits(factored: FactoredInverse) -> bool:
        """Return whether K is well-conditioned, and its factor would fill in."""
        level = factored.level
        if factored.solver is not None or level.n < EVERYTHING_IS_QUICK or level.c == 0.0:
            return False
        return level.definite and factored.system.knows_k and expands(level.A)

    @property
    def iterative(self) -> bool:  # type: ignore[override]
        return not self._given_up

    @property
    def method(self) -> str:
        if self._given_up:
            return self._factored.method
        return "conjugate gradients on K, as the graph expands"

    @cached_property
    def preconditioner(self) -> Preconditioner:
        """K, and what conjugate gradients on it need to know."""
        assert self.system.reduced is not None
        K = sparse.csr_array(sparse.eye_array(self.level.n) + self.system.reduced[0])
        return Preconditioner(K, self.level.chain.kernel)

    def apply(self, x: FloatArray, error: float = 0.0) -> tuple[FloatArray, FloatArray]:
        level, system = self.level, self.system
        off = level.fixed.off(x)
        found = self._solution(off, self._factored.allowed(x, error))
        if found is None:
            return self._factored.apply(x, error)
        v, bound = found
        less = system.less_identity(v) if system.largest_of_k < _CLOSE_TO_ONE else off - v
        return level.fixed.remove_from(less), bound

    def _solution(self, x: FloatArray, allowed: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Find K^-1 x off the kernel, and bound the error of x - K^-1 x; None if it is slow."""
        if self._given_up:
            return None
        if x.ndim == 1:
            found = self._solution(x[:, None], allowed)
            return None if found is None else (found[0][:, 0], found[1])
        P = self.preconditioner
        least = np.sqrt(P.least)  # |e| <= (e^T K e)^{1/2} / least
        tol = np.broadcast_to(allowed * least, x.shape[1:])
        equation = _Equation(P, self.system, _HIDDEN * P.least * allowed)
        v, energy = P.solve(equation, x, tol, MOST_STEPS)
        bound = self._factored.accepted(self.system, energy / least, x, allowed)
        # Beyond that a factor of K would have been cheaper: from now on by that.
        work = float(P.matrix.nnz) * P.products
        self._given_up = bound is None or work > max(2.0 * float(self._widest) ** 3, 1e7)
        return None if bound is None else (v.astype(np.float64, copy=False), bound)

    def dense(self, error: float = 0.0) -> FloatArray | None:
        return self._factored.dense(error)

    def complete(self, x: FloatArray, masses: MassErrors | None = None) -> FloatArray:
        values = None
        if self.level.eps > 0.0:  # K^-1 x may be as small as x / least
            off = self.level.fixed.off(x)
            size = np.atleast_1d(np.linalg.norm(off, axis=0))
            found = self._solution(off, AIM * size / self.preconditioner.least)
            values = None if found is None else completed_by(self.system, off, found[0])
        return super().complete(x, masses) if values is None else values

    def approximation(self, norm: float) -> Solve | None:
        level = self.level
        inverse = self.preconditioner.coarse_inverse(level.c / norm)
        if inverse is None:
            return None
        rest = sparse.csr_array(level.A - level.c * sparse.eye_array(level.n)) / norm
        rest = rest.astype(np.float32)
        return lambda x: times(rest, x) + inverse(x)

    def pair(self, x: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Give u close to columns x of length one, and T u; None without aggregates, or such a u.

        For u = K v, T u = A u - c (u - v) is exact for every v: a rough v for K v = x will do.
        """
        P = self.preconditioner
        if P.aggregate is None:  # there few steps do for T x
            return None
        for state in iterations(P, x, ROUGH_STEPS):
            state.done = np.linalg.norm(state.r, axis=0) <= ROUGH_RESIDUAL
        v = state.x
        less = self.system.less_identity(v)
        u = v + less
        if not (np.linalg.norm(x - u, axis=0) <= FARTHEST_PAIR).all():
            return None
        return u, times(self.level.A, u) - self.level.c * less


class _Equation(System):
    """K v = x: residuals are computed in extended precision where rounding would hide errors."""

    extended = True

    def __init__(self, P: Preconditioner, system: EliminatedSystem, hidden: FloatArray) -> None:
        super().__init__(P.matrix)
        self._P, self._system, self._hidden = P, system, hidden

    def apply(self, x: FloatArray) -> FloatArray:
        return self._P.apply(x)

    def precondition(self, r: FloatArray) -> FloatArray:
        return self._P.precondition(r)

    def residual(self, rhs: FloatArray, x: FloatArray) -> FloatArray:
        v = x.astype(np.float64, copy=False)
        if self._P.rounding_exceeds(self._hidden, rhs, v):
            v = x.astype(np.longdouble, copy=False)  # eight times as slow
        return rhs - v - self._system.less_identity(v)


def inverse_of(level: Level, solver: Direct | None = None) -> Inverse:
    """Choose the implementation that suits a level; a solver that was asked for factorizes."""
    if solver is None and (dense := DenseInverse(level)).array is not None:
        return dense
    factored = FactoredInverse(level, solver)
    return IterativeInverse(factored) if IterativeInverse.suits(factored) else factored


# Dense algebra, of one matrix or of every one of a stack


def one_less_inverse(
    G: FloatArray, off: Solve, less_identity: Solve
) -> tuple[FloatArray, FloatArray]:
    """Compute I - (I + G)^-1 of a matrix or a stack, and how far products with each are off.

    `off` takes the kernel of G out of x, and `less_identity` is v -> G v as accurately as known.
    """
    n = G.shape[-1]
    K = G.copy()
    diagonals(K)[...] += 1.0
    found = [definite_inverse(each) for each in K.reshape(prod(G.shape[:-2]), n, n)]
    known = [np.full((n, n), np.nan) if each is None else each for each in found]
    inverse = known[0] if G.ndim == 2 else np.array(known).reshape(G.shape)
    probes = _probes(n)
    images = inverse @ probes
    # K is at least I: what is left of K v = x is no less than the error of v.
    left = np.sqrt(((images + less_identity(images) - probes) ** 2).sum(axis=(-2, -1)))
    close_to_one = diagonals(G).max(axis=-1, initial=0.0) < _CLOSE_TO_ONE
    product = G @ inverse if close_to_one.any() else None
    D = np.negative(inverse, out=inverse)
    diagonals(D)[...] += 1.0
    if product is not None:
        D = np.where(close_to_one[..., None, None], product, D)
    D = off(off(D).swapaxes(-2, -1)).swapaxes(-2, -1)
    D += D.swapaxes(-2, -1).copy()  # row by row, as a sum with a transpose is not
    D *= 0.5
    return D, left


def diagonals(stack: FloatArray) -> FloatArray:
    """View the diagonal of a matrix, or those of a stack.

    >>> diagonals(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [1.0, 4.0]
    """
    n = stack.shape[-1]
    return stack.reshape(*stack.shape[:-2], n * n)[..., :: n + 1]


@lru_cache(maxsize=64)  # a generator takes longer to make than a few numbers to draw
def _probes(n: int) -> FloatArray:
    probes = np.random.default_rng(0).standard_normal((n, 2))
    return probes / np.linalg.norm(probes)
