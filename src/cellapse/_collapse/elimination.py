r"""How the other ranks are eliminated, so that an operator on the kept one remains.

    S_eps = A - X (C + eps I)^-1 X^T     for     L* = | A    X |
                                                      | X^T  C |

L* is tridiagonal in the ranks, so the ranks above and below the kept one are eliminated
independently, each side by an `Inverse`; `AlgorithmOne` applies the formula as it stands.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from scipy import sparse

from cellapse._collapse.chain import Chain
from cellapse._collapse.edges import Masses, Rounds, above_zero
from cellapse._collapse.eliminated import Level
from cellapse._collapse.graded import GradedLaplacian
from cellapse._collapse.inverse import DenseInverse, Inverse, inverse_of
from cellapse._collapse.weights import Weights
from cellapse._linalg.blas import times
from cellapse._linalg.cg import CG
from cellapse._linalg.factor import Direct, Solve
from cellapse._linalg.kernel import left_kernel
from cellapse._linalg.symmetric import COPIES, Deficit, SymmetricOperator
from cellapse._matrices.incidence import Incidence
from cellapse._shared.arrays import Entries, FloatArray, square
from cellapse._shared.memory import available_memory


class Elimination(SymmetricOperator):
    """S for one chain, its weights and the rank that is kept: an operator without labels."""

    method: str  # how (C + eps I)^-1 is applied, in words
    shares: FloatArray | None = None  # what edges keep of their weight, where S is a reweighted A

    def __init__(self, n: int) -> None:
        super().__init__(n, range(n))

    @abstractmethod
    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        """Return the values of the eliminated cells that minimize the energy of u, by rank."""


class _OfChain(Elimination):
    """Has the kernel of a chain."""

    _chain: Chain

    @property
    def kernel(self) -> sparse.csr_array | None:  # type: ignore[override]
        return self._chain.kernel

    @property
    def zeros(self) -> Entries | None:
        return self._chain.zeros


class OneSide(_OfChain):
    """By one inverse, for ranks that all lie above the kept one, or all below.

    `ranks` are those eliminated, nearest first, and `n_cells` the cells of every rank.
    """

    _masses: Masses | None = None  # of edges, where they are all that is left of further ranks

    def __init__(
        self,
        level: Level,
        weights: Weights,
        solver: Direct | None,
        ranks: Sequence[int],
        n_cells: Sequence[int],
    ) -> None:
        super().__init__(level.n)
        self.level, self._chain, self._weights, self._solver = level, level.chain, weights, solver
        self._ranks, self._n_cells = ranks, n_cells

    @cached_property
    def inverse(self) -> Inverse:
        """K^-1."""
        return inverse_of(self.level, self._solver)

    @property
    def A(self) -> sparse.csr_array:
        return self.level.A

    @property
    def slow(self) -> bool:  # type: ignore[override]
        return self.inverse.slow

    @property
    def method(self) -> str:  # type: ignore[override]
        return self.inverse.method

    @property
    def rounding(self) -> float:  # type: ignore[override]
        return self.inverse.rounding

    def shifted_system(self, shift: float, mass: FloatArray) -> tuple[sparse.csr_array, int] | None:
        return self.inverse.shifted_system(shift, mass)

    def safe_shift(self, mass: FloatArray) -> float:
        return self.inverse.safe_shift(mass)

    @property
    def deficit(self) -> Deficit | None:  # type: ignore[override]
        level, inverse = self.level, self.inverse
        if level.beta == 0.0:
            return None
        within, base = bool(self._weights.within_bound[0]), self._chain.base
        return Deficit(base, level.beta, level.c, within, inverse.iterative)

    def approximation(self, norm: float) -> Solve | None:
        return self.inverse.approximation(norm) if self.inverse.iterative else None

    def pair(self, x: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        return self.inverse.pair(x) if self.inverse.iterative else None

    @cached_property
    def _array(self) -> FloatArray | None:
        """S of few vertices, made without sparse matrices."""
        edges = self._chain.edge_squares
        if edges is None or not isinstance(self.inverse, DenseInverse):
            return None
        return self.level.beta * edges.all - self.level.c * self.inverse.dense()

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        level = self.level
        if level.c == 0.0:
            return times(level.A, x)
        if self._array is not None:  # what is in the kernel leaves not even rounding
            return self._array @ (x if error else level.fixed.off(x))
        return times(level.A, x) - level.c * self.inverse.apply(x, error / level.c)[0]

    def _dense(self, error: float) -> FloatArray:
        level = self.level
        if level.c == 0.0:
            return level.A.toarray()
        if self._array is not None:
            return self._array.copy()
        D = self.inverse.dense(error / level.c)
        return super()._dense(error) if D is None else level.A.toarray() - level.c * D

    def diagonal(self) -> FloatArray:
        level, large = self.level, COPIES * 8.0 * self.level.n**2 > available_memory()
        quick = level.c == 0.0 or self.inverse.system.reduced is not None
        D = None if quick or large else self.inverse.dense()
        return super().diagonal() if D is None else self.A.diagonal() - level.c * D.diagonal()

    def norm_bound(self, mass: FloatArray | None = None) -> float:
        edges = self._chain.edge_squares
        if edges is None:
            return super().norm_bound(mass)
        return self.level.beta * edges.norm_bound(mass) or 1.0

    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        errors = None if self._masses is None else self._masses.errors()
        return _by_rank(self.inverse.complete(u, errors), self._ranks, self._n_cells)


class ByEdgeMasses(OneSide):
    """The same where every edge has its own tree of cells, which leaves a mass of it.

    Values above the edges belong to flags, the copies of cells in these trees.
    """

    def __init__(self, chain: Chain, weights: Weights, solver: Direct | None) -> None:
        self._masses = Masses.of(chain.above, chain.edges.shape[1], weights)
        numbers = weights.beta, weights.gamma, weights.eps, weights.definite
        level = Level(chain, *numbers, self._masses.of_rank[0])
        super().__init__(level, weights, solver, (1,), chain.edges.shape)

    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        values = super().complete(u)
        beta, gamma = self._weights.beta, self._weights.gamma
        flags = self._chain.incidence.matrices[1:]
        above = [Entries.of(B) for B in flags]
        masses = Masses.of(above, self._chain.edges.shape[1], self._weights)
        for k, B in enumerate(flags, start=1):
            mass = above_zero(masses.of_rank[k], masses.growth[k])
            share = 1.0 + beta[k] * masses.upper[k - 1].down(1.0 / mass)
            values[k + 1] = gamma[k] * ((B.T @ (values[k].T / share).T).T / mass).T
        return values


class BothSides(Elimination):
    """By two inverses, where there are ranks above the kept one and below."""

    def __init__(self, sides: Sequence[OneSide], kernel: sparse.csr_array | None) -> None:
        super().__init__(sides[0].shape[0])
        self._sides, self.kernel, self.method = sides, kernel, sides[0].method
        self.A = sparse.csr_array(sides[0].A + sides[1].A)

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        return self._sides[0].apply(x, error) + self._sides[1].apply(x, error)

    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        return dict(sorted((self._sides[0].complete(u) | self._sides[1].complete(u)).items()))


class AlgorithmOne(Elimination):
    """Algorithm 1 of the paper: y = X^T x, z = (C + eps I)^-1 y, S x = A x - X z."""

    def __init__(self, chain: Chain, weights: Weights, onto: int, solver: CG) -> None:
        B = chain.incidence
        super().__init__(B.n_cells[onto])
        self.A, self._X, C = GradedLaplacian(B, weights.beta, weights.gamma).split(onto)
        self._solve = solver.prepare(C + weights.eps * sparse.eye_array(C.shape[0]))
        self._ranks = [k for k in range(len(B) + 1) if k != onto]
        self._n_cells, self.method = B.n_cells, str(solver)
        self.kernel = left_kernel(_both_matrices(B, onto))
        self.deficit = Deficit(chain.base, float(weights.beta[0]), iterative=True)

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        return self.A @ x - self._X @ self._solve(self._X.T @ x)

    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        return _by_rank(-self._solve(self._X.T @ u), self._ranks, self._n_cells)


class Edgewise(_OfChain):
    """Every edge relaxes alone: S is sparse, `bare` the diagonal of C, `mass` of C + eps I."""

    method = "none needed"
    matrix: sparse.csr_array

    def __init__(self, chain: Chain, weights: Weights, rounds: Rounds) -> None:
        super().__init__(chain.edges.shape[0])
        self._chain, self._weights = chain, weights
        support, self.shares = rounds.forwards(np.ones(chain.edges.shape[1]))
        self.bare = 1.0 + support
        self.mass = self.bare + weights.eps
        self.matrix = square(chain.edges, float(weights.beta[0]) * self.shares)
        self.matrix.eliminate_zeros()

    @cached_property
    def A(self) -> sparse.csr_array:
        return float(self._weights.beta[0]) * square(self._chain.edges)

    def norm_bound(self, mass: FloatArray | None = None) -> float:
        """Bound it by beta_1 |B_1| |B_1|^T, whose rows add up to those of |A| or more."""
        size = abs(self._chain.edges)
        sums = float(self._weights.beta[0]) * (size @ (size.T @ np.ones(size.shape[0])))
        return float((sums if mass is None else sums / mass).max(initial=0.0)) or 1.0

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        return times(self.matrix, x)

    def diagonal(self) -> FloatArray:
        return self.matrix.diagonal()

    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        coupling = np.sqrt(self._weights.beta[0]) * self._weights.gamma[0]
        return {1: ((coupling * (self._chain.nearest.T @ u)).T / self.mass).T}


def by_sides(chain: Chain, weights: Weights, onto: int, solver: Direct | None) -> Elimination:
    """One inverse for the ranks above the kept one, and one for the ranks below."""
    B, beta, gamma = chain.incidence, weights.beta, weights.gamma
    sides: list[OneSide] = []

    def add(side: Chain, beta: FloatArray, gamma: FloatArray, ranks: Sequence[int]) -> None:
        single = not side.above or side.exact  # of an exact chain nothing of further ranks arrives
        masses = np.full(side.edges.shape[1], weights.eps) if single else None
        level = Level(side, beta, gamma, weights.eps, weights.definite, masses)
        sides.append(OneSide(level, weights, solver, ranks, B.n_cells))

    if onto < len(B):
        above = chain if onto == 0 else Chain.of(Incidence.given(B.matrices[onto:]))
        add(above, beta[onto:], gamma[onto:], range(onto + 1, len(B) + 1))
    if onto > 0:
        below = Incidence.given([M.T.tocsr() for M in reversed(B.matrices[:onto])])
        add(Chain.of(below), beta[:onto][::-1], gamma[:onto][::-1], range(onto - 1, -1, -1))
    return sides[0] if len(sides) == 1 else BothSides(sides, left_kernel(_both_matrices(B, onto)))


def _by_rank(z: FloatArray, ranks: Sequence[int], n_cells: Sequence[int]) -> dict[int, FloatArray]:
    """Cut values of cells at the ends of the ranks, and put the ranks in order."""
    values, start = {}, 0
    for rank in ranks:
        part = z[start : (start := start + n_cells[rank])]
        # Past the nearest rank of a chain complex nothing arrives.
        values[rank] = part if len(part) else np.zeros((n_cells[rank], *z.shape[1:]))
    return dict(sorted(values.items()))


def _both_matrices(B: Incidence, onto: int) -> sparse.csr_array:
    """Make a matrix whose left kernel is the common kernel of both sides of a rank."""
    sides = [*B.matrices[onto : onto + 1], *(M.T for M in B.matrices[:onto][-1:])]
    return sparse.csr_array(sparse.hstack(sides, format="csr"))
