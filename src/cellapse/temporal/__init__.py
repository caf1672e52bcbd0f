"""Complexes that change over time: windows, an operator for each, groups, changes."""

from cellapse._shared.names import showing
from cellapse.temporal.changes import Changes, find_changes
from cellapse.temporal.complex import TemporalComplex
from cellapse.temporal.data import load_timed_contacts, moving_triangles
from cellapse.temporal.live import LiveOperator
from cellapse.temporal.moments import Moment, collapse_over_time
from cellapse.temporal.sources import as_temporal
from cellapse.temporal.windows import Window

__all__ = [
    "Changes",
    "LiveOperator",
    "Moment",
    "TemporalComplex",
    "Window",
    "as_temporal",
    "collapse_over_time",
    "find_changes",
    "load_timed_contacts",
    "moving_triangles",
]
__dir__ = showing(__all__)
