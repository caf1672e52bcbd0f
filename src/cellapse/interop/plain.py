"""Lists, dicts, NumPy arrays and SciPy matrices in; a sparse adjacency out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.complex import Complex, require_complex
from cellapse._complex.graph import as_graph, is_adjacency
from cellapse._complex.labels import as_tuples, in_order
from cellapse._errors import InputError
from cellapse._matrices.incidence import Incidence
from cellapse._shared.arrays import csr_from_entries
from cellapse._shared.checks import one_of
from cellapse.interop._build import Ranks, hyperedge_complex, refuse_ranks
from cellapse.lifts.meshes import mesh_complex

_POINTS = (
    "points, it seems; say what joins them: lifts.nearest_neighbour_complex, lifts.rips_complex or "
    "lifts.alpha_complex"
)


def read(source: Any, weight: str | None, ranks: Ranks) -> Complex:
    """What belongs to no library of its own."""
    if isinstance(source, str | bytes | Path):
        raise InputError(
            f"{str(source)[:80]!r} is a name, not an object; cellapse.read reads files"
        )
    if sparse.issparse(source):
        refuse_ranks(ranks, "an adjacency")
        return as_graph(source, weight).with_cells({})
    if hasattr(source, "__array__"):  # a tensor, for instance
        source = _as_array(source)
    if weight is not None:
        raise InputError(
            f"weight={weight!r}, but a {type(source).__name__} carries no attributes; "
            "Complex.from_cells takes weights"
        )
    if isinstance(source, np.ndarray):
        return _from_array(source, ranks)
    if isinstance(source, Mapping):
        return _from_mapping(source, ranks)
    if not isinstance(source, Iterable):
        raise InputError(
            f"a {type(source).__name__} cannot be read as a complex; pass a graph, a hypergraph, "
            "a complex, a mesh, lists of cells or incidence matrices"
        )
    if isinstance(source, tuple) and len(source) == 2 and _is_mesh(*source):
        refuse_ranks(ranks, "a mesh")
        return mesh_complex(*source)
    items = list(source)
    if items and all(_is_matrix(item) for item in items):
        refuse_ranks(ranks, "a list of matrices")
        return from_matrices(items)
    groups = as_tuples(2, items)
    _refuse_numbers(groups)
    if ranks is None and all(len(group) == 2 for group in groups):
        return as_graph(groups).with_cells({})
    return hyperedge_complex(in_order(v for g in groups for v in g), groups, ranks=ranks)


def _as_array(source: Any) -> Any:
    try:
        return np.asarray(source)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(
            f"a {type(source).__name__} that is no array ({error}); pass integers of shape (2, m), "
            "or a scipy.sparse adjacency"
        ) from None


def _is_matrix(item: Any) -> bool:
    return sparse.issparse(item) or (isinstance(item, np.ndarray) and item.ndim == 2)


def _is_mesh(vertices: Any, faces: Any) -> bool:
    """Whether these are positions and faces, and not B_1 and B_2 or two hyperedges."""
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


def _refuse_numbers(groups: list[tuple[Any, ...]]) -> None:
    """Points and weighted edges are no lists of cells, though they could be read as such."""
    are_floats = [[isinstance(v, float) for v in group] for group in groups]
    if groups and all(map(all, are_floats)):
        raise InputError(f"{groups[0]!r} and others hold only fractions: {_POINTS}")
    if groups and all(row == [False, False, True] for row in are_floats):
        raise InputError(
            f"{groups[0]!r} and all others end in a fraction, as edges with weights do; pass "
            "Complex.from_cells({1: pairs}, weights={1: numbers}), or a networkx graph with weight="
        )


def _from_array(array: Any, ranks: Ranks) -> Complex:
    refuse_ranks(ranks, "an array of edges")
    if np.issubdtype(array.dtype, np.floating) and not is_adjacency(array):
        raise InputError(
            f"an array of shape {array.shape} and type {array.dtype}: {_POINTS}. An adjacency is "
            "square, symmetric and not negative"
        )
    return as_graph(array).with_cells({})


def _from_mapping(source: Mapping[Any, Any], ranks: Ranks) -> Complex:
    if ranks is None and all(isinstance(k, int | np.integer) for k in source):
        for rank, cells in source.items():
            listed = isinstance(cells, Collection)  # and no generator, which would be used up
            if rank and listed and any(isinstance(cell, int | str) for cell in cells):
                raise InputError(
                    f"{rank}: {cells!r:.60} lists no cells; whole numbers as keys are ranks, so "
                    "that hyperedges with such names need ranks=, or go in as a list of them"
                )
        return Complex.from_cells(source)
    groups = as_tuples(2, source.values())
    labels = in_order(v for g in groups for v in g)
    return hyperedge_complex(labels, groups, names=list(source), ranks=ranks)


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


def to_scipy(K: Complex, *, container: str = "array") -> Any:
    """The weighted adjacency of the vertices and edges of a complex.

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
