"""The operators that every fair table compares, on the same complex, by one name each."""

from __future__ import annotations

from collections.abc import Callable

from cellapse._collapse.build import collapse
from cellapse._collapse.realizations import Mixed
from cellapse._complex.complex import Complex
from cellapse._linalg.operators import Operator, SparseOperator
from cellapse._operators.baselines import (
    graph_laplacian,
    motif_laplacian,
    multiorder_laplacian,
)


def mixed_collapse(K: Complex, eps: float = 1e-4, beta: float = 1.0) -> Operator:
    """The paper's operator with signed edges and unsigned faces, by dense matrices.

    With thousands of faces on a hundred vertices nothing is gained from their being sparse.
    """
    stacks = Mixed().stacks([K], (beta, 1.0)[: K.max_rank], None)
    ((T,),), _ = stacks.collapsed(eps)
    return SparseOperator(T, K.labels, stacks.kernel, "mixed collapse")


FAIR: dict[str, Callable[[Complex], Operator]] = {
    "graph": graph_laplacian,
    "multiorder": multiorder_laplacian,
    "motif": motif_laplacian,
    "face-free": lambda K: collapse(K.skeleton(1)),
    "mixed": mixed_collapse,
    "unfolded": collapse,
    "screened": lambda K: collapse(K, "screened"),
    "renormalized": lambda K: collapse(K, "renormalized"),
}

WORDS = {
    "graph": "the graph Laplacian L",
    "multiorder": "the multiorder Laplacian",
    "motif": "the motif Laplacian, edges weighted by 0.1 + their triangles",
    "face-free": "the collapse of vertices and edges alone",
    "mixed": "the collapse with signed edges, unsigned faces (fits the paper's tables)",
    "unfolded": "the collapse, orientation-free (the default of collapse)",
    "screened": "the collapse with unit edge mass, a reweighted L",
    "renormalized": "screened, the weights made self-consistent in five rounds",
}
