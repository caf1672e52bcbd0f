"""Hubs: a sign that the clusters of the collapse are far worse than those of L, and a warning.

On networks with hubs and few triangles a handful of triangles looks like a group of its own, and
all the rest becomes one cluster. Whoever asked for that operator gets its clusters; whoever was
given it by default is told.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._linalg.operators import Operator
from cellapse._operators.fair import weighted_edges, without_cells
from cellapse._shared.arrays import IntArray
from cellapse._shared.notes import warn_user
from cellapse.tasks._clusters import modularity_by

_MOST_IN_ONE = 0.6  # of the vertices in one cluster: only then is L asked at all
_BEHIND = 0.02  # of modularity


def warn_if_lopsided(
    K: Complex, numbers: IntArray, again: Callable[[Operator, int], IntArray]
) -> None:
    """Warn where one cluster holds most vertices, and those of L (`again`) are far more modular."""
    sizes = np.bincount(numbers)
    if len(sizes) < 2 or sizes.max() <= _MOST_IN_ONE * len(numbers) or not K.n_cells[1]:
        return
    edges, plain = weighted_edges(K), without_cells(K)
    mine, other = (modularity_by(edges, c) for c in (numbers, again(plain, len(sizes))))
    if other > mine + _BEHIND:
        warn_user(
            f"one cluster holds {sizes.max():,} of {len(numbers):,} vertices, and the clusters of "
            f"the {plain.name} have modularity {other:.3f}, these {mine:.3f}: the network has "
            "hubs and few cells, it seems; better cluster that operator, and see tasks.verdict"
        )
