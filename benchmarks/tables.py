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
run. `make bench BENCH=name` repeats one of them, `python -m benchmarks.tables` writes this page.
"""


def section(path: Path) -> str:
    """One table with what its benchmark says about itself."""
    name = path.stem  # of the benchmark, or with the size it was run for
    script = name if (Path(__file__).parent / f"{name}.py").exists() else name.rsplit("_", 1)[0]
    about = importlib.import_module(f"benchmarks.{script}").__doc__ or ""
    purpose = about.split("\n    python")[0].strip()
    return f"## {name}\n\n{purpose}\n\n{table(json.loads(path.read_text()))}\n"


def main() -> None:
    # The campaign is no benchmark: docs/reliability.md tells of it.
    results = (path for path in sorted(RESULTS.glob("*.json")) if path.stem != "campaign")
    sections = map(section, results)
    PAGE.write_text("\n".join([HEAD, *sections]), encoding="utf-8")


if __name__ == "__main__":
    main()
