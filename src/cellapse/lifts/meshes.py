"""Meshes: vertices with positions, faces as cells of rank 2, the sides of the faces as edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cellapse._complex.cells import Cells, build_cells
from cellapse._complex.complex import Complex
from cellapse._complex.labels import as_tuples, numbered, positions
from cellapse._errors import InputError
from cellapse._shared.align import align, own_labels
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import listed, plain_array, real_array
from cellapse._shared.memory import Fitting
from cellapse._shared.notes import fact
from cellapse._shared.rows import RowIndex
from cellapse.lifts.hyperedges import first_copies

_POSITIONS = "the list of vertex positions"  # in messages
CORNERS = {
    "vertex": 1,
    "line": 2,
    "triangle": 3,
    "quad": 4,
    "tetra": 4,
    "pyramid": 5,
    "wedge": 6,
    "hexahedron": 8,
}
# The walks round the faces of a volume, by its corners in the order of VTK.
_FACES = {
    "tetra": ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)),
    "pyramid": ((0, 1, 2, 3), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)),
    "wedge": ((0, 1, 2), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)),
    "hexahedron": (
        *((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4)),
        *((1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)),
    ),
}


# Numbers of kinds, in VTK's order of corners.
_KINDS = {
    1: "vertex",
    3: "line",
    5: "triangle",
    9: "quad",
    10: "tetra",
    12: "hexahedron",
    13: "wedge",
    14: "pyramid",
}


@Fitting("the complex", "take a smaller one, or one of fewer cells")
def mesh_complex(vertices: Any, faces: Any, segments: Any = ()) -> Complex:
    """Return the complex of a mesh: faces are cells of rank 2, their sides are the edges.

    Parameters
    ----------
    vertices : (n, d) array, or a table
        The positions; kept as the attribute "position" of the vertices. Rows that have names, in
        a DataFrame or dict, are the vertices of those names.
    faces : (m, s) integer array, a list of polygons, or a DataFrame
        Each lists its vertices along its boundary: numbers from 0, or the names of rows.
    segments : (s, 2) integer array, optional
        Edges besides the sides of the faces.

    Returns
    -------
    Complex

    Examples
    --------
    >>> square = [[0, 0], [1, 0], [1, 1], [0, 1]]
    >>> mesh_complex(square, [[0, 1, 2], [0, 2, 3]])
    Complex(n_cells=(4, 5, 2))
    >>> mesh_complex(square, [[0, 1, 2, 3]])
    Complex(n_cells=(4, 4, 1))
    """
    names = own_labels(vertices, _POSITIONS)
    if names is None or set(names) == set(range(len(names))):  # the faces call them 0, 1, ...
        return _complex(_positions(vertices), _numbered_faces(faces), segments)
    of = positions(names)
    walks = numbered(2, as_tuples(2, _rows(faces, "faces")), of)
    ends = numbered(1, as_tuples(1, _rows(segments, "segments")), of)[1].reshape(-1, 2)
    return replace(_complex(_positions(vertices, names), walks, ends), labels=tuple(names))


def _rows(given: Any, name: str) -> Any:
    """Return a table of pandas as its rows."""
    table = hasattr(given, "columns") and hasattr(given, "to_numpy")
    return listed(given.to_numpy() if table else given, f"the list of {name}")


def _numbered_faces(faces: Any) -> Any:
    """Return faces by the numbers of their vertices, as one array or as (indptr, indices)."""
    if isinstance(faces, np.ndarray) and faces.ndim == 2:
        return faces
    polygons = as_tuples(2, _rows(faces, "faces"))
    ends = np.cumsum([0, *map(len, polygons)])
    return ends, np.array([v for polygon in polygons for v in polygon])


def _positions(vertices: Any, names: Sequence[Any] | None = None) -> FloatArray:
    """Return one row of coordinates for each vertex, in the order of their names or numbers."""
    if own_labels(vertices, _POSITIONS) is not None:
        n = vertices.shape[0] if hasattr(vertices, "shape") else len(vertices)
        vertices = align(vertices, names or range(n), _POSITIONS)
    rows = real_array(vertices, _POSITIONS)
    if rows.ndim != 2:
        raise InputError(f"vertices of shape {rows.shape}; give one row of coordinates each")
    missing = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(missing):
        raise InputError(
            f"vertex {missing[0]} is at {rows[missing[0]].tolist()!r:.80}; give finite coordinates"
        )
    return rows


def _complex(points: FloatArray, faces: Any, segments: Any) -> Complex:
    """Return the complex of faces as a table, or as (indptr, indices)."""
    n = len(points)
    checked = build_cells(2, faces, n, range(n))
    if len(checked) and checked.sizes.min() < 3:
        at = int(np.argmin(checked.sizes))
        raise InputError(
            f"face number {at} has {checked.sizes[at]} vertices; a face has three or more: "
            "remove it"
        )
    cells = {1: _sides(checked, segments, n), 2: (checked.indptr, checked.indices)}
    return Complex.from_arrays(n, cells, attributes={0: {"position": points}})


def faces_complex(
    points: FloatArray, ends: IntArray, corners: IntArray, segments: Any = ()
) -> tuple[Complex, IntArray]:
    """`mesh_complex` of faces as files list them, copies counted once, and which are kept.

    >>> faces_complex(np.eye(3), np.array([0, 3, 6]), np.array([0, 1, 2, 2, 1, 0]))[1].tolist()
    [0]
    """
    n = len(points)
    faces = build_cells(2, (ends, corners), n, range(n))
    first = first_copies(faces, n)
    kept = np.flatnonzero(first == np.arange(len(first)))
    lines = build_cells(1, segments, n, range(n)).as_array().reshape(-1, 2)
    distinct = _distinct([lines], n)
    _tell_repeats(len(faces) - len(kept) + len(lines) - len(distinct))
    faces = faces.take(kept) if len(kept) < len(faces) else faces
    return _complex(_positions(points), (faces.indptr, faces.indices), distinct), kept


def _tell_repeats(count: int) -> None:
    if count:
        fact(f"{count:,} repeated cells are counted once")


def block_complex(
    vertices: Any, blocks: Mapping[str, Any], polygons: Sequence[IntArray] = ()
) -> Complex:
    """Return the complex of a mesh whose cells are listed by kind, as in finite elements.

    Faces of volumes are cells of rank 2, volumes of rank 3. Cells listed again count once.

    >>> block_complex(np.eye(4, 3), {"tetra": [[0, 1, 2, 3]]})
    Complex(n_cells=(4, 6, 4, 1))
    """
    unknown = [kind for kind in blocks if kind not in CORNERS]
    if unknown:
        raise InputError(
            f"holds cells of the kind {unknown[0]!r}; read are {', '.join(CORNERS)}: take the "
            "corners of others"
        )
    n = len(vertices)
    listed_ = {kind: _table(kind, cells) for kind, cells in blocks.items()}
    tables = {kind: _distinct([table], n) for kind, table in listed_.items()}
    own = [_distinct([table], n) for table in polygons]
    _tell_repeats(
        sum(map(len, [*listed_.values(), *polygons])) - sum(map(len, [*tables.values(), *own]))
    )
    faces = [tables[kind] for kind in ("triangle", "quad") if kind in tables]
    for kind, walks in _FACES.items():
        faces += [tables[kind][:, list(walk)] for walk in walks] if kind in tables else []
    faces += own
    by_size = [[t for t in faces if t.shape[1] == s] for s in sorted({t.shape[1] for t in faces})]
    segments = tables.get("line", ())
    distinct = [group[0] if len(group) == 1 else _distinct(group, n) for group in by_size]
    K = _complex(_positions(vertices), _flat(distinct), segments)
    volumes = [tables[kind] for kind in _FACES if kind in tables]
    if not volumes:
        return K
    cells = {k: (c.indptr, c.indices) for k, c in enumerate(K.cells) if k}
    return Complex.from_arrays(
        K.n_vertices, {**cells, 3: _flat(volumes)}, attributes=dict(enumerate(K.attributes))
    )


def cells_complex(points: Any, ends: IntArray, corners: IntArray, kinds: IntArray) -> Complex:
    """Return the complex of cells of the kinds of VTK: cell i has corners[ends[i]:ends[i + 1]].

    >>> cells_complex(np.eye(3), np.array([0, 3]), np.array([0, 1, 2]), np.array([5]))
    Complex(n_cells=(3, 3, 1))
    """
    sizes = np.diff(ends)
    if len(sizes) != len(kinds) or (sizes < 0).any():
        raise InputError(f"has {len(sizes)} cells and {len(kinds)} kinds of them")
    if len(corners) and not 0 <= corners.min() <= corners.max() < len(points):
        raise InputError(f"has cells with points beyond the {len(points)} that it lists")
    blocks: dict[str, list[IntArray]] = {}
    polygons: list[IntArray] = []
    for kind, size in np.unique(np.column_stack([kinds, sizes]), axis=0).tolist():
        chosen = np.flatnonzero((kinds == kind) & (sizes == size))
        table = corners[ends[chosen][:, None] + np.arange(size)]
        if kind == 7 and size > 2:
            polygons.append(table)
        elif kind in (3, 4) and size > 1:  # one line, or several on end
            pairs = [table[:, [i, i + 1]] for i in range(size - 1)]
            blocks.setdefault("line", []).extend(pairs)
        elif kind in _KINDS and size == CORNERS[_KINDS[kind]]:
            blocks.setdefault(_KINDS[kind], []).append(table)
        elif kind not in (1, 2):  # points alone
            raise InputError(
                f"has cells of kind {kind} with {size} corners, which are not read; triangulate"
            )
    blocks.pop("vertex", None)
    return block_complex(points, {k: np.concatenate(b) for k, b in blocks.items()}, polygons)


def with_lengths(numbers: IntArray) -> IntArray:
    """Where the lengths are in front of lists that come one after the other, as VTK keeps them.

    >>> with_lengths(np.array([3, 0, 1, 2, 2, 0, 3])).tolist()
    [0, 4]
    """
    if len(numbers) and len(numbers) % (numbers[0] + 1) == 0:
        same = np.arange(0, len(numbers), numbers[0] + 1)
        if (numbers[same] == numbers[0]).all():
            return same
    starts, at = [], 0
    for _ in range(len(numbers)):
        if at >= len(numbers):
            break
        starts.append(at)
        at += 1 + int(numbers[at])
    if at != len(numbers):
        raise InputError("has a list that is longer than what follows; it may be cut off")
    return np.array(starts, dtype=np.int64)


def _flat(tables: list[IntArray]) -> tuple[IntArray, IntArray]:
    """Return the rows of tables of several widths as `indptr` and `indices`."""
    sizes = np.concatenate([np.empty(0, int), *(np.full(len(t), t.shape[1]) for t in tables)])
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return indptr, np.concatenate([np.empty(0, np.int64), *(t.ravel() for t in tables)])


def _table(kind: str, cells: Any) -> IntArray:
    table = plain_array(cells, f"the list of cells of the kind {kind!r}")
    if table.size == 0:
        return np.empty((0, CORNERS[kind]), np.int64)
    if table.ndim != 2 or table.shape[1] != CORNERS[kind] or table.dtype.kind not in "iu":
        raise InputError(
            f"cells of the kind {kind!r} of shape {table.shape} and type {table.dtype}; give "
            f"{CORNERS[kind]} whole numbers for each"
        )
    return table.astype(np.int64)


def _distinct(tables: list[IntArray], n: int) -> IntArray:
    """Return the rows of all tables, those with the same members once, in order of appearance."""
    rows = np.concatenate(tables)
    if not len(rows) or not 0 <= rows.min() <= rows.max() < n:
        return rows  # refused where cells are made of them
    index = RowIndex(np.sort(rows, axis=1), n)
    if index.first_repeat() is None:
        return rows
    return rows[index.find(np.sort(rows, axis=1)) == np.arange(len(rows))]


def _sides(faces: Cells, segments: Any, n: int) -> IntArray:
    """Return every pair of neighbours along a boundary, and every segment, once."""
    following = np.roll(faces.indices, -1)
    following[faces.indptr[1:] - 1] = faces.indices[faces.indptr[:-1]]
    more = build_cells(1, segments, n, range(n)).as_array().reshape(-1, 2)
    sides = np.concatenate([np.column_stack([faces.indices, following]), more])
    low, high = np.minimum(*sides.T), np.maximum(*sides.T)
    keys = np.sort(low * n + high)
    keys = keys[np.append(True, keys[1:] > keys[:-1])[: len(keys)]]
    return np.column_stack(np.divmod(keys, n))
