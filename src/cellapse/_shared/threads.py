"""Threads of the libraries of linear algebra, where more than one of them takes longer."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from functools import cache, lru_cache
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """All libraries on one thread, as long as it lasts: small problems, or a process for each."""
    return _limited(_libraries(len(sys.modules)))


def one_thread_of_openblas() -> AbstractContextManager[Any]:
    """OpenBLAS alone: products with a few columns wait for memory, and take longer on two.

    PARDISO keeps its own threads, which do help.
    """
    return _limited(_openblas())


def _limited(libraries: Any) -> AbstractContextManager[Any]:
    """Limit libraries to one thread; if all have one already, do nothing, which is quicker."""
    if all(library.num_threads == 1 for library in libraries.lib_controllers):
        return nullcontext()
    return libraries.limit(limits=1)


@lru_cache(maxsize=1)
def _libraries(_: int) -> Any:
    """Looked for again only after further imports: it takes longer than a small spectrum."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@cache
def _openblas() -> Any:
    """That of NumPy and SciPy, which are there from the start."""
    return _libraries(len(sys.modules)).select(internal_api="openblas")
