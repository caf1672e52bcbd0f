"""A complex over time: where the vertices of groups go, and where a test finds changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse.plot.axes import PALETTE, axes_for
from cellapse.temporal.changes import Changes
from cellapse.temporal.moments import Moment
from cellapse.temporal.times import shown

_BAR, _GAP, _LABELS = 0.16, 0.015, 6  # of a step, of all vertices, and times along the axis


def plot_groups(moments: Iterable[Moment], *, ax: Any = None) -> Any:
    """Draw the groups of every window as bars, and ribbons for the vertices that go on (alluvial).

    A bar is as high as its group is large, |{v : g_t(v) = i}|; windows without groups are left out.

    Parameters
    ----------
    moments : iterable of Moment
        As `collapse_over_time` gives them; some dozens are distinguishable.
    ax : matplotlib axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import cellapse as cl
    >>> T = cl.temporal.moving_triangles(60, 4, (2,), degree=15.0, rng=0)
    >>> cl.plot.plot_groups(cl.collapse_over_time(T, 1, n_clusters=3)).get_ylabel()
    'vertices'
    """
    kept = [(m.groups, _when(m)) for m in _checked(moments) if m.n_groups]
    if not kept:
        raise InputError("no window has a group; plot_groups needs one at least")
    ax = axes_for(ax)
    gap = _GAP * max(int((groups >= 0).sum()) for groups, _ in kept)
    stacks = [_stacked(groups, gap) for groups, _ in kept]
    for c, stack in enumerate(stacks):
        for g, (bottom, height) in stack.items():
            ax.bar(c, height, _BAR, bottom, color=colour_of(g), zorder=2)
    for c in range(len(kept) - 1):
        _ribbons(ax, c, (kept[c][0], kept[c + 1][0]), (stacks[c], stacks[c + 1]))
    step = max(1, -(-len(kept) // _LABELS))
    ax.set_xticks(range(0, len(kept), step), [when for _, when in kept[::step]], fontsize=8)
    ax.set(ylabel="vertices", yticks=[], xlim=(-0.5, len(kept) - 0.5))
    ax.spines[["top", "right", "left"]].set_visible(False)
    return ax


def plot_changes(changes: Changes, *, ax: Any = None) -> Any:
    """Draw the statistic of the permutation test at every time, and mark the changes.

    t = mean d(before, after) - (mean d(before, before) + mean d(after, after)) / 2.

    Parameters
    ----------
    changes : Changes
        What `temporal.find_changes` gives.
    ax : matplotlib axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import cellapse as cl
    >>> T = cl.temporal.moving_triangles(60, 20, (10,), degree=15.0, rng=0)
    >>> found = cl.temporal.find_changes(cl.collapse_over_time(T, 1, n_clusters=3))
    >>> cl.plot.plot_changes(found).get_ylabel()
    'statistic'
    """
    if not isinstance(changes, Changes):
        raise InputError(f"changes={changes!r:.80}; give what find_changes gives")
    ax, times = axes_for(ax), changes.times
    if changes.dated:
        times = _dates(ax, times)
    ax.plot(times, changes.statistics, color=PALETTE[0], lw=1.5)
    places = changes.places
    ax.plot(times[places], changes.statistics[places], "o", color=PALETTE[3], label="change")
    if len(places):
        ax.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 1))
    ax.set(xlabel="time", ylabel="statistic")
    return ax


def colour_of(group: int) -> Any:
    """Return the colour of a group: seven, then the same darker.

    >>> colour_of(0) == PALETTE[0], colour_of(7) != colour_of(0)
    (True, True)
    """
    from matplotlib.colors import to_rgb

    shade = PALETTE[group % len(PALETTE)]
    rounds = group // len(PALETTE) % 3
    return shade if not rounds else tuple(c * 0.62**rounds for c in to_rgb(shade))


def _checked(moments: Any) -> Iterable[Moment]:
    if not isinstance(moments, Iterable):
        raise InputError(f"moments={moments!r:.80}; give what collapse_over_time gives")
    for moment in moments:
        if not isinstance(moment, Moment):
            raise InputError(
                f"a {type(moment).__name__} among the moments; give what collapse_over_time gives"
            )
        yield moment


def _when(moment: Moment) -> str:
    text = shown(moment.window.start, moment.window.source.dated)
    return text.replace(" 00:00:00", "").replace(" ", "\n")


def _dates(ax: Any, times: Any) -> Any:
    from matplotlib import dates

    module: Any = dates  # untyped
    locator = module.AutoDateLocator()
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(module.ConciseDateFormatter(locator))
    return (times * 1e6).astype("datetime64[us]")


def _stacked(groups: IntArray, gap: float) -> dict[int, tuple[float, float]]:
    """Return where the bar of each group begins, and how high it is."""
    numbers, sizes = np.unique(groups[groups >= 0], return_counts=True)
    below = np.concatenate([[0], np.cumsum(sizes)[:-1]]) + gap * np.arange(len(sizes))
    bars = zip(below.tolist(), sizes.tolist(), strict=True)
    return dict(zip(numbers.tolist(), bars, strict=True))


def _ribbons(ax: Any, at: int, groups: tuple[IntArray, IntArray], stacks: Any) -> None:
    """From the bars of one window to those of the next, in the order of both."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    both = (groups[0] >= 0) & (groups[1] >= 0)
    pairs, counts = np.unique(
        np.column_stack([groups[0][both], groups[1][both]]), axis=0, return_counts=True
    )
    used = [{g: bottom for g, (bottom, _) in stack.items()} for stack in stacks]
    x0, x1 = at + _BAR / 2, at + 1 - _BAR / 2
    mid = (x0 + x1) / 2
    codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
    for (a, b), height in zip(pairs.tolist(), counts.tolist(), strict=True):
        y0, y1 = used[0][a], used[1][b]
        used[0][a], used[1][b] = y0 + height, y1 + height
        edge = [(x0, y0), (mid, y0), (mid, y1), (x1, y1)]
        back = [(x1, y1 + height), (mid, y1 + height), (mid, y0 + height), (x0, y0 + height)]
        path = Path([*edge, *back, (x0, y0)], codes)
        ax.add_patch(PathPatch(path, facecolor=colour_of(a), edgecolor="none", alpha=0.35))
