"""Onto a few vertices: Kron reduction of any operator.

    S_F = S_FF - S_FE S_EE^-1 S_EF    for kept vertices F and eliminated ones E.

Collapsing cells and leaving out vertices are the same thing, a Schur complement: what is left is
the energy of a signal on F once everything else has relaxed.
"""

from cellapse._shared.names import showing
from cellapse.reduction.approximate import SparseReduction
from cellapse.reduction.direct import collapse_direct, direct_relations
from cellapse.reduction.kron import reduce
from cellapse.reduction.multilevel import Pyramid, pyramid
from cellapse.reduction.reduced import ReducedOperator

__all__ = [
    "Pyramid",
    "ReducedOperator",
    "SparseReduction",
    "collapse_direct",
    "direct_relations",
    "pyramid",
    "reduce",
]
__dir__ = showing(__all__)
