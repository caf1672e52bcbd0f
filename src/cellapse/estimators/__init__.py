"""scikit-learn estimators: points (or a precomputed graph) in, a task of cellapse out.

Points become the graph of their nearest neighbours, as in scikit-learn's SpectralClustering; its
cliques become cells, and these are collapsed. `operator` is a name, the same as on the command
line: "renormalized" by default, the best all-rounder measured so far; "laplacian" is the graph
Laplacian without any cells. With `affinity="precomputed"` X is the graph itself: a symmetric
adjacency whose entries are weights.

A new point takes the values of its nearest neighbours among the points fitted, weighted by one over
the distance; a fitted point keeps its own.
"""

from cellapse._shared.names import showing
from cellapse.estimators.clustering import CollapsedSpectralClustering
from cellapse.estimators.features import (
    CollapsedSpectralEmbedding,
    HeatKernelSignature,
    WaveKernelSignature,
)
from cellapse.estimators.gaussian_process import CollapsedGPRegressor
from cellapse.estimators.labels import CollapsedLabelSpreading
from cellapse.estimators.smoothing import SignalSmoother

__all__ = [
    "CollapsedGPRegressor",
    "CollapsedLabelSpreading",
    "CollapsedSpectralClustering",
    "CollapsedSpectralEmbedding",
    "HeatKernelSignature",
    "SignalSmoother",
    "WaveKernelSignature",
]
__dir__ = showing(__all__)
