"""Dense symmetric eigenproblems that LAPACK may not fail on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from cellapse._errors import ConvergenceError

FloatArray = NDArray[np.float64]

_SMALL = 64  # up to this size all eigenpairs cost as little as some


def symmetric_eigenpairs(
    M: FloatArray, first: int = 0, stop: int | None = None
) -> tuple[FloatArray, FloatArray]:
    """Eigenpairs number `first` to `stop` of a symmetric matrix, ascending.

    LAPACK's driver for a few of them fails where many eigenvalues are equal (on stars, say); the
    one that computes all does not.

    >>> symmetric_eigenpairs(np.diag([3.0, 1.0, 2.0]), 0, 2)[0].tolist()
    [1.0, 2.0]
    """
    n = len(M)
    stop = n if stop is None else stop
    few = 2 * (stop - first) < n and n > _SMALL
    for driver in ("evr", "evd", "ev") if few else ("evd", "ev"):
        some = (first, stop - 1) if driver == "evr" else None
        try:
            values, vectors = linalg.eigh(M, subset_by_index=some, driver=driver)
        except linalg.LinAlgError:
            continue
        if some is None:
            values, vectors = values[first:stop], vectors[:, first:stop]
        if len(values) == stop - first and np.isfinite(vectors).all():
            return values, vectors
    raise ConvergenceError(f"LAPACK found no eigenpairs of a dense matrix of {n} rows")
