"""Graphs of PyTorch Geometric as complexes: one, or many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from scipy import sparse

from cellapse._errors import InputError
from cellapse._union import apart
from cellapse.lifts import clique_complex

Lift = str | Callable[[Any], Any]


def data_to_complex(data: Any, lift: Lift = "clique", max_rank: int = 2) -> Any:
    """A graph of PyTorch Geometric as something `collapse` takes.

    Parameters
    ----------
    data : torch_geometric.data.Data
    lift : "clique", "incidence" or a function
        Cliques of the graph become cells; or the matrices `incidence_1`, `incidence_2`, ... of the
        data are used (as TopoBench stores them); or the function turns the data into a `Complex`
        or a list of matrices.
    max_rank : int
        Of the cells.

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
    return data_to_complexes([data], lift, max_rank)[0]


def data_to_complexes(graphs: Sequence[Any], lift: Lift, max_rank: int) -> list[Any]:
    """The same for many graphs with at least one node each; cliques are found in all at once."""
    if callable(lift):
        return [lift(data) for data in graphs]
    if lift == "incidence":
        return [_incidence(data, max_rank) for data in graphs]
    if lift != "clique":
        raise InputError(f'lift={lift!r}; choose "clique", "incidence" or give a function')
    if any(data.edge_index is None for data in graphs):
        raise InputError("data without edge_index has no cliques; give a function as lift")
    if not graphs:
        return []
    sizes = [data.num_nodes for data in graphs]
    start = np.cumsum(sizes) - sizes
    edges = [data.edge_index.cpu().numpy() for data in graphs]
    for pairs, n in zip(edges, sizes, strict=True):
        if pairs.size and not 0 <= pairs.min() <= pairs.max() < n:
            raise InputError(
                f"edge_index names node {pairs.max()} (or {pairs.min()}) of {n}; set num_nodes"
            )
    i, j = np.hstack([pairs + s for pairs, s in zip(edges, start, strict=True)])
    keep = i != j
    shape = (sum(sizes), sum(sizes))
    ones = np.ones(int(keep.sum()), dtype=bool)
    pattern = sparse.coo_array((ones, (i[keep], j[keep])), shape=shape).tocsr()
    return apart(clique_complex(sparse.csr_array(pattern + pattern.T), max_rank), sizes)


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
