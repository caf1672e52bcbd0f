"""Gmsh's .msh as text, of version 2.2 or 4.1: points, lines, faces and volumes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse.io._numbers import number, whole
from cellapse.io._source import as_text
from cellapse.lifts.meshes import CORNERS, block_complex

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


def read_msh(data: bytes) -> Complex:
    """Read a Gmsh mesh; a binary one goes through meshio and `as_complex`."""
    if b"\0" in data:
        raise InputError("is binary; save it as text, or pass meshio.read(path) to as_complex")
    sections = _sections(as_text(data))
    version = sections.get("MeshFormat", [[""]])[0][0]
    if not version.startswith(("2.", "4.1")) or not {"Nodes", "Elements"} <= sections.keys():
        raise InputError(
            f"is of version {version!r:.20} or lacks $Nodes or $Elements; 2.2 and 4.1 are read, "
            "others through meshio.read(path) and as_complex"
        )
    new = version.startswith("4")
    points = dict(_points(sections["Nodes"], new))
    if not points:
        raise InputError("holds no points")
    place = {tag: i for i, tag in enumerate(points)}
    blocks: dict[str, list[list[int]]] = {}
    for kind, tags in (_elements_4 if new else _elements_2)(sections["Elements"]):
        if not all(tag in place for tag in tags):
            raise InputError(f"has an element with the points {tags[:8]}, which it does not list")
        blocks.setdefault(kind, []).append([place[tag] for tag in tags])
    blocks.pop("vertex", None)
    return block_complex(np.array(list(points.values())), blocks)


def _sections(text: str) -> dict[str, list[list[str]]]:
    """The words of every line between $Name and $EndName."""
    sections: dict[str, list[list[str]]] = {}
    name = None
    for line in text.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0].startswith("$End"):
            name = None
        elif words[0].startswith("$"):
            name = words[0][1:]
            sections[name] = []
        elif name is not None:
            sections[name].append(words)
    return {name: lines for name, lines in sections.items() if lines}


def _points(lines: list[list[str]], new: bool) -> Iterator[tuple[int, list[float]]]:
    if not new:
        for words in _take(lines, 1, whole(lines[0][0], "the number of points")):
            yield whole(words[0], "a point"), _place(words[1:4])
        return
    at = 1
    for _ in range(whole(lines[0][0], "the number of blocks", 0, len(lines))):
        head = _take(lines, at, 1)[0]
        count = whole(head[3] if len(head) > 3 else "", "the number of points")
        tags = _take(lines, at + 1, count)
        places = _take(lines, at + 1 + count, count)
        for tag, words in zip(tags, places, strict=True):
            yield whole(tag[0], "a point"), _place(words[:3])
        at += 1 + 2 * count


def _place(words: list[str]) -> list[float]:
    if len(words) != 3:
        raise InputError("has a point without three coordinates")
    return [number(w, "a coordinate") for w in words]


def _elements_2(lines: list[list[str]]) -> Iterator[tuple[str, list[int]]]:
    for words in _take(lines, 1, whole(lines[0][0], "the number of elements")):
        numbers = [whole(w, "a number of an element") for w in words]
        if len(numbers) < 3:
            raise InputError(f"has the element {' '.join(words)!r}, which is too short")
        yield _element(numbers[1], numbers[3 + numbers[2] :])


def _elements_4(lines: list[list[str]]) -> Iterator[tuple[str, list[int]]]:
    at = 1
    for _ in range(whole(lines[0][0], "the number of blocks", 0, len(lines))):
        head = [whole(w, "a number of a block") for w in _take(lines, at, 1)[0]]
        if len(head) != 4:
            raise InputError("has a block of elements without four numbers")
        for words in _take(lines, at + 1, head[3]):
            yield _element(head[2], [whole(w, "a point") for w in words[1:]])
        at += 1 + head[3]


def _element(kind: int, tags: list[int]) -> tuple[str, list[int]]:
    name = _KINDS.get(kind)
    if name is None:
        raise InputError(f"has elements of kind {kind}, of higher order; save it with order 1")
    if len(tags) != CORNERS[name]:
        raise InputError(f"has a {name} of {len(tags)} points; it has {CORNERS[name]}")
    return name, tags


def _take(lines: list[list[str]], at: int, count: int) -> list[list[str]]:
    taken: list[list[str]] = lines[at : at + count]
    if len(taken) != count:
        raise InputError(f"declares {count} lines, and has {len(taken)}; it may be cut off")
    return taken
