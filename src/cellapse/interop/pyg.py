"""PyG `Data`: edge_index, face, hyperedge_index, and the incidence_k of TopoBench, both ways."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._errors import InputError, extra
from cellapse._graph import Graph, as_graph
from cellapse._rows import RowIndex
from cellapse._weights import weighted_by
from cellapse.cells import Cells
from cellapse.complex import Complex
from cellapse.containment import containment
from cellapse.interop._build import Ranks, hyperedge_complex, refuse_ranks
from cellapse.interop.plain import from_matrices
from cellapse.lifts.meshes import mesh_complex

_STRUCTURE = ("edge_index", "face", "hyperedge_index", "hyperedge_rank", "labels", "num_nodes")


# Names with a rank at their end, as TopoBench has them: x_1, incidence_2, adjacency_0.
_BY_RANK = re.compile(r".*_(\d+|hyperedges)")


def read(data: Any, weight: str | None, ranks: Ranks) -> Complex:
    """A `torch_geometric.data.Data`, by the richest structure it has."""
    names = set(data.to_dict())
    hyperedges = "edge_index" if type(data).__name__ == "HyperGraphData" else "hyperedge_index"
    if "incidence_hyperedges" in names:  # TopoBench's lifted hypergraphs
        B = _matrix(data["incidence_hyperedges"]).tocoo()
        return _from_hyperedges(data, B.row, B.col, weight, ranks)
    if hyperedges in names and "hyperedge_rank" not in names:
        vertex, edge = _array(data[hyperedges])
        return _from_hyperedges(data, vertex, edge, weight, ranks)
    refuse_ranks(ranks, "this Data")
    n = int(data.num_nodes)
    labels = data["labels"] if "labels" in names else None
    attributes: dict[int, dict[Any, Any]] = {0: _node_attributes(data)}
    cells: dict[int, Any] = {}
    if "hyperedge_rank" in names:
        if "edge_index" in names:
            cells[1], attributes[1] = _edges(data, n)
        cells |= _ranked_hyperedges(data)
    elif "incidence_1" in names:  # TopoBench, which keeps the edge_index of the graph beside it
        K = _from_incidences(data, names)
        cells = {k: (c.indptr, c.indices) for k, c in enumerate(K.cells) if k}
        n = K.n_vertices
        attributes |= _features(data, names, K)
    elif "face" in names:
        faces = mesh_complex(np.zeros((n, 1)), _array(data["face"]).T)
        cells = {k: faces.cells[k].as_array() for k in (1, 2)}
        if "edge_index" in names:
            edges, attributes[1] = _edges(data, n)
            cells[1] = _and_missing(edges, cells[1], attributes[1], n)
    elif "edge_index" in names:
        cells[1], attributes[1] = _edges(data, n)
    else:
        raise InputError(
            "a Data without edge_index, face, hyperedge_index or incidence_1; for points in pos "
            "use lifts.nearest_neighbour_complex(data.pos.numpy(), k) or lifts.rips_complex"
        )
    return weighted_by(Complex.from_arrays(n, cells, labels, attributes=attributes), weight)


def _array(tensor: Any) -> np.ndarray:
    return tensor.detach().cpu().numpy() if hasattr(tensor, "detach") else np.asarray(tensor)


def _node_attributes(data: Any) -> dict[Any, Any]:
    named = [k for k in data.to_dict() if k not in _STRUCTURE and not _BY_RANK.fullmatch(k)]
    own = {k: data[k] for k in named if data.is_node_attr(k)}
    return {k: v if isinstance(v, list) else _array(v) for k, v in own.items()}


def _edges(data: Any, n: int) -> tuple[Any, dict[Any, Any]]:
    """Each edge once, and what is known of it; PyG lists most graphs in both directions."""
    pairs = _array(data["edge_index"])
    g = as_graph(pairs.T)
    both = np.sort(pairs.T, axis=1)
    first = RowIndex(both, max(n, 1)).find(np.sort(g.edges, axis=1))
    place = RowIndex(np.sort(g.edges, axis=1), max(n, 1)).find(both)
    columns = {}
    for name in data.to_dict():
        if name not in _STRUCTURE and name.startswith("edge_") and data.is_edge_attr(name):
            values = _array(data[name])
            columns[name] = values[first]
            if not np.array_equal(values[first][place], values):
                raise InputError(
                    f"{name} differs between the two directions of an edge, but cells have none; "
                    "make it symmetric"
                )
    return g.edges, columns


def _and_missing(edges: Any, sides: Any, columns: dict[Any, Any], n: int) -> Any:
    """The edges given, then the sides of faces that are not among them."""
    missing = sides[RowIndex(np.sort(edges, axis=1), n).find(sides) < 0]
    if len(missing) and columns:
        raise InputError(
            f"{len(missing)} sides of faces are missing from edge_index, so that its attributes do "
            "not cover them; add the edges or leave out edge_index"
        )
    return np.concatenate([edges, missing])


def _from_hyperedges(
    data: Any, vertex: Any, edge: Any, weight: str | None, ranks: Ranks
) -> Complex:
    n = max(int(data.num_nodes or 0), int(vertex.max(initial=-1)) + 1)
    _, row = np.unique(edge, return_inverse=True)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row))]).astype(np.int64)
    cells = Cells(indptr, vertex[np.argsort(row, kind="stable")])
    columns = _node_attributes(data)
    K = hyperedge_complex(range(n), cells, weight=weight, ranks=ranks)
    return K.with_attributes({0: {k: v for k, v in columns.items() if len(v) == n}})


def _ranked_hyperedges(data: Any) -> dict[int, Any]:
    vertex, edge = _array(data["hyperedge_index"])
    rank_of = _array(data["hyperedge_rank"])
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
        matrices.append(_matrix(data[f"incidence_{len(matrices) + 1}"]))
    while len(matrices) > 1 and not matrices[-1].shape[1]:  # TopoBench pads with empty ranks
        matrices.pop()
    return from_matrices(matrices)


def _matrix(tensor: Any) -> Any:
    if not tensor.is_sparse:
        return sparse.csr_array(_array(tensor))
    entries = tensor.coalesce()
    index, values = _array(entries.indices()), _array(entries.values())
    return sparse.coo_array((values, index), shape=tuple(tensor.shape)).tocsr()


def _features(data: Any, names: set[str], K: Complex) -> dict[int, dict[Any, Any]]:
    features: dict[int, dict[Any, Any]] = {}
    for k, count in enumerate(K.n_cells):
        if f"x_{k}" in names and len(data[f"x_{k}"]) == count:
            features[k] = {"x": _array(data[f"x_{k}"])}
    return features


def to_pyg(K: Complex) -> Any:
    """A PyG `Data` with edge_index, hyperedge_index, face and incidence_k.

    * `edge_index`: the edges, in both directions; `edge_weight` and attributes named "edge_..."
      alike.
    * `hyperedge_index`, `hyperedge_rank`: the vertices of all cells above the edges, and the ranks.
    * `face`: the cells of rank 2, when all are triangles.
    * `incidence_k`: the sparse containment of rank k - 1 in rank k, as TopoBench has it.
    * attributes of vertices under their own name, as tensors where they are numbers; `labels`
      where the vertices are not numbered anyway.

    Returns
    -------
    torch_geometric.data.Data
    """
    with extra("torch_geometric", "torch"):
        import torch
        from torch_geometric.data import Data
    data = Data(num_nodes=K.n_vertices)
    for name, column in K.attributes[0].items():
        data[name] = column.tolist() if column.dtype == object else torch.as_tensor(column.copy())
    if K.labels != range(K.n_vertices):
        data.labels = list(K.labels)
    graph: Graph = as_graph(K)
    i, j = graph.edges.T
    data.edge_index = torch.as_tensor(np.stack([np.r_[i, j], np.r_[j, i]]))
    if graph.weights is not None:
        data.edge_weight = torch.as_tensor(np.tile(graph.weights, 2))
    for name, column in K.attributes[1].items() if K.max_rank else ():
        if column.dtype != object:
            key = name if name.startswith("edge_") else f"edge_{name}"
            data[key] = torch.as_tensor(np.concatenate([column, column]))
    for k in range(1, K.max_rank + 1):
        B = containment(K, k - 1, k).tocoo()
        index = torch.as_tensor(np.stack([B.row, B.col]).astype(np.int64))
        data[f"incidence_{k}"] = torch.sparse_coo_tensor(
            index, torch.as_tensor(B.data, dtype=torch.float32), B.shape, check_invariants=True
        ).coalesce()
    _add_higher(data, K, torch.as_tensor)
    return data


def _add_higher(data: Any, K: Complex, tensor: Any) -> None:
    none = np.empty(0, dtype=np.int64)
    higher = K.cells[2:]
    sizes = np.concatenate([none, *(cells.sizes for cells in higher)])
    members = np.concatenate([none, *(cells.indices for cells in higher)])
    each = (np.full(len(cells), k) for k, cells in enumerate(higher, start=2))
    ranks = np.concatenate([none, *each])
    data.hyperedge_index = tensor(np.stack([members, np.repeat(np.arange(len(sizes)), sizes)]))
    data.hyperedge_rank = tensor(ranks)
    if higher and len(K.cells[2]) and (K.cells[2].sizes == 3).all():
        data.face = tensor(np.ascontiguousarray(K.cells[2].as_array().T))
