"""The options that say how a file is to be read, for every verb that reads one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from cellapse._complex.simple import Rules
from cellapse._errors import InputError
from cellapse._sources import Source
from cellapse.cli.sources import load
from cellapse.io import FORMATS
from cellapse.io._options import Options, options_of
from cellapse.io._values import is_number

Format = Annotated[
    str | None,
    typer.Option(help=f"When the extension does not say: {', '.join(FORMATS)}.", metavar="NAME"),
]
Columns = Annotated[
    str | None,
    typer.Option(help="Of a table: its two ends and what to keep, as from,to,w or 2,3."),
]
Sep = Annotated[str | None, typer.Option(help="Of a table: what separates columns, such as ;.")]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Of a table: whether the first line has names."),
]
Window = Annotated[
    str | None, typer.Option(help="Of a table with times: from,to keeps rows within.")
]
Directed = Annotated[str, typer.Option(help="Directed graphs: refuse, or ignore directions.")]
Loops = Annotated[str, typer.Option(help="Self-loops: drop, keep as an attribute, or refuse.")]
Repeats = Annotated[
    str | None, typer.Option(help="Several edges between two nodes: count, sum or first.")
]


@dataclass(frozen=True, kw_only=True)
class ReadingChoice:
    """How a file is read; the classes that inherit from it say which."""

    format: Format = None
    columns: Columns = None
    sep: Sep = None
    header: Header = None
    window: Window = None
    directed: Directed = "refuse"
    loops: Loops = "drop"
    repeats: Repeats = None

    def source(self, network: str, max_rank: int, weight: str) -> Source:
        """Read the network."""
        chosen = None if weight == "none" else weight
        return load(network, max_rank, chosen, format=self.format, options=self.options())

    def options(self) -> Options:
        """Return the same as `read` takes it."""
        return options_of(
            columns=_columns(self.columns),
            sep=None if self.sep is None else self.sep.replace("\\t", "\t"),
            header=self.header,
            window=_window(self.window),
            rules=Rules(self.directed, self.loops, self.repeats),
        )


def _columns(given: str | None) -> list[Any] | None:
    """Return names or numbers between commas."""
    if given is None:
        return None
    words = [word.strip() for word in given.split(",")]
    return [int(word) if word.isascii() and word.isdecimal() else word for word in words]


def _window(given: str | None) -> list[float] | None:
    words = [] if given is None else given.split(",")
    if not all(map(is_number, words)):
        raise InputError(f"window={given}; give two numbers and a comma between")
    return [float(word) for word in words] or None
