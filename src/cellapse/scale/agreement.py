"""What one rank alone knows to be wrong, all ranks must know: otherwise they wait for ever."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from cellapse._errors import CellapseError, InputError


@contextmanager
def together(comm: Any) -> Iterator[None]:
    """Work of each rank alone; what fails on one fails on all, with the words of the first."""
    error: CellapseError | None = None
    try:
        yield
    except CellapseError as caught:
        error = caught
    told = comm.allgather(None if error is None else (type(error), str(error)))
    for rank, one in enumerate(told):
        if one is not None:
            kind, words = one
            where = f"rank {rank} of {comm.size}: " if comm.size > 1 else ""
            raise kind(f"{where}{words}") from error


def same_everywhere(comm: Any, name: str, value: Any) -> None:
    """Refuse an argument that differs between ranks."""
    told = comm.allgather(repr(value))
    for rank, other in enumerate(told):
        if other != told[0]:
            raise InputError(
                f"{name} is {told[0]:.80} on rank 0 and {other:.80} on rank {rank}; give the same "
                "on all ranks"
            )
