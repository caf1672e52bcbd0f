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
from cellapse._collapse.completion import MassErrors
from cellapse._collapse.edges import (
    Cofaces,
    Rounds,
    above_zero,
    mass_errors,
    total_changes,
    unfolded_masses,
)
from cellapse._collapse.eliminated import Level
from cellapse._collapse.graded import GradedLaplacian
from cellapse._collapse.inverse import DenseInverse, Inverse, IterativeInverse, inverse_of
from cellapse._collapse.weights import Weights
from cellapse._linalg.blas import times
from cellapse._linalg.cg import CG
from cellapse._linalg.factor import Direct
from cellapse._linalg.kernel import left_kernel
from cellapse._linalg.symmetric import COPIES, Deficit, SymmetricOperator
from cellapse._linalg.tuning import DENSE_DIAGONAL
from cellapse._matrices.incidence import Incidence
from cellapse._shared.arrays import Entries, FloatArray, square
from cellapse._shared.memory import available_memory


class Elimination(SymmetricOperator):
    """S for one chain, its weights and the rank that is kept: an operator without labels.

    Attributes
    ----------
    method : str
        How (C + eps I)^-1 is applied, in words.
    shares : array or None
        The share of its weight that every edge keeps, where S is a reweighted A.
    """

    method: str
    shares: FloatArray | None = None

    def __init__(self, n: int) -> None:
        super().__init__(n, range(n))

    @abstractmethod
    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        """The values of the eliminated cells that minimize the energy of u, by rank."""


class OneSide(Elimination):
    """By one inverse, for ranks that all lie above the kept one, or all below.

    Parameters
    ----------
    chain : Chain
        From the kept rank outwards.
    beta, gamma : arrays
        In that order.
    weights : Weights
        Of the whole collapse: eps, and whether it is definite.
    solver : Direct or None
    ranks, n_cells : sequences of int
        The eliminated ranks, nearest first, and the cells of every rank.
    """

    def __init__(
        self,
        chain: Chain,
        beta: FloatArray,
        gamma: FloatArray,
        weights: Weights,
        solver: Direct | None,
        ranks: Sequence[int],
        n_cells: Sequence[int],
    ) -> None:
        super().__init__(chain.edges.shape[0])
        self._chain, self._beta, self._gamma, self._weights = chain, beta, gamma, weights
        self._solver, self._ranks, self._n_cells = solver, ranks, n_cells

    def _masses(self) -> FloatArray | None:
        """M, where it is diagonal: eps, if nothing of the further ranks arrives."""
        if self._chain.above and not self._chain.exact:
            return None
        return np.full(self._chain.edges.shape[1], self._weights.eps)

    @cached_property
    def level(self) -> Level:
        """What is eliminated."""
        numbers = self._beta, self._gamma, self._weights.eps, self._weights.definite
        return Level(self._chain, *numbers, self._masses())

    @cached_property
    def inverse(self) -> Inverse:
        """K^-1."""
        return inverse_of(self.level, self._solver)

    @property
    def kernel(self) -> sparse.csr_array | None:  # type: ignore[override]
        return self._chain.kernel

    @property
    def zeros(self) -> Entries | None:
        return self._chain.zeros

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
    def deficit(self) -> Deficit | None:  # type: ignore[override]
        inverse, scale = self.inverse, float(self._beta[0])
        if scale == 0.0:
            return None
        by_steps = inverse if isinstance(inverse, IterativeInverse) and inverse.iterative else None
        within = bool(self._weights.within_bound[0])
        return Deficit(self._chain.base, scale, self.level.c, within, inverse.iterative, by_steps)

    @property
    def rounding(self) -> float:  # type: ignore[override]
        return self.inverse.rounding

    def shifted_system(self, shift: float, mass: FloatArray) -> tuple[sparse.csr_array, int] | None:
        return self.inverse.shifted_system(shift, mass)

    def safe_shift(self, mass: FloatArray) -> float:
        return self.inverse.safe_shift(mass)

    @cached_property
    def _array(self) -> FloatArray | None:
        """S of few vertices: made without sparse matrices."""
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
        n, cheap = self.level.n, self.inverse.system.reduced is not None
        if cheap or n > DENSE_DIAGONAL or COPIES * 8.0 * n**2 > available_memory():
            return super().diagonal()
        return self._dense(0.0).diagonal().copy()

    def norm_bound(self, mass: FloatArray | None = None) -> float:
        edges = self._chain.edge_squares
        if edges is None:
            return super().norm_bound(mass)
        return self.level.beta * edges.norm_bound(mass) or 1.0

    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        values = self.inverse.complete(u, self._mass_errors())
        return _by_rank(values, self._ranks, self._n_cells)

    def _mass_errors(self) -> MassErrors | None:
        """How well a diagonal M is known, where its masses are sums."""
        return None


class ByEdgeMasses(OneSide):
    """The same where every edge has its own tree of cells, which leaves a mass of it.

    Values above the edges belong to flags, the copies of cells in these trees.
    """

    def __init__(self, chain: Chain, weights: Weights, solver: Direct | None) -> None:
        numbers = weights.beta, weights.gamma, weights
        super().__init__(chain, *numbers, solver, (1,), chain.edges.shape)

    @cached_property
    def _upper(self) -> list[Cofaces]:
        return [Cofaces.of(B.squared) for B in self._chain.above]

    def _masses_of(self, above: Sequence[Cofaces]) -> list[FloatArray]:
        beta, gamma, eps = self._beta, self._gamma, self._weights.eps
        return unfolded_masses(above, self._chain.edges.shape[1], beta[1:], gamma[1:], eps)

    def _masses(self) -> FloatArray:
        return self._masses_of(self._upper)[0]

    def _mass_errors(self) -> MassErrors:
        return mass_errors(self._upper, self._masses_of(self._upper), self._weights)

    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        values = super().complete(u)
        beta, gamma = self._beta, self._gamma
        flags = self._chain.incidence.matrices[1:]
        upper = [Cofaces.of(Entries.of(B).squared) for B in flags]
        masses = self._masses_of(upper)
        growth = total_changes(upper, masses, self._weights, [np.ones(len(m)) for m in masses])
        for k, B in enumerate(flags, start=1):
            mass = above_zero(masses[k], growth[k])
            share = 1.0 + beta[k] * upper[k - 1].down(1.0 / mass)
            if u.ndim == 2:
                mass, share = mass[:, None], share[:, None]
            values[k + 1] = gamma[k] * (B.T @ (values[k] / share)) / mass
        return values


class BothSides(Elimination):
    """By two inverses, where there are ranks above the kept one and below."""

    def __init__(self, sides: Sequence[OneSide], kernel: sparse.csr_array | None) -> None:
        super().__init__(sides[0].shape[0])
        self._sides = sides
        self.A = sparse.csr_array(sides[0].A + sides[1].A)
        self.kernel = kernel
        self.method = sides[0].method

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        return self._sides[0].apply(x, error) + self._sides[1].apply(x, error)

    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        return dict(sorted((self._sides[0].complete(u) | self._sides[1].complete(u)).items()))


class AlgorithmOne(Elimination):
    """Algorithm 1 of the paper: y = X^T x, z = (C + eps I)^-1 y, S x = A x - X z."""

    def __init__(self, chain: Chain, weights: Weights, onto: int, solver: CG) -> None:
        B = chain.incidence
        super().__init__(B.n_cells[onto])
        graded = GradedLaplacian(B, weights.beta, weights.gamma)
        self.A, self._X, C = graded.split(onto)
        self._solve = solver.prepare(C + weights.eps * sparse.eye_array(C.shape[0]))
        self._ranks = [k for k in range(len(B) + 1) if k != onto]
        self._n_cells = B.n_cells
        self.kernel = left_kernel(_both_matrices(B, onto))
        self.method = str(solver)
        self.deficit = Deficit(chain.base, float(weights.beta[0]), iterative=True)

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        return self.A @ x - self._X @ self._solve(self._X.T @ x)

    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        return _by_rank(-self._solve(self._X.T @ u), self._ranks, self._n_cells)


class Edgewise(Elimination):
    """Every edge relaxes alone: S is a sparse matrix.

    Attributes
    ----------
    bare, mass : arrays
        The diagonals of C and of C + eps I.
    """

    method = "none needed"
    matrix: sparse.csr_array
    shares: FloatArray

    def __init__(self, chain: Chain, weights: Weights, rounds: Rounds) -> None:
        super().__init__(chain.edges.shape[0])
        self._chain, self._weights = chain, weights
        support, self.shares = rounds.forwards(np.ones(chain.edges.shape[1]))
        self.bare = 1.0 + support
        self.mass = self.bare + weights.eps
        self.matrix = square(chain.edges, float(weights.beta[0]) * self.shares)
        self.matrix.eliminate_zeros()

    @property
    def kernel(self) -> sparse.csr_array | None:  # type: ignore[override]
        return self._chain.kernel

    @property
    def zeros(self) -> Entries | None:
        return self._chain.zeros

    @cached_property
    def A(self) -> sparse.csr_array:
        return float(self._weights.beta[0]) * square(self._chain.edges)

    def norm_bound(self, mass: FloatArray | None = None) -> float:
        """From beta_1 |B_1| |B_1|^T, whose rows add up to those of |A| or more; A is not made."""
        size = abs(self._chain.edges)
        sums = float(self._weights.beta[0]) * (size @ (size.T @ np.ones(size.shape[0])))
        return float((sums if mass is None else sums / mass).max(initial=0.0)) or 1.0

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        return times(self.matrix, x)

    def diagonal(self) -> FloatArray:
        return self.matrix.diagonal()

    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        coupling = np.sqrt(self._weights.beta[0]) * self._weights.gamma[0]
        z = coupling * (self._chain.nearest.T @ u)
        return {1: z / (self.mass if u.ndim == 1 else self.mass[:, None])}


def by_levels(chain: Chain, weights: Weights, onto: int, solver: Direct | None) -> Elimination:
    """One inverse for the ranks above the kept one, and one for the ranks below."""
    B, beta, gamma = chain.incidence, weights.beta, weights.gamma
    sides: list[OneSide] = []
    if onto < len(B):
        above = chain if onto == 0 else _chain_of(B.matrices[onto:])
        numbers = beta[onto:], gamma[onto:], weights, solver
        sides.append(OneSide(above, *numbers, range(onto + 1, len(B) + 1), B.n_cells))
    if onto > 0:
        below = _chain_of([M.T.tocsr() for M in reversed(B.matrices[:onto])])
        numbers = beta[:onto][::-1], gamma[:onto][::-1], weights, solver
        sides.append(OneSide(below, *numbers, range(onto - 1, -1, -1), B.n_cells))
    if len(sides) == 1:
        return sides[0]
    return BothSides(sides, left_kernel(_both_matrices(B, onto)))


def _chain_of(matrices: Sequence[sparse.csr_array]) -> Chain:
    B = Incidence(tuple(matrices), "given", None, (0,) * (len(matrices) + 1))
    return Chain.of(B, B)


def _by_rank(z: FloatArray, ranks: Sequence[int], n_cells: Sequence[int]) -> dict[int, FloatArray]:
    """Values of cells, cut at the ends of the ranks; in the order of the ranks."""
    values, start = {}, 0
    for rank in ranks:
        n = n_cells[rank]
        part = z[start : start + n]
        # Past the nearest rank of a chain complex nothing arrives.
        values[rank] = part if len(part) == n else np.zeros((n, *z.shape[1:]))
        start += n
    return dict(sorted(values.items()))


def _both_matrices(B: Incidence, onto: int) -> sparse.csr_array:
    """A matrix whose left kernel is the common kernel of both sides of a rank."""
    sides = []
    if onto < len(B):
        sides.append(B[onto])
    if onto > 0:
        sides.append(B[onto - 1].T)
    return sparse.csr_array(sparse.hstack(sides, format="csr"))
