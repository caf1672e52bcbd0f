"""An approximate inverse of a matrix like a graph Laplacian, for conjugate gradients."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from cellapse._linalg.direct import Direct, Solve
from cellapse._shared.arrays import row_sum


def preconditioner(matrix: sparse.csr_array) -> tuple[Solve, float]:
    """An approximate inverse of a diagonally dominant matrix, and a bound of what it inverts.

    Its diagonal; or, where heavy edges tie small groups of vertices together and the groups to each
    other only by light ones, a factor of the diagonal with the edges of a heaviest spanning forest:
    it has no fill-in, and follows the groups, which the diagonal would take hundreds of steps for.
    """
    diagonal = matrix.diagonal()
    edges = sparse.csr_array(abs(matrix - sparse.diags_array(diagonal)))
    edges.eliminate_zeros()
    lightest, heaviest = edges.data.min(initial=np.inf), edges.data.max(initial=0.0)
    if heaviest > 100.0 * lightest:
        heavy = edges.multiply(edges > np.sqrt(lightest * heaviest))
        groups, components = (connected_components(g, directed=False)[0] for g in (heavy, edges))
        if groups > 2 * components + 10:
            forest = minimum_spanning_tree(-edges).astype(bool)
            near = sparse.diags_array(diagonal) + matrix.multiply(forest + forest.T)
            return Direct().prepare(near), row_sum(near)
    inverse = 1.0 / diagonal
    return (
        lambda r: (inverse if r.ndim == 1 else inverse[:, None]) * r,
        float(diagonal.max(initial=0.0)),
    )
