"""A graph as files hold it, as a complex, and back."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.graph import as_graph, graph_of
from cellapse._complex.labels import vertex_order
from cellapse._complex.simple import SIMPLE, Rules
from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse._shared.memory import draw_memory
from cellapse._shared.notes import fact
from cellapse.io._values import json_columns, text_labels, word_labels


def graph_complex(
    labels: Sequence[Hashable],
    edges: IntArray,
    node_columns: Mapping[str, Any],
    edge_columns: Mapping[str, Any],
    metadata: Mapping[str, Any] | None = None,
    rules: Rules = SIMPLE,
) -> Complex:
    """Return the complex of rank 1 of a graph; an edge listed again (or turned round) counts once.

    >>> graph_complex("ab", np.array([[0, 1], [1, 0]]), {}, {})
    Complex(n_cells=(2, 1))
    """
    graph = graph_of(labels, edges, {0: node_columns, 1: edge_columns}, rules)
    return graph.with_cells({}, metadata)


def listed_graph(
    nodes: Mapping[Any, Mapping[str, Any]],
    ends: Sequence[tuple[Any, Any]],
    records: Sequence[Mapping[str, Any]],
    rules: Rules,
    *,
    metadata: Mapping[str, Any] | None = None,
    labels: Sequence[Hashable] | None = None,
) -> Complex:
    """Return the graph of named nodes and pairs of names, with a record for each.

    Nodes are in the order in which they are listed, if all are. `labels` are for the nodes in this
    order; by default their names, whole numbers where all are.

    >>> listed_graph({"a": {"age": 3}}, [("a", "b")], [{}], SIMPLE).labels
    ('a', 'b')
    """
    names = list(dict.fromkeys(chain(nodes, *ends)))
    if nodes and len(names) > len(nodes):
        fact(f"{len(names) - len(nodes):,} nodes are known from edges only")
    if len(names) > len(nodes):  # no list of all: the rule for bare edges
        in_words = all(isinstance(v, str) for v in names)
        names = list(word_labels(names) if in_words else vertex_order(names))
    place = {name: i for i, name in enumerate(names)}
    flat = np.fromiter((place[v] for v in chain(*ends)), np.int64, 2 * len(ends))
    if labels is None or len(labels) < len(names):
        labels = text_labels(names) if all(isinstance(v, str) for v in names) else names
    return graph_complex(
        labels,
        flat.reshape(-1, 2),
        json_columns([nodes.get(name, {}) for name in names]),
        json_columns(records),
        metadata,
        rules,
    )


def different_labels(records: Sequence[dict[str, Any]]) -> list[Any] | None:
    """The labels of nodes, which are then no longer attributes, if all have different ones."""
    given: list[Any] = [record.get("label") for record in records]
    hashable = all(isinstance(v, str | int | float) for v in given)
    if not hashable or len(set(given)) < len(given):
        return None
    for record in records:
        del record["label"]
    return text_labels(given) if all(isinstance(v, str) for v in given) else given


def fill(records: Collection[dict[str, Any]], defaults: Mapping[str, Any], owner: str) -> None:
    """Give the records of nodes or edges the defaults of their kind."""
    draw_memory(
        100.0 * len(defaults) * len(records),
        f"{len(defaults):,} defaults for each of {len(records):,} {owner}s",
        "leave out defaults",
    )
    for record in records if defaults else ():
        record.update({**defaults, **record})


def check_declared(n: int, n_lines: int) -> None:
    """Raise unless a declared number of vertices fits to what the file has of them."""
    if n < 1 or n > 100 * (n_lines + 1000):
        raise InputError(
            f"declares {n:,} vertices and has {n_lines:,} lines: nearly all would be alone; "
            "check the number, or leave those out"
        )


def graph_columns(K: Complex, target: str) -> tuple[IntArray, dict[str, Any]]:
    """Return the edges of a complex of rank 1, and what is known of them, weights among it."""
    if any(K.n_cells[2:]):
        raise InputError(
            f"{target} holds nodes and edges, and the complex has {sum(K.n_cells[2:])} cells of "
            "higher rank; write K.skeleton(1), or an HIF .json file, which holds all"
        )
    graph = as_graph(K)
    return graph.edges, columns_with_weights(K, 1) if K.max_rank else {}


def columns_with_weights(K: Complex, rank: int) -> dict[str, Any]:
    """Return the attributes of a rank, and its weights as the column `weight`."""
    columns: dict[str, Any] = dict(K.attributes[rank])
    weights = K.weights[rank]
    if weights is None:
        return columns
    if "weight" in columns:
        raise InputError(f"rank {rank} has weights and an attribute `weight`; use HIF")
    return {"weight": weights, **columns}
