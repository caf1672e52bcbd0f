"""The statements of the paper, each as a function of an operator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components

from cellapse._collapse.build import as_collapsed
from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._errors import ConvergenceError
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._linalg.lapack import largest_eigenpair
from cellapse._linalg.operators import SparseOperator
from cellapse._linalg.singular import smallest_positive_eigenvalue
from cellapse._shared.arrays import FloatArray, row_sum
from cellapse.tasks.cuts import best_sweep
from cellapse.tasks.resistance import conductances
from cellapse.theory.report import Check, Report

_DENSE = 2000  # up to this size eigenvalues are all computed
_SMALL = 500  # and up to this one whatever else is asked, too
_LARGE = 20_000  # from here on norms are known to a thousandth
_ROUNDING = 1e-9  # relative to ||A||: what counts as zero


@dataclass(frozen=True, eq=False)
class _Known:
    """What several statements ask of an operator, computed once."""

    S: CollapsedOperator
    given: tuple[Spectrum, Spectrum] | None = None

    @cached_property
    def spectra(self) -> tuple[Spectrum, Spectrum]:
        """The first eigenpairs of S and of A, or all of them."""
        if self.given is not None:
            return self.given
        n = self.S.shape[0]
        k = n if n <= _DENSE else 20
        plain = SparseOperator(self.S.A, self.S.labels, self.S.kernel)
        return self.S.spectrum(k), plain.spectrum(k)

    @cached_property
    def moved(self) -> tuple[float, float]:
        """The smallest and the largest eigenvalue of A - S."""
        S, n = self.S, self.S.shape[0]
        if n <= _SMALL:
            M = S.A.toarray() - S.toarray()
            values = linalg.eigvalsh((M + M.T) / 2)
            return float(values[0]), float(values[-1])
        rise = _largest(S, lambda x: S @ x - S.A @ x, row_sum(S.A))
        return -rise, _largest(S, lambda x: S.A @ x - S @ x)


def _known(S: CollapsedOperator | _Known) -> _Known:
    if isinstance(S, _Known):
        return S
    return _Known(as_collapsed(S))


def check(S: CollapsedOperator, spectra: tuple[Spectrum, Spectrum] | None = None) -> Report:
    """Hold every statement of the paper against an operator.

    Parameters
    ----------
    S : CollapsedOperator, or whatever `collapse` takes
    spectra : pair of Spectrum, optional
        Of S and of A, both with mass=None, where they are known already.
    """
    S = as_collapsed(S)
    known = _Known(S, spectra)
    statements: tuple[Callable[[Any], Check], ...] = (
        psd_condition,
        loewner_bounds,
        eigenvalue_compression,
        conductance_reduction,
        cheeger_upper_bound,
        regularization_error,
        block_diagonalization,
        cells_matter,
    )
    return Report(repr(S), tuple(statement(known) for statement in statements))


def psd_condition(S: CollapsedOperator | _Known) -> Check:
    """`thm:psd`: L* >= 0 when gamma_k <= beta_{k+1} sigma_min+(B_{k+1})."""
    S = _known(S).S
    claim = "L* + eps >= 0: smallest eigenvalue"
    A, X, C = S.split()
    size = A.shape[0] + C.shape[0]
    within = _within(S)
    note = "gamma within the bound" if within else "gamma above the bound of L*, paid by eps"
    if size > _DENSE:
        return Check("psd_condition", claim, within or None, note=f"{note}; {size} elements")
    regularized = C + S.eps * sparse.eye_array(C.shape[0])
    L = sparse.block_array([[A, X], [X.T, regularized]]) if C.shape[0] else A
    smallest = float(linalg.eigvalsh(L.toarray())[0])
    return _measured(S, "psd_condition", claim, smallest >= -_tolerance(S), smallest, 0.0, note)


def loewner_bounds(S: CollapsedOperator | _Known) -> Check:
    """`prop:spectral_bounds`: 0 <= S <= A, as the smallest eigenvalue of S and of A - S."""
    known = _known(S)
    S = known.S
    smallest = min(float(known.spectra[0].values.min(initial=0.0)), known.moved[0])
    claim = "0 <= S <= A: smallest eigenvalue of both"
    return _measured(S, "loewner_bounds", claim, smallest >= -_tolerance(S), smallest, 0.0)


def eigenvalue_compression(S: CollapsedOperator | _Known) -> Check:
    """`cor:eigenvalue_interlacing`: lambda_k(S) <= lambda_k(A) for every k."""
    known = _known(S)
    S = known.S
    mine, plain = (spectrum.values for spectrum in known.spectra)
    worst = float(np.max(mine - plain))
    note = f"largest difference over {len(mine)} of {S.shape[0]} eigenvalues"
    claim = "lambda_k(S) - lambda_k(A) <= 0"
    return _measured(S, "eigenvalue_compression", claim, worst <= _tolerance(S), worst, 0.0, note)


def conductance_reduction(S: CollapsedOperator | _Known) -> Check:
    """`cor:effective_resistance`: C_ij(S) <= C_ij(A), C_ij(M) = min x^T M x over x_i - x_j = 1."""
    S = _known(S).S
    claim = "conductance under S - under A <= 0"
    n = S.shape[0]
    if n > _DENSE or n < 2:
        note = "follows from S <= A" if n > 1 else "one cell only"
        return Check("conductance_reduction", claim, None, note=note)
    mine = conductances(S)
    plain = conductances(SparseOperator(S.A, S.labels, S.kernel))
    worst = float(np.max(mine - plain))
    note = f"largest difference over {n * (n - 1) // 2} pairs"
    holds = worst <= 1e-6 * float(plain.max())
    return Check("conductance_reduction", claim, holds, worst, 0.0, note, float(plain.max()))


def cheeger_upper_bound(S: CollapsedOperator | _Known) -> Check:
    """`rem:cheeger`: lambda_2(S) <= lambda_2(A) <= 2 h(G), with h from the best sweep cut found."""
    known = _known(S)
    S = known.S
    claim = "lambda_2(S) <= 2 h(G) (Cheeger)"
    is_laplacian = S.onto == 0 and S.A.nnz and abs(S.A.sum(axis=1)).max() < _tolerance(S)
    if not is_laplacian or S.shape[0] < 2:
        note = "A is not the Laplacian of a graph" if S.A.nnz else "no edges"
        return Check("cheeger_upper_bound", claim, None, note=note)
    spectrum = known.spectra[0]
    second = float(spectrum.values[1])
    _, h = best_sweep(S.A, spectrum.vectors[:, 1], np.ones(S.shape[0]))
    note = "h of a sweep cut, an upper bound of h(G)"
    return _measured(
        S, "cheeger_upper_bound", claim, second <= 2 * h + _tolerance(S), second, 2 * h, note
    )


def regularization_error(S: CollapsedOperator | _Known) -> Check:
    """`prop:regularization_error`: ||S_eps - S_0|| <= eps ||X||^2 / (lambda+ (lambda+ + eps))."""
    S = _known(S).S
    claim = "||S_eps - S_0|| (regularization)"
    if S.eps == 0.0:
        return Check("regularization_error", claim, True, 0.0, 0.0, "eps = 0")
    bound = regularization_bound(S)
    limit = S.realization.limit(S.chain, S.weights, S.onto)
    try:
        measured = _largest(S, lambda x: S @ x - limit(x))
    except ConvergenceError as error:
        return Check("regularization_error", claim, None, None, bound, str(error))
    holds = measured <= bound * (1 + 1e-6) + _tolerance(S)
    within = _within(S)
    note = "" if within else "the statement needs gamma within the bound of L*"
    return _measured(
        S, "regularization_error", claim, holds if within else None, measured, bound, note
    )


def regularization_bound(S: CollapsedOperator) -> float:
    """The bound of `prop:regularization_error`: eps ||X||^2 / (lambda+ (lambda+ + eps))."""
    S = as_collapsed(S)
    _, X, C = S.split()
    if S.eps == 0.0 or not X.nnz:
        return 0.0
    smallest = smallest_positive_eigenvalue(C)
    return S.eps * _norm(X @ X.T) / (smallest * (smallest + S.eps))


def block_diagonalization(S: CollapsedOperator | _Known) -> Check:
    """The theorem of the appendix: components do not see each other."""
    S = _known(S).S
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
    return _measured(S, "block_diagonalization", claim, leak <= _tolerance(S), leak, 0.0, note)


def cells_matter(S: CollapsedOperator | _Known) -> Check:
    """How far the collapse moves A, against its ceiling: ||S - A|| <= gamma^2 / beta, rank by rank.

    At the bound the ceiling is beta_1 sigma_min+(B_1)^2, the smallest positive eigenvalue of A,
    whatever the cells are. The note says how much of the move is due to cells that are not next to
    the kept rank: 0 % for signed boundaries, where they drop out.
    """
    known = _known(S)
    S = known.S
    claim = "||S - A|| <= gamma^2 / beta"
    moved, size = known.moved[1], _norm(S.A)
    ceiling = S.realization.ceiling(S.weights, S.onto, size)
    note = f"{100 * moved / max(size, 1e-300):.2g} % of ||A||"
    share = _share_of_far_cells(S, moved)
    if share is not None:
        note += f"; cells beyond the edges change S by {100 * share:.2g} % of that"
    return _measured(
        S, "cells_matter", claim, moved <= ceiling + _tolerance(S), moved, ceiling, note
    )


def _share_of_far_cells(S: CollapsedOperator, moved: float) -> float | None:
    """||S - S without the cells beyond the edges|| / ||S - A||, both with the same weights."""
    if S.onto != 0 or not any(S.n_cells[2:]):
        return None
    if moved <= _tolerance(S):
        return 0.0
    edges = S.realization.eliminate(S.chain.of_edges(), S.weights.of_edges())
    return abs(_largest(S, lambda x: S @ x - edges.apply(x))) / moved


def _measured(
    S: CollapsedOperator,
    name: str,
    statement: str,
    holds: bool | None,
    measured: float,
    bound: float,
    note: str = "",
) -> Check:
    """A check whose figures are compared with ||A||."""
    return Check(name, statement, holds, measured, bound, note, row_sum(S.A))


def _within(S: CollapsedOperator) -> bool:
    """Whether no gamma is above the bound of L*."""
    return bool(np.all(S.gamma <= S.bound * (1 + 1e-9)))


def _tolerance(S: CollapsedOperator) -> float:
    return _ROUNDING * row_sum(S.A)


def _norm(M: sparse.csr_array) -> float:
    """||M|| of a semi-definite matrix, rounded up by a millionth; if it is large, a thousandth."""
    tol = 1e-6 if M.shape[0] <= _LARGE else 1e-3  # on a mesh Lanczos takes long to be exact
    return largest_eigenpair(M.__matmul__, M.shape[0], tol=tol)[0] * (1 + tol)


def _largest(
    S: CollapsedOperator, apply: Callable[[FloatArray], FloatArray], scale: float = 0.0
) -> float:
    """The largest eigenvalue of an operator given by its action."""
    n = S.shape[0]
    if n <= _SMALL:
        M = apply(np.eye(n))
        return float(linalg.eigvalsh((M + M.T) / 2)[-1])
    return largest_eigenpair(apply, n, tol=1e-4, scale=scale)[0]
