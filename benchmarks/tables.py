"""Write docs/benchmarks.md, docs/goals.md and the table of docs/files.md from benchmarks/results/.

python -m benchmarks.tables
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path

from benchmarks import goals
from benchmarks.timing import RESULTS, table
from cellapse.io._formats import FORMATS, WRITERS

FILES = Path(__file__).parent.parent / "docs" / "files.md"
MARKS = ("<!-- formats: written by python -m benchmarks.tables -->", "<!-- end of formats -->")
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
HEAD = """# Speed

Ten eigenpairs of the collapse of a graph take up to about twice the time of those of its graph
Laplacian, on meshes and power laws of up to a million vertices; on small worlds six times.

Every table is written by a command of this repository and kept as JSON in `benchmarks/results/`.
Times are processor seconds in one thread; what counts are the ratios, measured side by side in one
run. `make bench BENCH=name` repeats one of them, `python -m benchmarks.tables` writes this page.
"""

GOALS_PAGE = PAGE.with_name("goals.md")
GOALS = """# Goals of speed

Goals set before the work, and the figures of the [benchmarks](benchmarks.md). This page is for
those who work on the engine; `python -m benchmarks.tables` writes it.
"""
REASONS = """What stands in the way of the others:

* **Ratios to our Laplacian** grow where the Laplacian gains more than the collapse.
* **The paper's sizes.** Below a thousand vertices, calling NumPy and SciPy takes as long as the
  numbers. Next to our own Laplacian the ratio is larger where it has many components: its zeros are
  known in advance.
* **Meshes.** Half of the time goes into the eigenvectors of L, from which the collapse starts. Then
  K is factorized, as large as L, and two corrections follow.
* **Screened.** Its smallest eigenvalues are closer to zero than those of L: a few steps more.
* **Mixed.** All cells but the edges are factorized, and most of that is the search for an order.
* **Small worlds.** A is far from S there, so more rounds of corrections are needed.
* **Matrix Market.** Parsing is SciPy's; checking the lines and making the complex come on top.
"""


def section(path: Path) -> str:
    """One table with what its benchmark says about itself."""
    name = path.stem  # of the benchmark, or with the size it was run for
    script = name if (Path(__file__).parent / f"{name}.py").exists() else name.rsplit("_", 1)[0]
    about = importlib.import_module(f"benchmarks.{script}").__doc__ or ""
    purpose = about.split("\n    python")[0].strip()
    return f"## {name}\n\n{purpose}\n\n{table(json.loads(path.read_text()))}\n"


def formats() -> str:
    """What is read, what becomes of it, what is written, and how quickly, from the registry."""
    timed: dict[str, list[str]] = {}
    for row in json.loads((RESULTS / "files.json").read_text()):
        times = f"{row['ratio (above 1: cellapse is quicker)']:.2g}"
        timed.setdefault(row["format"], []).append(f"{row['library']} {times} x")
    rows = []
    for name, chosen in FORMATS.items():
        names = {"konect": "`out.*`", "simplices": "`*-nverts.txt`, `-simplices`, `-times`"}
        extensions = names.get(name) or " ".join(f"`.{e}`" for e in chosen.extensions)
        written = " ".join(f"`.{e}`" for e in chosen.extensions if e in WRITERS)
        speed = ", ".join(timed.get(name, []))
        rows.append(
            {"format": name, "files": extensions, "what becomes of it": chosen.keeps}
            | {"written": written, "speed": speed}
        )
    return table(rows)


def write_formats() -> None:
    """Put the table between its two marks."""
    text = FILES.read_text(encoding="utf-8")
    start, end = (text.index(mark) for mark in MARKS)
    FILES.write_text(
        f"{text[: start + len(MARKS[0])]}\n\n{formats()}\n\n{text[end:]}", encoding="utf-8"
    )


def main() -> None:
    write_formats()
    # The campaign is no benchmark: docs/testing.md has its figures.
    results = (path for path in sorted(RESULTS.glob("*.json")) if "campaign" not in path.stem)
    sections = map(section, results)
    PAGE.write_text("\n".join([HEAD, *sections]), encoding="utf-8")
    reached = f"{GOALS}\n{table(list(goals.rows()))}\n\n{REASONS}"
    GOALS_PAGE.write_text(reached, encoding="utf-8")


if __name__ == "__main__":
    main()
