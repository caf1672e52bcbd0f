"""What a verb works on: a file of any format, a bundled network, or a bundled protein."""

from __future__ import annotations

import csv
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cellapse import datasets
from cellapse._complex.complex import Complex
from cellapse._errors import CellapseWarning, InputError
from cellapse._sources import Source, bundled, bundled_names, exists, lifted, unknown
from cellapse.io import understand_file, understand_stream
from cellapse.io._options import PLAIN, Options


def load(
    name: str,
    max_rank: int = 2,
    weight: str | None = None,
    *,
    format: str | None = None,
    options: Options = PLAIN,
) -> Source:
    """A bundled dataset of that name, or else the file; - is standard input."""
    network = name in datasets.available()
    here = network or name in bundled_names() or name.upper() in bundled_names()
    if here and not exists(name) and (format is not None or options != PLAIN):
        raise InputError(f"{name} is bundled, and options about a file mean nothing to it")
    if weight is not None and here and not network and not exists(name):
        raise InputError(
            f"--weight {weight}: the bundled {name} has no choice of weights; leave it out"
        )
    known = bundled(name, max_rank, weight)
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


def values_of(K: Complex, name: str) -> np.ndarray:
    """One number per vertex: an attribute, `degree`, or the file `node,value` of that name."""
    columns = K.attributes[0] if K.attributes else {}
    if name in columns and np.issubdtype(columns[name].dtype, np.number):
        return np.asarray(columns[name], dtype=np.float64)
    if name == "degree":
        return np.bincount(K.cells[1].indices, minlength=K.n_vertices).astype(np.float64)
    if exists(name):
        return _from_file(K, Path(name))
    known = [c for c, v in columns.items() if np.issubdtype(v.dtype, np.number)]
    raise InputError(
        f"no signal {name!r}; give degree, a CSV file with the columns node and value"
        + (f", or one of the attributes {', '.join(known)}" if known else "")
    )


def known_labels(K: Complex, name: str) -> dict[Any, str]:
    """Labels of some vertices: an attribute of them, or the file `node,label` of that name."""
    columns = K.attributes[0] if K.attributes else {}
    if name in columns:
        given = zip(K.labels, columns[name].tolist(), strict=True)
        return {v: str(x) for v, x in given if x is not None and x == x and str(x) != ""}
    if not Path(name).exists():
        known = f"; there are the attributes {', '.join(map(str, columns))}" if columns else ""
        raise InputError(f"no file and no attribute {name!r} with labels{known}")
    by_word = {str(v): v for v in K.labels}
    rows = _rows(Path(name), "node,label")
    for node, _ in rows:
        if node not in by_word:
            raise InputError(f"{name}: names {node!r}, which is no node of the network; remove it")
    return {by_word[node]: label for node, label in rows if label != ""}


def _rows(path: Path, head: str) -> list[tuple[str, str]]:
    """The first two columns of a CSV file, without its first line."""
    import csv

    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [row for row in csv.reader(file) if row]
        return [(row[0].strip(), row[1].strip()) for row in rows[1:]]
    except (OSError, UnicodeDecodeError, IndexError, ValueError, csv.Error) as error:
        raise InputError(
            f"{path}: not a table of two columns ({error}); begin with the line {head}"
        ) from None


def _from_file(K: Complex, path: Path) -> np.ndarray:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [row for row in csv.reader(file) if row]
        values = {row[0]: float(row[1]) for row in rows[1:]}
    except (OSError, UnicodeDecodeError, IndexError, ValueError) as error:
        raise InputError(
            f"{path}: not a table of nodes and values ({error}); begin with the line node,value"
        ) from None
    missing = [str(v) for v in K.labels if str(v) not in values]
    if missing:
        raise InputError(
            f"{path}: has no value for {missing[0]!r} and {len(missing) - 1} more; give all"
        )
    return np.array([values[str(v)] for v in K.labels])
