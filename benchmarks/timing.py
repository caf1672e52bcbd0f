"""Side-by-side timing in one process and one thread; results are ratios, kept as JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

RESULTS = Path(__file__).parent / "results"


def seconds(run: Callable[[], Any], repeats: int = 3) -> float:
    """The least processor time of several runs with one BLAS thread: the machine may be busy."""
    times = []
    with threadpool_limits(1):
        for _ in range(repeats):
            start = time.process_time()
            run()
            times.append(time.process_time() - start)
    return min(times)


def save(name: str, rows: list[dict[str, Any]]) -> None:
    """Print the rows as a Markdown table and keep them in `results/name.json`."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(rows, indent=1) + "\n")
    head = list(rows[0])
    print(f"\n## {name}\n")
    print("| " + " | ".join(head) + " |")
    print("|" + " --- |" * len(head))
    for row in rows:
        print("| " + " | ".join(_text(row.get(key, "")) for key in head) + " |")


def _text(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
