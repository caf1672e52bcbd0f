"""The lift of hypergraphs: pairs within a hyperedge become edges, itself a cell of rank 2."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator, Mapping, MappingView, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cellapse._complex.attributes import usual_weight
from cellapse._complex.cells import Cells, ascending_rows, build_cells
from cellapse._complex.complex import Complex
from cellapse._complex.given import read_hypergraph, refuse_networks
from cellapse._complex.hyperedges import GivenHyperedges
from cellapse._complex.labels import (
    as_tuples,
    numbered,
    positions,
    refuse_points,
    steady,
    vertex_order,
)
from cellapse._complex.weights import AUTO, says_something, weighted_by
from cellapse._errors import InputError
from cellapse._shared.align import align, one_column, own_labels
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import listed, one_of, real_array, unmasked
from cellapse._shared.memory import Fitting, require_memory
from cellapse._shared.rows import RowIndex

_LISTS: Any = (list, tuple, set, frozenset, deque, dict, Iterator, MappingView, np.ndarray)


@Fitting("the complex", "take a smaller one, or one of fewer cells")
def hypergraph_complex(
    hyperedges: Any,
    *,
    weight: str | None = AUTO,
    vertices: Sequence[Hashable] | None = None,
    weights: Any = None,
    multiplicity: str = "merge",
) -> Complex:
    """Make the complex of a hypergraph: pairs are edges, larger hyperedges cells of rank 2.

    Parameters
    ----------
    hyperedges : collection of collections of labels, {name: members}, or an object
        A hyperedge of two vertices is an edge, of one vertex only a vertex. Objects are the
        hypergraphs of other libraries, tables and names of files, as `as_complex` and `read` take
        them; they have vertices of their own.
    weight : str or None
        Of an object: the attribute that holds the weights, as for `as_complex`.
    vertices : sequence of hashable, optional
        All vertices in the order wanted; by default numbers in numeric order, others as they come.
    weights : one positive number per hyperedge, optional
        A Series or mapping goes by the names of the hyperedges, or by their members where they
        have no names; an array is in their order.
        A hyperedge given several times gets the sum of its weights, and an edge the sum over the
        hyperedges that hold it.
    multiplicity : {"merge", "weight"}
        What becomes of hyperedges given several times: one cell like any other, or one cell whose
        weight is the number of times it was given (and edges weighted by the number of hyperedges
        that hold them): "weight" is short for `weights` of one each.

    Returns
    -------
    Complex

    Examples
    --------
    >>> hypergraph_complex([("a", "b", "c"), ("c", "d")])
    Complex(n_cells=(4, 4, 1))
    """
    one_of("multiplicity", multiplicity, ("merge", "weight"))
    if not isinstance(hyperedges, _LISTS) and getattr(hyperedges, "ndim", 0) != 1:
        if vertices is not None or weights is not None:
            raise InputError(
                f"vertices or weights beside a {type(hyperedges).__name__}, which has its own; "
                "leave them out, or name the attribute that holds the weights: weight="
            )
        return _of_object(hyperedges, weight, multiplicity)
    if weight not in (AUTO, None):
        raise InputError(
            f"weight={weight!r}, but a list of hyperedges has no attributes; give weights=, one "
            "number for each of them"
        )
    if weights is not None and multiplicity == "weight":
        raise InputError('weights and multiplicity="weight" were both given; leave out the second')
    groups = _listed_hyperedges(hyperedges)
    if weights is not None:
        weights = _by_hyperedge(weights, hyperedges, groups)
    if vertices is None:
        labels = vertex_order(v for group in groups for v in group)
    else:
        labels = tuple(listed(steady(vertices), "the list of vertices"))
    given = build_cells(2, numbered(2, groups, positions(labels)), len(labels), labels)
    if multiplicity == "weight":
        weights = np.ones(len(given))
    K = lift_hyperedges(given, labels, weights)
    names = own_labels(hyperedges, "hyperedges")
    if names is None or K.hyperedges is None:
        return K
    if not isinstance(hyperedges, Mapping) and list(names) == list(range(len(names))):
        return K  # a Series that was given none
    return replace(K, hyperedges=replace(K.hyperedges, names=tuple(names)))


def _listed_hyperedges(given: Any) -> list[tuple[Hashable, ...]]:
    """The members of each hyperedge; matrices, points and lists of networks are something else."""
    given = unmasked(given, "the array of hyperedges")
    if isinstance(given, np.ndarray) and given.dtype.kind in "fcb":
        raise InputError(
            f"an array of shape {given.shape} and type {given.dtype}: points or a matrix, it "
            "seems, and no hyperedges; of an incidence matrix give [B[:, j].nonzero()[0] for j in "
            "range(B.shape[1])], and points to lifts.nearest_neighbour_complex"
        )
    refuse_networks(given)
    groups = as_tuples(2, given.values() if isinstance(given, Mapping) else given)
    refuse_points(groups)
    return groups


def _by_hyperedge(weights: Any, hyperedges: Any, groups: Sequence[Any]) -> Any:
    """The weights in the order of the hyperedges: by name, or by members where they have none."""
    weights, names = one_column(weights), own_labels(hyperedges, "hyperedges")
    if names is not None:
        return align(weights, names, "weights")
    return align(weights, groups, "weights", cells=True)


def _of_object(given: Any, weight: str | None, multiplicity: str) -> Complex:
    counted = multiplicity == "weight"
    if not isinstance(given, Complex):
        K = read_hypergraph(given, None if counted else weight)
        if not counted:
            return K
    else:
        K = given if weight == AUTO else weighted_by(given, weight)
        if K.hyperedges is None and K.max_rank != 1:
            raise InputError(
                f"{given!r} is a complex with cells of its own; collapse takes it as it is"
            )
    if not counted:
        return K if K.max_rank != 1 else _of_cells(K, K.weights[1])
    said = weight == AUTO and any(map(_says_weights, K.attributes[1:]))
    if said or weight not in (AUTO, None) or any(w is not None for w in K.weights[1:]):
        raise InputError(
            'the hyperedges have weights, and multiplicity="weight" was given besides; leave '
            "it out, or pass weight=None"
        )
    return _counted(K)


def _counted(K: Complex) -> Complex:
    """Return the lift of hyperedges with how often they were given as their weights."""
    n, H = K.n_vertices, K.hyperedges
    if H is None or H.ranked:
        if K.max_rank != 1:
            raise InputError(
                'what was given has cells with ranks, and multiplicity="weight" is for hyperedges; '
                "leave it out"
            )
        times = K.attributes[1].get("multiplicity")
        return _of_cells(K, np.ones(K.n_cells[1]) if times is None else times)
    members: list[Any] = [(v,) for v in range(n)]
    for k in range(1, K.max_rank + 1):
        members += [K.cells[k][i] for i in range(K.n_cells[k])]
    copies = numbered(2, [members[i] for i in H.cells.tolist()], positions(range(n)))
    ones = np.ones(len(H))
    counts = lift_hyperedges(build_cells(2, copies, n, K.labels), K.labels, ones).weights
    known = {k: w for k, w in enumerate(counts) if w is not None}
    return replace(K.with_attributes({}, known), hyperedges=replace(H, weights=ones))


def _says_weights(columns: Any) -> bool:
    """Return whether cells have weights; pairs within hyperedges have nothing at all."""
    return says_something([v for v in columns.get(usual_weight(columns), ()) if v is not None])


def _of_cells(K: Complex, each: Any) -> Complex:
    """Return the lift of cells of rank 1 of any sizes."""
    lifted = lift_hyperedges(K.cells[1], K.labels, each)
    return replace(lifted.with_attributes({0: K.attributes[0]}), metadata=K.metadata)


def lift_hyperedges(given: Cells, labels: Sequence[Hashable], weights: ArrayLike | None) -> Complex:
    """`hypergraph_complex` of hyperedges that are numbered and checked."""
    n = len(labels)
    each = _weight_of_each(weights, len(given))
    sizes = given.sizes.astype(float)
    n_pairs = int((sizes * (sizes - 1) / 2).sum())
    require_memory(
        64.0 * n_pairs,
        f"the {n_pairs:,} pairs within hyperedges of up to {int(sizes.max(initial=0)):,} vertices",
        "leave out the largest hyperedges, or give them as cells of rank 1 to "
        'Complex.from_cells and use realization="incidence", which needs no pairs',
    )
    first, held = merge_copies(given, n, each)
    distinct = given.take(first)
    edges, shared = _pairs_within(given, n, each)
    number = np.empty(len(given), np.int64)  # of the cell that each of them is
    for size in (1, 2):
        where, members_ = given.of_size(size)
        places = RowIndex(edges, n).find(np.sort(members_, axis=1)) if size == 2 else members_
        number[where] = places.ravel() + n * (size - 1)
    number[first] = n + len(edges) + np.arange(len(first))
    # A hyperedge is no walk along a boundary: its members ascend.
    members = ascending_rows(distinct.indices, distinct.indptr)
    cells = {1: edges, 2: (distinct.indptr, members)}
    sums = None if weights is None else {1: shared, 2: held}
    K = Complex.from_arrays(n, cells, labels=labels, weights=sums)
    own = None if weights is None else each
    return replace(K, hyperedges=GivenHyperedges(number[first_copies(given, n)], own))


def _weight_of_each(weights: ArrayLike | None, count: int) -> FloatArray:
    if weights is None:
        return np.ones(count)
    each = real_array(weights, "the list of weights of hyperedges")
    if each.shape != (count,) or not (np.isfinite(each) & (each > 0)).all():
        raise InputError(
            f"weights of shape {each.shape} for {count} hyperedges; give one positive finite "
            "number per hyperedge, and leave out those that should not count"
        )
    return each


def merge_copies(given: Cells, n: int, each: FloatArray) -> tuple[IntArray, FloatArray]:
    """Where each different cell of three and more vertices comes first, and the sum over copies."""
    first = first_copies(given, n)
    total: FloatArray = np.zeros(len(given))
    np.add.at(total, first, each)
    chosen = np.flatnonzero((first == np.arange(len(first))) & (given.sizes > 2))
    return chosen, total[chosen]


def first_copies(given: Cells, n: int) -> IntArray:
    """Return the position of the first cell with the same vertices, for every cell.

    >>> first_copies(Cells(np.array([0, 2, 3, 5]), np.array([0, 1, 2, 1, 0])), 3).tolist()
    [0, 1, 0]
    """
    ascending = Cells(given.indptr, ascending_rows(given.indices, given.indptr))
    first = np.arange(len(given))
    for size in np.unique(given.sizes).tolist():
        where, rows = ascending.of_size(size)
        if len(rows) > 1 and (index := RowIndex(rows, n)).first_repeat() is not None:
            first[where] = where[index.find(rows)]
    return first


def _pairs_within(given: Cells, n: int, each: FloatArray) -> tuple[IntArray, FloatArray]:
    """The pairs of vertices that share a cell, and the sum over the cells that each pair shares."""
    keys, values = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    for size in np.unique(given.sizes[given.sizes > 1]).tolist():
        where, cells = given.of_size(size)
        rows = np.sort(cells, axis=1)
        first, second = np.triu_indices(size, 1)
        keys.append((rows[:, first] * n + rows[:, second]).ravel())
        values.append(np.repeat(each[where], len(first)))
    pairs, place = np.unique(np.concatenate(keys), return_inverse=True)
    shared = np.zeros(len(pairs))
    np.add.at(shared, place, np.concatenate(values))
    return np.column_stack([pairs // n, pairs % n]), shared
