"""Random graphs with known groups or places: block models and geometric graphs with shortcuts.

The eight block models are those of the paper's table of normalized cuts, with parameters inferred
from the numbers of vertices, edges, triangles and tetrahedra that it gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import generator, listed, number, own_csr, real_array, whole_number
from cellapse._shared.memory import require_memory
from cellapse.datasets._names import unknown_name

Rng = int | np.random.Generator


@dataclass(frozen=True)
class BlockModel:
    """A stochastic block model: sizes, probabilities inside and across, and what is added."""

    sizes: tuple[int, ...]
    inside: float
    across: float
    clique: int = 0  # the first vertices, all joined
    bridges: bool = False  # one edge from each block to the next


BLOCK_MODELS = {
    "Base": BlockModel((20,) * 4, 0.3, 0.055),
    "Den": BlockModel((20,) * 4, 0.7, 0.01),
    "+N": BlockModel((20,) * 4, 0.58, 0.08),
    "Plt": BlockModel((40,) * 2, 0.15, 0.02, clique=17),
    "SD": BlockModel((12,) * 6, 0.76, 0.02),
    "LS": BlockModel((40,) * 3, 0.15, 0.01),
    "Uneq": BlockModel((40, 30, 20), 0.395, 0.018),
    "Br": BlockModel((20,) * 4, 0.59, 0.0, bridges=True),
}


def block_model(
    sizes: Sequence[int], inside: float, across: float, rng: Rng = 0
) -> tuple[sparse.csr_array, IntArray]:
    """Return a stochastic block model: its adjacency and the block of every vertex.

    Parameters
    ----------
    sizes : sequence of int
        Vertices of each block.
    inside, across : float
        Probability of an edge within a block, and between two.
    rng : seed or numpy Generator

    Returns
    -------
    adjacency : scipy.sparse.csr_array
    groups : integer array

    Examples
    --------
    >>> A, groups = block_model([3, 2], inside=1.0, across=0.0)
    >>> A.nnz // 2, groups.tolist()
    (4, [0, 0, 0, 1, 1])
    """
    sizes = [whole_number("a size", s, 1) for s in listed(sizes, "sizes")]
    if not sizes:
        raise InputError("sizes is empty; give the number of vertices of each block")
    for name, p in (("inside", inside), ("across", across)):
        number(name, p, "a probability between 0 and 1", lambda x: 0 <= x <= 1)
    n = sum(sizes)
    require_memory(40.0 * n * n, f"a block model of {n:,} vertices", "take smaller blocks")
    groups = np.repeat(np.arange(len(sizes)), sizes)
    i, j = np.triu_indices(len(groups), 1)
    chance = np.where(groups[i] == groups[j], inside, across)
    joined = generator(rng).random(len(i)) < chance
    return _adjacency(len(groups), i[joined], j[joined]), groups


def paper_block_model(name: str, rng: Rng = 0) -> tuple[sparse.csr_array, IntArray]:
    """Return one of the paper's eight block models: Base, Den, +N, Plt, SD, LS, Uneq or Br.

    Parameters
    ----------
    name : str
        A key of `BLOCK_MODELS`.
    rng : seed or numpy Generator

    Returns
    -------
    adjacency : scipy.sparse.csr_array
    groups : integer array

    Examples
    --------
    >>> A, groups = paper_block_model("Uneq", rng=1)
    >>> A.shape, np.bincount(groups).tolist()
    ((90, 90), [40, 30, 20])
    """
    if not isinstance(name, str) or name not in BLOCK_MODELS:
        raise InputError(
            unknown_name("block model", name, tuple(BLOCK_MODELS), "paper_block_model")
        )
    model = BLOCK_MODELS[name]
    rng = generator(rng)
    A, groups = block_model(model.sizes, model.inside, model.across, rng)
    i, j = np.triu_indices(model.clique, 1)
    if model.bridges:
        last = np.cumsum(model.sizes)
        first = last - np.array(model.sizes)
        i = rng.integers(first[:-1], last[:-1])
        j = rng.integers(first[1:], last[1:])
    return join(A, np.column_stack([i, j])), groups


def geometric_graph(
    n: int, radius: float, rng: Rng = 0, *, tries: int = 1000
) -> tuple[FloatArray, sparse.csr_array]:
    """Return random points in the unit square joined within a radius, drawn again until connected.

    Parameters
    ----------
    n : int
    radius : float
    rng : seed or numpy Generator
    tries : int
        Draws before giving up.

    Returns
    -------
    points : (n, 2) array
    adjacency : scipy.sparse.csr_array

    Examples
    --------
    >>> points, A = geometric_graph(200, 0.12, rng=0)
    >>> points.shape, A.shape
    ((200, 2), (200, 200))
    """
    from scipy.spatial import cKDTree  # slow to import

    n, tries = whole_number("n", n, 1), whole_number("tries", tries, 1)
    radius = number("radius", radius, "a positive number", lambda x: x > 0)
    require_memory(100.0 * n, f"{n:,} points", "take fewer")
    rng = generator(rng)
    for _ in range(tries):
        points = rng.random((n, 2))
        near = cKDTree(points).query_pairs(radius, output_type="ndarray").astype(np.int64)
        A = _adjacency(n, near[:, 0], near[:, 1])
        if connected_components(A, directed=False)[0] == 1:
            return points, A
    raise InputError(
        f"none of {tries} draws of {n} points within {radius} was connected; take a larger radius"
    )


def add_shortcuts(adjacency: sparse.csr_array, m: int, rng: Rng = 0) -> sparse.csr_array:
    """Return the graph with `m` more edges, at random between vertices not joined before.

    Parameters
    ----------
    adjacency : scipy.sparse.csr_array
    m : int
    rng : seed or numpy Generator

    Returns
    -------
    scipy.sparse.csr_array

    Examples
    --------
    >>> A, _ = block_model([6], 0.0, 0.0)
    >>> add_shortcuts(A, 5, rng=0).nnz // 2
    5
    """
    adjacency = own_csr(adjacency, "the adjacency")
    n = adjacency.shape[0]
    if adjacency.shape != (n, n):
        raise InputError(f"an adjacency of shape {adjacency.shape}; it must be square")
    require_memory(10.0 * n * n, f"the pairs of {n:,} vertices", "take a smaller graph")
    absent = np.ones((n, n), dtype=bool)
    rows, columns = adjacency.nonzero()
    absent[rows, columns] = False
    i, j = np.nonzero(np.triu(absent, 1))
    m = whole_number("m", m, 0, len(i))
    chosen = generator(rng).choice(len(i), m, replace=False)
    return join(adjacency, np.column_stack([i[chosen], j[chosen]]))


def join(adjacency: sparse.csr_array, pairs: ArrayLike) -> sparse.csr_array:
    """Return the graph with more edges; those it has already stay as they are."""
    i, j = real_array(pairs, "the pairs").reshape(-1, 2).astype(np.int64).T
    added = _adjacency(adjacency.shape[0], i, j)
    return adjacency.maximum(added).tocsr()


def _adjacency(n: int, i: IntArray, j: IntArray) -> sparse.csr_array:
    ones = np.ones(2 * len(i))
    A = sparse.coo_array((ones, (np.r_[i, j], np.r_[j, i])), shape=(n, n)).tocsr()
    A.data[:] = 1.0  # a pair given twice is one edge
    return A
