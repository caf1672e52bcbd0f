"""Results of many ranks: one part per rank in a folder, and a word from rank 0."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cellapse._errors import InputError, extra
from cellapse.scale.agreement import together

FORMATS = ("csv", "parquet")


class Parts:
    """A folder with part-00000.csv, part-00001.csv, ..., each complete when it is there.

    Parameters
    ----------
    comm : communicator
    folder : path or None
        Made if need be; parts of an earlier run are removed.
    kind : {"csv", "parquet"}
    """

    def __init__(self, comm: Any, folder: Path | None, kind: str = "csv") -> None:
        self._comm, self._folder, self._kind = comm, folder, kind
        with together(comm):
            if kind not in FORMATS:
                raise InputError(f"--format {kind}; choose csv or parquet")
            if kind == "parquet":
                with extra("pyarrow", "parquet"):
                    import pyarrow  # noqa: F401
            if folder is not None and comm.rank == 0:
                self._prepare(folder)

    def _prepare(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for old in folder.glob("part-*"):
                old.unlink()
        except OSError as error:
            raise InputError(f"{folder}: not a folder to write to ({error})") from None

    def write(self, columns: Mapping[str, Any]) -> None:
        """The rows of this rank."""
        if self._folder is None:
            return
        with together(self._comm):
            name = f"part-{self._comm.rank:05d}.{self._kind}"
            draft, place = self._folder / f".{name}", self._folder / name
            try:
                (_write_csv if self._kind == "csv" else _write_parquet)(columns, draft)
                os.replace(draft, place)
            except OSError as error:
                raise InputError(f"{place}: cannot be written ({error})") from None

    def summary(self, facts: Mapping[str, Any]) -> None:
        """What was computed, with its evidence, once."""
        if self._folder is not None and self._comm.rank == 0:
            (self._folder / "summary.json").write_text(json.dumps(plain(facts), indent=1) + "\n")


def plain(value: Any) -> Any:
    """Lists, numbers and words that JSON knows."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [plain(v) for v in value] if isinstance(value, list | tuple) else value


def _write_csv(columns: Mapping[str, Any], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(np.asarray(c).tolist() for c in columns.values()), strict=True))


def _write_parquet(columns: Mapping[str, Any], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({name: np.asarray(c) for name, c in columns.items()}), path)
