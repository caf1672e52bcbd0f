"""The operators among which the search looks: the family with its parameters, and its rivals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cellapse._collapse.collapsed import collapse
from cellapse._complex.complex import Complex
from cellapse._linalg.operators import Operator
from cellapse._matrices.matrices import containment
from cellapse._operators.baselines import graph_laplacian, motif_laplacian, multiorder_laplacian
from cellapse.tasks.selection import screened

OURS = "renormalized .95, 5"
Build = Callable[[Complex], Operator]


def _screened(theta2: float, beta: float, rounds: int) -> Build:
    return lambda K: screened(K, theta2, beta, rounds)


def weighted(K: Complex, by: str) -> Complex:
    """Return the complex with a weight for every triangle, made of the graph alone.

    By "degree" the geometric mean of its vertices' degrees, against their mean, divides: triangles
    among hubs close by chance. By "overlap" it is the geometric mean, over its edges, of the common
    neighbours of the ends as a share of all their neighbours: triangles among triangles count more.

    >>> import networkx as nx
    >>> from cellapse.lifts import clique_complex
    >>> K = clique_complex(nx.complete_graph(4))
    >>> weighted(K, "degree").weights[2], weighted(K, "overlap").weights[2]
    (array([1., 1., 1., 1.]), array([0.5, 0.5, 0.5, 0.5]))
    """
    ends, corners = K.cells[1].as_array(2), K.cells[2].as_array(3)
    degree = np.bincount(ends.ravel(), minlength=K.n_vertices)
    if by == "degree":
        weights = degree.mean() / np.exp(np.log(degree[corners]).mean(axis=1))
    else:
        sides = containment(K, 1, 2)
        common = sides.sum(axis=1)
        share = np.maximum(common, 1) / (degree[ends].sum(axis=1) - common)
        weights = np.exp(sides.T @ np.log(share) / 3)
    return K.with_attributes({}, {2: weights})


def _weighted(by: str, build: Build) -> Build:
    return lambda K: build(weighted(K, by) if K.n_cells[2] else K)


CANDIDATES: dict[str, Build] = {
    "laplacian": graph_laplacian,
    "multiorder": multiorder_laplacian,
    "motif": motif_laplacian,
    "unfolded eps .0001": lambda K: collapse(K, "unfolded"),
    "unfolded eps 1": lambda K: collapse(K, "unfolded", eps=1.0),
    "unfolded regularized eps 1": lambda K: collapse(K, "unfolded", eps=1.0, gamma="regularized"),
    **{
        f"screened {t:g}, {b}".replace(" 0.", " ."): _screened(t, b, 0)
        for t in (0.5, 0.9, 0.99)
        for b in (1, 5)
    },
    **{
        f"renormalized {t:g}, {b}".replace(" 0.", " ."): _screened(t, b, 5)
        for t in (0.8, 0.9, 0.95, 0.98)
        for b in (2, 5, 10)
    },
    "renormalized twice .9, 5": _screened(0.9, 5, 2),
    **{
        f"{name}, cells by {by}": _weighted(by, build)
        for by in ("degree", "overlap")
        for name, build in (
            ("unfolded eps 1", lambda K: collapse(K, "unfolded", eps=1.0)),
            ("screened .9, 1", _screened(0.9, 1, 0)),
            (OURS, _screened(0.95, 5, 5)),
        )
    },
}
