"""Figures, the one-file HTML report and the explorer."""

from cellapse._shared.names import showing
from cellapse.report.figures import (
    plot_complex,
    plot_compression,
    plot_embedding,
    plot_signatures,
    plot_spectrum,
)
from cellapse.report.page import write_report

__all__ = [
    "plot_complex",
    "plot_compression",
    "plot_embedding",
    "plot_signatures",
    "plot_spectrum",
    "write_report",
]
__dir__ = showing(__all__)
