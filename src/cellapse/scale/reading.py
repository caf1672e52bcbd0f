"""The rows of one rank, of a table that lies in one file or is given in parts, and their labels.

A .npy file is cut into equal ranges of rows; of a .parquet file each rank reads every P-th row
group, so a file of many row groups is read by all at once and whole by none.

Vertices by name: a dictionary of which every rank holds a range, in ascending order. A label goes
to the rank whose range it falls into, gets its number there, and the number comes back. The ranges
are cut by a sample, so that they are about equally long.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cellapse._errors import InputError, extra
from cellapse._shared.arrays import FloatArray, IntArray
from cellapse._shared.checks import real_array
from cellapse.scale.exchange import Ranges, Route, together

Source = Any  # a path, or this rank's rows
_SAMPLE = 1000  # labels of each rank that decide about the ranges


def integer_pairs(source: Source, comm: Any, what: str) -> IntArray:
    """Return the rows of this rank in a table of two columns of whole numbers of at least 0."""
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
    """Return the rows of this rank in a table of two columns of whole numbers or words."""
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


class Dictionary:
    """Numbers 0..n-1 for the labels that any rank names: whole numbers, or words.

    Parameters
    ----------
    comm : communicator
    given : array
        The labels this rank knows of, as often as it likes.
    """

    def __init__(self, comm: Any, given: Any) -> None:
        self._kind = _common_kind(comm, given)
        mine = np.unique(given.astype(self._kind).ravel())
        step = max(len(mine) // _SAMPLE, 1)
        sample = np.sort(np.concatenate(comm.allgather(mine[::step])))
        at = len(sample) * np.arange(1, comm.size) // comm.size
        self._comm, self._cuts = comm, sample[at] if len(sample) else sample
        self._labels = np.unique(_moved(self._route(mine), mine, "send"))
        self._ranges = Ranges.of_counts(comm, len(self._labels))

    @property
    def total(self) -> int:
        """How many labels there are."""
        return self._ranges.total

    def _route(self, labels: Any) -> Route:
        to = np.zeros(len(labels), np.int64)
        if len(self._cuts):
            to = np.searchsorted(self._cuts, labels, side="right")
        return Route(self._comm, to)

    def numbers(self, labels: Any) -> IntArray:
        """Return the number of each label, all of which are known; of any shape."""
        flat = labels.astype(self._kind).ravel()
        route = self._route(flat)
        at = np.searchsorted(self._labels, _moved(route, flat, "send"))
        return route.back(at + self._ranges.low).reshape(labels.shape)

    def labels(self, numbers: IntArray) -> Any:
        """Return the label of each number."""
        route = self._ranges.route(numbers)
        at = route.send(numbers) - self._ranges.low
        labels = _moved(route, self._labels[at], "back")
        return labels if labels.dtype.kind == "i" else np.char.decode(labels, "utf-8")


def as_labels(table: Any, what: str) -> Any:
    """Return whole numbers or words, as an array that can be compared; words as bytes."""
    table = np.asarray(table)
    if np.issubdtype(table.dtype, np.integer):
        return table.astype(np.int64)
    if table.dtype.kind in "US" or (table.size and all(isinstance(v, str) for v in table.flat)):
        return np.char.encode(table.astype(str), "utf-8")
    if not table.size:
        return np.empty(table.shape, np.int64)
    raise InputError(f"{what} are {table.dtype}; give whole numbers or words")


def _common_kind(comm: Any, given: Any) -> Any:
    """int64, or bytes as long as the longest word of all ranks."""
    kinds = comm.allgather((given.dtype.kind, given.dtype.itemsize) if given.size else None)
    known = {kind for kind in kinds if kind is not None}
    with together(comm):
        if len({kind for kind, _ in known}) > 1:
            raise InputError("labels are words on some ranks and numbers on others; give one kind")
    if not known or next(iter(known))[0] == "i":
        return np.dtype(np.int64)
    return np.dtype(f"S{max(size for _, size in known)}")


def _moved(route: Route, labels: Any, way: str) -> Any:
    """Return labels along a route; words travel as rows of bytes."""
    move = route.send if way == "send" else route.back
    if labels.dtype.kind == "i":
        return move(labels)
    width = labels.dtype.itemsize
    letters = np.ascontiguousarray(labels).view(np.uint8).reshape(len(labels), width)
    return np.ascontiguousarray(move(letters)).view(labels.dtype).reshape(-1)
