"""From and to other libraries: what cellapse adds to the time the library itself takes.

About 134,000 cells: the triangles of a random geometric graph, for libraries of graphs the vertices
and edges of a larger one, for meshes a surface. "construct" is the library building its object from
a finished list of cells; "from" is `as_complex`, of which "list" is what the library takes to list
its own cells; "to" is the whole `to_...`, its construction included. Our part is "from" less
"list", and "to" less "construct", each over "construct", and in microseconds for every cell.

    python -m benchmarks.interop
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

import cellapse as cl
from benchmarks.lifts import geometric_edges
from benchmarks.timing import save, seconds


def with_gudhi(K: cl.Complex) -> Any:
    import gudhi

    tree = gudhi.SimplexTree()
    for cells in K.cells:
        tree.insert_batch(np.ascontiguousarray(cells.as_array().T), np.zeros(len(cells)))
    return tree


def with_xgi(cells: list[tuple[int, ...]]) -> Any:
    import xgi

    H = xgi.Hypergraph()
    H.add_edges_from([(cell, i, {"rank": len(cell) - 1}) for i, cell in enumerate(cells)])
    return H


def with_toponetx(cells: list[tuple[int, ...]]) -> Any:
    import toponetx

    return toponetx.SimplicialComplex(cells)


def compare(
    name: str,
    construct: Callable[[], Any],
    listing: Callable[[Any], Any],
    write: Callable[[], Any] | None = None,
    ranks: str | None = None,
) -> dict[str, object]:
    """One row of the table."""
    cells = sum(cl.as_complex(construct(), ranks=ranks).n_cells)
    theirs = seconds(construct, 5)
    built = construct()
    list_ = seconds(lambda: listing(built))
    read = seconds(lambda: cl.as_complex(built, ranks=ranks))
    to = seconds(write, 5) if write is not None else None
    return {
        "library": name,
        "construct [s]": theirs,
        "list [s]": list_,
        "from [s]": read,
        "to [s]": "" if to is None else to,
        "ours / construct, from": max(read - list_, 0.0) / theirs,
        "ours / construct, to": "" if to is None else max(to - theirs, 0.0) / theirs,
        "ours, from [us per cell]": 1e6 * max(read - list_, 0.0) / cells,
        "ours, to [us per cell]": "" if to is None else 1e6 * max(to - theirs, 0.0) / cells,
    }


def complexes() -> list[dict[str, object]]:
    """Libraries of complexes and hypergraphs."""
    K = cl.clique_complex(geometric_edges(12_000, 8))
    print(K, sum(K.n_cells), "cells")
    above = list(chain.from_iterable(K.cell_labels(k) for k in (1, 2)))
    every = [(v,) for v in K.labels] + above
    return [
        compare(
            "GUDHI",
            lambda: with_gudhi(K),
            lambda tree: list(tree.get_simplices()),
            lambda: cl.interop.to_gudhi(K),
        ),
        compare(
            "XGI",
            lambda: with_xgi(above),
            lambda H: (H.edges.members(dtype=dict), H.edges.attrs.aslist()),
            lambda: cl.interop.to_xgi(K),
            ranks="size",  # without it the pairs within hyperedges are found, too
        ),
        compare(
            "TopoNetX",
            lambda: with_toponetx(every),
            lambda C: [list(C._simplex_trie.skeleton(k)) for k in range(3)],
            lambda: cl.interop.to_toponetx(K, kind="simplicial"),
        ),
    ]


def graphs() -> list[dict[str, object]]:
    """Libraries of graphs."""
    import igraph
    import networkit
    import networkx as nx

    edges = geometric_edges(27_000, 8)
    G = cl.as_complex(edges)
    print(G, sum(G.n_cells), "cells")
    pairs = edges.tolist()

    def with_networkit() -> Any:
        graph = networkit.Graph(G.n_vertices)
        for u, v in pairs:
            graph.addEdge(u, v)
        return graph

    def with_networkx() -> Any:
        graph = nx.Graph()
        graph.add_nodes_from(range(G.n_vertices))  # in this order, as `to_networkx` has to
        graph.add_edges_from(pairs)
        return graph

    return [
        compare(
            "networkx",
            with_networkx,
            lambda graph: (list(graph.nodes(data=True)), list(graph.edges(data=True))),
            lambda: cl.interop.to_networkx(G),
        ),
        compare(
            "igraph",
            lambda: igraph.Graph(G.n_vertices, pairs),
            lambda graph: graph.get_edgelist(),
            lambda: cl.interop.to_igraph(G),
        ),
        compare("networkit", with_networkit, lambda graph: list(graph.iterEdgesWeights())),
    ]


def meshes() -> list[dict[str, object]]:
    """Libraries of meshes: about as many triangles and sides."""
    import meshio
    import pandas

    n = 150
    corner = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    lower = np.column_stack([corner, corner + 1, corner + n])
    upper = np.column_stack([corner + 1, corner + n, corner + n + 1])
    triangles = np.vstack([lower, upper])
    points = np.random.default_rng(0).random((n * n, 3))
    rows = [tuple(t) for t in triangles.tolist()]
    table = {
        "source": [r[0] for r in rows] * 2,
        "target": [r[1] for r in rows] + [r[2] for r in rows],
    }
    pairs = pandas.DataFrame(table).drop_duplicates()
    listed = pairs.to_dict(orient="list")
    return [
        compare(
            "meshio",
            lambda: meshio.Mesh(points.tolist(), [("triangle", rows)]),
            lambda mesh: mesh.cells_dict,
        ),
        compare(
            "pandas",
            lambda: pandas.DataFrame(listed),
            lambda frame: frame.to_dict(orient="records"),
        ),
    ]


def main() -> None:
    save("interop", [*complexes(), *graphs(), *meshes()])


if __name__ == "__main__":
    main()
