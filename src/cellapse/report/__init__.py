"""The one-file HTML report and the explorer."""

from cellapse._shared.names import showing
from cellapse.report.notebook import ReportView, explore, show_report
from cellapse.report.page import write_report
from cellapse.report.timeline import Timeline, show_timeline, write_timeline

__all__ = [
    "ReportView",
    "Timeline",
    "explore",
    "show_report",
    "show_timeline",
    "write_report",
    "write_timeline",
]
__dir__ = showing(__all__)
