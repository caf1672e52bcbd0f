"""Arrays that are not NumPy's: tensors of PyTorch go through NumPy and come back as they were.

All is computed in float64 on the CPU. What comes back is on the device of the tensor and of its
dtype, or of PyTorch's default dtype where that holds whole numbers. Gradients do not go through
NumPy, and what JAX traces or CuPy keeps elsewhere is not copied without being asked for: both are
refused in words.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from cellapse._errors import InputError

_COPIED = {
    "cupy": "cupy.asnumpy(x), and cupy.asarray of what comes back",
    "jax": "numpy.asarray(x), and jax.numpy.asarray of what comes back",
}


def as_numpy(values: Any, name: str) -> Any:
    """Return the array of a tensor; what is none of another library is returned as it is.

    >>> as_numpy([1, 2], "the signal")
    [1, 2]
    """
    if is_tensor(values):
        if values.requires_grad:
            raise InputError(
                f"{name} is a tensor with a gradient, which does not go through NumPy; for one use "
                "cellapse.torch.Collapse or its operator, and without one x.detach()"
            )
        torch = sys.modules["torch"]
        try:
            dense = values.detach().cpu().to_dense()
            return (dense.float() if dense.dtype == torch.bfloat16 else dense).numpy()
        except (RuntimeError, TypeError) as error:
            raise InputError(f"{name} is a tensor that NumPy cannot read ({error})") from None
    library = type(values).__module__.partition(".")[0].removesuffix("lib")
    if library in _COPIED and hasattr(values, "dtype"):
        raise InputError(
            f"{name} is an array of {library}, and cellapse computes with NumPy on the CPU; pass "
            f"{_COPIED[library]}"
        )
    return values


def as_given(values: Any) -> Callable[[Any], Any]:
    """Return what makes of a result a tensor like the one that was given."""
    torch = sys.modules["torch"]
    device, dtype = values.device, values.dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        dtype = torch.get_default_dtype()

    def pack(result: Any) -> Any:
        kind = torch.promote_types(dtype, torch.complex64) if np.iscomplexobj(result) else dtype
        return torch.from_numpy(np.ascontiguousarray(result)).to(device, kind)

    return pack


def is_tensor(values: Any) -> bool:
    """Return whether this is a tensor of PyTorch."""
    torch = sys.modules.get("torch")  # whoever holds a tensor has imported it already
    return torch is not None and isinstance(values, torch.Tensor)
