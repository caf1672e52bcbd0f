"""Lists, dicts, NumPy arrays and SciPy matrices in; a sparse adjacency out.

Only what is plainly a collection is read as one: an object of a library that is not known here is
refused, however well it can be iterated over.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection, Iterator, Mapping, MappingView
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.adjacency import numeric_square
from cellapse._complex.complex import Complex, require_complex
from cellapse._complex.given import read_graph
from cellapse._complex.graph import as_graph
from cellapse._complex.labels import POINTS, as_tuples, refuse_points, vertex_order
from cellapse._complex.weights import weighted_by
from cellapse._errors import InputError
from cellapse._matrices.incidence import Incidence
from cellapse._shared.arrays import csr_from_entries
from cellapse._shared.checks import one_of, unmasked
from cellapse._shared.memory import Fitting
from cellapse._shared.notes import fact
from cellapse.interop._build import Wanted
from cellapse.interop._hyperedges import hyperedge_complex
from cellapse.interop._listed import (
    from_dict_of_neighbours,
    from_edges_with_data,
    is_adjacency,
    is_dict_of_edges,
    is_dict_of_neighbours,
    is_edges_with_data,
)
from cellapse.lifts.meshes import mesh_complex

_COLLECTIONS: Any = (list, tuple, set, frozenset, deque, Iterator, MappingView, Incidence)


def read(source: Any, wanted: Wanted) -> Complex:
    """Return what belongs to no library of its own."""
    if isinstance(source, str | bytes | os.PathLike):
        wanted.check_ranked("what a name stands for")
        return read_graph(source, wanted.weight, wanted.rules)
    if sparse.issparse(source):
        return read_adjacency(source, wanted)
    if hasattr(source, "__array__"):
        source = _as_array(source)
    if isinstance(source, np.ndarray):
        return _from_array(source, wanted)
    if isinstance(source, Mapping):
        return _from_mapping(source, wanted)
    if not isinstance(source, _COLLECTIONS):
        kind = type(source)
        held = [name for name in (".graph", ".complex()") if hasattr(source, name.strip(".()"))]
        other = "a graph, a hypergraph, a complex, a mesh, lists of cells or incidence matrices"
        raise InputError(
            f"a {kind.__module__}.{kind.__qualname__} cannot be read as a complex; pass "
            + (f"its {held[0]}" if held else other)
        )
    if is_mesh(source):
        wanted.check_ranked("a mesh")
        wanted.check_simple("a mesh")
        return weighted_by(mesh_complex(*source), wanted.weight)
    items: list[Any] = as_tuples(2, source) if isinstance(source, set | frozenset) else list(source)
    if len(items) == 2 and _are_two_columns(*items):
        raise InputError(
            "two arrays could be the ends of edges or two hyperedges; pass "
            "numpy.column_stack([sources, targets]), or the hyperedges as tuples"
        )
    return _from_items(items, wanted)


def _are_two_columns(a: Any, b: Any) -> bool:
    flat = getattr(a, "ndim", 0) == getattr(b, "ndim", 0) == 1
    return flat and (len(a) == len(b) or isinstance(a, np.ndarray))


def _from_items(items: list[Any], wanted: Wanted) -> Complex:
    if items and all(_is_matrix(item) for item in items):
        wanted.check_ranked("a list of matrices")
        wanted.check_simple("a list of matrices")
        return weighted_by(from_matrices(items), wanted.weight)
    if is_adjacency(items):
        fact("rows of numbers, as many as each has: an adjacency matrix")
        return _from_array(np.array(items), wanted)
    if is_edges_with_data(items):
        return from_edges_with_data(items, wanted)
    groups = _groups(items)
    refuse_points(groups)
    if wanted.ranks is None and all(len(group) == 2 for group in groups):
        return weighted_by(as_graph(groups, None, wanted.rules).with_cells({}), wanted.weight)
    wanted.check_simple("a list of cells")
    labels = vertex_order(v for g in groups for v in g)
    K = hyperedge_complex(labels, groups, ranks=wanted.ranks)
    return weighted_by(K, wanted.weight)


def _groups(listed: Any) -> list[tuple[Any, ...]]:
    groups = as_tuples(2, listed)
    if () in groups:
        raise InputError(
            f"cell number {groups.index(())} is empty; a cell needs vertices: leave it out"
        )
    return groups


def read_adjacency(matrix: Any, wanted: Wanted) -> Complex:
    """Return a sparse adjacency; its stored values are weights."""
    wanted.check_ranked("an adjacency")
    return as_graph(matrix, wanted.weight, wanted.rules).with_cells({})


def _as_array(source: Any) -> Any:
    try:
        return numeric_square(np.asarray(unmasked(source, "the array")))
    except InputError:
        raise
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(
            f"a {type(source).__name__} that is no array ({error}); pass integers of shape (2, m), "
            "or a scipy.sparse adjacency"
        ) from None


def _is_matrix(item: Any) -> bool:
    return sparse.issparse(item) or (isinstance(item, np.ndarray) and item.ndim == 2)


def is_mesh(source: Any) -> bool:
    """Return whether these are positions and faces, and not B_1 and B_2 or two hyperedges."""
    if not isinstance(source, tuple) or len(source) != 2:
        return False
    vertices, faces = source
    if hasattr(vertices, "columns") and hasattr(vertices, "to_numpy"):  # a table of positions
        kinds = [getattr(kind, "kind", "O") for kind in vertices.dtypes]
        return "f" in kinds and set(kinds) <= set("iuf") and len(vertices.columns) in (2, 3)
    if isinstance(vertices, list):
        return bool(vertices) and all(
            isinstance(row, list) and all(isinstance(x, int | float) for x in row)
            for row in vertices
        )
    if not isinstance(vertices, np.ndarray) or vertices.ndim != 2 or sparse.issparse(faces):
        return False
    if np.issubdtype(vertices.dtype, np.floating) or not isinstance(faces, np.ndarray):
        return True
    return vertices.shape[1] != len(faces)


def _from_array(array: Any, wanted: Wanted) -> Complex:
    """Integers of shape (m, 2) or (2, m) are edges, a square of three and more an adjacency."""
    wanted.check_ranked("an array")
    kind = array.dtype.kind
    square = array.ndim == 2 and array.shape[0] == array.shape[1] and kind in "biuf"
    if square and (array.shape[0] > 2 or kind in "bf"):
        fact(f"an array of shape {array.shape}: an adjacency matrix")
        if not np.isfinite(array).all():
            raise InputError(
                "the adjacency holds NaN or infinite values; say with zeros which are no edges"
            )
        return read_adjacency(sparse.coo_array(array), wanted)
    if kind == "f":
        raise InputError(f"an array of shape {array.shape} and type {array.dtype}: {POINTS}")
    return weighted_by(as_graph(array, None, wanted.rules).with_cells({}), wanted.weight)


def _from_mapping(source: Mapping[Any, Any], wanted: Wanted) -> Complex:
    if wanted.ranks is None and is_dict_of_edges(source):
        return from_edges_with_data([(*pair, data) for pair, data in source.items()], wanted)
    if wanted.ranks is None and is_dict_of_neighbours(source):
        return from_dict_of_neighbours(source, wanted)
    wanted.check_simple("a dict of cells")
    if wanted.ranks is None and all(isinstance(k, int | np.integer) for k in source):
        for rank, cells in source.items():
            listed = isinstance(cells, Collection)  # and no generator, which would be used up
            if rank and listed and any(isinstance(cell, int | str) for cell in cells):
                raise InputError(
                    f"{rank}: {cells!r:.60} lists no cells; whole numbers as keys are ranks, so "
                    "that hyperedges with such names need ranks=, or go in as a list of them"
                )
        return weighted_by(Complex.from_cells(source), wanted.weight)
    groups = _groups(source.values())
    refuse_points(groups)
    labels = vertex_order(v for g in groups for v in g)
    K = hyperedge_complex(labels, groups, names=list(source), ranks=wanted.ranks)
    return weighted_by(K, wanted.weight)


def from_matrices(matrices: Collection[Any]) -> Complex:
    """The complex whose cells are the columns of B_1, B_2, ...: signs and values do not matter.

    The vertices of a cell are those of the cells of the rank below that its column names.
    """
    B = Incidence.from_matrices(matrices)
    cells = {}
    members = None
    for rank, matrix in enumerate(B, start=1):
        pattern = sparse.csc_array(matrix, copy=True)
        pattern.data = np.ones(len(pattern.data), dtype=np.int64)
        members = pattern if members is None else (members @ pattern).tocsc()
        members.sort_indices()
        empty = np.flatnonzero(np.diff(members.indptr) == 0)
        if len(empty):
            raise InputError(
                f"column {empty[0]} of B_{rank} is zero, so that its cell has no vertices; "
                "remove the column, or give the cells themselves as {rank: cells}"
            )
        cells[rank] = (members.indptr.astype(np.int64), members.indices.astype(np.int64))
    return Complex.from_arrays(B.n_cells[0], cells)


@Fitting("the object of the other library", "take a smaller complex")
def to_scipy(K: Complex, *, container: str = "array") -> Any:
    """Return the weighted adjacency of the vertices and edges of a complex.

    Parameters
    ----------
    K : Complex
        Cells above the edges have no place in it; `incidence_matrices` has them all.
    container : {"array", "matrix"}
        `scipy.sparse.csr_array`, or `csr_matrix` for libraries that ask for it. Both have 32-bit
        indices where they fit.

    Returns
    -------
    scipy.sparse.csr_array or scipy.sparse.csr_matrix

    Examples
    --------
    >>> to_scipy(Complex.from_cells({1: [("a", "b")]}, weights={1: [2.0]})).toarray().tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    require_complex(K, "to_scipy")
    one_of("container", container, ("array", "matrix"))
    graph = as_graph(K)
    i, j = graph.edges.T
    w = np.ones(len(i)) if graph.weights is None else graph.weights
    n = graph.n_vertices
    adjacency = csr_from_entries(np.r_[i, j], np.r_[j, i], np.r_[w, w], (n, n))
    return adjacency if container == "array" else sparse.csr_matrix(adjacency)
