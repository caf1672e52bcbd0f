"""KONECT's out.* files: `% sym weighted`, then lines of two numbers, a weight and a time.

The two sides of a bipartite network are numbered from 1 each, so that 1 and 1 are two vertices:
their labels are ("left", 1) and ("right", 1).
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse._shared.notes import fact, loss
from cellapse.io._graphs import graph_complex
from cellapse.io._numbers import not_whole, numbers_or_none
from cellapse.io._options import PLAIN, Options
from cellapse.io._source import as_text

_HEAD = re.compile(r"%\s*(sym|asym|bip)\b[^\n]*")
_COUNTS = re.compile(r"\s*%\s*([0-9]{1,15})\b")  # of edges, then of vertices
_COLUMNS = ("weight", "time")


def is_konect(data: bytes) -> bool:
    """Return whether a file begins as those of KONECT do."""
    first = data[:200].decode("ascii", errors="replace")  # the head is shorter
    return _HEAD.match(first) is not None


def read_konect(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read a network of KONECT; edges listed again are counted unless `repeats` says otherwise.

    >>> read_konect(b"% bip unweighted\n1 1\n1 2\n").labels
    (('left', 1), ('right', 1), ('right', 2))
    """
    kind, head, table = konect_rows(data, options)
    columns = {name: table[:, 2 + i] for i, name in enumerate(_COLUMNS[: table.shape[1] - 2])}
    if options.window is not None:
        table, columns = _within(table, columns, options.window)
    labels, edges = konect_labels(table[:, :2].astype(np.int64), kind == "bip")
    rules = options.rules
    if rules.repeats is None and len(table):  # what the format means by a line that comes again
        rules = replace(rules, repeats="sum")
    fact(f"KONECT: {head.lstrip('% ')}; edges listed again are added up")
    return graph_complex(labels, edges, {}, columns, rules=rules)


def konect_rows(data: bytes, options: Options) -> tuple[str, str, np.ndarray]:
    """Return which kind of network a file holds, the words that say so, and its rows of numbers."""
    text = as_text(data)
    head = _HEAD.match(text)
    if head is None:
        raise InputError('does not begin with % sym, % asym or % bip; pass format="edges"')
    if head[1] == "asym":
        options.rules.check_direction("the network")
    if "dynamic" in head[0].split() and options.rules.repeats is None:
        raise InputError(
            "is dynamic, so that -1 takes an edge away; pass repeats= to say what becomes of "
            "edges that come again, and window= for a span of time"
        )
    lines = [line.split() for line in text.splitlines() if line.strip() and line[0] != "%"]
    widths = {len(line) for line in lines}
    if len(widths) != 1 or widths - {2, 3, 4}:
        raise InputError(f"has lines of {sorted(widths)[:4]} columns; all have 2, 3 or 4")
    values = numbers_or_none([word for line in lines for word in line])
    if values is None:
        raise InputError("holds what is no number; KONECT has numbers only")
    table = values.reshape(len(lines), -1)
    declared = _COUNTS.match(text, head.end())
    if declared is not None and int(declared[1]) != len(table):
        loss(f"{int(declared[1]):,} edges are declared and {len(table):,} there; it may be cut off")
    if not np.isfinite(table).all() or not_whole(table[:, :2]).any():
        raise InputError("has vertices that are no whole numbers; KONECT counts them from 1")
    return head[1], head[0], table


def _within(
    table: np.ndarray, columns: dict[str, np.ndarray], window: tuple[float, float]
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    if "time" not in columns:
        raise InputError("window= needs a fourth column, of times, and there is none")
    chosen = (window[0] <= columns["time"]) & (columns["time"] < window[1])
    fact(f"{chosen.sum():,} of {len(table):,} rows are within the window")
    return table[chosen], {name: values[chosen] for name, values in columns.items()}


def konect_labels(pairs: np.ndarray, bipartite: bool) -> tuple[list[Hashable], np.ndarray]:
    """Return the labels of the vertices, and rows as their positions."""
    if not bipartite:
        numbers, place = np.unique(pairs, return_inverse=True)
        return numbers.tolist(), place.reshape(-1, 2)
    (left, u), (right, v) = (np.unique(side, return_inverse=True) for side in pairs.T)
    fact("bipartite: the vertices of the two sides are called ('left', 1) and ('right', 1)")
    labels: list[Hashable] = [("left", i) for i in left.tolist()]
    labels += [("right", i) for i in right.tolist()]
    return labels, np.column_stack([u, len(left) + v])
