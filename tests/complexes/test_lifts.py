"""Lifts of graphs, points and meshes: by hand, against GUDHI, networkx and scikit-learn."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import kneighbors_graph
from strategies import plain_graphs, seeds

import cellapse as cl
from cellapse import lifts
from cellapse._complex.graph import Graph
from cellapse.lifts import cliques


def sets_of(K, rank):
    return {frozenset(cell) for cell in K.cell_labels(rank)} if rank <= K.max_rank else set()


@given(plain_graphs(), st.integers(1, 3))
def test_neighbourhoods_are_the_ego_graphs_of_networkx(graph, hops):
    expected = {frozenset(nx.ego_graph(graph, v, radius=hops)) for v in graph}
    K = lifts.neighbourhood_complex(graph, hops)
    assert sets_of(K, 2) == {cell for cell in expected if len(cell) > 2}


@given(plain_graphs())
def test_maximal_cliques_are_those_of_networkx(graph):
    expected = {frozenset(c) for c in nx.find_cliques(graph) if len(c) > 2}
    assert sets_of(lifts.maximal_clique_complex(graph), 2) == expected
    assert sets_of(lifts.lift(graph, nx.find_cliques), 2) == expected


def test_a_lift_of_ones_own_keeps_walks_ranks_and_attributes():
    graph = nx.cycle_graph(["d", "a", "c", "b"])
    nx.set_node_attributes(graph, 1, "age")
    K = lifts.lift(graph, lambda g: {2: [list(g)], 3: [["a", "b", "c", "d"]][:0]})
    assert K.cell_labels(2) == (("d", "a", "c", "b"),)
    assert K.attributes[0]["age"].tolist() == [1] * 4
    assert cl.is_chain_complex(cl.boundary_matrices(K))
    with pytest.raises(cl.InputError, match="'x'"):
        lifts.lift(graph, lambda g: [("a", "b", "x")])
    with pytest.raises(cl.InputError, match="rank=1"):
        lifts.lift(graph, lambda g: {1: [("a", "b")]})


def test_a_complex_is_a_graph_to_lift_too():
    K = cl.as_complex(nx.complete_graph(4)).with_attributes({1: {"n": np.arange(6)}})
    lifted = cl.clique_complex(K, max_rank=3)
    assert lifted.n_cells == (4, 6, 4, 1)
    assert lifted.attributes[1]["n"].tolist() == list(range(6))


@given(seeds, st.floats(0.05, 1.5), st.integers(1, 3))
def test_rips_complexes_are_those_of_gudhi(seed, reach, dimension):
    gudhi = pytest.importorskip("gudhi")
    points = np.random.default_rng(seed).random((15, dimension))
    K = lifts.rips_complex(points, reach, max_rank=3)
    tree = gudhi.RipsComplex(points=points, max_edge_length=reach).create_simplex_tree(3)
    theirs = {frozenset(s): value for s, value in tree.get_simplices()}
    ours = {}
    for k in range(4):
        values = K.attributes[k]["filtration"].tolist()
        cells = K.cell_labels(k) if k else [(v,) for v in K.labels]
        ours |= dict(zip(map(frozenset, cells), values, strict=True))
    assert ours.keys() == theirs.keys()
    assert all(abs(ours[cell] - theirs[cell]) < 1e-12 for cell in ours)


def test_alpha_complexes_fill_the_hull_and_shrink_with_the_radius():
    pytest.importorskip("gudhi")
    points = np.random.default_rng(0).random((40, 2))
    K = lifts.alpha_complex(points)
    assert K.max_rank == 2
    assert K.euler_characteristic() == 1  # a disk
    radii = K.attributes[1]["filtration"]
    part = lifts.alpha_complex(points, max_radius=0.1)
    assert part.n_cells[1] == (radii <= 0.1).sum()
    with pytest.raises(cl.InputError, match="coincide"):
        lifts.alpha_complex([[0, 0], [0, 0], [1, 1]])


@given(seeds, st.integers(1, 6))
def test_nearest_neighbours_are_those_of_scikit_learn(seed, k):
    points = np.random.default_rng(seed).random((20, 2))
    K = lifts.nearest_neighbour_complex(points, k, max_rank=1)
    i, j = kneighbors_graph(points, k).nonzero()
    assert sets_of(K, 1) == {frozenset(pair) for pair in zip(i.tolist(), j.tolist(), strict=True)}


def test_points_at_one_place_are_neighbours_all_the_same():
    K = lifts.nearest_neighbour_complex(np.zeros((6, 2)), 2)
    assert K.n_vertices == 6
    assert (np.bincount(K.cells[1].indices, minlength=6) >= 2).all()


def test_meshes_of_triangles_and_polygons():
    cube = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]]
    K = lifts.mesh_complex(cube, faces)
    assert K.n_cells == (8, 12, 6)
    assert K.betti_numbers() == (1, 0, 1)
    mixed = lifts.mesh_complex(cube, [[0, 1, 3], [0, 1, 5, 4]])
    assert mixed.n_cells == (8, 6, 2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: lifts.mesh_complex([[0, 0]] * 3, [[0, 1]]), "three"),
        (lambda: lifts.mesh_complex([[0, 0]] * 3, [[0, 1, 9]]), "9"),
        (lambda: lifts.mesh_complex([0, 0], [[0, 1, 2]]), "coordinates"),
        (lambda: lifts.rips_complex([[0.0, np.nan]], 1), "finite"),
        (lambda: lifts.rips_complex([[0, 0]], -1), "max_distance=-1"),
        (lambda: lifts.nearest_neighbour_complex([[0, 0], [1, 1]], 2), "n_neighbors=2"),
        (lambda: lifts.neighbourhood_complex(nx.path_graph(3), 0), "hops=0"),
        (lambda: cl.clique_complex(cl.as_complex([(1, 2, 3)], ranks=1)), "3 to 3 vertices"),
        (lambda: cl.clique_complex(cl.as_complex([(1, 2)]), weight="w"), "leave"),
        (lambda: cl.hypergraph_complex([(1, 2)], weights=[0.0]), "positive"),
    ],
)
def test_errors_say_what_to_do(call, words):
    with pytest.raises(cl.InputError, match=words):
        call()


@pytest.mark.parametrize("max_rank", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 2, 5, 12, 24])
def test_cliques_by_a_table_are_those_by_later_neighbours(monkeypatch, n, max_rank):
    """The same rows in the same order, whichever way the edges are written."""
    for share in (0.0, 0.3, 0.7, 1.0):
        rng = np.random.default_rng(n)
        pairs = np.argwhere(np.triu(rng.random((n, n)) < share, 1))
        pairs = rng.permutation(np.where(rng.random((len(pairs), 1)) < 0.5, pairs, pairs[:, ::-1]))
        graph = Graph(range(n), pairs, None)
        monkeypatch.setattr(cliques, "_DENSE", 2**14)
        table = cliques.cliques(graph, max_rank + 1)
        monkeypatch.setattr(cliques, "_DENSE", -1)
        for ours, other in zip(table, cliques.cliques(graph, max_rank + 1), strict=True):
            np.testing.assert_array_equal(ours, other)
            assert ours.dtype == other.dtype
