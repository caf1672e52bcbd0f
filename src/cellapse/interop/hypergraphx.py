"""hypergraphx: hypergraphs with metadata and weights, both ways."""

from __future__ import annotations

from typing import Any

from cellapse._complex.complex import Complex, require_complex
from cellapse._errors import InputError, extra
from cellapse._shared.memory import Fitting
from cellapse._shared.notes import loss
from cellapse.interop._build import Wanted, hyperedges_of, records_of
from cellapse.interop._hyperedges import hyperedge_complex

_THEIRS = ("weighted", "type")  # what hypergraphx writes into the metadata itself


def read(source: Any, wanted: Wanted) -> Complex:
    """Return a `hypergraphx.Hypergraph`; its weights are known as "weight"."""
    if type(source).__name__ != "Hypergraph":
        raise InputError(
            f"a hypergraphx {type(source).__name__} was given, but cells have no direction, time "
            "or layer; pass a Hypergraph"
        )
    edges = source.get_edges(metadata=True)
    records = [dict(record) for record in edges.values()]
    if source.is_weighted():
        weights = source.get_weights(asdict=True)
        if wanted.weight == "weight" or any(value != 1 for value in weights.values()):
            for record, edge in zip(records, edges, strict=True):
                record["weight"] = weights[edge]
    members, records = _copies(list(edges), records)
    nodes = source.get_nodes(metadata=True)
    about = source.get_hypergraph_metadata()
    return hyperedge_complex(
        list(nodes),
        members,
        vertex_records=list(nodes.values()),
        records=records,
        weight=wanted.weight,
        ranks=wanted.ranks,
        metadata={name: value for name, value in about.items() if name not in _THEIRS},
    )


def _copies(members: list[Any], records: list[dict[str, Any]]) -> tuple[list[Any], list[Any]]:
    """Return hyperedges as often as their "multiplicity" says, as `to_hypergraphx` has them."""
    times: list[Any] = [record.get("multiplicity") for record in records]
    if not all(type(m) is int and m > 0 for m in times):
        return members, records
    several = []
    for record, m in zip(records, times, strict=True):
        del record["multiplicity"]
        if "weight" in record:
            record["weight"] = record["weight"] / m
        several += [record] * m
    return [group for group, m in zip(members, times, strict=True) for _ in range(m)], several


@Fitting("the object of the other library", "take a smaller complex")
def to_hypergraphx(K: Complex) -> Any:
    """Return the cells above the vertices as hyperedges with "rank" in their metadata.

    Of a hypergraph, the hyperedges that were given, without ranks; where some were given several
    times, each once with its "multiplicity" and the sum of the weights.

    Parameters
    ----------
    K : Complex

    Returns
    -------
    hypergraphx.Hypergraph
        Weighted where any cell above the vertices is; cells without a weight then have weight 1.

    Examples
    --------
    >>> import cellapse as cl
    >>> K = cl.Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> cl.interop.to_hypergraphx(K).num_edges()
    4
    """
    require_complex(K, "to_hypergraphx")
    with extra("hypergraphx", "topology"):
        import hypergraphx
    names, cells, records = hyperedges_of(K, "weight")
    if names != list(range(len(names))):
        records = [{**r, "id": name} for r, name in zip(records, names, strict=True)]
    cells, records = _merged(cells, records)
    weighted = any(w is not None for w in K.weights[1:])
    if any(name in K.metadata for name in _THEIRS):
        loss(
            f"metadata called {' or '.join(map(repr, _THEIRS))} is left out: hypergraphx has its "
            "own there; rename it to keep it"
        )
    about = dict(K.metadata)  # which hypergraphx changes
    target = hypergraphx.Hypergraph(weighted=weighted, hypergraph_metadata=about)
    try:
        for label, record in zip(K.labels, records_of(K, 0, "weight"), strict=True):
            target.add_node(label, metadata=record)
        for cell, record in zip(cells, records, strict=True):
            value = record.pop("weight", 1.0) if weighted else None
            target.add_edge(cell, weight=value, metadata=record)
    except TypeError as error:
        raise InputError(
            f"hypergraphx sorts the labels, and these cannot be sorted ({error}); use to_xgi"
        ) from None
    return target


def _merged(cells: list[Any], records: list[dict[str, Any]]) -> tuple[list[Any], list[Any]]:
    """Each set of vertices once, as hypergraphx has it: what was given several times says so."""
    at: dict[frozenset[Any], int] = {}
    of = [at.setdefault(frozenset(cell), len(at)) for cell in cells]
    if len(at) == len(cells):
        return cells, records
    loss(
        f"{len(cells) - len(at):,} repeated hyperedges are one of hypergraphx, with their number, "
        "the sum of the weights and the data of the first; to_xgi keeps them apart"
    )
    kept: list[Any] = []
    merged: list[dict[str, Any]] = []
    for cell, record, i in zip(cells, records, of, strict=True):
        if i == len(kept):
            kept.append(cell)
            merged.append({**record, "multiplicity": 1})
            continue
        merged[i]["multiplicity"] += 1
        if "weight" in record:
            merged[i]["weight"] += record["weight"]
    return kept, merged
