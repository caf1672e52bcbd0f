"""scikit-network: its datasets in; its graphs are SciPy matrices, which need no reader."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.notes import fact
from cellapse.interop._build import Wanted
from cellapse.interop.matrices import labelled_adjacency

_STRUCTURE = ("adjacency", "biadjacency", "meta")


def read(dataset: Any, wanted: Wanted) -> Complex:
    """A `sknetwork.data.Dataset` with an adjacency; what it knows of nodes are attributes."""
    wanted.check_ranked("a dataset")
    if not isinstance(dataset, dict) or "adjacency" not in dataset:
        raise InputError(
            "a dataset of scikit-network without an adjacency (a bipartite one has a biadjacency); "
            "pass sknetwork.utils.bipartite2undirected(dataset.biadjacency)"
        )
    n = dataset["adjacency"].shape[0]
    columns, about = {}, {}
    labels: Any = None
    for name, value in dataset.items():
        if name in _STRUCTURE:
            continue
        if name == "names" and len(value) == n and len(set(np.asarray(value).tolist())) == n:
            labels = np.asarray(value).tolist()
            fact("vertices are called by their names")
        elif isinstance(value, np.ndarray) and value.shape[:1] == (n,):
            columns[name] = value
        elif isinstance(value, str | int | float):
            about[name] = value
    return labelled_adjacency(dataset["adjacency"], labels, wanted, {0: columns}, about)
