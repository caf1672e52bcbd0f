r"""How the other ranks are eliminated, so that an operator on the kept one remains.

    S_eps = A - X (C + eps I)^-1 X^T     for     L* = | A    X |
                                                      | X^T  C |

L* is tridiagonal in the ranks, so the ranks above and below the kept one are eliminated
independently, each side by a `Ladder`; `AlgorithmOne` applies the formula as it stands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from cellapse._collapse.chain import Chain
from cellapse._collapse.completion import Masses, completed
from cellapse._collapse.graded import GradedLaplacian
from cellapse._collapse.ladder import Ladder
from cellapse._collapse.ladder_array import array_is_quick, diagonal, ladder_array
from cellapse._collapse.nearby import ByConjugateGradients
from cellapse._collapse.shifts import rounding, safe_shift, shifted
from cellapse._collapse.weights import Weights
from cellapse._linalg.cg import CG
from cellapse._linalg.factor import Direct
from cellapse._linalg.kernel import left_kernel
from cellapse._linalg.operators import SparseOperator
from cellapse._linalg.symmetric import Deficit
from cellapse._matrices.incidence import Incidence
from cellapse._shared.arrays import Entries, FloatArray, row_sum


class Elimination(ABC):
    """S for one chain, its weights and the rank that is kept.

    Attributes
    ----------
    A : csr_array
        The block of L* on the kept rank.
    kernel : csr_array or None
        Orthonormal columns that S maps to zero, where known in advance.
    method : str
        How (C + eps I)^-1 is applied, in words.
    matrix : csr_array or None
        S itself, where it is a sparse matrix.
    shares : array or None
        The share of its weight that every edge keeps, where S is a reweighted A.
    slow : bool
        Whether one product costs so much that even a small S is better not formed.
    """

    A: sparse.csr_array
    kernel: sparse.csr_array | None
    method: str
    matrix: sparse.csr_array | None = None
    shares: FloatArray | None = None
    slow: bool = False

    @property
    def zeros(self) -> Entries | None:
        """The kernel by its entries."""
        return None if self.kernel is None else Entries.of(self.kernel)

    @abstractmethod
    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        """S x for one vector or many columns; within an absolute error where that saves work."""

    @abstractmethod
    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        """The values of the eliminated cells that minimize the energy of u, by rank."""

    def deficit(self, base: SparseOperator, weights: Weights) -> Deficit | None:
        """What S lacks of A, if its kept rank is that of the vertices; `base` is A / beta_1."""
        return None

    dense_is_quick: bool = False
    rounding: float = 0.0

    def shifted_system(self, shift: float, mass: FloatArray) -> tuple[sparse.csr_array, int] | None:
        """That of the operator, if S is no sparse matrix."""
        return None

    def safe_shift(self, mass: FloatArray) -> float:
        """A shift below the spectrum for it."""
        return 0.0

    def toarray(self, error: float = 0.0) -> FloatArray | None:
        """S as a dense array, where there is a quicker way than n products, each within `error`."""
        return None

    def diagonal(self) -> FloatArray | None:
        """Its diagonal, where there is a quicker way than n products."""
        return None

    def norm_bound(self, mass: FloatArray | None = None) -> float:
        """An upper bound of the largest eigenvalue of A u = lambda D u."""
        return row_sum(self.A, mass)


class OneSide(Elimination):
    """By one ladder, for ranks that all lie above the kept one, or all below."""

    def __init__(self, ladder: Ladder, ranks: Sequence[int], n_cells: Sequence[int]) -> None:
        self.ladder, self._ranks, self._n_cells = ladder, ranks, n_cells

    @property
    def kernel(self) -> sparse.csr_array | None:  # type: ignore[override]
        return self.ladder.kernel

    @property
    def A(self) -> sparse.csr_array:
        return self.ladder.A

    @property
    def slow(self) -> bool:  # type: ignore[override]
        return self.ladder.slow

    @property
    def method(self) -> str:  # type: ignore[override]
        if self.ladder.iterative:
            return "conjugate gradients on K, as the graph expands"
        return self.ladder.relaxation.raised.method

    def deficit(self, base: SparseOperator, weights: Weights) -> Deficit | None:
        ladder, scale = self.ladder, float(weights.beta[0])
        if scale == 0.0:
            return None
        within, iterative = bool(weights.within_bound[0]), ladder.iterative
        inverse = ByConjugateGradients(ladder) if iterative else None
        return Deficit(base, scale, ladder.c, within, iterative, inverse)

    @property
    def dense_is_quick(self) -> bool:  # type: ignore[override]
        return array_is_quick(self.ladder)

    @property
    def rounding(self) -> float:  # type: ignore[override]
        return rounding(self.ladder)

    def shifted_system(self, shift: float, mass: FloatArray) -> tuple[sparse.csr_array, int] | None:
        return shifted(self.ladder, shift, mass)

    def safe_shift(self, mass: FloatArray) -> float:
        return safe_shift(self.ladder, mass)

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        return self.ladder.apply(x, error)

    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        return _by_rank(completed(self.ladder, u, self.masses()), self._ranks, self._n_cells)

    def masses(self) -> Masses | None:
        """What is known of a diagonal M, where there is one."""
        return None

    def toarray(self, error: float = 0.0) -> FloatArray | None:
        return ladder_array(self.ladder, error)

    def diagonal(self) -> FloatArray | None:
        return diagonal(self.ladder)


class BothSides(Elimination):
    """By two ladders, where there are ranks above the kept one and below."""

    def __init__(self, sides: Sequence[OneSide], kernel: sparse.csr_array | None) -> None:
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
        graded = GradedLaplacian(B, weights.beta, weights.gamma)
        self.A, self._X, C = graded.split(onto)
        self._solve = solver.prepare(C + weights.eps * sparse.eye_array(C.shape[0]))
        self._ranks = [k for k in range(len(B) + 1) if k != onto]
        self._n_cells = B.n_cells
        self.kernel = left_kernel(_next_to(B, onto))
        self.method = str(solver)

    def deficit(self, base: SparseOperator, weights: Weights) -> Deficit:
        return Deficit(base, float(weights.beta[0]), iterative=True)

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        return self.A @ x - self._X @ self._solve(self._X.T @ x)

    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        return _by_rank(-self._solve(self._X.T @ u), self._ranks, self._n_cells)


def by_ladders(chain: Chain, weights: Weights, onto: int, solver: Direct | None) -> Elimination:
    """One ladder for the ranks above the kept one, and one for the ranks below."""
    B = chain.incidence
    exact = chain.exact
    beta, gamma = weights.beta, weights.gamma
    sides: list[OneSide] = []
    if onto < len(B):
        plain = chain.plain if onto == 0 else None  # the same for all weights
        up = _ladder(B.matrices[onto:], beta[onto:], gamma[onto:], weights, exact, solver, plain)
        sides.append(OneSide(up, range(onto + 1, len(B) + 1), B.n_cells))
    if onto > 0:
        turned = tuple(M.T.tocsr() for M in reversed(B.matrices[:onto]))
        down = _ladder(turned, beta[:onto][::-1], gamma[:onto][::-1], weights, exact, solver)
        sides.append(OneSide(down, range(onto - 1, -1, -1), B.n_cells))
    if len(sides) == 1:
        return sides[0]
    return BothSides(sides, left_kernel(_next_to(B, onto)))


def _ladder(
    matrices: tuple[sparse.csr_array, ...],
    beta: FloatArray,
    gamma: FloatArray,
    weights: Weights,
    exact: bool,
    solver: Direct | None,
    plain: SparseOperator | None = None,
) -> Ladder:
    """The ladder that eliminates ranks, nearest first; `exact` where B_k B_{k+1} = 0."""
    eps, definite = weights.eps, weights.definite
    nearest = matrices[0], float(beta[0]), float(gamma[0])
    if len(matrices) == 1 or exact:
        masses = np.full(matrices[0].shape[1], eps)
        return Ladder(*nearest, masses, eps, solver, definite, plain=plain)
    above = Incidence(matrices[1:], "given", None, (0,) * len(matrices))
    further = GradedLaplacian(above, beta[1:], gamma[1:])
    M = further.matrix + eps * sparse.eye_array(further.matrix.shape[0])
    return Ladder(*nearest, M, eps, solver, definite, further, plain)


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


def _next_to(B: Incidence, onto: int) -> sparse.csr_array:
    """A matrix whose left kernel is the common kernel of both sides of a rank."""
    sides = []
    if onto < len(B):
        sides.append(B[onto])
    if onto > 0:
        sides.append(B[onto - 1].T)
    return sparse.csr_array(sparse.hstack(sides, format="csr"))
