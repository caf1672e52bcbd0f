"""The spectra of many small complexes: all at once, and one after the other in a Python loop.

python -m benchmarks.batch [--count 43138]
"""

from __future__ import annotations

import warnings

import numpy as np

import cellapse as cl
from benchmarks.timing import save, seconds


def main() -> None:
    warnings.simplefilter("ignore", cl.CellapseWarning)
    surfaces = cl.datasets.triangulated_surfaces()
    complexes = [surfaces.complex(i) for i in range(len(surfaces))]
    count, few = len(complexes), complexes[:: len(complexes) // 500][:500]
    rows = []
    for realization in ("unfolded", "incidence"):
        for eps in (1e-4, (1e-4, 1e-3, 1e-2, 1e-1)):
            together = seconds(
                lambda r=realization, e=eps: cl.batch.spectra(
                    complexes, operator=r, eps=e, n_jobs=1
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
