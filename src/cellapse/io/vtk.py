"""VTK: the legacy text format (.vtk), and unstructured grids in XML (.vtu).

Points, lines, faces and volumes; what is known of points and cells stays behind. Binary files and
regular grids go through meshio or pyvista and `as_complex`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from cellapse._complex.cells import Cells
from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.notes import fact
from cellapse.io._numbers import numbers_of, whole, whole_numbers
from cellapse.io._source import as_text
from cellapse.io._xml import parse_xml
from cellapse.lifts.meshes import cells_complex, with_lengths

_REMEDY = "pass meshio.read(path) or pyvista.read(path) to as_complex"
_DATASETS = ("POLYDATA", "UNSTRUCTURED_GRID")
_CELLS = {"LINES": 3, "POLYGONS": 7, "VERTICES": 1}


def read_vtk(data: bytes) -> Complex:
    """Read a legacy VTK file: POLYDATA or an UNSTRUCTURED_GRID."""
    head = data[:400].split(b"\n", 4)
    if not data.startswith(b"# vtk DataFile") or len(head) < 4:
        raise InputError("does not begin with # vtk DataFile, so it is no legacy VTK file")
    if head[2].strip().upper() != b"ASCII":
        raise InputError(f"is binary; save it as text, or {_REMEDY}")
    words = re.sub(r"(?m)\A(?:.*\n){3}", "", as_text(data)).split()
    points, cells, kinds = _legacy(words)
    if points is None:
        raise InputError(f"holds neither POLYDATA nor an UNSTRUCTURED_GRID; {_REMEDY}")
    return cells_complex(points, cells.indptr, cells.indices, kinds)


def _legacy(words: list[str]) -> tuple[Any, Cells, IntArray]:
    """Return the points, the corners of the cells, and their kinds."""
    points = None
    lists: list[Cells] = []
    kinds: list[IntArray] = []
    at = 0
    while at < len(words):
        word = words[at].upper()
        kind = "".join(words[at + 1 : at + 2]).upper()
        if word == "DATASET" and kind not in _DATASETS:
            raise InputError(f"holds a {kind:.40}, which lists no cells; {_REMEDY}")
        if word == "DATASET" and "DATASET" in words[at + 1 :]:
            raise InputError("holds several meshes, one behind the other; keep one")
        if word == "TRIANGLE_STRIPS":
            raise InputError(f"holds strips of triangles; triangulate, or {_REMEDY}")
        if word == "POINTS":
            count = whole("".join(words[at + 1 : at + 2]), "the number of points")
            points = _numbers(words[at + 3 : at + 3 + 3 * count], 3 * count).reshape(-1, 3)
            at += 3 + 3 * count
        elif word == "CELLS" or word in _CELLS:
            listed, at = _listed(words, at)
            lists.append(listed)
            kinds += [np.full(len(listed), _CELLS[word])] if word in _CELLS else []
        elif word == "CELL_TYPES":
            count = whole("".join(words[at + 1 : at + 2]), "the number of kinds")
            kinds = [whole_numbers(words[at + 2 : at + 2 + count], "a kind of cell")]
            at += 2 + count
        elif word in ("POINT_DATA", "CELL_DATA"):  # the last there is
            fact("data of points and cells are left out")
            break
        else:
            at += 1
    nothing = np.empty(0, np.int64)
    sizes = np.concatenate([nothing, *(cells.sizes for cells in lists)])
    corners = np.concatenate([nothing, *(cells.indices for cells in lists)])
    cells = Cells(np.concatenate([[0], np.cumsum(sizes)]), corners)
    return points, cells, np.concatenate([nothing, *kinds])


def _listed(words: list[str], at: int) -> tuple[Cells, int]:
    """Return the corners of cells, and where they end."""
    count, size = (whole(w, f"a size of {words[at]}") for w in _pair(words, at))
    if "".join(words[at + 3 : at + 4]).upper() != "OFFSETS":
        return _lists(words[at + 3 : at + 3 + size], count, size), at + 3 + size
    # Since version 5.1: where each cell begins and the last one ends, then all corners.
    middle, end = at + 5 + count, at + 7 + count + size
    if "".join(words[middle : middle + 1]).upper() != "CONNECTIVITY" or end > len(words):
        raise InputError(f"declares {count} offsets and {size} corners; it may be cut off")
    offsets = whole_numbers(words[at + 5 : middle], "an offset", size)
    members = whole_numbers(words[middle + 2 : end], "a number of a point")
    return _parts(members, offsets), end


def _parts(members: IntArray, offsets: IntArray) -> Cells:
    """Return the members between one offset and the next."""
    offsets = offsets if len(offsets) else np.array([0])
    if offsets[0] != 0 or offsets[-1] != len(members):
        raise InputError(f"has offsets that do not go from 0 to {len(members)}")
    if (np.diff(offsets) < 0).any():
        raise InputError("has offsets that do not ascend")
    return Cells(offsets, members)


def _pair(words: list[str], at: int) -> list[str]:
    if len(words) < at + 3:
        raise InputError("ends within the sizes of a list; it may be cut off")
    return words[at + 1 : at + 3]


def _numbers(words: list[str], count: int) -> FloatArray:
    values = numbers_of(" ".join(words))
    if len(words) != count or len(values) != count:
        raise InputError(f"declares {count} numbers, and has {len(words)}; it may be cut off")
    return values


def _lists(words: list[str], count: int, size: int) -> Cells:
    """Return lists of corners, each with its length in front."""
    if len(words) != size:
        raise InputError(f"declares a list of {size}, and has {len(words)}; it may be cut off")
    numbers = whole_numbers(words, "a number of a point")
    starts = with_lengths(numbers)
    if len(starts) != count:
        raise InputError(f"declares {count} cells of {size} numbers in all, which is not so")
    lengths = numbers[starts]
    return Cells(np.concatenate([[0], np.cumsum(lengths)]), np.delete(numbers, starts))


def read_vtu(data: bytes) -> Complex:
    """Read an unstructured grid in XML whose arrays are text."""
    document = _Document()
    parse_xml(data, document.start, document.end, document.text.append)
    arrays = document.arrays
    missing = {"Points", "connectivity", "offsets", "types"} - arrays.keys()
    if missing:
        raise InputError(f"lacks the array {min(missing)!r}; an UnstructuredGrid has it")
    points = _numbers(arrays["Points"], len(arrays["Points"]) // 3 * 3).reshape(-1, 3)
    members = whole_numbers(arrays["connectivity"], "a number of a point")
    ends = whole_numbers(arrays["offsets"], "an offset", len(members))
    cells = _parts(members, np.concatenate([[0], ends]))
    kinds = whole_numbers(arrays["types"], "a kind of cell")
    return cells_complex(points, cells.indptr, cells.indices, kinds)


class _Document:
    """The arrays of points and cells, as words."""

    def __init__(self) -> None:
        self.arrays: dict[str, list[str]] = {}
        self.text: list[str] = []
        self._section = self._name = ""

    def start(self, name: str, given: Mapping[str, str]) -> None:
        self.text.clear()
        if name == "VTKFile" and given.get("type") != "UnstructuredGrid":
            raise InputError(f"holds a {given.get('type', 'file')!r:.40}; {_REMEDY}")
        if name in ("Points", "Cells", "PointData", "CellData"):
            self._section = name
        elif name == "DataArray" and self._section in ("Points", "Cells"):
            self._name = "Points" if self._section == "Points" else given.get("Name", "")
            if given.get("format", "ascii") != "ascii":
                raise InputError(f"has binary arrays; save it as text, or {_REMEDY}")
        elif name == "Piece" and "Points" in self.arrays:
            raise InputError(f"holds several pieces; {_REMEDY}")

    def end(self, name: str) -> None:
        if name == "DataArray" and self._name:
            self.arrays[self._name] = "".join(self.text).split()
            self._name = ""
        elif name == self._section:
            self._section = ""
