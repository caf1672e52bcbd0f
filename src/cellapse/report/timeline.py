"""A complex over time as one HTML file: a slider through its windows, changes, groups.

What the page needs of a window is kept as it comes by; all else is gone when the next one comes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import word
from cellapse._shared.files import write_whole
from cellapse._shared.pictures import bars
from cellapse._version import __version__
from cellapse.plot.layout import arrange, neighbourhood
from cellapse.report.markup import as_json, page, table
from cellapse.temporal.changes import Changes
from cellapse.temporal.complex import TemporalComplex
from cellapse.temporal.moments import Moment
from cellapse.temporal.times import shown

_VERTICES, _EDGES, _FRAMES = 400, 1500, 2000  # drawn, drawn in a window, kept


@dataclass(repr=False)
class Timeline(Shown):
    """What a page shows of the windows; `add` takes one after the other.

    Parameters
    ----------
    source : TemporalComplex
    title : str

    Examples
    --------
    >>> import cellapse as cl
    >>> T = cl.TemporalComplex.from_cells([("a", "b"), ("b", "c"), ("a", "c")], [0, 1, 2])
    >>> timeline = Timeline(T, "three meetings")
    >>> for moment in cl.collapse_over_time(T, 2):
    ...     timeline.add(moment)
    >>> "three meetings" in timeline.html()
    True
    """

    source: TemporalComplex
    title: str
    frames: list[dict[str, Any]] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        T, ends = self.source, self.source.pairs.ends
        K = Complex.from_arrays(T.n_vertices, {1: ends})
        self._kept: IntArray = neighbourhood(K, _VERTICES)
        self._place = np.full(T.n_vertices, -1)
        self._place[self._kept] = np.arange(len(self._kept))
        count = np.bincount(T.pairs.indices, minlength=len(ends)).astype(np.float64)
        inside = self._place[ends]
        both = (inside >= 0).all(axis=1)
        strength = np.sqrt(count[both] / count[both].max(initial=1.0))
        self._layout = arrange(len(self._kept), inside[both], strength)

    def _card(self) -> Card:
        edges = [float(frame["counts"][0]) for frame in self.frames]
        rows = (("drawn", f"{len(self._kept):,} of {self.source.n_vertices:,} vertices"),)
        calls = (("cl.report.write_timeline(timeline, path)", "writes its page"),)
        title = f"Timeline of {len(self.frames):,} windows: {self.title}"
        return Card(title, rows, lambda: bars(edges or [0.0]), calls)

    def add(self, moment: Moment) -> None:
        """Keep what the page shows of a window."""
        if not isinstance(moment, Moment) or moment.window.source.labels != self.source.labels:
            raise InputError(
                f"{moment!r:.80} is no moment of {self.source!r}; give what comes of "
                "collapse_over_time"
            )
        if len(self.frames) >= _FRAMES:
            raise InputError(
                f"more than {_FRAMES:,} windows; a page shows as many: give a longer step"
            )
        window, groups = moment.window, moment.groups
        ends = self._place[window.ends]
        both = np.flatnonzero((ends >= 0).all(axis=1))
        trust = np.zeros(len(ends)) if moment.trust is None else moment.trust
        strongest = both[np.argsort(-trust[both], kind="stable")[:_EDGES]]
        row = moment.row()
        self.frames.append(
            {
                "from": row["start"],
                "to": row["end"],
                "edges": ends[strongest].ravel().tolist(),
                "trust": np.round(9 * trust[strongest]).astype(int).tolist(),
                "groups": groups[self._kept].tolist(),
                "sizes": _sizes(groups),
                "counts": [row["edges"], row["cells"], row["edges entered"], row["edges left"]],
                "change": [round(row["change by groups"], 4), round(row["change by edges"], 4)],
                "all": groups.tolist() if len(groups) <= _VERTICES else None,
            }
        )

    def html(self, changes: Changes | None = None) -> str:
        """Return the page as text."""
        if not self.frames:
            raise InputError("a timeline of no window; add moments first")
        T = self.source
        if changes is not None and not isinstance(changes, Changes):
            raise InputError(f"changes={changes!r:.80}; give what find_changes gives")
        places = [] if changes is None else changes.times[changes.places].tolist()
        data = {
            "labels": [str(T.labels[i]) for i in self._kept.tolist()],
            "layout": np.round(self._layout, 4).tolist(),
            "frames": self.frames,
            "changes": [shown(t, T.dated) for t in places],
        }
        drawn = f"; {len(self._kept):,} of them drawn" if len(self._kept) < T.n_vertices else ""
        parts = {
            "title": escape(self.title),
            "subtitle": escape(
                f"{len(T):,} cells on {T.n_vertices:,} vertices{drawn}, {len(self.frames):,} "
                f"windows from {self.frames[0]['from']} to {self.frames[-1]['to']}"
            ),
            "last": str(len(self.frames) - 1),
            "changes": _changes_table(changes),
            "version": escape(__version__),
            "data": as_json(data),
        }
        return page("timeline.html", ("base.js", "timeline.js"), parts)

    def _repr_html_(self) -> str:
        # A frame of its own: the style and the scripts of the page stay within it.
        return (
            f'<iframe srcdoc="{escape(self.html())}" title="{escape(self.title)}" '
            'style="width: 100%; height: 800px; border: 0"></iframe>'
        )


def show_timeline(moments: Iterable[Moment], title: str | None = None) -> Timeline:
    """Go through the windows of a complex over time, and return their page for a notebook.

    Parameters
    ----------
    moments : iterable of Moment
        As `collapse_over_time` gives them.
    title : str, optional

    Returns
    -------
    Timeline
        The last line of a cell shows it.

    Examples
    --------
    >>> import cellapse as cl
    >>> T = cl.TemporalComplex.from_cells([("a", "b"), ("b", "c"), ("a", "c")], [0, 1, 2])
    >>> len(show_timeline(cl.collapse_over_time(T, 2)).frames)
    2
    """
    title = "Over time" if title is None else word("title", title)
    timeline = None
    if not isinstance(moments, Iterable):
        raise InputError(f"moments={moments!r:.80}; give what collapse_over_time gives")
    for moment in moments:
        if timeline is None and isinstance(moment, Moment):
            timeline = Timeline(moment.window.source, title)
        if timeline is None:
            raise InputError(f"a {type(moment).__name__}; give what collapse_over_time gives")
        timeline.add(moment)
    if timeline is None:
        raise InputError("a timeline of no window; give moments")
    return timeline


def write_timeline(timeline: Timeline, path: str | Path, *, changes: Changes | None = None) -> Path:
    """Write the page of a timeline as one file that needs nothing but a browser.

    Parameters
    ----------
    timeline : Timeline
        From `show_timeline`.
    path : path of the file, ending in .html
    changes : Changes, optional
        From `find_changes`; they are marked.

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile, cellapse as cl
    >>> T = cl.TemporalComplex.from_cells([("a", "b"), ("b", "c"), ("a", "c")], [0, 1, 2])
    >>> timeline = show_timeline(cl.collapse_over_time(T, 2), "three meetings")
    >>> file = write_timeline(timeline, Path(tempfile.mkdtemp()) / "time.html")
    """
    if not isinstance(timeline, Timeline):
        raise InputError(f"a {type(timeline).__name__}; show_timeline(moments) makes a timeline")
    return write_whole(path, timeline.html(changes).encode(errors="replace"))


def _sizes(groups: IntArray) -> list[list[int]]:
    """Return the groups that have vertices, and how many."""
    numbers, sizes = np.unique(groups[groups >= 0], return_counts=True)
    return [numbers.tolist(), sizes.tolist()]


def _changes_table(changes: Changes | None) -> str:
    if changes is None:
        return '<p class="quiet">Changes were not tested here; find_changes does.</p>'
    if not len(changes.places):
        return '<p class="quiet">No change was found by the permutation test.</p>'
    rows = [
        (
            escape(shown(float(changes.times[i]), changes.dated)),
            f"{changes.statistics[i]:.3f}",
            f"{changes.p_values[i]:.3f}",
        )
        for i in changes.places.tolist()
    ]
    return table(("changed at", "statistic", "p"), rows, numbers=[1, 2])
