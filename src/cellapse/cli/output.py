"""Where results go: a file, standard output as JSON, or a table in the terminal."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from cellapse._collapse.collapsed import CollapsedOperator
from cellapse._complex.complex import Complex
from cellapse._complex.counts import cells_in_words
from cellapse._errors import InputError
from cellapse._linalg.operators import Operator, SparseOperator
from cellapse._shared.card import Shown
from cellapse._shared.files import write_whole
from cellapse._shared.tables import csv_text
from cellapse.cli.console import Console
from cellapse.cli.verbs import VERBS
from cellapse.cli.words import in_words

_SHOWN = 12  # rows of a long table in the terminal
_WHOLE = 24  # rows of a table that is shown whole
_MADE = re.compile(r"^\w+\(.*?\): ")  # how Python makes it, such as Screened(rounds=5)


Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write a .csv, .json or .npz file.")
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Write JSON to standard output, and nothing else.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]


@dataclass(frozen=True)
class Out:
    """How one run of a verb speaks; its fields are options of the verb."""

    file: Output = None
    as_json: AsJson = False
    quiet: Quiet = False

    def __post_init__(self) -> None:
        # Before the work, not after it.
        if self.file is None:
            return
        if self.file.suffix.lower() not in _WRITERS:
            raise InputError(
                f"{self.file}: the extension {self.file.suffix!r}; write to .csv, .json or .npz"
            )
        folder = self.file.resolve().parent
        if not folder.is_dir():
            raise InputError(f"{self.file}: there is no such folder; make it, or choose another")
        if not os.access(folder, os.W_OK):
            raise InputError(f"{self.file}: the folder may not be written to; choose another")

    @property
    def silent(self) -> bool:
        """Whether messages are off, so that no progress is shown either."""
        return self.quiet or self.as_json

    def say(self, text: str) -> None:
        """A line for people; `[bold]` is markup, so escape what is not ours."""
        if not self.silent:
            Console(highlight=False, soft_wrap=True).print(text)

    def json(self, facts: Mapping[str, Any]) -> None:
        """The one thing on standard output, where JSON is asked for."""
        if self.as_json:
            print(_json(_plain(facts)), flush=True)

    def facts(self, facts: Mapping[str, Any], words: Mapping[str, str] | None = None) -> None:
        """Write single values: to the file, as JSON, or a line each on the screen.

        On the screen `words` stand in place of values; one that is empty leaves its line out.
        """
        plain = {_key(name): _plain(value) for name, value in facts.items()}
        if self.file is not None:
            one_row = self.file.suffix.lower() != ".json"
            write_columns(
                {k: [_cell(v)] for k, v in plain.items()} if one_row else plain, self.file
            )
            self.say(f"Wrote {escape(str(self.file))}.")
        if self.as_json:
            self.json(plain)
        elif self.file is None:
            for name, value in facts.items():
                said = (words or {}).get(name, _cell(_plain(value)))
                if said or name not in (words or {}):
                    self.say(f"{name:<22}{escape(said or 'none')}")

    def card(self, result: Shown, *verbs: str) -> None:
        """Print the card of a result, with calls of the shell instead of those of Python.

        Each of the `verbs` takes the options of this one, and gives what its line in --help says.
        """
        if self.silent:
            return
        card = result._card()
        said = [row for row in card.rows if row[0] != "of"]  # which the title names
        rows = tuple((name, in_words(_MADE.sub("", value))) for name, value in said)
        title = _operator_in_words(result) if isinstance(result, Operator) else card.title
        self.say(escape(replace(card, title=title, rows=rows, calls=()).text()))
        if self.file is None:
            for verb in verbs:
                line = VERBS[verb].line
                self.say(escape(f"  next        {again(verb)}: {line[0].lower()}{line[1:-1]}"))

    def operator(self, S: Operator) -> None:
        """Say in a line which operator a result is of."""
        self.say(escape(_operator_in_words(S)))

    def written(self, target: Path, K: Complex) -> None:
        """Say that a complex was written, and what is in it."""
        h = K.hyperedges
        given = "" if h is None else f" of {len(h):,} hyperedge{'s' if len(h) != 1 else ''}"
        self.say(f"Wrote {escape(str(target))}: {cells_in_words(K, 'nodes')}{given}.")
        self.json({"file": str(target), "cells": list(K.n_cells)})

    def table(
        self, columns: Mapping[str, Any], facts: Mapping[str, Any], lowest: str | None = None
    ) -> None:
        """A result as columns of equal length: to the file, as JSON, or on the screen.

        `facts` go along in JSON: what was computed, and with which evidence. On the screen the
        rows with the lowest value in the column `lowest` come first; else the order is kept.
        """
        plain = {name: _plain(column) for name, column in columns.items()}
        if self.file is not None:
            write_columns(plain, self.file)
            rows = len(next(iter(plain.values()), ()))
            self.say(f"Wrote {escape(str(self.file))}: {rows:,} rows.")
        if self.as_json:
            self.json({**facts, **plain})
        elif self.file is None and not self.quiet:
            if lowest is not None:
                order = np.argsort(plain[lowest], kind="stable").tolist()
                plain = {name: [column[i] for i in order] for name, column in plain.items()}
            _show(plain)


def _operator_in_words(S: Operator) -> str:
    """Return the operator and what it is made of, with the names of the cells.

    >>> from cellapse._operators.baselines import graph_laplacian
    >>> _operator_in_words(graph_laplacian([(0, 1), (1, 2)]))
    'graph Laplacian of 3 nodes'
    """
    n = len(S.labels)
    if hasattr(S, "of"):
        return f"{n:,} nodes of the {_operator_in_words(S.of)}"
    counts = f"{n:,} node{'s' if n != 1 else ''}"
    if not isinstance(S, CollapsedOperator):
        return f"{S.name} of {counts}" if isinstance(S, SparseOperator) else repr(S)
    if isinstance(S.source, Complex):
        counts = cells_in_words(S.source, "nodes")
    return f"{S.realization} operator of {counts}; eps {S.eps:g}{f'; {S.lift}' if S.lift else ''}"


def again(verb: str) -> str:
    """Return the command that was typed, with another verb.

    >>> sys.argv = ["cellapse", "--debug", "collapse", "my net.gml", "--eps", "0.01"]
    >>> again("cluster")
    "cellapse cluster 'my net.gml' --eps 0.01"
    """
    typed = next((i for i, word in enumerate(sys.argv) if i and word in VERBS), len(sys.argv))
    return shlex.join(["cellapse", verb, *sys.argv[typed + 1 :]])


def write_columns(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    """Rows below a header (.csv), named lists (.json) or arrays (.npz)."""
    write_whole(path, _WRITERS[path.suffix.lower()](columns))


def _csv(columns: Mapping[str, Sequence[Any]]) -> str:
    return csv_text([list(columns), *zip(*columns.values(), strict=True)])


def _npz(columns: Mapping[str, Sequence[Any]]) -> bytes:
    from cellapse.io.npz import pack, text_array

    return pack({name: text_array(column) for name, column in columns.items()})


_WRITERS: dict[str, Callable[[Mapping[str, Sequence[Any]]], bytes | str]] = {
    ".csv": _csv,
    ".json": lambda columns: _json(columns) + "\n",
    ".npz": _npz,
}


def _json(value: Any) -> str:
    """JSON as the standard has it: what is no finite number is null.

    >>> _json({"resistance": [1.5, float("inf")]})
    '{"resistance": [1.5, null]}'
    """

    def finite(part: Any) -> Any:
        if isinstance(part, Mapping):
            return {k: finite(v) for k, v in part.items()}
        if isinstance(part, list):
            return [finite(v) for v in part]
        return None if isinstance(part, float) and not math.isfinite(part) else part

    return json.dumps(finite(value), allow_nan=False)


def _plain(value: Any) -> Any:
    """Return lists, numbers and words that JSON and CSV know."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {_key(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | range):
        return [_plain(v) for v in value]
    return value if isinstance(value, int | float | str | bool | None) else str(value)


def _key(name: Any) -> str:
    """Return a key that a script can write without quotes: "mean degree" is mean_degree.

    >>> _key("Euler characteristic")
    'euler_characteristic'
    """
    words = str(name).split(" ")
    return "_".join(w.lower() for w in words) if len(words) > 1 else words[0]


def _cell(value: Any) -> str:
    """Return a value in one cell of a table."""
    if not isinstance(value, list):
        return str(value)
    words = [str(v) for v in value]
    return ("; " if any("," in word for word in words) else ", ").join(words)


def _show(columns: Mapping[str, Sequence[Any]]) -> None:
    console = Console(highlight=False)
    rows = list(zip(*columns.values(), strict=True))
    width = 8 if len(columns) > 9 else len(columns)
    hidden = len(columns) - width
    table = Table(*list(columns)[:width], *(["..."] if hidden else []), box=None, padding=(0, 1))
    shown = rows if len(rows) <= _WHOLE else rows[:_SHOWN]
    for row in shown:
        table.add_row(*(escape(_word(v)) for v in row[:width]), *([""] if hidden else []))
    console.print(table)
    left = len(rows) - len(shown)
    if left or hidden:
        more = f"{left:,} more rows" if left else ""
        also = f"{hidden} more column{'s' if hidden > 1 else ''}" if hidden else ""
        listed = " and ".join(part for part in (more, also) if part)
        console.print(f"... {listed}; all of them with -o FILE.csv or --json")


def _word(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
