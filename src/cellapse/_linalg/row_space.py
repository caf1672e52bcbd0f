r"""The smallest positive singular value of a matrix whose square would fill in, by Lanczos.

The Krylov space of G = B B^T that starts from a vector B y has no part in the kernel of G, so its
smallest Ritz value falls to the smallest positive eigenvalue, s = sigma_min+^2. Rounding brings the
kernel back in the end, as Ritz values that fall to zero: so what is zero to rounding does not
count, the next one counts only where it is not small next to the norm, and two starts have to
agree. Graphs that fill in expand, and have such values.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg, sparse

from cellapse._shared.arrays import FloatArray

_STEPS = 300  # what takes more is found another way
_EVERY = 10  # steps between two looks
_RESIDUAL = 1e-6  # relative to the value, whose own error is about the square of it
_LEAST = 1e-4  # of the norm: what is below may be on its way to zero
_ZERO = 1e-13
_AGREE = 1e-9


def by_row_space(B: sparse.csr_array) -> float | None:
    """sigma_min+(B), or None where Lanczos does not tell it.

    >>> round(by_row_space(sparse.csr_array([[3.0, 0.0, 0.0], [0.0, 2.0, 2.0], [0, 1, 1]])), 9)
    3.0
    """
    starts = np.random.default_rng(0).standard_normal((2, B.shape[1]))
    first, second = (_smallest_ritz_value(B, start) for start in starts)
    if first is None or second is None or abs(first - second) > _AGREE * first:
        return None
    return float(np.sqrt(min(first, second)))


def _smallest_ritz_value(B: sparse.csr_array, start: FloatArray) -> float | None:
    """The smallest positive eigenvalue of B B^T from one start, once its residual is small."""
    transposed = sparse.csr_array(B.T)
    v = B @ start
    basis = np.empty((_EVERY, len(v)))
    basis[0] = v / np.linalg.norm(v)
    diagonal, beside = np.empty(_STEPS), np.empty(_STEPS)
    for j in range(_STEPS):
        image, V = B @ (transposed @ basis[j]), basis[: j + 1]
        diagonal[j] = basis[j] @ image
        for _ in range(2):  # once more for what rounding has left
            image = image - V.T @ (V @ image)
        beside[j] = np.linalg.norm(image)
        ended = beside[j] <= 1e-12 * diagonal[: j + 1].max()  # the whole space has been seen
        if ended or j % _EVERY == _EVERY - 1:
            values, vectors = linalg.eigh_tridiagonal(diagonal[: j + 1], beside[:j])
            at = int(np.searchsorted(values, _ZERO * values[-1]))
            left = 0.0 if ended else beside[j] * abs(vectors[-1, at])
            if values[at] >= _LEAST * values[-1] and left <= _RESIDUAL * values[at]:
                return float(values[at])
        if ended:
            return None
        if j + 1 == len(basis):
            basis = np.concatenate([basis, np.empty_like(basis)])
        basis[j + 1] = image / beside[j]
    return None
