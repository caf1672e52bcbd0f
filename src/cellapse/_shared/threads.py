"""Threads of OpenBLAS: products with a few columns wait for memory, and take longer on two."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any


def one_thread_of_openblas() -> AbstractContextManager[Any]:
    """OpenBLAS on one thread, as long as it lasts; PARDISO keeps its own, which do help.

    Where there is one only, nothing is set.
    """
    libraries = _openblas()
    if all(library.num_threads == 1 for library in libraries.lib_controllers):
        return nullcontext()
    return libraries.limit(limits=1)


@cache
def _openblas() -> Any:
    """Looked for once: that takes longer than setting a number of threads."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(internal_api="openblas")
