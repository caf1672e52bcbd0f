r"""The collapsed effective operator: the energy of a signal once all other ranks have relaxed.

    S_eps = A - X (C + eps I)^-1 X^T     for     L* = | A    X |
                                                      | X^T  C |

L* is tridiagonal in the ranks, so the ranks above and below the kept one are eliminated
independently, each side by a `Ladder`; `solver=CG(...)` applies the formula as it stands instead
(Algorithm 1 of the paper).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from cellapse._collapse.engine import Engine, algorithm_one, ladders
from cellapse._collapse.graded import check_beta, check_eps, check_gamma, psd_bound
from cellapse._collapse.masses import screened_shares, supports
from cellapse._collapse.model import (
    Model,
    build_model,
    check_realization,
    edges_and_upper,
    reweighted,
)
from cellapse._complex.complex import Complex
from cellapse._errors import CellapseWarning, InputError
from cellapse._linalg.cg import CG
from cellapse._linalg.direct import Direct
from cellapse._linalg.kernel import left_kernel
from cellapse._linalg.operators import Operator, SparseOperator
from cellapse._matrices.incidence import Incidence
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import signal, whole_number


def collapse(
    source: Complex | Incidence | Sequence[Any],
    *,
    realization: str | None = None,
    beta: float | Sequence[float] | None = None,
    gamma: Any = None,
    eps: float = 1e-4,
    onto: int = 0,
    solver: Direct | CG | None = None,
    renormalize: int = 0,
) -> CollapsedOperator:
    """Collapse all cells of a complex onto its vertices (or the cells of another rank).

    S_eps = A - X (C + eps I)^-1 X^T, positive semi-definite and at most A.

    Parameters
    ----------
    source : Complex or list of matrices B_1, ..., B_K
        Matrices of any library are used as they are, unless `realization` is "unfolded" or
        "screened", which take B_1 and the pattern of the others.
    realization : {"unfolded", "boundary", "incidence", "mixed", "screened"}
        Which matrices stand for the complex; "unfolded" by default. See `docs/realizations.md`.
    beta : number or K numbers
        Adjacency weights beta_1..beta_K; 1 by default (renormalized: 1 for the edges, 5 above).
    gamma : "bound", "regularized", number or K numbers, or Unchecked
        Coupling weights gamma_0..gamma_{K-1}; by default the bound of `thm:psd`. For "screened" one
        number, theta: theta^2 = 0.9 by default (renormalized: 0.95), with bound 1.
    eps : float
        Regularization, at least 0; 0 is the pseudo-inverse limit.
    onto : int
        The rank that is kept.
    solver : Direct() or CG(...), optional
        How (C + eps I)^-1 is applied; by default a sparse factorization, or conjugate gradients on
        K where the graph expands and a factorization would fill in. `print(S)` says which.
    renormalize : int
        Only for "screened": rounds in which the support of an edge is weighed by the support of its
        cells' other edges; 5 is a good number.

    Returns
    -------
    CollapsedOperator
        A scipy LinearOperator.

    Examples
    --------
    >>> import networkx as nx
    >>> from cellapse.lifts import clique_complex
    >>> S = collapse(clique_complex(nx.karate_club_graph()))
    >>> S
    <CollapsedOperator unfolded on 34 vertices: n_cells=(34, 78, 45), eps=0.0001>
    >>> bool(abs(S @ np.ones(34)).max() < 1e-12)
    True
    """
    recipe = {
        "source": source,
        "realization": realization,
        "beta": beta,
        "gamma": gamma,
        "eps": eps,
        "onto": onto,
        "solver": solver,
        "renormalize": renormalize,
    }
    eps = check_eps(eps)
    if solver is not None and not isinstance(solver, Direct | CG):
        raise InputError(f"solver={solver!r}; give Direct() or CG(rtol=...)")
    name = check_realization(source, realization)
    renormalize = whole_number("renormalize", renormalize, 0)
    if name == "screened":
        if onto != 0 or solver is not None:
            raise InputError(
                'realization="screened" is a sparse matrix on the vertices: it needs no solver and '
                "has no other rank; leave out onto and solver"
            )
        return _screened(recipe, source, beta, gamma, eps, renormalize)
    if renormalize:
        raise InputError(f'renormalize={renormalize} goes with realization="screened" only')
    model = build_model(source, name, beta, gamma, eps)
    K = len(model.beta)
    top = source.max_rank if isinstance(source, Complex) else K
    onto = whole_number("onto", onto, 0, top)
    if name == "boundary" and K > 1:
        warnings.warn(
            "with signed boundaries only the ranks next to the kept one have an effect (B_k B_{k+1}"
            ' = 0): S is a function of A. Use "unfolded" or "screened" for cells that matter.',
            CellapseWarning,
            stacklevel=2,
        )
    return CollapsedOperator(model, onto, solver, _engine(model, onto, solver), recipe)


def _engine(model: Model, onto: int, solver: Direct | CG | None) -> Engine:
    if isinstance(solver, CG):
        return algorithm_one(model, onto, solver)
    return ladders(model, onto, solver)


class CollapsedOperator(Operator):
    """S_eps on the cells of one rank; made by `collapse`.

    A scipy LinearOperator: `S @ x`, `S.toarray()`, `S.spectrum(k)`, `S.complete(u)`, `S.energy(u)`.

    Attributes
    ----------
    realization, eps, onto, solver, labels
        As given to `collapse`.
    beta, gamma : arrays
        The weights in use.
    sigma : array
        sigma_min+ of B_1..B_K, from which the bound beta * sigma on gamma follows.
    n_cells : tuple
        Cells of each rank.
    A : scipy.sparse.csr_array
        The block of L* on the kept rank.
    """

    def __init__(
        self,
        model: Model,
        onto: int,
        solver: Direct | CG | None,
        engine: Engine,
        recipe: dict[str, Any],
    ) -> None:
        super().__init__(engine.A.shape[0], model.labels(onto))
        engine.A.sum_duplicates()  # in order at once: SciPy would sort it at its first maximum
        self.realization, self.eps, self.onto = model.realization, model.eps, onto
        self.beta, self.gamma, self.sigma = model.beta, model.gamma, model.sigma
        self.source, self.n_cells, self.solver = model.source, model.n_cells, solver
        self.A, self.kernel, self.definite = engine.A, engine.kernel, model.definite
        self._model, self._engine, self._recipe = model, engine, recipe

    def __reduce__(self) -> tuple[Any, ...]:
        return _collapse_again, (self._recipe,)  # factors cannot be copied

    def __repr__(self) -> str:
        what = "vertices" if self.onto == 0 else f"cells of rank {self.onto}"
        return (
            f"<CollapsedOperator {self.realization} on {self.shape[0]} {what}: "
            f"n_cells={self.n_cells}, eps={self.eps:g}>"
        )

    def __str__(self) -> str:
        from cellapse.theory import describe  # the figures need the checks further down

        return describe(self)

    def _apply(self, x: FloatArray) -> FloatArray:
        return self._engine.apply(x, 0.0)

    def approximate(self, x: FloatArray, error: float) -> FloatArray:
        return self._engine.apply(x, error)

    def _dense(self) -> FloatArray:
        ladder = self._engine.ladder
        dense = None if ladder is None else ladder.toarray()
        return super()._dense() if dense is None else dense

    @property
    def plain(self) -> SparseOperator | None:
        return self._model.plain if self.onto == 0 else None

    @property
    def drop(self) -> float:
        ladder = self._engine.ladder
        return np.inf if ladder is None else ladder.c

    @property
    def rounding(self) -> float:
        ladder = self._engine.ladder
        return 0.0 if ladder is None else ladder.rounding

    @property
    def iterates(self) -> bool:
        ladder = self._engine.ladder
        return ladder is not None and ladder.iterative

    @property
    def slow(self) -> bool:
        ladder = self._engine.ladder
        return ladder is not None and ladder.slow

    @property
    def direct(self) -> Direct:
        """The factorization in use, where there is one."""
        ladder = self._engine.ladder
        return Direct() if ladder is None else ladder.direct

    @property
    def bound(self) -> FloatArray:
        """The largest gamma for which L* is sure to be positive semi-definite: beta * sigma."""
        return psd_bound(self.beta, self.sigma)

    def complete(self, u: ArrayLike) -> dict[int, FloatArray]:
        """The values z* of all other cells that minimize the energy of u, by rank.

        z*(u) = -(C + eps I)^-1 X^T u. For the unfolded realization the values above the edges
        belong to flags, in the order of `unfolded_matrices`.
        """
        return self._engine.complete(signal(u, self.shape[0]))

    def split(self) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
        """The blocks A, X, C of L*; S_eps = A - X (C + eps I)^-1 X^T."""
        return self._model.graded().split(self.onto)

    def reweighted(self, beta: Any, gamma: Any, eps: float) -> CollapsedOperator:
        """The same collapse with other weights; the matrices and their sigma are not made again."""
        changed = {"beta": beta, "gamma": gamma, "eps": eps}
        model = reweighted(self._model, beta, gamma, check_eps(eps))
        engine = _engine(model, self.onto, self.solver)
        return CollapsedOperator(model, self.onto, self.solver, engine, self._recipe | changed)

    def safe_shift(self, mass: FloatArray) -> float:
        ladder = self._engine.ladder
        return -1.0 if ladder is None else ladder.safe_shift(mass)

    def shifted(self, shift: float, mass: FloatArray) -> tuple[Any, int] | None:
        ladder = self._engine.ladder
        return None if ladder is None else ladder.shifted(mass, shift)


class ScreenedOperator(CollapsedOperator):
    """The screened realization: a sparse reweighted graph Laplacian, S = B_1 diag(f) B_1^T."""

    def __init__(
        self,
        model: Model,
        theta: float,
        shares: FloatArray,
        mass: FloatArray,
        recipe: dict[str, Any],
    ) -> None:
        B, b = model.nearest, model.beta[0] if len(model.beta) else 1.0
        self.shares, self.mass, self.theta = shares, mass, theta
        kernel = model.plain.kernel
        S = SparseOperator(b * (B @ sparse.diags_array(shares) @ B.T), (), kernel)
        self._sparse = S

        def completed(u: FloatArray) -> dict[int, FloatArray]:
            z = np.sqrt(b) * theta * (B.T @ u)
            return {1: z / (mass if u.ndim == 1 else mass[:, None])}

        A = sparse.csr_array(b * (B @ B.T))
        engine = Engine(lambda x, _: S.A @ x, completed, A, kernel, None)
        super().__init__(model, 0, None, engine, recipe)

    def reweighted(self, beta: Any, gamma: Any, eps: float) -> CollapsedOperator:
        return _collapse_again(self._recipe | {"beta": beta, "gamma": gamma, "eps": eps})

    @property
    def bound(self) -> FloatArray:
        """The largest theta for which L* is sure to be positive semi-definite."""
        return np.ones(1)

    @property
    def matrix(self) -> sparse.csr_array | None:
        return self._sparse.A

    def solve(self, b: ArrayLike, shift: float = 0.0, *, rtol: float = 1e-12) -> FloatArray:
        return self._sparse.solve(b, shift, rtol=rtol)  # with a factor of S itself, not of A

    def diagonal(self) -> FloatArray:
        return self._sparse.diagonal()

    def tocsr(self) -> sparse.csr_array:
        """The operator as a sparse matrix."""
        return self._sparse.A.copy()

    def split(self) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
        b = self.beta[0] if len(self.beta) else 1.0
        X = -np.sqrt(b) * self.theta * self._model.nearest
        return (
            self.A,
            sparse.csr_array(X),
            sparse.csr_array(sparse.diags_array(self.mass - self.eps)),
        )

    @property
    def plain(self) -> SparseOperator | None:
        return None  # a sparse matrix itself: as quick as A

    def safe_shift(self, mass: FloatArray) -> float:
        return self._sparse.safe_shift(mass)

    def shifted(self, shift: float, mass: FloatArray) -> tuple[Any, int] | None:
        return self._sparse.shifted(shift, mass)


def _collapse_again(recipe: dict[str, Any]) -> CollapsedOperator:
    """What a pickle does: the same call, whose warnings have been given."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CellapseWarning)
        return collapse(**recipe)


def _screened(
    recipe: dict[str, Any], source: Any, beta: Any, gamma: Any, eps: float, renormalize: int
) -> ScreenedOperator:
    complex_ = source if isinstance(source, Complex) else None
    B1, upper, n_cells = edges_and_upper(source)
    around = supports(upper, n_cells[2:])
    usual = (1.0, *[5.0 if renormalize else 1.0] * len(upper))
    weights = check_beta(usual if beta is None else beta, 1 + len(upper))
    usual_theta = np.sqrt(0.95 if renormalize else 0.9)
    theta = check_gamma(usual_theta if gamma is None else gamma, np.ones(1), np.sqrt([1.0 + eps]))
    ends = sparse.csr_array((abs(B1) > 0).astype(np.float64))
    shares = screened_shares(ends, around, weights[1:], float(theta[0]), eps, renormalize)
    mass = theta[0] ** 2 / (1.0 - shares) if theta[0] > 0 else np.full(len(shares), 1.0 + eps)
    model = Model(
        realization="screened",
        source=complex_,
        n_cells=n_cells,
        incidence=lambda: Incidence((B1,), "given", complex_, (0, 0)),
        nearest=B1,
        plain=SparseOperator(B1 @ B1.T, (), left_kernel(B1)),
        upper=upper,
        beta=weights,
        gamma=theta,
        sigma=np.ones(1),
        eps=eps,
        definite=bool(theta[0] ** 2 <= (1.0 + eps) * (1 + 1e-9)),
    )
    return ScreenedOperator(model, float(theta[0]), shares, mass, recipe)


def require_collapsed(given: Any, who: str) -> None:
    """Refuse what is no collapsed operator, and say how to get one."""
    if not isinstance(given, CollapsedOperator):
        raise InputError(
            f"{who} takes a collapsed operator, not a {type(given).__name__}; "
            "collapse(...) makes one out of a Complex"
        )
