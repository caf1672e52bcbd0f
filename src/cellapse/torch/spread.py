"""Features spread along edges that can be trusted, as a transform of PyTorch Geometric.

    X -> (I + a S)^-1 X

with the collapse S, in which an edge counts as far as its triangles support it: the features of
neighbours across a false edge are mixed less. Computed once, before any training.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from cellapse._collapse.realizations import DEFAULT, Realization
from cellapse._errors import InputError, extra
from cellapse._operators.names import check_operator, make_operator
from cellapse._shared.checks import number, word
from cellapse.tasks.smoothing import smooth
from cellapse.torch.data import (
    EdgeType,
    checked_edge_type,
    data_to_complex,
    n_nodes,
    of_one_kind,
)
from cellapse.torch.graph_transform import GraphTransform

with extra("torch_geometric", "torch"):
    from torch_geometric.data import Batch
    from torch_geometric.data.datapipes import functional_transform


@functional_transform("spread_trust")
@dataclass
class SpreadTrust(GraphTransform):
    """Spread the features of nodes along the edges of a graph, each as far as it can be trusted.

    X -> (I + a S)^-1 X, with a the strength.

    In a `Batch` every graph is one by itself. A graph network on what comes out sees less of the
    false edges; a network without edges sees as much of the graph as the features brought along.

    Parameters
    ----------
    strength : float
        a, at least 0, in units of one over the weight of an edge.
    attr_name : str
        The features that are spread, and where they go.
    operator : name or Realization
        What they are spread along: any that `cellapse.make_operator` takes.
    edge_type : three names, optional
        Of a `HeteroData`: the edges that count, such as ("paper", "cites", "paper"). May be left
        out where only one kind of edges joins nodes of one kind.

    Examples
    --------
    >>> from torch_geometric.data import Data
    >>> edge = torch.tensor([[0, 1], [1, 0]])
    >>> data = Data(x=torch.tensor([[0.0], [3.0]]), edge_index=edge)
    >>> SpreadTrust(operator="laplacian")(data).x.ravel().tolist()
    [1.0, 2.0]
    """

    strength: float = 1.0
    attr_name: str = "x"
    operator: str | Realization = DEFAULT
    edge_type: EdgeType | None = None

    def __post_init__(self) -> None:
        self.strength = number("strength", self.strength, "at least 0", lambda a: a >= 0)
        word("attr_name", self.attr_name)
        check_operator(self.operator)
        self.edge_type = checked_edge_type(self.edge_type)

    def forward(self, data: Any) -> Any:
        if isinstance(data, Batch):
            return Batch.from_data_list([self.forward(graph) for graph in data.to_data_list()])
        result = copy.copy(data)
        part, nodes, _ = of_one_kind(result, self.edge_type)
        n = n_nodes(part, "clique")
        X = nodes.get(self.attr_name)
        if X is None or len(X) != n:
            raise InputError(
                f"data.{self.attr_name} is {'missing' if X is None else f'of {len(X)} rows'}; "
                f"give features of {n} nodes"
            )
        if n:
            S = make_operator(data_to_complex(part), self.operator)
            columns = X.detach().cpu().reshape(n, -1).double().numpy()
            spread = torch.from_numpy(np.asarray(smooth(S, columns, strength=self.strength)))
            dtype = X.dtype if X.is_floating_point() else torch.float32
            nodes[self.attr_name] = spread.reshape(X.shape).to(X.device, dtype)
        return result
