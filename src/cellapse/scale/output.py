"""What ranks write and say: a part of the rows each, into one folder, and words from rank 0."""

from __future__ import annotations

import csv
import json
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cellapse._errors import InputError, extra
from cellapse._shared.arrays import FloatArray
from cellapse.scale.davidson import OnStep
from cellapse.scale.exchange import together

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
        """Write what was computed, with its evidence, once."""
        if self._folder is not None and self._comm.rank == 0:
            text = json.dumps(as_json(facts), indent=1) + "\n"
            (self._folder / "summary.json").write_text(text, encoding="utf-8")


def as_json(value: Any) -> Any:
    """Return lists, numbers and words that JSON knows."""
    if isinstance(value, Mapping):
        return {str(k): as_json(v) for k, v in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [as_json(v) for v in value] if isinstance(value, list | tuple) else value


def _write_csv(columns: Mapping[str, Any], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(np.asarray(c).tolist() for c in columns.values()), strict=True))


def _write_parquet(columns: Mapping[str, Any], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({name: np.asarray(c) for name, c in columns.items()}), path)


class Report:
    """What is said while ranks work together; only rank 0 speaks, and only where wanted.

    Parameters
    ----------
    comm : communicator
    show : bool
    """

    def __init__(self, comm: Any, show: bool) -> None:
        self._speaks = show and comm.rank == 0
        self._start = time.monotonic()

    def say(self, text: str) -> None:
        """One line with the seconds so far."""
        if self._speaks:
            print(f"{time.monotonic() - self._start:8.1f} s  {text}", file=sys.stderr, flush=True)

    def __call__(self, what: str) -> OnStep | None:
        """Return what reports the steps of an iteration."""
        if not self._speaks:
            return None

        def on_step(step: int, X: FloatArray, size: float, goal: float) -> None:
            if step % 5 == 0:
                self.say(f"{what}: step {step}, residual {size:.1e} on the way to {goal:.1e}")

        return on_step


def both(first: OnStep | None, second: OnStep | None) -> OnStep | None:
    """Return two things done at every step."""
    if first is None or second is None:
        return first or second
    one, two = first, second

    def on_step(step: int, X: FloatArray, size: float, goal: float) -> None:
        one(step, X, size, goal)
        two(step, X, size, goal)

    return on_step
