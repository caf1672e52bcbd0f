"""Writing files: what it costs that every file is read again before it gets its name.

A random graph of 40,000 edges with names and weights, in the formats that can hold it, beside the
time that networkx takes to write the same graph, without a check.

    python -m benchmarks.writing
"""

from __future__ import annotations

import json
from collections.abc import Callable
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
        rows = [row(K, Path(folder), *other, graph) for other in OTHERS.items()]
    save("writing", rows)


def write_json(graph: nx.Graph, path: Path) -> None:
    path.write_text(json.dumps(nx.node_link_data(graph, edges="links")))


OTHERS: dict[str, Callable[[nx.Graph, Path], None] | None] = {
    "json": write_json,
    "npz": None,
    "csv": lambda graph, path: nx.write_weighted_edgelist(graph, path, delimiter=","),
    "gml": nx.write_gml,
    "graphml": nx.write_graphml,
    "gexf": nx.write_gexf,
}


def row(
    K: cl.Complex,
    folder: Path,
    name: str,
    other: Callable[[nx.Graph, Path], None] | None,
    graph: nx.Graph,
) -> dict[str, object]:
    path = folder / f"graph.{name}"
    theirs = None if other is None else seconds(lambda: other(graph, path))
    alone = seconds(lambda: WRITERS[name].write(K))
    checked = seconds(lambda: cl.write(K, path))
    return {
        "format": name,
        "written only [s]": alone,
        "and read again [s]": checked,
        "ratio": checked / alone,
        "networkx [s]": "" if theirs is None else theirs,
    }


if __name__ == "__main__":
    main()
