"""The adjacency of a graph whose edges have signs or directions, which those of a complex have not.

A_uv is the weight of the arc from u to v; without directions A = A^T. Loops do not count.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.validity import check_labels
from cellapse._errors import InputError
from cellapse._shared.arrays import csr_from_entries
from cellapse._shared.checks import own_csr, word


def adjacency_of(graph: Any, weight: str | None) -> tuple[Sequence[Hashable], sparse.csr_array]:
    """Return the labels and the adjacency of a networkx graph or of a square matrix."""
    networkx = sys.modules.get("networkx")  # whoever holds one of its graphs has imported it
    if networkx is not None and isinstance(graph, networkx.Graph):
        labels: Any
        labels, A = _of_networkx(graph, None if weight is None else word("weight", weight))
    elif sparse.issparse(graph) or getattr(graph, "ndim", 0) == 2 or isinstance(graph, list):
        frame = hasattr(graph, "to_numpy")
        if frame and list(graph.index) != list(graph.columns):
            raise InputError("a frame whose index differs from its columns; give both the same")
        A = own_csr(graph.to_numpy() if frame else graph, "the adjacency")
        labels = tuple(graph.index) if frame else range(A.shape[0])
    else:
        raise InputError(
            f"a {type(graph).__name__}; give a networkx graph or a square matrix, whose entries "
            "have signs or directions"
        )
    if A.shape[0] != A.shape[1] or not A.shape[0]:
        raise InputError(f"an adjacency of shape {A.shape}; give a square one of some vertices")
    A = sparse.csr_array(A - sparse.diags_array(A.diagonal()))
    A.eliminate_zeros()
    return check_labels(labels, A.shape[0]), A


def _of_networkx(graph: Any, weight: str | None) -> tuple[tuple[Hashable, ...], sparse.csr_array]:
    if graph.is_multigraph():
        raise InputError(
            f"a {type(graph).__name__} with copies of edges; add them up in a networkx.Graph or "
            "DiGraph first"
        )
    labels = tuple(graph)
    at = {v: i for i, v in enumerate(labels)}
    edges = [
        (at[u], at[v], 1.0 if weight is None else w) for u, v, w in graph.edges.data(weight, 1)
    ]
    i, j = np.array([e[:2] for e in edges], dtype=np.int64).reshape(-1, 2).T
    try:
        w = np.array([e[2] for e in edges], dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"weights {weight!r} of edges that are no numbers; give numbers") from None
    if not np.isfinite(w).all():
        raise InputError(f"weights {weight!r} of edges are NaN or infinite; give numbers")
    if not graph.is_directed():
        apart = i != j
        i, j, w = np.r_[i, j[apart]], np.r_[j, i[apart]], np.r_[w, w[apart]]
    return labels, csr_from_entries(i, j, w, (len(labels), len(labels)))
