"""Do the tests notice a mistake? `make mutate MODULE=tasks/resistance`, or a folder, or several.

All tests are collected once, and run once to see how long each takes and which lines it runs.
Then every mutant (see `mutants.py`) is one forked process: the code of the changed function is
exchanged in place, and the tests that run the changed line follow, the quickest first, until one
fails. What was changed outside of a function needs a new process with a copy of the package.
Survivors are printed: a test is missing there, or the change makes no difference, and then the
line and the reason belong into `mutation_exceptions.txt`.

Times and lines are kept in build/mutate.json; --fresh measures anew. Needs fork.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import NamedTuple

import pytest
from hypothesis import Phase, settings
from mutants import Line, Mutant, draw, exceptions, lines_of

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "cellapse"
RUNS = ROOT / "build" / "mutate.json"
OPTIONS = ["-q", "-s", "-x", "-p", "no:cacheprovider", "-o", "faulthandler_timeout=0"]
MEMORY = 6 << 30  # bytes a mutant may take
_CHANGED = 4  # exit code of a process that could not put a mutant in place
CALLS = 200  # of a function, after which a test is taken to have reached what it reaches there


class Measured(NamedTuple):
    """How long a test takes, and the lines of every function that it runs."""

    seconds: float
    lines: dict[str, list[int]]


class Mutate:
    """A plugin of pytest: instead of running the tests once, run them on mutants."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.spared = exceptions()
        self.failed = False
        self.kills: Counter[str] = Counter()

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        # A failure is all that is wanted, not the smallest example of it.
        phases = (Phase.explicit, Phase.generate)
        parent = settings.get_profile("cellapse")
        settings.register_profile("mutants", parent=parent, phases=phases, database=None)
        settings.load_profile("mutants")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.tests = {item.nodeid: item for item in session.items}
        for path, line in stale(self.spared):
            place = ":".join(filter(None, (path, line.scope)))
            print(f"an exception that is no longer needed: {place}: {line.code}")
        self.runs = self.measure()
        rows = [self.module(path) for path in modules(self.given.modules)]
        print("\n| module | mutants | noticed | share |\n| --- | --- | --- | --- |")
        for name, drawn, noticed in [
            *rows,
            ("together", *map(sum, zip(*(r[1:] for r in rows), strict=True))),
        ]:
            print(f"| `{name}` | {drawn} | {noticed} | {noticed / max(drawn, 1):.0%} |")
        return True

    def run(self, nodeids: list[str]) -> Iterator[str]:
        """Run tests in this order; gives the name of each that has failed."""
        items = [self.tests[nodeid] for nodeid in nodeids]
        for item, following in zip(items, [*items[1:], None], strict=True):
            self.failed = False
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                yield item.nodeid

    def measure(self) -> dict[str, Measured]:
        """Seconds, and lines that are run, of every test that passes."""
        known = json.loads(RUNS.read_text()) if RUNS.exists() and not self.given.fresh else {}
        now = {nodeid: _digest(item.path) for nodeid, item in self.tests.items()}
        known = {t: entry for t, entry in known.items() if now.get(t, entry[0]) == entry[0]}
        missing = [nodeid for nodeid in now if nodeid not in known]
        if missing:
            print(f"running {len(missing)} tests to see what they reach", flush=True)
            RUNS.parent.mkdir(exist_ok=True)
            in_child(lambda: self._measure(missing, now, known), 24 * 3600.0)
            known = json.loads(RUNS.read_text())
        broken = [test for test in now if test not in known or known[test][1] is None]
        for test in broken:
            print(f"fails without any change, left out: {test}")
        return {test: Measured(*known[test][1:]) for test in now if test not in broken}

    def _measure(self, missing: list[str], now: dict[str, str], known: dict[str, list]) -> int:
        kept = time.monotonic()
        for nodeid in missing:
            before = sum(os.times()[:4])
            with reached() as lines:
                failed = any(self.run([nodeid]))
            seconds = None if failed else round(sum(os.times()[:4]) - before, 3)
            known[nodeid] = [now[nodeid], seconds, lines]
            if time.monotonic() - kept > 60.0:  # so that not all is lost when it is stopped
                RUNS.write_text(json.dumps(known))
                kept = time.monotonic()
        RUNS.write_text(json.dumps(known))
        return 0

    def module(self, path: Path) -> tuple[str, int, int]:
        name = str(path.relative_to(PACKAGE).with_suffix(""))
        source = path.read_text(encoding="utf-8")
        spared = self.spared.get(path.relative_to(PACKAGE).as_posix(), set())
        chosen, every = draw(source, self.given.count, self.given.seed, spared)
        print(f"{name}: {len(chosen)} of {every} mutants", flush=True)
        began, noticed, drawn = time.monotonic(), 0, len(chosen)
        self.living = functions_of(path)
        for mutant in chosen:
            tests = self.tests_of(path, mutant)
            seen = self.notices(path, mutant, tests)
            if seen is None:
                print(f"  not counted, the file has changed since: {mutant}", flush=True)
                drawn -= 1
            elif seen:
                noticed += 1
            else:
                print(f"  survives {len(tests)} tests, {mutant}", flush=True)
        print(f"  {noticed} of {drawn} noticed, {time.monotonic() - began:.0f} s", flush=True)
        return name, drawn, noticed

    def tests_of(self, path: Path, mutant: Mutant) -> list[str]:
        """The tests that run the changed line: those that noticed others, then quick ones."""
        start = f"{path.relative_to(PACKAGE)}:"
        function, offset = start + mutant.function, mutant.line - mutant.begin
        at_line = [t for t, run in self.runs.items() if offset in run.lines.get(function, ())]
        in_function = [t for t, run in self.runs.items() if function in run.lines]
        in_module = [
            t for t, run in self.runs.items() if any(f.startswith(start) for f in run.lines)
        ]
        tests = (mutant.function and (at_line or in_function)) or in_module
        tests.sort(key=lambda test: (-self.kills[test], self.runs[test].seconds))
        seconds, chosen = self.given.seconds, []
        for test in tests:
            seconds -= self.runs[test].seconds
            if seconds < 0 and chosen:
                break
            chosen.append(test)
        return chosen

    def notices(self, path: Path, mutant: Mutant, tests: list[str]) -> bool | None:
        """Whether a test fails; None where the living code is not that of the file."""
        if not tests:
            return False
        limit = 3.0 * sum(self.runs[test].seconds for test in tests) + 10.0
        if not mutant.function:
            return anew(path, mutant, tests[:200], limit)
        with tempfile.NamedTemporaryFile("w+") as killer:

            def work() -> int:
                if not exchange(self.living, path, mutant):
                    return _CHANGED
                Path(killer.name).write_text(next(self.run(tests), ""))
                return Path(killer.name).stat().st_size and 1

            code = in_child(work, limit)
            self.kills[killer.read()] += code == 1
        return None if code == _CHANGED else code != 0


def stale(spared: dict[str, set[Line]]) -> Iterator[tuple[str, Line]]:
    """The exceptions whose line is in the package no more."""
    for name, lines in spared.items():
        path = PACKAGE / name
        there = lines_of(path.read_text(encoding="utf-8")).values() if path.exists() else ()
        yield from ((name, line) for line in sorted(lines - set(there)))


def functions_of(path: Path) -> list[FunctionType]:
    """All living functions of a module, also those that only a class or a decorator holds."""
    functions = (each for each in gc.get_objects() if isinstance(each, FunctionType))
    return [each for each in functions if each.__code__.co_filename == str(path)]


def exchange(living: list[FunctionType], path: Path, mutant: Mutant) -> bool:
    """Give the functions of a module the code of the mutant; whether there were any."""
    changed = False
    old = _codes(compile(path.read_text(encoding="utf-8"), str(path), "exec"))
    new = _codes(compile(mutant.tree, str(path), "exec"))
    for function in living:
        key = (function.__code__.co_qualname, function.__code__.co_firstlineno)
        for before, after in zip(old.get(key, []), new.get(key, []), strict=False):
            if before == function.__code__ and before != after:
                function.__code__ = after
                changed = True
    return changed


def _codes(code: CodeType) -> dict[tuple[str, int], list[CodeType]]:
    result: dict[tuple[str, int], list[CodeType]] = {}
    waiting = [code]
    for each in waiting:
        result.setdefault((each.co_qualname, each.co_firstlineno), []).append(each)
        waiting.extend(c for c in each.co_consts if isinstance(c, CodeType))
    return result


@contextlib.contextmanager
def reached() -> Iterator[dict[str, list[int]]]:
    """Which lines of the package are run in the block: by function, counted from its first."""
    lines: dict[CodeType, set[int]] = {}
    result: dict[str, list[int]] = {}
    calls: Counter[CodeType] = Counter()

    def trace(frame: FrameType, *_: object) -> Callable[..., object] | None:
        code = frame.f_code
        if not code.co_filename.startswith(str(PACKAGE)) or calls[code] > CALLS:
            return None
        calls[code] += 1
        seen = lines.setdefault(code, set())

        def line(frame: FrameType, *_: object) -> Callable[..., object]:
            seen.add(frame.f_lineno - code.co_firstlineno)
            return line

        return line

    sys.settrace(trace)
    try:
        yield result
    finally:
        sys.settrace(None)
        for code, seen in lines.items():
            name = f"{Path(code.co_filename).relative_to(PACKAGE)}:{code.co_qualname}"
            result[name] = sorted({*seen, *result.get(name, ())})


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _limit(seconds: float) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, resource.RLIM_INFINITY))


def in_child(work: Callable[[], int], seconds: float) -> int:
    """What `work` returns, or a signal, of a process of its own with limits and without a voice."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        code = 3
        try:
            quiet = os.open(os.devnull, os.O_RDWR)
            for fd in range(3):
                os.dup2(quiet, fd)
            _limit(seconds)
            signal.alarm(int(20 * seconds) + 60)  # for what waits and takes no time
            code = work()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def anew(path: Path, mutant: Mutant, tests: list[str], seconds: float) -> bool:
    """Whether the tests fail in a new process with a changed copy of the package."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for each in ROOT.iterdir():
            if each.name not in ("src", "build", ".git"):
                (folder / each.name).symlink_to(each)
        shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__"))
        (folder / path.relative_to(ROOT)).write_text(ast.unparse(mutant.tree), encoding="utf-8")
        variables = {**os.environ, "PYTHONPATH": f"{folder / 'src'}{os.pathsep}{folder}"}
        command = [sys.executable, "-m", "pytest", *OPTIONS, f"--rootdir={folder}", *tests]
        done = subprocess.run(
            command,
            cwd=folder,
            env=variables,
            capture_output=True,
            preexec_fn=lambda: _limit(seconds + 60.0),  # it imports everything first
        )
        return done.returncode != 0


def modules(words: list[str]) -> list[Path]:
    """The files behind `tasks/resistance`, `io.npz` or the folder `_linalg`."""
    result: list[Path] = []
    for word in words:
        path = PACKAGE / word.removesuffix(".py").replace(".", "/")
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
        result += [file for file in files if file.name != "__init__.py"]
    return result


def main() -> None:
    """Mutate modules and print the survivors."""
    parser = argparse.ArgumentParser(prog="make mutate", description=__doc__)
    parser.add_argument("modules", nargs="+", help="such as tasks/resistance, io.npz or _linalg")
    parser.add_argument("--count", type=int, default=30, help="mutants per module, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tests", nargs="*", default=["tests", "src"], help="files or folders")
    parser.add_argument("--seconds", type=float, default=60.0, help="of tests for a mutant")
    parser.add_argument("--fresh", action="store_true", help="measure anew what tests reach")
    given = parser.parse_args()
    sys.exit(pytest.main([*OPTIONS, *given.tests], plugins=[Mutate(given)]))


if __name__ == "__main__":
    main()
