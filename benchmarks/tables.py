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

* **Ratios to our Laplacian** grow where the Laplacian gains more than the collapse: those of
  networks with hubs and of small worlds take a third to a half of the time they took when the goals
  were set.
* **The paper's sizes.** A collapse of 800 vertices makes some five hundred products with A and K,
  most of one column, in thirty-five milliseconds: about as much time goes into calling NumPy and
  SciPy as into the numbers. SciPy's eigsh takes five for L, whose pairs are where ours start. Up to
  500 vertices S is a dense matrix: one eigenvalue of A, one inverse and one dense eigenproblem take
  three to five milliseconds each. On 3,000 vertices two fifths of our time are the Laplacian's own
  eigenvectors, a sixth two corrections with A, and a tenth the bound that tells the error of
  products. Block Lanczos was estimated, not tried: what its products gain, its larger space costs.
  How the paper's method compares depends on the machine. Next to our own L the ratio is larger
  where it has many components, as (400, 696, 18) has: its ten eigenvalues are zeros known in
  advance.
* **Meshes.** Half of the time goes into ten eigenvectors of L, from which the collapse starts, and
  a few beyond them; then K is factorized, as large as L (from 30,000 vertices on in the order that
  was found for A), and two corrections follow. To count what is below the last eigenvalue A is
  factorized once more, for L and S alike. Single runs differ by a twentieth.
* **Screened.** Its eigenproblem is as large as that of L, and its smallest eigenvalues are closer
  to zero: a few steps more. Triangles have to find their edges, which takes 3 of 85 milliseconds on
  10,000 vertices.
* **Mixed.** Of the factorization of all cells but the edges, five times as many as vertices, most
  is the search for an order to eliminate them in; nothing smaller is equivalent to it. An order
  made from one of the vertices fills in three times as much.
* **Small worlds.** A is far from S there, so corrections see what is next to K^-1: the groups that
  heavy edges tie together. Fifteen rounds are left, as the eigenvalues are close to each other, and
  those of A leave room for another of S: what is left is searched. The collapse alone takes half as
  long again as L, for its sigma and a start. A quarter of the rest are products of single
  precision, a sixth what keeps corrections off the vectors that are known. Tried: closer solutions
  (fewer rounds, each more expensive), another step between groups (one round less), single
  precision for K where it has heavy edges (twice as many steps), fewer or more vectors beyond those
  wanted.
* **Matrix Market.** Reading the file takes as long as SciPy's reader. Checking that every line is
  one takes half as long, and the complex a third: sorted edges, loops, repeats, labels and
  weights. Page faults move the ratio by a fifth between runs.
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
