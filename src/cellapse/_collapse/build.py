"""`collapse`: S_eps = A - X (C + eps I)^-1 X^T, of whatever can be lifted to a complex."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from scipy.sparse.linalg import LinearOperator

from cellapse._collapse.chain import Chain
from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._collapse.realizations import DEFAULT, REALIZATIONS, Realization, realization_of
from cellapse._collapse.weights import check_eps
from cellapse._complex.complex import Complex
from cellapse._complex.given import to_complex
from cellapse._complex.weights import AUTO
from cellapse._errors import CellapseError, CellapseWarning, InputError
from cellapse._linalg.cg import CG
from cellapse._linalg.factor import Direct
from cellapse._matrices.incidence import Incidence, are_matrices
from cellapse._shared.checks import whole_number
from cellapse._shared.memory import Fitting


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
    """Whether the elements of a rank are its cells: no flags, and nothing that completes ranks."""
    return not chosen.edgewise and chain.incidence.n_formal[rank] == 0


def _no_cells(source: Any, chosen: Realization, rank: int) -> InputError:
    """The error for a rank that is not there, which names realizations that have it, as tried."""
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
    """A collapsed operator as it is, and whatever else `collapse` takes, collapsed."""
    if isinstance(given, CollapsedOperator):
        return given
    if isinstance(given, LinearOperator):
        raise InputError(
            f"a {type(given).__name__} was given, but a collapsed operator is needed; "
            "collapse(...) makes one out of a Complex"
        )
    return collapse(given)
