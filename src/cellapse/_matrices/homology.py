"""Betti numbers of a closed complex, by exact elimination modulo a large prime."""

from __future__ import annotations

import numpy as np

from cellapse._complex.complex import Complex, require_complex
from cellapse._matrices.matrices import boundary_matrices

# Exact over the rationals unless the complex has torsion of this very order.
_PRIME = 2**31 - 1  # any prime that is no order of torsion


def betti_numbers(K: Complex) -> tuple[int, ...]:
    """Number of independent holes of each rank: b_k = n_k - rank B_k - rank B_{k+1}.

    >>> betti_numbers(Complex.from_arrays(2, {}))
    (2,)
    """
    require_complex(K, "betti_numbers")
    unweighted = Complex(K.labels, K.cells, (None,) * len(K.cells), ())
    ranks = [0]
    cleared: set[int] = set()
    for B in reversed(boundary_matrices(unweighted).matrices):
        # Columns that were pivots one rank up are boundaries: they reduce to zero (clearing).
        cleared = _pivots(B.tocsc(), cleared)
        ranks.append(len(cleared))
    ranks = [0, *reversed(ranks)]  # rank B_0 = 0, B_1, ..., B_K, B_{K+1} = 0
    return tuple(n - ranks[k] - ranks[k + 1] for k, n in enumerate(K.n_cells))


def _pivots(B, cleared: set[int]) -> set[int]:  # type: ignore[no-untyped-def]
    """Rows that hold the lowest entry of a reduced column; their number is the rank of B."""
    reduced: dict[int, dict[int, int]] = {}
    for j in range(B.shape[1]):
        if j in cleared:
            continue
        at = slice(B.indptr[j], B.indptr[j + 1])
        column = dict(
            zip(B.indices[at].tolist(), np.sign(B.data[at]).astype(int).tolist(), strict=True)
        )
        while column:
            low = max(column)
            other = reduced.get(low)
            if other is None:
                inverse = pow(column[low], -1, _PRIME)
                reduced[low] = {i: v * inverse % _PRIME for i, v in column.items()}
                break
            factor = column[low]
            for i, v in other.items():
                value = (column.get(i, 0) - factor * v) % _PRIME
                if value:
                    column[i] = value
                else:
                    column.pop(i, None)
    return set(reduced)
