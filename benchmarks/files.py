"""Reading files: the time of cellapse beside that of the usual library for the same file.

A random graph of 40,000 edges in every format of graphs, the cliques of a random geometric graph,
and a surface of 20,000 triangles. The others read into objects of their own, cellapse into a
`Complex`: labels, weights and attributes included.

    python -m benchmarks.files
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import meshio
import networkit
import networkx as nx
import numpy as np
import pandas
import scipy.io
import xgi
from scipy import sparse

import cellapse as cl
from benchmarks.lifts import geometric_edges
from benchmarks.timing import save, seconds

Other = tuple[str, str, Callable[[Path], Any]]  # format, library, how it reads


def graphs(at: Path) -> dict[str, Other]:
    """The same graph in many formats, written by others, and how those read it."""
    rng = np.random.default_rng(0)
    graph = nx.Graph(rng.integers(0, 8_000, (40_000, 2)).tolist())
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    words = nx.relabel_nodes(graph, {v: f"v{v}" for v in graph})
    for *_, data in words.edges(data=True):
        data["weight"] = rng.random()
    numbered = nx.convert_node_labels_to_integers(graph)
    matrix = nx.to_scipy_sparse_array(words)
    small = numbered.subgraph(range(1_500))
    nx.write_edgelist(graph, at / "numbers.edges", data=False)
    nx.write_weighted_edgelist(words, at / "words.csv", delimiter=",")
    nx.write_gml(graph, at / "graph.gml")
    nx.write_graphml(words, at / "graph.graphml")
    nx.write_gexf(words, at / "graph.gexf")
    nx.write_pajek(words, at / "graph.net")
    nx.write_adjlist(words, at / "graph.adjlist")
    nx.write_graph6(nx.Graph(small), at / "graph.g6")
    nx.write_sparse6(numbered, at / "graph.s6")
    (at / "links.json").write_text(json.dumps(nx.node_link_data(words, edges="links")))
    nx.to_pandas_adjacency(small).to_csv(at / "matrix.csv")
    scipy.io.mmwrite(at / "graph.mtx", matrix)
    scipy.io.savemat(at / "graph.mat", {"A": matrix}, do_compression=True)
    sparse.save_npz(at / "graph.npz", sparse.csr_array(matrix))
    as_networkit = networkit.nxadapter.nx2nk(numbered)
    networkit.writeGraph(as_networkit, str(at / "graph.metis"), networkit.Format.METIS)
    return {
        "numbers.edges": ("edges", "networkx", lambda p: nx.read_edgelist(p, nodetype=int)),
        "words.csv": ("edges", "networkx", lambda p: nx.read_weighted_edgelist(p, delimiter=",")),
        "matrix.csv": ("edges", "pandas", lambda p: pandas.read_csv(p, index_col=0)),
        "graph.gml": ("gml", "networkx", nx.read_gml),
        "graph.graphml": ("graphml", "networkx", nx.read_graphml),
        "graph.gexf": ("gexf", "networkx", nx.read_gexf),
        "graph.net": ("pajek", "networkx", nx.read_pajek),
        "graph.adjlist": ("adjlist", "networkx", nx.read_adjlist),
        "graph.g6": ("graph6", "networkx", nx.read_graph6),
        "graph.s6": ("graph6", "networkx", nx.read_sparse6),
        "links.json": (
            "json",
            "networkx",
            lambda p: nx.node_link_graph(json.loads(p.read_text()), edges="links"),
        ),
        "graph.mtx": ("matrix market", "SciPy", scipy.io.mmread),
        "graph.mat": ("mat", "SciPy", scipy.io.loadmat),
        "graph.npz": ("npz", "SciPy", sparse.load_npz),
        "graph.metis": (
            "metis",
            "networkit",
            lambda p: networkit.readGraph(str(p), networkit.Format.METIS),
        ),
    }


def meshes(at: Path) -> dict[str, Other]:
    """A grid of triangles, written by meshio."""
    n = 101
    x, y = np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n))
    points = np.column_stack([x.ravel(), y.ravel(), np.sin(6 * x.ravel())])
    corner = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    lower = np.column_stack([corner, corner + 1, corner + n])
    upper = np.column_stack([corner + 1, corner + n, corner + n + 1])
    mesh = meshio.Mesh(points, [("triangle", np.vstack([lower, upper]))])
    options: dict[str, dict[str, Any]] = {
        "mesh.off": {},
        "mesh.obj": {},
        "mesh.ply": {"binary": True},
        "mesh.stl": {"binary": True},
        "mesh.msh": {"file_format": "gmsh", "binary": False},
        "mesh.vtk": {"file_format": "vtk42", "binary": False},
        "mesh.vtu": {"binary": False},
    }
    for name, given in options.items():
        mesh.write(at / name, **given)
    return {name: (name.rpartition(".")[2], "meshio", meshio.read) for name in options}


def main() -> None:
    with TemporaryDirectory() as folder:
        at = Path(folder)
        cl.write(cl.clique_complex(geometric_edges(12_000, 8)), at / "complex.json")
        hypergraph = {"complex.json": ("json", "XGI", lambda p: xgi.read_hif(str(p)))}
        others: dict[str, Other] = {**graphs(at), **hypergraph, **meshes(at)}
        rows = [row(at / name, *other) for name, other in others.items()]
    save("files", rows)


def row(path: Path, name: str, library: str, read: Callable[[Path], Any]) -> dict[str, object]:
    ours, theirs = seconds(lambda: cl.read(path)), seconds(lambda: read(path))
    return {
        "file": path.name,
        "format": name,
        "MB": path.stat().st_size / 1e6,
        "cellapse [s]": ours,
        "library": library,
        "its time [s]": theirs,
        "ratio (above 1: cellapse is quicker)": theirs / ours,
    }


if __name__ == "__main__":
    main()
