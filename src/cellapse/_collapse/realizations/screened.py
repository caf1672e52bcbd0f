r"""The screened realization: every edge has mass 1 + eps, and the cells that hold it support it.

    S = beta_1 B_1 diag(f) B_1^T,   f = 1 - theta^2 / (1 + eps + sum_k beta_k d_k)

is the share of its weight that an edge keeps, with d_k the (weighted) number of its cells of rank
k. With `rounds`, a cell supports an edge by as much as its own other edges are supported,
self-consistently: five rounds are called "renormalized".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from cellapse._collapse.chain import Chain, edges_and_upper
from cellapse._collapse.dense import Stacks, row_sums
from cellapse._collapse.edges import Cofaces, Rounds
from cellapse._collapse.elimination import Elimination
from cellapse._collapse.layout import Layout
from cellapse._collapse.realizations.base import Realization
from cellapse._collapse.weights import Weights, check_beta
from cellapse._complex.complex import Complex
from cellapse._complex.union import side_by_side
from cellapse._errors import InputError
from cellapse._linalg.cg import CG
from cellapse._linalg.factor import Direct
from cellapse._matrices.incidence import Incidence
from cellapse._matrices.matrices import pattern, supports
from cellapse._shared.arrays import BoolArray, Entries, FloatArray, square
from cellapse._shared.checks import number, whole_number

RENORMALIZED = 5  # rounds, the measured setting
_MOST_ROUNDS = 1000


@dataclass(frozen=True)
class Screened(Realization):
    """A sparse reweighted graph Laplacian that damps edges which close few cells.

    Parameters
    ----------
    theta : float, optional
        Coupling of the edges, where `gamma` of `collapse` is left out: theta^2 = 0.9 by default,
        0.95 with rounds. At most 1.
    rounds : int
        How often the support of an edge is weighed by the support of its cells' other edges.

    Examples
    --------
    >>> Screened(rounds=5)
    Screened(theta=None, rounds=5)
    >>> str(Screened(rounds=5)), str(Screened())
    ('renormalized', 'screened')
    """

    theta: float | None = None
    rounds: int = 0

    takes_matrices: ClassVar[bool] = True
    hodge: ClassVar[bool] = False
    diagonal: ClassVar[bool] = True
    edgewise: ClassVar[bool] = True

    def __post_init__(self) -> None:
        whole_number("rounds", self.rounds, 0, _MOST_ROUNDS)
        if self.theta is not None:
            number("theta", self.theta, "a number from 0 to 1", lambda t: 0.0 <= t <= 1.0)

    @property
    def name(self) -> str:
        if self.rounds == 0:
            return "screened"
        return "renormalized" if self.rounds == RENORMALIZED else f"screened, {self.rounds} rounds"

    @property
    def summary(self) -> str:  # type: ignore[override]
        if self.rounds:
            return "Screened, and a cell counts as much as its other edges are supported."
        return "Edges that close few cells are damped; S stays as sparse as the graph Laplacian."

    @property
    def usual_beta(self) -> float:  # type: ignore[override]
        return 5.0 if self.rounds else 1.0

    @property
    def usual_share(self) -> float:  # type: ignore[override]
        usual = float(np.sqrt(0.95 if self.rounds else 0.9))
        return usual if self.theta is None else self.theta

    def matrices(self, K: Complex) -> Incidence:
        return Incidence(self.chain(K).incidence.matrices, "given", K, (0, 0))

    def chain(self, source: Any) -> Chain:
        B1, upper, n_cells = edges_and_upper(source)
        complex_ = source if isinstance(source, Complex) else None
        around = supports(upper, n_cells[2:])

        def make() -> Incidence:
            return Incidence((B1.csr,), "given", complex_, (0, 0))

        return Chain(source, n_cells, B1, around, make, lambda: np.empty(0))

    def weigh(self, chain: Chain, beta: Any, gamma: Any, eps: float) -> Weights:
        above = len(chain.above)
        usual = (1.0, *[self.usual_beta] * above)
        if gamma is not None and self.theta is not None:
            raise InputError(
                f"gamma={gamma!r} with {self!r}: both are the coupling; leave out one of them"
            )
        checked = check_beta(usual if beta is None else beta, 1 + above)
        one = np.ones(1)
        return Weights.choose(checked, self.usual_share if gamma is None else gamma, eps, one, one)

    def edge_numbers(
        self, above: Sequence[Cofaces], ends: Cofaces, beta: Any, gamma: Any, eps: Any
    ) -> Any:
        """The share of its weight that every edge keeps."""
        one = ends.arrays.full(ends.shape[1], 0.0 * eps + 1.0)
        return Rounds(above, ends, beta[1:], gamma[0] ** 2, eps, self.rounds).forwards(one)[1]

    def in_rounds(self, chain: Chain, weights: Weights) -> Rounds:
        """How the edges of a chain support each other."""
        around = [Cofaces.of(B) for B in chain.above]
        square, ends = float(weights.gamma[0]) ** 2, Cofaces.of(pattern(chain.edges))
        return Rounds(around, ends, weights.beta[1:], square, weights.eps, self.rounds)

    def slopes(
        self, chain: Chain, weights: Weights, x: FloatArray, current: Callable[[], FloatArray]
    ) -> tuple[FloatArray, list[FloatArray]]:
        h = float(weights.beta[0]) * (chain.nearest.T @ x) ** 2
        rounds = self.in_rounds(chain, weights)
        return rounds.forwards(np.ones(len(h)))[1] * h, rounds.backwards(h)

    def eliminate(
        self, chain: Chain, weights: Weights, onto: int = 0, solver: Direct | CG | None = None
    ) -> Elimination:
        return Edgewise(self, chain, weights)

    def limit(
        self, chain: Chain, weights: Weights, onto: int
    ) -> Callable[[FloatArray], FloatArray]:
        A, X, C = self.split(chain, weights, onto)  # with the support as it is at this eps
        inverse = sparse.diags_array(1.0 / C.diagonal())
        return lambda x: A @ x - X @ (inverse @ (X.T @ x))

    def split(
        self, chain: Chain, weights: Weights, onto: int
    ) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
        edges = Edgewise(self, chain, weights)
        X = -np.sqrt(weights.beta[0]) * weights.gamma[0] * chain.nearest
        C = sparse.diags_array(edges.bare)
        return edges.A, sparse.csr_array(X), sparse.csr_array(C)

    def ceiling(self, weights: Weights, onto: int, size: float) -> float:
        return float(weights.gamma[0] ** 2 / (1.0 + weights.eps)) * size

    def stacks(self, complexes: list[Complex], beta: Any, gamma: Any) -> Stacks:
        return EdgewiseStacks(self, complexes, beta, gamma)


class Edgewise(Elimination):
    """Every edge relaxes alone.

    Attributes
    ----------
    bare, mass : arrays
        The diagonals of C and of C + eps I.
    """

    method = "none needed"
    matrix: sparse.csr_array
    shares: FloatArray

    def __init__(self, realization: Screened, chain: Chain, weights: Weights) -> None:
        self._chain, self._weights = chain, weights
        one = np.ones(chain.edges.shape[1])
        support, self.shares = realization.in_rounds(chain, weights).forwards(one)
        self.bare = 1.0 + support
        self.mass = self.bare + weights.eps
        self.matrix = square(chain.edges, float(weights.beta[0]) * self.shares)
        self.kernel = chain.kernel

    @cached_property
    def A(self) -> sparse.csr_array:
        return float(self._weights.beta[0]) * square(self._chain.edges)

    def norm_bound(self, mass: FloatArray | None = None) -> float:
        """From beta_1 |B_1| |B_1|^T, whose rows add up to those of |A| or more; A is not made."""
        size = abs(self._chain.edges)
        sums = float(self._weights.beta[0]) * (size @ (size.T @ np.ones(size.shape[0])))
        return float((sums if mass is None else sums / mass).max(initial=0.0))

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        return self.matrix @ x

    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        coupling = np.sqrt(self._weights.beta[0]) * self._weights.gamma[0]
        z = coupling * (self._chain.nearest.T @ u)
        return {1: z / (self.mass if u.ndim == 1 else self.mass[:, None])}


class EdgewiseStacks(Stacks):
    """Sparse operators of all complexes side by side, cut into dense ones."""

    def __init__(
        self, realization: Screened, complexes: list[Complex], beta: Any, gamma: Any
    ) -> None:
        self._realization, self._beta, self._gamma = realization, beta, gamma
        self._chain = realization.chain(side_by_side(complexes))
        self._n = len(complexes)
        self.layout = Layout(complexes, [])
        self.kernel = self._chain.zeros
        self._norms: list[FloatArray] = []

    def collapsed(self, eps: float) -> tuple[list[FloatArray], BoolArray]:
        weights = self._realization.weigh(self._chain, self._beta, self._gamma, eps)
        S = Edgewise(self._realization, self._chain, weights).matrix
        vertices = self.layout.places[0]
        blocks = self.layout.stacks(Entries.of(S), vertices, vertices)
        self._norms = [row_sums(block) for block in blocks]
        return blocks, np.full(self._n, weights.definite)

    def norms(self) -> list[FloatArray]:
        return self._norms
