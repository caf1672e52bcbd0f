"""Transforms as TopoBench takes them from its configuration.

TopoBench makes a transform by its name and gives it the whole entry of the configuration, its name
and type among the rest:

    TRANSFORMS[entry["transform_name"]](**entry)

`register(TRANSFORMS)` adds what is here. The names of the arguments are those of TopoBench's
own `LapPE`, so that it counts the columns of an entry called LapPE among the inputs of a model.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from cellapse._collapse.realizations import DEFAULT
from cellapse._errors import InputError
from cellapse._shared.checks import flag
from cellapse.torch.graph_transform import GraphTransform
from cellapse.torch.transforms import AddCollapsedPE
from cellapse.torch.trust import TrustEdges

__all__ = ["CollapsedPE", "TrustedEdges", "register"]


@dataclass
class CollapsedPE(GraphTransform):
    """Add the positional encoding of `AddCollapsedPE` to the features, in place of `LapPE`.

    Before a lifting it reads the cliques of the graph and appends to `x`, which the lifting copies.
    After one, with `lift="incidence"`, it reads the cells that the lifting made and appends to
    `x_0`, the features of the nodes there.

    Parameters
    ----------
    max_pe_dim : int
        The number of columns.
    concat_to_x : bool
        Whether they are appended to the features; if not, they are `data.CollapsedPE`.
    operator, lift, max_rank, eps
        As for `AddCollapsedPE`.
    transform_name, transform_type : str
        What TopoBench calls the entry.

    Examples
    --------
    >>> import torch
    >>> from torch_geometric.data import Data
    >>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> entry = {"transform_name": "CollapsedPE", "transform_type": None, "max_pe_dim": 4}
    >>> CollapsedPE(**entry)(Data(x=torch.ones(3, 2), edge_index=path)).x.shape
    torch.Size([3, 6])
    """

    max_pe_dim: int
    concat_to_x: bool = True
    operator: str = DEFAULT
    lift: str = "clique"
    max_rank: int = 2
    eps: float | None = None
    transform_name: str = "CollapsedPE"
    transform_type: str | None = "data manipulation"

    def __post_init__(self) -> None:
        flag("concat_to_x", self.concat_to_x)
        self._encode = AddCollapsedPE(
            self.max_pe_dim,
            None if self.concat_to_x else "CollapsedPE",
            lift=self.lift,
            max_rank=self.max_rank,
            operator=self.operator,
            eps=self.eps,
        )

    def forward(self, data: Any) -> Any:
        if self.lift != "incidence" or not self.concat_to_x:
            return self._encode(data)
        if "x_0" not in data:
            raise InputError('lift="incidence" needs data.x_0; put the entry after a lifting')
        features = copy.copy(data)
        features.x = data.x_0
        lifted = copy.copy(data)
        lifted.x_0 = self._encode(features).x
        return lifted


@dataclass
class TrustedEdges(GraphTransform):
    """Leave out the edges of least trust, as `TrustEdges` does, before a lifting.

    Parameters
    ----------
    drop : float
        The share of the edges that is left out, from 0 to 1.
    transform_name, transform_type : str
        What TopoBench calls the entry.

    Examples
    --------
    >>> import torch
    >>> from torch_geometric.data import Data
    >>> paw = torch.tensor([[0, 1, 1, 2, 2, 0, 2, 3], [1, 0, 2, 1, 0, 2, 3, 2]])
    >>> TrustedEdges(drop=0.25)(Data(edge_index=paw, num_nodes=4)).edge_index.shape
    torch.Size([2, 6])
    """

    drop: float
    transform_name: str = "TrustedEdges"
    transform_type: str | None = "data manipulation"

    def __post_init__(self) -> None:
        self._cut = TrustEdges(drop=self.drop, weight=False)

    def forward(self, data: Any) -> Any:
        return self._cut(data)


def register(transforms: dict[str, Any]) -> None:
    """Add `CollapsedPE` and `TrustedEdges` to the transforms that TopoBench finds by name.

    Parameters
    ----------
    transforms : dict
        `topobench.transforms.TRANSFORMS`.

    Examples
    --------
    >>> register(transforms := {})
    >>> sorted(transforms)
    ['CollapsedPE', 'TrustedEdges']
    """
    transforms |= {"CollapsedPE": CollapsedPE, "TrustedEdges": TrustedEdges}
