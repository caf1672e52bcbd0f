"""Lengths of edges: an attribute of that name, or the distances of positions."""

from __future__ import annotations

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import real_array

_FARTHEST = 1e50


def edge_lengths(K: Complex) -> FloatArray:
    """Return the attribute "length" of the edges, or else distances by "position" of vertices.

    >>> K = Complex.from_cells({1: [("a", "b")]}, attributes={0: {"position": [[0, 0], [3, 4.0]]}})
    >>> edge_lengths(K).tolist()
    [5.0]
    """
    if not K.n_edges:
        return np.empty(0)
    if "length" in K.attributes[1]:
        lengths = real_array(K.attributes[1]["length"], "the attribute 'length'")
    elif "position" in K.attributes[0]:
        x = real_array(K.attributes[0]["position"], "the attribute 'position'")
        i, j = K.cells[1].as_array().T
        apart = abs(x[i] - x[j])
        size = apart.max(
            axis=1, initial=1.0 / _FARTHEST, keepdims=True
        )  # whose squares are numbers
        lengths = size[:, 0] * np.linalg.norm(apart / size, axis=1)
    else:
        raise InputError(
            'no edge has a "length" and no vertex a "position"; give K.with_attributes({0: '
            '{"position": points}}) or {1: {"length": lengths}}'
        )
    bad = np.flatnonzero(~(np.isfinite(lengths) & (lengths >= 0)))
    if lengths.ndim != 1 or len(bad):
        at = int(bad[0]) if lengths.ndim == 1 else 0
        raise InputError(
            f"edge {K.cell_label(1, at)!r:.80} has the length {lengths[at]}; lengths are numbers "
            "of at least 0, one for each edge"
        )
    far = np.flatnonzero((lengths > _FARTHEST) | ((lengths > 0) & (lengths < 1.0 / _FARTHEST)))
    if len(far):
        raise InputError(
            f"edge {K.cell_label(1, int(far[0]))!r:.80} has the length {lengths[far[0]]:.3g}; give "
            f"numbers from {1.0 / _FARTHEST:g} to {_FARTHEST:g}, in another unit: areas and their "
            "squares have to be numbers, too"
        )
    return lengths
