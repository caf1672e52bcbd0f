"""Side-by-side timing in one process and one thread; results are ratios, kept as JSON.

Times are those of the processor, not of the clock on the wall: on a shared machine the latter
measures the neighbours.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from cellapse import CellapseWarning

RESULTS = Path(__file__).parent / "results"


def seconds(run: Callable[[], Any], repeats: int = 3) -> float:
    """The best processor time of several runs, with one BLAS thread."""
    times = []
    with threadpool_limits(1):
        for _ in range(repeats):
            start = time.process_time()
            run()
            times.append(time.process_time() - start)
    return min(times)


def in_turn(works: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """The best time of each of several works, in turn: what disturbs, disturbs all of them."""
    rounds = [{name: seconds(run, 1) for name, run in works.items()} for _ in range(repeats)]
    return {name: min(times[name] for times in rounds) for name in works}


def measure(
    name: str, about: str | None, networks: Iterable[str], rows: Callable[[str], list[Any]]
) -> None:
    """Measure the networks whose name contains what `--only` says, or all of them and keep that."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--only", default="", help="networks whose name contains it")
    only = parser.parse_args().only
    warnings.simplefilter("ignore", CellapseWarning)
    found = [row for network in networks if only in network for row in rows(network)]
    if not only:
        save(name, found)


def save(name: str, rows: list[dict[str, Any]]) -> None:
    """Print the rows as a Markdown table and keep them in `results/name.json`."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(rows, indent=1) + "\n")
    print(f"\n## {name}\n\n{table(rows)}")


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as a Markdown table."""
    head = list(rows[0])
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(_text(row.get(key, "")) for key in head) + " |" for row in rows]
    return "\n".join(lines)


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
