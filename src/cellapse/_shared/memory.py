"""How much memory there is, asked before a large array is made rather than after.

What counts: the free memory of the machine, the limit of a container (cgroup), the limit of the
process (`ulimit -v`), and, while a file is read, the budget of the reading.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from cellapse._errors import SizeError

Function = TypeVar("Function", bound=Callable[..., Any])

_CGROUP = Path("/sys/fs/cgroup")
_GROUPS = Path("/proc/self/cgroup")
# Of the second and the first version of cgroups: limit, use, and what of it are idle file pages.
_CGROUP_FILES = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
_SMALL = 1_000_000  # bytes; asking for the rest takes longer than such a table
_SMALL_PART = 0.1
_UNKNOWN = 1 << 62


class Budget:
    """The memory that one reading may take, drawn on before anything is made.

    `free` is the memory there is, where that has just been asked.
    """

    def __init__(self, limit: int, free: float = 0.0) -> None:
        self.limit = self.left = limit
        self._free = free

    def available(self, n_bytes: float) -> float:
        """The memory there is; asking takes long, so for a small part of it not every time."""
        if n_bytes > _SMALL_PART * self._free:
            self._free = available_memory()
        free, self._free = self._free, self._free - n_bytes
        return free


_BUDGET: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def memory_budget(limit: int, free: float = 0.0) -> Iterator[Budget]:
    """Yield whatever asks for memory within the block gets `limit` bytes and no more.

    >>> with memory_budget(1_000_000):
    ...     require_memory(2e6, "a table", "take a smaller one")
    Traceback (most recent call last):
    ...
    cellapse._errors.SizeError: a table needs 2.0 MB, and 1.0 MB of the 1.0 MB ...
    """
    budget = Budget(limit, free)
    token = _BUDGET.set(budget)
    try:
        yield budget
    finally:
        _BUDGET.reset(token)


def require_memory(n_bytes: float, what: str, remedy: str) -> None:
    """Raise `SizeError` when `what` needs more than nine tenths of the memory there is."""
    budget = _BUDGET.get()
    if budget is not None and n_bytes > budget.left:
        raise SizeError(
            f"{what} needs {readable(n_bytes)}, and {readable(budget.left)} of the "
            f"{readable(budget.limit)} that reading this may take are left; {remedy}, or allow "
            "more with max_memory="
        )
    if n_bytes < _SMALL:
        return
    free = available_memory() if budget is None else budget.available(n_bytes)
    if n_bytes > 0.9 * free:
        raise SizeError(
            f"{what} needs {readable(n_bytes)}, and {readable(free)} are available; {remedy}"
        )


def draw_memory(n_bytes: float, what: str, remedy: str) -> None:
    """`require_memory` for what stays until the reading ends: the budget has less afterwards."""
    require_memory(n_bytes, what, remedy)
    budget = _BUDGET.get()
    if budget is not None:
        budget.left -= int(n_bytes)


class Fitting:
    """A MemoryError within this block or function is a `SizeError`: no estimate counts everything.

    >>> with Fitting("a table", "take a smaller one"):
    ...     raise MemoryError("Unable to allocate 7 GiB")
    Traceback (most recent call last):
    ...
    cellapse._errors.SizeError: a table does not fit into memory (Unable to allocate 7 GiB); ...
    """

    def __init__(self, what: str, remedy: str) -> None:
        self._what, self._remedy = what, remedy

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, MemoryError) and not isinstance(error, SizeError):
            why = f" ({error})" if str(error) else ""
            raise SizeError(f"{self._what} does not fit into memory{why}; {self._remedy}") from None

    def __call__(self, function: Function) -> Function:
        # Not by contextlib, whose frame would pass for the line of the user in warnings.
        @wraps(function)
        def fitted(*args: Any, **options: Any) -> Any:
            with self:
                return function(*args, **options)

        return cast(Function, fitted)


def available_memory() -> int:
    """Return bytes that can still be allocated by this process."""
    return max(min(_free_on_machine(), _free_in_cgroup(), _free_in_process()), 0)


def _free_on_machine() -> int:
    try:
        for line in _content("/proc/meminfo").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):  # macOS has these, Windows has not
        return _free_on_windows()


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of Windows."""

    _fields_ = (
        *((name, ctypes.c_uint32) for name in ("length", "load")),
        *((name, ctypes.c_uint64) for name in ("there", "free", "pages", "free_pages")),
        *((name, ctypes.c_uint64) for name in ("addresses", "free_addresses", "extended")),
    )


def _free_on_windows() -> int:
    status = _MemoryStatus(ctypes.sizeof(_MemoryStatus))
    try:
        known = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))  # type: ignore[attr-defined, unused-ignore]
    except (AttributeError, OSError):  # not known on this platform: do not refuse
        known = 0
    return min(status.free, status.free_pages) if known else _UNKNOWN


def _free_in_cgroup() -> int:
    """Return what the container leaves; idle pages of files are given back when memory is short."""
    free = _UNKNOWN
    for folder in dict.fromkeys(_cgroups()):
        for limit, used, idle in _CGROUP_FILES:
            try:
                most = int(_content(f"{folder}/{limit}"))
                if most > _UNKNOWN:  # as version 1 says that there is no limit
                    continue
                left = most - int(_content(f"{folder}/{used}"))
                words = _content(f"{folder}/memory.stat").split()
                left += int(words[words.index(idle) + 1]) if idle in words else 0
                free = min(free, left)
            except (OSError, ValueError):  # no such file, or the word "max"
                continue
    return free


def _cgroups() -> Iterator[str]:
    """Yield the folders of the groups that this process is in, and of those around them."""
    yield from (f"{_CGROUP}", f"{_CGROUP}/memory")
    with suppress(OSError):
        for line in _content(_GROUPS).splitlines():
            _, kinds, group = line.split(":", 2)
            of_memory = "memory" in kinds.split(",")
            top = f"{_CGROUP}/memory" if of_memory else f"{_CGROUP}"
            inside = group.strip("/")
            while inside and (of_memory or not kinds):
                yield f"{top}/{inside}"
                inside = inside.rpartition("/")[0]


def _content(path: str | Path) -> str:
    """Return a small file; without a buffer and a decoder, which take longer than reading it."""
    with open(path, "rb", buffering=0) as file:
        return file.read().decode()


def _free_in_process() -> int:
    """Return what `ulimit -v` leaves of the address space."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return _UNKNOWN
        pages = int(_content("/proc/self/statm").split()[0])
        return limit - pages * resource.getpagesize()
    except (ImportError, OSError, ValueError, AttributeError):  # other platforms have none
        return _UNKNOWN


def readable(n_bytes: float) -> str:
    """Return a number of bytes as people write it.

    >>> readable(8e9)
    '8.0 GB'
    """
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if n_bytes < 1000 or unit == "TB":
            break
        n_bytes /= 1000
    return f"{n_bytes:.0f} bytes" if unit == "bytes" else f"{n_bytes:.1f} {unit}"
