"""Meshes: vertices with positions, faces as cells of rank 2, the sides of the faces as edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from cellapse._complex.cells import Cells, build_cells
from cellapse._complex.complex import Complex
from cellapse._complex.labels import as_tuples
from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse._shared.checks import listed, real_array


def mesh_complex(vertices: Any, faces: Any, segments: Any = ()) -> Complex:
    """The complex of a mesh: faces are cells of rank 2, their sides are the edges.

    Parameters
    ----------
    vertices : (n, d) array
        The positions; kept as the attribute "position" of the vertices.
    faces : (m, s) integer array, or a list of polygons
        Each lists vertex numbers from 0 along its boundary.
    segments : (s, 2) integer array, optional
        Edges besides the sides of the faces.

    Returns
    -------
    Complex

    Examples
    --------
    >>> square = [[0, 0], [1, 0], [1, 1], [0, 1]]
    >>> mesh_complex(square, [[0, 1, 2], [0, 2, 3]])
    Complex(n_cells=(4, 5, 2))
    >>> mesh_complex(square, [[0, 1, 2, 3]])
    Complex(n_cells=(4, 4, 1))
    """
    positions = real_array(vertices, "the list of vertex positions")
    if positions.ndim != 2:
        raise InputError(f"vertices of shape {positions.shape}; give one row of coordinates each")
    n = len(positions)
    if isinstance(faces, np.ndarray) and faces.ndim == 2:
        table: Any = faces
    else:
        polygons = as_tuples(2, listed(faces, "the list of faces"))
        ends = np.cumsum([0, *map(len, polygons)])
        table = ends, np.array([v for polygon in polygons for v in polygon])
    checked = build_cells(2, table, n, range(n))
    if len(checked) and checked.sizes.min() < 3:
        at = int(np.argmin(checked.sizes))
        raise InputError(
            f"face number {at} has {checked.sizes[at]} vertices; a face has three or more: "
            "remove it"
        )
    cells = {1: _sides(checked, segments, n), 2: (checked.indptr, checked.indices)}
    return Complex.from_arrays(n, cells, attributes={0: {"position": positions}})


def _sides(faces: Cells, segments: Any, n: int) -> IntArray:
    """Every pair of neighbours along a boundary, and every segment, once."""
    following = np.roll(faces.indices, -1)
    following[faces.indptr[1:] - 1] = faces.indices[faces.indptr[:-1]]
    more = build_cells(1, segments, n, range(n)).as_array().reshape(-1, 2)
    sides = np.concatenate([np.column_stack([faces.indices, following]), more])
    keys = np.unique(sides.min(axis=1) * n + sides.max(axis=1))
    return np.column_stack([keys // n, keys % n])
