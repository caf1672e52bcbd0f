"""Edges weighed or left out by their trust, as a transform of PyTorch Geometric.

    w -> w (.05 + .95 trust)

so that an edge of full trust weighs as much as before, and as much as the loops that convolutions
add, and one without any still joins its ends.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from cellapse._errors import InputError, extra
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import flag, number, one_of, word
from cellapse.tasks.trust import EVIDENCE, edge_trust
from cellapse.torch.data import EdgeType, checked_edge_type, data_to_complex, n_nodes, of_one_kind
from cellapse.torch.graph_transform import GraphTransform

with extra("torch_geometric", "torch"):
    from torch_geometric.data import Batch, HeteroData
    from torch_geometric.data.datapipes import functional_transform

_LEAST = 0.05  # of the weight of an edge without trust, which may be the only one of a node


@functional_transform("trust_edges")
@dataclass
class TrustEdges(GraphTransform):
    """Weigh the edges of a graph by their trust, or leave out those of the least.

    w -> w (.05 + .95 trust).

    Both directions of an edge count as one, and keep one weight. A loop keeps its weight, and
    stays. In a `Batch` every graph is one by itself. Weights that the graph has count for the
    trust, and are multiplied.

    Parameters
    ----------
    drop : float, optional
        The share of the edges that is left out, from 0 to 1: those of the least trust.
    weight : bool
        Whether the others get weights; without them `drop` has to say how many go.
    attr_name : str or None
        Where the weights go; None appends them to `data.edge_attr` as a column.
    edge_type : three names, optional
        Of a `HeteroData`: the edges that are weighed, such as ("paper", "cites", "paper"). May be
        left out where only one kind of edges joins nodes of one kind.
    evidence : {"cells", "learned", "both"}
        What trust is, as in `edge_trust`. On networks of few triangles "learned" keeps the true
        edges; it takes at least 20 edges, and the same edges get the same weights.

    Examples
    --------
    >>> from torch_geometric.data import Data
    >>> paw = torch.tensor([[0, 1, 1, 2, 2, 0, 2, 3], [1, 0, 2, 1, 0, 2, 3, 2]])
    >>> TrustEdges()(Data(edge_index=paw, num_nodes=4)).edge_weight[[0, -1]].round(decimals=2)
    tensor([0.6300, 0.0500])
    >>> TrustEdges(drop=0.25)(Data(edge_index=paw, num_nodes=4)).edge_index.shape
    torch.Size([2, 6])
    """

    drop: float | None = None
    weight: bool = True
    attr_name: str | None = "edge_weight"
    edge_type: EdgeType | None = None
    evidence: str = "cells"

    def __post_init__(self) -> None:
        flag("weight", self.weight)
        one_of("evidence", self.evidence, EVIDENCE)
        self.edge_type = checked_edge_type(self.edge_type)
        if self.attr_name is not None:
            word("attr_name", self.attr_name)
        if self.drop is not None:
            self.drop = number("drop", self.drop, "a share from 0 to 1", lambda x: 0 <= x <= 1)
        elif not self.weight:
            raise InputError("weight=False and no drop change nothing; give drop, such as drop=0.1")

    def forward(self, data: Any) -> Any:
        if isinstance(data, Batch):
            return Batch.from_data_list([self.forward(graph) for graph in data.to_data_list()])
        result = copy.copy(data)
        part, _, edges = of_one_kind(result, self.edge_type)
        n = n_nodes(part, "clique")
        trust, edge_of = _trust(part, n, self.evidence)
        keep = np.ones(len(trust), dtype=bool)
        if self.drop is not None:
            order = np.argsort(trust, kind="stable")
            keep[order[: round(self.drop * len(trust))]] = False
        if self.weight:
            self._weigh(edges, np.append(_LEAST + (1.0 - _LEAST) * trust, 1.0)[edge_of])
        stays = torch.from_numpy(np.append(keep, True)[edge_of]).to(edges.edge_index.device)
        if stays.all():
            return result
        if isinstance(result, HeteroData):
            return result.edge_subgraph({edges._key: stays})
        result.num_nodes = n  # the last ones may lose all their edges
        return result.edge_subgraph(stays)

    def _weigh(self, edges: Any, weights: FloatArray) -> None:
        given = torch.from_numpy(weights.astype(np.float32)).to(edges.edge_index.device)
        name = self.attr_name or "edge_attr"
        old = edges.get(name)
        size = 0 if old is None or not old.ndim else old.numel() if self.attr_name else len(old)
        if old is not None and size != len(given):
            raise InputError(
                f"data.{name} of shape {tuple(old.shape)} for {len(given)} edges; give one entry "
                "for each, or another attr_name"
            )
        if self.attr_name is not None:
            if old is not None:  # whole numbers times a trust are none
                dtype = old.dtype if old.is_floating_point() else given.dtype
                given = old.reshape(len(given)).to(dtype) * given.to(dtype)
            edges[name] = given
            return
        columns = [] if old is None else [old.reshape(len(weights), -1)]
        edges.edge_attr = torch.cat([*columns, given[:, None]], 1)


def _trust(data: Any, n: int, evidence: str) -> tuple[FloatArray, Any]:
    """Return the trust of every edge, and of every column of edge_index its edge; -1 for a loop."""
    K = data_to_complex(data)
    low, high = np.sort(data.edge_index.cpu().numpy(), axis=0)
    if not K.max_rank or not K.n_cells[1]:
        return np.empty(0), np.full(low.size, -1)
    ends = K.cells[1].as_array(2)
    code = ends.min(axis=1) * n + ends.max(axis=1)
    order = np.argsort(code)
    at = np.searchsorted(code, low * n + high, sorter=order)
    edge_of = np.where(low == high, -1, order[np.minimum(at, len(code) - 1)])
    return edge_trust(K, evidence=evidence).values, edge_of
