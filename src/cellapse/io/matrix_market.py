"""Matrix Market: the symmetric adjacency matrix of a graph.

The size that the header declares is checked before anything of that size is made.
"""

from __future__ import annotations

import io

from cellapse._errors import InputError
from cellapse.complex import Complex
from cellapse.io._adjacency import adjacency_complex


def read_matrix_market(data: bytes) -> Complex:
    r"""Read an adjacency; its values are the edge attribute `weight`, a pattern has none.

    >>> read_matrix_market(b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n2 1\n")
    Complex(n_cells=(3, 1))
    """
    from scipy.io import mminfo, mmread  # slow to import, and seldom needed

    try:
        n_rows, n_columns, entries, layout, field, _ = mminfo(io.BytesIO(data))
    except Exception as error:  # of many kinds, and none that a user could have meant
        raise InputError(f"is not a Matrix Market file ({error})") from None
    stored = n_rows * n_columns / 2 if layout == "array" else entries
    if n_rows < 0 or n_columns < 0 or stored > len(data):
        raise InputError(
            f"declares {n_rows} x {n_columns} with {entries} entries, more than its {len(data)} "
            "bytes can hold; it may be cut off"
        )
    if n_rows > 100 * (entries + 1000):
        raise InputError(
            f"declares {n_rows} vertices and {entries} entries: nearly all vertices would be "
            "alone; leave those out"
        )
    try:
        matrix = mmread(io.BytesIO(data))
    except Exception as error:
        raise InputError(f"is not a valid Matrix Market file ({error})") from None
    return adjacency_complex(matrix, weighted=field != "pattern")
