r"""The realizations: which matrices stand for B_k, and all that follows from that choice.

A new realization is a class with `name`, `summary` and `matrices`, and one line in `REALIZATIONS`.
Nobody else asks which one it is: whoever needs to know something of a realization asks it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from cellapse._collapse.chain import Chain, edges_and_upper
from cellapse._collapse.edges import Cofaces, Masses, Rounds, unfolded_sigmas
from cellapse._collapse.elimination import (
    AlgorithmOne,
    ByEdgeMasses,
    Edgewise,
    Elimination,
    by_sides,
)
from cellapse._collapse.graded import GradedLaplacian
from cellapse._collapse.stacks import ChainStacks, EdgeMassStacks, SparseStacks, Stacks
from cellapse._collapse.weights import Weights, check_beta
from cellapse._complex.complex import Complex
from cellapse._complex.union import side_by_side
from cellapse._errors import InputError
from cellapse._linalg.cg import CG
from cellapse._linalg.factor import Direct
from cellapse._matrices.incidence import Incidence
from cellapse._matrices.matrices import (
    DEPENDS_ON_ORDER,
    boundary_matrices,
    edges_and_cofaces,
    incidence_matrices,
    pattern,
    signed_below_unsigned,
    supports,
    unfold,
    unfolded_matrices,
)
from cellapse._shared.arrays import Entries, FloatArray, diagonal_matrix
from cellapse._shared.checks import number, whole_number

RENORMALIZED = 5  # rounds, the measured setting
_MOST_ROUNDS = 1000

Blocks = tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]  # A, X and C of L*
Product = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Realization(ABC):
    """Which matrices stand for B_k; everything else follows from them.

    A new one is a frozen dataclass with a `name`, a `summary` and `matrices`. What it knows of its
    matrices (bounds, a quicker elimination) it may say by overriding the other methods.

    Examples
    --------
    >>> import cellapse as cl
    >>> isinstance(cl.Unfolded(), cl.Realization)
    True
    """

    name: ClassVar[str]  # its shorthand: what users write instead of the object
    summary: ClassVar[str]  # one sentence for lists of choices
    usual_beta: ClassVar[float] = 1.0  # of the ranks above the edges
    usual_share: ClassVar[float] = 1.0  # of gamma in its bound
    takes_matrices: ClassVar[bool] = False  # whether it can be asked for next to matrices B_k
    exact: ClassVar[bool] = False  # whether B_k B_{k+1} = 0 by construction
    diagonal: ClassVar[bool] = False  # whether `edge_numbers` are all that is above the edges
    edgewise: ClassVar[bool] = False  # a sparse S, every edge alone, coupled by one theta
    # Whether a weight of a cell also divides the entries above it, as a Hodge star does.
    hodge: ClassVar[bool] = True

    @abstractmethod
    def matrices(self, K: Complex) -> Incidence:
        """B_1, ..., B_K of a complex."""

    def __str__(self) -> str:
        return self.name

    def chain(self, source: Any) -> Chain:
        """Return the matrices of a source, with what is known of them."""
        B = self.matrices(source) if isinstance(source, Complex) else Incidence.of(source)
        return Chain.of(B, source)

    def caution(self, chain: Chain) -> str | None:
        """Return what a user should know about the result, if anything."""
        return None

    def weigh(self, chain: Chain, beta: Any, gamma: Any, eps: float) -> Weights:
        """Return the weights in use; None is the realization's own choice."""
        checked = check_beta(1.0 if beta is None else beta, len(chain.sigma))
        return Weights.choose(checked, "bound" if gamma is None else gamma, eps, chain.sigma)

    def edge_numbers(
        self, above: Sequence[Cofaces], ends: Cofaces, beta: Any, gamma: Any, eps: Any
    ) -> Any:
        """Return the number of every edge that stands for all above it, None where none does.

        `gamma` holds numbers, or arrays: for each edge, above the first for each cell of its rank.
        """
        return None

    def slopes(
        self, chain: Chain, weights: Weights, x: FloatArray, current: Callable[[], FloatArray]
    ) -> tuple[FloatArray, list[FloatArray]]:
        """Return the derivatives of x^T S x: W d/dW of all edges, d/dw of cells of rank 2, 3, ...

        `current` gives the values of edges that belong to x; only where it is `diagonal`.
        """
        raise NotImplementedError

    def eliminate(
        self, chain: Chain, weights: Weights, onto: int = 0, solver: Direct | CG | None = None
    ) -> Elimination:
        """Return how S is applied."""
        if isinstance(solver, CG):
            return AlgorithmOne(chain, weights, onto, solver)
        return by_sides(chain, weights, onto, solver)

    def limit(self, chain: Chain, weights: Weights, onto: int) -> Product:
        """Make x -> S_0 x, the same operator with eps = 0."""
        return self.eliminate(chain, weights.with_eps(0.0), onto).apply

    def split(self, chain: Chain, weights: Weights, onto: int) -> Blocks:
        """Return the blocks A, X, C of L*."""
        return GradedLaplacian(chain.incidence, weights.beta, weights.gamma).split(onto)

    def ceiling(self, weights: Weights, onto: int, size: float) -> float:
        """Return what ||S - A|| cannot exceed, where ||A|| is `size`."""
        pairs = [*zip(weights.gamma, weights.beta, strict=True)][max(onto - 1, 0) : onto + 1]
        return float(sum(g**2 / b for g, b in pairs if b > 0))

    def stacks(self, complexes: list[Complex], beta: Any, gamma: Any) -> Stacks:
        """Many small complexes at once, as stacks of dense matrices."""
        matrices = [Entries.of(B) for B in self.matrices(side_by_side(complexes))]
        return ChainStacks(complexes, matrices, beta, gamma, self.exact)


@dataclass(frozen=True)
class Boundary(Realization):
    r"""Signed cellular boundaries, the setting of homology: B_k B_{k+1} = 0.

    Only the ranks next to the kept one have an effect: onto the vertices,

        S_eps = f(L),   f(x) = beta_1 x - gamma_0^2 x / (beta_1 x + eps).

    Examples
    --------
    >>> Boundary()
    Boundary()
    """

    name: ClassVar[str] = "boundary"
    summary: ClassVar[str] = "Signed boundaries, as in homology: only edges have an effect on S."
    exact: ClassVar[bool] = True

    def matrices(self, K: Complex) -> Incidence:
        return boundary_matrices(K)

    def caution(self, chain: Chain) -> str | None:
        if not chain.above:
            return None
        return (
            "with signed boundaries only the ranks next to the kept one have an effect (B_k B_{k+1}"
            ' = 0): S is a function of A. Use "unfolded" or "screened" for cells that matter.'
        )


@dataclass(frozen=True)
class Unsigned(Realization):
    """Which cells lie inside which, without signs: A is the signless Laplacian.

    Examples
    --------
    >>> str(Unsigned())
    'incidence'
    """

    name: ClassVar[str] = "incidence"
    summary: ClassVar[str] = "Which cells lie inside which, without signs: A is signless."

    def matrices(self, K: Complex) -> Incidence:
        return incidence_matrices(K)


@dataclass(frozen=True)
class Mixed(Realization):
    """Signed B_1, unsigned containment above: A = L, but S depends on the order of the vertices.

    Examples
    --------
    >>> Mixed()
    Mixed()
    """

    name: ClassVar[str] = "mixed"
    summary: ClassVar[str] = "Signs on the edges only, as in the paper's cut and denoising tables."

    def matrices(self, K: Complex) -> Incidence:
        return signed_below_unsigned(K)

    def caution(self, chain: Chain) -> str | None:
        return DEPENDS_ON_ORDER if any(B.nnz for B in chain.above) else None


@dataclass(frozen=True)
class Given(Realization):
    """The matrices B_1, ..., B_K that were given, whatever they stand for."""

    name: ClassVar[str] = "given"
    summary: ClassVar[str] = "Matrices as they were given."

    def matrices(self, K: Complex) -> Incidence:
        raise InputError(
            'realization="given" stands for matrices, and a Complex was given; choose "unfolded"'
        )


@dataclass(frozen=True)
class Unfolded(Realization):
    r"""Signed B_1, and above it a tree of cells for every edge; independent of any orientation.

    Everything above the edges is diagonal and leaves a mass of every edge (see `edges`), in M of

        S = beta_1 L - c I + c (I + beta_1 G)^-1,   c = gamma_0^2 / beta_1,   G = B_1 M^-1 B_1^T.

    Examples
    --------
    >>> Unfolded()
    Unfolded()
    """

    name: ClassVar[str] = "unfolded"
    summary: ClassVar[str] = "The paper's operator; every edge has its own copies of its cells."
    takes_matrices: ClassVar[bool] = True
    hodge: ClassVar[bool] = False
    diagonal: ClassVar[bool] = True

    def matrices(self, K: Complex) -> Incidence:
        return unfolded_matrices(K)

    def chain(self, source: Any) -> Chain:
        if isinstance(source, Incidence) and source.kind == self.name:
            return Chain.of(source)
        B1, upper, n_cells = edges_and_upper(source)
        complex_ = source if isinstance(source, Complex) else getattr(source, "source", None)
        make = partial(unfold, B1, upper, complex_)
        return Chain(source, n_cells, B1, upper, make, unfolded_sigmas(upper)[0])

    def eliminate(
        self, chain: Chain, weights: Weights, onto: int = 0, solver: Direct | CG | None = None
    ) -> Elimination:
        if onto or isinstance(solver, CG):
            return super().eliminate(chain, weights, onto, solver)
        return ByEdgeMasses(chain, weights, solver)

    def edge_numbers(
        self, above: Sequence[Cofaces], ends: Cofaces, beta: Any, gamma: Any, eps: Any
    ) -> Any:
        """Return the mass of every edge."""
        return Masses(above, ends.shape[1], beta[1:], gamma[1:], eps, ends.arrays).of_rank[0]

    def slopes(
        self, chain: Chain, weights: Weights, x: FloatArray, current: Callable[[], FloatArray]
    ) -> tuple[FloatArray, list[FloatArray]]:
        """Compute x^T dS x = beta_1 x^T dL x - gamma_0^2 z^T dG z, z = (I + beta_1 G)^-1 x."""
        if weights.eps == 0.0:
            raise InputError("eps=0 leaves cells without mass, and no derivative; give eps above 0")
        masses = Masses.of(chain.above, chain.edges.shape[1], weights)
        h = current() ** 2  # (gamma_0 B_1^T z / m)^2
        edges = float(weights.beta[0]) * (chain.nearest.T @ x) ** 2 - masses.of_rank[0] * h
        return edges, masses.slopes(h)

    def stacks(self, complexes: list[Complex], beta: Any, gamma: Any) -> Stacks:
        B1, upper = edges_and_cofaces(side_by_side(complexes))
        return EdgeMassStacks(complexes, [B1, *upper], beta, gamma, self.exact)


@dataclass(frozen=True)
class Screened(Realization):
    r"""A sparse reweighted graph Laplacian that damps edges which close few cells.

        S = beta_1 B_1 diag(f) B_1^T,   f = 1 - theta^2 / (1 + eps + sum_k beta_k d_k)

    is the share of its weight that an edge keeps, with d_k the (weighted) number of its cells of
    rank k. With `rounds`, a cell supports an edge by as much as its other edges are supported: five
    rounds are called "renormalized".

    Parameters
    ----------
    theta : float, optional
        The coupling, at most 1, where `gamma` of `collapse` is left out: theta^2 = 0.9 by default,
        0.95 with rounds.
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
    def name(self) -> str:  # type: ignore[override]
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
        return self.chain(K).incidence

    def chain(self, source: Any) -> Chain:
        B1, upper, n_cells = edges_and_upper(source)
        around = supports(upper, n_cells[2:])
        return Chain(source, n_cells, B1, around, lambda: Incidence.given([B1.csr]), np.empty(0))

    def weigh(self, chain: Chain, beta: Any, gamma: Any, eps: float) -> Weights:
        if gamma is not None and self.theta is not None:
            raise InputError(
                f"gamma={gamma!r} with {self!r}: both are the coupling; leave out one of them"
            )
        usual, one = (1.0, *[self.usual_beta] * len(chain.above)), np.ones(1)
        checked = check_beta(usual if beta is None else beta, len(usual))
        return Weights.choose(checked, self.usual_share if gamma is None else gamma, eps, one, one)

    def edge_numbers(
        self, above: Sequence[Cofaces], ends: Cofaces, beta: Any, gamma: Any, eps: Any
    ) -> Any:
        """Return the share of its weight that every edge keeps."""
        one = ends.arrays.full(ends.shape[1], 0.0 * eps + 1.0)
        return Rounds(above, ends, beta[1:], gamma[0] ** 2, eps, self.rounds).forwards(one)[1]

    def in_rounds(self, chain: Chain, weights: Weights) -> Rounds:
        """Return how the edges of a chain support each other."""
        around, ends = [Cofaces.of(B) for B in chain.above], Cofaces.of(pattern(chain.edges))
        square = float(weights.gamma[0]) ** 2
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
        return Edgewise(chain, weights, self.in_rounds(chain, weights))

    def limit(self, chain: Chain, weights: Weights, onto: int) -> Product:
        A, X, C = self.split(chain, weights, onto)  # with the support as it is at this eps
        inverse = sparse.diags_array(1.0 / C.diagonal())
        return lambda x: A @ x - X @ (inverse @ (X.T @ x))

    def split(self, chain: Chain, weights: Weights, onto: int) -> Blocks:
        edges = Edgewise(chain, weights, self.in_rounds(chain, weights))
        X = -np.sqrt(weights.beta[0]) * weights.gamma[0] * chain.nearest
        return edges.A, sparse.csr_array(X), diagonal_matrix(edges.bare)

    def ceiling(self, weights: Weights, onto: int, size: float) -> float:
        return float(weights.gamma[0] ** 2 / (1.0 + weights.eps)) * size

    def stacks(self, complexes: list[Complex], beta: Any, gamma: Any) -> Stacks:
        chain = self.chain(side_by_side(complexes))

        def operator(eps: float) -> tuple[sparse.csr_array, bool]:
            weights = self.weigh(chain, beta, gamma, eps)
            return self.eliminate(chain, weights).matrix, weights.definite

        return SparseStacks(complexes, chain.zeros, operator)


REALIZATIONS: dict[str, Realization] = {
    "renormalized": Screened(rounds=RENORMALIZED),
    "unfolded": Unfolded(),
    "boundary": Boundary(),
    "incidence": Unsigned(),
    "mixed": Mixed(),
    "screened": Screened(),
}


class Default(str):
    """A name that stands where a user gives none, so that matrices can stay as they are."""


# The one default of every argument that chooses an operator; for estimators as the plain word that
# scikit-learn asks for.
DEFAULT = Default("renormalized")
USUAL = str(DEFAULT)

# What is no collapse, but may be asked for as one: `make_operator` has them.
BASELINES = ("laplacian", "signless", "multiorder", "motif", "projection", "reliable", "zhou")


def as_realization(given: Any) -> Realization:
    """Look up a realization by its name, or take it as it is.

    >>> as_realization("renormalized")
    Screened(theta=None, rounds=5)
    """
    if isinstance(given, Realization):
        return given
    if isinstance(given, str) and given in REALIZATIONS:
        return REALIZATIONS[given]
    names = ", ".join(f'"{name}"' for name in REALIZATIONS)
    remedy = f"choose one of {names}, or Screened(rounds=...)"
    if isinstance(given, type) and issubclass(given, Realization):
        remedy = f"a class; give an object: {given.__name__}()"
    if isinstance(given, str) and given in BASELINES:
        remedy = f'which is no collapse; cl.make_operator(K, "{given}") makes it; or {remedy}'
    raise InputError(f"realization={given!r:.80}; {remedy}")


def realization_of(source: Any, given: Any) -> Realization:
    """Return the realization that was asked for; by default matrices are their own."""
    matrices = not isinstance(source, Complex)
    if matrices and isinstance(given, Default):
        kind = source.kind if isinstance(source, Incidence) else "given"
        return REALIZATIONS.get(kind, Given())
    chosen = as_realization(given)
    if matrices and not chosen.takes_matrices:
        raise InputError(
            f"realization={chosen.name!r} with matrices, which already are a realization; leave "
            'it out, or choose "unfolded" or "screened"'
        )
    return chosen
