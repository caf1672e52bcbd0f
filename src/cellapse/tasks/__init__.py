"""What people do with an operator; every task takes every operator.

The most common ones are also names of `cellapse` itself.
"""

from cellapse._operators.reliability import Reliability, rank_reliability
from cellapse._shared.names import showing
from cellapse.tasks.clustering import Clusters, cluster, clustering_accuracy, suggest_n_clusters
from cellapse.tasks.cuts import (
    Cut,
    cheeger_constant,
    dirichlet_energy,
    fiedler,
    sweep_cut,
    total_variation,
)
from cellapse.tasks.embedding import Embedding, embed, positional_encoding
from cellapse.tasks.false_edges import Doubt, likely_false
from cellapse.tasks.filters import band_pass, spectral_filter
from cellapse.tasks.gaussian_process import GaussianProcess, gaussian_process
from cellapse.tasks.influence import Influence, cell_influence
from cellapse.tasks.kernels import KernelOperator, diffusion_kernel, matern_kernel
from cellapse.tasks.labels import Spread, spread_labels
from cellapse.tasks.resistance import (
    effective_conductance,
    effective_resistance,
    kirchhoff_index,
    resistance_centrality,
)
from cellapse.tasks.selection import Choice, choose_operator, modularity
from cellapse.tasks.signatures import Signature, heat_kernel_signature, wave_kernel_signature
from cellapse.tasks.smoothing import Strength, choose_strength, diffuse, smooth
from cellapse.tasks.trust import EdgeTrust, edge_trust, trusted_laplacian
from cellapse.tasks.verdict import Verdict, verdict

__all__ = [
    "Choice",
    "Clusters",
    "Cut",
    "Doubt",
    "EdgeTrust",
    "Embedding",
    "GaussianProcess",
    "Influence",
    "KernelOperator",
    "Reliability",
    "Signature",
    "Spread",
    "Strength",
    "Verdict",
    "band_pass",
    "cell_influence",
    "cheeger_constant",
    "choose_operator",
    "choose_strength",
    "cluster",
    "clustering_accuracy",
    "diffuse",
    "diffusion_kernel",
    "dirichlet_energy",
    "edge_trust",
    "effective_conductance",
    "effective_resistance",
    "embed",
    "fiedler",
    "gaussian_process",
    "heat_kernel_signature",
    "kirchhoff_index",
    "likely_false",
    "matern_kernel",
    "modularity",
    "positional_encoding",
    "rank_reliability",
    "resistance_centrality",
    "smooth",
    "spectral_filter",
    "spread_labels",
    "suggest_n_clusters",
    "sweep_cut",
    "total_variation",
    "trusted_laplacian",
    "verdict",
    "wave_kernel_signature",
]
__dir__ = showing(__all__)
