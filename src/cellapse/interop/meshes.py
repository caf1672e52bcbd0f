"""Meshes of other libraries in: meshio, pyvista, open3d, vedo, SciPy's and matplotlib's triangles.

The cells follow from what an object has, and every point is a vertex with its `position`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.weights import weighted_by
from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse.interop._build import Wanted
from cellapse.lifts.meshes import block_complex, cells_complex, with_lengths

_SIMPLICES = {2: "line", 3: "triangle", 4: "tetra"}


def read(mesh: Any, wanted: Wanted) -> Complex:
    """Return a mesh, by the library that its class belongs to."""
    wanted.check_ranked("a mesh")
    for base in type(mesh).__mro__:
        reader = _READERS.get(base.__module__.partition(".")[0])
        if reader is not None:
            return weighted_by(reader(mesh), wanted.weight)
    raise InputError(f"a {type(mesh).__name__} is no mesh that is known here")


def _meshio(mesh: Any) -> Complex:
    K = block_complex(mesh.points, {k: v for k, v in mesh.cells_dict.items() if k != "vertex"})
    columns = {n: np.asarray(v) for n, v in mesh.point_data.items() if isinstance(n, str)}
    return K.with_attributes({0: {n: v for n, v in columns.items() if len(v) == K.n_vertices}})


def _pyvista(mesh: Any) -> Complex:
    points = np.asarray(mesh.points, dtype=np.float64)
    if hasattr(mesh, "celltypes"):
        connectivity, ends = np.asarray(mesh.cell_connectivity), np.asarray(mesh.offset)
        K = cells_complex(points, ends, connectivity, np.asarray(mesh.celltypes))
    elif hasattr(mesh, "faces"):
        (sizes, corners), (steps, along) = _with_lengths(mesh.faces), _with_lengths(mesh.lines)
        ends = np.concatenate([[0], np.cumsum(np.r_[sizes, steps])])
        kinds = np.r_[np.full(len(sizes), 7), np.full(len(steps), 4)]
        K = cells_complex(points, ends, np.r_[corners, along], kinds)
    else:
        raise InputError(f"a pyvista {type(mesh).__name__} has no cells; pass extract_surface()")
    data = {str(n): np.asarray(mesh.point_data[n]) for n in mesh.point_data}
    return K.with_attributes({0: data})


def _with_lengths(flat: Any) -> tuple[IntArray, IntArray]:
    """Return the lengths and members of lists with their lengths in front, as VTK keeps them."""
    numbers = np.asarray(flat, dtype=np.int64)
    starts = with_lengths(numbers)
    return numbers[starts], np.delete(numbers, starts)


def _open3d(mesh: Any) -> Complex:
    if not hasattr(mesh, "triangles"):
        raise InputError(
            f"an open3d {type(mesh).__name__} has no triangles; for points take "
            "lifts.nearest_neighbour_complex(numpy.asarray(cloud.points), n_neighbors)"
        )
    return block_complex(np.asarray(mesh.vertices), {"triangle": np.asarray(mesh.triangles)})


def _vedo(mesh: Any) -> Complex:
    faces = [list(face) for face in mesh.cells]
    ends = np.concatenate([[0], np.cumsum([len(face) for face in faces], dtype=np.int64)])
    corners = np.array([v for face in faces for v in face], dtype=np.int64)
    points = np.asarray(mesh.vertices, dtype=np.float64)
    return cells_complex(points, ends, corners, np.full(len(faces), 7))


def _scipy(shape: Any) -> Complex:
    """Delaunay: the simplices that fill the hull; ConvexHull: those of its surface."""
    if not hasattr(shape, "simplices"):
        raise InputError(f"a scipy.spatial {type(shape).__name__} has no simplices; pass Delaunay")
    simplices = np.asarray(shape.simplices)
    if simplices.shape[1] not in _SIMPLICES:
        raise InputError(
            f"simplices of {simplices.shape[1]} vertices; up to three dimensions are read, and "
            "lifts.alpha_complex for more"
        )
    return block_complex(shape.points, {_SIMPLICES[simplices.shape[1]]: simplices})


def _matplotlib(triangulation: Any) -> Complex:
    if not hasattr(triangulation, "get_masked_triangles"):
        raise InputError(f"a matplotlib {type(triangulation).__name__} is no Triangulation")
    points = np.column_stack([triangulation.x, triangulation.y])
    return block_complex(points, {"triangle": triangulation.get_masked_triangles()})


_READERS: dict[str, Callable[[Any], Complex]] = {
    "matplotlib": _matplotlib,
    "meshio": _meshio,
    "open3d": _open3d,
    "pyvista": _pyvista,
    "scipy": _scipy,
    "vedo": _vedo,
}
