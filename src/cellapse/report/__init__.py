"""The one-file HTML report and the explorer."""

from cellapse.report.page import write_report

__all__ = ["write_report"]
