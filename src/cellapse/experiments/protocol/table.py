"""What a table of the report is: four columns, and all figures behind them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cellapse.experiments.protocol.runner import Arguments, Result


@dataclass(frozen=True)
class Row:
    """One row: the paper's figure, its protocol here, a fair protocol, and what it means.

    Several figures in one field stand on lines of their own.
    """

    label: str
    paper: str
    here: str
    fair: str
    meaning: str


@dataclass(frozen=True)
class Detail:
    """A plain table of figures that the lines rest on."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Table:
    """A finished table."""

    title: str
    about: str
    rows: tuple[Row, ...]
    details: tuple[Detail, ...] = ()
    pictures: tuple[str, ...] = ()  # inline SVG


Results = Sequence[tuple[Arguments, Result]]


@dataclass(frozen=True)
class Experiment:
    """A table that can be computed: independent runs, and a summary of all of them."""

    name: str
    arguments: Callable[[bool], list[Arguments]]  # of every run; takes quick
    run: Callable[..., Result]
    summarize: Callable[[Results], Table]
    extra: str = ""  # the extra whose libraries it cannot do without


def pick(results: Results, **wanted: Any) -> list[Result]:
    """Return the results of the runs with these arguments, in order."""
    return [r for a, r in results if all(a[key] == value for key, value in wanted.items())]
