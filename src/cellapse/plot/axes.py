"""The axes that are drawn on, the colours of groups, and vertices as marks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from cellapse._errors import InputError, extra
from cellapse._shared.align import align_groups
from cellapse._shared.arrays import FloatArray

# Okabe and Ito's colours; beyond seven the mark changes, too.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442")
MARKS = ("o", "s", "^", "D")


def axes_for(ax: Any) -> Any:
    """The axes given, or those of a new figure of pyplot, which a notebook shows by itself."""
    with extra("matplotlib", "plot"):
        from matplotlib.axes import Axes
    if ax is None:
        from matplotlib import pyplot

        return pyplot.subplots(layout="constrained")[1]
    if not isinstance(ax, Axes):
        raise InputError(f"ax={ax!r:.80}; give the axes of matplotlib to draw on, or leave it out")
    return ax


def scatter(
    ax: Any, xy: FloatArray, values: Any, labels: Sequence[Hashable], zorder: int = 2
) -> None:
    """A mark per vertex, in the colours of groups or of a scale."""
    look: dict[str, Any] = {"edgecolor": "#1b2430", "linewidth": 0.5, "zorder": zorder}
    if values is None:
        ax.scatter(*xy.T, color=PALETTE[0], **look)
        return
    given = align_groups(values, labels, "values")
    if given.dtype.kind not in "biufU":
        given = np.array(list(map(str, given)))
    if given.dtype.kind == "f":
        if not np.isfinite(given).all():
            raise InputError("values holds infinite values, which have no colour; replace them")
        both = given.min() < 0 < given.max()
        top = abs(given).max()
        span = {"vmin": -top, "vmax": top, "cmap": "PuOr_r"} if both else {"cmap": "viridis"}
        ax.figure.colorbar(ax.scatter(*xy.T, c=given, **span, **look), ax=ax, shrink=0.7)
        return
    names: Sequence[Any] = np.unique(given).tolist()
    for i, name in enumerate(names):
        mark, colour = MARKS[i // 7 % 4], PALETTE[i % 7]
        ax.scatter(*xy[given == name].T, marker=mark, color=colour, label=str(name), **look)
