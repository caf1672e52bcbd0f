"""How the time and memory of learned trust grow with the number of edges.

`edge_trust(K, evidence="learned")` beside the trust by cells, for neighbours on a plane, ten each,
every case in a process of its own: processor seconds of the first and only call, and how far it
raises the largest memory of the process.

    python -m benchmarks.learned_trust [--sizes 10000 100000 1000000]
"""

from __future__ import annotations

import argparse
import resource
import time
from multiprocessing import get_context
from typing import Any

import numpy as np
from scipy.spatial import cKDTree
from threadpoolctl import threadpool_limits

import cellapse as cl
from benchmarks.timing import save

EVIDENCE = ("cells", "learned")
DEGREE = 10.0


def neighbours(n_edges: int) -> cl.Complex:
    """Return points on a square, joined where they are near, with their triangles."""
    n = round(2 * n_edges / DEGREE)
    points = np.random.default_rng(0).random((n, 2))
    pairs = cKDTree(points).query_pairs(np.sqrt(DEGREE / (np.pi * n)), output_type="ndarray")
    return cl.clique_complex(cl.Complex.from_arrays(n, {1: pairs}), 2)


def one(n_edges: int, evidence: str) -> dict[str, Any]:
    """Return a row: seconds and memory of one call."""
    K = neighbours(n_edges)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with threadpool_limits(1):
        start = time.process_time()
        cl.edge_trust(K, evidence=evidence)
        taken = time.process_time() - start
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {
        "edges": K.n_cells[1],
        "evidence": evidence,
        "seconds": taken,
        "microseconds an edge": 1e6 * taken / K.n_cells[1],
        "more memory [MB]": more / 1024.0,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10**4, 10**5, 10**6])
    rows = []
    for size in parser.parse_args().sizes:
        for evidence in EVIDENCE:
            with get_context("spawn").Pool(1) as pool:
                rows.append(pool.apply(one, (size, evidence)))
            print(rows[-1], flush=True)
    save("learned_trust", rows)


if __name__ == "__main__":
    main()
