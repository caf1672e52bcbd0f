"""Meshes: OFF and OBJ text. Vertices, the edges around the faces, and the faces at rank 2.

The coordinates are the vertex attribute `position`. Normals, textures and colours are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from cellapse._errors import InputError
from cellapse.complex import Complex
from cellapse.io._source import as_text

Polygons = Sequence[Sequence[int]]


def mesh_complex(
    positions: Any,
    faces: Polygons,
    segments: Polygons = (),
    vertex_columns: Mapping[str, Any] | None = None,
    face_columns: Mapping[str, Any] | None = None,
) -> Complex:
    """Vertices with positions, faces at rank 2, at rank 1 the sides of the faces and `segments`.

    >>> mesh_complex(np.zeros((4, 3)), [[0, 1, 2], [0, 2, 3]])
    Complex(n_cells=(4, 5, 2))
    """
    points = np.asarray(positions, dtype=np.float64).reshape(-1, 3)
    sizes = np.array([len(face) for face in faces], dtype=np.int64)
    if len(sizes) and sizes.min() < 3:
        raise InputError(f"face number {sizes.argmin()} has {sizes.min()} corners; it needs three")
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    flat = [v for face in faces for v in face]
    lines = [[u, v] for line in segments for u, v in pairwise(line)]
    for v in (max(flat, default=0), max(map(max, lines), default=0)):
        if v >= max(len(points), 1):
            raise InputError(f"a face names vertex {v}, but there are {len(points)} vertices")
    indices = np.array(flat, dtype=np.int64)
    following = np.arange(len(indices)) + 1
    following[indptr[1:] - 1] = indptr[:-1]  # after its last corner a face returns to its first
    sides = np.column_stack([indices, indices[following]])
    sides = np.concatenate([sides, np.array(lines, dtype=np.int64).reshape(-1, 2)])
    edges = np.unique(np.sort(sides, axis=1), axis=0)
    cells: dict[int, Any] = {1: edges}
    if len(sizes):
        cells[2] = indptr, indices
    attributes = {0: {"position": points, **(vertex_columns or {})}}
    if face_columns:
        attributes[2] = dict(face_columns)
    return Complex.from_arrays(len(points), cells, attributes=attributes)


def _words(text: str) -> list[list[str]]:
    lines = (line.split("#")[0].split() for line in text.splitlines())
    return [words for words in lines if words]


def read_off(data: bytes) -> Complex:
    r"""Read an OFF mesh.

    >>> read_off(b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    Complex(n_cells=(3, 3, 1))
    """
    lines = _words(as_text(data))
    if not lines or lines[0][0] not in ("OFF", "COFF", "NOFF", "CNOFF", "STOFF"):
        raise InputError("does not begin with OFF, so it is not an OFF mesh")
    if len(lines[0]) > 1:  # the counts on the same line
        lines.insert(1, lines[0][1:])
    try:
        n_vertices, n_faces = int(lines[1][0]), int(lines[1][1])
        if n_vertices < 0 or n_faces < 0 or 2 + n_vertices + n_faces > len(lines):
            raise InputError(
                f"declares {n_vertices} vertices and {n_faces} faces, but has {len(lines) - 2} "
                "lines of them; it may be cut off"
            )
        points = [[float(x) for x in line[:3]] for line in lines[2 : 2 + n_vertices]]
        rows = lines[2 + n_vertices : 2 + n_vertices + n_faces]
        faces = [_corners(line) for line in rows]
        return mesh_complex(_points(points), faces)
    except (ValueError, IndexError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"is not a valid OFF mesh ({error})") from None


def _corners(line: list[str]) -> list[int]:
    corners = [int(v) for v in line[1 : 1 + int(line[0])]]
    if len(corners) != int(line[0]) or min(corners, default=0) < 0:
        raise InputError(f"has the face {' '.join(line[:12])!r}; write how many corners, then each")
    return corners


def _points(points: Sequence[Sequence[float]]) -> Any:
    if any(len(p) != 3 for p in points):
        raise InputError("has a vertex without three coordinates")
    return np.array(points, dtype=np.float64).reshape(-1, 3)


def read_obj(data: bytes) -> Complex:
    r"""Read the vertices, faces and lines of an OBJ mesh.

    >>> read_obj(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1 2/2 -1/3\n")
    Complex(n_cells=(3, 3, 1))
    """
    points: list[list[float]] = []
    groups: dict[str, list[list[int]]] = {"f": [], "l": []}
    for words in _words(as_text(data)):
        try:
            if words[0] == "v":
                points.append([float(x) for x in words[1:4]])
            elif words[0] in groups:
                corners = [int(w.split("/")[0]) for w in words[1:]]
                # Counted from 1, or from the last vertex so far backwards.
                groups[words[0]].append([v - 1 if v > 0 else len(points) + v for v in corners])
                if 0 in corners or min(groups[words[0]][-1], default=0) < 0:
                    raise InputError(f"has {' '.join(words[:12])!r}; vertices are counted from 1")
        except ValueError as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"has the line {' '.join(words[:12])!r}, not valid OBJ") from None
    if not points:
        raise InputError("holds no vertices (lines `v x y z`), so it is not an OBJ mesh")
    return mesh_complex(_points(points), groups["f"], groups["l"])
