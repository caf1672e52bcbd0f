"""HyperNetX: hypergraphs with properties, both ways."""

from __future__ import annotations

import math
from itertools import chain
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex, require_complex
from cellapse._complex.labels import vertex_order
from cellapse._errors import InputError, extra
from cellapse._shared.memory import Fitting
from cellapse._shared.notes import loss
from cellapse.interop._build import Wanted, hyperedges_of, records_of
from cellapse.interop._hyperedges import hyperedge_complex


def read(source: Any, wanted: Wanted) -> Complex:
    """Return a `hypernetx.Hypergraph`; a weight of one everywhere is left out."""
    members = source.incidence_dict
    own = source.incidences.dataframe
    others = [name for name in own.columns if name not in ("weight", "misc_properties")]
    if (own["weight"] != 1).any() or own[others].notna().any(axis=None):
        loss(
            "incidences have weights or properties of their own, which a complex does not hold; "
            "only the cells and what is known of them are read"
        )
    label = {_plain(v): v for v in source.nodes}
    labels = vertex_order(label)  # its matrices are sorted, and its nodes come as edges name them
    return hyperedge_complex(
        labels,
        list(members.values()),
        names=[_plain(name) for name in members],
        vertex_records=_properties(source.nodes, [label[v] for v in labels], None),
        records=_properties(source.edges, list(members), wanted.weight),
        weight=wanted.weight,
        ranks=wanted.ranks,
        metadata={} if source.name is None else {"name": source.name},
    )


def _plain(label: Any) -> Any:
    """Return the whole numbers of NumPy, which HyperNetX makes of Python's, as the latter again."""
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


@Fitting("the object of the other library", "take a smaller complex")
def to_hypernetx(K: Complex, *, weight: str = "weight") -> Any:
    """Return the cells above the vertices as hyperedges with the property "rank".

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
    of_nodes = dict(zip(K.labels, records_of(K, 0, weight), strict=True))
    _check(K, [*K.labels, *names], set(chain.from_iterable(cells)))
    try:
        return hypernetx.Hypergraph(
            {name: list(cell) for name, cell in zip(names, cells, strict=True)},
            edge_properties=dict(zip(names, records, strict=True)),
            node_properties=of_nodes if any(of_nodes.values()) else None,
            name=K.metadata.get("name"),
        )
    except (TypeError, ValueError) as error:
        raise InputError(
            f"HyperNetX sorts the labels, and these cannot be sorted ({error!s:.80}); use to_xgi"
        ) from None


def _check(K: Complex, labels: list[Any], met: set[Any]) -> None:
    """Raise for labels that HyperNetX takes for something else, and say what stays behind."""
    odd = [v for v in labels if v is None or isinstance(v, tuple) or v != v]
    if odd:
        raise InputError(
            f"HyperNetX takes the label {odd[0]!r:.60} apart or for nothing; use to_xgi, or rename"
        )
    if len(met) < K.n_vertices:
        loss(f"{K.n_vertices - len(met):,} vertices in no cell stay behind; to_xgi keeps them")
    more = [name for name in K.metadata if name not in ("name", "lift")]
    more += [name for columns in K.attributes for name in columns if name.startswith("_")]
    if more:
        loss(f"HyperNetX has no place for {more[0]!r:.60}; to_xgi keeps metadata and attributes")
