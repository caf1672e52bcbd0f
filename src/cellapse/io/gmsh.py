"""Gmsh's .msh as text, of version 2.2 or 4.1: points, lines, faces and volumes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse.io._numbers import not_whole, numbers_by_line
from cellapse.io._source import as_text
from cellapse.lifts.meshes import CORNERS, block_complex

_SECTION = re.compile(r"(?ms)^[ \t]*\$(?!End)(\w+)[ \t]*\r?$(.*?)(?:^[ \t]*\$End|\Z)")
# Numbers of kinds; those of higher order (8, 9, ...) have points within their sides.
_KINDS = {
    1: "line",
    2: "triangle",
    3: "quad",
    4: "tetra",
    5: "hexahedron",
    6: "wedge",
    7: "pyramid",
    15: "vertex",
}


class _Lines(NamedTuple):
    """The numbers of a section, and where those of each line begin and how many they are."""

    values: FloatArray
    starts: IntArray
    counts: IntArray

    def take(self, at: int, count: int) -> _Lines:
        """Return some lines of it."""
        taken = self.counts[at : at + count]
        if len(taken) != count:
            raise InputError(f"declares {count} lines, and has {len(taken)}; it may be cut off")
        return _Lines(self.values, self.starts[at : at + count], taken)

    def column(self, place: int, width: int = 1) -> FloatArray:
        """Return the numbers at some places of every line."""
        if (self.counts < place + width).any():
            raise InputError(f"has a line of less than {place + width} numbers; it may be cut off")
        return self.values[self.starts[:, None] + np.arange(place, place + width)]

    def whole(self, place: int, width: int = 1) -> IntArray:
        """Return the same as whole numbers from 0."""
        values = self.column(place, width)
        if (values < 0).any() or not_whole(values).any():
            raise InputError("has numbers of points or elements that are not whole, from 0 on")
        return values.astype(np.int64)

    def size(self, at: int, place: int) -> int:
        """Return one whole number."""
        return int(self.take(at, 1).whole(place)[0, 0])


def read_msh(data: bytes) -> Complex:
    """Read a Gmsh mesh; a binary one goes through meshio and `as_complex`."""
    if b"\0" in data:
        raise InputError("is binary; save it as text, or pass meshio.read(path) to as_complex")
    found = [(name, text) for name, text in _SECTION.findall(as_text(data)) if text.strip()]
    sections = dict(found)
    if sum(name in ("Nodes", "Elements") for name, _ in found) > 2:
        raise InputError("holds several meshes, one behind the other; keep one")
    version = next(iter(sections.get("MeshFormat", "").split()), "")
    known = version.startswith(("2.", "4.1"))
    if not known or "Nodes" not in sections or "Elements" not in sections:
        raise InputError(
            f"is of version {version!r:.20} or lacks $Nodes or $Elements; 2.2 and 4.1 are read, "
            "others through meshio.read(path) and as_complex"
        )
    new = version.startswith("4")
    tags, places = (_points_4 if new else _points_2)(_lines(sections["Nodes"]))
    if not len(tags):
        raise InputError("holds no points")
    order = np.argsort(tags, kind="stable")
    if (np.diff(tags[order]) == 0).any():
        raise InputError("lists a point twice; remove one")
    blocks: dict[str, list[IntArray]] = {}
    for kind, members in (_elements_4 if new else _elements_2)(_lines(sections["Elements"])):
        at = np.searchsorted(tags, members, sorter=order)
        place = order[np.minimum(at, len(tags) - 1)]
        if (tags[place] != members).any():
            odd = members[(tags[place] != members).any(axis=1)][0]
            raise InputError(f"has an element with the points {odd.tolist()}, not all listed")
        blocks.setdefault(kind, []).append(place)
    blocks.pop("vertex", None)
    return block_complex(places, {kind: np.concatenate(parts) for kind, parts in blocks.items()})


def _lines(text: str) -> _Lines:
    values, counts = numbers_by_line(text.replace("\r", ""))
    counts = counts[counts > 0]
    return _Lines(values, np.cumsum(counts) - counts, counts)


def _points_2(lines: _Lines) -> tuple[IntArray, FloatArray]:
    rows = lines.take(1, lines.size(0, 0))
    return rows.whole(0)[:, 0], rows.column(1, 3)


def _points_4(lines: _Lines) -> tuple[IntArray, FloatArray]:
    tags: list[IntArray] = [np.empty(0, np.int64)]
    places: list[FloatArray] = [np.empty((0, 3))]
    at = 1
    for _ in range(lines.size(0, 0)):
        count = lines.size(at, 3)
        tags.append(lines.take(at + 1, count).whole(0)[:, 0])
        places.append(lines.take(at + 1 + count, count).column(0, 3))
        at += 1 + 2 * count
    return np.concatenate(tags), np.concatenate(places)


def _elements_2(lines: _Lines) -> Iterator[tuple[str, IntArray]]:
    rows = lines.take(1, lines.size(0, 0))
    about = rows.whole(1, 2)  # the kind, and the number of tags before the points
    for kind, n_tags in np.unique(about, axis=0).tolist():
        chosen = (about == (kind, n_tags)).all(axis=1)
        part = _Lines(rows.values, rows.starts[chosen], rows.counts[chosen])
        yield _elements(part, kind, 3 + n_tags)


def _elements_4(lines: _Lines) -> Iterator[tuple[str, IntArray]]:
    at = 1
    for _ in range(lines.size(0, 0)):
        kind, count = lines.size(at, 2), lines.size(at, 3)
        yield _elements(lines.take(at + 1, count), kind, 1)
        at += 1 + count


def _elements(lines: _Lines, kind: int, before: int) -> tuple[str, IntArray]:
    """Return the points of elements of one kind, which come behind other numbers."""
    name = _KINDS.get(kind)
    if name is None:
        raise InputError(f"has elements of kind {kind}, of higher order; save it with order 1")
    if (lines.counts != before + CORNERS[name]).any():
        raise InputError(f"has a {name} that has not {CORNERS[name]} points")
    return name, lines.whole(before, CORNERS[name])
