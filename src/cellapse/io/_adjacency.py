"""An adjacency matrix, as files hold it, as a complex of rank 1."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._complex.graph import as_graph
from cellapse._errors import InputError
from cellapse._shared.memory import require_memory


def adjacency_complex(matrix: Any, *, weighted: bool) -> Complex:
    """The graph of a symmetric matrix; its values are the edge attribute `weight`.

    >>> import numpy as np
    >>> adjacency_complex(np.array([[0, 2], [2, 0]]), weighted=True).attributes[1]["weight"]
    array([2.])
    """
    n, n_entries = matrix.shape[0], getattr(matrix, "nnz", matrix.size)
    require_memory(
        100.0 * n + 100.0 * n_entries, f"a graph of {n:,} vertices", "leave out those without edges"
    )
    entries = sparse.coo_array(matrix)
    if entries.dtype.kind not in "biuf":
        raise InputError(f"holds {entries.dtype} entries; weights are real numbers")
    graph = as_graph(entries, "weight" if weighted else None)
    attributes = {1: {"weight": graph.weights}} if weighted else None
    return Complex.from_arrays(
        graph.n_vertices, {1: graph.edges}, labels=graph.labels, attributes=attributes
    )
