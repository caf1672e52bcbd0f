"""
From a laptop to a cluster
==========================

How far does one machine go? The time of ten eigenpairs is measured as the network grows,
and then the same job is written for many machines, over MPI.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import cellapse as cl

cl.collapse(cl.lifts.nearest_neighbour_complex(np.eye(20), 6)).spectrum(2)  # warm up
sizes = np.array([1_000, 3_000, 10_000, 30_000, 100_000])
steps = {"complex": [], "operator": [], "ten eigenpairs": []}
for n in sizes:
    points = np.random.default_rng(0).random((n, 2))
    begin = time.process_time()
    K = cl.lifts.nearest_neighbour_complex(points, 6)
    made = time.process_time()
    S = cl.collapse(K, "renormalized")
    collapsed = time.process_time()
    S.spectrum(10)
    done = time.process_time()
    for name, seconds in zip(
        steps, (made - begin, collapsed - made, done - collapsed), strict=True
    ):
        steps[name].append(seconds)
S

# %%

figure, ax = plt.subplots(figsize=(6.5, 4), layout="constrained")
for (name, seconds), look in zip(steps.items(), ("oC0", "sC1", "^C2"), strict=True):
    ax.loglog(sizes, seconds, f"{look}-", label=name)
ax.loglog(sizes, 2e-6 * sizes, "--", color="#999", label="in proportion to n")
ax.set(xlabel="vertices", ylabel="seconds of one core")
ax.legend(frameon=False)

# %%
# The same job on a cluster reads a file that no single machine holds, and every rank keeps
# its share. Save these lines as ``job.py``:
#
# .. code-block:: python
#
#     from cellapse import scale
#
#     D = scale.DistributedComplex.from_edges("edges.parquet", max_rank=2)
#     S = scale.collapse(D, "renormalized")
#     spectrum = S.spectrum(10)
#     if D.comm.rank == 0:
#         print(spectrum.values)
#
# and run them with ``mpirun -n 64 python -m mpi4py job.py``. Many small complexes are
# easier: ``cl.batch.spectra(complexes, client=client)`` hands them to the workers of Dask.

# %%
# When not to
# -----------
# If it fits into the memory of one machine, stay there: up to some millions of edges
# :func:`cellapse.collapse` is quicker than :mod:`cellapse.scale` on one rank, and simpler.
# The price of many machines is paid in messages; it is worth it where memory runs out.
