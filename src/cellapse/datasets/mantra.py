"""The original MANTRA file of triangulated surfaces, checked while it is read.

A set of triangles is a connected closed surface if every edge lies in two of them, all of them hang
together, and the triangles around each vertex form one cycle. It can be oriented if its orientation
cover, two copies of every triangle, falls into two parts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from cellapse._errors import InputError
from cellapse._shared.arrays import BoolArray, IntArray
from cellapse._shared.checks import file_path
from cellapse.datasets.surfaces import Surfaces, make_surfaces
from cellapse.io._source import reading_file

_GROWTH = 50  # memory for a byte of the file; the 2-manifolds take about 30 MB


def load_mantra(path: str | Path) -> Surfaces:
    """Read the 2-manifolds of MANTRA, `2_manifolds.json` or `.json.gz`, as published.

    Parameters
    ----------
    path : str or Path
        A list of records with `triangulation` (vertices from 1) and `n_vertices`; where a record
        has `betti_numbers` or `orientable`, they must agree with its triangles.

    Returns
    -------
    Surfaces
        In the order of the file; vertices count from 0.

    Raises
    ------
    InputError
        When the file is not such a list, or a record is no closed surface.

    Examples
    --------
    >>> import cellapse as cl
    >>> len(cl.datasets.load_mantra("2_manifolds.json.gz"))  # doctest: +SKIP
    43138
    """
    records = _records(file_path(path))
    n_vertices, tables = [], []
    for i, record in enumerate(records):
        try:
            T = np.array(record["triangulation"])
            n = record.get("n_vertices", int(T.max()))
        except (TypeError, KeyError, ValueError, AttributeError):
            raise InputError(
                f"record {i} of {path} has no triangulation; give the file of 2-manifolds as MANTRA"
                " publishes it"
            ) from None
        if T.ndim != 2 or T.shape[1] != 3 or T.dtype.kind != "i" or not isinstance(n, int):
            raise InputError(
                f"record {i} of {path} is no list of triangles (shape {T.shape}, {n!r} vertices); "
                "only surfaces can be read, not the 3-manifolds"
            )
        if not 4 <= n <= 255:
            raise InputError(f"record {i} of {path} has {n} vertices; 4 to 255 can be read")
        n_vertices.append(n)
        tables.append(T - 1)
    surfaces = recognize(n_vertices, [len(T) for T in tables], np.concatenate(tables))
    _compare(records, surfaces, path)
    return surfaces


def _records(path: Path) -> list[Any]:
    try:
        with reading_file(path, _GROWTH) as text:
            records = json.loads(text)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON ({error}); give a MANTRA file") from None
    if not isinstance(records, list) or not records:
        raise InputError(f"{path} is no list of triangulations; give a MANTRA file")
    return records


def _compare(records: list[Any], surfaces: Surfaces, path: str | Path) -> None:
    for i, record in enumerate(records):
        computed = {
            "betti_numbers": surfaces.betti_numbers[i].tolist(),
            "orientable": bool(surfaces.orientable[i]),
        }
        for key, value in computed.items():
            if record.get(key, value) != value:
                raise InputError(
                    f"record {i} of {path} says {key} = {record[key]!r}, but its triangles give "
                    f"{value!r}; check the file"
                )


def recognize(n_vertices: ArrayLike, sizes: ArrayLike, triangles: ArrayLike) -> Surfaces:
    """Check that triangles are closed surfaces and find which can be oriented, all at once.

    Parameters
    ----------
    n_vertices, sizes : one integer per surface
        Vertices and triangles of each.
    triangles : (sum of sizes, 3) integers
        Those of the first surface, then those of the second, ...

    Examples
    --------
    >>> recognize([4], [4], [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]).names.tolist()
    ['S^2']
    """
    n, f = np.asarray(n_vertices, np.int64), np.asarray(sizes, np.int64)
    T = np.sort(np.asarray(triangles, np.int64).reshape(-1, 3), axis=1)
    owner = np.repeat(np.arange(len(n)), f)
    _refuse(owner, (T[:, 0] < 0) | (T[:, 2] >= n[owner]), "names a vertex outside 0..n-1")
    _refuse(owner, (T[:, 0] == T[:, 1]) | (T[:, 1] == T[:, 2]), "has a triangle of two vertices")
    N = int(n.max(initial=1))
    keys = [(owner * N + T[:, i]) * N + T[:, j] for i, j in ((1, 2), (0, 2), (0, 1))]
    edge = np.concatenate(keys)
    order = np.argsort(edge, kind="stable")
    first, second = order[0::2], order[1::2][: len(order) // 2]
    _, count = np.unique(edge, return_counts=True)
    if len(edge) and (count != 2).any():
        bad = np.repeat(count != 2, count)
        _refuse(np.tile(owner, 3)[order], bad, "has an edge that is not in exactly two triangles")
    oriented = _orientable(first, second, f, owner)
    _check_links(T, first, second, n, owner)
    return make_surfaces(n, oriented, f, T.astype(np.uint8))


def _orientable(first: IntArray, second: IntArray, sizes: IntArray, owner: IntArray) -> BoolArray:
    """Return which surfaces can be oriented, once all are known to be connected.

    Entry i * t + j of a list of edges is the edge of triangle j opposite to its corner i; `first`
    and `second` are the two entries of each edge.
    """
    t = len(owner)
    sign = np.repeat([1, -1, 1], t)  # of the edges 12, 02 and 01 in the boundary of 012
    agree = sign[first] * sign[second] < 0  # neighbours keep their orientation, or one is turned
    # The orientation cover: nodes (triangle, +) and (triangle, -).
    one, other = first % t, second % t
    flip = np.where(agree, 0, t)
    cover = _components(np.r_[one, one + t], np.r_[other + flip, other + t - flip], 2 * t)
    plus, minus = cover[:t], cover[t:]
    start = np.cumsum(sizes) - sizes
    joined = (plus == plus[start][owner]) | (plus == minus[start][owner])
    _refuse(owner, ~joined, "is not connected")
    return plus[start] != minus[start]


def _check_links(
    T: IntArray, first: IntArray, second: IntArray, n: IntArray, owner: IntArray
) -> None:
    """Refuse a vertex around which the corners of triangles do not form one cycle."""
    t = len(T)
    corner = np.arange(3 * t)  # corner i * t + triangle
    ends = {0: (1, 2), 1: (0, 2), 2: (0, 1)}
    a, b = [], []
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        x = _corner(first, t, ends, i)
        y = _corner(second, t, ends, j)
        same = T.T.ravel()[x] == T.T.ravel()[y]
        a.append(corner[x[same]])
        b.append(corner[y[same]])
    links = _components(np.concatenate(a), np.concatenate(b), 3 * t)
    cycles = np.bincount(
        np.tile(owner, 3)[np.unique(links, return_index=True)[1]], minlength=len(n)
    )
    _refuse(np.arange(len(n)), cycles != n, "has a vertex that is unused or whose link is no cycle")


def _corner(edge: IntArray, t: int, ends: dict[int, tuple[int, int]], which: int) -> IntArray:
    """Return the corner at one end of an edge, within the triangle the edge entry belongs to."""
    opposite, triangle = edge // t, edge % t
    return np.array([ends[k][which] for k in range(3)])[opposite] * t + triangle


def _components(i: IntArray, j: IntArray, n: int) -> IntArray:
    graph = sparse.coo_array((np.ones(len(i), np.int8), (i, j)), shape=(n, n)).tocsr()
    return connected_components(graph, directed=False)[1].astype(np.int64)


def _refuse(owner: IntArray, bad: BoolArray, what: str) -> None:
    if bad.any():
        raise InputError(
            f"surface number {int(owner[bad][0])} {what}; give connected closed surfaces, each as "
            "its triangles of vertices 0..n-1"
        )
