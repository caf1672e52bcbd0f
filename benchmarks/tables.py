"""Writes docs/benchmarks.md, and the table of docs/files.md, from benchmarks/results/.

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
HEAD = """# Benchmarks

Every table is written by a command of this repository and kept as JSON in `benchmarks/results/`.
Times are processor seconds in one thread; what counts are the ratios, measured side by side in one
run. `make bench BENCH=name` repeats one of them, `python -m benchmarks.tables` writes this page.
"""

AIMS = """## What we aimed at

Goals set before the work, and the figures of the tables below. Which ones are not reached, and why,
is said underneath.
"""
REASONS = """What stands in the way of the others:

* **Our Laplacian next to SciPy's.** Lanczos on a polynomial takes two thirds of the time that
  Lanczos takes. What is left is the search for eigenpairs that it may have missed, a fifth, and
  making the matrix, a tenth. Runs differ from 1.2 to 1.35.
* **Ratios to our Laplacian** grow where the Laplacian gains more than the collapse: those of
  networks with hubs and of small worlds take a third to a half of the time they took when the goals
  were set.
* **The paper's sizes.** The worst of them, (400, 696, 18), has so many components that the ten
  eigenvalues of L are zeros known in advance: there is nothing to compute. Up to 500 vertices S is
  a dense matrix: one eigenvalue of A, one inverse and one dense eigenproblem take three to five
  milliseconds each, next to a few sparse products for L. On 3,000 vertices a third of our time is
  the Laplacian's own eigenvectors; four products follow, of five to fifteen steps of conjugate
  gradients with K each, and as many steps with A for the corrections. How the paper's method
  compares depends on the machine.
* **Meshes.** Half of the time goes into ten eigenvectors of L, from which the collapse starts, and
  a few beyond them; then K is factorized, as large as L (from 30,000 vertices on in the order that
  was found for A), and two corrections follow. Single runs differ by a twentieth.
* **Screened.** Its eigenproblem is as large as that of L, and its smallest eigenvalues are closer
  to zero: a few steps more. Making it takes no longer than making L.
* **Mixed.** Of the factorization of all cells but the edges, five times as many as vertices, most
  is the search for an order to eliminate them in; nothing smaller is equivalent to it. An order
  made from one of the vertices fills in three times as much.
* **Small worlds.** A is far from S there, so corrections see what is next to K^-1: the groups that
  heavy edges tie together. Fifteen rounds are left, as the eigenvalues are close to each other, and
  those of A leave room for another of S: what is left is searched. The collapse alone takes as long
  as L, for its sigma. Tried: closer solutions (fewer rounds, each more expensive), another step
  between groups (one round less), single precision for K where it has heavy edges (twice as many
  steps).
* **Matrix Market.** Reading the file takes as long as SciPy's reader. Of what is left, checking
  that every line is one takes a third, and the complex another: sorted edges, loops, repeats,
  labels and weights. Page faults move the ratio by a fifth between runs.
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
    # The campaign is no benchmark: docs/reliability.md tells of it.
    results = (path for path in sorted(RESULTS.glob("*.json")) if "campaign" not in path.stem)
    sections = map(section, results)
    aims = f"{AIMS}\n{table(list(goals.rows()))}\n\n{REASONS}"
    PAGE.write_text("\n".join([HEAD, aims, *sections]), encoding="utf-8")


if __name__ == "__main__":
    main()
