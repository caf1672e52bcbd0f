"""mpirun -n P python -m mpi4py -m tests.scale.agree [name ...]: many ranks against one machine.

One process computes the reference, all compare. Products to 1e-13, eigenvalues to 1e-10, smoothing
to 1e-9, relative to the largest entry. Under `-m mpi4py` a failure on one rank ends them all.
"""

from __future__ import annotations

import os
import pickle
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

import cellapse as cl
from cellapse import scale
from cellapse.scale import edges, eigensolve
from tests.scale.families import FAMILIES

RENUMBERED = ("hypergraph", "disconnected")
BEYOND = 4  # eigenvalues besides the zeros
CHOICES: list[tuple[Any, dict[str, Any]]] = [
    ("unfolded", {}),
    ("unfolded", {"gamma": "regularized", "eps": 1e-2, "beta": 2.0}),
    ("screened", {}),
    ("renormalized", {}),
]


def kept(name: str, family: Any, x: np.ndarray) -> list[Any]:
    """The reference, computed once for all numbers of ranks where there is a folder for it."""
    folder = os.environ.get("CELLAPSE_REFERENCE")
    if folder is None:
        return reference(family, x)
    file = Path(folder) / f"{name}.pickle"
    if not file.is_file():
        file.write_bytes(pickle.dumps(reference(family, x)))
    return pickle.loads(file.read_bytes())


def reference(family: Any, x: np.ndarray) -> list[Any]:
    complex_ = family.here()
    results: list[Any] = [complex_.n_cells, len(np.unique(complex_.components()))]
    for name, options in CHOICES:
        S = cl.collapse(complex_, name, **options)
        smoothed = S.solve(x / 2.0, 0.5, rtol=1e-12)
        values = S.spectrum(BEYOND + results[1]).values
        results.append((S @ x, values, smoothed, S.weights.gamma))
    cut = S.spectrum(BEYOND + results[1], "degree").values
    trust = cl.edge_trust(complex_)
    by_edge = {tuple(sorted(edge)): row for edge, *row in zip(*_told(trust), strict=True)}
    return [*results, by_edge, cut, S.diagonal()]


def _told(trust: Any) -> tuple[Any, ...]:
    return trust.edges, trust.values.tolist(), trust.n_cells.tolist(), trust.shares.tolist()


def off(comm: Any, D: Any, mine: np.ndarray, whole: np.ndarray) -> float:
    """The largest difference, relative to the largest entry."""
    part = whole[D.labels]
    return comm.allreduce(float(abs(mine - part).max(initial=0)), MPI.MAX) / abs(whole).max()


def same_trust(comm: Any, D: Any, trusted: dict[tuple[int, int], Any]) -> None:
    edges = scale.edge_trust(D).columns()
    pairs = zip(edges["source"].tolist(), edges["target"].tolist(), strict=True)
    theirs = np.array([trusted[pair] for pair in pairs])
    rows = np.column_stack([edges["trust"], edges["cells"], edges["share"]])
    assert np.abs(rows - theirs.reshape(rows.shape)).max(initial=0.0) < 1e-12
    assert comm.allreduce(len(rows)) == len(trusted)


def renumbered(comm: Any, family: Any, x: np.ndarray, expected: Any, trusted: Any) -> None:
    """The same complex with its vertices shared out by PT-Scotch."""
    D = family.spread(comm, "scotch")
    assert sorted(np.concatenate(comm.allgather(D.labels))) == list(range(family.n))
    assert comm.size == 1 or "by PT-Scotch" in D.partition
    first = family.here().components()
    least = [int(np.flatnonzero(first == c)[0]) for c in first[D.labels]]
    assert D.components().tolist() == least
    S = scale.collapse(D, *CHOICES[1][:1], **CHOICES[1][1])
    y, values, smoothed, _ = expected[1]
    assert off(comm, D, S @ x[D.labels], y) < 1e-13
    assert off(comm, D, S.smooth(x[D.labels], 2.0), smoothed) < 1e-9
    assert abs(S.spectrum(len(values)).values - values).max() < 1e-10 * values[-1]
    same_trust(comm, D, trusted)


def compare(name: str, comm: Any) -> None:
    started = time.perf_counter()
    family = FAMILIES[name]()
    x = np.random.default_rng(3).standard_normal((family.n, 2))
    expected = comm.bcast(kept(name, family, x) if comm.rank == 0 else None)
    n_cells, n_components, *expected, trusted, cut, diagonal = expected
    D = family.spread(comm)
    assert D.n_cells == n_cells, (D.n_cells, n_cells)
    assert D.n_components == n_components
    mine = np.ascontiguousarray(x[D.labels])
    figures = []
    for (choice, options), (y, values, smoothed, gamma) in zip(CHOICES, expected, strict=True):
        S = scale.collapse(D, choice, **options)
        assert np.allclose(S.weights.gamma, gamma, rtol=1e-9, atol=0.0)
        found = S.spectrum(len(values))
        errors = (
            off(comm, D, S @ mine, y),
            float(abs(found.values - values).max()) / values[-1],
            off(comm, D, S.smooth(mine, 2.0), smoothed),
        )
        figures.append(errors)
        assert errors[0] < 1e-13, (name, choice, options, "product", errors)
        assert errors[1] < 1e-10, (name, choice, options, "eigenvalues", errors, found.solver)
        assert errors[2] < 1e-9, (name, choice, options, "smoothing", errors)
        total = comm.allreduce(found.vectors.T @ found.vectors)
        assert abs(total - np.eye(len(values))).max() < 1e-9
    assert off(comm, D, S.diagonal(), diagonal) < 1e-13
    same_trust(comm, D, trusted)
    if name in RENUMBERED:
        renumbered(comm, family, x, expected, trusted)
    assert abs(S.spectrum(len(cut), "degree").values - cut).max() < 1e-10
    if comm.rank == 0:
        worst = " ".join(f"{max(e):.0e}" for e in zip(*figures, strict=True))
        took = time.perf_counter() - started
        print(
            f"{name:18s} P={comm.size} {took:5.1f} s, off by {worst}: {found.solver:.30}",
            flush=True,
        )


if __name__ == "__main__":
    # Small networks take the ways of large ones: many messages are slow where ranks share cores.
    eigensolve.DENSE = 50
    edges.DENSE_BLOCK = 60
    for chosen in sys.argv[1:] or FAMILIES:
        compare(chosen, MPI.COMM_WORLD)
