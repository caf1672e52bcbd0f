r"""What is left of a symmetric sparse matrix once all rows but the first ones are eliminated.

    | A    B |
    | B^T  C |   ->   A - B C^-1 B^T,    a dense array, where few rows stay and many go.

PARDISO stops its elimination there. The order of elimination, which takes longer than the numbers,
is kept for the next matrix with the same pattern: other weights of the same complex.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._linalg.direct import Solve
from cellapse._linalg.levels import factor_size
from cellapse._linalg.pardiso import new_solver, run
from cellapse._shared.arrays import FloatArray
from cellapse._shared.memory import require_memory

_ANALYSE, _FACTORIZE, _FORWARD, _BACKWARD = 11, 22, 331, 333  # phases
_COMPLEMENT = 36  # the setting: 2 asks for the complement, and for solutions with C
_PIVOTS = 21  # the setting: 0 looks for no blocks of two rows, which a definite C has no need of
_ordered: dict[int, _Ordered] = {}  # the last one by its n, where nobody uses it just now


class _Ordered:
    """PARDISO with an order of elimination for a pattern."""

    def __init__(self, upper: Any, n: int) -> None:
        # Some versions look up the numbers where they were at first: they must stay at their place.
        self._upper = upper.copy()
        self._solver = new_solver(self)
        self._solver.set_iparm(_COMPLEMENT, 2)
        self._solver.set_iparm(_PIVOTS, 0)
        self._solver.perm = (np.arange(upper.shape[0]) < n).astype(np.int32)
        self.run(_ANALYSE, np.zeros(upper.shape[0]))

    def fits(self, upper: Any) -> bool:
        """Whether a matrix has the same pattern."""
        return np.array_equal(self._upper.indptr, upper.indptr) and np.array_equal(
            self._upper.indices, upper.indices
        )

    def take(self, numbers: FloatArray) -> None:
        """Go on with other numbers in the same pattern."""
        self._upper.data[:] = numbers

    def run(self, phase: int, rhs: FloatArray) -> FloatArray:
        return run(self._solver, phase, self._upper, rhs)


def can_complement() -> bool:
    """Whether PARDISO is installed."""
    return find_spec("pypardiso") is not None


@contextmanager
def schur_complement(upper: Any, n: int) -> Iterator[tuple[FloatArray, Solve]]:
    """A - B C^-1 B^T for A of n rows, and y -> C^-1 y for columns, as long as the context lasts.

    Given is the upper triangle of the matrix, with an entry for all of its diagonal.
    """
    upper = sparse.csr_matrix(upper)
    upper.sort_indices()
    ordered = _ordered.pop(n, None)  # nobody else has it meanwhile
    if ordered is None or not ordered.fits(upper):
        what = f"the elimination of {upper.shape[0] - n:,} rows"
        size = factor_size(sparse.csc_array(upper + upper.T))
        require_memory(size, what, "apply S instead: S @ x")
        ordered = _Ordered(upper, n)
    ordered.take(upper.data)
    # As a long vector, whose order nobody changes
    complement = ordered.run(_FACTORIZE, np.zeros(n * n)).reshape(n, n)

    def solve(y: FloatArray) -> FloatArray:
        padded = np.zeros((upper.shape[0], y.shape[1]))
        padded[n:] = y
        forward = ordered.run(_FORWARD, padded)
        forward[:n] = 0.0
        return ordered.run(_BACKWARD, forward)[n:]

    try:
        yield complement, solve
    finally:
        _ordered.clear()
        _ordered[n] = ordered
