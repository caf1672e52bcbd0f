"""Random pairs of vertices as edges of the network: what trust they get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cellapse._complex.cells import Cells
from cellapse._complex.complex import Complex, require_complex
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.lifts.cliques import clique_complex
from cellapse.tasks.trust import trust_by_cells

_AT_ONCE = 0.05  # decoys in one go, next to the edges: few enough to leave the network as it is
_WANTED = 1000  # decoys in all
_MOST_GOES = 100

Lift = Callable[[Complex], Complex]


def own_lift(K: Complex) -> Lift:
    """The clique lift, if that is where the cells of K come from."""
    top = K.max_rank

    def cliques(graph: Complex) -> Complex:
        return clique_complex(graph, top)

    weighted = any(w is not None for w in K.weights[2:])
    if not weighted and K.is_simplicial:
        again = cliques(K.skeleton(1))  # equivalent: only its edges are looked at
        alike = again.n_cells == K.n_cells and all(
            _same(mine, yours) for mine, yours in zip(again.cells[2:], K.cells[2:], strict=True)
        )
        if alike:
            return cliques
    raise InputError(
        "the cells are not all cliques of the edges, so it is not known which cells a random pair "
        "would close; give lift=..., the function that made the cells, such as "
        "lifts.cycle_complex, or take edge_trust(K), which needs none"
    )


def _same(mine: Cells, yours: Cells) -> bool:
    """Whether these are the same simplices, in any order."""
    if np.array_equal(mine.indices, yours.indices):
        return True
    a, b = (table[np.lexsort(table.T[::-1])] for table in (mine.as_array(), yours.as_array()))
    return np.array_equal(a, b)


def decoy_trust(K: Complex, lift: Lift, pairs: str, rng: np.random.Generator) -> FloatArray:
    """The trust that random pairs of vertices have, once they are edges."""
    edges, n = K.cells[1].as_array(), K.n_vertices
    chance = np.bincount(edges.ravel(), minlength=n) if pairs == "degree" else np.ones(n)
    some = max(1, round(_AT_ONCE * len(edges)))
    values: list[FloatArray] = []
    for _ in range(min(_MOST_GOES, -(-_WANTED // some))):
        new = _random_pairs(edges, n, some, chance, rng)
        if len(new):
            given = Complex.from_arrays(n, {1: np.concatenate([edges, new])})
            lifted = lift(given)
            require_complex(lifted, "lift")
            same = lifted.n_cells[1:2] == given.n_cells[1:2]
            if not same or (lifted.cells[1].indices != given.cells[1].indices).any():
                raise InputError(
                    f"lift gave {lifted!r} for {len(edges) + len(new)} edges; it has to keep the "
                    "edges, in their order, and only add cells"
                )
            values.append(trust_by_cells(lifted)[0][len(edges) :])
    return np.concatenate([np.empty(0), *values])


def _random_pairs(
    edges: IntArray, n: int, count: int, chance: NDArray[Any], rng: np.random.Generator
) -> IntArray:
    """Up to `count` different pairs that are no edges, both ends in proportion to `chance`."""
    known = np.sort(edges.min(axis=1).astype(np.int64) * n + edges.max(axis=1))
    new = np.empty(0, dtype=np.int64)
    reach = np.cumsum(chance)
    for _ in range(20):  # speed only: few pairs are left where that is not enough
        ends = np.searchsorted(reach, rng.random((4 * count, 2)) * reach[-1], side="right")
        ends = np.minimum(ends, n - 1)  # equivalent: but for rounding at the very end
        low, high = np.sort(ends, axis=1).T
        codes = (low * n + high)[low < high]
        at = np.minimum(np.searchsorted(known, codes), len(known) - 1)
        fresh = np.concatenate([new, codes[known[at] != codes]])
        _, first = np.unique(fresh, return_index=True)
        new = fresh[np.sort(first)][:count]  # in the order drawn
        if len(new) == count:
            break
    return np.stack([new // n, new % n], axis=1)
