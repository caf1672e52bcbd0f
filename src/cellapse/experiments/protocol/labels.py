r"""Few labels on a network, and what others do with them.

With A the adjacency, D its degrees, L = D - A, Y the indicators of the labels (a column a class),
y_j the row of label j and y their mean, every vertex gets the class of the largest entry of

    Poisson            L U = sum over the labels of e_j (y_j - y)^T, sum of d_i U_i = 0
    harmonic           L F = 0 off the labels, F = Y at them
    LabelSpreading a   (I - a D^-1/2 A D^-1/2)^-1 Y
    PageRank a         (D - a A)^-1 Y
    APPNP              ten times Z -> .9 B Z + .1 Y, B = C^-1/2 (A + I) C^-1/2
    NHOLS              sixty times F -> a D^-1/2 A D^-1/2 F + b M(F) + (1 - a - b) Y

(Calder et al. 2020; Zhu et al. 2003; Zhou et al. 2004; Gleich 2015; Gasteiger et al. 2019; Tudisco,
Benson and Prokopchik 2021). C are the degrees of A + I. M(F) is the sum over the triangles of a
vertex of the means of its two others, each divided by the root of its number of triangles:
arithmetic means with a = b = .4, or geometric ones with a = .2 and b = .7.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import sparse

from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.lifts import clique_complex

_FEWEST = 1e-6  # of NHOLS: the entry of a class that is not that of the label


def few_labels(groups: IntArray, seed: int, per_class: int = 3) -> IntArray:
    """Up to so many labels a group, and at least one vertex left without; -1 for the others.

    >>> few_labels(np.array([0, 0, 0, 0, 0, 1, 1]), 0).tolist().count(-1)
    3
    """
    rng = np.random.default_rng(seed)
    known = np.full(len(groups), -1)
    for group in np.unique(groups):
        members = rng.permutation(np.flatnonzero(groups == group))
        known[members[: min(per_class, max(len(members) - 1, 1))]] = group
    return known


def poisson(A: sparse.csr_array, known: IntArray) -> FloatArray:
    M, Y = A.toarray(), _indicators(known)
    at, d = np.flatnonzero(known >= 0), M.sum(axis=1)
    source = np.zeros_like(Y)
    source[at] = Y[at] - Y[at].mean(axis=0)
    U = np.linalg.pinv(np.diag(d) - M, hermitian=True) @ source
    return np.asarray(U - d @ U / d.sum())


def harmonic(A: sparse.csr_array, known: IntArray) -> FloatArray:
    M, F = A.toarray(), _indicators(known)
    free = np.flatnonzero(known < 0)
    L = np.diag(M.sum(axis=1)) - M
    inner = L[np.ix_(free, free)] + 1e-9 * np.eye(len(free))
    F[free] = np.linalg.solve(inner, M[free] @ F)
    return F


def label_spreading(A: sparse.csr_array, known: IntArray, alpha: float = 0.8) -> FloatArray:
    S = _normalized(A.toarray())
    return np.asarray(np.linalg.solve(np.eye(len(known)) - alpha * S, _indicators(known)))


def page_rank(A: sparse.csr_array, known: IntArray, alpha: float = 0.85) -> FloatArray:
    M = A.toarray()
    d = np.maximum(M.sum(axis=1), 1.0)
    return np.linalg.solve(np.diag(d) - alpha * M, _indicators(known))


def appnp(A: sparse.csr_array, known: IntArray) -> FloatArray:
    B, Y = _normalized(A.toarray() + np.eye(len(known))), _indicators(known)
    Z = Y
    for _ in range(10):
        Z = 0.9 * B @ Z + 0.1 * Y
    return Z


def nhols(A: sparse.csr_array, known: IntArray, geometric: bool = False) -> FloatArray:
    K = clique_complex(A)
    corners = K.cells[2].as_array(3)
    a, b = (0.2, 0.7) if geometric else (0.4, 0.4)
    S = _normalized(A.toarray())
    many = np.sqrt(np.maximum(np.bincount(corners.ravel(), minlength=len(known)), 1.0))[:, None]
    Y = np.maximum(_indicators(known), _FEWEST)
    Y[known < 0] = _FEWEST
    F = Y
    for _ in range(60):
        Z, means = F / many, np.zeros_like(F)
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            one, two = Z[corners[:, j]], Z[corners[:, k]]
            np.add.at(means, corners[:, i], np.sqrt(one * two) if geometric else (one + two) / 2.0)
        F = a * S @ F + b * means / many + (1.0 - a - b) * Y
    return F


Rival = Callable[[sparse.csr_array, IntArray], FloatArray]
RIVALS: dict[str, Rival] = {
    "Poisson as published": poisson,
    "harmonic as published": harmonic,
    **{
        f"LabelSpreading {a:g}".replace("0.", "."): partial(label_spreading, alpha=a)
        for a in (0.2, 0.5, 0.8, 0.9, 0.95)
    },
    "PageRank .85": page_rank,
    "PageRank .95": partial(page_rank, alpha=0.95),
    "APPNP": appnp,
    "NHOLS, arithmetic": nhols,
    "NHOLS, geometric": partial(nhols, geometric=True),
}


def _normalized(M: FloatArray) -> FloatArray:
    root = 1.0 / np.sqrt(np.maximum(M.sum(axis=1), 1.0))
    return M * root[:, None] * root


def _indicators(known: IntArray) -> FloatArray:
    Y = np.zeros((len(known), int(known.max()) + 1))
    Y[known >= 0, known[known >= 0]] = 1.0
    return Y
