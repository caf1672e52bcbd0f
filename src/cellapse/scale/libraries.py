"""MPI, PETSc and SLEPc, or one error that says how to get them.

An error that nobody catches ends all ranks at once: at its normal end Python would wait for the
others, which PETSc needs to clean up, and they for what the failed one was to send.
"""

import sys
from types import TracebackType

from cellapse._errors import MissingExtraError

try:
    import slepc4py

    # Options come from this package alone, not from the command line of whoever imports it.
    slepc4py.init(["cellapse", "-no_signal_handler"])
    from mpi4py import MPI
    from petsc4py import PETSc
    from slepc4py import SLEPc
except ImportError as error:
    raise MissingExtraError(
        f"cellapse.scale needs mpi4py, petsc4py and slepc4py ({error}); on Debian or Ubuntu "
        "`make scale` installs them with their libraries, elsewhere pip install "
        "'cellapse[scale]' beside your own PETSc and SLEPc (documentation: Beyond one machine)"
    ) from None


def _end_all(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    _tell(kind, error, traceback)
    sys.stderr.flush()
    if MPI.COMM_WORLD.size > 1:
        MPI.COMM_WORLD.Abort(1)


_tell, sys.excepthook = sys.excepthook, _end_all

__all__ = ["MPI", "PETSc", "SLEPc"]
