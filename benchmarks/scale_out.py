"""The collapse on one and two ranks, beside the engine of one machine.

For every network and way: processor time (the largest of all ranks), peak memory of a rank, steps
of the eigensolver and of conjugate gradients, eigenvalues compared. Efficiency is
time(1) / (P time(P)) of processor times; ranks that wait for each other burn time, so that it
includes waiting, but on a machine with other work it is a lower bound.

    make bench BENCH=scale_out
    python -m benchmarks.scale_out [--sizes 30000 100000] [--kinds delaunay] [--ranks 1 2] [--k 10]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import RESULTS, save

LIMIT = 1500  # seconds for one run


def delaunay(n: int) -> np.ndarray:
    """A mesh whose vertices follow a space-filling curve, as those of mesh files mostly do."""
    from scipy.spatial import Delaunay

    points = np.random.default_rng(0).random((n, 2))
    grid = (points * 2**16).astype(np.uint64)
    code = np.zeros(n, np.uint64)
    for bit in range(16):
        for axis in (0, 1):
            shifted = (grid[:, axis] >> np.uint64(bit)) & np.uint64(1)
            code |= shifted << np.uint64(2 * bit + axis)
    t = Delaunay(points[np.argsort(code)]).simplices.astype(np.int64)
    pairs = np.sort(np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [0, 2]]]), axis=1)
    return np.column_stack(np.divmod(np.unique(pairs[:, 0] * n + pairs[:, 1]), n))


def watts_strogatz(n: int) -> np.ndarray:
    """Ten neighbours on a ring, a tenth of the edges rewired."""
    rng = np.random.default_rng(0)
    u = np.repeat(np.arange(n), 5)
    v = (u + np.tile(np.arange(1, 6), n)) % n
    move = rng.random(len(u)) < 0.1
    v[move] = rng.integers(0, n, int(move.sum()))
    return np.unique(np.sort(np.column_stack([u, v])[u != v], axis=1), axis=0)


KINDS = {"delaunay": delaunay, "watts_strogatz": watts_strogatz}


def measured(start: tuple[float, float]) -> dict[str, float]:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {
        "cpu": time.process_time() - start[0],
        "wall": time.perf_counter() - start[1],
        "GB": peak,
    }


def on_ranks(path: str, operator: str, k: int) -> None:
    """What mpirun starts: one line of JSON from rank 0."""
    from cellapse import scale
    from cellapse.scale.libraries import MPI

    comm, start = MPI.COMM_WORLD, (time.process_time(), time.perf_counter())
    D = scale.DistributedComplex.from_edges(path)
    S = scale.collapse(D, operator)
    found = S.spectrum(k)
    figures = comm.allgather(measured(start))
    if comm.rank == 0:
        most = {name: max(f[name] for f in figures) for name in figures[0]}
        work = S.work
        inner = work["inner"] / max(work["solves"], 1)
        facts = {"steps": found.steps, "inner": inner, "values": found.values.tolist()}
        print(json.dumps({**most, **facts, "n_cells": D.n_cells}), flush=True)


def on_one_machine(path: str, operator: str, k: int) -> None:
    """The same by `cellapse.collapse`."""
    import cellapse as cl

    start = (time.process_time(), time.perf_counter())
    K = cl.clique_complex(np.load(path))
    found = cl.collapse(K, operator).spectrum(k)
    facts = {"values": found.values.tolist(), "n_cells": K.n_cells}
    print(json.dumps({**measured(start), **facts}), flush=True)


def run(ranks: int, path: Path, operator: str, k: int) -> dict[str, Any] | None:
    """One run in processes of its own; 0 ranks are one machine. None where it took too long."""
    command = [sys.executable, "-m", "benchmarks.scale_out", "--job", str(path), operator, str(k)]
    if ranks:
        command = ["mpirun", "-n", str(ranks), *command, "--spread"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def rows(kind: str, n: int, operator: str, ranks: list[int], k: int, path: Path) -> list[dict]:
    found = {P: run(P, path, operator, k) for P in [0, *ranks]}
    alone = found.get(1)
    table = []
    for P, figures in found.items():
        row: dict[str, Any] = {"network": kind, "n": n, "operator": operator}
        row["engine"] = f"scale, P={P}" if P else "one machine"
        row["load"] = round(os.getloadavg()[0], 1)
        if figures is None:
            table.append({**row, "note": f"stopped after {LIMIT} s"})
            continue
        row |= {"cpu s": figures["cpu"], "wall s": figures["wall"], "GB a rank": figures["GB"]}
        row |= {"steps": figures.get("steps", ""), "inner": figures.get("inner", "")}
        row["efficiency"] = alone["cpu"] / P / figures["cpu"] if P and alone else ""
        row["memory of P=1"] = figures["GB"] / alone["GB"] if P and alone else ""
        row["values off by"] = ""
        if P and found[0]:
            mine, theirs = np.array(figures["values"]), np.array(found[0]["values"])
            row["values off by"] = float(abs(mine - theirs).max() / theirs[-1])
        table.append(row)
    return table


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--operators", nargs="*", default=["unfolded", "renormalized"])
    parser.add_argument("--ranks", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--job", nargs=3)
    parser.add_argument("--spread", action="store_true")
    given = parser.parse_args()
    if given.job:
        path, operator, k = given.job
        (on_ranks if given.spread else on_one_machine)(path, operator, int(k))
        return
    with tempfile.TemporaryDirectory() as folder:
        for kind in given.kinds:
            for n in given.sizes:
                path = Path(folder) / f"{kind}{n}.npy"
                np.save(path, KINDS[kind](n))
                for operator in given.operators:
                    new = rows(kind, n, operator, given.ranks, given.k, path)
                    save("scale_out", [*others(kind, n, operator), *new])


def others(kind: str, n: int, operator: str) -> list[dict[str, Any]]:
    """What was measured before on other networks or operators."""
    file = RESULTS / "scale_out.json"
    kept = json.loads(file.read_text()) if file.is_file() else []
    return [r for r in kept if (r["network"], r["n"], r["operator"]) != (kind, n, operator)]


if __name__ == "__main__":
    main()
