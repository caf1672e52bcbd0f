"""What all transforms for PyTorch Geometric have in common."""

from __future__ import annotations

from typing import Any

from cellapse._errors import InputError, extra

with extra("torch_geometric", "torch"):
    from torch_geometric.data.data import BaseData
    from torch_geometric.transforms import BaseTransform


class GraphTransform(BaseTransform):
    """A transform that refuses what is no graph, before PyG copies it."""

    def __call__(self, data: Any) -> Any:
        if not isinstance(data, BaseData):
            raise InputError(
                f"a {type(data).__name__} is no graph of PyTorch Geometric; give a Data, a "
                "HeteroData or a Batch"
            )
        return super().__call__(data)
