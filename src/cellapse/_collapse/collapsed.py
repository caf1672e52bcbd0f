"""`collapse`, of whatever can be lifted to a complex, and the operator that it makes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.linalg import LinearOperator

from cellapse._collapse.chain import Chain
from cellapse._collapse.realizations import DEFAULT, REALIZATIONS, Realization, realization_of
from cellapse._collapse.weights import Weights, check_eps, little_kept, little_left
from cellapse._complex.card import drawing
from cellapse._complex.complex import Complex
from cellapse._complex.counts import cells_in_words, counts_in_words
from cellapse._complex.given import to_complex
from cellapse._complex.weights import AUTO
from cellapse._errors import CellapseError, CellapseWarning, ConvergenceError, InputError
from cellapse._linalg.cg import CG
from cellapse._linalg.factor import Direct
from cellapse._linalg.operators import Operator
from cellapse._linalg.symmetric import Deficit
from cellapse._linalg.tuning import DENSE
from cellapse._matrices.incidence import Incidence, are_matrices
from cellapse._shared.align import align_numbers
from cellapse._shared.arrays import FloatArray
from cellapse._shared.card import Card, few
from cellapse._shared.checks import whole_number
from cellapse._shared.memory import Fitting
from cellapse._shared.scaling import homogeneous


def _of(path: str, doc: str | None = None) -> Any:
    """Make an attribute of one of its parts."""
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
    approximation: Any = _of("elimination.approximation")
    pair: Any = _of("elimination.pair")
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
        """Say so where the bound of gamma leaves next to nothing of an eigenvalue."""
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
    """Make an operator anew from its pickle, without the warnings, which have been given."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CellapseWarning)
        chain = realization.chain(origin)
    return CollapsedOperator(realization, chain, weights, onto, solver)


def collapse(
    source: Any,
    realization: str | Realization = DEFAULT,
    *,
    beta: float | Sequence[float] | None = None,
    gamma: Any = None,
    eps: float = 1e-4,
    onto: int = 0,
    weight: str | None = AUTO,
    solver: Direct | CG | None = None,
) -> CollapsedOperator:
    """Collapse all cells of a complex onto its vertices (or the cells of another rank).

    S_eps = A - X (C + eps I)^-1 X^T, positive semi-definite and at most A.

    Parameters
    ----------
    source : Complex, whatever can be lifted to one, or list of matrices B_1, ..., B_K
        Graphs, adjacencies and lists of edges are lifted to their cliques up to rank 2, points to
        those of their 10 nearest neighbours; hypergraphs and complexes of other libraries keep
        their cells, and a string names a file or a bundled network. `print(S)` says what was done.
    realization : name or Realization
        What stands for the complex. By default "renormalized": the graph Laplacian with edges
        weighted by how well their cells support them; "screened" is that without rounds. The
        operators of the paper are "unfolded", "boundary", "incidence" and "mixed". Matrices are
        used as they are; "renormalized", "screened" and "unfolded" asked for by name take B_1 and
        the pattern of the others.
    beta : number or K numbers
        Adjacency weights beta_1..beta_K; 1 by default (renormalized: 1 for the edges, 5 above).
    gamma : "bound", "regularized", number or K numbers, or Unchecked
        Coupling weights gamma_0..gamma_{K-1}; by default the bound of `thm:psd`. Screened, one
        number, theta: theta^2 = 0.9 by default (renormalized: 0.95), with bound 1.
    eps : float
        Regularization, at least 0; 0 is the pseudo-inverse limit. Renormalized and screened, an
        edge keeps the share 1 - theta^2 / (1 + eps + support) of its weight: at 0.001 and below
        eps hardly matters. For the others, with gamma at its bound, it decides what S keeps of the
        smallest positive eigenvalue of A: about eps, where no edge closes a cell.
    onto : int
        The rank that is kept: S is on its cells, in their order and with their labels. "mixed",
        "incidence" and "boundary" have every rank, "unfolded" the vertices and edges, "screened"
        and "renormalized" the vertices alone.
    weight : str or None
        The attribute that holds the weights, as for `as_complex`; None leaves them out.
    solver : Direct() or CG(...), optional
        How (C + eps I)^-1 is applied: by default a sparse factorization, or conjugate gradients on
        K where the graph expands and a factorization would fill in. `print(S)` says which.

    Returns
    -------
    CollapsedOperator
        A scipy LinearOperator.

    Examples
    --------
    >>> import networkx as nx, numpy as np
    >>> from cellapse.lifts import clique_complex
    >>> collapse(nx.cycle_graph(4))
    <CollapsedOperator renormalized on 4 vertices: n_cells=(4, 4, 0), eps=0.0001; \
cliques up to rank 2 of networkx.Graph>
    >>> K = clique_complex(nx.karate_club_graph())
    >>> collapse(K)
    <CollapsedOperator renormalized on 34 vertices: n_cells=(34, 78, 45), eps=0.0001>
    >>> S = collapse(K, "unfolded")  # the paper's, orientation-free
    >>> S
    <CollapsedOperator unfolded on 34 vertices: n_cells=(34, 78, 45), eps=0.0001>
    >>> bool(abs(S @ np.ones(34)).max() < 1e-12)
    True
    """
    eps = check_eps(eps)
    source = matrices_or_complex(source, weight)
    if solver is not None and not isinstance(solver, Direct | CG):
        raise InputError(f"solver={solver!r}; give Direct() or CG(rtol=...)")
    chosen = realization_of(source, realization)
    if chosen.edgewise and solver is not None:
        raise InputError(
            f"realization={chosen.name!r} is a sparse matrix on the vertices and needs no solver; "
            'leave it out, or choose realization="unfolded"'
        )
    try:
        with (fitting := Fitting("the collapse of all cells", "take fewer: a lower max_rank")):
            chain = chosen.chain(source)
    except InputError as error:  # which says what else to do onto the vertices
        if onto and isinstance(source, Complex):
            onto = whole_number("onto", onto, 0, source.max_rank)
            raise _no_cells(source, chosen, onto) from error
        raise
    top = source.max_rank if isinstance(source, Complex) else len(chain.above) + 1
    onto = whole_number("onto", onto, 0, top)
    with fitting:
        if onto and not _has_cells(chosen, chain, onto):
            raise _no_cells(source, chosen, onto)
        weights = chosen.weigh(chain, beta, gamma, eps)
    caution = chosen.caution(chain)
    if caution is not None:
        warnings.warn(caution, CellapseWarning, stacklevel=2)
    with fitting:
        return CollapsedOperator(chosen, chain, weights, onto, solver)


def _has_cells(chosen: Realization, chain: Chain, rank: int) -> bool:
    """Return whether the elements of a rank are its cells, no flags or formal ones."""
    return not chosen.edgewise and chain.incidence.n_formal[rank] == 0


def _no_cells(source: Any, chosen: Realization, rank: int) -> InputError:
    """Make the error for a rank that is not there, naming the realizations that have it."""
    K = source if isinstance(source, Complex) else getattr(source, "source", None)
    said = f"onto={rank}, but the realization {chosen.name!r} does not have the cells of that rank"
    if K is None:
        return InputError(f"{said}; leave out the realization, and the matrices are used as given")
    able = []
    for name, other in REALIZATIONS.items():
        with suppress(CellapseError):
            able += [f'"{name}"'] if _has_cells(other, other.chain(K), rank) else []
    if able:
        return InputError(f"{said}; pass the complex with realization={' or '.join(able)}")
    return InputError(
        f"{said}, and no realization has them: some of their relations skip ranks; list the "
        "faces between as cells of K, or keep onto=0"
    )


def matrices_or_complex(source: Any, weight: str | None = AUTO) -> Any:
    """Matrices B_1, ..., B_K as they are, and whatever else was given as a complex."""
    source = list(source) if isinstance(source, Iterator) else source  # to be looked at twice
    if not isinstance(source, Incidence) and not are_matrices(source):
        return to_complex(source, weight)
    if weight not in (AUTO, None):
        raise InputError(f"weight={weight!r}, but matrices have no attributes; leave it out")
    return source


def as_collapsed(given: Any) -> CollapsedOperator:
    """Take a collapsed operator as it is, and collapse whatever else `collapse` takes."""
    if isinstance(given, CollapsedOperator):
        return given
    if isinstance(given, LinearOperator):
        raise InputError(
            f"a {type(given).__name__} was given, but a collapsed operator is needed; "
            "collapse(...) makes one out of a Complex"
        )
    return collapse(given)
