r"""The unfolded realization: every edge has its own tree of cells above it.

Everything above the edges is diagonal. What it leaves of every edge is a mass (see `edges`), and
these are the diagonal matrix M of the collapse

    S = beta_1 L - c I + c (I + beta_1 G)^-1,   c = gamma_0^2 / beta_1,   G = B_1 M^-1 B_1^T.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from cellapse._collapse.chain import Chain, edges_and_upper
from cellapse._collapse.completion import Masses
from cellapse._collapse.dense import ChainStacks, Stacks, row_sums, smallest_positive
from cellapse._collapse.edges import (
    Cofaces,
    carried,
    known_of,
    next_to_zero,
    slopes_of_masses,
    unfolded_masses,
    unfolded_sigmas,
)
from cellapse._collapse.elimination import Elimination, OneSide
from cellapse._collapse.formed import GOOD, by_inverse, formed
from cellapse._collapse.ladder import Ladder
from cellapse._collapse.realizations.base import Realization
from cellapse._collapse.weights import Weights
from cellapse._complex.complex import Complex
from cellapse._complex.union import side_by_side
from cellapse._errors import InputError
from cellapse._linalg.cg import CG
from cellapse._linalg.factor import Direct
from cellapse._linalg.kernel import Projector
from cellapse._matrices.incidence import Incidence
from cellapse._matrices.matrices import edges_and_cofaces, unfold, unfolded_matrices
from cellapse._shared.arrays import (
    BoolArray,
    Entries,
    FloatArray,
)


@dataclass(frozen=True)
class Unfolded(Realization):
    """Signed B_1, and above it a tree of cells for every edge; independent of any orientation.

    Examples
    --------
    >>> Unfolded()
    Unfolded()
    """

    summary: ClassVar[str] = (
        "The paper's operator; every edge has its own cells above it, so no orientation."
    )
    takes_matrices: ClassVar[bool] = True
    hodge: ClassVar[bool] = False
    diagonal: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return "unfolded"

    def matrices(self, K: Complex) -> Incidence:
        return unfolded_matrices(K)

    def chain(self, source: Any) -> Chain:
        if isinstance(source, Incidence) and source.of_flags:
            return Chain.of(source, source)
        B1, upper, n_cells = edges_and_upper(source)
        complex_ = source if isinstance(source, Complex) else getattr(source, "source", None)

        def make() -> Incidence:
            matrices = tuple(unfold(B1.csr, [B.csr for B in upper]))
            n_formal = (0, 0, *(B.shape[1] for B in matrices[1:]))
            return Incidence(matrices, self.name, complex_, n_formal)

        return Chain(source, n_cells, B1, upper, make, lambda: unfolded_sigmas(upper)[0])

    def eliminate(
        self, chain: Chain, weights: Weights, onto: int = 0, solver: Direct | CG | None = None
    ) -> Elimination:
        if onto or isinstance(solver, CG):
            return super().eliminate(chain, weights, onto, solver)
        return Flags(chain, weights, solver)

    def edge_numbers(
        self, above: Sequence[Cofaces], ends: Cofaces, beta: Any, gamma: Any, eps: Any
    ) -> Any:
        """The mass of every edge."""
        n_edges, weights = ends.shape[1], (beta[1:], gamma[1:], eps)
        return unfolded_masses(above, n_edges, *weights, ends.arrays)[0]

    def slopes(
        self, chain: Chain, weights: Weights, x: FloatArray, current: Callable[[], FloatArray]
    ) -> tuple[FloatArray, list[FloatArray]]:
        """x^T dS x = beta_1 x^T dL x - gamma_0^2 z^T dG z with z = (I + beta_1 G)^-1 x."""
        if weights.eps == 0.0:
            raise InputError("eps=0 leaves cells without mass, and no derivative; give eps above 0")
        B, upper = chain.nearest, [Cofaces.of(B.squared) for B in chain.above]
        beta, gamma = weights.beta[1:], weights.gamma[1:]
        masses = unfolded_masses(upper, B.shape[1], beta, gamma, weights.eps)
        h = current() ** 2  # (gamma_0 B_1^T z / m)^2
        edges = float(weights.beta[0]) * (B.T @ x) ** 2 - masses[0] * h
        return edges, slopes_of_masses(upper, masses, beta, gamma, h)

    def stacks(self, complexes: list[Complex], beta: Any, gamma: Any) -> Stacks:
        B1, upper = edges_and_cofaces(side_by_side(complexes))
        return FlagStacks(complexes, [B1, *upper], beta, gamma)


class Flags(OneSide):
    """One ladder with a diagonal M; values above the edges belong to flags."""

    slow = False  # as M is diagonal, so is its inverse

    def __init__(self, chain: Chain, weights: Weights, solver: Direct | None) -> None:
        self._chain, self._weights, self._solver = chain, weights, solver
        self._ranks, self._n_cells = (1,), chain.edges.shape
        self._beta, self._gamma = float(weights.beta[0]), float(weights.gamma[0])

    @cached_property
    def ladder(self) -> Ladder:  # type: ignore[override]
        """The ladder itself: a small complex rarely needs it."""
        eps, definite, first = self._weights.eps, self._weights.definite, (self._beta, self._gamma)
        mass, plain = self._masses(self._upper)[0], self._chain.plain
        solver, B = self._solver, self._chain.nearest
        return Ladder(B, *first, mass, eps, solver, definite, plain=plain)

    @property
    def kernel(self) -> sparse.csr_array | None:  # type: ignore[override]
        return self._chain.kernel

    @property
    def zeros(self) -> Entries | None:
        return self._chain.zeros

    @cached_property
    def _formed(self) -> FloatArray | None:
        """S of a small complex, where it is quickly known to rounding."""
        few, beta = self._chain.few, self._beta
        if few is None or self._solver is not None or not self._weights.definite:
            return None
        A = few.plain if beta == 1.0 else beta * few.plain  # saves a copy
        c = self._gamma**2 / beta if beta > 0 else 0.0
        mass = self._masses(self._upper)[0]
        if c == 0.0 or not mass.min(initial=np.inf) > 0:  # eps = 0 is a limit
            return A.copy() if c == 0.0 else None
        G = few.square(beta / mass)
        allowed = GOOD * self.norm_bound()
        return formed(A, G, c, allowed, self._fixed.remove_from, G.__matmul__)

    @cached_property
    def _fixed(self) -> Projector:
        return Projector(self.zeros)

    def apply(self, x: FloatArray, error: float = 0.0) -> FloatArray:
        if self._formed is None:
            return super().apply(x, error)
        if error == 0.0:
            x = self._fixed.off(x)  # what is in the kernel leaves not even rounding
        return self._formed @ x

    def toarray(self, error: float = 0.0) -> FloatArray | None:
        return super().toarray(error) if self._formed is None else self._formed.copy()

    def norm_bound(self, mass: FloatArray | None = None) -> float:
        few = self._chain.few
        if few is None:
            return super().norm_bound(mass)
        return self._beta * float((few.sums if mass is None else few.sums / mass).max(initial=0.0))

    def masses(self) -> Masses:
        return known_of(self._upper, self._masses(self._upper), self._weights)

    @cached_property
    def _upper(self) -> list[Cofaces]:
        return [Cofaces.of(B.squared) for B in self._chain.above]

    def _masses(self, above: Sequence[Cofaces]) -> list[FloatArray]:
        beta, gamma, eps = self._weights.beta, self._weights.gamma, self._weights.eps
        return unfolded_masses(above, self._chain.edges.shape[1], beta[1:], gamma[1:], eps)

    def complete(self, u: FloatArray) -> dict[int, FloatArray]:
        values = super().complete(u)
        beta, gamma = self._weights.beta, self._weights.gamma
        flags = self._chain.incidence.matrices[1:]
        upper = [Cofaces.of(Entries.of(B).squared) for B in flags]
        masses = self._masses(upper)
        growth = carried(upper, masses, self._weights, [np.ones(len(m)) for m in masses])
        for k, B in enumerate(flags, start=1):
            mass = next_to_zero(masses[k], growth[k])
            share = 1.0 + beta[k] * upper[k - 1].down(1.0 / mass)
            if u.ndim == 2:
                mass, share = mass[:, None], share[:, None]
            values[k + 1] = gamma[k] * (B.T @ (values[k] / share)) / mass
        return values


class FlagStacks(ChainStacks):
    """Stacks of B_1 only, with one mass for every edge."""

    def _kept(self, matrices: list[Entries]) -> list[Entries]:
        return matrices[:1]

    def _prepare(self, matrices: list[Entries], n: int) -> None:
        self._upper = matrices[1:]
        self._cofaces = [Cofaces.of(B.squared) for B in self._upper]
        owners = [places.owner for places in self.layout.places[1:]]
        self._sigma = np.full((n, len(matrices)), np.inf)
        self._sigma[:, 1:] = unfolded_sigmas(self._upper, owners, n)
        for H, group in zip(self._H[0], self.layout.groups, strict=True):
            self._sigma[group, 0] = smallest_positive(np.linalg.eigvalsh(H))

    def collapsed(self, eps: float) -> tuple[list[FloatArray], BoolArray]:
        gamma, definite = self._couplings(eps)
        places = self.layout.places
        spread = [gamma[places[k].owner, k] for k in range(1, len(self._beta))]
        n_edges = len(places[1].owner)
        mass = unfolded_masses(self._cofaces, n_edges, self._beta[1:], spread, eps)[0]
        stacks = []
        for g, (group, m) in enumerate(
            zip(self.layout.groups, self.layout.rows(mass, places[1]), strict=True)
        ):
            stacks.append(self._relaxed(g, m, gamma[group, 0], definite[group]))
        return stacks, definite

    def _relaxed(self, g: int, m: FloatArray, gamma: FloatArray, definite: BoolArray) -> FloatArray:
        """T of the vertices, from the masses of the edges.

        By inverses, and of those that are not known well enough by singular values; which way is
        a matter of every complex alone.
        """
        beta, rest, T = self._beta[0], np.ones(len(m), dtype=bool), np.empty_like(self._H[0][g])
        at: Any = definite & (beta > 0)
        if at.any():
            at = slice(None) if at.all() else at  # saves a copy
            B, P, A = self._B[0][g][at], self.kernels[0][g][at], beta * self._H[0][g][at]
            G = beta * (B / m[at, None, :]) @ B.transpose(0, 2, 1)
            # Every entry is one product: the same, however many columns of zeros there are.
            onto_kernel = P @ P.transpose(0, 2, 1)
            inverse, c = np.linalg.inv(G + np.eye(A.shape[1])), gamma[at] ** 2 / beta
            T[at], good = by_inverse(
                *(A, G, inverse, c, GOOD * row_sums(A)),
                off=lambda x: x - onto_kernel @ x,
                moved=lambda v: G @ v,
            )
            rest[at] = ~good
        if rest.any():
            T[rest] = self._level(0, g, self._B[0][g] / np.sqrt(m)[:, None, :], gamma)[rest]
        return T
