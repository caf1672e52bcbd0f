"""How time and memory grow with the size, from 1,000 vertices to a million.

Ten smallest eigenpairs of the graph Laplacian and of the unfolded collapse, each case in a process
of its own, and the exponent p of time ~ n^p and memory ~ n^p, fitted to all sizes (of memory to all
but the first). Next to them one product with S, and the least that it has to read, A and K once:
how many bytes, and how many times the seconds of just reading them (a sum of as many) it takes.

    python -m benchmarks.growth [--sizes 1000 10000 100000 1000000] [--kinds delaunay]
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np

import cellapse as cl
from benchmarks.scale import EPS, KINDS, in_own_process
from benchmarks.timing import save, seconds


def exponent(sizes: list[int], figures: list[float]) -> float:
    """The slope of a line through the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(figures, 1e-6)), 1)[0])


def one_product(kind: str, n: int) -> tuple[float, int, float]:
    """Seconds of S x, the bytes of A and K, and the seconds of reading as many."""
    warnings.simplefilter("ignore", cl.CellapseWarning)
    S = cl.collapse(KINDS[kind](n), "unfolded", eps=EPS)
    x = np.random.default_rng(0).standard_normal(n)
    S @ x  # what is factorized once is no part of it
    n_bytes = 2 * (S.A.data.nbytes + S.A.indices.nbytes)  # K has the pattern of A
    read = np.ones(n_bytes // 8)
    return seconds(lambda: S @ x), n_bytes, seconds(read.sum)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10**3, 10**4, 10**5, 10**6])
    parser.add_argument("--kinds", nargs="+", default=["delaunay"], choices=KINDS)
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for kind in arguments.kinds:
        cases = {name: [] for name in (None, "unfolded")}
        for n in arguments.sizes:
            for name, figures in cases.items():
                figures.append(in_own_process(kind, n, name)[:2])
        product, n_bytes, reading = one_product(kind, min(arguments.sizes[-1], 10**5))
        for name, figures in cases.items():
            times, memory = zip(*figures, strict=True)
            row = {"kind": kind, "operator": name or "graph Laplacian"}
            row |= {f"{n:,} [s]": t for n, t in zip(arguments.sizes, times, strict=True)}
            row |= {"time ~ n^p": exponent(arguments.sizes, list(times))}
            row |= {"memory ~ n^p": exponent(arguments.sizes[1:], list(memory[1:]))}
            of_product = (n_bytes / 1e6, product / reading) if name else ("", "")
            row |= dict(zip(("A and K [MB]", "S x / reading them"), of_product, strict=True))
            rows.append(row)
            print(row, flush=True)
    save("growth", rows)


if __name__ == "__main__":
    main()
