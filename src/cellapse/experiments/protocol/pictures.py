"""Small pictures as inline SVG: lines, and strips of colours; no plotting library needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np
from numpy.typing import ArrayLike

COLOURS = ("#3b6fb6", "#d1603d", "#8a8d91", "#3f8f5b", "#8457a6", "#b8962e")
_WIDTH = 640


def lines(title: str, curves: Mapping[str, Sequence[float]], xlabel: str, ylabel: str) -> str:
    """Curves over 1, 2, 3, ... with a legend.

    >>> lines("t", {"a": [0, 1]}, "k", "value").startswith("<svg")
    True
    """
    height, left, bottom, top = 260, 56, 40, 28
    longest = max(len(c) for c in curves.values())
    values = np.concatenate([np.asarray(c, float) for c in curves.values()])
    low, high = min(0.0, float(values.min())), float(values.max()) or 1.0
    wide, tall = _WIDTH - left - 10, height - bottom - top

    def place(k: int, value: float) -> str:
        x = left + wide * k / max(longest - 1, 1)
        y = top + tall * (1 - (value - low) / (high - low or 1.0))
        return f"{x:.1f},{y:.1f}"

    parts = [_text(left, 16, title, "bold"), _text(_WIDTH / 2, height - 8, xlabel)]
    parts.append(_text(4, top + 10, f"{high:.3g}"))
    parts.append(_text(4, top + tall, f"{low:.3g}"))
    parts.append(_text(4, top + tall / 2, ylabel))
    parts.append(f'<path d="M{left},{top}V{top + tall}H{left + wide}" fill="none" stroke="#999"/>')
    for i, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[i % len(COLOURS)]
        points = " ".join(place(k, float(v)) for k, v in enumerate(curve))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
        )
        parts.append(_text(left + 12, top + 14 + 16 * i, name, colour=colour))
    return _svg(height, parts, title)


def strips(title: str, rows: Mapping[str, ArrayLike], colours: Sequence[str] = COLOURS) -> str:
    """Return one strip of coloured boxes for every sequence of small whole numbers."""
    left, height = 150, 30 + 26 * len(rows)
    parts = [_text(0, 16, title, "bold")]
    for r, (name, codes) in enumerate(rows.items()):
        values = np.asarray(codes)
        wide = (_WIDTH - left) / len(values)
        y = 28 + 26 * r
        parts.append(_text(0, y + 14, name))
        starts = np.concatenate([[0], np.flatnonzero(np.diff(values)) + 1])
        ends = np.concatenate([starts[1:], [len(values)]])
        parts += [
            f'<rect x="{left + a * wide:.1f}" y="{y}" width="{(b - a) * wide:.1f}" height="18" '
            f'fill="{colours[int(values[a]) % len(colours)]}"/>'
            for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
    return _svg(height, parts, title)


def _text(x: float, y: float, text: str, weight: str = "normal", colour: str = "#333") -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" font-size="12" font-weight="{weight}" fill="{colour}">'
        f"{escape(text)}</text>"
    )


def _svg(height: int, parts: Sequence[str], title: str) -> str:
    head = f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}">'
    return head + "".join(parts) + "</svg>"
