"""The operator that sees no cells, to compare with: L, of a hypergraph the weighted projection.

L of a hypergraph, in which a hyperedge of s members is s (s - 1) / 2 edges like any other, is no
fair comparison: a few large hyperedges drown all others.
"""

from __future__ import annotations

from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._linalg.operators import SparseOperator
from cellapse._operators.baselines import graph_laplacian, projection_laplacian
from cellapse._operators.hyperedges import is_hypergraph


def without_cells(K: Complex) -> SparseOperator:
    """L, and for a hypergraph the weighted projection."""
    return projection_laplacian(K) if is_hypergraph(K) else graph_laplacian(K)


def weighted_edges(K: Complex) -> sparse.coo_array:
    """Return the edges and weights of that operator, each edge once.

    >>> import cellapse as cl
    >>> weighted_edges(cl.hypergraph_complex([(0, 1, 2, 3), (3, 4)])).data.round(3).tolist()
    [0.333, 0.333, 0.333, 0.333, 0.333, 0.333, 1.0]
    """
    return sparse.coo_array(-sparse.triu(without_cells(K).A, 1))
