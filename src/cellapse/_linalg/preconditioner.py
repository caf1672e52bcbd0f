"""An approximate inverse of a matrix like a graph Laplacian, for conjugate gradients."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from cellapse._linalg.direct import Direct, Solve
from cellapse._linalg.levels import expands
from cellapse._shared.arrays import row_sum

_RANGE = 100.0  # the heaviest edge over the lightest, from which on heavy ones count for more


def preconditioner(matrix: sparse.csr_array) -> tuple[Solve, float]:
    """An approximate inverse of a diagonally dominant matrix, and a bound of what it inverts.

    Its diagonal; or, where heavy edges tie vertices to groups and only light ones the groups to
    each other, a factor of the diagonal with the heavy edges: it follows the groups, which the
    diagonal would take hundreds of steps for.
    """
    diagonal = matrix.diagonal()
    ties = _ties(sparse.csr_array(abs(matrix - sparse.diags_array(diagonal))))
    if ties is not None:
        near = sparse.diags_array(diagonal) + matrix.multiply(ties)
        return Direct().prepare(near), row_sum(near)
    inverse = 1.0 / diagonal
    return (
        lambda r: (inverse if r.ndim == 1 else inverse[:, None]) * r,
        float(diagonal.max(initial=0.0)),  # equivalent: what is inverted is at least I
    )


def _ties(edges: sparse.csr_array) -> sparse.csr_array | None:
    """The pattern of a heaviest spanning forest and, where it can be factorized, of heavy edges.

    None where the heavy edges leave no groups apart, or none are heavier than the others.
    """
    edges.eliminate_zeros()
    lightest = edges.data.min(initial=np.inf)
    heaviest = edges.data.max(initial=0.0)  # equivalent: without edges nothing is heavy
    if not heaviest > _RANGE * lightest:
        return None
    heavy = sparse.csr_array(edges.multiply(edges > np.sqrt(lightest * heaviest)))
    groups, components = (connected_components(g, directed=False)[0] for g in (heavy, edges))
    if groups <= 2 * components + 10:
        return None
    forest = minimum_spanning_tree(-edges) != 0
    ties = forest + forest.T
    return sparse.csr_array(ties if expands(heavy) else ties + (heavy != 0))
