"""Runs that can be interrupted: every result is a file of its own, written whole or not at all.

A run is a function and its arguments; its file is named after them. Whoever starts again finds the
files that are there, checks that they belong to the same arguments and the same code, and computes
only the others.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cellapse._errors import CellapseError, CellapseWarning
from cellapse._shared.files import make_folder, write_whole
from cellapse._shared.workers import on_workers
from cellapse._version import __version__

Arguments = dict[str, Any]
Result = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """One piece of a table: what to call, with which arguments (plain JSON values)."""

    table: str
    function: Callable[..., Result]
    arguments: Arguments

    def file(self, folder: Path) -> Path:
        """Return where its result is kept: a readable name, and a checksum of the arguments."""
        text = json.dumps(self.arguments, sort_keys=True)
        words = "-".join(str(value) for value in self.arguments.values())
        readable = re.sub(r"[^A-Za-z0-9.+-]+", "_", words)[:60]
        code = hashlib.sha256(text.encode()).hexdigest()[:8]
        return folder / self.table / f"{readable}-{code}.json"


@cache
def code_of(function: Callable[..., Result]) -> str:
    """The release and a checksum of the experiments' code behind a run: results go out of date."""
    sources: dict[Path, bytes] = {}
    file = inspect.getsourcefile(function)
    _collect(Path(file or ""), sources)
    text = b"".join(sources[path] for path in sorted(sources))
    return f"{__version__}-{hashlib.sha256(text).hexdigest()[:12]}"


def _collect(path: Path, sources: dict[Path, bytes]) -> None:
    """The file and those of the experiments that it imports, and so on."""
    if path in sources or not path.is_file():
        return
    sources[path] = path.read_bytes()
    for name in re.findall(rb"from cellapse\.experiments\.([\w.]+) import", sources[path]):
        inside = name.decode().replace(".", "/")
        _collect(Path(__file__).parents[1] / f"{inside}.py", sources)


def finished(run: Run, folder: Path) -> Result | None:
    """The result of a run, if it is there, as it was written, and of these arguments and code."""
    try:
        record = json.loads(run.file(folder).read_text(encoding="utf-8"))
        same = record["arguments"] == run.arguments and record["code"] == code_of(run.function)
        whole = record["checksum"] == _checksum(record["result"])
        return record["result"] if same and whole else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _checksum(result: Result) -> str:
    """Of what a file says, in one way of writing it."""
    text = json.dumps(json.loads(json.dumps(result)), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@contextmanager
def quietly_on_one_thread() -> Iterator[None]:
    """Yield one thread, and no warnings of what tables do on purpose.

    They compare realizations, and one vector may have fewer values than there are groups: what
    these warnings say is in the report.
    """
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", CellapseWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def compute(run: Run) -> Result:
    """Return the record of one run: its result, and what it belongs to."""
    start = time.perf_counter()
    with quietly_on_one_thread():
        result = run.function(**run.arguments)
    return {
        "table": run.table,
        "arguments": run.arguments,
        "code": code_of(run.function),
        "result": result,
        "checksum": _checksum(result),
        "seconds": round(time.perf_counter() - start, 3),
    }


def keep(run: Run, record: Result, folder: Path) -> Result:
    """Write the record of a run, and give its result."""
    make_folder(run.file(folder).parent)
    write_whole(run.file(folder), json.dumps(record, indent=1) + "\n")
    result: Result = record["result"]
    return result


def perform(run: Run, folder: Path) -> Result:
    """Compute one run and keep its result."""
    return keep(run, compute(run), folder)


def perform_all(
    runs: Sequence[Run], folder: Path, pool: Executor | None = None, client: Any = None
) -> Iterator[tuple[Run, Result]]:
    """Every run with its result, finished ones first; those missing are computed as they come.

    Here one by one, by the processes of a pool, or by the workers of a Dask client.
    """
    missing = []
    for run in runs:
        known = finished(run, folder)
        if known is None:
            missing.append(run)
        else:
            yield run, known
    if client is not None:
        yield from _by_client(missing, folder, client)
    elif pool is not None:
        yield from _by_pool(missing, folder, pool)
    else:
        for run in missing:
            yield run, perform(run, folder)


def _by_client(runs: Sequence[Run], folder: Path, client: Any) -> Iterator[tuple[Run, Result]]:
    """Workers compute; results are kept here, as they may see another disk."""
    for i, record in on_workers(client, compute, [(run,) for run in runs]):
        run = runs[i]
        if record["code"] != code_of(run.function):
            raise CellapseError(
                f"a worker runs other code ({record['code']}) than is here "
                f"({code_of(run.function)}); install the same cellapse on all workers"
            )
        yield run, keep(run, record, folder)


def _by_pool(runs: Sequence[Run], folder: Path, pool: Executor) -> Iterator[tuple[Run, Result]]:
    waiting = {pool.submit(perform, run, folder): run for run in runs}
    try:
        for done in as_completed(waiting):
            yield waiting[done], done.result()
    except BrokenExecutor:
        raise CellapseError(
            "a worker process was ended from outside, perhaps for want of memory; what is done is "
            "kept, so start again, with fewer processes at once (n_jobs, --jobs) if it recurs"
        ) from None
    finally:  # interrupted: what has not begun need not begin
        for future in waiting:
            future.cancel()
