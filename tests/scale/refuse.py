"""mpirun -n P python -m mpi4py -m tests.scale.refuse FOLDER: what is wrong is said on all ranks."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI

import cellapse as cl
from cellapse import scale
from tests.scale.families import FAMILIES, delaunay

comm = MPI.COMM_WORLD
last = comm.rank == comm.size - 1
edges = np.array([(0, 1), (1, 2), (0, 2), (2, 3)])
from_edges = scale.DistributedComplex.from_edges
from_hyperedges = scale.DistributedComplex.from_hyperedges


def refused(words: str, act: Callable[[], Any], kind: type[Exception] = cl.InputError) -> None:
    """Every rank raises, and nobody waits."""
    with pytest.raises(kind, match=re.escape(words)):
        act()
    comm.Barrier()


def one_rank_alone(folder: Path) -> None:
    refused("loop", lambda: from_edges(np.array([(1, 1)]) if last else edges))
    refused("start at 0", lambda: from_edges(np.array([(-1, 1)]) if last else edges))
    refused("whole", lambda: from_edges(np.array([(0.5, 1.0)]) if last else edges))
    refused("unknown", lambda: from_edges(np.array([(7, 1)]) if last else edges, n_vertices=4))
    refused("number the vertices", lambda: from_edges(np.array([(0, 10**9)])))
    missing = folder / "missing.npy" if last else edges
    refused("no such file", lambda: from_edges(missing))
    twice = np.array([1.0, 1.0, 1.0, 2.0 + comm.rank])
    if comm.size > 1:
        refused("weights", lambda: from_edges(edges, weights=twice))
        refused("on rank", lambda: from_edges(edges, weights=twice if last else None))
        refused("max_rank", lambda: from_edges(edges, max_rank=3 if last else 2))
    refused("weights", lambda: from_edges(edges, weights=np.zeros(4) if last else np.ones(4)))
    wrong = np.array([1.0, 2.0, 1.0, 1.0])
    rows = np.array([(0, 0), (0, 1), (1, 2), (1, 3)])
    refused("hyperedge 0", lambda: from_hyperedges(rows, weights=wrong))


def operators(folder: Path) -> None:
    D = from_edges(edges)
    assert D.n_cells == (4, 4, 1)
    if comm.size > 1:
        refused("same on all ranks", lambda: scale.collapse(D, eps=1e-3 if last else 1e-4))
    refused("exceeds the PSD bound", lambda: scale.collapse(D, gamma=9.0))
    refused("not distributed", lambda: scale.collapse(D, "boundary"))
    refused("not distributed", lambda: scale.collapse(D, "unfolded", eps=0.0))
    unchecked = cl.Unchecked(0.1)
    refused("not distributed", lambda: scale.collapse(D, "unfolded", gamma=unchecked, eps=0.0))
    refused("choose one of", lambda: scale.collapse(D, "unfold"))
    refused("DistributedComplex", lambda: scale.collapse(edges))
    S = scale.collapse(D)
    refused("shape", lambda: S @ np.ones(D.vertices.count + 1))
    refused("k=9", lambda: S.spectrum(9))
    refused("shift=-1", lambda: S.solve(np.ones(D.vertices.count), -1.0))
    mesh = FAMILIES["disconnected"]().spread(comm)
    other = folder / "other.npy"
    if comm.rank == 0:
        np.save(other, np.ones((7, 2)))
    comm.Barrier()
    T = scale.collapse(mesh, "screened")
    refused("another complex", lambda: T.spectrum(8, checkpoint=other))
    refused("components for 2 clusters", lambda: scale.cluster(T, 2))


def nothing_and_little() -> None:
    """No edge at all, an empty rank, and one vertex more than edges tell of."""
    D = from_edges(np.empty((0, 2), np.int64), n_vertices=3)
    assert D.n_cells == (3, 0, 0)
    assert D.n_components == 3
    for name in ("unfolded", "renormalized"):
        S = scale.collapse(D, name)
        assert not (S @ np.ones(D.vertices.count)).any()
        assert S.spectrum(3).values.tolist() == [0.0, 0.0, 0.0]
    D = from_edges(edges if comm.rank == 0 else edges[:0], n_vertices=5)
    values = scale.collapse(D, "screened").spectrum(5).values
    K = cl.clique_complex(edges)
    expected = cl.collapse(K, "screened").spectrum().values
    assert np.allclose(values, [0.0, *expected], atol=1e-12)


def names() -> None:
    """Vertices called by words or large numbers, in the order of their labels."""
    mesh, v = delaunay(60), np.arange(62)
    x = np.sin(v)
    y = np.zeros(62)  # the last two vertices have no edge
    y[:60] = cl.collapse(cl.clique_complex(mesh), "screened") @ x[:60]
    words = np.array([f"ä{i * 7919 % 10007}" for i in v])
    for label in (words, v * 7919 % 10007 + 10**12):
        order = np.argsort(label)
        part = label[mesh][comm.rank :: comm.size]
        D = scale.DistributedComplex.from_labelled_edges(part, alone=label[60:])
        assert np.concatenate(comm.allgather(D.labels)).tolist() == label[order].tolist()
        mine = scale.collapse(D, "screened") @ x[order][D.vertices.low : D.vertices.high]
        assert abs(np.concatenate(comm.allgather(mine)) - y[order]).max() < 1e-13
    mixed = label[mesh] if last else words[mesh]
    if comm.size > 1:
        refused("one kind", lambda: scale.DistributedComplex.from_labelled_edges(mixed))


if __name__ == "__main__":
    names()
    one_rank_alone(Path(sys.argv[1]))
    operators(Path(sys.argv[1]))
    nothing_and_little()
