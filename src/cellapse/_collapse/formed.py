r"""One level of the collapse as a dense array: the quick way on few vertices.

    T = A - c (I - K^-1),   K = I + G,   G = beta B M^-1 B^T,   c = gamma^2 / beta.

A and G are Laplacians of the same edges. `Edges` makes them from the entries of B: on a small graph
a sparse array takes longer to make than all the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache

import numpy as np

from cellapse._linalg.blas import definite_inverse
from cellapse._shared.arrays import BoolArray, Entries, FloatArray

Apply = Callable[[FloatArray], FloatArray]
GOOD = 1e-12  # an error of T, relative to the norm of A, that is taken as it is
NEXT_TO_ONE = 0.5  # entries of G below this: K is next to I, and I - K^-1 is taken as G K^-1


class Edges:
    """Dense B diag(w) B^T for a B with two entries in every column, one column after the other.

    >>> B = Entries(np.array([0, 1]), np.array([0, 0]), np.array([-1.0, 1.0]), (2, 1))
    >>> Edges(B).square(np.array([3.0])).tolist()
    [[3.0, -3.0], [-3.0, 3.0]]
    """

    @classmethod
    def of(cls, B: Entries) -> Edges | None:
        """Those of a matrix, if every column has two entries."""
        order = np.argsort(B.columns, kind="stable")
        B = Entries(B.rows[order], B.columns[order], B.values[order], B.shape)
        return cls(B) if np.array_equal(B.columns, np.arange(B.shape[1]).repeat(2)) else None

    def __init__(self, B: Entries) -> None:
        self.n = B.shape[0]
        rows, values = B.rows.reshape(-1, 2), B.values.reshape(-1, 2)
        self._places = (rows[:, :, None] * self.n + rows[:, None, :]).ravel()
        self._products = (values[:, :, None] * values[:, None, :]).reshape(-1, 4)

    @cached_property
    def plain(self) -> FloatArray:
        """B B^T."""
        return self._added(self._products)

    @cached_property
    def sums(self) -> FloatArray:
        """The sums of sizes along its rows."""
        return np.abs(self.plain).sum(axis=1)

    def square(self, weights: FloatArray) -> FloatArray:
        """B diag(w) B^T, symmetric to the last bit."""
        return self._added(self._products * weights[:, None])

    def _added(self, products: FloatArray) -> FloatArray:
        entries = np.bincount(self._places, products.ravel(), self.n**2)
        return entries.reshape(self.n, self.n).astype(np.float64, copy=False)


def formed(
    A: FloatArray, G: FloatArray, c: float, allowed: float, off: Apply, moved: Apply
) -> FloatArray | None:
    """T, or None where rounding would show in it.

    Parameters
    ----------
    A, G : (n, n) arrays
    c : float
    allowed : float
        What a product may be off by, relative to the vector: `GOOD` of the norm of A, say.
    off : function
        x -> x without its part in the kernel of B^T, where K is I; x may be written over.
    moved : function
        v -> G v, as accurately as it is known.
    """
    K = G.copy()
    diagonals(K)[...] += 1.0
    inverse = definite_inverse(K)
    if inverse is None:
        return None
    T, good = by_inverse(A, G, inverse, np.array(c), np.array(allowed), off, moved)
    return T if good else None


def by_inverse(
    A: FloatArray,
    G: FloatArray,
    inverse: FloatArray,
    c: FloatArray,
    allowed: FloatArray,
    off: Apply,
    moved: Apply,
) -> tuple[FloatArray, BoolArray]:
    """T from K^-1, of one matrix or of every one of a stack, and whether it is known well enough.

    `inverse` is overwritten: large arrays take longer to get than to fill.
    """
    probes = _probes(G.shape[-1])
    images = inverse @ probes
    # K is at least I: what is left of K v = x is no less than the error of v.
    left = np.sqrt(((images + moved(images) - probes) ** 2).sum(axis=(-2, -1)))
    good = c * left <= 0.3 * allowed
    next_to_one = diagonals(G).max(axis=-1) < NEXT_TO_ONE
    product = -(G @ inverse) if next_to_one.any() else None
    T = inverse
    diagonals(T)[...] -= 1.0
    if product is not None:
        T = np.where(next_to_one[..., None, None], product, T)
    T *= c[..., None, None]
    T = off(off(T).swapaxes(-2, -1)).swapaxes(-2, -1)
    T += A
    T += T.swapaxes(-2, -1).copy()  # row by row, as a sum with a transpose is not
    T *= 0.5
    return T, good


def diagonals(stack: FloatArray) -> FloatArray:
    """A view of the diagonal of a matrix, or of those of a stack.

    >>> diagonals(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [1.0, 4.0]
    """
    n = stack.shape[-1]
    return stack.reshape(*stack.shape[:-2], n * n)[..., :: n + 1]


@lru_cache(maxsize=64)  # a generator takes longer to make than a few numbers to draw
def _probes(n: int) -> FloatArray:
    probes = np.random.default_rng(0).standard_normal((n, 2))
    return probes / np.linalg.norm(probes)
