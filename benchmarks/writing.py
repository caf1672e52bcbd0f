"""Writing files: what it costs that every file is read again before it gets its name.

A random graph of 40,000 edges with names and weights, in the formats that can hold it.

    python -m benchmarks.writing
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import numpy as np

import cellapse as cl
from benchmarks.timing import save, seconds
from cellapse.io._formats import WRITERS


def main() -> None:
    rng = np.random.default_rng(0)
    graph = nx.Graph((f"v{i}", f"v{j}") for i, j in rng.integers(0, 8_000, (40_000, 2)) if i != j)
    for *_, data in graph.edges(data=True):
        data["weight"] = rng.random()
    K = cl.as_complex(graph)
    with TemporaryDirectory() as folder:
        rows = [row(K, Path(folder), name) for name in ("json", "npz", "csv", "gml", "graphml")]
    save("writing", rows)


def row(K: cl.Complex, folder: Path, name: str) -> dict[str, object]:
    alone = seconds(lambda: WRITERS[name].write(K))
    checked = seconds(lambda: cl.write(K, folder / f"graph.{name}"))
    return {
        "format": name,
        "written only [s]": alone,
        "and read again [s]": checked,
        "ratio": checked / alone,
    }


if __name__ == "__main__":
    main()
