"""Learning with collapsed operators; needs the extra `torch`.

* `Collapse`, a layer whose weights are learned, `spectral_filter`, `heat` and
  `heat_kernel_signature` with gradients;
* `CollapsedConv` and `GraphTransformer`, layers of graph networks;
* `AddCollapsedPE`, `AddHeatKernelSignature`, `TrustEdges` and `SpreadTrust`, transforms of PyTorch
  Geometric; in `topobench`, as TopoBench takes them.
"""

from cellapse._errors import extra

with extra("torch", "torch"):
    import torch as _torch  # noqa: F401

from cellapse.torch.blueprint import Blueprint, blueprint
from cellapse.torch.collapsed import DifferentiableOperator
from cellapse.torch.data import data_to_complex
from cellapse.torch.filters import heat, heat_kernel_signature, spectral_filter
from cellapse.torch.layer import Collapse
from cellapse.torch.layers import CollapsedConv, GraphTransformer
from cellapse.torch.spread import SpreadTrust
from cellapse.torch.transforms import (
    AddCollapsedPE,
    AddHeatKernelSignature,
    transform_all,
)
from cellapse.torch.trust import TrustEdges

__all__ = [
    "AddCollapsedPE",
    "AddHeatKernelSignature",
    "Blueprint",
    "Collapse",
    "CollapsedConv",
    "DifferentiableOperator",
    "GraphTransformer",
    "SpreadTrust",
    "TrustEdges",
    "blueprint",
    "data_to_complex",
    "heat",
    "heat_kernel_signature",
    "spectral_filter",
    "transform_all",
]
