"""The paper's propositions as checks on a complex of one's own.

    >>> import networkx as nx
    >>> import cellapse as cl
    >>> S = cl.collapse(cl.clique_complex(nx.karate_club_graph()))
    >>> report = cl.theory.check(S)
    >>> report.holds
    True

`print(report)` shows a table: what is claimed, what was measured, and the bound. Each check is also
a function of its own. Up to a few thousand cells everything is measured exactly; beyond that, by
Lanczos, or left out with a note that says so.
"""

from cellapse._shared.names import showing
from cellapse.theory.bounds import (
    cheeger_lower_bound,
    cheeger_upper_bound,
    conductance_reduction,
    eigenvalue_compression,
    loewner_bounds,
    psd_condition,
)
from cellapse.theory.effects import (
    block_diagonalization,
    cells_matter,
    regularization_bound,
    regularization_error,
    unaffected_signals,
)
from cellapse.theory.report import Check, Report
from cellapse.theory.statements import check

__all__ = [
    "Check",
    "Report",
    "block_diagonalization",
    "cells_matter",
    "check",
    "cheeger_lower_bound",
    "cheeger_upper_bound",
    "conductance_reduction",
    "eigenvalue_compression",
    "loewner_bounds",
    "psd_condition",
    "regularization_bound",
    "regularization_error",
    "unaffected_signals",
]
__dir__ = showing(__all__)
