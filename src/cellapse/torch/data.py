"""Graphs of PyTorch Geometric as complexes: one, or many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from scipy import sparse

from cellapse._complex.cells import Cells
from cellapse._complex.complex import Complex
from cellapse._complex.graph import Graph
from cellapse._complex.union import separate
from cellapse._complex.weights import AUTO
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import one_of, real_array, whole_number, word
from cellapse.lifts.cliques import cliques

Lift = str | Callable[[Any], Any]


def data_to_complex(
    data: Any, lift: Lift = "clique", max_rank: int = 2, weight: str | None = AUTO
) -> Any:
    """Return a graph of PyTorch Geometric as something `collapse` takes.

    Parameters
    ----------
    data : torch_geometric.data.Data
    lift : "clique", "incidence" or a function
        Cliques of the graph become cells; or the matrices `incidence_1`, `incidence_2`, ... of the
        data are used (as TopoBench stores them); or the function turns the data into a `Complex`
        or a list of matrices.
    max_rank : int
        Of the cells.
    weight : str or None
        The attribute with the weights of the edges; by default "edge_weight" counts (or "weight",
        as `from_networkx` has it), where the data has it and it is not one everywhere. Cliques
        only: other lifts bring their own.

    Returns
    -------
    Complex or list of scipy.sparse.csr_array

    Examples
    --------
    >>> from torch_geometric.data import Data
    >>> triangle = torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]])
    >>> data_to_complex(Data(edge_index=triangle, num_nodes=4))
    Complex(n_cells=(4, 3, 1))
    """
    max_rank = whole_number("max_rank", max_rank, 1, 1000)
    return data_to_complexes([data], [n_nodes(data, lift)], lift, max_rank, weight)[0]


EdgeType = tuple[str, str, str]


def of_one_kind(data: Any, edge_type: EdgeType | None) -> tuple[Any, Any, Any]:
    """Return the graph of one kind of nodes, and what holds the tensors of its nodes and edges.

    Of a `Data` that is the data itself. Of a `HeteroData` it is a `Data` of the nodes and edges of
    `edge_type`, which may be left out where only one kind of edges joins nodes of one kind.
    """
    from torch_geometric.data import Data, HeteroData

    if not isinstance(data, HeteroData):
        if edge_type is not None:
            raise InputError(
                f"edge_type={edge_type!r} goes with a HeteroData, and a {type(data).__name__} has "
                "one kind of edges; leave it out"
            )
        return data, data, data
    within = [kind for kind in data.edge_types if kind[0] == kind[2]]
    if edge_type not in within and (edge_type is not None or len(within) != 1):
        raise InputError(
            f"a HeteroData and edge_type={edge_type!r}; give one that joins nodes of one kind: "
            f"{', '.join(map(repr, within)) or 'there is none, and AddMetaPaths adds some'}; or "
            "pass data.to_homogeneous()"
        )
    chosen = within[0] if edge_type is None else edge_type
    nodes, edges = data[chosen[0]], data[chosen]
    return Data(x=nodes.get("x"), num_nodes=nodes.num_nodes, **edges.to_dict()), nodes, edges


def checked_edge_type(given: Any) -> EdgeType | None:
    """Return the kind of edges of a `HeteroData` as PyG writes it, or None."""
    if given is None:
        return None
    kind = tuple(given) if isinstance(given, (list, tuple)) else ()
    if len(kind) != 3 or not all(isinstance(name, str) for name in kind):
        raise InputError(
            f'edge_type={given!r:.80}; give three names, such as ("paper", "cites", "paper")'
        )
    return kind[0], kind[1], kind[2]


def n_nodes(data: Any, lift: Lift) -> int:
    """Return the number of nodes, or raise where nothing says it."""
    if not callable(lift):
        one_of("lift", lift, ("clique", "incidence"))
    if not hasattr(data, "edge_index"):  # a HeteroData, and what is no data at all
        raise InputError(
            f"a {type(data).__name__}; give a Data with one kind of nodes "
            "(data.to_homogeneous() makes one of a HeteroData)"
        )
    if lift == "incidence" and "incidence_1" in data:
        return int(data["incidence_1"].shape[0])
    number = data.num_nodes
    if number is None:
        raise InputError("data without num_nodes, x or edge_index; set data.num_nodes")
    return int(number)


def data_to_complexes(
    graphs: Sequence[Any], sizes: list[int], lift: Lift, max_rank: int, weight: str | None
) -> list[Any]:
    """Return the same for many graphs of known sizes; cliques are found in all at once."""
    if weight is not None and word("weight", weight) != AUTO and lift != "clique":
        raise InputError(f'weight={weight!r} goes with lift="clique"; other lifts bring their own')
    if callable(lift):
        return [lift(data) for data in graphs]
    if lift == "incidence":
        return [_incidence(data, max_rank) for data in graphs]
    if not graphs:
        return []
    if weight == AUTO:
        weight = _usual(graphs)
    start = np.cumsum(sizes) - sizes
    pairs = np.hstack([_ends(d, n) + s for d, n, s in zip(graphs, sizes, start, strict=True)])
    n = sum(sizes)
    low, high = np.sort(pairs, axis=0)
    code = low * n + high
    kept, weights = np.unique(code[low < high]), None
    edges = np.column_stack([kept // n, kept % n])
    if weight is not None:
        _, first, copy_of = np.unique(code[low < high], return_index=True, return_inverse=True)
        given = np.concatenate([_weights(data, weight) for data in graphs])[low < high]
        weights = given[first]
        if not np.allclose(weights[copy_of.ravel()], given, rtol=1e-6, equal_nan=True):
            raise InputError(
                f"data.{weight} differs between the two directions of an edge; cells have none: "
                "use to_undirected(..., reduce=...)"
            )
    tables = cliques(Graph(range(n), edges, weights), max_rank + 1)
    return separate(_union(n, tables, weights), sizes)


def _union(n: int, tables: list[IntArray], weights: FloatArray | None) -> Complex:
    """Return the cliques of all graphs as one complex; by the way they were found, it is one."""
    cells = [Cells(np.arange(n + 1), np.arange(n))]
    cells += [Cells(np.arange(len(t) + 1) * t.shape[1], t.ravel()) for t in tables]
    bare = Complex(range(n), tuple(cells), (None,) * len(cells), ({},) * len(cells))
    return bare if weights is None else bare.with_attributes({}, {1: weights})


def _ends(data: Any, n: int) -> IntArray:
    """Return the ends of the edges, checked."""
    if data.edge_index is None:
        raise InputError("data without edge_index has no cliques; give a function as lift")
    ends: IntArray = data.edge_index.cpu().numpy()
    if ends.ndim != 2 or len(ends) != 2 or (ends.size and ends.dtype.kind != "i"):
        raise InputError(
            f"edge_index of shape {ends.shape} and {ends.dtype}; give two rows of whole numbers"
        )
    if ends.size and not 0 <= ends.min() <= ends.max() < n:
        raise InputError(
            f"edge_index names node {ends.max()} (or {ends.min()}) of {n}; set num_nodes"
        )
    return ends.astype(np.int64, copy=False)


def _usual(graphs: Sequence[Any]) -> str | None:
    """Return what PyG, or its `from_networkx`, calls weights of edges, where a graph has any."""
    for name in ("edge_weight", "weight"):
        having = [data for data in graphs if data.get(name) is not None]
        if name == "weight":  # which nodes may have, too
            having = [data for data in having if data.is_edge_attr(name)]
        if any(bool((data[name] != 1).any()) for data in having):
            return name
    return None


def _weights(data: Any, name: str) -> FloatArray:
    if name not in data or data[name] is None:
        raise InputError(
            f"data has no {name!r}, and other data may have; set it on every graph, or pass "
            "weight=None for no weights"
        )
    values = real_array(data[name].detach().cpu().numpy(), f"data.{name}")
    if values.size != data.edge_index.shape[1]:
        raise InputError(f"data.{name} has shape {values.shape}; give one number for each edge")
    return values.ravel()


def _incidence(data: Any, max_rank: int) -> list[sparse.csr_array]:
    matrices: list[sparse.csr_array] = []
    while len(matrices) < max_rank and f"incidence_{len(matrices) + 1}" in data:
        given = data[f"incidence_{len(matrices) + 1}"]
        if isinstance(given, torch.Tensor):
            given = given.detach().cpu()
            coo = given.to_sparse().coalesce() if not given.is_sparse else given.coalesce()
            entries = (coo.values().double().numpy(), tuple(coo.indices().numpy()))
            given = sparse.coo_array(entries, shape=tuple(coo.shape))
        matrices.append(sparse.csr_array(given))
    if not matrices:
        raise InputError('lift="incidence" needs data.incidence_1, ...; use lift="clique"')
    return matrices
