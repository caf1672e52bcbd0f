"""Protein chains drawn side by side as inline SVG: one panel for every colouring."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from cellapse._shared.arrays import FloatArray
from cellapse.datasets.proteins import Protein

CLASSES = {"H": "#c23b3b", "E": "#2f6db5", "C": "#a5a8ad"}  # helix, sheet, coil
_WIDTHS = {"H": 7.0, "E": 5.5, "C": 2.5}
_SIDE, _ROW = 300, 3  # pixels a panel, panels a row


@dataclass(frozen=True)
class Panel:
    """What one panel shows: a colour a residue, and lines between residues with their colours."""

    colours: Sequence[str]
    links: Sequence[tuple[int, int, str]] = ()


def by_class(protein: Protein) -> Panel:
    """Helices red, sheets blue, the rest grey."""
    return Panel([CLASSES[c] for c in protein.dssp])


def chains(title: str, protein: Protein, panels: Mapping[str, Panel]) -> str:
    """The chain seen along its thinnest direction, once a panel; what lies behind is paler."""
    side = _SIDE
    rows = -(-len(panels) // _ROW)
    wide = side * min(len(panels), _ROW)
    xyz = protein.coordinates[:, 1]
    xyz = xyz - xyz.mean(axis=0)
    view = xyz @ np.linalg.svd(xyz, full_matrices=False)[2].T
    spread = np.ptp(view[:, :2], axis=0).max()
    middle = (view[:, :2].max(axis=0) + view[:, :2].min(axis=0)) / 2
    places = (view[:, :2] - middle) / spread * (side - 40) + side / 2
    depth = np.argsort(np.argsort(view[:, 2])) / max(len(view) - 1, 1)
    parts = []
    for i, (name, panel) in enumerate(panels.items()):
        x, y = side * (i % _ROW), (side + 24) * (i // _ROW)
        drawn = _links(places, panel.links) + _pieces(protein, places, depth, panel.colours)
        parts.append(
            f'<g transform="translate({x},{y})"><text x="{side / 2:.0f}" y="16" font-size="13" '
            f'text-anchor="middle" fill="#333">{escape(name)}</text>'
            f'<g transform="translate(0,20)" fill="none" stroke-linecap="round">{drawn}</g></g>'
        )
    head = f'<svg viewBox="0 0 {wide} {rows * (side + 24)}" role="img" aria-label="{escape(title)}"'
    body = f' style="max-width:{wide}px">{"".join(parts)}</svg>'
    return f"<figure>{head}{body}<figcaption>{escape(title)}</figcaption></figure>"


def _pieces(protein: Protein, places: FloatArray, depth: FloatArray, colours: Sequence[str]) -> str:
    """One curve a residue, from halfway to the one before to halfway to the next, back to front."""
    same = protein.segments[1:] == protein.segments[:-1]
    halfway = (places[1:] + places[:-1]) / 2
    begin, end = places.copy(), places.copy()
    begin[1:][same], end[:-1][same] = halfway[same], halfway[same]
    drawn = []
    for i in np.argsort(depth).tolist():
        (x0, y0), (x1, y1), (x2, y2) = begin[i], places[i], end[i]
        width = _WIDTHS.get(str(protein.dssp[i]), 3.0)
        drawn.append(
            f'<path d="M{x0:.0f} {y0:.0f}Q{x1:.0f} {y1:.0f} {x2:.0f} {y2:.0f}" '
            f'stroke="{colours[i]}" stroke-width="{width}" opacity="{0.45 + 0.55 * depth[i]:.2f}"/>'
        )
    return "".join(drawn)


def _links(places: FloatArray, links: Sequence[tuple[int, int, str]]) -> str:
    return "".join(
        f'<path d="M{places[i, 0]:.0f} {places[i, 1]:.0f}L{places[j, 0]:.0f} {places[j, 1]:.0f}" '
        f'stroke="{colour}" stroke-width="0.8" opacity="0.35"/>'
        for i, j, colour in links
    )
