"""Where the vertices of a drawing go: springs along edges, repulsion between all vertices.

A large complex is drawn by the neighbourhood of one vertex, which keeps its cells whole; a random
sample would keep hardly any.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse.csgraph import breadth_first_order

from cellapse.cells import IntArray
from cellapse.complex import Complex

FloatArray = NDArray[np.float64]

_ROUNDS = 150


def neighbourhood(K: Complex, limit: int) -> IntArray:
    """At most `limit` vertices, in ascending order: all, or breadth first from the busiest one.

    Components are taken from the largest down, so that a scattered complex fills its sample.

    >>> K = Complex.from_arrays(5, {1: [[0, 1], [1, 2], [1, 3], [3, 4]]})
    >>> neighbourhood(K, 4).tolist()
    [0, 1, 2, 3]
    """
    n = K.n_vertices
    if n <= limit:
        return np.arange(n)
    adjacency = _adjacency(K)
    busy = np.diff(adjacency.indptr)
    component = K.components()
    found: list[IntArray] = []
    left = limit
    for c in np.argsort(-np.bincount(component), kind="stable").tolist():
        members = np.flatnonzero(component == c)
        start = int(members[np.argmax(busy[members])])
        near = breadth_first_order(adjacency, start, directed=False)[0][:left]
        found.append(near)
        left -= len(near)
        if left == 0:
            break
    return np.sort(np.concatenate(found))


def arrange(
    n: int, edges: IntArray, strengths: FloatArray, rng: int | np.random.Generator = 0
) -> FloatArray:
    """Places of n vertices in the unit square, by forces: strong edges are short.

    Edges pull with strength * d^2 / r and all pairs push with r^2 / d, where r is the distance at
    which one edge of strength 1 is at rest; steps get shorter until nothing moves. All pairs are
    handled at once, so this is for up to a few thousand vertices.

    >>> place = arrange(4, np.array([[0, 1], [2, 3]]), np.ones(2))
    >>> bool(np.linalg.norm(place[0] - place[1]) < np.linalg.norm(place[0] - place[2]))
    True
    """
    ends = sparse.csr_array((strengths, (edges[:, 0], edges[:, 1])), shape=(n, n))
    ends = sparse.csr_array(ends + ends.T)
    place = _start(ends, np.random.default_rng(rng))
    rest = 1.0 / np.sqrt(max(n, 1))
    i, j = ends.nonzero()
    for step in np.linspace(0.1, 0.002, _ROUNDS):
        push = rest**2 / _square_distances(place)
        force = push.sum(axis=1)[:, None] * place - push @ place
        length = np.linalg.norm(place[i] - place[j], axis=1)
        pull = sparse.csr_array((ends.data * length / rest, ends.indices, ends.indptr), ends.shape)
        force -= pull.sum(axis=1)[:, None] * place - pull @ place
        force -= 0.3 * rest * place  # components that nothing holds stay in sight
        size = np.linalg.norm(force, axis=1, keepdims=True)
        place = place + force * np.minimum(step / np.maximum(size, 1e-9), 1.0)
    return _into_unit_square(place)


def _start(ends: sparse.csr_array, random: np.random.Generator) -> FloatArray:
    """The second and third eigenvector of the random walk: unfolds what is long or flat.

    A little noise parts vertices that the eigenvectors do not tell apart.
    """
    n = ends.shape[0]
    noise = random.standard_normal((n, 2))
    if n < 4:
        return 0.3 * noise
    scale = 1.0 / np.sqrt(np.maximum(ends.sum(axis=1), 1e-9))
    walk = scale[:, None] * ends.toarray() * scale
    vectors = linalg.eigh(walk, subset_by_index=[n - 3, n - 2])[1] * scale[:, None]
    spread = np.maximum(vectors.std(axis=0), 1e-12)
    return 0.3 * (vectors - vectors.mean(axis=0)) / spread + 0.02 * noise


def _square_distances(place: FloatArray) -> FloatArray:
    size = (place**2).sum(axis=1)
    return np.maximum(size[:, None] + size - 2.0 * place @ place.T, 1e-6)


def _into_unit_square(place: FloatArray) -> FloatArray:
    """Turned so that the longest extent lies flat, centred, with 0..1 in both directions."""
    centred = place - place.mean(axis=0)
    if len(place) > 2:
        centred = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    low, high = centred.min(axis=0), centred.max(axis=0)
    extent = max(float((high - low).max()), 1e-9)
    return (centred - (low + high) / 2) / extent + 0.5


def _adjacency(K: Complex) -> sparse.csr_array:
    """Who shares a cell, each cell as a star around its first vertex."""
    first = [np.repeat(c.indices[c.indptr[:-1]], c.sizes) for c in K.cells[1:]]
    other = [c.indices for c in K.cells[1:]]
    i = np.concatenate([*first, np.empty(0, np.int64)])
    j = np.concatenate([*other, np.empty(0, np.int64)])
    ones = np.ones(len(i), np.int8)
    A = sparse.coo_array((ones, (i, j)), shape=(K.n_vertices,) * 2).tocsr()
    return sparse.csr_array(A + A.T)
