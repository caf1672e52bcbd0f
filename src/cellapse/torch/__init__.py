"""Learning with collapsed operators; needs the extra `torch`."""

from cellapse._errors import extra

with extra("torch", "torch"):
    import torch as _torch  # noqa: F401

from cellapse.torch.collapse import Collapse
from cellapse.torch.differentiable import DifferentiableOperator
from cellapse.torch.structure import Blueprint, blueprint

__all__ = [
    "Blueprint",
    "Collapse",
    "DifferentiableOperator",
    "blueprint",
]
