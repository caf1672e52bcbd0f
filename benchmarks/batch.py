"""The spectra of many small complexes: all at once, and one after the other in a Python loop.

python -m benchmarks.batch [--count 43138]
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import cellapse as cl
from benchmarks.timing import save, seconds


def small_complexes(count: int) -> list[cl.Complex]:
    """Clique complexes of random graphs with ten vertices and about 27 edges."""
    rng = np.random.default_rng(0)
    pairs = np.column_stack(np.triu_indices(10, 1))
    return [cl.clique_complex(pairs[rng.random(len(pairs)) < 0.6]) for _ in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=43_138, help="as many as surfaces, by default")
    count = parser.parse_args().count
    warnings.simplefilter("ignore", cl.CellapseWarning)
    complexes = small_complexes(count)
    few = complexes[:500]
    rows = []
    for realization in ("unfolded", "screened", "incidence", "mixed"):
        for eps in (1e-4, (1e-4, 1e-3, 1e-2, 1e-1)):
            together = seconds(
                lambda r=realization, e=eps: cl.batch.spectra(
                    complexes, realization=r, eps=e, n_jobs=1
                ),
                repeats=1,
            )
            loop = seconds(
                lambda r=realization, e=eps: [
                    cl.collapse(K, realization=r, eps=one).spectrum()
                    for K in few
                    for one in np.ravel(e)
                ],
                repeats=1,
            )
            rows.append(
                {
                    "complexes": count,
                    "realization": realization,
                    "values of eps": int(np.size(eps)),
                    "batch, one thread [s]": together,
                    "loop / batch": loop * count / len(few) / together,
                }
            )
    save("batch", rows)


if __name__ == "__main__":
    main()
