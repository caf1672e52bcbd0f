"""A space of vectors in one .npy file, (n, k) in the order the vertices were given.

Any number of ranks can go on from it. It is written beside its place and renamed when complete, so
that what is there is always whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray
from cellapse.scale.davidson import OnStep
from cellapse.scale.exchange import together
from cellapse.scale.partition import AsGiven

_EVERY = 5  # steps between two checkpoints


class Checkpoint:
    """Where vectors are kept, and looked for.

    Parameters
    ----------
    path : path
        A .npy file that every rank can reach.
    numbering : AsGiven
    """

    def __init__(self, path: str | Path, numbering: AsGiven) -> None:
        self._path, self._numbering = Path(path), numbering
        self._files, self._comm = numbering.files, numbering.files.comm

    def save(self, X: FloatArray) -> None:
        """Every rank writes its rows; the file takes its place when all have."""
        rows = np.ascontiguousarray(self._numbering.to_files(X), dtype="<f8")
        part = self._path.with_name(self._path.name + ".part")
        with together(self._comm):
            start = self._begin(part, rows.shape[1]) if self._comm.rank == 0 else 0
        start = self._comm.bcast(start)
        with together(self._comm):
            if rows.size:
                with _said(part), part.open("r+b") as file:
                    # Plain writing: pages of a mapped file may be another rank's, too.
                    file.seek(start + self._files.low * rows.shape[1] * rows.itemsize)
                    file.write(rows.data)
                    file.flush()
                    os.fsync(file.fileno())
        if self._comm.rank == 0:
            os.replace(part, self._path)
        self._comm.Barrier()

    def _begin(self, part: Path, width: int) -> int:
        """Write the head of the file; where its rows start."""
        head = {"descr": "<f8", "fortran_order": False, "shape": (self._files.total, width)}
        with _said(part), part.open("wb") as file:
            np.lib.format.write_array_header_1_0(file, head)
            start = file.tell()
            file.truncate(start + self._files.total * width * 8)
        return start

    def load(self) -> FloatArray | None:
        """Return the rows of this rank, or None where there is no such file yet."""
        rows: FloatArray = np.empty((0, 0))
        if not self._comm.bcast(self._path.is_file() if self._comm.rank == 0 else None):
            return None
        with together(self._comm):
            try:
                table = np.load(self._path, mmap_mode="r", allow_pickle=False)
            except (ValueError, OSError, EOFError):
                raise InputError(f"{self._path} is not a whole checkpoint; remove it") from None
            if table.ndim != 2 or len(table) != self._files.total:
                raise InputError(
                    f"{self._path} has shape {table.shape}, and there are {self._files.total} "
                    "vertices: it belongs to another complex; remove it or name another"
                )
            rows = np.array(table[self._files.low : self._files.high], np.float64, order="F")
            if not np.isfinite(rows).all():
                raise InputError(f"{self._path} holds numbers that are not finite; remove it")
        return self._numbering.from_files(rows)

    def keeping(self, also: FloatArray | None = None) -> OnStep:
        """Return what writes every few steps (and at step -1), beside what is known already.

        Of that no more than three times as much is kept, or every run would add to the file.
        """

        def keep(step: int, X: FloatArray, size: float, goal: float) -> None:
            if step % _EVERY == _EVERY - 1:
                self.save(X if also is None else np.hstack([X, also[:, : 3 * X.shape[1]]]))

        return keep


@contextmanager
def _said(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error}); choose another place") from None
