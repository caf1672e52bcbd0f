"""The operators that every fair table compares, on the same complex, by one name each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.linalg import inv, solve

from cellapse._collapse.build import collapse
from cellapse._complex.complex import Complex
from cellapse._linalg.operators import Operator, SparseOperator
from cellapse._matrices.incidence import mixed_matrices
from cellapse._operators.names import describe_operator, make_operator, operator_names


def mixed_collapse(K: Complex, eps: float = 1e-4, beta: float = 1.0) -> Operator:
    """The paper's operator with signed edges and unsigned faces, rank by rank with dense matrices.

    S = A - gamma_0^2 G (I + beta G)^-1, G = B_1 M^-1 B_1^T, with the edges' mass
    M = eps I + B_2 P B_2^T, P = I - gamma_1^2 (eps I + B_2^T B_2)^-1. With thousands of faces on a
    hundred vertices nothing is gained from their being sparse.
    """
    S = collapse(K, realization="mixed", eps=eps, beta=(beta, 1.0)[: K.max_rank])
    B = mixed_matrices(K)
    n, m = B[0].shape
    B1t = B[0].T.toarray()
    faces = B[1].shape[1] if len(B) > 1 else 0
    if faces == 0:
        relaxed = B1t / eps
    elif faces < m:  # by Woodbury, with matrices of the size of the faces
        N = (B[1].T @ B[1]).toarray()
        P = np.eye(faces) - S.gamma[1] ** 2 * inv(N + eps * np.eye(faces))
        inner = solve(eps * np.eye(faces) + P @ N, P @ (B[1].T @ B1t))
        relaxed = (B1t - B[1] @ inner) / eps
    else:
        W = (B[1] @ B[1].T).toarray()
        M = eps * np.eye(m)
        M += W - S.gamma[1] ** 2 * solve(W + M, W, assume_a="pos")
        relaxed = solve(M, B1t, assume_a="pos")
    G = B[0] @ relaxed
    T = S.A.toarray() - S.gamma[0] ** 2 * solve(np.eye(n) + beta * G, G)
    T = (T + T.T) / 2
    if S.kernel is not None:  # dense solves leave rounding there, as large as u / eps
        N = S.kernel.toarray()
        T -= N @ (N.T @ T)
        T -= (T @ N) @ N.T
    return SparseOperator(T, S.labels, S.kernel, "mixed collapse")


_NAMED = ("laplacian", "multiorder", "motif", "unfolded", "screened", "renormalized")
FAIR: dict[str, Callable[[Complex], Operator]] = {
    **{name: partial(make_operator, name=name) for name in _NAMED[:3]},
    "face-free": lambda K: collapse(K.skeleton(1)),
    "mixed": mixed_collapse,
    **{name: partial(make_operator, name=name) for name in _NAMED[3:]},
}

WORDS = {
    "face-free": "The collapse of vertices and edges alone.",
    **{name: describe_operator(name) for name in FAIR if name in operator_names()},
}
