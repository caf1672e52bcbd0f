"""networkit: graphs with weights in."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.graph import graph_of
from cellapse._complex.weights import weighted_by
from cellapse.interop._build import Wanted


def read(graph: Any, wanted: Wanted) -> Complex:
    """Return a `networkit.Graph`; vertices are called by their numbers, which may have gaps."""
    wanted.check_ranked("a graph")
    if graph.isDirected():
        wanted.rules.check_direction("the graph")
    labels = np.fromiter(graph.iterNodes(), np.int64, graph.numberOfNodes())
    m, columns = graph.numberOfEdges(), {}
    if graph.isWeighted():
        flat = chain.from_iterable(graph.iterEdgesWeights())
        table = np.fromiter(flat, np.float64, 3 * m).reshape(-1, 3)
        edges, columns = table[:, :2].astype(np.int64), {"weight": table[:, 2]}
    else:
        flat = chain.from_iterable(graph.iterEdges())  # twice as quick as pair by pair
        edges = np.fromiter(flat, np.int64, 2 * m).reshape(-1, 2)
    names: Any = range(len(labels))
    if not np.array_equal(labels, np.arange(len(labels))):
        order = np.argsort(labels)
        edges = order[np.searchsorted(labels, edges, sorter=order)]
        names = labels.tolist()
    K = graph_of(names, edges, {1: columns}, wanted.rules).with_cells({})
    return weighted_by(K, wanted.weight)
