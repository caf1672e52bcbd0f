"""Work on the workers of a Dask cluster, in the order it was given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from cellapse._errors import CellapseError, InputError, extra

R = TypeVar("R")

_RETRIES = 3  # of a part that fails for a reason of its worker


def on_workers(
    client: Any, run: Callable[..., R], parts: Sequence[tuple[Any, ...]]
) -> Iterator[tuple[int, R]]:
    """Yield the number of each part and `run(*part)`, as workers of a Dask client finish them.

    A part that is lost with its worker is run again by another one. What has not begun is given up
    when an error, or whoever asked, ends the loop.
    """
    with extra("dask.distributed", "scale"):
        from distributed import Client, KilledWorker, as_completed
    if not isinstance(client, Client):
        raise InputError(f"client={client!r:.80}; give a dask.distributed.Client")
    futures = {
        client.submit(run, *part, retries=_RETRIES, pure=False): i for i, part in enumerate(parts)
    }
    try:
        for future in as_completed(futures):
            yield futures[future], future.result()
    except KilledWorker as error:
        raise CellapseError(
            f"a part was lost with its worker again and again ({error}); give the workers more "
            "memory, or send less at a time"
        ) from None
    finally:
        client.cancel(list(futures))
