"""Meshes: OFF and OBJ text. Vertices, the edges around the faces, and the faces at rank 2.

The coordinates are the vertex attribute `position`. Normals, textures and colours are left out, and
which way round a triangle is listed: cells of three vertices are sets.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.io._numbers import not_whole, numbers_by_line
from cellapse.io._same import tell_left_out
from cellapse.io._source import as_text
from cellapse.lifts.meshes import faces_complex, mesh_complex

_COMMENT = re.compile(r"#[^\n]*")
_NORMALS = re.compile(r"(?<=[0-9])/\S*")  # and textures, behind a corner
_KINDS = ("v", "f", "l")


def read_off(data: bytes) -> Complex:
    r"""Read an OFF mesh.

    >>> read_off(b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    Complex(n_cells=(3, 3, 1))
    """
    text = _COMMENT.sub("", as_text(data)).lstrip()
    name = text.split(None, 1)[0] if text else ""
    if name not in ("OFF", "COFF", "NOFF", "CNOFF", "STOFF"):
        raise InputError("does not begin with OFF, so it is not an OFF mesh")
    values, counts = numbers_by_line(text.removeprefix(name))
    counts = counts[counts > 0]
    sizes = values[: counts[0]] if len(counts) else values
    if len(sizes) < 2 or not_whole(sizes).any() or (sizes < 0).any():
        raise InputError(f"has the sizes {sizes[:3].tolist()}; OFF has those of vertices and faces")
    n, m = int(sizes[0]), int(sizes[1])
    if 1 + n + m > len(counts):
        raise InputError(
            f"declares {n} vertices and {m} faces, but has {len(counts) - 1} lines of them; it may "
            "be cut off"
        )
    starts = np.cumsum(counts) - counts
    if (counts[1 : 1 + n] < 3).any():
        raise InputError("has a vertex without three coordinates")
    points = values[starts[1 : 1 + n, None] + np.arange(3)]
    at, rest = starts[1 + n : 1 + n + m], counts[1 + n : 1 + n + m] - 1
    lengths = values[at]
    if not_whole(lengths).any() or (lengths < 0).any() or (lengths > rest).any():
        raise InputError("has a face with too few corners; write how many corners, then each")
    return faces_complex(points, *_gathered(values, at + 1, lengths.astype(np.int64)))[0]


def _gathered(values: FloatArray, starts: IntArray, lengths: IntArray) -> tuple[IntArray, IntArray]:
    """Corners from some places on, so many for each face, as `indptr` and `indices`."""
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    corners = values[np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], lengths)]
    if not_whole(corners).any() or (corners < 0).any():
        raise InputError("has corners that are no numbers of vertices")
    return indptr, corners.astype(np.int64)


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
    tell_left_out(K, range(K.max_rank + 1), ("position",))
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
    text = as_text(data)
    if "#" in text or "\\\n" in text:  # a line may go on in the next
        text = _COMMENT.sub("", text).replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line[:1] in _KINDS or line[:1].isspace()]
    words = [[*line.split(None, 1), "", ""] for line in lines]
    kinds = np.array([w[0] for w in words], dtype="U2")
    points, counts = numbers_by_line(_lines_of("v", kinds, words))
    if not len(counts) or not len(points):
        raise InputError("holds no vertices (lines `v x y z`), so it is not an OBJ mesh")
    if (counts < 3).any():
        raise InputError("has a vertex without three coordinates")
    starts = np.cumsum(counts) - counts
    before = np.cumsum(kinds == "v")
    faces, segments = (_corners(kind, kinds, words, before) for kind in "fl")
    along = np.column_stack([segments[1][:-1], segments[1][1:]])
    within = np.delete(along, segments[0][1:-1] - 1, axis=0) if len(along) else along
    return faces_complex(points[starts[:, None] + np.arange(3)], *faces, within)[0]


def _lines_of(kind: str, kinds: Any, words: list[list[str]]) -> str:
    return "".join([f"{words[i][1]}\n" for i in np.flatnonzero(kinds == kind).tolist()])


def _corners(
    kind: str, kinds: Any, words: list[list[str]], before: IntArray
) -> tuple[IntArray, IntArray]:
    """The corners of faces or lines: counted from 1, or from the last vertex so far backwards."""
    text = _lines_of(kind, kinds, words)
    values, counts = numbers_by_line(_NORMALS.sub("", text) if "/" in text else text)
    counts = counts if text else counts[:0]
    so_far = np.repeat(before[kinds == kind], counts)
    corners = np.where(values > 0, values - 1, so_far + values)
    if (values == 0).any() or (corners < 0).any() or not_whole(values).any():
        raise InputError("has faces or lines beyond its vertices, which are counted from 1")
    return np.concatenate([[0], np.cumsum(counts)]), corners.astype(np.int64)
