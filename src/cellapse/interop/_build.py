"""What all readers and writers share: labelled cells with a dict each, to a Complex and back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from cellapse._complex.attributes import columns_of
from cellapse._complex.cells import ascending_rows
from cellapse._complex.complex import Complex
from cellapse._complex.hyperedges import GivenHyperedges, given_hyperedges
from cellapse._complex.labels import numbered, positions
from cellapse._complex.simple import SIMPLE, Rules
from cellapse._complex.weights import AUTO, weighted_by
from cellapse._errors import InputError
from cellapse._matrices.matrices import containment
from cellapse._shared.checks import word

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
    """Return the attributes and weights of a rank as lists, one value per cell."""
    word("weight", weight)
    columns = {name: column.tolist() for name, column in K.attributes[rank].items()}
    values = K.weights[rank]
    return columns if values is None else {**columns, weight: values.tolist()}


def hyperedges_of(
    K: Complex, weight: str, *, ranked: bool = True
) -> tuple[list[Any], list[Any], list[dict[str, Any]]]:
    """Return names, members and attributes of the cells above the vertices, with "rank" among them.

    Of a hypergraph, the hyperedges that were given, with ranks if those were asked for. Names are
    the attribute "id" where every cell has one of its own, else 0, 1, ...
    """
    of_ranks = K.hyperedges if K.hyperedges is not None and K.hyperedges.ranked else None
    lifted = given_hyperedges(K) or of_ranks
    if lifted is not None and ranked:
        return _as_given(K, lifted, weight)
    ranks = range(1, K.max_rank + 1)
    if ranked:
        refuse_rank_attribute(K)
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


def _as_given(
    K: Complex, given: GivenHyperedges, weight: str
) -> tuple[list[Any], list[Any], list[dict[str, Any]]]:
    if given.ranked:
        refuse_rank_attribute(K)
    rank_of = np.repeat(np.arange(K.max_rank + 1), K.n_cells)
    bare = replace(K, weights=(None,) * len(K.weights))  # of which hyperedges have their own
    members: list[Any] = [(v,) for v in K.labels]
    known: list[dict[str, Any]] = [{} for _ in K.labels]
    for k in range(1, K.max_rank + 1):
        members += K.cell_labels(k)
        known += records_of(bare, k, weight)
    names = list(range(len(given)) if given.names is None else given.names)
    records = []
    for i, cell in enumerate(given.cells.tolist()):
        record = dict(given.records.get(i, known[cell]))
        if given.names is not None and record.get("id", names) == names[i]:
            del record["id"]
        if given.counted:
            record.pop("multiplicity", None)
        if given.weights is not None:
            record[weight] = float(given.weights[i])
        if given.ranked:
            record["rank"] = int(rank_of[cell])
        records.append(record)
    return names, [members[cell] for cell in given.cells.tolist()], records


def refuse_rank_attribute(K: Complex) -> None:
    """Raise where an attribute has the name under which cells get their rank."""
    if any("rank" in columns for columns in K.attributes[1:]):
        raise InputError(
            'an attribute of cells is called "rank", as that of hyperedges is; rename it'
        )


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

    weight: str | None = AUTO
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
