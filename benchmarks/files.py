"""Reading files: the time of cellapse beside that of networkx, SciPy and XGI for the same file.

A random graph of 40,000 edges, and the cliques of a random geometric graph. The others read into
objects of their own, cellapse into a `Complex`.

    python -m benchmarks.files
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import networkx as nx
import numpy as np
import scipy.io
import xgi

import cellapse as cl
from benchmarks.lifts import geometric_edges
from benchmarks.timing import save, seconds


def main() -> None:
    rng = np.random.default_rng(0)
    graph = nx.Graph(rng.integers(0, 8_000, (40_000, 2)).tolist())
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    words = nx.relabel_nodes(graph, {v: f"v{v}" for v in graph})
    for *_, data in words.edges(data=True):
        data["weight"] = rng.random()
    K = cl.clique_complex(geometric_edges(12_000, 8))
    with TemporaryDirectory() as folder:
        at = Path(folder)
        nx.write_edgelist(graph, at / "numbers.edges", data=False)
        nx.write_weighted_edgelist(words, at / "words.csv", delimiter=",")
        nx.write_gml(graph, at / "graph.gml")
        nx.write_graphml(words, at / "graph.graphml")
        scipy.io.mmwrite(at / "graph.mtx", nx.to_scipy_sparse_array(words))
        cl.write(K, at / "complex.json")
        others: dict[str, tuple[str, Callable[[Path], Any]]] = {
            "numbers.edges": ("networkx", lambda p: nx.read_edgelist(p, nodetype=int)),
            "words.csv": ("networkx", lambda p: nx.read_weighted_edgelist(p, delimiter=",")),
            "graph.gml": ("networkx", lambda p: nx.read_gml(p)),
            "graph.graphml": ("networkx", lambda p: nx.read_graphml(p)),
            "graph.mtx": ("SciPy", lambda p: scipy.io.mmread(p)),
            "complex.json": ("XGI", lambda p: xgi.read_hif(str(p))),
        }
        rows = [row(at / name, *other) for name, other in others.items()]
    save("files", rows)


def row(path: Path, library: str, read: Callable[[Path], Any]) -> dict[str, object]:
    ours, theirs = seconds(lambda: cl.read(path)), seconds(lambda: read(path))
    return {
        "file": path.name,
        "MB": path.stat().st_size / 1e6,
        "cellapse [s]": ours,
        "library": library,
        "its time [s]": theirs,
        "ratio (above 1: cellapse is quicker)": theirs / ours,
    }


if __name__ == "__main__":
    main()
