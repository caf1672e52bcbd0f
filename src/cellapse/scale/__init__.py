"""Beyond one machine: the collapse on PETSc and SLEPc, over MPI; needs the extra `scale`.

    mpirun -n 8 python -m mpi4py script.py

    from cellapse import scale
    D = scale.DistributedComplex.from_edges("edges.parquet")
    S = scale.collapse(D, "renormalized")
    S.spectrum(10)

Every rank runs the same lines and holds its share: vectors are the rows of its own vertices.
"""

from cellapse.scale import libraries as libraries  # first: what is missing is said at once
from cellapse.scale.collapsed import DistributedOperator, collapse
from cellapse.scale.complexes import DistributedComplex
from cellapse.scale.eigensolve import DistributedSpectrum
from cellapse.scale.tasks import DistributedTrust, cluster, edge_trust, embed

__all__ = [
    "DistributedComplex",
    "DistributedOperator",
    "DistributedSpectrum",
    "DistributedTrust",
    "cluster",
    "collapse",
    "edge_trust",
    "embed",
]
