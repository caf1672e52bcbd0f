"""Weights with a metric: lengths, angles and areas, bond orders, confidences, counts.

    K.with_attributes(None, weights.cotangent(K)),   {rank: one number per cell}

Every function gives what the argument `weights` of a complex takes. Weights of edges are
conductances: the larger, the closer its ends.
"""

from cellapse._shared.names import showing
from cellapse.weights.columns import bonds, confidences, counts
from cellapse.weights.delaunay import intrinsic_delaunay
from cellapse.weights.distances import distances
from cellapse.weights.triangles import cotangent, hodge_star

__all__ = [
    "bonds",
    "confidences",
    "cotangent",
    "counts",
    "distances",
    "hodge_star",
    "intrinsic_delaunay",
]
__dir__ = showing(__all__)
