"""Checks of single arguments that several functions share."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cellapse._errors import InputError


def whole_number(name: str, value: Any, low: int, high: int | None = None) -> int:
    """`value` as an int within low..high; anything else is refused by name.

    >>> whole_number("k", 3, 1, 5)
    3
    """
    fits = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not fits or value < low or (high is not None and value > high):
        allowed = f"at least {low}" if high is None else f"in {low}..{high}"
        raise InputError(f"{name}={value!r}; give a whole number {allowed}")
    return int(value)


def numbers(values: Any, name: str) -> NDArray[Any]:
    """`values` as a new array of float64, or of complex128 where they are complex."""
    try:
        array = np.asarray(values)
        return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise InputError(f"{name} cannot be read as numbers ({error})") from None


def real_array(values: Any, name: str) -> NDArray[np.float64]:
    """`values` as a new array of float64; words and complex numbers are refused."""
    array = numbers(values, name)
    if np.iscomplexobj(array):
        raise InputError(f"{name} holds complex numbers; give real ones")
    return array


def listed(values: Any, name: str) -> list[Any]:
    """`values` as a list; what cannot be iterated over is refused."""
    try:
        return list(values)
    except TypeError:
        raise InputError(f"{name} is {values!r}; give a list") from None


def signal(u: ArrayLike, n: int, name: str = "the signal") -> NDArray[np.float64]:
    """Finite numbers, one row for each of n cells."""
    return finite_rows(real_array(u, name), n, name)


def finite_rows(values: NDArray[Any], n: int, name: str) -> NDArray[Any]:
    """The values, once they are known to be finite and to have one row for each of n cells."""
    if values.ndim not in (1, 2) or len(values) != n:
        raise InputError(f"{name} has shape {values.shape}; give one row for each of {n} cells")
    if not np.isfinite(values).all():
        raise InputError(f"{name} holds NaN or infinite values; replace them")
    return values
