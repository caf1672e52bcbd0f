"""MATLAB's .mat of version 5 to 7: the one square sparse or full matrix in it, as an adjacency.

A reader of our own: that of SciPy 1.17 ends the process on some broken files. An element is a tag
(its type and size) and its bytes; a matrix is made of elements: flags, sizes, a name, then its
numbers, or the fields of a structure. SuiteSparse keeps its matrix in `Problem.A`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.memory import draw_memory, readable
from cellapse._shared.notes import fact
from cellapse.io._adjacency import adjacency_complex
from cellapse.io._options import PLAIN, Options

_NUMBERS = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
}
_MATRIX, _COMPRESSED = 14, 15
_STRUCT, _SPARSE, _FULL = 2, 5, range(6, 16)
_COMPLEX, _LOGICAL = 0x0800, 0x0200
_DEEPEST = 4  # structures within structures


def read_mat(data: bytes, options: Options = PLAIN) -> Complex:
    """Read a MATLAB file; one of version 7.3 is HDF5, and refused."""
    if data[:8] == b"\x89HDF\r\n\x1a\n" or data[:10] == b"MATLAB 7.3":
        raise InputError("is of version 7.3; save it with -v7")
    mark = data[126:128]
    if mark not in (b"IM", b"MI"):
        raise InputError("is no MATLAB file of version 5 to 7; save it with -v7")
    order = "<" if mark == b"IM" else ">"
    matrices: dict[str, Any] = {}
    for kind, content in _elements(data[128:], order):
        if kind == _COMPRESSED:
            for inner, unpacked in _elements(_unpacked(content), order):
                matrices |= _matrices(unpacked, order) if inner == _MATRIX else {}
        elif kind == _MATRIX:
            matrices |= _matrices(content, order)
    square = {n: m for n, m in matrices.items() if m.shape[0] == m.shape[1] > 1}
    if len(square) != 1:
        names = ", ".join(sorted(square)) or "none"
        raise InputError(f"has to hold one square matrix, and there are: {names:.100}")
    ((name, matrix),) = square.items()
    fact(f"the matrix {name!r} is the adjacency")
    values = matrix.data if sparse.issparse(matrix) else matrix
    weighted = bool(((values != 0) & (values != 1)).any())
    return adjacency_complex(matrix, weighted=weighted, rules=options.rules)


def _elements(data: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    """Yield the type and the bytes of one element after the other."""
    at = 0
    while at + 8 <= len(data):
        kind, size = np.frombuffer(data, order + "u4", 2, at).tolist()
        if kind >> 16:  # both in one word, then at most four bytes
            kind, size, start = kind & 0xFFFF, kind >> 16, at + 4
            following = at + 8
        else:
            start = at + 8
            following = start + size + (-size % 8 if kind != _COMPRESSED else 0)
        if start + size > len(data):
            raise InputError(f"declares {readable(size)} where it ends; it may be cut off")
        yield kind, data[start : start + size]
        at = following


def _unpacked(content: bytes) -> bytes:
    """Return what a compressed element holds: one element, whose size comes first."""
    machine = zlib.decompressobj()
    try:
        head = machine.decompress(content, 8)  # what is not read here follows below
        size = int.from_bytes(head[4:8], "little")
        draw_memory(4.0 * size, f"unpacking {readable(size)}", "save it with -v6")
        return head + machine.decompress(machine.unconsumed_tail, size + 8)
    except zlib.error as error:
        raise InputError(f"has a compressed part that is broken ({error})") from None


def _matrices(content: bytes, order: str, prefix: str = "", depth: int = 0) -> dict[str, Any]:
    """Return the matrices of numbers in an element, by their names."""
    parts = list(_elements(content, order))
    if len(parts) < 3 or len(parts[0][1]) < 8:
        return {}
    flags = int(np.frombuffer(parts[0][1], order + "u4", 1)[0])
    sizes = _numbers(parts[1], order).tolist()
    name = prefix + parts[2][1].decode("ascii", errors="replace")
    kind = flags & 0xFF
    if kind == _STRUCT and depth < _DEEPEST and sizes == [1, 1]:
        return _fields(parts[3:], order, name, depth)
    if len(sizes) != 2 or min(sizes) < 0 or flags & _COMPLEX:
        return {}
    if kind == _SPARSE:
        return {name: _sparse(sizes, parts[3:], order, bool(flags & _LOGICAL))}
    if kind in _FULL and len(parts) > 3:
        values = _numbers(parts[3], order)
        if len(values) != sizes[0] * sizes[1]:
            raise InputError(f"has a matrix of {sizes} with {len(values)} numbers")
        return {name: values.reshape(sizes, order="F").astype(np.float64)}
    return {}


def _fields(parts: list[tuple[int, bytes]], order: str, name: str, depth: int) -> dict[str, Any]:
    """Return the matrices in the fields of a structure."""
    if len(parts) < 2:
        return {}
    length = int.from_bytes(parts[0][1][:4], "little" if order == "<" else "big")
    words = parts[1][1]
    if not 0 < length <= 64:
        raise InputError(f"has names of fields of {length} letters")
    names = [words[i : i + length] for i in range(0, len(words), length)]
    matrices: dict[str, Any] = {}
    for word, (kind, content) in zip(names, parts[2:], strict=False):
        field = f"{name}.{word.rstrip(bytes(1)).decode('ascii', errors='replace')}"
        if kind == _MATRIX:
            matrices |= _matrices(content, order, field, depth + 1)
    return matrices


def _numbers(part: tuple[int, bytes], order: str) -> Any:
    kind, content = part
    if kind not in _NUMBERS:
        raise InputError(f"has an element of type {kind} where numbers belong")
    dtype = np.dtype(order + _NUMBERS[kind])
    return np.frombuffer(content[: len(content) // dtype.itemsize * dtype.itemsize], dtype)


def _sparse(sizes: list[int], parts: list[tuple[int, bytes]], order: str, logical: bool) -> Any:
    if len(parts) < 3:
        raise InputError("has a sparse matrix without its numbers; it may be cut off")
    rows, starts, values = (_numbers(part, order) for part in parts[:3])
    if sizes[0] != sizes[1]:
        return sparse.csc_array((1, 2))  # no adjacency
    if sizes[0] > 100 * (len(values) + 1000):
        raise InputError(f"has {sizes[0]:,} vertices and {len(values):,} edges: leave some out")
    try:
        count = int(starts[-1]) if len(starts) else 0
        parts_of = (values[:count].astype(np.float64), rows[:count], starts)
        matrix = sparse.csc_array(parts_of, shape=sizes)
        matrix.check_format(full_check=True)
    except Exception as error:
        raise InputError(f"has a sparse matrix that is not consistent ({error})") from None
    return matrix != 0 if logical else matrix
