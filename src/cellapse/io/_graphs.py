"""A graph as files hold it, as a complex, and back."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from cellapse._complex.cells import Cells
from cellapse._complex.complex import Complex
from cellapse._complex.graph import as_graph
from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse.lifts.hyperedges import first_copies


def graph_complex(
    labels: Sequence[Hashable],
    edges: IntArray,
    node_columns: Mapping[str, Any],
    edge_columns: Mapping[str, Any],
    metadata: Mapping[str, Any] | None = None,
) -> Complex:
    """The complex of rank 1 of a graph; an edge listed again (or turned round) counts once.

    >>> graph_complex("ab", np.array([[0, 1], [1, 0]]), {}, {})
    Complex(n_cells=(2, 1))
    """
    first = first_copies(Cells(2 * np.arange(len(edges) + 1), edges.ravel()), len(labels))
    again = np.flatnonzero(first != np.arange(len(first)))
    for i, j in zip(again.tolist(), first[again].tolist(), strict=True):
        for name, values in edge_columns.items():
            if np.any(values[i] != values[j]):
                pair = tuple(labels[v] for v in edges[i].tolist())
                raise InputError(
                    f"edge {pair!r} is listed twice with different data, {name}={values[j]!r} "
                    f"and {values[i]!r}; a pair of vertices is one edge: merge them"
                )
    if len(again):
        kept = np.flatnonzero(first == np.arange(len(first)))
        edges = edges[kept]
        edge_columns = {n: _taken(values, kept) for n, values in edge_columns.items()}
    attributes = {0: node_columns, 1: edge_columns}
    return Complex.from_arrays(
        len(labels), {1: edges}, labels, attributes=attributes, metadata=metadata
    )


def _taken(values: Any, kept: IntArray) -> Any:
    return values[kept] if isinstance(values, np.ndarray) else [values[i] for i in kept.tolist()]


def graph_columns(K: Complex, target: str) -> tuple[IntArray, dict[str, Any]]:
    """The edges of a complex of rank 1, and what is known of them, weights among it."""
    if any(K.n_cells[2:]):
        raise InputError(
            f"{target} holds nodes and edges, and the complex has {sum(K.n_cells[2:])} cells of "
            "higher rank; write K.skeleton(1), or an HIF .json file, which holds all"
        )
    graph = as_graph(K)
    return graph.edges, columns_with_weights(K, 1) if K.max_rank else {}


def columns_with_weights(K: Complex, rank: int) -> dict[str, Any]:
    """The attributes of a rank, and its weights as the column `weight`."""
    columns: dict[str, Any] = dict(K.attributes[rank])
    weights = K.weights[rank]
    if weights is None:
        return columns
    if "weight" in columns:
        raise InputError(f"rank {rank} has weights and an attribute `weight`; use HIF")
    return {"weight": weights, **columns}
