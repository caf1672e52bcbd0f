"""What a complex says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cellapse._complex.counts import cells_in_words
from cellapse._shared.card import Card
from cellapse._shared.pictures import bars

if TYPE_CHECKING:
    from cellapse._complex.complex import Complex

_DRAWN = 20_000  # vertices up to which a part of the complex is drawn


def card_of(K: Complex) -> Card:
    """Return cells of each rank, kind, components, what else it carries."""
    weighted = ", ".join(f"rank {k}" for k, w in enumerate(K.weights) if w is not None)
    columns = ", ".join(f"{name} (rank {k})" for k, a in enumerate(K.attributes) for name in a)
    pieces = int(K.components().max()) + 1
    rows = [
        ("cells", cells_in_words(K)),
        ("kind", "simplicial" if K.is_simplicial else "cells of any size"),
        ("components", f"{pieces:,}"),
        ("hyperedges", "" if K.hyperedges is None else f"{len(K.hyperedges):,} were given"),
        ("weights", weighted),
        ("attributes", columns if len(columns) < 100 else columns[:97] + "..."),
    ]
    calls = (
        ("K.plot()", "draws it"),
        ("cl.collapse(K)", "makes the operator"),
        ("cl.edge_trust(K)", "says which edges no cell holds"),
    )
    name = K.metadata.get("name")
    title = f"Complex on {K.n_vertices:,} vertices"
    title += f": {name}" if isinstance(name, str) and name else ""
    return Card(title, tuple((w, v) for w, v in rows if v), lambda: drawing(K), calls)


def drawing(K: Complex, shares: np.ndarray | None = None, groups: np.ndarray | None = None) -> str:
    """A small picture: the complex or a part of it; if it is very large, its cells of each rank."""
    if K.n_vertices > _DRAWN:
        return bars([float(np.log10(n + 1)) for n in K.n_cells])
    from cellapse.plot.small import small_drawing  # a layout, which is a drawing's affair

    return small_drawing(K, shares, groups)
