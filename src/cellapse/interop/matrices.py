"""Adjacencies with labels and attributes beside them; torch tensors in and out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._complex.adjacency import symmetric_edges
from cellapse._complex.complex import Complex, require_complex
from cellapse._complex.graph import graph_of
from cellapse._complex.weights import weighted_by
from cellapse._errors import InputError, extra
from cellapse._shared.checks import one_of
from cellapse._shared.memory import Fitting
from cellapse.interop import plain
from cellapse.interop._build import Wanted


def labelled_adjacency(
    matrix: Any,
    labels: Sequence[Hashable] | None,
    wanted: Wanted,
    attributes: Mapping[int, Mapping[str, Any]],
    metadata: Mapping[str, Any],
) -> Complex:
    """Return the graph of an adjacency; its values are the attribute `weight`, unless all are one.

    >>> labelled_adjacency(sparse.csr_array([[0, 2], [2, 0]]), "ab", Wanted(), {}, {}).labels
    ('a', 'b')
    """
    pairs, values = symmetric_edges(matrix, wanted.rules)
    columns = {"weight": values} if (values != 1).any() or wanted.weight == "weight" else {}
    names: Any = range(matrix.shape[0]) if labels is None else labels
    graph = graph_of(names, pairs, {**attributes, 1: columns}, wanted.rules)
    return weighted_by(graph.with_cells({}, metadata), wanted.weight)


def read(tensor: Any, wanted: Wanted) -> Complex:
    """A `torch.Tensor`: as the array of its numbers, or, where it is sparse, as an adjacency."""
    if type(tensor).__name__ not in ("Tensor", "Parameter"):
        raise InputError(f"a torch {type(tensor).__name__} is no tensor; pass one")
    tensor = tensor.detach().cpu()
    if str(tensor.layout) == "torch.strided":
        return plain.read(tensor.numpy(), wanted)
    if tensor.ndim != 2:
        raise InputError(f"a sparse tensor of {tensor.ndim} dimensions; an adjacency has two")
    coo = tensor.to_sparse_coo().coalesce()
    places, values = coo.indices().numpy(), coo.values().numpy()
    return plain.read(sparse.coo_array((values, tuple(places)), tuple(coo.shape)), wanted)


@Fitting("the object of the other library", "take a smaller complex")
def to_torch(K: Complex, *, layout: str = "coo") -> Any:
    """Return the weighted adjacency of the vertices and edges as a sparse tensor.

    Parameters
    ----------
    K : Complex
        Cells above the edges have no place in it; `to_pyg` has them all.
    layout : {"coo", "csr"}

    Returns
    -------
    torch.Tensor
        Of type float64, with the vertices in the order of `K.labels`.

    Examples
    --------
    >>> import cellapse as cl
    >>> K = cl.Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> cl.interop.to_torch(K).shape
    torch.Size([3, 3])
    """
    require_complex(K, "to_torch")
    one_of("layout", layout, ("coo", "csr"))
    with extra("torch", "torch"):
        import torch
    adjacency = plain.to_scipy(K).tocoo()
    places = torch.tensor(np.vstack([adjacency.row, adjacency.col]).astype(np.int64))
    values = torch.tensor(adjacency.data)
    tensor = torch.sparse_coo_tensor(places, values, adjacency.shape).coalesce()
    return tensor if layout == "coo" else tensor.to_sparse_csr()
