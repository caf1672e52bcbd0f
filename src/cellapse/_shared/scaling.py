r"""Signals of any size, for functions with f(c x) = c^p f(x).

Squares of numbers below 1e-154 are zero, and of those above 1e154 infinite. So columns that are far
from one are brought there first, by a power of two, which rounds nothing, and what comes out is
brought back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_FAR = 200  # powers of two: nearer to one, squares and their sums keep their digits
_LEAST, _MOST = 2.0 ** (-2 * _FAR), 2.0 ** (2 * _FAR)


def homogeneous(function: Callable[[Any], Any], x: NDArray[Any], power: int = 1) -> Any:
    """Return f(x), computed on columns of size about one where those of x are far from it.

    What f gives, arrays with the columns of x or one number for each, may be in a list or a dict.

    >>> float(homogeneous(lambda x: np.sqrt((x * x).sum(axis=0)), np.array([3e-200, 4e-200])))
    5e-200
    """
    if _near_one(x):  # most are: decided sooner
        return function(x)
    k = exponents(x)
    return _times(function(times_two(x, -k)), power * k)


def exponents(x: NDArray[Any]) -> NDArray[np.int64]:
    """Return the power of two of every column, 0 for those whose size does no harm."""
    parts = [x.real, x.imag] if np.iscomplexobj(x) else [x]
    size = np.maximum.reduce(
        [np.maximum(p.max(axis=0, initial=0.0), -p.min(axis=0, initial=0.0)) for p in parts]
    )
    k = np.frexp(size)[1].astype(np.int64)
    return np.where(abs(k) > _FAR, k, 0)


def _near_one(x: NDArray[Any]) -> bool:
    """Return whether the size of every column does no harm; False where that is not obvious."""
    if x.dtype != np.float64:
        return False
    squares = np.einsum("i...,i...->...", x, x)
    if x.ndim == 1:
        return bool(_LEAST < squares < _MOST)
    return bool(((squares > _LEAST) & (squares < _MOST)).all())


def times_two(x: Any, k: Any) -> Any:
    """Return x 2^k, column by column; infinite where that is too large for a number."""
    k = np.asarray(k, dtype=np.int64)
    if np.iscomplexobj(x):
        return times_two(x.real, k) + 1j * times_two(x.imag, k)
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(x, k)


def _times(result: Any, k: NDArray[np.int64]) -> Any:
    if isinstance(result, list):
        return [_times(one, k) for one in result]
    if isinstance(result, dict):
        return {key: _times(one, k) for key, one in result.items()}
    return times_two(result, k)
