"""What the caller of `read` says about a file, in one object that every reader gets."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any

from cellapse._complex.simple import SIMPLE, Rules
from cellapse._complex.weights import AUTO
from cellapse._errors import InputError
from cellapse._shared.checks import flag, listed, word

OF_GRAPHS = ("directed", "loops", "repeats")
OF_TABLES = ("columns", "sep", "header", "window")


@dataclass(frozen=True)
class Options:
    """Columns, delimiter and header of a table, a window of times, and the rules for edges."""

    columns: tuple[str | int, ...] | None = None
    sep: str | None = None
    header: bool | None = None
    window: tuple[float, float] | None = None
    weight: str | None = AUTO
    rules: Rules = SIMPLE

    def check(self, name: str, taken: Collection[str]) -> None:
        """Raise if something was said that a format has no use for."""
        given = {f.name for f in fields(self) if getattr(self, f.name) != f.default} - {
            "rules",
            "weight",
        }
        given |= {f.name for f in fields(Rules) if getattr(self.rules, f.name) != f.default}
        other = min(given - set(taken), default=None)
        if other is not None:
            known = ", ".join(sorted(taken)) or "none of these options"
            raise InputError(f"{other}= means nothing to the format {name!r}, which takes {known}")


PLAIN = Options()


def options_of(
    columns: Any = None,
    sep: Any = None,
    header: Any = None,
    window: Any = None,
    weight: str | None = AUTO,
    rules: Rules = SIMPLE,
) -> Options:
    """Return the options, checked.

    >>> options_of(columns=("from", 3)).columns
    ('from', 3)
    """
    chosen = None if columns is None else tuple(listed(columns, "columns"))
    if isinstance(columns, str) or (chosen is not None and not _are_columns(chosen)):
        raise InputError(
            f'columns={columns!r:.80}; give names or numbers counted from 1, such as ("from", "to")'
        )
    if sep is not None and (not word("sep", sep) or sep in '\n\r"'):
        raise InputError(f"sep={sep!r}; give the text between two columns, such as ';'")
    limits = None if window is None else tuple(listed(window, "window"))
    if limits is not None and not _is_window(limits):
        raise InputError(f"window={window!r:.80}; give two times, the first and the one after")
    if weight is not None:
        word("weight", weight)
    named = None if header is None else flag("header", header)
    return Options(chosen, sep, named, limits, weight, rules)


def _are_columns(chosen: tuple[Any, ...]) -> bool:
    plain = all(isinstance(c, str) or (type(c) is int and c > 0) for c in chosen)
    return plain and len(set(chosen)) == len(chosen) and len(chosen) >= 2


def _is_window(window: tuple[Any, ...]) -> bool:
    numbers = len(window) == 2 and all(type(t) in (int, float) for t in window)
    return numbers and not any(map(math.isnan, window)) and window[0] < window[1]
