"""XGI: hypergraphs and simplicial complexes, both ways."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from cellapse._complex.complex import Complex, require_complex
from cellapse._errors import InputError, extra
from cellapse._shared.checks import one_of
from cellapse._shared.memory import Fitting
from cellapse.interop._build import (
    Wanted,
    hyperedges_of,
    records_of,
    require_simplicial,
)
from cellapse.interop._hyperedges import hyperedge_complex


def read(source: Any, wanted: Wanted) -> Complex:
    """An `xgi.Hypergraph`, or an `xgi.SimplicialComplex`, whose ranks are its sizes less one."""
    kinds = {base.__name__ for base in type(source).__mro__}
    if "Hypergraph" not in kinds:
        raise InputError(
            f"an xgi.{type(source).__name__} was given, but cells have no direction; pass a "
            "Hypergraph or a SimplicialComplex"
        )
    ranks = wanted.ranks
    if "SimplicialComplex" in kinds:
        wanted.check_ranked("a SimplicialComplex")
        ranks = "size"
    members = source.edges.members(dtype=dict)
    return hyperedge_complex(
        list(source.nodes),
        list(members.values()),
        names=list(members),
        vertex_records=source.nodes.attrs.aslist(),
        records=source.edges.attrs.aslist(),
        weight=wanted.weight,
        ranks=ranks,
        # Nothing public lists these; an entry of ours comes along from HIF files of ours.
        metadata={name: v for name, v in source._net_attr.items() if name != "cellapse"},
    )


@Fitting("the object of the other library", "take a smaller complex")
def to_xgi(K: Complex, *, kind: str = "hypergraph", weight: str = "weight") -> Any:
    """Return the cells above the vertices as hyperedges with an attribute "rank", or as simplices.

    Parameters
    ----------
    K : Complex
    kind : {"hypergraph", "simplicial"}
        `xgi.Hypergraph` holds any complex (but not the order of vertices along a polygon),
        `xgi.SimplicialComplex` only simplices.
    weight : str
        Name of the attribute for the weights, where there are any.

    Returns
    -------
    xgi.Hypergraph or xgi.SimplicialComplex
        Hyperedges keep the attribute "id" as their name, where every cell has one.

    Examples
    --------
    >>> import cellapse as cl
    >>> K = cl.Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> cl.interop.to_xgi(K).num_edges
    4
    """
    require_complex(K, "to_xgi")
    with extra("xgi", "topology"):
        xgi = import_module("xgi")
    one_of("kind", kind, ("hypergraph", "simplicial"))
    names, cells, records = hyperedges_of(K, weight, ranked=kind == "hypergraph")
    if kind == "simplicial":
        require_simplicial(K, "xgi.SimplicialComplex", 'take kind="hypergraph"')
        network = xgi.SimplicialComplex(**K.metadata)
    else:
        network = xgi.Hypergraph(**K.metadata)
    network.add_nodes_from(K.labels)
    add = network.add_simplices_from if kind == "simplicial" else network.add_edges_from
    add(list(zip(cells, names, records, strict=True)))
    if K.attributes[0] or K.weights[0] is not None:
        network.set_node_attributes(dict(zip(K.labels, records_of(K, 0, weight), strict=True)))
    return network
