"""The operators that every fair table compares, on the same complex, by one name each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import solve

from cellapse.baselines import (
    graph_laplacian,
    motif_laplacian,
    multiorder_laplacian,
)
from cellapse.collapse import collapse
from cellapse.complex import Complex
from cellapse.incidence import mixed_matrices
from cellapse.operator import Operator, SparseOperator


def mixed_collapse(K: Complex, eps: float = 1e-4, beta: float = 1.0) -> Operator:
    """The paper's operator with signed edges and unsigned faces, rank by rank with dense matrices.

    T = W - gamma_1^2 W (eps I + W)^-1 with W = B_2 B_2^T, then S from the edges' mass eps I + T.
    With thousands of faces on a hundred vertices nothing is gained from their being sparse.
    """
    S = collapse(K, realization="mixed", eps=eps, beta=(beta, 1.0)[: K.max_rank])
    B = mixed_matrices(K)
    n, m = B[0].shape
    mass = eps * np.eye(m)
    if len(B) > 1 and B[1].shape[1]:
        W = (B[1] @ B[1].T).toarray()
        mass += W - S.gamma[1] ** 2 * solve(W + mass, W, assume_a="pos")
    G = B[0] @ solve(mass, B[0].T.toarray(), assume_a="pos")
    T = S.A.toarray() - S.gamma[0] ** 2 * solve(np.eye(n) + beta * G, G)
    return SparseOperator((T + T.T) / 2, S.labels, S.kernel, "mixed collapse")


FAIR: dict[str, Callable[[Complex], Operator]] = {
    "graph": graph_laplacian,
    "multiorder": multiorder_laplacian,
    "motif": motif_laplacian,
    "face-free": lambda K: collapse(K.skeleton(1)),
    "mixed": mixed_collapse,
    "unfolded": collapse,
    "screened": lambda K: collapse(K, realization="screened"),
    "renormalized": lambda K: collapse(K, realization="screened", renormalize=5),
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
