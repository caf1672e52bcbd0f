"""Columns of text that say what is known of edges: numbers, decimal commas, times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from cellapse._shared.notes import fact
from cellapse.io._values import is_number, text_column

_TIMES = ("time", "timestamp", "t", "date", "unixts", "ts")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,([0-9]+)\Z")
_SECONDS = (5e8, 5e9)  # from 1985 on, counted from 1970


def attribute(name: str, words: Sequence[str]) -> list[Any]:
    """Return a column of text as numbers where all are, decimal commas included.

    >>> attribute("w", ["1,5", "2"]), attribute("w", ["1,500", "2"])
    ([1.5, 2.0], ['1,500', '2'])
    """
    if "," not in "".join(words):
        return text_column(words)
    if has_decimal_commas(words):
        fact(f"{name!r} has decimal commas")
        return text_column([w.replace(",", ".") for w in words])
    if all(_DECIMAL_COMMA.match(w) or is_number(w) for w in words if w):
        thousand = next(w for w in words if "," in w)
        fact(f"{name!r} stays text: {thousand!r} could be a thousand or a fraction")
    return text_column(words)


def has_decimal_commas(words: Sequence[str]) -> bool:
    """Return whether all are numbers, some with a comma that is plainly not one of thousands.

    >>> has_decimal_commas(["1,5", "2"]), has_decimal_commas(["1,500"]), has_decimal_commas(["a"])
    (True, False, False)
    """
    tails = [m[1] for w in words if "," in w and (m := _DECIMAL_COMMA.match(w))]
    if not tails or all(len(tail) == 3 for tail in tails):
        return False
    return all(_DECIMAL_COMMA.match(w) or is_number(w) for w in words if w)


def unnamed(place: int, values: list[Any]) -> str | None:
    """Return what a third or fourth column of numbers without a name is called."""
    if place < 2 or not values or not set(map(type, values)) <= {int, float, type(None)}:
        return None
    given = [v for v in values if v is not None]
    for unit in (1, 1000):
        if given and _SECONDS[0] * unit <= min(given) and max(given) < _SECONDS[1] * unit:
            fact(f"column {place + 1} holds times, counted from 1970")
            return "time"
    return "weight" if place == 2 and given else None


def time_column(names: Sequence[str]) -> str | None:
    """Return the name of the column of times, if there is one."""
    plain = [name.lower().replace("_", "") for name in names]
    return next((names[plain.index(t)] for t in _TIMES if t in plain), None)
