"""Collapse the higher-order cells of a complex onto its vertices."""

from cellapse._errors import (
    CellapseError,
    CellapseWarning,
    ConvergenceError,
    InputError,
    MissingExtraError,
    SizeError,
)
from cellapse.collapse import CollapsedOperator, collapse
from cellapse.complex import Complex
from cellapse.graded import Unchecked, graded_laplacian
from cellapse.incidence import (
    Incidence,
    boundary_matrices,
    incidence_matrices,
    is_chain_complex,
    mixed_matrices,
    unfolded_matrices,
)
from cellapse.lifts import clique_complex, hypergraph_complex
from cellapse.operator import Operator
from cellapse.solvers import CG, Direct
from cellapse.spectrum import Spectrum
