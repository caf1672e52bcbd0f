"""A complex as a small SVG for a notebook: all of it, or the surroundings of a busy vertex."""

from __future__ import annotations

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.pictures import network
from cellapse.plot.layout import around, arrange, neighbourhood

_MOST, _EDGES, _CELLS = (
    150,
    500,
    400,
)  # vertices, edges and cells: what can be recognized at this size


def small_drawing(
    K: Complex, shares: FloatArray | None = None, groups: IntArray | None = None
) -> str:
    """Return vertices, edges and cells as SVG; edges as strong as their shares, vertices by group.

    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> small_drawing(K).count("<circle"), small_drawing(K).count("Z")
    (3, 1)
    """
    kept = neighbourhood(K, _MOST)
    place = np.full(K.n_vertices, -1)
    place[kept] = np.arange(len(kept))
    pairs = K.cells[1].as_array(2) if K.max_rank else np.empty((0, 2), np.int64)
    inside = np.flatnonzero((place[pairs] >= 0).all(axis=1))
    strength = np.full(len(inside), 0.4) if shares is None else np.clip(shares[inside], 0.0, 1.0)
    edges = place[pairs[inside]]
    pull = strength / max(float(strength.mean()), 1e-9) if len(edges) else strength
    xy = arrange(len(kept), edges, pull)
    cells = [place[c] for rank in K.cells[2:] for c in rank if (place[c] >= 0).all()][:_CELLS]
    strongest = np.sort(np.argsort(-strength, kind="stable")[:_EDGES])
    return network(
        xy,
        edges[strongest],
        [around(xy[c]) for c in cells],
        strength[strongest],
        None if groups is None else groups[kept],
    )
