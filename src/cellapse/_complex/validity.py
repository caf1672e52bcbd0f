"""What makes cells, labels and weights a complex, checked when one is built.

No set of vertices is a cell twice; x inside y needs rank x <= rank y; weights are positive.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from cellapse._complex.attributes import LabelsOf
from cellapse._complex.cells import Cells
from cellapse._complex.labels import positions
from cellapse._errors import InputError
from cellapse._shared.align import align, has_labels, one_column, plain
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import listed, real_array, whole_number
from cellapse._shared.memory import require_memory
from cellapse._shared.rows import RowIndex

LEAST_WEIGHT, MOST_WEIGHT = 1e-100, 1e60
LabelOf: TypeAlias = Callable[[int, int], Hashable]  # of a rank and a position, for messages


def check_ranks(cells: Mapping[int, Any]) -> list[int]:
    """Return the ranks that were given, in ascending order."""
    if not isinstance(cells, Mapping):
        raise InputError(
            f"cells is a {type(cells).__name__}; give a mapping from rank to cells, "
            "for instance {1: [('a', 'b')]}"
        )
    # Every rank up to the largest gets a table, so a rank is no place for an arbitrary number.
    return sorted(whole_number("rank", k, 0, 1000) for k in cells)


def check_labels(labels: Sequence[Hashable] | None, n_vertices: int) -> Sequence[Hashable]:
    """Return one label per vertex, all different; by default the positions themselves."""
    if labels is None:
        return range(n_vertices)
    given = labels if isinstance(labels, range) else tuple(listed(labels, "labels"))
    if len(given) != n_vertices:
        raise InputError(f"{len(given)} labels for {n_vertices} vertices; give one per vertex")
    if isinstance(given, range):  # whose numbers differ anyway
        return given
    if any(issubclass(kind, np.generic) for kind in set(map(type, given))):
        given = tuple(map(plain, given))
    positions(given)
    return given


def check_weights(
    weights: Mapping[int, Any] | None, tables: Sequence[Cells], labels_of: LabelsOf
) -> tuple[FloatArray | None, ...]:
    """Return the weights of each rank, or None where all are 1."""
    if weights is not None and not isinstance(weights, Mapping):
        raise InputError(
            f"weights is a {type(weights).__name__}; give a mapping from rank to numbers, "
            "for instance {1: [1.0, 2.0]}"
        )
    given = dict(weights or {})
    checked: list[FloatArray | None] = []
    for k, cells in enumerate(tables):
        values = one_column(given.pop(k, None))
        if values is None:
            checked.append(None)
            continue
        name = f"the list of weights of rank {k}"
        if has_labels(values):
            values = align(values, labels_of(k), name, cells=k > 0)
        array = real_array(values, name)
        if array.shape != (len(cells),):
            raise InputError(
                f"weights of rank {k} have shape {array.shape}, but there are {len(cells)} cells "
                "of that rank; give one number per cell"
            )
        bad = np.flatnonzero(~(np.isfinite(array) & (array > 0)))
        if len(bad):
            raise InputError(
                f"weight {array[bad[0]]} of cell number {bad[0]} of rank {k} is not a positive "
                "finite number; leave out cells that should not count"
            )
        far = np.flatnonzero((array < LEAST_WEIGHT) | (array > MOST_WEIGHT))
        if len(far):
            raise InputError(
                f"weight {array[far[0]]} of cell number {far[0]} of rank {k}; give numbers from "
                f"{LEAST_WEIGHT:g} to {MOST_WEIGHT:g}: what is made of them has to be numbers, too"
            )
        checked.append(array)
    if given:
        raise InputError(f"weights for rank {min(given)}, where there are no cells; remove them")
    return tuple(checked)


def check_no_duplicates(cells: Sequence[Cells], label_of: LabelOf) -> None:
    """Refuse a set of vertices that is a cell twice, of whatever ranks."""
    n_vertices = len(cells[0])
    above = {size for c in cells[1:] for size in c.all_sizes()}  # vertices alone are all different
    for size in sorted(above):
        tables = [(k, *c.of_size(size)) for k, c in enumerate(cells)]
        filled = [table for _, _, table in tables if len(table)]
        rows = filled[0] if len(filled) == 1 else np.concatenate(filled)  # saves a copy
        if size > 3:  # walks keep their order; all others ascend already
            rows = np.sort(rows, axis=1)
        repeat = RowIndex(rows, n_vertices).first_repeat()
        if repeat is not None:
            rank = np.concatenate([np.full(len(where), k) for k, where, _ in tables])
            position = np.concatenate([where for _, where, _ in tables])
            i, j = repeat
            raise InputError(
                f"cell {label_of(rank[j], position[j])!r} of rank {rank[j]} is given "
                f"twice (also at rank {rank[i]}); a set of vertices is one cell of one rank: "
                "remove the second, or give it a weight"
            )


def check_order_preserving(cells: Sequence[Cells], label_of: LabelOf) -> None:
    """Refuse a cell that lies inside one of lower rank.

    Sizes alone settle it for simplicial and most other data.
    """
    n_vertices, max_rank = len(cells[0]), len(cells) - 1
    for low in range(1, max_rank):
        for high in range(low + 1, max_rank + 1):
            x, y = cells[high], cells[low]
            if not len(x) or not len(y) or x.sizes.min() >= y.sizes.max():
                continue
            small = np.flatnonzero(x.sizes < y.sizes.max())
            members = x.membership(n_vertices)[small]
            meetings = members.sum(axis=0) @ np.bincount(y.indices, minlength=n_vertices)
            require_memory(
                16.0 * float(meetings),
                f"comparing {len(small):,} cells of rank {high} with {len(y):,} larger ones of "
                f"rank {low}",
                "give larger cells the higher rank",
            )
            shared = members @ y.membership(n_vertices).T
            inside = shared.tocoo()
            bad = np.flatnonzero(inside.data == x.sizes[small][inside.row])
            if len(bad):
                i, j = int(small[inside.row[bad[0]]]), int(inside.col[bad[0]])
                raise InputError(
                    f"cell {label_of(high, i)!r} of rank {high} lies inside "
                    f"{label_of(low, j)!r} of rank {low}; ranks must grow with "
                    "containment: lower the rank of the first or raise that of the second"
                )
