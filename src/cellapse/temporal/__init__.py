"""Complexes that change over time: windows, an operator for each, groups, changes."""

from cellapse._shared.names import showing
from cellapse.temporal.complex import TemporalComplex
from cellapse.temporal.sources import as_temporal
from cellapse.temporal.windows import Window

__all__ = ["TemporalComplex", "Window", "as_temporal"]
__dir__ = showing(__all__)
