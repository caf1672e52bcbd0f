"""PLY meshes, as text or binary: a header names elements and their properties, data follow.

Of `vertex`, x y z are the attribute `position` and all other properties attributes of their own; so
are those of `face` besides its corners.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse.io._numbers import integer, real
from cellapse.lifts.meshes import faces_complex

_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1",
    "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
_CORNERS = ("vertex_indices", "vertex_index")
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}


@dataclass(frozen=True)
class _Property:
    name: str
    type: str
    count: str | None  # the type of the length, for a list


@dataclass(frozen=True)
class _Element:
    name: str
    size: int
    properties: list[_Property]


def read_ply(data: bytes) -> Complex:
    r"""Read a PLY mesh.

    >>> head = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
    >>> head += b"property float z\nelement face 1\nproperty list uchar int vertex_indices\n"
    >>> read_ply(head + b"end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    Complex(n_cells=(3, 3, 1))
    """
    end = re.search(rb"end_header[ \t]*\r?\n", data)
    if not data.startswith(b"ply") or end is None:
        raise InputError("does not begin with the header of a PLY mesh")
    order, elements = _header(data[: end.start()].decode("latin-1").splitlines())
    body = data[end.end() :]
    tables: dict[str, dict[str, Any]] = {}
    try:
        words = body.split() if order == "" else []
        at = 0
        for element in elements:
            # Every entry of an element takes a byte at least.
            if element.size > len(body):  # vertices take more than one
                raise InputError(f"declares {element.size} of {element.name}; it may be cut off")
            if order == "":
                tables[element.name], at = _from_words(element, words, at)
            else:
                tables[element.name], at = _from_bytes(element, body, at, order)
        if at < len(words):
            raise InputError(f"has {len(words) - at:,} words more than its header declares")
    except (ValueError, IndexError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"is not a complete PLY mesh ({error}); it may be cut off") from None
    return _mesh(tables)


def _mesh(tables: dict[str, dict[str, Any]]) -> Complex:
    vertex, face = tables.get("vertex", {}), tables.get("face", {})
    if not {"x", "y", "z"} <= vertex.keys():
        raise InputError("has no element `vertex` with x, y and z")
    corners: Any = next((face.pop(name) for name in _CORNERS if name in face), [])
    try:
        positions = np.column_stack([np.asarray(vertex.pop(axis), np.float64) for axis in "xyz"])
        ends, flat = _flat(corners)
    except (TypeError, ValueError, OverflowError):  # a list as x, a number as corners
        raise InputError("has coordinates or corners of the wrong kind in its header") from None
    if positions.shape[1] != 3:
        raise InputError("has lists where x, y and z are single numbers")
    if len(flat) and flat.min() < 0:
        raise InputError("has a face with a negative corner; vertices are counted from 0")
    K, kept = faces_complex(positions, ends, flat)
    if len(kept) < len(ends) - 1:
        face = {name: [values[i] for i in kept.tolist()] for name, values in face.items()}
    return K.with_attributes({0: vertex, 2: face})


def _flat(corners: Any) -> tuple[IntArray, IntArray]:
    """Return the corners of all faces one after the other, and where those of each end."""
    if isinstance(corners, np.ndarray) and corners.ndim == 2:
        return np.arange(len(corners) + 1) * corners.shape[1], corners.astype(np.int64).ravel()
    lengths = [len(row) for row in corners]
    flat = [int(v) for row in corners for v in row]
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]), np.array(flat, dtype=np.int64)


def _header(lines: Sequence[str]) -> tuple[str, list[_Element]]:
    order: str | None = None
    elements: list[_Element] = []
    for line in lines[1:]:
        match line.split():
            case [] | ["comment" | "obj_info", *_]:
                pass
            case ["format", name, _] if name in _ORDERS:
                order = _ORDERS[name]
            case ["element", name, size] if size.isascii() and size.isdigit() and len(size) < 19:
                elements.append(_Element(name, int(size), []))
            case ["property", "list", count, kind, name] if elements and _are_types(count, kind):
                elements[-1].properties.append(_Property(name, _TYPES[kind], _TYPES[count]))
            case ["property", kind, name] if elements and _are_types(kind):
                elements[-1].properties.append(_Property(name, _TYPES[kind], None))
            case _:
                raise InputError(f"has {line[:60]!r} in its header, which PLY does not know")
    if order is None:
        raise InputError("has no line `format ascii 1.0` or its like in its header")
    for element in elements:
        if len({p.name for p in element.properties}) < len(element.properties):
            raise InputError(f"names a property of {element.name} twice in its header")
    return order, [e for e in elements if e.properties]


def _are_types(*names: str) -> bool:
    return all(name in _TYPES for name in names)


def _from_words(
    element: _Element, words: Sequence[bytes], at: int
) -> tuple[dict[str, list[Any]], int]:
    table: dict[str, list[Any]] = {p.name: [] for p in element.properties}
    for _ in range(element.size):
        for p in element.properties:
            convert: Any = real if p.type[0] == "f" else integer
            if p.count is None:
                table[p.name].append(convert(words[at]))
                at += 1
            else:
                n = _length(integer(words[at]), len(words) - at - 1)
                table[p.name].append([convert(w) for w in words[at + 1 : at + 1 + n]])
                at += 1 + n
    return table, at


def _from_bytes(element: _Element, body: bytes, at: int, order: str) -> tuple[dict[str, Any], int]:
    fixed = _fixed_lengths(element, body, at, order)
    if fixed is not None:
        dtype = np.dtype(fixed)
        rows = np.frombuffer(body, dtype, element.size, at)
        lists = [p for p in element.properties if p.count is not None]
        lengths = [rows[f"n {p.name}"] for p in lists]
        if all((n == n[0]).all() for n in lengths):  # else they are read one by one
            table = {p.name: rows[p.name].astype(p.type) for p in element.properties}
            return table, at + dtype.itemsize * element.size
    slow: dict[str, list[Any]] = {p.name: [] for p in element.properties}
    for _ in range(element.size):
        for p in element.properties:
            n = 1
            if p.count is not None:
                n = int(np.frombuffer(body, order + p.count, 1, at)[0])
                at += np.dtype(p.count).itemsize
            size = np.dtype(p.type).itemsize
            values = np.frombuffer(body, order + p.type, _length(n, (len(body) - at) // size), at)
            slow[p.name].append(values.tolist() if p.count is not None else values[0].item())
            at += size * n
    return slow, at


def _fixed_lengths(element: _Element, body: bytes, at: int, order: str) -> Any:
    """The layout of a row, if all are as long as the first and fit; meshes of triangles are."""
    fields: list[Any] = []
    offset = at
    for p in element.properties:
        if p.count is None:
            fields.append((p.name, order + p.type))
        elif element.size and offset + np.dtype(p.count).itemsize <= len(body):
            n = int(np.frombuffer(body, order + p.count, 1, offset)[0])
            if not 0 <= n <= len(body):
                return None
            fields += [(f"n {p.name}", order + p.count), (p.name, order + p.type, (n,))]
        else:
            return None
        offset = at + np.dtype(fields).itemsize
    end = at + (offset - at) * element.size
    fit = end <= len(body)  # else they are read one by one
    return fields if offset > at and fit else None


def _length(n: int, left: int) -> int:
    if not 0 <= n <= left:
        raise InputError(f"has a list of {n} entries where {left} are left; it may be cut off")
    return n
