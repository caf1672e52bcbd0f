"""How much memory there is, asked before a large array is made rather than after."""

import os
from pathlib import Path

from cellapse._errors import SizeError

_CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_SMALL = 100_000  # bytes; asking for the rest takes longer than such a table


def available_memory() -> int:
    """Bytes that can still be allocated: the machine's free memory, or a container's limit."""
    free = _meminfo_available()
    for path in _CGROUP_LIMITS:
        try:
            free = min(free, int(Path(path).read_text()))
        except (OSError, ValueError):  # no such file, or the word "max"
            continue
    return free


def _meminfo_available() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):  # not known on this platform: do not refuse
        return 1 << 62


def readable(n_bytes: float) -> str:
    """A number of bytes as people write it.

    >>> readable(8e9)
    '8.0 GB'
    """
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if n_bytes < 1000 or unit == "TB":
            break
        n_bytes /= 1000
    return f"{n_bytes:.0f} bytes" if unit == "bytes" else f"{n_bytes:.1f} {unit}"


def require_memory(n_bytes: float, what: str, remedy: str) -> None:
    """Raise `SizeError` when `what` needs more than nine tenths of the memory there is."""
    if n_bytes < _SMALL:
        return
    free = available_memory()
    if n_bytes > 0.9 * free:
        raise SizeError(
            f"{what} needs {readable(n_bytes)}, and {readable(free)} are available; {remedy}"
        )
