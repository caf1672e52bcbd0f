"""What all readers and writers share: labelled cells with a dict each, to a Complex and back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from cellapse._complex.attributes import check_metadata, columns_of
from cellapse._complex.cells import Cells, ascending_rows, build_cells
from cellapse._complex.complex import Complex
from cellapse._complex.graph import SIMPLE
from cellapse._complex.labels import numbered, positions
from cellapse._complex.simple import Rules
from cellapse._complex.weights import weighted_by
from cellapse._errors import InputError
from cellapse._matrices.containment import containment
from cellapse._shared.arrays import IntArray
from cellapse._shared.checks import whole_number, word
from cellapse._shared.rows import RowIndex
from cellapse.lifts.hyperedges import first_copies, lift_hyperedges

Group = Collection[Hashable]
Record = Mapping[Any, Any]
Ranks = int | str | Callable[[Any], int] | None


def ranked_complex(
    labels: Sequence[Hashable],
    cells: Mapping[int, Sequence[Group]],
    records: Mapping[int, Sequence[Record]],
    weight: str | None,
    metadata: Record | None = None,
    *,
    walks: bool = False,
) -> Complex:
    """Cells that have a rank already; with `walks` their members are listed along a boundary."""
    position = positions(labels)
    tables = {}
    for rank, group in cells.items():
        indptr, indices = numbered(rank, group, position)
        # The order of a set is an accident: other members first would mean another polygon.
        tables[rank] = (indptr, indices if walks else ascending_rows(indices, indptr))
    attributes = {rank: columns_of(listed) for rank, listed in records.items()}
    K = Complex.from_arrays(len(labels), tables, labels, attributes=attributes, metadata=metadata)
    return weighted_by(K, weight)


def hyperedge_complex(
    labels: Sequence[Hashable],
    hyperedges: Sequence[Group] | Cells,
    *,
    names: Sequence[Hashable] | None = None,
    vertex_records: Sequence[Record] = (),
    records: Sequence[Record] = (),
    weight: str | None = None,
    ranks: Ranks = None,
    metadata: Record | None = None,
    columns: Callable[[Sequence[Record]], dict[Any, Any]] = columns_of,
) -> Complex:
    """Hyperedges as cells, of the ranks that `ranks` says (see `as_complex`).

    Copies are one cell: it has the attributes of the first, the sum of the weights, and an
    attribute "multiplicity". Names other than 0, 1, ... become the attribute "id". `columns` makes
    columns of records.
    """
    n = len(labels)
    if isinstance(hyperedges, Cells):  # numbered already
        indptr, indices = hyperedges.indptr, hyperedges.indices
    else:
        indptr, indices = numbered(2, hyperedges, positions(labels))
    given = build_cells(2, (indptr, ascending_rows(indices, indptr)), n, labels)
    rank_of = _ranks(hyperedges, given.sizes, records, ranks)
    first = first_copies(given, n)
    distinct = np.flatnonzero(first == np.arange(len(first)))
    facts = _Facts(names, records, first, weight, columns)
    if rank_of is None:
        K = _lifted(labels, given.take(distinct), distinct, facts)
    else:
        _check_copies(given, labels, first, rank_of)
        several = distinct[given.sizes[distinct] != 1]  # a hyperedge of one vertex is that vertex
        by_rank = {k: several[rank_of[several] == k] for k in np.unique(rank_of[several]).tolist()}
        parts = {rank: given.take(chosen) for rank, chosen in by_rank.items()}
        attributes = {rank: facts.of(chosen) for rank, chosen in by_rank.items()}
        for columns_of_rank in attributes.values() if ranks is None else ():
            del columns_of_rank["rank"]
        tables = {rank: (part.indptr, part.indices) for rank, part in parts.items()}
        K = Complex.from_arrays(n, tables, labels, attributes=attributes)
    K = replace(K, metadata=check_metadata(metadata))
    if vertex_records:
        K = K.with_attributes({0: columns(vertex_records)})
    summed = any(w is not None for w in K.weights)  # by the lift
    return K if summed and weight not in K.attributes[0] else weighted_by(K, weight)


class _Facts:
    """What is known of the hyperedges, as columns for any choice of them."""

    def __init__(
        self,
        names: Sequence[Hashable] | None,
        records: Sequence[Record],
        first: IntArray,
        weight: str | None,
        columns: Callable[[Sequence[Record]], dict[Any, Any]],
    ) -> None:
        self.records, self.weight, self._columns = records, weight, columns
        self._names = names if names and list(names) != list(range(len(names))) else None
        copies = np.flatnonzero(first != np.arange(len(first))).tolist()
        self._times = np.bincount(first, minlength=len(first)) if copies else None
        self.weights: list[Any] = [r.get(weight) for r in records] if weight is not None else []
        for i in copies if self.weights else ():
            if self.weights[i] is not None and self.weights[first[i]] is not None:
                self.weights[first[i]] += self.weights[i]

    def of(self, chosen: IntArray) -> dict[Any, Any]:
        """The columns of the hyperedges at some positions; -1 stands for none of them."""
        if (chosen < 0).all():
            return {}
        where = chosen.tolist()
        table = {}
        if self.records:
            table = self._columns([self.records[i] if i >= 0 else {} for i in where])
        if self.weight in table:
            table[self.weight] = [self.weights[i] if i >= 0 else None for i in where]
        if self._names is not None:
            table["id"] = [self._names[i] if i >= 0 else None for i in where]
        if self._times is not None:
            table["multiplicity"] = [int(self._times[i]) if i >= 0 else None for i in where]
        return table


def _ranks(
    groups: Iterable[Any], sizes: IntArray, records: Sequence[Record], ranks: Ranks
) -> IntArray | None:
    if ranks is None:
        given: list[Any] = [record.get("rank") for record in records]
        if not given or None in given:
            return None
        if set(map(type, given)) != {int} or min(given) < 0 or max(given) > 1000:
            given = [whole_number("rank", rank, 0, 1000) for rank in given]
        return np.array(given)
    if ranks == "size":
        return sizes - 1
    if callable(ranks):
        return np.array([whole_number("rank", ranks(group), 1, 1000) for group in groups], int)
    if isinstance(ranks, str):
        raise InputError(f'ranks={ranks!r}; give "size", a whole number or a function of a cell')
    return np.full(len(sizes), whole_number("ranks", ranks, 1, 1000))


def _check_copies(
    given: Cells, labels: Sequence[Hashable], first: IntArray, rank: IntArray
) -> None:
    other = np.flatnonzero(rank[first] != rank)
    if len(other):
        i = int(other[0])
        raise InputError(
            f"hyperedge {tuple(labels[v] for v in given[i].tolist())!r} has rank {rank[first[i]]} "
            f"and again rank {rank[i]}; a set of vertices is one cell of one rank"
        )


def _lifted(labels: Sequence[Hashable], cells: Cells, distinct: IntArray, facts: _Facts) -> Complex:
    """The hypergraph lift; pairs that were no hyperedge themselves have no attributes."""
    known = facts.of(distinct)
    weights = known.get(facts.weight)
    if weights is not None and None in weights:
        cell = tuple(labels[v] for v in cells[weights.index(None)].tolist())
        raise InputError(
            f"hyperedge {cell!r} has no attribute {facts.weight!r}; set it on all of them or leave "
            "out weight"
        )
    K = lift_hyperedges(cells, labels, weights)
    at = np.full(K.n_cells[1], -1)
    where, pairs = cells.of_size(2)
    if len(pairs):
        at[RowIndex(K.cells[1].as_array(), len(labels)).find(pairs)] = distinct[where]
    attributes = {1: facts.of(at), 2: facts.of(distinct[cells.sizes > 2])}
    for columns in attributes.values():
        columns.pop(facts.weight, None)
    return K.with_attributes(attributes)


def records_of(K: Complex, rank: int, weight: str) -> list[dict[str, Any]]:
    """The attributes and the weight of every cell of a rank; None means there is nothing to say."""
    columns = columns_for_others(K, rank, weight)
    if not columns:
        return [{} for _ in range(K.n_cells[rank])]
    names = list(columns)
    return [
        {name: value for name, value in zip(names, row, strict=True) if value is not None}
        for row in zip(*columns.values(), strict=True)
    ]


def columns_for_others(K: Complex, rank: int, weight: str) -> dict[str, list[Any]]:
    """The attributes and weights of a rank as lists, one value per cell."""
    word("weight", weight)
    columns = {name: column.tolist() for name, column in K.attributes[rank].items()}
    values = K.weights[rank]
    return columns if values is None else {**columns, weight: values.tolist()}


def hyperedges_of(
    K: Complex, weight: str, *, ranked: bool = True
) -> tuple[list[Any], list[Any], list[dict[str, Any]]]:
    """Names, members and attributes of the cells above the vertices, with "rank" among them.

    Names are the attribute "id" where every cell has one of its own, else 0, 1, ...
    """
    ranks = range(1, K.max_rank + 1)
    cells: list[Any] = list(chain.from_iterable(K.cell_labels(k) for k in ranks))
    records: list[dict[str, Any]] = []
    for k in ranks:
        of_rank = records_of(K, k, weight)
        for record in of_rank if ranked else ():
            record["rank"] = k
        records += of_rank
    names: list[Any] = list(range(len(cells)))
    if any("id" in K.attributes[k] for k in ranks):
        given = [record.pop("id", None) for record in records]
        if None not in given and len(set(given)) == len(given):
            names = given
    return names, cells, records


def require_simplicial(K: Complex, target: str, remedy: str) -> None:
    """Raise unless every cell of rank k has k + 1 vertices and all its faces are cells."""
    closed = K.is_simplicial and all(
        containment(K, k - 1, k).nnz == (k + 1) * K.n_cells[k] for k in range(1, K.max_rank + 1)
    )
    if not closed:
        raise InputError(
            f"{target} holds simplices with all their faces, and this complex is not made of "
            f"those; {remedy}"
        )


@dataclass(frozen=True)
class Wanted:
    """What the caller of `as_complex` asks for."""

    weight: str | None = None
    ranks: Ranks = None
    rules: Rules = SIMPLE

    def check_ranked(self, what: str) -> None:
        """`ranks` is for sources that have none."""
        if self.ranks is not None:
            raise InputError(
                f"ranks={self.ranks!r}, but {what} has ranks of its own; leave out ranks"
            )

    def check_simple(self, what: str) -> None:
        """`directed`, `loops` and `repeats` are for graphs."""
        if self.rules != SIMPLE:
            raise InputError(
                f"directed, loops and repeats are for graphs, and {what} is none; leave them out"
            )
