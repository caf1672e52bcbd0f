r"""T of a ladder as a dense array, by dense algebra on the cells of the kept rank.

    T = A - c (I - K^-1),   K = I + G,   G = beta B M^-1 B^T.

G is a sparse matrix where M falls into small blocks. Elsewhere PARDISO, where it is installed, is
asked for it: it eliminates all other cells, which takes less than a few products with T.
"""

from __future__ import annotations

from contextlib import suppress

from cellapse._collapse.formed import GOOD, formed
from cellapse._collapse.ladder import Ladder
from cellapse._errors import ConvergenceError
from cellapse._linalg.symmetric import COPIES
from cellapse._shared.arrays import FloatArray
from cellapse._shared.memory import available_memory

_DENSE = 1500  # up to this many a dense inverse is quicker than n products
_LARGE = 5000  # the same where a product is that of many steps, or of all cells


def array_is_quick(ladder: Ladder) -> bool:
    """Whether T as an array takes less than a few products."""
    few = ladder.n <= _DENSE and ladder.c > 0.0
    return few and ladder.as_it_is.exact and ladder.as_it_is.raised.complements


def ladder_array(ladder: Ladder, error: float = 0.0) -> FloatArray | None:
    """T as a dense array, where that is the quick and accurate way.

    Products with it are off by a small share of `error`, relative to the vector, or by what is
    accepted everywhere.
    """
    allowed = max(GOOD * ladder.norm, 0.03 * error)
    if not ladder.n or not ladder.c > 0.0 or not ladder.definite or not _quick(ladder):
        return None
    T = None
    with suppress(ConvergenceError), ladder.as_it_is.dense() as known:  # products may still do
        if known is not None:
            A, (G, by) = ladder.A.toarray(), known
            T = formed(A, G, ladder.c, allowed, ladder.fixed.remove_from, by)
    return T


def diagonal(ladder: Ladder) -> FloatArray | None:
    """That of T, where an array of all of it takes less than a product for every cell."""
    cheap = ladder.as_it_is.raised.reduced is not None and not ladder.iterative
    if cheap or ladder.n > _LARGE or COPIES * 8.0 * ladder.n**2 > available_memory():
        return None
    T = ladder_array(ladder)
    return None if T is None else T.diagonal().copy()


def _quick(ladder: Ladder) -> bool:
    """Whether one dense inverse is quicker than a product for every cell."""
    if ladder.n <= _DENSE or ladder.iterative:
        return True
    return ladder.n <= _LARGE and ladder.as_it_is.raised.reduced is None
