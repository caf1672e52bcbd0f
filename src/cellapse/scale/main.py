"""The program cellapse-scale: verbs of `cellapse`, run by every rank of mpirun.

    mpirun -n 8 cellapse-scale spectrum edges.parquet -k 10 -o out --checkpoint c.npy

Exit codes are those of `cellapse`. What all ranks refuse together ends with one sentence of rank 0;
what happens to one rank alone ends the others, which would wait for it.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from typing import NoReturn

from cellapse._errors import CellapseError, InputError, MissingExtraError

_PATIENCE = 5.0  # seconds for the other ranks to come to the same end


def main() -> None:
    """Run the command line on this rank."""
    try:
        from cellapse.scale.libraries import MPI
        from cellapse.scale.verbs import app
    except MissingExtraError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(3)
    comm, spoken = MPI.COMM_WORLD, sys.stderr
    if comm.rank:  # one voice
        sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    try:
        app(prog_name="cellapse-scale")
    except CellapseError as error:
        _stop(comm, str(error), spoken, _code(error))
    except SystemExit:
        raise
    except BaseException:
        print(f"rank {comm.rank}:\n{traceback.format_exc()}", file=spoken, flush=True)
        comm.Abort(1)


def _code(error: CellapseError) -> int:
    if isinstance(error, InputError):
        return 2
    return 3 if isinstance(error, MissingExtraError) else 4


def _stop(comm: object, sentence: str, spoken: object, code: int) -> NoReturn:
    """End together with the others or, where they do not come, end them."""
    request = comm.Ibarrier()  # type: ignore[attr-defined]
    until = time.monotonic() + _PATIENCE
    while not request.Test():
        if time.monotonic() > until:
            rank = comm.rank  # type: ignore[attr-defined]
            print(f"error: rank {rank} alone: {sentence}", file=spoken, flush=True)  # type: ignore[call-overload]
            comm.Abort(code)  # type: ignore[attr-defined]
        time.sleep(0.01)
    print(f"error: {sentence}", file=sys.stderr, flush=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
