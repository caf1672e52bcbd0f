"""Whatever a user has as a temporal complex: files, tables, graphs with times, arrays."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cellapse._complex.cells import Cells
from cellapse._complex.graph import as_graph
from cellapse._complex.labels import vertex_order
from cellapse._complex.simple import Rules
from cellapse._complex.weights import AUTO
from cellapse._errors import InputError
from cellapse._shared.arrays import IntArray
from cellapse._shared.checks import file_path, unmasked, word
from cellapse._shared.memory import Fitting
from cellapse._shared.notes import loss
from cellapse.interop._ends import known_ends
from cellapse.io._columns import understood
from cellapse.io._formats import FORMATS
from cellapse.io._one_table import refuse_second_table, refuse_titles
from cellapse.io._options import Options, options_of
from cellapse.io._rows import split_rows
from cellapse.io._source import as_text, reading_file
from cellapse.io._text_columns import attribute, time_column, unnamed
from cellapse.io._values import word_labels
from cellapse.io.konect import is_konect, konect_labels, konect_rows
from cellapse.io.simplices import PARTS, timed_simplices, with_parts
from cellapse.temporal.complex import TemporalComplex
from cellapse.temporal.times import seconds_in


class Asked(NamedTuple):
    """Which columns hold times, ends and weights; None is for the usual names."""

    time: str | None
    end: str | None
    weight: str | None


@Fitting("the temporal complex", "take a smaller one")
def as_temporal(
    source: Any,
    *,
    time: str | None = None,
    end: str | None = AUTO,
    weight: str | None = AUTO,
    columns: Sequence[str | int] | None = None,
    sep: str | None = None,
    header: bool | None = None,
    directed: str = "refuse",
    unit: str | None = None,
    max_memory: int | None = None,
) -> TemporalComplex:
    """Make a `TemporalComplex` of whatever you have: labels and order are kept.

    Parameters
    ----------
    source : object
        A pandas table of edges, a networkx graph whose edges have a time, a PyG `TemporalData`, an
        integer array with the columns u, v, t, a TemporalComplex, or the name of a file: a table
        with a column of times (CSV, SNAP), KONECT's, or timestamped simplices (`-nverts.txt` and
        `-times.txt` beside). Anything else goes through `TemporalComplex.from_cells`.
    time : str, optional
        The column or attribute of times; by default the one called time, timestamp, date, t.
    end : str or None
        The column or attribute of ends: cells are there from their time up to their end. By default
        one called "end" counts; None leaves it out.
    weight : str or None
        By default one called "weight" counts; None leaves it out.
    columns : sequence of str or int, optional
        Of a table without names: the columns of the two ends, then that of times, counted from 1.
    sep, header
        Of a table, as for `read`.
    directed : {"refuse", "ignore"}
        What to do with directed graphs: cells have no direction.
    unit : str, optional
        "s", "ms", "h", "d" and the like: times that are numbers count these since 1970, and so they
        are dates. By default they are numbers of any unit.
    max_memory : int, optional
        As for `read`.

    Returns
    -------
    TemporalComplex

    Examples
    --------
    >>> as_temporal(np.array([[0, 1, 10], [1, 2, 20]]))
    <TemporalComplex: 2 cells on 3 vertices, from 10 to 20>
    >>> import networkx as nx
    >>> G = nx.Graph()
    >>> G.add_edge("a", "b", since="2024-01-31", until="2024-03-01")
    >>> as_temporal(G, time="since", end="until")
    <TemporalComplex: 1 cell on 2 vertices, from 2024-01-31 00:00:00 to 2024-03-01 00:00:00>
    """
    for name, value in (("time", time), ("end", end), ("weight", weight)):
        if value is not None:
            word(name, value)
    seconds = None if unit is None else seconds_in(unit)
    asked, rules = Asked(time, end, weight), Rules(directed)
    if isinstance(source, str | os.PathLike):
        options = options_of(columns, sep, header, rules=rules)
        T = _from_file(source, options, asked, max_memory)
    else:
        file_options = {"columns": columns, "sep": sep, "header": header}
        _refuse(file_options, f"a {type(source).__name__}, which is no file")
        T = _from_object(source, asked, rules)
    return T if seconds is None else _since_1970(T, seconds)


def _since_1970(T: TemporalComplex, seconds: float) -> TemporalComplex:
    """Numbers as dates."""
    if T.dated:
        raise InputError("unit= is for times that are numbers, and these are dates; leave it out")
    until = None if T.end is T.start else T.end * seconds
    start = T.start * seconds
    return replace(T, start=start, end=start if until is None else until, dated=True)


def _from_object(source: Any, asked: Asked, rules: Rules) -> TemporalComplex:
    kind = type(source).__name__
    if isinstance(source, TemporalComplex):
        _refuse(asked._asdict(), f"a {kind}")
        return source
    pandas, networkx = sys.modules.get("pandas"), sys.modules.get("networkx")
    if pandas is not None and isinstance(source, pandas.DataFrame):
        return _from_frame(source, asked)
    if networkx is not None and isinstance(source, networkx.Graph):
        if source.is_directed():
            rules.check_direction(f"a {kind}", "pass graph.to_undirected(), or ")
        return _from_networkx(source, asked)
    if kind == "TemporalData" and type(source).__module__.startswith("torch_geometric"):
        _refuse(asked._asdict(), f"a {kind}")
        return _from_pyg(source)
    if isinstance(source, np.ndarray):
        _refuse(asked._asdict(), "an array")
        return _from_array(source)
    raise InputError(
        f"a {kind} is no temporal complex; give a table, a networkx graph, TemporalData, the name "
        "of a file, or TemporalComplex.from_cells(cells, times)"
    )


def _refuse(options: dict[str, Any], what: str) -> None:
    """Refuse what names columns, or says how a file is read, where there is no such thing."""
    for option, value in options.items():
        if value is not None and not (isinstance(value, str) and value == AUTO):
            raise InputError(f"{option}={value!r:.80} does not apply to {what}; leave it out")


def _from_file(path: Any, options: Options, asked: Asked, limit: int | None) -> TemporalComplex:
    file = file_path(path)
    name = "simplices" if file.name.endswith(PARTS) else "edges"
    with reading_file(file, FORMATS[name].growth, limit) as data:
        if name == "simplices":
            _refuse(asked._asdict(), "timestamped simplices")
            return _from_simplices(file, data)
        if is_konect(data):
            _refuse(asked._asdict(), "a file of KONECT")
            return _from_konect(data, options, asked)
        return _from_table(as_text(data), options, asked)


def _from_simplices(file: Path, data: bytes) -> TemporalComplex:
    labels, cells, times = timed_simplices(with_parts(file, data))
    if times is None:
        raise InputError(f"comes without times; put the file {PARTS[2]!r} beside it")
    return TemporalComplex.from_arrays(
        len(labels), _without_repeats(cells), times, labels=labels.tolist()
    )


def _without_repeats(cells: Cells) -> tuple[IntArray, IntArray]:
    """The cells with each member once, which some lists name twice."""
    owner = np.repeat(np.arange(len(cells)), cells.sizes)
    pairs = np.unique(np.column_stack([owner, cells.indices]), axis=0)
    if len(pairs) < len(owner):
        loss(f"{len(owner) - len(pairs):,} vertices named twice in a simplex count once")
    counts = np.bincount(pairs[:, 0], minlength=len(cells))
    return np.concatenate([[0], np.cumsum(counts)]), pairs[:, 1].astype(np.int64)


def _from_konect(data: bytes, options: Options, asked: Asked) -> TemporalComplex:
    kind, _, table = konect_rows(data, options)
    if table.shape[1] < 4:
        raise InputError("has no fourth column, which holds times in KONECT's files")
    labels, edges = konect_labels(table[:, :2].astype(np.int64), kind == "bip")
    weights = table[:, 2] if asked.weight is not None and (table[:, 2] != 1).any() else None
    return _of_edges(labels, edges, table[:, 3], None, weights)


def _from_table(text: str, options: Options, asked: Asked) -> TemporalComplex:
    split = split_rows(text, options.sep)
    refuse_titles(split)
    refuse_second_table(split)
    table = understood(split, options)
    rows = [row for row in table.rows if len(row) == table.width]
    values: dict[str, Any] = {}
    for c in table.others:
        column = attribute(table.names[c], [row[c] for row in rows])
        name = table.names[c]
        usual = unnamed(c, column) if name == f"column {c + 1}" else None
        values[usual if usual and usual not in values else name] = column
    if options.columns is not None and asked.time is None and time_column(list(values)) is None:
        values = {("time" if i == 0 else n): v for i, (n, v) in enumerate(values.items())}
    if asked.time is None and len(values) == 1 and "weight" in values:
        raise InputError(
            "a third column without a name could be times or weights; name the columns in the "
            "first line, or say columns=(1, 2, 3): the ends, then the times"
        )
    u, v = table.ends
    words = [(row[u], row[v]) for row in rows]
    label = word_labels(chain.from_iterable(words))
    position = {w: i for i, w in enumerate(label)}
    places = map(position.__getitem__, chain.from_iterable(words))
    ends = np.fromiter(places, np.int64, 2 * len(words)).reshape(-1, 2)
    return _of_columns(list(label.values()), ends, values, asked)


def _from_frame(table: Any, asked: Asked) -> TemporalComplex:
    names = [str(name) for name in table.columns]
    if len(set(names)) < len(names):
        raise InputError(f"a table that names a column twice, {names[:12]}; rename one of them")
    pair = known_ends(names)
    if pair is None:
        raise InputError(
            f"a table with the columns {names[:12]}; name two of them source and target: "
            'table.rename(columns={"a": "source", "b": "target"}), or give sets to '
            "TemporalComplex.from_cells(table[...], table[...])"
        )
    used = [table.columns[c] for c in pair]
    if table[used].isna().to_numpy().any():
        raise InputError(f"the columns {used[0]!r} and {used[1]!r} have empty places; drop them")
    words = list(zip(*(table[name].tolist() for name in used), strict=True))
    labels, ends = _numbered(words)
    values = {str(name): table[name] for name in table.columns if name not in used}
    return _of_columns(labels, ends, values, asked, metadata=dict(table.attrs))


def _from_networkx(graph: Any, asked: Asked) -> TemporalComplex:
    edges = list(graph.edges(data=True))
    known = [str(n) for n in dict.fromkeys(name for *_, data in edges for name in data)]
    name = asked.time or time_column(known)
    missing = next((edge for edge in edges if name not in edge[2]), None)
    if missing is not None:
        raise InputError(
            f"edge {missing[:2]!r:.80} has no attribute {name or 'time'!r} (there are: "
            f"{', '.join(known) or 'none'}); name the one that holds times: time="
        )
    labels, ends = _numbered([(u, v) for u, v, _ in edges], tuple(graph))
    values = {n: [data.get(n) for *_, data in edges] for n in known}
    alone = as_graph(_without_edges(graph), None)
    return _of_columns(labels, ends, values, asked, alone.metadata, alone.attributes[0])


def _without_edges(graph: Any) -> Any:
    nodes = sys.modules["networkx"].Graph()
    nodes.graph.update(graph.graph)
    nodes.add_nodes_from(graph.nodes(data=True))
    return nodes


def _from_pyg(data: Any) -> TemporalComplex:
    ends = np.column_stack([data.src.numpy(), data.dst.numpy()]).astype(np.int64)
    n = int(ends.max(initial=0)) + 1
    return _of_edges(list(range(n)), ends, data.t, None, None)


def _from_array(given: Any) -> TemporalComplex:
    array = unmasked(given, "the array")
    if array.ndim != 2 or array.shape[1] != 3 or array.dtype.kind not in "iuf":
        raise InputError(
            f"an array of shape {array.shape} and type {array.dtype}; give numbers with the "
            "columns u, v, t, or TemporalComplex.from_arrays(n_vertices, cells, times)"
        )
    if (array[:, :2] % 1 != 0).any():
        raise InputError("the first two columns hold fractions, and vertices are whole numbers")
    numbers, places = np.unique(array[:, :2].astype(np.int64), return_inverse=True)
    return _of_edges(numbers.tolist(), places.reshape(-1, 2), array[:, 2], None, None)


def _numbered(pairs: Sequence[Any], listed: Sequence[Any] = ()) -> tuple[list[Any], IntArray]:
    labels = vertex_order(chain.from_iterable(pairs), listed)
    position = {v: i for i, v in enumerate(labels)}
    places = map(position.__getitem__, chain.from_iterable(pairs))
    return list(labels), np.fromiter(places, np.int64, 2 * len(pairs)).reshape(-1, 2)


def _of_columns(
    labels: list[Any],
    ends: IntArray,
    values: dict[str, Any],
    asked: Asked,
    metadata: Any = None,
    attributes: Any = None,
) -> TemporalComplex:
    """Edges whose times, ends and weights are among some named columns."""
    name = asked.time or time_column(list(values))
    last = "end" if asked.end == AUTO else asked.end
    for wanted in (name or "time", None if asked.end == AUTO else last):
        if wanted is not None and wanted not in values:
            raise InputError(
                f"there is no column {wanted!r} (there are: {', '.join(values) or 'none'}); name "
                "the one that holds times: time="
            )
    usual = "weight" if asked.weight == AUTO else asked.weight
    if usual is not None and usual not in values and asked.weight != AUTO:
        raise InputError(f"there is no column {usual!r} for weight=; leave it out")
    weights = values.get(usual) if usual is not None else None
    until = None if last is None else values.get(last)
    return _of_edges(labels, ends, values[name or "time"], until, weights, metadata, attributes)


def _of_edges(
    labels: list[Any],
    ends: IntArray,
    times: Any,
    until: Any,
    weights: Any,
    metadata: Any = None,
    attributes: Any = None,
) -> TemporalComplex:
    """Edges with their times; those from a vertex to itself are left out with a note."""
    kept = ends[:, 0] != ends[:, 1]
    if not kept.all():
        loss(f"{int((~kept).sum()):,} self-loops are left out: a cell is a set of vertices")
        ends, chosen = ends[kept], np.flatnonzero(kept)
        times, until, weights = (
            None if v is None else _taken(v, chosen) for v in (times, until, weights)
        )
    return TemporalComplex.from_arrays(
        *(len(labels), ends, times, until),
        labels=labels,
        weights=weights,
        attributes=attributes,
        metadata=metadata,
    )


def _taken(values: Any, chosen: IntArray) -> Any:
    if hasattr(values, "iloc"):
        return values.iloc[chosen]
    return [values[i] for i in chosen.tolist()] if isinstance(values, list) else values[chosen]
