"""All statements of the paper, held against one operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cellapse._collapse.collapsed import as_collapsed
from cellapse._linalg.eigen.spectrum import Spectrum
from cellapse._shared.memory import Fitting
from cellapse.theory.bounds import (
    cheeger_upper_bound,
    conductance_reduction,
    eigenvalue_compression,
    loewner_bounds,
    psd_condition,
)
from cellapse.theory.effects import (
    block_diagonalization,
    cells_matter,
    regularization_error,
    unaffected_signals,
)
from cellapse.theory.known import Known
from cellapse.theory.report import Check, Report


@Fitting("the check", "take a smaller complex")
def check(operator: Any, spectra: tuple[Spectrum, Spectrum] | None = None) -> Report:
    """Hold every statement of the paper against an operator.

    Parameters
    ----------
    operator : CollapsedOperator, or whatever `collapse` takes
    spectra : pair of Spectrum, optional
        Of S and of A, both with mass=None, where they are known already.

    Returns
    -------
    Report

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K, "unfolded")
    >>> cl.theory.check(S)
    <Report of 9 statements: 9 hold, 0 fail>
    """
    S = as_collapsed(operator)
    known = Known(S, spectra)
    statements: tuple[Callable[[Any], Check], ...] = (
        psd_condition,
        loewner_bounds,
        eigenvalue_compression,
        conductance_reduction,
        cheeger_upper_bound,
        regularization_error,
        block_diagonalization,
        unaffected_signals,
        cells_matter,
    )
    return Report(repr(S), tuple(statement(known) for statement in statements))
