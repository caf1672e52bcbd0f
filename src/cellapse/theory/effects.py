"""Statements on what the parts of a collapse do: eps, components, the cells themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components

from cellapse._collapse.chain import Chain
from cellapse._collapse.collapsed import CollapsedOperator, as_collapsed
from cellapse._collapse.completion import nullity_around
from cellapse._errors import ConvergenceError
from cellapse._linalg.kernel import left_kernel
from cellapse._linalg.sigma import smallest_positive_eigenvalue
from cellapse._matrices.incidence import Incidence
from cellapse.theory.known import (
    SMALL,
    as_known,
    largest_of,
    measured_check,
    norm_of,
    tolerance,
    within_bound,
)
from cellapse.theory.report import Check

_SIGNALS = 100  # of known ones, as many are tried


def regularization_error(operator: Any) -> Check:
    """Check ||S_eps - S_0|| <= eps ||X||^2 / (lambda+ (lambda+ + eps)), the error of eps.

    Parameters
    ----------
    operator : CollapsedOperator, or whatever `collapse` takes

    Returns
    -------
    Check

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K, "unfolded")
    >>> cl.theory.regularization_error(S).holds
    True
    """
    S = as_known(operator).S
    claim = "||S_eps - S_0|| (regularization)"
    if S.eps == 0.0:
        return Check("regularization_error", claim, True, 0.0, 0.0, "eps = 0")
    bound = None
    try:
        bound = regularization_bound(S)
        limit = S.realization.limit(S.chain, S.weights, S.onto)
        measured = largest_of(S, lambda x: S @ x - limit(x))
    except ConvergenceError as error:
        return Check("regularization_error", claim, None, None, bound, str(error))
    holds = measured <= bound * (1 + 1e-6) + tolerance(S)
    within = within_bound(S)
    note = "" if within else "the statement needs gamma within the bound of L*"
    return measured_check(
        S, "regularization_error", claim, holds if within else None, measured, bound, note
    )


def regularization_bound(operator: Any) -> float:
    """Return the bound of the error of regularization.

    ||S_eps - S_0|| <= eps ||X||^2 / (lambda+ (lambda+ + eps)), lambda+ the smallest positive
    eigenvalue of C.

    Parameters
    ----------
    operator : CollapsedOperator, or whatever `collapse` takes

    Returns
    -------
    float

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K, "unfolded")
    >>> round(cl.theory.regularization_bound(S), 3)
    4.74
    """
    S = as_collapsed(operator)
    _, X, C = S.split()
    if S.eps == 0.0 or not X.nnz:
        return 0.0
    diagonal = C.nnz == np.count_nonzero(C.diagonal())  # its entries are its eigenvalues
    zeros = None
    if not diagonal and within_bound(S):  # beyond it nothing says what is zero
        zeros = nullity_around(S.chain.incidence.matrices, S.beta, S.gamma, S.onto)
    smallest = smallest_positive_eigenvalue(C, zeros)
    return S.eps * norm_of(X @ X.T) / (smallest * (smallest + S.eps))


def block_diagonalization(operator: Any) -> Check:
    """Check that components are not coupled, the theorem of the paper's appendix.

    S_ij = 0 where i and j are in two components.

    Parameters
    ----------
    operator : CollapsedOperator, or whatever `collapse` takes

    Returns
    -------
    Check

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K, "unfolded")
    >>> cl.theory.block_diagonalization(S).holds
    True
    """
    S = as_known(operator).S
    claim = "coupling between components = 0"
    A, X, C = S.split()
    whole = sparse.block_array([[A, X], [X.T, C]]) if C.shape[0] else A
    component = connected_components(whole, directed=False)[1][: S.shape[0]]
    if len(np.unique(component)) < 2:
        return Check("block_diagonalization", claim, True, 0.0, 0.0, "one component")
    leak = 0.0
    rng = np.random.default_rng(0)
    for c in np.unique(component)[:20]:
        x = np.where(component == c, rng.standard_normal(len(component)), 0.0)
        leak = max(leak, float(np.abs((S @ x)[component != c]).max()))
    note = f"{len(np.unique(component))} components"
    return measured_check(S, "block_diagonalization", claim, leak <= tolerance(S), leak, 0.0, note)


def unaffected_signals(operator: Any) -> Check:
    """Check that signals which no cell is coupled to keep their image under A.

    S v = A v where X^T v = 0.

    Parameters
    ----------
    operator : CollapsedOperator, or whatever `collapse` takes

    Returns
    -------
    Check

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K, "unfolded")
    >>> cl.theory.unaffected_signals(S).holds
    True
    """
    S = as_known(operator).S
    claim = "|S v - A v| = 0 where X^T v = 0"
    _, X, _ = S.split()
    if not X.nnz:
        return Check("unaffected_signals", claim, True, 0.0, 0.0, "no cells to eliminate")
    known = left_kernel(X)
    if known is None and S.shape[0] > SMALL:
        return Check("unaffected_signals", claim, None, note="the kernel of X^T is not known")
    v = linalg.null_space(X.T.toarray()) if known is None else known.toarray()[:, :_SIGNALS]
    moved = float(np.linalg.norm(S @ v - S.A @ v, axis=0).max(initial=0.0))
    note = f"{v.shape[1]} independent signals" if v.shape[1] else "no such signal"
    return measured_check(S, "unaffected_signals", claim, moved <= tolerance(S), moved, 0.0, note)


def cells_matter(operator: Any) -> Check:
    """Measure how far the collapse moves A, against its bound: ||S - A|| <= gamma^2 / beta.

    At the bound the ceiling is beta_1 sigma_min+(B_1)^2, the smallest positive eigenvalue of A,
    whatever the cells are. The note says how much of the move is due to cells that do not touch
    the kept rank: 0 % for signed boundaries, where they drop out.

    Parameters
    ----------
    operator : CollapsedOperator, or whatever `collapse` takes

    Returns
    -------
    Check

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K, "unfolded")
    >>> cl.theory.cells_matter(S).holds
    True
    """
    known = as_known(operator)
    S = known.S
    claim = "||S - A|| <= gamma^2 / beta"
    moved, size = known.moved[1], norm_of(S.A)
    ceiling = S.realization.ceiling(S.weights, S.onto, size)
    note = f"{100 * moved / max(size, 1e-300):.2g} % of ||A||"
    share = _share_of_far_cells(S, moved)
    if share is not None:
        note += f"; cells beyond the edges change S by {100 * share:.2g} % of that"
    return measured_check(
        S, "cells_matter", claim, moved <= ceiling + tolerance(S), moved, ceiling, note
    )


def _share_of_far_cells(S: CollapsedOperator, moved: float) -> float | None:
    """||S - S without the cells beyond the edges|| / ||S - A||, both with the same weights."""
    if S.onto != 0 or not any(S.n_cells[2:]):
        return None
    if moved <= tolerance(S):
        return 0.0
    w = S.weights
    first = {name: getattr(w, name)[:1] for name in ("beta", "gamma", "sigma", "scale")}
    alone = Chain.of(Incidence.given([S.chain.nearest]))
    edges = S.realization.eliminate(alone, replace(w, **first))
    return abs(largest_of(S, lambda x: S @ x - edges.apply(x))) / moved
