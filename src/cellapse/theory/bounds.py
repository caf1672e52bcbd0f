"""Statements that bound S: by zero and A, its eigenvalues, its conductances."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse

from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._collapse.weights import little_kept, little_left
from cellapse._linalg.operators import SparseOperator
from cellapse._shared.arrays import FloatArray, row_sum
from cellapse.tasks.cuts import EVERY_CUT, best_sweep, cheeger_constant, sweep_cut
from cellapse.tasks.resistance import conductances
from cellapse.theory.known import (
    DENSE,
    ROUNDING,
    as_known,
    measured_check,
    tolerance,
    within_bound,
)
from cellapse.theory.report import Check


def psd_condition(operator: Any) -> Check:
    """Check that L* >= 0, as the paper's theorem says for gamma_k <= beta_{k+1} sigma_min+.

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
    >>> cl.theory.psd_condition(S).holds
    True
    """
    S = as_known(operator).S
    claim = "L* + eps >= 0: smallest eigenvalue"
    A, X, C = S.split()
    size = A.shape[0] + C.shape[0]
    within = within_bound(S)
    note = "gamma within the bound" if within else "gamma above the bound of L*, paid by eps"
    if size > DENSE:
        return Check("psd_condition", claim, within or None, note=f"{note}; {size} elements")
    regularized = C + S.eps * sparse.eye_array(C.shape[0])
    L = sparse.block_array([[A, X], [X.T, regularized]]).toarray() if C.shape[0] else A.toarray()
    smallest, norm = float(linalg.eigvalsh(L)[0]), row_sum(L)
    # Vertices and cells may have units far apart: with a diagonal of ones it is as definite.
    root = np.sqrt(L.diagonal())
    by = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0.0)
    holds = _definite(by[:, None] * L * by + ROUNDING * np.eye(size))
    return Check("psd_condition", claim, holds, smallest, 0.0, note, norm)


def _definite(M: FloatArray) -> bool:
    """Return whether a symmetric matrix has a Cholesky factor."""
    try:
        linalg.cholesky(M, check_finite=False)
    except linalg.LinAlgError:
        return False
    return True


def loewner_bounds(operator: Any) -> Check:
    """Check the paper's spectral bounds, 0 <= S <= A, by the eigenvalues of S and A - S.

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
    >>> cl.theory.loewner_bounds(S).holds
    True
    """
    known = as_known(operator)
    S = known.S
    smallest = min(float(known.spectra[0].values.min(initial=0.0)), known.moved[0])
    claim = "0 <= S <= A: smallest eigenvalue of both"
    return measured_check(S, "loewner_bounds", claim, smallest >= -tolerance(S), smallest, 0.0)


def eigenvalue_compression(operator: Any) -> Check:
    """Check that no eigenvalue grows: lambda_k(S) <= lambda_k(A) for every k.

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
    >>> cl.theory.eigenvalue_compression(S).holds
    True
    """
    known = as_known(operator)
    S = known.S
    mine, plain = (spectrum.values for spectrum in known.spectra)
    worst = float(np.max(mine - plain))
    note = f"largest difference over {len(mine)} of {S.shape[0]} eigenvalues"
    doubt = _doubt(S, mine)
    note += "" if doubt is None else f"; {doubt}"
    claim = "lambda_k(S) - lambda_k(A) <= 0"
    return measured_check(
        S, "eigenvalue_compression", claim, worst <= tolerance(S), worst, 0.0, note
    )


def _doubt(S: CollapsedOperator, values: FloatArray) -> str | None:
    """Say where the bound of gamma leaves almost nothing of an eigenvalue or a weight."""
    if S.onto:
        return None
    if S.shares is not None:
        return little_kept(S.weights, S.shares)
    zeros = None if S.kernel is None else S.kernel.shape[1]
    first = None if zeros is None or zeros >= len(values) else float(values[zeros])
    return little_left(S.weights, first)


def conductance_reduction(operator: Any) -> Check:
    """Check that no conductance grows: C_ij(S) <= C_ij(A), the paper's corollary.

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
    >>> cl.theory.conductance_reduction(S).holds
    True
    """
    S = as_known(operator).S
    claim = "conductance under S - under A <= 0"
    n = S.shape[0]
    if n > DENSE or n < 2:
        note = "follows from S <= A" if n > 1 else "one cell only"
        return Check("conductance_reduction", claim, None, note=note)
    mine = conductances(S)
    plain = conductances(SparseOperator(S.A, S.labels, S.kernel))
    worst = float(np.max(mine - plain))
    note = f"largest difference over {n * (n - 1) // 2} pairs"
    holds = worst <= 1e-6 * float(plain.max())
    return Check("conductance_reduction", claim, holds, worst, 0.0, note, float(plain.max()))


def cheeger_upper_bound(operator: Any) -> Check:
    """Check Cheeger's upper bound: lambda_2(S) <= lambda_2(A) <= 2 h(G), h of a sweep cut.

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
    >>> cl.theory.cheeger_upper_bound(S).holds
    True
    """
    known = as_known(operator)
    S = known.S
    claim = "lambda_2(S) <= 2 h(G) (Cheeger)"
    if not _of_a_graph(S):
        note = "A is not the Laplacian of a graph" if S.A.nnz else "no edges"
        return Check("cheeger_upper_bound", claim, None, note=note)
    spectrum = known.spectra[0]
    second = float(spectrum.values[1])
    _, h = best_sweep(S.A, spectrum.vectors[:, 1], np.ones(S.shape[0]))
    note = "h of a sweep cut, an upper bound of h(G)"
    return measured_check(
        S, "cheeger_upper_bound", claim, second <= 2 * h + tolerance(S), second, 2 * h, note
    )


def cheeger_lower_bound(operator: Any) -> Check:
    """Measure what the paper leaves open: whether h(G)^2 / 2 <= lambda_2(S).

    Degrees are the masses: S u = lambda D u with D the diagonal of A, h(G) = min cut(U) / vol(U)
    over the cuts of the graph. S <= A makes the upper bound of lambda_2 hold and this one fail,
    often: `check` leaves it out, and `cellapse reproduce cheeger` counts how often. For at most 20
    vertices h is exact; beyond, lambda_2(A) / 2 <= h <= the best sweep cut decide where they can.

    Parameters
    ----------
    operator : CollapsedOperator, or whatever `collapse` takes

    Returns
    -------
    Check
        `measured` is lambda_2(S), `bound` is h^2 / 2.

    Examples
    --------
    >>> import cellapse as cl
    >>> S = cl.collapse([("a", "b")], "unfolded")
    >>> check = cl.theory.cheeger_lower_bound(S)
    >>> check.holds, round(check.measured, 4), round(check.bound, 4)
    (False, 0.0001, 0.5)
    """
    S = as_known(operator).S
    claim = "h(G)^2 / 2 <= lambda_2(S) (open)"
    if not _of_a_graph(S):
        note = "A is not the Laplacian of a graph" if S.A.nnz else "no edges"
        return Check("cheeger_lower_bound", claim, None, note=note)
    L = SparseOperator(S.A, S.labels, S.kernel)
    exact = S.shape[0] <= EVERY_CUT
    cut = cheeger_constant(L, mass="degree") if exact else sweep_cut(L, mass="degree")
    second = float(S.spectrum(2, "degree").values[1])
    assert cut.lower is not None  # no scores were given
    above, below = cut.conductance**2 / 2, (cut.conductance if exact else cut.lower) ** 2 / 2
    rounding = ROUNDING  # relative to ||A|| with degrees as masses, which is at most 2
    holds = True if second >= above - rounding else False if second < below - rounding else None
    note = "h(G) over all cuts" if exact else "h(G) of a sweep cut, an upper bound of h(G)"
    return Check("cheeger_lower_bound", claim, holds, second, above, note)


def _of_a_graph(S: CollapsedOperator) -> bool:
    """Return whether A is the Laplacian of a graph of two vertices or more, with edges."""
    is_laplacian = S.onto == 0 and S.A.nnz and abs(S.A.sum(axis=1)).max() < tolerance(S)
    return bool(is_laplacian) and S.shape[0] > 1
