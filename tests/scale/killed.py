"""mpirun -n 2 python -m mpi4py -m tests.scale.killed: one rank dies, the other must not wait."""

import os
import signal

from mpi4py import MPI

from cellapse import scale
from tests.scale.families import FAMILIES

D = FAMILIES["mesh"]().spread(MPI.COMM_WORLD)
if MPI.COMM_WORLD.rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
scale.collapse(D).spectrum(5)
