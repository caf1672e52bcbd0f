"""The rows of one rank, of a table that lies in one file, or is given in parts.

A .npy file is cut into equal ranges of rows; of a .parquet file each rank reads every P-th row
group, so a file of many row groups is read by all at once and whole by none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cellapse._errors import InputError, extra
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import real_array
from cellapse.scale.labels import as_labels

Source = Any  # a path, or this rank's rows


def integer_pairs(source: Source, comm: Any, what: str) -> IntArray:
    """The rows of this rank in a table of two columns of whole numbers of at least 0."""
    table = _part(source, comm, (0, 1), what)
    if table.ndim == 2 and table.shape[1] != 2 and table.shape[0] == 2 and not _is_path(source):
        table = table.T
    if table.size == 0:
        return np.empty((0, 2), np.int64)
    if table.ndim != 2 or table.shape[1] != 2 or not np.issubdtype(table.dtype, np.integer):
        raise InputError(
            f"{what} have shape {table.shape} and type {table.dtype}; give two columns of whole "
            "numbers, the vertices numbered from 0 (edges between names: from_labelled_edges, "
            "--labels)"
        )
    table = table.astype(np.int64)
    if table.min() < 0:
        raise InputError(f"{what} hold the number {table.min()}; numbers start at 0")
    return table


def labelled_pairs(source: Source, comm: Any, what: str) -> Any:
    """The rows of this rank in a table of two columns of whole numbers or words."""
    table = as_labels(_part(source, comm, (0, 1), what), what)
    if table.size and (table.ndim != 2 or table.shape[1] != 2):
        raise InputError(f"{what} have shape {table.shape}; give two columns")
    return table.reshape(-1, 2)


def positive_numbers(source: Source, rows: Source, comm: Any, count: int) -> FloatArray:
    """One weight for each row read here: a column of the same Parquet file, a .npy or an array."""
    if isinstance(source, str) and _is_path(rows) and str(rows).endswith(".parquet"):
        values = _part(rows, comm, (source,), "weights")[:, 0]
    else:
        values = _part(source, comm, (0,), "weights")
    weights = real_array(values, "weights").ravel()
    if weights.shape != (count,) or not (np.isfinite(weights) & (weights > 0)).all():
        raise InputError(
            f"{len(weights)} weights for {count} rows on this rank; give one positive finite "
            "number for each row"
        )
    return weights


def _is_path(source: Source) -> bool:
    return isinstance(source, str | Path)


def _part(source: Source, comm: Any, columns: tuple[Any, ...], what: str) -> Any:
    if not _is_path(source):
        return np.asarray(source)
    path = Path(source)
    if not path.is_file():
        raise InputError(
            f"{path}: there is no such file; every rank reads it, so it must be shared"
        )
    if path.suffix == ".parquet":
        return _parquet(path, comm, columns)
    if path.suffix == ".npy":
        return _npy(path, comm)
    raise InputError(f"{path}: the extension {path.suffix!r}; give .npy or .parquet for {what}")


def _npy(path: Path, comm: Any) -> Any:
    try:
        table = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError):
        raise InputError(f"{path}: not a complete .npy file of numbers; write it again") from None
    rows = len(table)
    return np.array(table[rows * comm.rank // comm.size : rows * (comm.rank + 1) // comm.size])


def _parquet(path: Path, comm: Any, columns: tuple[Any, ...]) -> Any:
    with extra("pyarrow", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq
    try:
        file = pq.ParquetFile(path)
        known = file.schema_arrow.names
        names = [known[c] if isinstance(c, int) else c for c in columns]
        if not set(names) <= set(known):
            raise InputError(f"{path}: no column {names}; there are {known}")
        groups = range(comm.rank, file.num_row_groups, comm.size)
        parts = [file.read_row_group(i, columns=names) for i in groups]
    except (pa.ArrowException, OSError, IndexError) as error:
        raise InputError(f"{path}: not a complete Parquet file ({error}); write it again") from None
    if not parts:
        return np.empty((0, len(names)), np.int64)
    whole = pa.concat_tables(parts)
    return np.column_stack([whole.column(name).to_numpy() for name in names])
