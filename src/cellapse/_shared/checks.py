"""Checks of single arguments that several functions share."""

from collections.abc import Callable, Collection
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray

_FARTHEST = 1e60  # entries of a matrix, from here to one over it


def whole_number(name: str, value: Any, low: int, high: int | None = None) -> int:
    """`value` as an int within low..high; anything else is refused by name.

    >>> whole_number("k", 3, 1, 5)
    3
    """
    fits = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not fits or value < low or value > (2**62 if high is None else high):
        allowed = f"at least {low}" if high is None else f"in {low}..{high}"
        raise InputError(f"{name}={value!r}; give a whole number {allowed}")
    return int(value)


def numbers(values: Any, name: str) -> NDArray[Any]:
    """`values` as a new array of float64, or of complex128 where they are complex.

    Masked entries, dates and words are refused: as numbers they would be something else.
    """
    try:
        array = np.asarray(unmasked(values, name))
        _require_numbers(array, name)
        return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)
    except InputError:
        raise
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise InputError(f"{name} cannot be read as numbers ({error})") from None


def unmasked(values: Any, name: str) -> Any:
    """`values` without the mask of a masked array, one that hides nothing."""
    if not np.ma.isMaskedArray(values):  # arrays of pandas have a mask, too, and say NA
        return values
    if np.ma.is_masked(values):
        raise InputError(
            f"{name} has {np.ma.getmaskarray(values).sum():,} masked entries, which are missing "
            "values; fill them in with values.filled(...), or leave out what they belong to"
        )
    return np.ma.getdata(values)


def _require_numbers(array: NDArray[Any], name: str) -> None:
    """Refuse what NumPy would turn into numbers that nobody meant, and what it says badly."""
    if array.dtype.kind in "mM":
        since = "values - values.min()" if array.dtype.kind == "M" else "values"
        raise InputError(
            f"{name} holds dates or times ({array.dtype}); give numbers, for instance days: "
            f"({since}) / numpy.timedelta64(1, 'D')"
        )
    held: Any = array.dtype.type if array.dtype.kind in "US" else None
    if array.dtype == object:
        held = next((type(v) for v in array.ravel() if v is None or isinstance(v, str)), None)
    if held is type(None):
        raise InputError(f"{name} holds None where a number is missing; fill it in")
    if held is not None:
        raise InputError(
            f"{name} holds text; give numbers, for instance [float(v) for v in values]"
        )


def real_array(values: Any, name: str) -> FloatArray:
    """`values` as a new array of float64; words and complex numbers are refused."""
    array = numbers(values, name)
    if np.iscomplexobj(array):
        raise InputError(f"{name} holds complex numbers; give real ones")
    return array


def usual_coordinates(x: FloatArray, name: str) -> FloatArray:
    """Return the coordinates of points, if squares of their distances are numbers above zero.

    >>> usual_coordinates(np.array([[0.0, 1.0]]), "X").tolist()
    [[0.0, 1.0]]
    """
    within = x.ndim == 2 and x.size and (np.abs(x) < 1e150).all()
    if not within or 0.0 < np.ptp(x, axis=0).max() < 1e-150:
        raise InputError(
            f"{name} of shape {x.shape}; give one row of finite coordinates for each point, below "
            "1e150 and further apart than 1e-150, whose squares are numbers: values / values.max()"
        )
    return x


def own_csr(matrix: Any, name: str) -> sparse.csr_array:
    """A copy of a user's matrix that may be changed: float64, no entry twice, no stored zeros.

    `sparse.csr_array(matrix)` shares the arrays of `matrix`, so that whatever is done to the one in
    place is done to the other.

    >>> own_csr([[0, 2], [2, 0]], "the adjacency").data.tolist()
    [2.0, 2.0]
    """
    if not sparse.issparse(matrix):
        matrix = real_array(matrix, name)
    if matrix.ndim != 2:
        raise InputError(f"{name} has {matrix.ndim} dimensions; a matrix has two")
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"{name} holds {matrix.dtype} values; give real numbers")
    copy = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    copy.sum_duplicates()
    if usual_entries(copy.data):
        return copy
    size = abs(copy.data)
    least, most = size.min(initial=np.inf), size.max(initial=0.0)
    if not isfinite(most):  # a sum with NaN or infinity is one of them, too
        raise InputError(f"{name} holds NaN or infinite values; replace them")
    if least == 0.0:
        copy.eliminate_zeros()
        least = size[size > 0].min(initial=np.inf)
    if most > _FARTHEST or least < 1.0 / _FARTHEST:
        raise InputError(
            f"{name} has entries from {least:.0e} to {most:.0e}; give 0 or numbers from "
            f"{1.0 / _FARTHEST:.0e} to {_FARTHEST:.0e}, whose squares are numbers, too"
        )
    return copy


def usual_entries(values: NDArray[Any]) -> bool:
    """Return whether there is no zero among them, and none that a matrix may not hold."""
    size = abs(values)
    least, most = size.min(initial=1.0), size.max(initial=1.0)  # NaN, where there is one
    return bool(least >= 1.0 / _FARTHEST and most <= _FARTHEST)


def listed(values: Any, name: str) -> list[Any]:
    """`values` as a list; what has no order, or cannot be iterated over, is refused."""
    values = unmasked(values, name)
    if isinstance(values, set | frozenset):
        raise InputError(f"{name} is a set, which has no order; give a list")
    try:
        return values.tolist() if isinstance(values, np.ndarray) and values.ndim else list(values)
    except TypeError:
        raise InputError(f"{name} is {values!r:.80}; give a list") from None


def finite_rows(values: NDArray[Any], n: int, name: str) -> NDArray[Any]:
    """The values, once they are known to be finite and to have one row for each of n cells."""
    if values.ndim not in (1, 2) or len(values) != n:
        raise InputError(f"{name} has shape {values.shape}; give one row for each of {n} cells")
    if not np.isfinite(values).all():
        raise InputError(f"{name} holds NaN or infinite values; replace them")
    return values


def one_of(name: str, value: Any, choices: Collection[str | None]) -> Any:
    """`value`, if it is one of a few words (or None, where that is among them).

    >>> one_of("method", "heat", ("heat", "wiener"))
    'heat'
    """
    known = value is None or isinstance(value, str)  # an array has no one answer to ==
    if not known or value not in choices:
        words = [f'"{c}"' if isinstance(c, str) else repr(c) for c in choices]
        raise InputError(f"{name}={value!r:.80}; choose one of {', '.join(words)}")
    return value


def number(name: str, value: Any, what: str, fits: Callable[[float], bool]) -> float:
    """`value` as one finite float that fits; `what` says in words which do.

    >>> number("error", 0.1, "a number between 0 and 1", lambda x: 0 < x < 1)
    0.1
    """
    real = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    try:
        real_value = float(value) if real and not np.iscomplexobj(value) else np.nan
    except OverflowError:
        real_value = np.inf
    if not isfinite(real_value) or not fits(real_value):
        raise InputError(f"{name}={value!r:.80}; give {what}")
    return real_value


def at_least_zero(name: str, value: Any) -> float:
    """`value` as a finite float of at least 0."""
    return number(name, value, "a number of at least 0", lambda x: x >= 0)


def share(name: str, value: Any) -> float:
    """`value` as a float between 0 and 1, such as a relative error."""
    return number(name, value, "a number between 0 and 1, like 0.01", lambda x: 0 < x < 1)


def generator(rng: Any) -> np.random.Generator:
    """Return a numpy Generator from a seed or from one that is given."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise InputError(f"rng={rng!r:.80} ({error}); give a seed or a numpy Generator") from None


def flag(name: str, value: Any) -> bool:
    """`value` as a truth; an array or a word is a mistake."""
    if not isinstance(value, bool | np.bool_ | int):
        raise InputError(f"{name}={value!r:.80}; give True or False")
    return bool(value)


def plain_array(values: Any, name: str) -> NDArray[Any]:
    """`values` as an array of whatever they are; rows of several lengths are refused."""
    try:
        return np.asarray(unmasked(values, name))
    except InputError:
        raise
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"{name} cannot be read as an array ({error})") from None


def word(name: str, value: Any) -> str:
    """`value`, if it is a string."""
    if not isinstance(value, str):
        raise InputError(f"{name}={value!r:.80}; give a name, a string")
    return value


def file_path(path: Any) -> Path:
    """`path` as a Path; what is no name of a file is refused."""
    try:
        return Path(path)
    except TypeError:
        raise InputError(f"{path!r:.80} is no path; give the name of a file") from None
