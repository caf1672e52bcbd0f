"""mpirun -n 2 python -m mpi4py -m tests.scale.stopped edges.npy c.npy: killed at a checkpoint."""

import os
import signal
import sys

from cellapse import scale
from cellapse.scale.checkpoint import Checkpoint

save = Checkpoint.save


def once(checkpoint, X):
    save(checkpoint, X)
    os.kill(os.getpid(), signal.SIGKILL)


Checkpoint.save = once
edges, path = sys.argv[1:]
S = scale.collapse(scale.DistributedComplex.from_edges(edges), "renormalized")
S.spectrum(8, checkpoint=path)
