"""What all readers and writers share: labelled cells and one dict a cell, to a Complex and back."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from cellapse._attributes import columns_of
from cellapse._checks import whole_number
from cellapse._errors import InputError
from cellapse._labels import numbered, positions
from cellapse._rows import RowIndex
from cellapse.cells import Cells, ascending_rows
from cellapse.complex import Complex
from cellapse.containment import containment
from cellapse.lifts.hyperedges import hypergraph_complex

Group = Collection[Hashable]
Record = Mapping[Any, Any]
Ranks = int | str | Callable[[Any], int] | None


def ranked_complex(
    labels: Sequence[Hashable],
    cells: Mapping[int, Sequence[Group]],
    records: Mapping[int, Sequence[Record]],
    weight: str | None,
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
    weights = take_weights(attributes, weight)
    return Complex.from_arrays(len(labels), tables, labels, weights, attributes)


def take_weights(attributes: Mapping[int, dict[Any, Any]], weight: str | None) -> dict[int, Any]:
    """Move the column named `weight` out of the attributes, at every rank that has it."""
    if weight is None:
        return {}
    weights = {rank: named.pop(weight) for rank, named in attributes.items() if weight in named}
    if not weights:
        known = sorted({str(name) for named in attributes.values() for name in named})
        raise InputError(
            f"weight={weight!r}, but no cell has an attribute of that name (there are: "
            f"{', '.join(known) or 'none'}); name one of them or leave out weight"
        )
    for rank, values in weights.items():
        missing = sum(value is None for value in values)
        if missing:
            raise InputError(
                f"{missing} of {len(values)} cells of rank {rank} have no attribute {weight!r}; "
                "set it on all of them or leave out weight"
            )
    return weights


def hyperedge_complex(
    labels: Sequence[Hashable],
    hyperedges: Sequence[Group],
    *,
    names: Sequence[Hashable] | None = None,
    vertex_records: Sequence[Record] = (),
    records: Sequence[Record] = (),
    weight: str | None = None,
    ranks: Ranks = None,
) -> Complex:
    """Hyperedges as cells, of the ranks that `ranks` says (see `as_complex`).

    Copies are one cell: it has the attributes of the first, the sum of the weights, and an
    attribute "multiplicity". Names other than 0, 1, ... become the attribute "id".
    """
    facts: list[dict[Any, Any]] = [dict(r) for r in records] or [{} for _ in hyperedges]
    if names is not None and list(names) != list(range(len(hyperedges))):
        for fact, name in zip(facts, names, strict=True):
            fact["id"] = name
    rank_of = _ranks(hyperedges, facts, ranks)
    rows = list(hyperedges)
    if _any_copies(rows, labels):
        rows, facts, rank_of = _merged(rows, facts, rank_of, weight)
    vertex_facts = list(vertex_records) or [{} for _ in labels]
    if rank_of is None:
        return _lifted(labels, rows, vertex_facts, facts, weight)
    cells: dict[int, list[Group]] = {}
    kept: dict[int, list[Record]] = {0: vertex_facts}
    for group, fact, rank in zip(rows, facts, rank_of, strict=True):
        if len(group) != 1:  # a hyperedge of one vertex is that vertex
            cells.setdefault(rank, []).append(group)
            kept.setdefault(rank, []).append(fact)
    return ranked_complex(labels, cells, kept, weight)


def _ranks(groups: Sequence[Group], facts: list[dict[Any, Any]], ranks: Ranks) -> list[int] | None:
    if ranks is None:
        if not facts or not all("rank" in fact for fact in facts):
            return None
        return [whole_number("rank", fact.pop("rank"), 0, 1000) for fact in facts]
    if ranks == "size":
        return [len(group) - 1 if group else 0 for group in groups]
    if callable(ranks):
        return [whole_number("rank", ranks(group), 1, 1000) for group in groups]
    if isinstance(ranks, str):
        raise InputError(f'ranks={ranks!r}; give "size", a whole number or a function of a cell')
    return [whole_number("ranks", ranks, 1, 1000)] * len(groups)


def _any_copies(groups: Sequence[Group], labels: Sequence[Hashable]) -> bool:
    indptr, indices = numbered(2, groups, positions(labels))
    cells = Cells(indptr, ascending_rows(indices, indptr))
    tables = (cells.of_size(size)[1] for size in np.unique(cells.sizes).tolist())
    return any(RowIndex(table, len(labels)).first_repeat() is not None for table in tables)


def _merged(
    groups: Sequence[Group],
    facts: list[dict[Any, Any]],
    ranks: list[int] | None,
    weight: str | None,
) -> tuple[list[Group], list[dict[Any, Any]], list[int] | None]:
    """Each set once; where there were copies, an attribute says how many."""
    keys = [frozenset(group) for group in groups]
    first: dict[Any, int] = {}
    times: dict[Any, int] = {}
    for i, key in enumerate(keys):
        if key not in first:
            first[key], times[key] = i, 1
            continue
        i_first = first[key]
        times[key] += 1
        if ranks is not None and ranks[i] != ranks[i_first]:
            raise InputError(
                f"hyperedge {tuple(groups[i])!r} has rank {ranks[i_first]} and again rank "
                f"{ranks[i]}; a set of vertices is one cell of one rank"
            )
        if weight in facts[i] and weight in facts[i_first]:
            facts[i_first][weight] = facts[i_first][weight] + facts[i][weight]
    where = list(first.values())
    for key, i in first.items():
        facts[i]["multiplicity"] = times[key]
    chosen = None if ranks is None else [ranks[i] for i in where]
    return [groups[i] for i in where], [facts[i] for i in where], chosen


def _lifted(
    labels: Sequence[Hashable],
    groups: list[Group],
    vertex_facts: list[Record],
    facts: list[dict[Any, Any]],
    weight: str | None,
) -> Complex:
    """The hypergraph lift; pairs that were no hyperedge themselves have no attributes."""
    attributes = {0: columns_of(vertex_facts), 2: columns_of(facts)}
    weights = take_weights(attributes, weight)
    K = hypergraph_complex(groups, vertices=labels, weights=weights.pop(2, None))
    position = positions(labels)
    edge_facts: list[Record] = [{}] * K.n_cells[1]
    pairs = [(g, f) for g, f in zip(groups, facts, strict=True) if len(g) == 2]
    if pairs:
        rows = np.sort([[position[v] for v in group] for group, _ in pairs], axis=1)
        found = RowIndex(K.cells[1].as_array(), len(labels)).find(rows)
        for at, (_, fact) in zip(found.tolist(), pairs, strict=True):
            edge_facts[at] = fact
    attributes[1] = columns_of(edge_facts)
    attributes[2] = columns_of([f for g, f in zip(groups, facts, strict=True) if len(g) > 2])
    for rank in (1, 2):
        attributes[rank].pop(weight, None)
    return K.with_attributes(attributes, weights)


def records_of(K: Complex, rank: int, weight: str) -> list[dict[str, Any]]:
    """The attributes and the weight of every cell of a rank; None means there is nothing to say."""
    columns = {name: column.tolist() for name, column in K.attributes[rank].items()}
    values = K.weights[rank]
    if values is not None:
        columns[weight] = values.tolist()
    if not columns:
        return [{} for _ in range(K.n_cells[rank])]
    names = list(columns)
    return [
        {name: value for name, value in zip(names, row, strict=True) if value is not None}
        for row in zip(*columns.values(), strict=True)
    ]


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


def refuse_ranks(ranks: Ranks, what: str) -> None:
    """`ranks` is for sources that have none."""
    if ranks is not None:
        raise InputError(f"ranks={ranks!r}, but {what} has ranks of its own; leave out ranks")
