"""The one-file HTML report and the explorer."""

from cellapse._shared.names import showing
from cellapse.report.notebook import ReportView, explore, show_report
from cellapse.report.page import write_report

__all__ = ["ReportView", "explore", "show_report", "write_report"]
__dir__ = showing(__all__)
