"""hypergraphx: hypergraphs with metadata and weights, both ways."""

from __future__ import annotations

import warnings
from typing import Any

from cellapse._complex.complex import Complex, require_complex
from cellapse._errors import CellapseWarning, InputError, extra
from cellapse.interop._build import Wanted, records_of, refuse_rank_attribute
from cellapse.interop._hyperedges import hyperedge_complex

_THEIRS = ("weighted", "type")  # what hypergraphx writes into the metadata itself


def read(source: Any, wanted: Wanted) -> Complex:
    """A `hypergraphx.Hypergraph`; its weights are known as "weight"."""
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
    nodes = source.get_nodes(metadata=True)
    about = source.get_hypergraph_metadata()
    return hyperedge_complex(
        list(nodes),
        list(edges),
        vertex_records=list(nodes.values()),
        records=records,
        weight=wanted.weight,
        ranks=wanted.ranks,
        metadata={name: value for name, value in about.items() if name not in _THEIRS},
    )


def to_hypergraphx(K: Complex) -> Any:
    """The cells above the vertices as hyperedges with "rank" in their metadata.

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
    refuse_rank_attribute(K)
    ranks = range(1, K.max_rank + 1)
    weighted = any(K.weights[k] is not None for k in ranks)
    if any(name in K.metadata for name in _THEIRS):
        warnings.warn(
            f"metadata called {' or '.join(map(repr, _THEIRS))} is left out: hypergraphx has its "
            "own there; rename it to keep it",
            CellapseWarning,
            stacklevel=2,
        )
    about = dict(K.metadata)  # which hypergraphx changes
    target = hypergraphx.Hypergraph(weighted=weighted, hypergraph_metadata=about)
    try:
        for label, record in zip(K.labels, records_of(K, 0, "weight"), strict=True):
            target.add_node(label, metadata=record)
        for k in ranks:
            for cell, record in zip(K.cell_labels(k), records_of(K, k, "weight"), strict=True):
                record["rank"] = k
                value = record.pop("weight", 1.0) if weighted else None
                target.add_edge(cell, weight=value, metadata=record)
    except TypeError as error:
        raise InputError(
            f"hypergraphx sorts the labels, and these cannot be sorted ({error}); use to_xgi"
        ) from None
    return target
