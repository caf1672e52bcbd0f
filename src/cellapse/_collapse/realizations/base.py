"""What every realization can do, given its matrices: weights, elimination, stacks, figures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from scipy import sparse

from cellapse._collapse.chain import Chain
from cellapse._collapse.dense import ChainStacks, Stacks
from cellapse._collapse.edges import Cofaces
from cellapse._collapse.elimination import AlgorithmOne, Elimination, by_ladders
from cellapse._collapse.graded import GradedLaplacian
from cellapse._collapse.weights import Weights, check_beta
from cellapse._complex.complex import Complex
from cellapse._complex.union import side_by_side
from cellapse._errors import InputError
from cellapse._linalg.cg import CG
from cellapse._linalg.factor import Direct
from cellapse._matrices.incidence import Incidence
from cellapse._shared.arrays import Entries, FloatArray


@dataclass(frozen=True)
class Realization(ABC):
    """Which matrices stand for B_k; everything else follows from them.

    A new one is a frozen dataclass with a `name`, a `summary` and `matrices`. What it knows of its
    matrices (bounds, a quicker elimination) it may say by overriding the other methods.

    Examples
    --------
    >>> import cellapse as cl
    >>> cl.Screened(rounds=5)
    Screened(theta=None, rounds=5)
    >>> isinstance(cl.Unfolded(), cl.Realization)
    True
    """

    summary: ClassVar[str]  # one sentence for lists of choices
    usual_beta: ClassVar[float] = 1.0  # of the ranks above the edges
    usual_share: ClassVar[float] = 1.0  # of gamma in its bound
    takes_matrices: ClassVar[bool] = False  # whether it can be asked for next to matrices B_k
    exact: ClassVar[bool] = False  # whether B_k B_{k+1} = 0 by construction
    diagonal: ClassVar[bool] = False  # whether `edge_numbers` are all that is above the edges
    edgewise: ClassVar[bool] = False  # a sparse S, every edge alone, coupled by one theta
    # Whether a weight of a cell also divides the entries above it, as a Hodge star does.
    hodge: ClassVar[bool] = True

    @property
    @abstractmethod
    def name(self) -> str:
        """Its shorthand: what users write instead of the object."""

    @abstractmethod
    def matrices(self, K: Complex) -> Incidence:
        """B_1, ..., B_K of a complex."""

    def __str__(self) -> str:
        return self.name

    def chain(self, source: Any) -> Chain:
        """The matrices of a source, with what is known of them."""
        if isinstance(source, Complex):
            return Chain.of(self.matrices(source), source)
        B = source if isinstance(source, Incidence) else Incidence.from_matrices(source)
        return Chain.of(B, source)

    def caution(self, chain: Chain) -> str | None:
        """What a user should be told about the result, if anything."""
        return None

    def weigh(self, chain: Chain, beta: Any, gamma: Any, eps: float) -> Weights:
        """The weights in use; None is the realization's own choice."""
        checked = check_beta(1.0 if beta is None else beta, len(chain.sigma))
        return Weights.choose(checked, "bound" if gamma is None else gamma, eps, chain.sigma)

    def edge_numbers(
        self, above: Sequence[Cofaces], ends: Cofaces, beta: Any, gamma: Any, eps: Any
    ) -> Any:
        """The number of every edge that stands for all above it, None where there is none.

        `gamma` holds numbers, or arrays: for each edge, above the first for each cell of its rank.
        """
        return None

    def slopes(
        self, chain: Chain, weights: Weights, x: FloatArray, current: Callable[[], FloatArray]
    ) -> tuple[FloatArray, list[FloatArray]]:
        """The derivatives of x^T S x: W d/dW of all edges, d/dw of the cells of rank 2, 3, ...

        `current` gives the values of edges that belong to x; only where it is `diagonal`.
        """
        raise NotImplementedError

    def eliminate(
        self, chain: Chain, weights: Weights, onto: int = 0, solver: Direct | CG | None = None
    ) -> Elimination:
        """How S is applied."""
        if isinstance(solver, CG):
            return AlgorithmOne(chain, weights, onto, solver)
        return by_ladders(chain, weights, onto, solver)

    def limit(
        self, chain: Chain, weights: Weights, onto: int
    ) -> Callable[[FloatArray], FloatArray]:
        """x -> S_0 x, the same operator with eps = 0."""
        return self.eliminate(chain, weights.with_eps(0.0), onto).apply

    def split(
        self, chain: Chain, weights: Weights, onto: int
    ) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
        """The blocks A, X, C of L*."""
        return GradedLaplacian(chain.incidence, weights.beta, weights.gamma).split(onto)

    def ceiling(self, weights: Weights, onto: int, size: float) -> float:
        """What ||S - A|| cannot exceed, where ||A|| is `size`."""
        beta, gamma = weights.beta, weights.gamma
        near = [k for k in (onto, onto - 1) if 0 <= k < len(beta) and beta[k] > 0]
        return float(sum(gamma[k] ** 2 / beta[k] for k in near))

    def stacks(self, complexes: list[Complex], beta: Any, gamma: Any) -> Stacks:
        """Many small complexes at once, as stacks of dense matrices."""
        matrices = [Entries.of(B) for B in self.matrices(side_by_side(complexes))]
        return ChainStacks(complexes, matrices, beta, gamma, self.exact)


def refuse_matrices(realization: Realization) -> InputError:
    """The error for a realization next to matrices."""
    return InputError(
        f"realization={realization.name!r} with matrices, which already are a realization; leave "
        'it out, or choose "unfolded" or "screened"'
    )
