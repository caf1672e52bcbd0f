"""GDF, of GUESS and Gephi: `nodedef>name VARCHAR,...` and rows, then `edgedef>node1,node2,...`."""

from __future__ import annotations

import csv
from typing import Any

from cellapse._complex.complex import Complex
from cellapse._errors import InputError
from cellapse.io._graphs import different_labels, listed_graph
from cellapse.io._numbers import integer, real
from cellapse.io._options import PLAIN, Options
from cellapse.io._source import as_text

_NUMBERS = {
    **dict.fromkeys(("int", "integer", "bigint", "tinyint", "smallint"), integer),
    **dict.fromkeys(("double", "float", "real", "numeric"), real),
}


def read_gdf(data: bytes, options: Options = PLAIN) -> Complex:
    r"""Read a GDF graph.

    >>> read_gdf(b"nodedef>name VARCHAR\na\nb\nedgedef>node1,node2,weight DOUBLE\na,b,2\n")
    Complex(n_cells=(2, 1))
    """
    columns: list[tuple[str, Any]] = []
    tables: dict[str, list[dict[str, Any]]] = {}
    rows: list[dict[str, Any]] = []
    for line in as_text(data).splitlines():
        start = line.lower()
        if start.startswith(("nodedef>", "edgedef>")):
            columns = [_column(part) for part in line[8:].split(",")]
            rows = tables.setdefault(start[:7], [])
        elif line.strip() and not line.startswith("#"):
            if not columns:
                raise InputError("does not begin with nodedef>, so it is not a GDF file")
            rows.append(_row(line, columns))
    if "nodedef" not in tables:
        raise InputError("holds no nodedef>, so it is not a GDF file")
    names = [row.pop("name", None) for row in tables["nodedef"]]
    nodes = dict(zip(names, tables["nodedef"], strict=True))
    if None in nodes or len(nodes) < len(names):
        raise InputError("has nodes without a name, or two of the same name")
    ends = []
    for edge in tables.get("edgedef", []):
        pair = edge.pop("node1", None), edge.pop("node2", None)
        if None in pair or not set(pair) <= nodes.keys():
            raise InputError(f"has an edge {pair!r:.60} between nodes that it does not list")
        if edge.pop("directed", "") in (True, "true", "TRUE"):
            options.rules.check_direction("the graph")
        ends.append(pair)
    labels = different_labels(list(nodes.values()))
    records = tables.get("edgedef", [])
    return listed_graph(nodes, ends, records, options.rules, labels=labels)


def _column(part: str) -> tuple[str, Any]:
    words = part.split()
    kind = words[1].lower().partition("(")[0] if len(words) > 1 else "varchar"
    return (words[0] if words else ""), _NUMBERS.get(kind, str)


def _row(line: str, columns: list[tuple[str, Any]]) -> dict[str, Any]:
    try:
        quote = "'" if "'" in line and '"' not in line else '"'
        words = next(csv.reader([line], quotechar=quote, skipinitialspace=True))
        if len(words) > len(columns):
            raise InputError(f"has a row of {len(words)} words for {len(columns)} columns")
        pairs = zip(columns, words, strict=False)
        return {name: kind(word.strip()) for (name, kind), word in pairs if word.strip()}
    except (ValueError, csv.Error) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"has the row {line[:60]!r} that its header does not describe") from None
