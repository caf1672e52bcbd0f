"""A space of vectors in one .npy file, (n, k) in the order of the vertices.

Any number of ranks can go on from it. It is written beside its place and renamed when complete, so
that what is there is always whole.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray
from cellapse.scale.agreement import together
from cellapse.scale.davidson import OnStep
from cellapse.scale.routes import Ranges

_EVERY = 5  # steps between two checkpoints


def save_space(path: str | Path, vertices: Ranges, X: FloatArray) -> None:
    """Every rank writes its rows; the file takes its place when all have."""
    comm, path = vertices.comm, Path(path)
    part = path.with_name(path.name + ".part")
    with together(comm):
        if comm.rank == 0:
            try:
                shape = (vertices.total, X.shape[1])
                np.lib.format.open_memmap(part, "w+", np.float64, shape).flush()
            except OSError as error:
                raise InputError(
                    f"{part}: cannot be written ({error}); choose another place"
                ) from None
    if vertices.count:
        file = np.lib.format.open_memmap(part, "r+")
        file[vertices.low : vertices.high] = X
        file.flush()
        del file
    comm.Barrier()
    if comm.rank == 0:
        os.replace(part, path)


def load_space(path: str | Path, vertices: Ranges) -> FloatArray | None:
    """The rows of this rank, or None where there is no such file yet."""
    comm = vertices.comm
    rows: FloatArray | None = None
    there = comm.bcast(Path(path).is_file() if comm.rank == 0 else None)
    if not there:
        return None
    with together(comm):
        try:
            table = np.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise InputError(f"{path}: not a checkpoint ({error}); remove it") from None
        if table.ndim != 2 or len(table) != vertices.total:
            raise InputError(
                f"{path} has shape {table.shape}, and there are {vertices.total} vertices: it "
                "belongs to another complex; remove it or name another"
            )
        rows = np.array(table[vertices.low : vertices.high], dtype=np.float64, order="F")
    return rows


def keeping(path: str | Path | None, vertices: Ranges, also: FloatArray | None) -> OnStep | None:
    """What writes a checkpoint every few steps (and at step -1), next to what is known already."""
    if path is None:
        return None

    def keep(step: int, X: FloatArray, size: float, goal: float) -> None:
        if step % _EVERY == _EVERY - 1:
            save_space(path, vertices, X if also is None else np.hstack([also, X]))

    return keep
