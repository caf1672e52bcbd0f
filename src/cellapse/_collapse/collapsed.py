"""The collapsed operator: a realization, its matrices and weights, and how they are eliminated."""

from __future__ import annotations

import warnings
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from cellapse._collapse.chain import Chain
from cellapse._collapse.realizations import Realization
from cellapse._collapse.weights import Weights, check_eps, little_kept, little_left
from cellapse._complex.card import drawing
from cellapse._complex.complex import Complex
from cellapse._complex.counts import cells_in_words, counts_in_words
from cellapse._errors import CellapseWarning, ConvergenceError
from cellapse._linalg.cg import CG
from cellapse._linalg.factor import Direct
from cellapse._linalg.operators import Operator
from cellapse._linalg.symmetric import Deficit
from cellapse._linalg.tuning import DENSE
from cellapse._shared.align import align_numbers
from cellapse._shared.arrays import FloatArray
from cellapse._shared.card import Card, few
from cellapse._shared.memory import Fitting
from cellapse._shared.scaling import homogeneous


def _of(path: str, doc: str | None = None) -> Any:
    """An attribute of one of its parts."""
    return property(attrgetter(path), doc=doc)


class CollapsedOperator(Operator):
    """S_eps on the cells of one rank; made by `collapse`.

    A scipy LinearOperator: `S @ x`, `S.toarray()`, `S.spectrum(k)`, `S.complete(u)`, `S.energy(u)`.

    S_eps = A - X (C + eps I)^-1 X^T, with A, X and C the blocks of the graded Laplacian.

    Attributes
    ----------
    realization : Realization
    onto, solver, labels
        As given to `collapse`.
    weights : Weights
        beta, gamma and eps in use, with the bounds of gamma.
    n_cells : tuple
        Cells of each rank.
    A : scipy.sparse.csr_array
        The block of L* on the kept rank.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K)
    >>> S.shape, S.n_cells, S.eps
    ((34, 34), (34, 78, 45), 0.0001)
    >>> bool(abs(S @ ([1.0] * 34)).max() < 1e-9)  # constants cost nothing
    True
    """

    n_cells: tuple[int, ...] = _of("chain.n_cells", "Cells of each rank.")
    source: Any = _of("chain.source", "The complex that was collapsed, where there is one.")
    beta: FloatArray = _of("weights.beta", "Adjacency weights beta_1..beta_K.")
    gamma: FloatArray = _of("weights.gamma", "Couplings gamma_0..gamma_{K-1}; theta if screened.")
    eps: float = _of("weights.eps", "Regularization.")
    sigma: FloatArray = _of("weights.sigma", "sigma_min+ of the matrix behind each coupling.")
    bound: FloatArray = _of("weights.bound", "The largest gamma that is sure to keep L* definite.")
    shares: FloatArray | None = _of("elimination.shares", "What edges keep of their weight.")
    matrix: Any = _of("elimination.matrix", "S itself, if it is a sparse matrix.")
    A: sparse.csr_array = _of("elimination.A", "The block of L* on the kept rank.")
    kernel: Any = _of("elimination.kernel", "A basis of its kernel, where that is known exactly.")
    zeros: Any = _of("elimination.zeros")
    apply: Any = _of("elimination.apply")
    diagonal: Any = _of("elimination.diagonal")
    norm_bound: Any = _of("elimination.norm_bound")
    slow: Any = _of("elimination.slow")
    rounding: Any = _of("elimination.rounding")
    shifted_system: Any = _of("elimination.shifted_system")
    safe_shift: Any = _of("elimination.safe_shift")
    _dense: Any = _of("elimination._dense")

    def __init__(
        self,
        realization: Realization,
        chain: Chain,
        weights: Weights,
        onto: int = 0,
        solver: Direct | CG | None = None,
    ) -> None:
        self.elimination = realization.eliminate(chain, weights, onto, solver)
        labels = chain.labels(onto)
        super().__init__(len(labels), labels)
        self.realization, self.chain, self.weights = realization, chain, weights
        self.onto, self.solver = onto, solver
        self.lift = "" if chain.source is None else chain.source.lift
        self.definite = weights.definite

    def __reduce__(self) -> tuple[Any, ...]:  # factors cannot be copied
        return _again, (self.realization, self.chain.origin, self.weights, self.onto, self.solver)

    def __repr__(self) -> str:
        what = "vertices" if self.onto == 0 else f"cells of rank {self.onto}"
        return (
            f"<CollapsedOperator {self.realization} on {self.shape[0]} {what}: "
            f"n_cells={self.n_cells}, eps={self.eps:g}{f'; {self.lift}' if self.lift else ''}>"
        )

    def _card(self) -> Card:
        K = self.source
        named = isinstance(K, Complex) and K.n_cells == self.n_cells
        beta, gamma, bound = (few(v.tolist()) for v in (self.beta, self.gamma, self.bound))
        rows = (
            ("cells", cells_in_words(K) if named else counts_in_words(self.n_cells)),
            ("realization", f"{self.realization!r}: {self.realization.summary}"),
            ("weights", f"beta ({beta}), gamma ({gamma}) (bound ({bound}))"),
            ("eps", f"{self.eps:g}"),
            ("solver", str(self.elimination.method)),
            ("caution", self._doubt() or ""),
        )
        shown = tuple(row for row in rows if row[1])
        return Card(repr(self), shown, self._picture, self._calls())

    def _doubt(self) -> str | None:
        """What to say where the bound of gamma leaves next to nothing of an eigenvalue."""
        if self.onto:
            return None
        if self.shares is not None:
            return little_kept(self.weights, self.shares)
        possible = little_left(self.weights)
        if possible is None or self.kernel is None or self.shape[0] > DENSE:
            return possible
        try:
            values = np.linalg.eigvalsh(self.toarray())
        except ConvergenceError:
            return possible
        return little_left(self.weights, float(values[self.kernel.shape[1]]))

    def _calls(self) -> tuple[tuple[str, str], ...]:
        check = ("cl.theory.check(S)", "measures what the cells change, and what eps costs")
        return (*super()._calls(), check)

    def _picture(self) -> str:
        if self.onto or not isinstance(self.source, Complex):
            return super()._picture()
        return drawing(self.source, self.shares)

    @Fitting("the values of all cells", "take fewer columns at a time")
    def complete(self, u: ArrayLike) -> dict[int, FloatArray]:
        """Return the values z* of all other cells that minimize the energy of u, by rank.

        z*(u) = -(C + eps I)^-1 X^T u. Those of rank k begin with one for each of `n_cells[k]`
        cells, in their order; formal elements of rank completion come after them. Unfolded, values
        above the edges belong to flags, in the order of `unfolded_matrices`; screened and
        renormalized, edges alone have values.
        """
        values = align_numbers(u, self.labels, "the signal", cells=self.onto > 0)
        return homogeneous(self.elimination.complete, values)

    def split(self) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
        """Return the blocks A, X, C of L*; S_eps = A - X (C + eps I)^-1 X^T."""
        return self.realization.split(self.chain, self.weights, self.onto)

    def reweighted(self, beta: Any, gamma: Any, eps: float) -> CollapsedOperator:
        """Return the same collapse with other weights; matrices and sigma are not made again."""
        weights = self.realization.weigh(self.chain, beta, gamma, check_eps(eps))
        return CollapsedOperator(self.realization, self.chain, weights, self.onto, self.solver)

    def tocsr(self) -> sparse.csr_array:
        return super().tocsr() if self.matrix is None else self.matrix.copy()

    @property
    def deficit(self) -> Deficit | None:  # type: ignore[override]
        """What S lacks of A; on another rank than the vertices nobody asks."""
        return None if self.onto else self.elimination.deficit


def _again(
    realization: Realization, origin: Any, weights: Weights, onto: int, solver: Direct | CG | None
) -> CollapsedOperator:
    """What a pickle does: the same operator, whose warnings have been given."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CellapseWarning)
        chain = realization.chain(origin)
    return CollapsedOperator(realization, chain, weights, onto, solver)
