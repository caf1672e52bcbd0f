"""The tensors of a PyG `Data` as arrays, and arrays as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from cellapse._errors import InputError


def column_of(values: Any) -> np.ndarray:
    """Return words and such stay what they are, in an array of objects."""
    if not isinstance(values, list):
        return array_of(values)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def array_of(tensor: Any) -> np.ndarray:
    """Return a tensor, wherever it is and whether it has a gradient or not."""
    if not hasattr(tensor, "detach"):
        return np.asarray(tensor)
    plain = tensor.detach().cpu()
    try:
        return plain.numpy()
    except TypeError:  # of a kind that NumPy does not have, such as bfloat16
        return plain.float().numpy()


def index_of(data: Any, name: str) -> np.ndarray:
    """Return the two rows of an index, whole numbers."""
    index = array_of(data[name])
    if index.ndim != 2 or index.shape[0] != 2 or index.dtype.kind not in "iu":
        raise InputError(
            f"{name} of shape {index.shape} and type {index.dtype}; PyG has two rows of whole "
            "numbers there: pass .long(), and .t() if it has two columns"
        )
    return index.astype(np.int64)


def is_tensor(value: Any) -> bool:
    """Return whether it is a dense tensor."""
    return hasattr(value, "detach") and not is_sparse(value)


def is_sparse(value: Any) -> bool:
    """Return whether it is a tensor of any sparse layout."""
    return hasattr(value, "detach") and "strided" not in str(value.layout)


def matrix_of(tensor: Any) -> Any:
    """Return a tensor of either kind as a sparse matrix."""
    if not tensor.is_sparse:
        return sparse.csr_array(array_of(tensor))
    entries = tensor.coalesce()
    index, values = array_of(entries.indices()), array_of(entries.values())
    return sparse.coo_array((values, index), shape=tuple(tensor.shape)).tocsr()


def tensor_of(column: np.ndarray, torch: Any) -> Any:
    """Return numbers as a tensor, all else as a list."""
    if column.dtype.kind not in "biufc":
        return column.tolist()
    kind = np.dtype(np.float64) if column.dtype == np.longdouble else column.dtype
    return torch.as_tensor(column.astype(kind.newbyteorder("=")))
