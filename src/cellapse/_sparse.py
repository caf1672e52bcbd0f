"""Making sparse arrays the same way everywhere: float64 values, int32 indices where they fit."""

from typing import Any

import numpy as np
from scipy import sparse


def csr_from_entries(
    rows: Any, columns: Any, values: Any, shape: tuple[int, int]
) -> sparse.csr_array:
    """A csr_array of float64 from its entries; entries at the same place add up."""
    fits = max(*shape, len(rows)) < 2**31
    index = np.int32 if fits else np.int64
    i, j = np.asarray(rows, dtype=index), np.asarray(columns, dtype=index)
    data = np.asarray(values, dtype=np.float64)
    return sparse.coo_array((data, (i, j)), shape=shape).tocsr()
