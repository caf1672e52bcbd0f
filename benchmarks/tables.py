"""Writes docs/benchmarks.md from the figures in benchmarks/results/.

python -m benchmarks.tables
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path

from benchmarks.timing import RESULTS, table

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

Every table is written by a command of this repository and kept as JSON in `benchmarks/results/`.
Times are processor seconds in one thread; what counts are the ratios, measured side by side in one
run. Repeat any of them with `make bench BENCH=name`; `python -m benchmarks.tables` writes this page.
"""


def main() -> None:
    parts = [HEAD]
    for path in sorted(RESULTS.glob("*.json")):
        name = path.stem
        script = next(
            n
            for n in (name, name.rsplit("_", 1)[0])
            if (PAGE.parent.parent / "benchmarks" / f"{n}.py").exists()
        )
        purpose = (importlib.import_module(f"benchmarks.{script}").__doc__ or "").split(
            "\n    python"
        )[0]
        parts.append(f"## {name}\n\n{purpose.strip()}\n\n{table(json.loads(path.read_text()))}\n")
    PAGE.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
