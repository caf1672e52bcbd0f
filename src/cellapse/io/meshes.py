"""Meshes: OFF and OBJ text. Vertices, the edges around the faces, and the faces at rank 2.

The coordinates are the vertex attribute `position`. Normals, textures and colours are left out, and
which way round a triangle is listed: cells of three vertices are sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse.io._source import as_text
from cellapse.lifts import mesh_complex


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


def write_off(K: Complex) -> bytes:
    r"""A mesh with the vertex attribute `position` as OFF; of the plane, with a third coordinate 0.

    >>> write_off(mesh_complex([[0, 0], [1, 0], [0, 1]], [[0, 1, 2]]))
    b'OFF\n3 1 3\n0.0 0.0 0.0\n1.0 0.0 0.0\n0.0 1.0 0.0\n3 0 1 2\n'
    """
    points = K.attributes[0].get("position")
    if points is None or points.dtype.kind not in "iuf" or points.shape[1:] not in ((2,), (3,)):
        raise InputError("OFF needs an attribute `position` of two or three coordinates a vertex")
    if list(K.labels) != list(range(K.n_vertices)):
        raise InputError("OFF has no labels, and these are not 0, 1, ...; write an HIF .json file")
    faces = [face.tolist() for face in K.cells[2]] if K.max_rank > 1 else []
    edges = {tuple(edge.tolist()) for edge in K.cells[1]} if K.max_rank else set()
    sides = {tuple(side.tolist()) for side in mesh_complex(points, faces).cells[1]}
    if edges != sides or any(K.n_cells[3:]):
        raise InputError(
            f"OFF holds vertices, faces and their sides, and this complex of {K.n_cells} cells is "
            "not made of those; write an HIF .json file, which holds all"
        )
    rows = [[*map(float, p), 0.0][:3] for p in points.tolist()]
    lines = ["OFF", f"{len(points)} {len(faces)} {len(edges)}"]
    lines += [" ".join(map(repr, row)) for row in rows]
    lines += [" ".join(map(str, (len(face), *face))) for face in faces]
    return ("\n".join(lines) + "\n").encode()


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
    lines = [[u, v] for line in groups["l"] for u, v in pairwise(line)]
    return mesh_complex(_points(points), groups["f"], lines)
