"""Times and spans of time: numbers as they are, dates as seconds since 1970 (UTC)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.align import is_missing
from cellapse._shared.arrays import FloatArray
from cellapse._shared.checks import listed, one_of, unmasked
from cellapse.io._numbers import real

_UNITS = {
    "us": 1e-6,
    "ms": 1e-3,
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86400.0),
    **dict.fromkeys(("w", "week", "weeks"), 7 * 86400.0),
}
_SPAN = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([a-z]*)\s*\Z")
_MOST = 1e15  # where one second more is no longer seen
_MOST_FINE = 9e12  # seconds that NumPy counts in microseconds


def span(name: str, given: Any) -> float:
    """A positive span: a number in the unit of the times, or words and objects in seconds.

    >>> span("width", "10min"), span("width", "1.5 h"), span("width", timedelta(days=1))
    (600.0, 5400.0, 86400.0)
    """
    value: Any = given
    if isinstance(given, str):
        match = _SPAN.match(given.lower())
        value = None
        if match and (not match[2] or match[2] in _UNITS):
            value = float(match[1]) * _UNITS.get(match[2], 1.0)
    elif isinstance(given, np.timedelta64):
        value = float("nan") if np.isnat(given) else given / np.timedelta64(1, "s")
    elif isinstance(given, timedelta):
        value = given.total_seconds()
    plain = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not plain or not 0 < value < _MOST:
        raise InputError(
            f"{name}={given!r:.60}; give a positive number in the unit of the times, or words such "
            'as "20s", "10min", "1h", "2d"'
        )
    return float(value)


def seconds_in(unit: str) -> float:
    """Return how many seconds a unit has.

    >>> seconds_in("ms"), seconds_in("d")
    (0.001, 86400.0)
    """
    return _UNITS[one_of("unit", unit, tuple(_UNITS))]


def in_seconds(given: Any, name: str) -> tuple[FloatArray, bool]:
    """The times as numbers, and whether they are dates; what is no time is named and refused.

    >>> in_seconds([1, 2.5], "times")
    (array([1. , 2.5]), False)
    >>> in_seconds(["1970-01-01 00:01", "1970-01-01T00:02:00+00:00"], "times")
    (array([ 60., 120.]), True)
    """
    given = unmasked(given, name)
    if hasattr(given, "to_numpy"):  # of pandas, whose dates may have a zone
        utc = getattr(getattr(given, "dt", None), "tz", None) is not None
        given = (given.dt.tz_convert("UTC").dt.tz_localize(None) if utc else given).to_numpy()
    elif hasattr(given, "detach"):  # of torch
        given = given.detach().cpu().numpy()
    array = given if isinstance(given, np.ndarray) else None
    if array is not None and array.dtype.kind == "M":
        seconds = array.astype("datetime64[us]").astype(np.int64) / 1e6
        seconds[np.isnat(array)] = np.nan
        return _checked(seconds, array, name), True
    if array is not None and array.dtype.kind in "iuf":
        return _checked(array.astype(np.float64), array, name), False
    values = array.tolist() if array is not None else listed(given, name)
    return _of_objects(values, name)


def _of_objects(values: Sequence[Any], name: str) -> tuple[FloatArray, bool]:
    numbers, kinds = np.full(len(values), np.nan), set()
    for i, value in enumerate(values):
        try:
            numbers[i], dated = _of_one(value)
        except (ValueError, TypeError, OverflowError):
            raise _no_time(name, i, value) from None
        kinds.add(dated)
    if len(kinds) > 1:
        raise InputError(f"{name} mixes numbers and dates; give one of the two")
    return _checked(numbers, values, name), kinds == {True}


def _of_one(value: Any) -> tuple[float, bool]:
    if isinstance(value, str):
        try:
            return real(value), False
        except ValueError:
            value = datetime.fromisoformat(value.strip())
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, datetime):
        zoned = value if value.tzinfo is not None else value.replace(tzinfo=UTC)
        return zoned.timestamp(), True
    if is_missing(value) or isinstance(value, bool):
        raise ValueError
    return float(value), False


def _checked(numbers: FloatArray, given: Any, name: str) -> FloatArray:
    if numbers.ndim != 1:
        raise InputError(f"{name} has shape {numbers.shape}; give one time for each cell")
    wrong = np.flatnonzero(~(np.abs(numbers) < _MOST))  # NaN compares false
    if len(wrong):
        raise _no_time(name, int(wrong[0]), given[wrong[0]])
    return numbers


def _no_time(name: str, i: int, value: Any) -> InputError:
    return InputError(
        f"{name} has {value!r:.60} at place {i}, which is no time; give numbers or dates such as "
        '"2024-01-31 12:30", and leave out cells whose time is not known'
    )


def shown(time: float, dated: bool) -> str:
    """A time in words.

    >>> shown(90.0, False), shown(90.0, True)
    ('90', '1970-01-01 00:01:30')
    >>> shown(0.25, True)
    '1970-01-01 00:00:00.25'
    """
    if not dated:
        return f"{time:.12g}"
    if time == int(time) or abs(time) > _MOST_FINE:
        return str(np.datetime64(int(time), "s")).replace("T", " ")
    return str(np.datetime64(round(time * 1e6), "us")).replace("T", " ").rstrip("0")
