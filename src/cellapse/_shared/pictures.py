"""Small pictures as SVG, for what a notebook shows: no library, a few kilobytes, light or dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from cellapse._shared.arrays import FloatArray, IntArray

# Okabe and Ito's colours, which are distinct with any kind of colour vision.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442")

_WIDE, _HIGH, _EDGE = 180, 120, 8


def points(values: FloatArray) -> str:
    """Return values over their index, as points.

    >>> points(np.array([0.0, 1.0])).count("<circle")
    2
    """
    y = np.where(np.isfinite(values), values, 0.0)[:200]
    x = np.arange(len(y), dtype=np.float64)
    xy = np.column_stack([_within(x, _WIDE), _HIGH - _within(y, _HIGH)])
    axis = f"M{_EDGE} {_EDGE}V{_HIGH - _EDGE}H{_WIDE - _EDGE}"
    return _svg([f'<path d="{axis}" fill="none" stroke="currentColor" opacity=".4"/>', *_dots(xy)])


def bars(values: Sequence[float], colours: Sequence[str] = PALETTE) -> str:
    """Return a bar per value, each in its colour.

    >>> bars([3, 1]).count("<rect")
    2
    """
    top, step = max([*values, 1e-300]), (_WIDE - 2 * _EDGE) / max(len(values), 1)
    drawn = []
    for i, value in enumerate(values):
        high = (_HIGH - 2 * _EDGE) * value / top
        drawn.append(
            f'<rect x="{_EDGE + i * step:.1f}" y="{_HIGH - _EDGE - high:.1f}" '
            f'width="{0.85 * step:.1f}" height="{high:.1f}" fill="{colours[i % len(colours)]}"/>'
        )
    return _svg(drawn)


def grid(rows: IntArray, columns: IntArray, n: int) -> str:
    """Where the entries of an n x n matrix are, in at most 40 x 40 squares, the fuller the darker.

    >>> grid(np.array([0, 1]), np.array([0, 1]), 2).count("<rect")
    2
    """
    size = min(n, 40)
    counts = np.zeros((size, size))
    np.add.at(counts, (rows * size // n, columns * size // n), 1)
    step = (_HIGH - 2 * _EDGE) / size
    shade = 0.2 + 0.8 * np.log1p(counts) / max(float(np.log1p(counts.max(initial=0))), 1e-300)
    left = (_WIDE - _HIGH) / 2 + _EDGE
    return _svg(
        f'<rect x="{left + j * step:.1f}" y="{_EDGE + i * step:.1f}" width="{step:.2f}" '
        f'height="{step:.2f}" fill="{PALETTE[0]}" opacity="{shade[i, j]:.2f}"/>'
        for i, j in np.argwhere(counts).tolist()
    )


def network(
    places: FloatArray,
    edges: IntArray,
    polygons: Sequence[FloatArray] = (),
    shares: FloatArray | None = None,
    groups: IntArray | None = None,
) -> str:
    """Return vertices at their places, edges as strong as their shares, cells as faint areas."""
    low, extent = places.min(axis=0), np.ptp(places, axis=0)
    frame = np.array([_WIDE, _HIGH])
    scale = float(((frame - 2 * _EDGE) / np.maximum(extent, 1e-9)).min())

    def put(xy: FloatArray) -> FloatArray:
        return (xy - low) * scale + (frame - scale * extent) / 2

    faint = min(0.3, max(0.04, 12 / max(len(polygons), 1)))
    areas = [f'<path d="{_line(put(polygon))}Z"/>' for polygon in polygons]
    drawn = [f'<g fill="{PALETTE[0]}" fill-opacity="{faint:.2f}">', *areas, "</g>"]
    strength = np.full(len(edges), 0.4) if shares is None else shares
    classes = np.minimum((4 * strength).astype(int), 3)  # one path for each of four strengths
    for c in range(4):
        lines = "".join(_line(put(places[edge])) for edge in edges[classes == c])
        drawn.append(
            f'<path d="{lines}" stroke="currentColor" stroke-width="{0.4 + c / 4:.2f}" '
            f'opacity="{0.2 + c / 6:.2f}"/>'
        )
    radius = 3.0 if len(places) < 60 else 2.0
    return _svg([*drawn, *_dots(put(places), groups, radius)])


def _line(points: FloatArray) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points.tolist())


def _within(values: FloatArray, size: int) -> FloatArray:
    """Return the values on an axis of that length, its margins left free."""
    low, extent = min(float(values.min(initial=0.0)), 0.0), float(values.max(initial=0.0))
    return _EDGE + 4 + (size - 2 * _EDGE - 8) * (values - low) / max(extent - low, 1e-300)


def _dots(xy: FloatArray, groups: IntArray | None = None, radius: float = 2.2) -> list[str]:
    colours = [0] * len(xy) if groups is None else (groups % len(PALETTE)).tolist()
    return [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{PALETTE[c]}"/>'
        for (x, y), c in zip(xy.tolist(), colours, strict=True)
    ]


def _svg(parts: Iterable[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDE}" height="{_HIGH}" '
        f'viewBox="0 0 {_WIDE} {_HIGH}" aria-hidden="true">{"".join(parts)}</svg>'
    )
