"""What a verb works on: a file of any format, a bundled network, or a bundled protein."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cellapse import datasets
from cellapse._complex.complex import Complex
from cellapse._complex.weights import AUTO
from cellapse._errors import CellapseWarning, InputError
from cellapse._sources import Source, bundled, bundled_names, exists, lifted, unknown
from cellapse.io import understand_file, understand_stream
from cellapse.io._options import PLAIN, Options
from cellapse.io.node_tables import CLASSES, GROUPS, NUMBERS, node_values


def load(
    name: str,
    max_rank: int = 2,
    weight: str | None = AUTO,
    *,
    format: str | None = None,
    options: Options = PLAIN,
) -> Source:
    """Return a bundled dataset of that name, or else the file; - is standard input."""
    network = name in datasets.available()
    here = network or name in bundled_names() or name.upper() in bundled_names()
    if here and not exists(name) and (format is not None or options != PLAIN):
        raise InputError(f"{name} is bundled, and options about a file mean nothing to it")
    if weight != AUTO and here and not network and not exists(name):
        raise InputError(
            f"--weight {weight}: the bundled {name} has no choice of weights; leave it out"
        )
    known = bundled(name, max_rank, None if weight == AUTO else weight)
    if known is not None:
        return known
    options = replace(options, weight=weight)
    if name == "-":
        title = "standard input"
        reading = understand_stream(sys.stdin.buffer, title, options, format)
    elif not exists(name):
        raise InputError(unknown(name, "dataset", bundled_names()))
    elif Path(name).is_dir():
        raise InputError(f"{name} is a folder; give one of its files")
    else:
        reading, title = understand_file(name, options, format), Path(name).name
    for text in reading.losses:
        warnings.warn(f"{title}: {text}", CellapseWarning, stacklevel=2)
    return Source(title, lifted(reading.complex, max_rank), reading=reading)


def values_of(K: Complex, name: str, column: str | None = None) -> np.ndarray:
    """One number per vertex: an attribute, `degree`, or a column of the file of that name."""
    columns = K.attributes[0] if K.attributes else {}
    if name in columns and np.issubdtype(columns[name].dtype, np.number):
        _refuse_column(name, column)
        return np.asarray(columns[name], dtype=np.float64)
    if name == "degree":
        _refuse_column(name, column)
        return np.bincount(K.cells[1].indices, minlength=K.n_vertices).astype(np.float64)
    if exists(name):
        values = node_values(name, K, NUMBERS, column)
        return np.array([values[v] for v in K.labels])
    if name in columns:
        raise InputError(f"the attribute {name!r} holds no numbers; choose another signal")
    known = [c for c, v in columns.items() if np.issubdtype(v.dtype, np.number)]
    raise InputError(
        f"no signal {name!r}; give degree, a CSV file with the columns node and value"
        + (f", or one of the attributes {', '.join(known)}" if known else "")
    )


def known_labels(K: Complex, name: str, column: str | None = None) -> dict[Any, str]:
    """Labels of some vertices: an attribute of them, or a column of the file of that name."""
    given = _of_attribute(K, name, column)
    if given is not None:
        return given
    known = node_values(name, K, CLASSES, column)
    if not known:
        raise InputError(f"{name}: has no label at all; give one for some nodes")
    return known


def with_groups(source: Source, name: str | None, column: str | None) -> Source:
    """Return the same with the known groups of a file or an attribute, if one is named."""
    if name is None:
        if column is not None:
            raise InputError(f"--column {column} is of --groups, and there are none; add --groups")
        return source
    return replace(source, groups=known_groups(source.complex, name, column))


def known_groups(K: Complex, name: str, column: str | None = None) -> tuple[str, ...]:
    """Return the group of every vertex: an attribute, or a column of the file of that name."""
    given = _of_attribute(K, name, column)
    if given is None:
        given = node_values(name, K, GROUPS, column)
    missing = [v for v in K.labels if v not in given]
    if missing:
        raise InputError(
            f"the attribute {name!r} has no group for {len(missing):,} of {K.n_vertices:,} nodes, "
            f"the first {missing[0]!r}; known groups are those of all nodes"
        )
    return tuple(given[v] for v in K.labels)


def _of_attribute(K: Complex, name: str, column: str | None) -> dict[Any, str] | None:
    """Return what an attribute of that name says of the vertices, or None where it is a file."""
    columns = K.attributes[0] if K.attributes else {}
    if name in columns:
        _refuse_column(name, column)
        values = zip(K.labels, columns[name].tolist(), strict=True)
        return {v: str(x) for v, x in values if x is not None and x == x and str(x) != ""}
    if not exists(name):
        known = f"; there are the attributes {', '.join(map(str, columns))}" if columns else ""
        raise InputError(f"no file and no attribute {name!r} of the nodes{known}")
    return None


def _refuse_column(name: str, column: str | None) -> None:
    if column is not None:
        raise InputError(f"--column {column} is of a file, and {name!r} is none; leave it out")
