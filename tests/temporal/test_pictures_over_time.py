"""Pictures of a complex over time."""

from itertools import combinations

import numpy as np
import pytest

import cellapse as cl
from cellapse import temporal

pytest.importorskip("matplotlib")
TWO = [*combinations("abcd", 2), *combinations("efgh", 2)]
MOVED = [*combinations("abef", 2), *combinations("cdgh", 2)]


def moments(*windows):
    cells = [cell for window in windows for cell in window]
    times = np.repeat(np.arange(len(windows)), [len(window) for window in windows])
    T = cl.TemporalComplex.from_cells(cells, times, vertices="abcdefgh")
    return list(cl.collapse_over_time(T, 1, n_clusters=2))


def test_bars_are_as_high_as_groups_and_ribbons_as_what_they_share():
    ax = cl.plot.plot_groups(moments(TWO, TWO, MOVED))
    bars = [p for p in ax.patches if hasattr(p, "get_height")]
    assert sorted(bar.get_height() for bar in bars) == pytest.approx([4.0] * 6)
    ribbons = [p for p in ax.patches if not hasattr(p, "get_height")]
    heights = [np.ptp(p.get_path().vertices[[0, -2], 1]) for p in ribbons]
    assert sorted(heights) == pytest.approx([2.0] * 4 + [4.0] * 2)
    corners = [p.get_path().vertices[[0, 3]] for p in ribbons]
    for end in (0, 1):  # no ribbon begins or ends on another
        assert len({tuple(c[end].round(6).tolist()) for c in corners}) == 6


def test_a_window_without_groups_is_left_out():
    ax = cl.plot.plot_groups(moments(TWO, TWO[:1], TWO))
    assert [t.get_text() for t in ax.get_xticklabels()] == ["0", "2"]


def test_changes_are_marked_where_they_are():
    found = temporal.find_changes(moments(*[TWO] * 6, *[MOVED] * 6))
    line, marks = cl.plot.plot_changes(found).lines
    assert line.get_xdata().tolist() == found.times.tolist()
    assert marks.get_xdata().tolist() == [6.0]
    dated = cl.TemporalComplex.from_cells(TWO * 12, np.repeat(np.arange(12), 12) * 3600.0)
    dated = cl.as_temporal(dated, unit="s")
    found = temporal.find_changes(cl.collapse_over_time(dated, "1h"))
    assert cl.plot.plot_changes(found).lines[0].get_xdata().dtype.kind == "M"


@pytest.mark.parametrize(
    "call",
    [
        lambda: cl.plot.plot_groups([]),
        lambda: cl.plot.plot_groups(3),
        lambda: cl.plot.plot_groups([3]),
        lambda: cl.plot.plot_changes(3),
        lambda: cl.plot.plot_groups(moments(TWO), ax=3),
    ],
)
def test_what_cannot_be_drawn_is_refused(call):
    with pytest.raises(cl.CellapseError):
        call()
