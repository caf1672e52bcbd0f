"""Pictures with matplotlib: every function draws on the axes it is given and returns them.

Without axes a function makes a figure of pyplot, which a notebook shows by itself. `S.plot()`,
`spectrum.plot()`, `K.plot()` and `clusters.plot()` are the short ways to the most common ones.
"""

from cellapse._shared.names import showing
from cellapse.plot.drawings import plot_clusters, plot_complex, plot_embedding
from cellapse.plot.over_time import plot_changes, plot_groups
from cellapse.plot.spectra import plot_compression, plot_signatures, plot_spectrum
from cellapse.plot.trust import plot_trust

__all__ = [
    "plot_changes",
    "plot_clusters",
    "plot_complex",
    "plot_compression",
    "plot_embedding",
    "plot_groups",
    "plot_signatures",
    "plot_spectrum",
    "plot_trust",
]
__dir__ = showing(__all__)
