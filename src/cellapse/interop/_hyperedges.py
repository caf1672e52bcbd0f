"""Hyperedges with names and data as cells: copies are one cell, and it is said what was merged."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from cellapse._complex.attributes import check_metadata, columns_of, usual_weight
from cellapse._complex.cells import Cells, ascending_rows, build_cells
from cellapse._complex.complex import Complex
from cellapse._complex.hyperedges import GivenHyperedges
from cellapse._complex.labels import numbered, positions
from cellapse._complex.simple import differ
from cellapse._complex.weights import AUTO, as_weights, says_something, tell_usual, weighted_by
from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse._shared.checks import real_array, whole_number
from cellapse._shared.notes import fact, loss
from cellapse._shared.rows import RowIndex
from cellapse.interop._build import Group, Ranks, Record
from cellapse.lifts.hyperedges import first_copies, lift_hyperedges


def hyperedge_complex(
    labels: Sequence[Hashable],
    hyperedges: Sequence[Group] | Cells,
    *,
    names: Sequence[Hashable] | None = None,
    vertex_records: Sequence[Record] = (),
    records: Sequence[Record] = (),
    weight: str | None = AUTO,
    ranks: Ranks = None,
    metadata: Record | None = None,
    columns: Callable[[Sequence[Record]], dict[Any, Any]] = columns_of,
) -> Complex:
    """Return hyperedges as cells, of the ranks that `ranks` says (see `as_complex`).

    Copies are one cell: it has the attributes of the first, the sum of the weights, and an
    attribute "multiplicity". Names other than 0, 1, ... become the attribute "id". `columns` makes
    columns of records.
    """
    n = len(labels)
    hyperedges, names, records = _full(hyperedges, names, records)
    if isinstance(hyperedges, Cells):
        indptr, indices = hyperedges.indptr, hyperedges.indices
    else:
        indptr, indices = numbered(2, hyperedges, positions(labels))
    given = build_cells(2, (indptr, ascending_rows(indices, indptr)), n, labels)
    rank_of = _ranks(hyperedges, given.sizes, records, ranks)
    first = first_copies(given, n)
    distinct = np.flatnonzero(first == np.arange(len(first)))
    facts = _Facts(names, records, first, _named(weight, records), columns)
    facts.tell(int((given.sizes == 1).sum()))
    if rank_of is None:
        K = _lifted(labels, given.take(distinct), distinct, facts)
        K = facts.with_given(K, distinct, given.sizes)
    else:
        _check_copies(given, labels, first, rank_of)
        K = _ranked(labels, given, distinct, rank_of, facts, was_attribute=ranks is None)
    K = replace(K, metadata=check_metadata(metadata))
    if vertex_records:
        K = K.with_attributes({0: columns(vertex_records)})
    if rank_of is not None:
        return facts.with_ranked(weighted_by(K, weight), given, rank_of)
    if weight == AUTO:  # decided for all hyperedges, not for the pairs within
        return K
    summed = any(w is not None for w in K.weights)  # by the lift
    return K if summed and weight not in K.attributes[0] else weighted_by(K, weight)


def _full(
    hyperedges: Sequence[Group] | Cells,
    names: Sequence[Hashable] | None,
    records: Sequence[Record],
) -> tuple[Sequence[Group] | Cells, Sequence[Hashable] | None, Sequence[Record]]:
    """Return the hyperedges that have vertices; a note says which have none."""
    sizes = hyperedges.sizes if isinstance(hyperedges, Cells) else list(map(len, hyperedges))
    full = np.flatnonzero(sizes)
    if len(full) == len(sizes):
        return hyperedges, names, records
    loss(f"{len(sizes) - len(full):,} hyperedges without vertices are left out")
    kept = full.tolist()
    names = names and [names[i] for i in kept]
    records = records and [records[i] for i in kept]
    if isinstance(hyperedges, Cells):
        return hyperedges.take(full), names, records
    return [hyperedges[i] for i in kept], names, records


def _named(weight: str | None, records: Sequence[Record]) -> str | None:
    """Return the attribute that holds the weights, where none is named: as for edges."""
    if weight != AUTO:
        return weight
    usual = usual_weight(dict.fromkeys(name for record in records for name in record))
    if usual is None or not says_something([record.get(usual) for record in records]):
        return None
    tell_usual(usual)
    return str(usual)


class _Facts:
    """What is known of the hyperedges, as columns for any choice of them, and what was merged."""

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
        self.first = first
        self._copies = copies = np.flatnonzero(first != np.arange(len(first))).tolist()
        self._times: IntArray | None = None
        if copies:
            self.count()
        self.weights: list[Any] = [r.get(weight) for r in records] if weight is not None else []
        self.own = list(self.weights)
        for i in copies if self.weights else ():
            if isinstance(self.weights[i], Real) and isinstance(self.weights[first[i]], Real):
                self.weights[first[i]] += self.weights[i]

    def count(self) -> None:
        """Have the attribute "multiplicity", how often each was given."""
        self._times = np.bincount(self.first, minlength=len(self.first))

    def with_given(self, K: Complex, distinct: IntArray, sizes: IntArray) -> Complex:
        """Return the lift of the `distinct` hyperedges, with all of them as they were given."""
        assert K.hyperedges is not None  # as the lift has it
        return self._with_cells(
            K, K.hyperedges.cells[np.searchsorted(distinct, self.first)], sizes, ranked=False
        )

    def with_ranked(self, K: Complex, given: Cells, rank_of: IntArray) -> Complex:
        """Return the same for cells with ranks that do not determine all of them."""
        several = np.flatnonzero((self.first == np.arange(len(given))) & (given.sizes > 1))
        if len(several) == len(given):
            return K
        number = given.indices[given.indptr[:-1]].copy()  # of the vertex, where there is one
        several = several[np.argsort(rank_of[several], kind="stable")]
        number[several] = K.n_vertices + np.arange(len(several))
        return self._with_cells(K, number[self.first], given.sizes, ranked=True)

    def _with_cells(self, K: Complex, cells: IntArray, sizes: IntArray, *, ranked: bool) -> Complex:
        other = np.flatnonzero((self.first != np.arange(len(cells))) | (sizes == 1)).tolist()
        records = {i: {**self.records[i]} for i in other if self.records}
        for record in records.values():
            record.pop(self.weight, None)
        weighted = bool(self.own) and any(w is not None for w in K.weights[1:])
        own = real_array(self.own, "the list of weights") if weighted else None
        counted = self._times is not None
        all_ = GivenHyperedges(cells, own, self._names, records, counted, ranked)
        return replace(K, hyperedges=all_)

    def tell(self, n_alone: int) -> None:
        """Say what was merged, and what of it is no longer known."""
        if n_alone:
            several = f"{n_alone:,} hyperedges of one vertex are that vertex"
            fact("1 hyperedge of one vertex is that vertex" if n_alone == 1 else several)
        if self._copies:
            fact(f"{len(self._copies):,} repeated hyperedges are one cell with a `multiplicity`")
        other = sum(map(self._is_other, self._copies)) if self.records else 0
        if other:
            loss(
                f"{other:,} repeated hyperedges have other data than the first of them, which "
                "counts; weight= adds up the numbers of an attribute"
            )

    def _is_other(self, i: int) -> bool:
        """Return whether a copy says something that the first one does not."""
        first = self.records[self.first[i]]
        return any(
            differ(value, first.get(name))
            for name, value in self.records[i].items()
            if name != self.weight
        )

    def of(self, chosen: IntArray) -> dict[Any, Any]:
        """Return the columns of the hyperedges at some positions; -1 stands for none of them."""
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


def _ranked(
    labels: Sequence[Hashable],
    given: Cells,
    distinct: IntArray,
    rank_of: IntArray,
    facts: _Facts,
    *,
    was_attribute: bool,
) -> Complex:
    """Return hyperedges at the ranks that they have; one of a single vertex is that vertex."""
    several = distinct[given.sizes[distinct] != 1]
    by_rank = {k: several[rank_of[several] == k] for k in np.unique(rank_of[several]).tolist()}
    parts = {rank: given.take(chosen) for rank, chosen in by_rank.items()}
    attributes = {rank: facts.of(chosen) for rank, chosen in by_rank.items()}
    for columns in attributes.values() if was_attribute else ():
        columns.pop("rank", None)
    tables = {rank: (part.indptr, part.indices) for rank, part in parts.items()}
    return Complex.from_arrays(len(labels), tables, labels, attributes=attributes)


def _lifted(labels: Sequence[Hashable], cells: Cells, distinct: IntArray, facts: _Facts) -> Complex:
    """Return the hypergraph lift; pairs that were no hyperedge themselves have no attributes."""
    known = facts.of(distinct)
    weights = known.get(facts.weight)
    each = np.ones(len(cells))
    if weights is not None:

        def name(i: int) -> str:
            at = int(np.searchsorted(distinct, facts.first[i]))
            return f"hyperedge {tuple(labels[v] for v in cells[at].tolist())!r:.80}"

        as_weights(facts.own, str(facts.weight), name)
        each = np.asarray(weights, dtype=np.float64)
    K = lift_hyperedges(cells, labels, each)
    of_edges = np.full(K.n_cells[1], -1)
    where, pairs = cells.of_size(2)
    if len(pairs):
        of_edges[RowIndex(K.cells[1].as_array(), len(labels)).find(pairs)] = distinct[where]
    if weights is None:
        several = np.asarray(K.weights[1]) > 1
        K = replace(K, weights=(None,) * len(K.weights))
        if several.any():
            fact(
                f"{several.sum():,} pairs are in several hyperedges, and each is one edge; "
                'hypergraph_complex(..., multiplicity="weight") counts them'
            )
        if (of_edges[several] >= 0).any():  # a hyperedge within a larger one would not be seen
            facts.count()
    attributes = {1: facts.of(of_edges), 2: facts.of(distinct[cells.sizes > 2])}
    for columns in attributes.values():
        columns.pop(facts.weight, None)
    return K.with_attributes(attributes)
