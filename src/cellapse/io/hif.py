"""HIF, the hypergraph interchange format: JSON that XGI and HyperNetX read and write, too.

    {"network-type": "undirected", "metadata": {},
     "nodes": [{"node": "a", "weight": 1.0, "attrs": {}}],
     "edges": [{"edge": 0, "weight": 1.0, "attrs": {"rank": 1}}],
     "incidences": [{"edge": 0, "node": "a"}]}

The rank of a cell is `attrs.rank` of its edge. Without ranks the file is a hypergraph and read as
by `hypergraph_complex`; of network-type "asc" it is a simplicial complex, of rank size - 1. A
directed one is read where directions are to be ignored: heads and tails are the members of a cell.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from cellapse._complex.cells import Cells
from cellapse._complex.complex import Complex
from cellapse._complex.hyperedges import GivenHyperedges, given_hyperedges
from cellapse._complex.labels import positions, vertex_order
from cellapse._complex.simple import SIMPLE, Rules
from cellapse._complex.weights import AUTO, weighted_by
from cellapse._errors import InputError
from cellapse._shared.notes import fact, loss
from cellapse.interop._build import hyperedges_of
from cellapse.interop._hyperedges import hyperedge_complex
from cellapse.io._hif_records import SECTIONS, Record, records_of, section
from cellapse.io._values import from_json, has_nan, is_plain, json_columns, null_as_nan, to_json

_OURS = "cellapse"  # in the metadata: what only we need to know
_NOTHING: Record = {}


def read_hif(document: dict[str, Any], weight: str | None = AUTO, rules: Rules = SIMPLE) -> Complex:
    """Read a parsed HIF document, with an attribute as weights (see `read`).

    >>> K = read_hif({"incidences": [{"edge": 0, "node": v} for v in "abc"]})
    >>> K
    Complex(n_cells=(3, 3, 1))
    >>> read_hif(hif_document(K))
    Complex(n_cells=(3, 3, 1))
    """
    kind = document.get("network-type", "undirected")
    if kind not in ("undirected", "directed", "asc"):
        raise InputError(f"is of network-type {kind!r:.40}, which HIF does not know")
    if kind == "directed":
        rules.check_direction("the hypergraph")
    unknown = set(document) - {"network-type", "metadata", *SECTIONS}
    if unknown:
        raise InputError(f"has an entry {min(unknown)!r}, which HIF does not know; use metadata")
    metadata = document.get("metadata", {})
    if not isinstance(metadata, dict):
        raise InputError(f"has metadata {metadata!r:.80}; HIF has an object there")
    about = dict(metadata)
    ours = about.pop(_OURS, {})
    ours = ours if isinstance(ours, dict) else {}
    known, edges = records_of(document, "node"), records_of(document, "edge")
    labels, names, cells = _cells(document, known, edges)
    nodes = [known.get(v, _NOTHING) for v in labels]
    records = [edges.get(e, _NOTHING) for e in names]
    if ours.get("labels") == "json":
        labels = [_label(v) for v in labels]
    ranks = _ranks(records, cells.sizes.tolist() if kind == "asc" else None)
    if ours or any(rank is not None for rank in ranks):
        if isinstance(ours.get("hypergraph"), dict):
            K = _as_hypergraph(labels, names, cells, nodes, records, ours)
        else:
            K = _as_complex(labels, names, cells, nodes, records, ranks, ours)
        if not ours or weight != AUTO:  # what was written here says what its weights are
            K = weighted_by(K, weight)
    else:
        K = hyperedge_complex(
            labels,
            cells,
            names=names,
            vertex_records=_with_weights(nodes, weight),
            records=_with_weights(records, weight),
            weight=weight,
            columns=json_columns,
        )
    return replace(K, metadata={name: from_json(value) for name, value in about.items()})


def _ranks(records: list[Record], sizes: list[int] | None) -> list[Any]:
    """Return the ranks that edges say; of a simplicial complex, those of their sizes else."""
    ranks = [attrs.get("rank") for attrs in _attrs(records)]
    if sizes is None:
        return ranks
    return [n - 1 if rank is None else rank for rank, n in zip(ranks, sizes, strict=True)]


def _attrs(records: list[Record]) -> list[Record]:
    return [record.get("attrs", _NOTHING) for record in records]


def _with_weights(records: list[Record], weight: str | None) -> list[Record]:
    """Return the attributes of nodes or hyperedges, with their weights if those say something."""
    weights = [record.get("weight", 1) for record in records]
    given = any("weight" in record for record in records)
    if all(w == 1 for w in weights) and not (given and weight == "weight"):
        return _attrs(records)
    return [{"weight": w, **a} for w, a in zip(weights, _attrs(records), strict=True)]


def _cells(
    document: dict[str, Any], nodes: dict[Hashable, Record], edges: dict[Hashable, Record]
) -> tuple[list[Hashable], list[Hashable], Cells]:
    """Return the names of all nodes, those of the edges with members, and their members."""
    incidences, (of, members) = section(document, "incidences")
    pairs = dict.fromkeys(zip(of, members, strict=True))
    if len(pairs) < len(of):
        fact(f"{len(of) - len(pairs):,} incidences are listed again, and count once")
        of, members = (list(column) for column in zip(*pairs, strict=True))
    more = [
        r
        for r in incidences
        if len(r) > 2  # most have an edge and a node
        and (r.get("attrs") or r.get("weight", 1) != 1 or "direction" in r)
    ]
    if more:
        loss(
            f"{len(more)} incidences have weights, directions or attributes of their own, which a "
            "complex does not hold; only the cells and what is known of them are read"
        )
    # A list of some nodes (XGI lists only those with attributes) is no order of all.
    labels = vertex_order(members, nodes)
    names = list(dict.fromkeys(chain(edges, of)))
    edge, node = positions(names), positions(labels)
    row = np.fromiter(map(edge.__getitem__, of), np.int64, len(of))
    column = np.fromiter(map(node.__getitem__, members), np.int64, len(of))
    sizes = np.bincount(row, minlength=len(names))
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    cells = Cells(indptr, column[np.argsort(row, kind="stable")])
    full = np.flatnonzero(sizes)
    return list(labels), [names[i] for i in full.tolist()], cells.take(full)


def _as_complex(
    labels: list[Hashable],
    names: list[Hashable],
    cells: Cells,
    nodes: list[Record],
    records: list[Record],
    ranks: list[Any],
    ours: dict[str, Any],
) -> Complex:
    top = ours.get("max_rank", 0)
    if type(top) is not int or not 0 <= top <= 1000:
        raise InputError(f"has max_rank {top!r}; give a whole number in 0..1000")
    for e, rank in zip(names, ranks, strict=True):
        if type(rank) is not int or not 0 <= rank <= 1000:
            raise InputError(
                f"edge {e!r} has rank {rank!r}; give every edge a whole number in attrs.rank, or "
                "none of them"
            )
    rank_of = np.array(ranks, dtype=np.int64)
    tables: dict[int, Any] = {k: [] for k in range(1, top + 1)}
    nan = ours.get("nan")
    nan = nan if isinstance(nan, dict) else {}
    attributes = {0: json_columns(_with_nan(_attrs(nodes), nan.get("0")))}
    weights = {0: _weights(nodes, bool(ours))}
    for k in set(ranks) - {0}:  # the vertices are listed as nodes
        chosen = np.flatnonzero(rank_of == k)
        part = cells.take(chosen)
        tables[k] = part.indptr, part.indices
        about = [records[i] for i in chosen.tolist()]
        attributes[k] = json_columns(_with_nan(_attrs(about), nan.get(str(k))))
        attributes[k].pop("rank", None)
        weights[k] = _weights(about, bool(ours))
    given = {k: w for k, w in weights.items() if w is not None}
    return Complex.from_arrays(len(labels), tables, labels, given, attributes)


def _with_nan(attrs: list[Record], names: Any) -> list[Record]:
    """Return the same with NaN for null in the columns that had one when we wrote them."""
    if not isinstance(names, list):
        return attrs
    marked = {name for name in names if isinstance(name, str)}
    return [{k: null_as_nan(v) if k in marked else v for k, v in one.items()} for one in attrs]


def _as_hypergraph(
    labels: list[Hashable],
    names: list[Hashable],
    cells: Cells,
    nodes: list[Record],
    records: list[Record],
    ours: dict[str, Any],
) -> Complex:
    """Return the hypergraph that `hif_document` wrote, with its own weights if it had any."""
    lifted = ours["hypergraph"]
    marks = ours.get("nan")
    marks = marks if isinstance(marks, dict) else {}
    if lifted.get("names") == "json":
        names = [_label(v) for v in names]
    weight = "weight" if lifted.get("weighted") else None
    listed = (found for rank, found in marks.items() if rank != "0" and isinstance(found, list))
    of_edges = list(chain.from_iterable(listed))
    attrs = _with_nan(_attrs(records), of_edges)
    if weight is not None:
        attrs = [{**a, weight: r.get(weight)} for a, r in zip(attrs, records, strict=True)]
    K = hyperedge_complex(
        *(labels, cells), names=names, records=attrs, weight=weight, columns=json_columns
    )
    flags = (("id", "named"), ("multiplicity", "counted"))
    extra = {n for n, flag in flags if not lifted.get(flag) and not any(n in a for a in attrs)}
    kept = tuple({n: c for n, c in of.items() if n not in extra} for of in K.attributes)
    assert K.hyperedges is not None  # as the lift has it
    given = replace(K.hyperedges, counted=bool(lifted.get("counted")))
    K = replace(K, attributes=kept, hyperedges=given)
    of_nodes = _weights(nodes, True)
    return K.with_attributes(
        {0: json_columns(_with_nan(_attrs(nodes), marks.get("0")))},
        None if of_nodes is None else {0: of_nodes},
    )


def _weights(records: list[Record], ours: bool) -> list[float] | None:
    """Return the weights; all ones, as HyperNetX writes them everywhere, are none."""
    given = [record.get("weight") for record in records]
    values = [1.0 if w is None else w for w in given]
    return values if any(w != 1 for w in values) or (ours and None not in given) else None


def _label(text: Hashable) -> Hashable:
    try:
        return from_json(json.loads(str(text)))
    except ValueError:
        raise InputError(f"has {text!r} where a label in JSON belongs") from None


def hif_document(K: Complex) -> dict[str, Any]:
    """Return a complex as an HIF document, with everything that it holds.

    Of a hypergraph, the hyperedges that were given, without ranks.
    """
    ours: dict[str, Any] = {}
    labels: list[Any] = [to_json(v) for v in K.labels]
    if not all(map(is_plain, K.labels)):  # HIF has strings and integers only
        ours["labels"] = "json"
        labels = [json.dumps(v) for v in labels]
    nan = {
        str(rank): found
        for rank, columns in enumerate(K.attributes)
        if (found := [name for name, values in columns.items() if has_nan(values)])
    }
    if nan:  # JSON has null only
        ours["nan"] = nan
    nodes = [{"node": v, **r} for v, r in zip(labels, _cell_records(K, 0), strict=True)]
    given = given_hyperedges(K)
    if given is not None and not (given.weights is not None and _has_column(K, "weight")):
        ours["hypergraph"] = about = {"weighted": given.weights is not None}
        names, cells, edges = _given(K, given, about)
        place = positions(K.labels)
        members: Any = (place[v] for cell in cells for v in cell)
        sizes: Any = list(map(len, cells))
    else:
        ours["max_rank"] = K.max_rank
        ranks = range(1, K.max_rank + 1)
        edges = list(chain.from_iterable(_cell_records(K, k) for k in ranks))
        names = list(range(len(edges)))
        sizes = np.concatenate([[0], *(K.cells[k].sizes for k in ranks)])[1:]
        members = chain.from_iterable(K.cells[k].indices.tolist() for k in ranks)
    edge_of = [names[i] for i in np.repeat(np.arange(len(edges)), sizes).tolist()]
    if _OURS in K.metadata:
        raise InputError(f"metadata has an entry {_OURS!r}, which HIF files need; rename it")
    return {
        "network-type": "undirected",
        "metadata": {**to_json(K.metadata), _OURS: ours},
        "nodes": nodes,
        "edges": [{"edge": e, **record} for e, record in zip(names, edges, strict=True)],
        "incidences": [
            {"edge": e, "node": labels[v]} for e, v in zip(edge_of, members, strict=True)
        ],
    }


def _has_column(K: Complex, name: str) -> bool:
    return any(name in columns for columns in K.attributes[1:])


def _given(
    K: Complex, given: GivenHyperedges, about: dict[str, Any]
) -> tuple[list[Any], list[Any], list[Record]]:
    """Return names, members and records of the hyperedges that were given, and how to read them."""
    names, cells, known = hyperedges_of(K, "weight")
    about["counted"], about["named"] = given.counted, _has_column(K, "id")
    if not all(map(is_plain, names)):
        about["names"] = "json"
        names = [json.dumps(to_json(name)) for name in names]
    records = []
    for record in known:
        weight = {"weight": record.pop("weight")} if about["weighted"] else {}
        # XGI reads attributes only, and not the weight beside them.
        records.append({**weight, "attrs": {**to_json(record), **weight}})
    return names, cells, records


def _cell_records(K: Complex, rank: int) -> list[dict[str, Any]]:
    if rank and "rank" in K.attributes[rank]:
        raise InputError('an attribute is called "rank", which HIF needs itself; rename it')
    first: dict[str, Any] = {"rank": rank} if rank else {}
    attrs = [dict(first) for _ in range(K.n_cells[rank])]
    for name, values in K.attributes[rank].items():
        for record, value in zip(attrs, to_json(values), strict=True):
            record[name] = value
    records: list[dict[str, Any]] = [{"attrs": record} for record in attrs]
    weights = K.weights[rank]
    if weights is not None:
        for record, weight in zip(records, weights.tolist(), strict=True):
            record["weight"] = weight
    return records
