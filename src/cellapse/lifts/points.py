"""Complexes of points in space: nearest neighbours, Vietoris-Rips, alpha.

All keep the coordinates as the attribute "position" of the vertices. Rips and alpha complexes also
keep the attribute "filtration" of every cell, the scale at which it appears.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.graph import Graph
from cellapse._complex.weights import AUTO, weighted_by
from cellapse._errors import InputError, extra
from cellapse._shared.align import align, own_labels
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import real_array, usual_coordinates, whole_number
from cellapse._shared.memory import Fitting, require_memory
from cellapse.lifts.cliques import cliques


@Fitting("the complex", "take a smaller one, or one of fewer cells")
def nearest_neighbour_complex(
    points: Any, n_neighbors: int, max_rank: int = 2, *, weight: str | None = AUTO
) -> Complex:
    """Return points joined to their nearest neighbours, and the cliques this makes.

    An edge is there when one of its ends is among the `n_neighbors` nearest of the other; its
    attribute "length" is their distance.

    Parameters
    ----------
    points : (n, d) array, DataFrame or {label: coordinates}
    n_neighbors : int
    max_rank : int
        Cliques of up to `max_rank` + 1 points are cells.
    weight : str or None
        An attribute to be the weights: "length". By default there are none.

    Returns
    -------
    Complex

    Examples
    --------
    >>> nearest_neighbour_complex([[0, 0], [1, 0], [0, 1], [5, 5]], n_neighbors=2)
    Complex(n_cells=(4, 5, 2))
    """
    from scipy.spatial import cKDTree  # slow to import

    x, labels = _points(points)
    k = whole_number("n_neighbors", n_neighbors, 1, len(x) - 1)
    max_rank = whole_number("max_rank", max_rank, 1, 1000)
    _, nearest = cKDTree(x).query(x, k + 1)
    own = nearest == np.arange(len(x))[:, None]
    own[~own.any(axis=1), -1] = True  # many points at one place: any k of the others will do
    neighbours = nearest[~own].reshape(len(x), k)
    edges = _each_once(np.repeat(np.arange(len(x)), k), neighbours.ravel(), len(x))
    graph = Graph(labels, edges, None, {0: {"position": x}, 1: {"length": _diameters(x, edges)}})
    K = graph.with_cells(dict(enumerate(cliques(graph, max_rank + 1)[1:], start=2)))
    return weighted_by(K, weight, 1)


@Fitting("the complex", "take a smaller one, or one of fewer cells")
def rips_complex(
    points: Any, max_distance: float, max_rank: int = 2, *, weight: str | None = AUTO
) -> Complex:
    """Make the Vietoris-Rips complex: points no two of which are further than `max_distance`.

    Parameters
    ----------
    points : (n, d) array, DataFrame or {label: coordinates}
    max_distance : float
    max_rank : int
        Sets of up to `max_rank` + 1 points are cells. The attribute "filtration" is the largest
        distance within the cell.
    weight : str or None
        An attribute to be the weights: "filtration". By default there are none.

    Returns
    -------
    Complex

    Examples
    --------
    >>> K = rips_complex([[0, 0], [3, 0], [0, 4], [9, 9]], max_distance=5)
    >>> K, K.attributes[2]["filtration"].tolist()
    (Complex(n_cells=(4, 3, 1)), [5.0])
    """
    x, labels = _points(points)
    reach = _positive(max_distance, "max_distance")
    max_rank = whole_number("max_rank", max_rank, 1, 1000)
    from scipy.spatial import cKDTree  # slow to import

    tree = cKDTree(x)
    n_pairs = (tree.count_neighbors(tree, reach) - len(x)) / 2
    require_memory(100.0 * n_pairs, f"the list of {n_pairs:,.0f} edges", "lower max_distance")
    pairs = tree.query_pairs(reach, output_type="ndarray")
    graph = Graph(labels, _each_once(pairs[:, 0], pairs[:, 1], len(x)), None)
    tables = cliques(graph, max_rank + 1)
    attributes: dict[int, dict[str, Any]] = {
        k: {"filtration": _diameters(x, table)} for k, table in enumerate(tables, start=1)
    }
    attributes[0] = {"position": x, "filtration": np.zeros(len(x))}
    cells = dict(enumerate(tables, start=1))
    K = Complex.from_arrays(len(x), cells, labels, attributes=attributes)
    return weighted_by(K, weight, 1)


@Fitting("the complex", "take a smaller one, or one of fewer cells")
def alpha_complex(
    points: Any, max_radius: float | None = None, *, weight: str | None = AUTO
) -> Complex:
    """Return the alpha complex of points in two or more dimensions, by GUDHI.

    Its cells are those of the Delaunay triangulation that balls of `max_radius` around the points
    fill: few and local, up to the dimension of the space.

    Parameters
    ----------
    points : (n, d) array, DataFrame or {label: coordinates}
        No two at the same place.
    max_radius : float, optional
        By default the whole Delaunay triangulation. The attribute "filtration" is the radius at
        which a cell appears.
    weight : str or None
        An attribute to be the weights: "filtration". By default there are none.

    Returns
    -------
    Complex

    Examples
    --------
    >>> alpha_complex([[0, 0], [1, 0], [0, 1], [1, 1.5]])
    Complex(n_cells=(4, 5, 2))
    """
    with extra("gudhi", "topology"):
        from gudhi import AlphaComplex
    x, labels = _points(points)
    if len(np.unique(x, axis=0)) < len(x):
        raise InputError("some points coincide; an alpha complex needs different ones: remove them")
    radius = np.inf if max_radius is None else min(_positive(max_radius, "max_radius"), 1e154)
    tree = AlphaComplex(points=x).create_simplex_tree(max_alpha_square=radius**2)
    simplices: dict[int, list[tuple[list[int], float]]] = {}
    for simplex, squared in tree.get_simplices():
        if len(simplex) > 1:
            simplices.setdefault(len(simplex) - 1, []).append((sorted(simplex), squared))
    cells, attributes = {}, {0: {"position": x, "filtration": np.zeros(len(x))}}
    for rank, listed in simplices.items():
        listed.sort()
        cells[rank] = np.array([simplex for simplex, _ in listed])
        radii = np.sqrt([squared for _, squared in listed])
        attributes[rank] = {"filtration": radii}
    K = Complex.from_arrays(len(x), cells, labels, attributes=attributes)
    return weighted_by(K, weight, 1)


def _points(points: Any) -> tuple[FloatArray, Sequence[Hashable]]:
    """The coordinates, and what the points are called: as in a frame or mapping, or 0, 1, ..."""
    name = "the list of points"
    labels = own_labels(points, name)
    x = real_array(points if labels is None else align(points, labels, name), name)
    x = usual_coordinates(x, f"points, a {type(points).__name__},")
    plain = range(len(x))
    return x, plain if labels is None or list(labels) == list(plain) else labels


def _positive(value: Any, name: str) -> float:
    number = real_array(value, name)
    if number.ndim or not number > 0 or not np.isfinite(number):
        raise InputError(f"{name}={value!r}; give a positive number")
    return float(number)


def _each_once(i: IntArray, j: IntArray, n: int) -> IntArray:
    keys = np.unique(np.minimum(i, j) * n + np.maximum(i, j))
    return np.column_stack([keys // n, keys % n]).astype(np.int64)


def _diameters(x: FloatArray, rows: IntArray) -> FloatArray:
    """Return the largest distance within each row of points."""
    largest = np.zeros(len(rows))
    for a, b in combinations(range(rows.shape[1]), 2):
        distance = np.linalg.norm(x[rows[:, a]] - x[rows[:, b]], axis=1)
        np.maximum(largest, distance, out=largest)
    return largest
