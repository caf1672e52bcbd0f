"""An adjacency matrix, as files hold it, as a complex of rank 1."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from scipy import sparse

from cellapse._complex.adjacency import symmetric_edges
from cellapse._complex.complex import Complex
from cellapse._complex.graph import graph_of
from cellapse._complex.simple import SIMPLE, Rules
from cellapse._errors import InputError
from cellapse._shared.memory import require_memory
from cellapse._shared.notes import fact


def adjacency_complex(
    matrix: Any,
    *,
    weighted: bool,
    labels: Sequence[Hashable] | None = None,
    rules: Rules = SIMPLE,
) -> Complex:
    """Return the graph of a symmetric matrix; its values are the edge attribute `weight`.

    >>> import numpy as np
    >>> adjacency_complex(np.array([[0, 2], [2, 0]]), weighted=True).attributes[1]["weight"]
    array([2.])
    """
    n = matrix.shape[0]  # as many as columns, or it is refused
    n_entries = getattr(matrix, "nnz", matrix.size)
    require_memory(
        100.0 * n + 100.0 * n_entries, f"a graph of {n:,} vertices", "leave out those without edges"
    )
    # Where an entry may stand twice, its places are listed, so that it is noticed.
    single = not sparse.issparse(matrix) or matrix.has_canonical_format
    entries = matrix if single else matrix.tocoo()
    if entries.dtype.kind not in "biuf":
        raise InputError(f"holds {entries.dtype} entries; weights are real numbers")
    pairs, values = symmetric_edges(entries, rules)
    names = range(n) if labels is None else labels
    graph = graph_of(names, pairs, {1: {"weight": values} if weighted else {}}, rules)
    if n > 3 and len(graph.edges) == n * (n - 1) // 2 and weighted:
        fact("every pair is joined, as in a matrix of distances or similarities")
    return graph.with_cells({})
