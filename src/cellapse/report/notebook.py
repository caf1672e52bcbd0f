"""The report within a notebook, or in the browser from a plain session."""

from __future__ import annotations

import tempfile
import webbrowser
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from cellapse._shared.align import align_groups
from cellapse._shared.checks import whole_number
from cellapse._sources import complex_from
from cellapse.analysis import Analysis
from cellapse.report.page import report_html, require_analysis, write_report


@dataclass(frozen=True)
class ReportView:
    """A report that a notebook shows when it is the last line of a cell; made by `show_report`.

    Attributes
    ----------
    title : str
    height : int
        Of the frame, in pixels.
    html : str
        The whole page.
    analysis : Analysis
        What it shows.

    Examples
    --------
    >>> import cellapse as cl
    >>> cl.report.show_report(cl.analyze("karate", quick=True)).height
    800
    """

    title: str
    height: int
    html: str = field(repr=False)
    analysis: Analysis = field(repr=False)

    def _repr_html_(self) -> str:
        # A frame of its own: the style and the scripts of the page stay within it.
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="{escape(self.title)}" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )

    def open(self) -> Path:
        """Write the report to a file of its own and open that in the browser."""
        file = Path(tempfile.mkdtemp(prefix="cellapse-")) / "report.html"
        write_report(self.analysis, file)
        webbrowser.open(file.as_uri())
        return file


def explore(source: Any, groups: Any = None, *, height: int = 800) -> Any:
    """Show the explorer of a complex as a widget: picture, sliders, clusters, within a notebook.

    Works where anywidget does: Jupyter, VS Code, marimo. It asks the kernel, without a server. A
    file of a notebook that is only shown has the card of the complex in its place.

    Parameters
    ----------
    source : Complex, or whatever `collapse` takes
    groups : one for each vertex, optional
        Known groups, to colour by and to compare clusters with.
    height : int
        Of the frame, in pixels.

    Returns
    -------
    ExplorerWidget
        With the traits `value` (the cluster of every vertex), `selection` (the vertex that was
        clicked) and `settings` (the sliders), and the objects of the kernel: `complex`, `operator`.

    Raises
    ------
    MissingExtraError
        Without the extra `notebook`.

    Examples
    --------
    >>> import cellapse as cl
    >>> widget = cl.report.explore("karate")
    >>> len(widget.value), widget.selection
    (34, None)
    """
    from cellapse.report.explorer import Explorer
    from cellapse.report.widget import ExplorerWidget

    K = complex_from(source)
    known = None if groups is None else align_groups(groups, K.labels, "groups").tolist()
    title = source if isinstance(source, str) else "a complex"
    return ExplorerWidget(Explorer(K, title, known), whole_number("height", height, 100, 10_000))


def show_report(analysis: Analysis, height: int = 800) -> ReportView:
    """Return the report of an analysis, to be seen in a notebook.

    Parameters
    ----------
    analysis : Analysis
        From `cellapse.analyze`.
    height : int
        Of the frame, in pixels.

    Returns
    -------
    ReportView
        The last line of a cell shows it; `.open()` opens it in the browser instead.

    Examples
    --------
    >>> import cellapse as cl
    >>> cl.report.show_report(cl.analyze("karate", quick=True))
    ReportView(title="Zachary's karate club", height=800)
    """
    require_analysis(analysis, "show_report")
    height = whole_number("height", height, 100, 10_000)
    return ReportView(analysis.title, height, report_html(analysis), analysis)
