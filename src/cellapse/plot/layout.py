"""Where the vertices of a drawing go: springs along edges, repulsion between all vertices.

A large complex is drawn by neighbourhoods, which keep their cells whole; a random sample would
keep hardly any.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from cellapse._complex.cells import star_graph
from cellapse._complex.complex import Complex
from cellapse._shared.arrays import FloatArray, IntArray, diagonal_matrix
from cellapse.reduction.multilevel import pyramid

_ROUNDS = 150
_ALL_PAIRS = 5000  # vertices up to which all push each other
_LAST = 800  # vertices of the last level of a pyramid, at most
_SWEEPS = 3


def neighbourhood(K: Complex, limit: int, groups: IntArray | None = None) -> IntArray:
    """At most `limit` vertices, in ascending order: all, or breadth first from busy ones.

    With groups, as many around the busiest vertex of each of them; what is left goes to the
    components from the largest down, so that a scattered complex fills its sample.

    >>> K = Complex.from_arrays(5, {1: [[0, 1], [1, 2], [1, 3], [3, 4]]})
    >>> neighbourhood(K, 4).tolist()
    [0, 1, 2, 3]
    >>> neighbourhood(K, 2, np.array([0, 0, 0, 0, 1])).tolist()
    [1, 4]
    """
    if K.n_vertices <= limit:
        return np.arange(K.n_vertices)
    star = star_graph(K.cells[1:], K.n_vertices)
    adjacency = sparse.csr_array(star + star.T)
    busy = np.diff(adjacency.indptr)
    taken = np.zeros(K.n_vertices, dtype=bool)

    def take(members: IntArray, most: int) -> None:
        start = int(members[np.argmax(busy[members])])
        near = breadth_first_order(adjacency, start, directed=False)[0]
        taken[near[~taken[near]][:most]] = True

    if groups is not None:
        numbers = np.unique(groups)
        for number in numbers:
            take(np.flatnonzero(groups == number), limit // len(numbers))
    component = K.components()
    for number in np.argsort(-np.bincount(component), kind="stable"):
        left = limit - int(taken.sum())
        if left == 0:
            break
        take(np.flatnonzero(component == number), left)
    return np.flatnonzero(taken)


def arrange(
    n: int, edges: IntArray, strengths: FloatArray, rng: int | np.random.Generator = 0
) -> FloatArray:
    """Return places of n vertices in the unit square, by forces: strong edges are short.

    Edges pull with strength * d^2 / r and all pairs push with r^2 / d, where r is the distance at
    which one edge of strength 1 is at rest; steps get shorter until nothing moves. Components are
    laid out one by one and set side by side. All pairs are handled at once; of a component with
    more than 5,000 vertices only those of its sparse reduction to some hundred, and the others go
    between them, where the energy of their edges is least.

    >>> place = arrange(3, np.array([[0, 1], [1, 2]]), np.ones(2))
    >>> bool(np.linalg.norm(place[0] - place[1]) < np.linalg.norm(place[0] - place[2]))
    True
    """
    ends = sparse.csr_array((strengths, (edges[:, 0], edges[:, 1])), shape=(n, n))
    ends = sparse.csr_array(ends + ends.T)
    random = np.random.default_rng(rng)
    component = connected_components(ends, directed=False)[1]
    members = np.split(np.argsort(component, kind="stable"), np.cumsum(np.bincount(component))[:-1])
    members.sort(key=len, reverse=True)
    return _side_by_side(members, [_component(ends[m][:, m], random) for m in members])


def around(points: FloatArray) -> FloatArray:
    """Return the corners of a cell in the order of a walk around it."""
    x, y = (points - points.mean(axis=0)).T
    return points[np.argsort(np.arctan2(y, x))]


def _component(ends: sparse.csr_array, random: np.random.Generator) -> FloatArray:
    """Lay out one component: all of it, or the last level of its pyramid first."""
    n = ends.shape[0]
    if n <= _ALL_PAIRS:
        return _spring(ends, random)
    degree = ends.sum(axis=1)
    levels = [-(-n // 4**k) for k in range(1, 20) if n > _LAST * 4 ** (k - 1)]
    P = pyramid(diagonal_matrix(degree) - ends, levels, sparse=0.5, rng=random)
    last = P.operators[-1].tocsr()
    few = sparse.csr_array(diagonal_matrix(last.diagonal()) - last)
    place = P.interpolate(_spring(few / few.data.mean(), random))
    for _ in range(_SWEEPS):  # kept vertices come to their neighbours, too
        place = (place + (ends @ place) / degree[:, None]) / 2.0
    return place * np.sqrt(n) / max(float(np.ptp(place, axis=0).max()), 1e-9)


def _spring(ends: sparse.csr_array, random: np.random.Generator) -> FloatArray:
    """Return the layout of one component: centred, its longest extent flat, sqrt(size) long."""
    n = ends.shape[0]
    if n == 1:
        return np.zeros((1, 2))
    place = _start(ends, random)
    rest = 1.0 / np.sqrt(n)
    i, j = ends.nonzero()
    for step in np.linspace(0.1, 0.002, _ROUNDS):
        push = rest**2 / _square_distances(place)
        force = push.sum(axis=1)[:, None] * place - push @ place
        length = np.linalg.norm(place[i] - place[j], axis=1)
        pull = sparse.csr_array((ends.data * length / rest, ends.indices, ends.indptr), ends.shape)
        force -= pull.sum(axis=1)[:, None] * place - pull @ place
        size = np.linalg.norm(force, axis=1, keepdims=True)
        place = place + force * np.minimum(step / np.maximum(size, 1e-9), 1.0)
    centred = place - place.mean(axis=0)
    centred = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    low, high = centred.min(axis=0), centred.max(axis=0)
    return np.sqrt(n) * (centred - (low + high) / 2) / max(float((high - low).max()), 1e-9)


def _side_by_side(members: Sequence[IntArray], parts: list[FloatArray]) -> FloatArray:
    """Components in rows, the largest first, scaled together into the unit square."""
    sizes = [np.ptp(part, axis=0) + (1.0 if len(parts) > 1 else 0.0) for part in parts]
    row = max(float(sizes[0][0]), 1.5 * float(np.sqrt(sum(w * h for w, h in sizes))))
    place = np.empty((sum(map(len, parts)), 2))
    x = y = height = 0.0
    for vertices, part, (w, h) in zip(members, parts, sizes, strict=True):
        if x > 0 and x + w > row + 1e-9:
            x, y, height = 0.0, y + height, 0.0
        place[vertices] = part + np.array([x + w / 2, y + h / 2])
        x, height = x + w, max(height, h)
    low, high = place.min(axis=0), place.max(axis=0)
    return (place - (low + high) / 2) / max(float((high - low).max()), 1e-9) + 0.5


def _start(ends: sparse.csr_array, random: np.random.Generator) -> FloatArray:
    """Return the second and third eigenvector of the random walk: unfolds what is long or flat.

    A little noise parts vertices that the eigenvectors do not separate.
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
