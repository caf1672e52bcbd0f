"""The hyperedges that a complex was lifted from, as they were given: what goes out again.

The lift makes edges of all pairs within a hyperedge, and one cell of copies. Whatever writes a
complex for those who know hypergraphs writes these instead of the cells.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cellapse._shared.arrays import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from cellapse._complex.complex import Complex


@dataclass(frozen=True, eq=False)
class GivenHyperedges:
    """Hyperedges in the order in which they were given, copies and those of one vertex included.

    Attributes
    ----------
    cells : integer array
        Which cell each is, counted through all ranks: the vertices first, then the edges, ...
    weights : array, optional
        Its own weight, where they are weighted; that of a cell is the sum over several.
    names : sequence, optional
        By default 0, 1, ...
    records : mapping
        What is known of hyperedges that stand for a vertex, or came again, by their positions.
    counted : bool
        Whether cells have an attribute `multiplicity`, which is how often they were given.
    ranked : bool
        Whether they are the cells, with ranks, and no pairs within them are.
    """

    cells: IntArray
    weights: FloatArray | None = None
    names: Sequence[Hashable] | None = None
    records: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    counted: bool = False
    ranked: bool = False

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        return f"<GivenHyperedges: {len(self):,}{', weighted' * (self.weights is not None)}>"

    def firsts(self) -> IntArray:
        """Return the position of the first copy of every hyperedge.

        >>> GivenHyperedges(np.array([7, 5, 7])).firsts().tolist()
        [0, 1, 0]
        """
        _, first, again = np.unique(self.cells, return_index=True, return_inverse=True)
        return np.asarray(first[again], dtype=np.int64)

    def taken(self, kept: BoolArray) -> GivenHyperedges:
        """Return those whose cell is kept, where some of all cells are.

        >>> GivenHyperedges(np.array([7, 5])).taken(np.arange(8) != 5).cells.tolist()
        [6]
        """
        chosen = np.flatnonzero(kept[self.cells])
        place = {old: new for new, old in enumerate(chosen.tolist())}
        return replace(
            self,
            cells=(np.cumsum(kept) - 1)[self.cells[chosen]],
            weights=None if self.weights is None else self.weights[chosen],
            names=None if self.names is None else tuple(self.names[i] for i in chosen.tolist()),
            records={place[i]: r for i, r in self.records.items() if i in place},
        )


def given_hyperedges(K: Complex) -> GivenHyperedges | None:
    """Return the hyperedges that were given, where they say all that is known of the complex.

    An attribute of the pairs within hyperedges makes cells of them that count by themselves.

    >>> import cellapse as cl
    >>> K = cl.hypergraph_complex([("a", "b", "c"), ("c", "d")])
    >>> len(given_hyperedges(K)), given_hyperedges(K.skeleton(2))
    (2, None)
    """
    H = K.hyperedges
    if H is None or H.ranked:  # what has ranks goes out as cells with ranks
        return None
    derived = np.setdiff1d(np.arange(K.n_vertices, K.n_vertices + K.n_cells[1]), H.cells)
    derived -= K.n_vertices
    for column in K.attributes[1].values():
        of_pairs = column[derived]
        known = of_pairs.dtype != object or any(v is not None for v in of_pairs.tolist())
        if len(derived) and known:
            return None
    return H
