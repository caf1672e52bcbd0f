"""PyGSP: graphs with weights, coordinates and signals in."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse.interop._build import Wanted
from cellapse.interop.matrices import labelled_adjacency


def read(graph: Any, wanted: Wanted) -> Complex:
    """Return a `pygsp.graphs.Graph`: its weights are the edge attribute `weight`."""
    wanted.check_ranked("a graph")
    columns = {name: np.asarray(values) for name, values in getattr(graph, "signals", {}).items()}
    coordinates = getattr(graph, "coords", None)
    if coordinates is not None:
        columns["position"] = np.asarray(coordinates)
    return labelled_adjacency(graph.W, None, wanted, {0: columns}, {})
