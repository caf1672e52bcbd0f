"""The edges of a PyG `Data`, which lists most graphs in both directions, each once."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._complex.attributes import USUAL
from cellapse._complex.graph import graph_of
from cellapse._complex.simple import without_loops
from cellapse._errors import InputError
from cellapse._shared.notes import fact, listening, loss
from cellapse._shared.rows import RowIndex
from cellapse.interop._build import Wanted
from cellapse.interop._tensors import column_of, index_of


def edges_once(data: Any, n: int, wanted: Wanted) -> tuple[Any, dict[Any, Any], dict[str, Any]]:
    """Each edge once, what is known of it, and loops; PyG lists most graphs in both directions."""
    if wanted.rules.repeats is not None:
        raise InputError(
            f"repeats={wanted.rules.repeats!r}, but PyG lists edges in both directions, which are "
            "no copies; pass data.coalesce() to merge those"
        )
    pairs = index_of(data, "edge_index").T
    columns: Any = {name: column_of(data[name]) for name in edge_columns(data)}
    for name in data.to_dict():
        if name.startswith("edge_") and name != "edge_index" and name not in columns:
            loss(f"{name!r:.40} has no value for each of the {len(pairs):,} arcs, and is left out")
    edges, columns, loops = without_loops(range(n), pairs, columns, wanted.rules.loops)
    both = np.sort(edges, axis=1)
    _tell_directions(edges, n)
    with listening():  # that an edge is listed twice is how PyG lists it
        g = graph_of(range(max(n, int(edges.max(initial=0)) + 1)), edges, {})
    first = RowIndex(both, max(n, 1)).find(np.sort(g.edges, axis=1))
    place = RowIndex(np.sort(g.edges, axis=1), max(n, 1)).find(both)
    for name, values in columns.items():
        if not np.array_equal(values[first][place], values, equal_nan=values.dtype.kind in "fc"):
            raise InputError(
                f"{name} differs between the two directions of an edge, but cells have none; make "
                'it symmetric: torch_geometric.utils.to_undirected(..., reduce="mean")'
            )
    return g.edges, {name: values[first] for name, values in columns.items()}, loops


def edge_columns(data: Any) -> list[str]:
    """Return what is known of arcs: edge_..., and the "weight" that `from_networkx` makes."""
    return [
        name
        for name in data.to_dict()
        if (name == USUAL or (name.startswith("edge_") and name != "edge_index"))
        and data.is_edge_attr(name)
    ]


def _tell_directions(arcs: Any, n: int) -> None:
    """Say how many arcs are listed one way, and how many more than once."""
    keys = np.unique(arcs[:, 0] * n + arcs[:, 1])
    if len(keys) < len(arcs):
        fact(f"{len(arcs) - len(keys):,} repeated edges are counted once")
    alone = len(keys) - len(np.intersect1d(keys, (keys % n) * n + keys // n))
    if alone:
        fact(f"{alone:,} edges are listed in one direction only, which is ignored")
