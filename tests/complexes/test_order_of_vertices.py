"""One order of the vertices, whatever holds the cells: as the docs say in one place."""

import json
import subprocess
import sys
from collections import deque

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse import lifts

EDGES = [(10, 5), (1, 2), (5, 2), (1, 5), (3, 4), (4, 10), (10, 3), (0, 3)]
NUMBERS = (0, 1, 2, 3, 4, 5, 10)  # each in an edge; numeric is not the order of words ("10" < "2")
FIRST = (10, 5, 1, 2, 3, 4, 0)
TRIANGLES = [(10, 5, 2), (1, 2, 5), (3, 4, 10), (0, 3, 4)]
X = np.random.default_rng(0).normal(size=11)  # indexed by number


def neighbours():
    table = {}
    for u, v in EDGES:
        table.setdefault(u, []).append(v)
        table.setdefault(v, []).append(u)
    return table


def frame():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(EDGES, columns=["source", "target"], index=list("hgfedcba"))


def cells_frame():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame({"rank": [1] * len(EDGES), "cell": EDGES})


BARE = {
    "list": lambda: EDGES,
    "list of lists": lambda: [list(edge) for edge in EDGES],
    "tuple": lambda: tuple(EDGES),
    "set": lambda: set(EDGES),
    "list of sets": lambda: [set(edge) for edge in EDGES],
    "set of sets": lambda: {frozenset(edge) for edge in EDGES},
    "numbers of NumPy": lambda: [tuple(np.array(edge)) for edge in EDGES],
    "short numbers of NumPy": lambda: [(np.int16(u), v) for u, v in EDGES],
    "rows of an array": lambda: list(np.array(EDGES)),
    "deque": lambda: deque(EDGES),
    "iterator": lambda: iter(EDGES),
    "keys of a dict": lambda: dict.fromkeys(EDGES, 1.0).keys(),
    "edges with data": lambda: [(u, v, {"w": 1}) for u, v in EDGES],
    "edges with numbers": lambda: [(u, v, 1.0) for u, v in EDGES],
    "dict of edges": lambda: dict.fromkeys(EDGES, 1.0),
    "dict of neighbours": neighbours,
    "cells by rank": lambda: {1: EDGES},
    "frame": frame,
    "frame of cells": cells_frame,
}


def of_library(library, make):
    return lambda: make(pytest.importorskip(library))


def simplex_tree(gudhi):
    tree = gudhi.SimplexTree()
    for cell in TRIANGLES:
        tree.insert(cell)
    return tree


SETS = {
    "list of triangles": lambda: TRIANGLES,
    "set of triangles": lambda: {frozenset(cell) for cell in TRIANGLES},
    "triangles by rank": lambda: {2: TRIANGLES},
    "triangles by rank, of NumPy": lambda: {2: np.array(TRIANGLES)},
    "gudhi": of_library("gudhi", simplex_tree),
    "toponetx": of_library("toponetx", lambda t: t.SimplicialComplex(TRIANGLES)),
    "hypernetx": of_library("hypernetx", lambda h: h.Hypergraph(dict(enumerate(TRIANGLES)))),
}


def lines(cells, between=" "):
    return "".join(between.join(map(str, cell)) + "\n" for cell in cells)


FILES = {
    "x.csv": "source,target\n" + lines(EDGES, ","),
    "plain.csv": lines(EDGES, ","),
    "x.edges": lines(EDGES),
    "data.edgelist": lines([(*edge, "{'w': 1}") for edge in EDGES]),
    "x.tsv": lines([(*edge, 1.0) for edge in EDGES], "\t"),
    "x.ncol": lines(EDGES),
    "x.adjlist": lines(EDGES),
    "x.sif": lines([(u, "to", v) for u, v in EDGES]),
    "x.dot": "graph {" + "; ".join(f"{u} -- {v}" for u, v in EDGES) + "; 5}",
    "x.konect": "% sym unweighted\n" + lines(EDGES),
    "x.hyperedges": lines(TRIANGLES),
    "x.hif": json.dumps({"incidences": [{"edge": i, "node": v} for i, e in enumerate(EDGES)
                                         for v in e], "nodes": [{"node": 5}]}),
    "x.json": json.dumps({"edge-dict": {str(i): list(map(str, e)) for i, e in enumerate(EDGES)},
                          "node-data": {"5": {}}}),
}  # fmt: skip

HOW = {
    "clique_complex": lifts.clique_complex,
    "maximal_clique_complex": lifts.maximal_clique_complex,
    "neighbourhood_complex": lifts.neighbourhood_complex,
    "cycle_complex": lifts.cycle_complex,
    "lift": lambda source: lifts.lift(source, lambda _: [(10, 5, 2)]),
    "hypergraph_complex": lifts.hypergraph_complex,
    "from_cells": lambda source: cl.Complex.from_cells({1: source}),
    "collapse": cl.collapse,
    "graph_laplacian": cl.graph_laplacian,
}


def in_line(K, labels=NUMBERS):
    """The labels are as stated, and what is indexed by number means the vertices it should."""
    assert tuple(K.labels) == labels
    assert set(map(type, K.labels)) == {int}
    x = X[list(K.labels)]
    true = sum((X[u] - X[v]) ** 2 for u, v in K.cell_labels(1)) if K.max_rank else 0.0
    if K.max_rank and K.n_cells[1]:
        assert x @ (cl.graph_laplacian(K) @ x) == pytest.approx(true)


@pytest.mark.parametrize("kind", [*BARE, *SETS])
def test_whole_numbers_of_bare_cells_are_in_numeric_order(kind):
    in_line(cl.as_complex((BARE | SETS)[kind]()))


@pytest.mark.parametrize("name", FILES)
def test_whole_numbers_of_files_of_cells_are_in_numeric_order(name, tmp_path):
    (tmp_path / name).write_text(FILES[name])
    in_line(cl.read(tmp_path / name))


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(
    "kind", ["list", "tuple", "set", "list of sets", "set of sets", "numbers of NumPy"]
)
def test_every_lift_has_the_same_order(kind, how):
    made = HOW[how](BARE[kind]())
    assert tuple(made.labels) == NUMBERS


def graph(kind):
    return getattr(nx, kind)(EDGES)


def igraph_graph():
    igraph = pytest.importorskip("igraph")
    G = igraph.Graph(n=len(FIRST), edges=[(FIRST.index(u), FIRST.index(v)) for u, v in EDGES])
    G.vs["name"] = list(FIRST)
    return G


def with_nodes(library, name, cells=EDGES):
    H = getattr(pytest.importorskip(library), name)()
    for v in FIRST:
        H.add_node(v)
    for cell in cells:
        H.add_edge(cell)
    return H


OWN = {
    "networkx": lambda: graph("Graph"),
    "networkx, several edges": lambda: graph("MultiGraph"),
    "igraph": igraph_graph,
    "xgi": lambda: with_nodes("xgi", "Hypergraph"),
    "hypergraphx": lambda: with_nodes("hypergraphx", "Hypergraph"),
    "listed vertices": lambda: cl.Complex.from_cells({0: FIRST, 1: EDGES}),
    "listed vertices of a hypergraph": lambda: cl.hypergraph_complex(EDGES, vertices=FIRST),
    "rows of a frame": lambda: adjacency_frame(),
}


def adjacency_frame():
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(nx.to_numpy_array(graph("Graph")), list(FIRST), list(FIRST))


@pytest.mark.parametrize("kind", OWN)
def test_an_order_of_its_own_is_kept(kind):
    in_line(cl.as_complex(OWN[kind]()), FIRST)


@pytest.mark.parametrize(
    "ending", ["json", "npz", "graphml", "gexf", "gml", "hyperedges", "csv", "edges"]
)
def test_formats_that_list_the_vertices_keep_their_order(ending, tmp_path):
    K = cl.as_complex(graph("Graph"))
    cl.write(K, tmp_path / f"x.{ending}")
    bare = ending in ("hyperedges", "csv", "edges")
    in_line(cl.read(tmp_path / f"x.{ending}"), NUMBERS if bare else FIRST)


def test_numbers_in_arrays_are_positions():
    A = np.zeros((11, 11))
    A[tuple(np.array(EDGES).T)] = 1
    for source in (np.array(EDGES), np.array(EDGES).T, A + A.T, sparse.csr_array(A + A.T)):
        assert list(cl.clique_complex(source).labels) == list(range(11))
        assert list(cl.as_complex(source).labels) == list(range(11))


def test_faces_of_a_mesh_stay_with_the_positions():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(12, 3))
    faces = rng.permutation([[i, (i + 1) % 12, (i + 5) % 12] for i in range(12)])
    for made in (
        cl.Complex.from_cells({2: faces}),
        cl.Complex.from_cells({2: faces.tolist()}),
        cl.Complex.from_cells({2: [tuple(face) for face in faces]}),
        lifts.mesh_complex(points, faces),
        lifts.mesh_complex(points, faces.tolist()),
    ):
        assert list(made.labels) == list(range(12))


@pytest.mark.parametrize("how", HOW)
def test_words_come_as_they_are_named(how):
    source = [("z", "b"), ("a", "z"), ("b", "a")]
    made = HOW[how](source) if how != "lift" else lifts.lift(source, lambda _: [("z", "b", "a")])
    assert tuple(made.labels) == ("z", "b", "a")


def test_words_and_numbers_together_are_words():
    for source in ([("z", 3), (1, "z")], [(2.5, 3), (1, 2.5)], [(True, 3), (0, True)]):
        expected = (*source[0], source[1][0])
        assert tuple(cl.clique_complex(source).labels) == expected


def test_words_of_sets_do_not_depend_on_hashing():
    code = (
        "import cellapse as cl; e = {frozenset(c) for c in ('zb', 'az', 'ba', 'cq')};"
        "print(*(m(e).labels for m in (cl.as_complex, cl.clique_complex, cl.hypergraph_complex)),"
        "cl.Complex.from_cells({1: e}).cell_labels(1),"
        "cl.Complex.from_cells({0: set('zbacq')}).labels)"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "123"
    }
    assert len(seen) == 1
