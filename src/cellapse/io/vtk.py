"""VTK: the legacy text format (.vtk), and unstructured grids in XML (.vtu).

Points, lines, faces and volumes; what is known of points and cells stays behind. Binary files and
regular grids go through meshio or pyvista and `as_complex`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.notes import fact
from cellapse.io._numbers import whole
from cellapse.io._source import as_text
from cellapse.io._xml import parse_xml
from cellapse.lifts.meshes import cells_complex

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
    return _complex(points, cells, kinds)


def _complex(points: Any, cells: list[list[int]], kinds: list[int]) -> Complex:
    ends = np.concatenate([[0], np.cumsum([len(cell) for cell in cells], dtype=np.int64)])
    corners = np.array([v for cell in cells for v in cell], dtype=np.int64)
    return cells_complex(points, ends, corners, np.array(kinds, dtype=np.int64))


def _legacy(words: list[str]) -> tuple[Any, list[list[int]], list[int]]:
    """The points, the corners of the cells, and their kinds."""
    points = None
    cells: list[list[int]] = []
    kinds: list[int] = []
    at = 0
    while at < len(words):
        word = words[at].upper()
        kind = "".join(words[at + 1 : at + 2]).upper()
        if word == "DATASET" and kind not in _DATASETS:
            raise InputError(f"holds a {kind:.40}, which lists no cells; {_REMEDY}")
        if word == "TRIANGLE_STRIPS":
            raise InputError(f"holds strips of triangles; triangulate, or {_REMEDY}")
        if word == "POINTS":
            count = whole("".join(words[at + 1 : at + 2]), "the number of points")
            points = _numbers(words[at + 3 : at + 3 + 3 * count], 3 * count).reshape(-1, 3)
            at += 3 + 3 * count
        elif word == "CELLS" or word in _CELLS:
            listed, at = _listed(words, at)
            cells += listed
            kinds += [_CELLS[word]] * len(listed) if word in _CELLS else []
        elif word == "CELL_TYPES":
            count = whole("".join(words[at + 1 : at + 2]), "the number of kinds")
            kinds = [whole(w, "a kind of cell") for w in words[at + 2 : at + 2 + count]]
            at += 2 + count
        elif word in ("POINT_DATA", "CELL_DATA"):  # the last there is
            fact("data of points and cells are left out")
            break
        else:
            at += 1
    return points, cells, kinds


def _listed(words: list[str], at: int) -> tuple[list[list[int]], int]:
    """The corners of cells, and where they end."""
    count, size = (whole(w, f"a size of {words[at]}") for w in _pair(words, at))
    if "".join(words[at + 3 : at + 4]).upper() != "OFFSETS":
        return _lists(words[at + 3 : at + 3 + size], count, size), at + 3 + size
    # Since version 5.1: where each cell begins and the last one ends, then all corners.
    middle, end = at + 5 + count, at + 7 + count + size
    if "".join(words[middle : middle + 1]).upper() != "CONNECTIVITY" or end > len(words):
        raise InputError(f"declares {count} offsets and {size} corners; it may be cut off")
    offsets = [whole(w, "an offset", 0, size) for w in words[at + 5 : middle]]
    return _parts([whole(w, "a number of a point") for w in words[middle + 2 : end]], offsets), end


def _parts(members: list[int], offsets: list[int]) -> list[list[int]]:
    """The members between one offset and the next."""
    if offsets[:1] not in ([], [0]) or offsets[-1:] not in ([], [len(members)]):
        raise InputError(f"has offsets that do not go from 0 to {len(members)}")
    if any(a > b for a, b in pairwise(offsets)):
        raise InputError("has offsets that do not ascend")
    return [members[a:b] for a, b in pairwise(offsets)]


def _pair(words: list[str], at: int) -> list[str]:
    if len(words) < at + 3:
        raise InputError("ends within the sizes of a list; it may be cut off")
    return words[at + 1 : at + 3]


def _numbers(words: list[str], count: int) -> Any:
    try:
        values = np.array(words, dtype=np.float64)
    except ValueError as error:
        raise InputError(f"holds what is no number ({error!s:.80})") from None
    if len(values) != count:
        raise InputError(f"declares {count} numbers, and has {len(values)}; it may be cut off")
    return values


def _lists(words: list[str], count: int, size: int) -> list[list[int]]:
    """Lists of corners, each with its length in front."""
    if len(words) != size:
        raise InputError(f"declares a list of {size}, and has {len(words)}; it may be cut off")
    numbers = [whole(w, "a number of a point") for w in words]
    lists, at = [], 0
    for _ in range(min(count, size)):
        if at >= size:
            break
        lists.append(numbers[at + 1 : at + 1 + numbers[at]])
        at += 1 + numbers[at]
    if len(lists) != count or at != size:
        raise InputError(f"declares {count} cells of {size} numbers in all, which is not so")
    return lists


def read_vtu(data: bytes) -> Complex:
    """Read an unstructured grid in XML whose arrays are text."""
    document = _Document()
    parse_xml(data, document.start, document.end, document.text.append)
    arrays = document.arrays
    missing = {"Points", "connectivity", "offsets", "types"} - arrays.keys()
    if missing:
        raise InputError(f"lacks the array {min(missing)!r}; an UnstructuredGrid has it")
    points = _numbers(arrays["Points"], len(arrays["Points"]) // 3 * 3).reshape(-1, 3)
    members = [whole(w, "a number of a point") for w in arrays["connectivity"]]
    ends = [whole(w, "an offset", 0, len(members)) for w in arrays["offsets"]]
    return _complex(
        points, _parts(members, [0, *ends]), [whole(w, "a kind of cell") for w in arrays["types"]]
    )


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
