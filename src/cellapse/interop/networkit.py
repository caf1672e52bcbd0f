"""networkit: graphs with weights in."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.graph import graph_of
from cellapse._complex.weights import weighted_by
from cellapse.interop._build import Wanted


def read(graph: Any, wanted: Wanted) -> Complex:
    """A `networkit.Graph`; vertices are called by their numbers, which may have gaps."""
    wanted.check_ranked("a graph")
    if graph.isDirected():
        wanted.rules.check_direction("the graph")
    labels = np.fromiter(graph.iterNodes(), np.int64, graph.numberOfNodes())
    table = np.array(list(graph.iterEdgesWeights()), dtype=np.float64).reshape(-1, 3)
    order = np.argsort(labels)
    edges = order[np.searchsorted(labels, table[:, :2].astype(np.int64), sorter=order)]
    columns = {"weight": table[:, 2]} if graph.isWeighted() else {}
    counted = np.array_equal(labels, np.arange(len(labels)))
    names: Any = range(len(labels)) if counted else labels.tolist()
    K = graph_of(names, edges, {1: columns}, wanted.rules).with_cells({})
    return weighted_by(K, wanted.weight)
