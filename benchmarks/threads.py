"""Seconds on the clock with one thread and with two: what a second core gives a user.

Ten smallest eigenpairs of the unfolded collapse of a Delaunay mesh, each run in a process of its
own. BLAS has the threads, and PARDISO, which factorizes systems of more than 30,000 rows where it
is installed (the extra `fast`).

    python -m benchmarks.threads [--sizes 100000 1000000] [--threads 1 2]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time

import cellapse as cl
from benchmarks.scale import EPS, K, delaunay
from benchmarks.timing import save

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def job(n: int) -> None:
    """What runs in a process of its own: one line of JSON."""
    complex_ = delaunay(n)
    # What is loaded at first use is no part of it.
    cl.collapse(delaunay(30), "unfolded").spectrum(3)
    wall, cpu = time.perf_counter(), time.process_time()
    cl.collapse(complex_, "unfolded", eps=EPS).spectrum(K)
    print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu]))


def measured(n: int, threads: int) -> list[float]:
    environment = os.environ | dict.fromkeys(VARIABLES, str(threads))
    command = [sys.executable, "-m", "benchmarks.threads", "--job", str(n)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--job", type=int)
    arguments = parser.parse_args()
    if arguments.job:
        job(arguments.job)
        return
    rows = []
    for n in arguments.sizes:
        for threads in arguments.threads:
            wall, cpu = measured(n, threads)
            rows.append({"vertices": n, "threads": threads, "wall [s]": wall, "processor [s]": cpu})
    save("threads", rows)


if __name__ == "__main__":
    main()
