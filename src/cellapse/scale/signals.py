"""Signals on the vertices, read by all ranks: each gets the values of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cellapse._errors import InputError, extra
from cellapse._shared.arrays import FloatArray
from cellapse.scale.agreement import together
from cellapse.scale.complexes import DistributedComplex
from cellapse.scale.libraries import MPI


def read_signal(D: DistributedComplex, source: str) -> FloatArray:
    """The degree, a .npy file with one value per vertex, or a .parquet file: node, value."""
    if source == "degree":
        return D.edges.degree.astype(np.float64)
    if source.endswith(".parquet"):
        return _by_node(D, Path(source))
    if not source.endswith(".npy"):
        raise InputError(f"--signal {source}; give degree, a .npy or a .parquet file")
    with together(D.comm):
        try:
            values = np.load(source, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError):
            raise InputError(
                f"{source}: no complete .npy file of numbers is there; write it again"
            ) from None
        if values.shape != (D.n_vertices,):
            raise InputError(
                f"{source} has shape {values.shape}; give one value for each of "
                f"{D.n_vertices} vertices"
            )
        files = D.numbering.files
        mine = np.array(values[files.low : files.high], dtype=np.float64)
    return D.numbering.from_files(mine)


def _by_node(D: DistributedComplex, path: Path) -> FloatArray:
    with together(D.comm):
        node, value = _rows(path, D.comm)
        wrong = node[(node < 0) | (node >= D.n_vertices)]
        if len(wrong):
            raise InputError(
                f"{path}: vertex {wrong[0]} is unknown; vertices are 0 to {D.n_vertices - 1}"
            )
    node = D.numbering.numbers(node)
    route = D.vertices.route(node)
    values = np.full(D.vertices.count, np.nan)
    values[route.send(node) - D.vertices.low] = route.send(value)
    missing = D.numbering.given_here[np.isnan(values)]
    first = int(missing.min(initial=D.n_vertices))
    first = D.comm.allreduce(first, MPI.MIN)
    if first < D.n_vertices:
        raise InputError(f"{path}: vertex {first} has no value; give one to every vertex")
    return values


def _rows(path: Path, comm: Any) -> tuple[Any, FloatArray]:
    with extra("pyarrow", "parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq
    try:
        file = pq.ParquetFile(path)
        groups = range(comm.rank, file.num_row_groups, comm.size)
        table = file.read_row_groups(list(groups), columns=file.schema_arrow.names[:2])
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path}: not a complete Parquet file ({error})") from None
    node, value = (table.column(i).to_numpy() for i in (0, 1))
    return node.astype(np.int64), value.astype(np.float64)
