"""PyG `Data`: edge_index, face, hyperedge_index, and the incidence_k of TopoBench, both ways."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from cellapse._complex.attributes import USUAL
from cellapse._complex.cells import Cells
from cellapse._complex.complex import Complex, require_complex
from cellapse._complex.graph import as_graph
from cellapse._complex.weights import AUTO, weighted_by
from cellapse._errors import InputError, extra
from cellapse._matrices.matrices import containment
from cellapse._shared.memory import Fitting
from cellapse._shared.notes import loss
from cellapse._shared.rows import RowIndex
from cellapse.interop._arcs import edges_once
from cellapse.interop._build import Wanted
from cellapse.interop._hyperedges import hyperedge_complex
from cellapse.interop._tensors import (
    array_of,
    column_of,
    index_of,
    is_sparse,
    is_tensor,
    matrix_of,
    tensor_of,
)
from cellapse.interop.plain import from_matrices
from cellapse.lifts.meshes import mesh_complex

_STRUCTURE = re.compile(
    r"(edge_|hyperedge_|incidence_|(co)?adjacency_|.*laplacian_).*|face|labels|num_nodes"
)
_BY_RANK = re.compile(r"(.+)_(\d{1,3})")  # x_1 and its like, as TopoBench has them
_PLAIN = (str, int, float, list, tuple, dict)


def read(data: Any, wanted: Wanted) -> Complex:
    """Return a `torch_geometric.data.Data`, by the richest structure it has."""
    if type(data).__name__ == "HeteroData":
        raise InputError("a HeteroData has kinds of nodes and edges; pass data.to_homogeneous()")
    names = {name for name, value in data.to_dict().items() if value is not None}
    hyperedges = "edge_index" if type(data).__name__ == "HyperGraphData" else "hyperedge_index"
    other = names & {"incidence_hyperedges", "incidence_1", hyperedges}
    if "edge_index" not in names or (other and "hyperedge_rank" not in names):
        wanted.check_simple("this Data")
    if "incidence_hyperedges" in names:  # TopoBench's lifted hypergraphs
        B = matrix_of(data["incidence_hyperedges"]).tocoo()
        return _from_hyperedges(data, B.row, B.col, wanted)
    if hyperedges in names and "hyperedge_rank" not in names:
        vertex, edge = index_of(data, hyperedges)
        return _from_hyperedges(data, vertex, edge, wanted)
    wanted.check_ranked("this Data")
    return _ranked(data, names, wanted)


def _ranked(data: Any, names: set[str], wanted: Wanted) -> Complex:
    """Return a graph, a mesh or a complex, whose cells have ranks of their own."""
    n = int(data.num_nodes or 0)
    labels = data["labels"] if "labels" in names else None
    of_edges: dict[Any, Any] = {}
    loops: dict[str, Any] = {}
    cells: dict[int, Any] = {}
    if "hyperedge_rank" in names:
        if "edge_index" in names:
            cells[1], of_edges, loops = edges_once(data, n, wanted)
        cells |= _ranked_hyperedges(data)
    elif "incidence_1" in names:  # TopoBench, which keeps the edge_index of the graph beside it
        K = _from_incidences(data, names)
        cells = {k: (c.indptr, c.indices) for k, c in enumerate(K.cells) if k}
        n = K.n_vertices
    elif "face" in names:
        faces = mesh_complex(np.zeros((n, 1)), array_of(data["face"]).T)
        cells = {k: faces.cells[k].as_array() for k in (1, 2)}
        if "edge_index" in names:
            edges, of_edges, loops = edges_once(data, n, wanted)
            cells[1] = _and_missing(edges, cells[1], of_edges, n)
    elif "edge_index" in names:
        cells[1], of_edges, loops = edges_once(data, n, wanted)
    else:
        raise InputError(
            "a Data without edge_index, face, hyperedge_index or incidence_1; for adj_t pass "
            "data.adj_t itself, for points in pos use "
            "lifts.nearest_neighbour_complex(data.pos.numpy(), n_neighbors) or lifts.rips_complex"
        )
    weight = wanted.weight
    name = USUAL if weight == AUTO else weight
    read = [*of_edges]
    if name is not None and f"edge_{name}" in of_edges:
        if name in of_edges:
            raise InputError(
                f"a Data with {name!r} and 'edge_{name}'; an edge has one weight, del one of them"
            )
        of_edges[name] = of_edges.pop(f"edge_{name}")
    known = {k: columns for k, columns in ((0, loops), (1, of_edges)) if columns}
    K = Complex.from_arrays(n, cells, labels, attributes=known)
    return weighted_by(_with_attributes(K, data, read), weight)


def _with_attributes(K: Complex, data: Any, read: Collection[str] = ()) -> Complex:
    """Return attributes of vertices (x), cells of rank k (x_k) and the whole (y, name)."""
    attributes: dict[int, dict[str, Any]] = {}
    metadata: dict[str, Any] = {}
    for name, value in data.to_dict().items():
        if name in read:
            continue
        if _STRUCTURE.fullmatch(name) or not (is_tensor(value) or isinstance(value, _PLAIN)):
            if is_sparse(value) and not _STRUCTURE.fullmatch(name):
                loss(f"{name!r:.40} is sparse, and left out; data.{name}.to_dense() keeps it")
            continue
        values = array_of(value) if is_tensor(value) else value
        by_rank = _BY_RANK.fullmatch(name) if "incidence_1" in data else None
        count = len(values) if isinstance(values, list) or getattr(values, "ndim", 0) > 0 else -1
        if by_rank and int(by_rank[2]) <= K.max_rank and count == K.n_cells[int(by_rank[2])]:
            attributes.setdefault(int(by_rank[2]), {})[by_rank[1]] = values
        elif count == K.n_vertices and data.is_node_attr(name):
            attributes.setdefault(0, {})[name] = values
        else:
            metadata[name] = values
    return replace(K.with_attributes(attributes), metadata=metadata)


def _and_missing(edges: Any, sides: Any, columns: dict[Any, Any], n: int) -> Any:
    """Return the edges given, then the sides of faces that are not among them."""
    missing = sides[RowIndex(np.sort(edges, axis=1), n).find(sides) < 0]
    if len(missing) and columns:
        raise InputError(
            f"{len(missing)} sides of faces are missing from edge_index, so that its attributes do "
            "not cover them; add the edges or leave out edge_index"
        )
    return np.concatenate([edges, missing])


def _from_hyperedges(data: Any, vertex: Any, edge: Any, wanted: Wanted) -> Complex:
    n = max(int(data.num_nodes or 0), int(vertex.max(initial=-1)) + 1)
    ids, row = np.unique(edge, return_inverse=True)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row))]).astype(np.int64)
    cells = Cells(indptr, vertex[np.argsort(row, kind="stable")])
    records = _hyperedge_records(data, ids, USUAL if wanted.weight == AUTO else wanted.weight)
    K = hyperedge_complex(
        range(n), cells, records=records, weight=wanted.weight, ranks=wanted.ranks
    )
    return _with_attributes(K, data)


def _hyperedge_records(data: Any, ids: Any, weight: str | None) -> list[dict[str, Any]]:
    """hyperedge_weight, hyperedge_attr and such; edge_... in a HyperGraphData."""
    prefix = "edge_" if type(data).__name__ == "HyperGraphData" else "hyperedge_"
    columns = {}
    for name, value in data.to_dict().items():
        if not name.startswith(prefix) or name.endswith("_index"):
            continue
        values = column_of(value)
        if values.ndim and len(ids):
            if len(values) <= ids[-1]:
                raise InputError(f"{name} has {len(values)} entries for hyperedge {ids[-1]}")
            short = name.removeprefix(prefix)
            columns[short if short == weight else name] = values[ids].tolist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _ranked_hyperedges(data: Any) -> dict[int, Any]:
    vertex, edge = index_of(data, "hyperedge_index")
    rank_of = array_of(data["hyperedge_rank"])
    sizes = np.bincount(edge, minlength=len(rank_of))
    cells = {}
    for rank in np.unique(rank_of).tolist():
        chosen = rank_of == rank
        indptr = np.concatenate([[0], np.cumsum(sizes[chosen])])
        cells[rank] = (indptr, vertex[chosen[edge]])
    return cells


def _from_incidences(data: Any, names: set[str]) -> Complex:
    matrices: list[Any] = []
    while f"incidence_{len(matrices) + 1}" in names:
        matrices.append(matrix_of(data[f"incidence_{len(matrices) + 1}"]))
    while len(matrices) > 1 and not matrices[-1].shape[1]:  # TopoBench pads with empty ranks
        matrices.pop()
    return from_matrices(matrices)


@Fitting("the object of the other library", "take a smaller complex")
def to_pyg(K: Complex) -> Any:
    """Return a PyG `Data` with edge_index, hyperedge_index, face and incidence_k.

    * `edge_index`: the edges, in both directions; `edge_weight` and attributes as "edge_..." alike.
    * `hyperedge_index`, `hyperedge_rank`: the vertices of all cells above the edges, and the ranks.
    * `face`: the cells of rank 2, when all are triangles.
    * `incidence_k`: the sparse containment of rank k - 1 in rank k, as TopoBench has it.
    * attributes of vertices under their own name, those of rank 2 as "..._2", and so on; `labels`
      where the vertices are not numbered anyway; weights of ranks other than 1 as `weight_0`,
      `weight_2`, ...; metadata under its own name.

    Numbers become tensors, all else lists.

    Parameters
    ----------
    K : Complex

    Returns
    -------
    torch_geometric.data.Data
        `as_complex` reads it back; attributes of edges keep "edge_".

    Examples
    --------
    >>> import cellapse as cl
    >>> K = cl.Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> data = cl.interop.to_pyg(K)
    >>> data.edge_index.shape, data.face.shape
    (torch.Size([2, 6]), torch.Size([3, 1]))
    """
    require_complex(K, "to_pyg")
    with extra("torch_geometric", "torch"):
        import torch
        from torch_geometric.data import Data
    fields: dict[str, Any] = {"num_nodes": K.n_vertices, **_structure(K, torch)}
    if K.labels != range(K.n_vertices):
        fields["labels"] = list(K.labels)
    for k in range(K.max_rank + 1):
        columns = dict(K.attributes[k])
        weights = K.weights[k]
        if weights is not None:
            columns["weight" if k else "weight_0"] = weights
        for name, column in columns.items():
            key = _key(name, k)
            if key in fields or (k == 0 and (_is_taken(name) or _seems_higher(K, name))):
                raise InputError(f"{key!r} would stand for two things in a Data; rename {name!r}")
            both = np.concatenate([column, column]) if k == 1 else column.copy()
            fields[key] = tensor_of(both, torch)
    taken = [name for name in K.metadata if name in fields or _is_taken(name)]
    if taken:
        raise InputError(f"the metadata {taken[0]!r} has the name of something else; rename it")
    return Data(**fields, **K.metadata)


def _seems_higher(K: Complex, name: str) -> bool:
    """Return whether an attribute of vertices, such as x_1, reads as one of other cells."""
    by_rank = _BY_RANK.fullmatch(name)
    rank = int(by_rank[2]) if by_rank else 0
    return 0 < rank <= K.max_rank and K.n_cells[rank] == K.n_vertices


def _is_taken(name: str) -> bool:
    """Return whether an attribute of vertices or the whole means something else in a Data."""
    return _STRUCTURE.fullmatch(name) is not None or name.startswith("_")


def _key(name: str, rank: int) -> str:
    if rank == 0:
        return name
    if rank == 1:
        return name if name.startswith("edge_") else f"edge_{name}"
    return f"{name}_{rank}"


def _structure(K: Complex, torch: Any) -> dict[str, Any]:
    """Return the cells, as PyG and TopoBench have them."""
    i, j = as_graph(K).edges.T
    fields = {"edge_index": torch.as_tensor(np.stack([np.r_[i, j], np.r_[j, i]]))}
    for k in range(1, K.max_rank + 1):
        B = containment(K, k - 1, k).tocoo()
        index = torch.as_tensor(np.stack([B.row, B.col]).astype(np.int64))
        fields[f"incidence_{k}"] = torch.sparse_coo_tensor(
            index, torch.as_tensor(B.data, dtype=torch.float32), B.shape, check_invariants=True
        ).coalesce()
    none = np.empty(0, dtype=np.int64)
    higher = K.cells[2:]
    sizes = np.concatenate([none, *(cells.sizes for cells in higher)])
    members = np.concatenate([none, *(cells.indices for cells in higher)])
    each = (np.full(len(cells), k) for k, cells in enumerate(higher, start=2))
    index = np.stack([members, np.repeat(np.arange(len(sizes)), sizes)])
    fields["hyperedge_index"] = torch.as_tensor(index)
    fields["hyperedge_rank"] = torch.as_tensor(np.concatenate([none, *each]))
    if higher and len(K.cells[2]) and (K.cells[2].sizes == 3).all():
        fields["face"] = torch.as_tensor(np.array(K.cells[2].as_array().T, order="C"))
    return fields
