"""HyperNetX: hypergraphs with properties, both ways."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex, require_complex
from cellapse._errors import extra
from cellapse.interop._build import Wanted, hyperedges_of, records_of
from cellapse.interop._hyperedges import hyperedge_complex


def read(source: Any, wanted: Wanted) -> Complex:
    """A `hypernetx.Hypergraph`; a weight of one everywhere says nothing and is left out."""
    members = source.incidence_dict
    return hyperedge_complex(
        [_plain(v) for v in source.nodes],
        list(members.values()),
        names=[_plain(name) for name in members],
        vertex_records=_properties(source.nodes, list(source.nodes), None),
        records=_properties(source.edges, list(members), wanted.weight),
        weight=wanted.weight,
        ranks=wanted.ranks,
        metadata={} if source.name is None else {"name": source.name},
    )


def _plain(label: Any) -> Any:
    """The whole numbers of NumPy, which HyperNetX makes of Python's, as the latter again."""
    return label.item() if isinstance(label, np.generic) else label


def _says_nothing(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _properties(view: Any, names: list[Any], weight: str | None) -> list[dict[str, Any]]:
    known = view.dataframe.to_dict(orient="index")
    records = []
    for name in names:
        record = dict(known.get(name, {}))
        record.update(record.pop("misc_properties", None) or {})
        # Entries that start with an underscore are HyperNetX's own; NaN stands for nothing.
        records.append(
            {k: v for k, v in record.items() if str(k)[:1] != "_" and not _says_nothing(v)}
        )
    if weight != "weight" and all(record.get("weight", 1) == 1 for record in records):
        for record in records:
            record.pop("weight", None)
    return records


def to_hypernetx(K: Complex, *, weight: str = "weight") -> Any:
    """The cells above the vertices as hyperedges with the property "rank".

    HyperNetX knows a vertex by its hyperedges only: those in no cell stay behind, and the order of
    the vertices is that in which the cells name them. Of the metadata it has the name.

    Parameters
    ----------
    K : Complex
    weight : str
        Name of the property for the weights, where there are any.

    Returns
    -------
    hypernetx.Hypergraph

    Examples
    --------
    >>> import cellapse as cl
    >>> K = cl.Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> cl.interop.to_hypernetx(K).shape  # doctest: +SKIP
    (3, 4)
    """
    require_complex(K, "to_hypernetx")
    with extra("hypernetx", "topology"):
        import hypernetx
    names, cells, records = hyperedges_of(K, weight)
    return hypernetx.Hypergraph(
        {name: list(cell) for name, cell in zip(names, cells, strict=True)},
        edge_properties=dict(zip(names, records, strict=True)),
        node_properties=dict(zip(K.labels, records_of(K, 0, weight), strict=True)),
        name=K.metadata.get("name"),
    )
