"""STL meshes, text or binary: triangles by their corners; corners at the same place are one."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.memory import require_memory
from cellapse._shared.notes import fact, loss
from cellapse.io._numbers import real
from cellapse.io._source import as_text
from cellapse.lifts.meshes import block_complex

_HEAD = 84  # bytes before the first triangle of a binary file
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
_CORNER = re.compile(r"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)", re.IGNORECASE)
_LOOP = re.compile(r"\bendloop\b", re.IGNORECASE)


def read_stl(data: bytes) -> Complex:
    r"""Read an STL mesh.

    >>> read_stl(b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
    ...          b"vertex 0 1 0\nendloop\nendfacet\nendsolid x\n")
    Complex(n_cells=(3, 3, 1))
    """
    corners = _binary(data) if _is_binary(data) else _text(as_text(data))
    if not np.isfinite(corners).all():
        raise InputError("has corners at positions that are no numbers")
    require_memory(400.0 * len(corners), f"{len(corners):,} triangles", "thin the mesh out")
    points, place = _points(corners.reshape(-1, 3))
    triangles = place.reshape(-1, 3)
    ascending = np.sort(triangles, axis=1)
    flat = (ascending[:, 1:] == ascending[:, :-1]).any(axis=1)
    if flat.any():
        loss(f"{flat.sum():,} triangles with two corners at the same place, left out")
    fact(f"{3 * len(corners):,} corners are {len(points):,} vertices")
    return block_complex(points, {"triangle": triangles[~flat]})


def _points(corners: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the different places of corners, in order, and which of them each corner is."""
    order = np.lexsort(corners.T[::-1])  # ten times as quick as np.unique of rows
    ordered = corners[order]
    is_new = np.ones(len(corners), dtype=bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    place = np.empty(len(corners), dtype=np.int64)
    place[order] = np.cumsum(is_new) - 1
    return ordered[is_new], place


def _is_binary(data: bytes) -> bool:
    """A text begins with `solid`; some binary files do so, too, but have the right length."""
    count = int.from_bytes(data[80:_HEAD], "little")
    return len(data) == _HEAD + 50 * count or data.lstrip()[:5].lower() != b"solid"


def _binary(data: bytes) -> Any:
    count = int.from_bytes(data[80:_HEAD], "little")
    if len(data) != _HEAD + 50 * count:
        raise InputError(
            f"declares {count:,} triangles, which take {_HEAD + 50 * count:,} bytes, and has "
            f"{len(data):,}; it may be cut off, or no STL"
        )
    return np.frombuffer(data, _TRIANGLE, offset=_HEAD)["corners"].astype(np.float64)


def _text(text: str) -> Any:
    words = _CORNER.findall(text)
    if not words or len(words) != 3 * len(_LOOP.findall(text)):
        raise InputError(f"has {len(words)} corners, which are no triangles; it may be cut off")
    try:
        return np.array([[*map(real, corner)] for corner in words]).reshape(-1, 3, 3)
    except ValueError as error:
        raise InputError(f"has a corner that is no three numbers ({error})") from None
