"""Which sizes carry the signal: hyperedges by hand, planted cases in both directions, no harm."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from toys import karate

import cellapse as cl
from cellapse import tasks
from cellapse._operators import reliability as module
from cellapse._operators.by_size import BySize, disjoint
from cellapse._operators.fair import without_cells
from cellapse._operators.hyperedges import Hyperedges, inside, is_hypergraph


def planted(spec, seed, n=120, k=3):
    """Hyperedges (size, how many, share inside one group), and the groups."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(k), n // k)
    cells = set()
    for size, count, share in spec:
        for _ in range(count):
            pool = np.flatnonzero(y == rng.integers(k)) if rng.random() < share else np.arange(n)
            cells.add(tuple(sorted(rng.choice(pool, size, replace=False).tolist())))
    return cl.hypergraph_complex(sorted(cells), vertices=range(n), multiplicity="weight"), y


def ari(operator, y):
    return adjusted_rand_score(y, cl.cluster(operator, 3).numbers)


def test_hyperedges_are_those_that_were_given():
    given = [(0, 1, 2), (1, 2), (2, 3), (3, 4, 5, 6), (0, 1, 2)]
    hyper = Hyperedges.of(cl.hypergraph_complex(given, multiplicity="weight"))
    members = [hyper.table[:, [e]].indices.tolist() for e in range(hyper.count)]
    found = {tuple(sorted(m)): w for m, w in zip(members, hyper.weights.tolist(), strict=True)}
    assert found == {(0, 1, 2): 2.0, (1, 2): 1.0, (2, 3): 1.0, (3, 4, 5, 6): 1.0}
    plain = Hyperedges.of(cl.hypergraph_complex(given))  # a pair in a triple is part of it
    assert plain.count == 3


def test_the_projection_is_the_baseline():
    K = planted([(2, 60, 0.5), (4, 40, 0.5)], 0)[0]
    hyper = Hyperedges.of(K)
    A = hyper.projection(np.arange(hyper.count)).toarray()
    L = cl.projection_laplacian(K).toarray()
    np.testing.assert_allclose(np.diag(A.sum(axis=1)) - A, L, atol=1e-12)


def test_similarity_inside_by_hand():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    K = cl.hypergraph_complex([(0, 1, 2)])
    hyper = Hyperedges.of(K)
    assert inside(X, hyper.table, hyper.sizes).tolist() == [pytest.approx(1 / 3)]


@pytest.mark.parametrize(
    ("spec", "believed"),
    [
        ([(8, 120, 0.5), (2, 900, 0.0)], 1),
        ([(2, 800, 0.6), (8, 120, 0.0)], 0),
    ],
    ids=["large cells tell, pairs are noise", "pairs tell, large cells are noise"],
)
def test_the_size_that_tells_is_believed(spec, believed):
    gains = []
    for seed in range(2):
        K, y = planted(spec, seed)
        reliability = tasks.rank_reliability(K, dimension=3)
        assert reliability.differ
        assert reliability.weights[believed] == 1.0
        assert reliability.weights[1 - believed] < 0.5
        gains.append(ari(reliability.operator(), y) - ari(cl.projection_laplacian(K), y))
    assert np.mean(gains) >= 0.0


def test_without_a_difference_it_is_the_projection():
    K, _ = planted([(2, 400, 0.4), (3, 300, 0.4)], 1)
    reliability = tasks.rank_reliability(K)
    assert not reliability.differ
    L = cl.projection_laplacian(K).toarray()
    np.testing.assert_allclose(reliability.operator().toarray(), L, atol=1e-12)


def test_one_size_few_cells_and_graphs():
    for K in (
        cl.hypergraph_complex([(0, 1, 2), (2, 3, 4)]),
        cl.clique_complex(nx.karate_club_graph(), 1, weight=None),
        cl.Complex.from_cells({1: [("a", "b")]}),
    ):
        reliability = tasks.rank_reliability(K)
        assert (reliability.weights == 1.0).all()
        assert np.isfinite(reliability.predicts).all()
        assert reliability.operator().labels == K.labels


def test_the_same_seed_gives_the_same_table():
    K = planted([(2, 200, 0.4), (5, 80, 0.2)], 3)[0]
    one, two = (tasks.rank_reliability(K, rng=4).to_frame() for _ in range(2))
    assert one.equals(two)
    assert one.columns.tolist() == ["from", "to", "cells", "predicts", "error", "weight"]


def test_nothing_to_learn_from():
    for K in (cl.Complex.from_arrays(3, {}), cl.Complex.from_arrays(3, {1: []})):
        with pytest.raises(cl.InputError, match="cell"):
            tasks.rank_reliability(K)
    with pytest.raises(cl.InputError, match="dimension"):
        tasks.rank_reliability(planted([(3, 30, 0.5)], 0)[0], dimension=0)


# Graphs: an edge has the size of the largest clique around it


def test_cells_to_hide_share_no_edge():
    K = cl.clique_complex(nx.complete_graph(7), 3)
    rng = np.random.default_rng(0)
    cells = BySize.of(K, rng)
    assert [s.tolist() for s in cells.sizes] == [[4] * len(cells.sizes[0])]
    pairs = cells.members[0] @ cells.members[0].T
    pairs.setdiag(0)
    assert pairs.max() == 1.0  # no two vertices in two of them
    assert cells.members[0].sum(axis=0).tolist() == cells.sizes[0].tolist()
    held = (np.arange(12)[:, None] // 3 == np.arange(4)).astype(float)  # nothing in common
    chosen = disjoint(sparse.csr_array(held), np.array([True, True, False, True]), rng)
    assert chosen.tolist() == [0, 1, 3]


def test_edges_by_their_largest_clique_and_without_what_is_hidden():
    """A tetrahedron, a triangle that shares a vertex with it, and a tail, twenty times."""
    one = nx.Graph([*nx.complete_graph(4).edges, (3, 4), (4, 5), (3, 5), (5, 6)])
    graph = nx.disjoint_union_all([one] * 20)
    K = cl.clique_complex(graph, 3)
    cells = BySize.of(K, np.random.default_rng(0))
    assert [set(s.tolist()) for s in cells.sizes] == [{2}, {3}, {4}]
    assert [len(s) for s in cells.sizes] == [20, 20, 20]
    assert [p.nnz // 2 for p in cells.parts] == [20, 60, 120]
    L = sum(cells.parts[1:], cells.parts[0])
    np.testing.assert_array_equal(L.toarray(), nx.to_numpy_array(graph))
    left = cells.without([np.empty(0, int), np.array([0]), np.array([0, 1])])
    assert [p.nnz // 2 for p in left] == [20, 57, 108]  # with the cell all of its edges
    # Random pairs have no common neighbour, as the pairs that are hidden have none.
    near = nx.to_numpy_array(graph) + np.eye(len(graph))
    for i, j in cells.chance[0].indices.reshape(-1, 2):
        assert (near[i] * near[j]).sum() == 0


def test_on_a_graph_what_cannot_be_told_is_the_graph_laplacian():
    for graph in (nx.gnm_random_graph(80, 400, seed=1), karate(), nx.path_graph(30)):
        K = cl.clique_complex(graph, 3)
        reliability = tasks.rank_reliability(K)
        assert not reliability.differ
        np.testing.assert_allclose(
            reliability.operator().toarray(), cl.graph_laplacian(K).toarray(), atol=1e-12
        )


def test_edges_between_groups_predict_nothing_on_a_graph():
    """Groups full of cliques, and edges between them that close none."""
    graph = nx.planted_partition_graph(4, 25, 0.5, 0.0, seed=2)
    rng = np.random.default_rng(3)
    graph.add_edges_from(rng.choice(100, (60, 2)).tolist())
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    reliability = tasks.rank_reliability(cl.clique_complex(graph, 3))
    assert reliability.sizes == [(2, 2), (4, 4)]
    assert abs(reliability.predicts[0]) < 3 * reliability.errors[0]
    assert reliability.predicts[1] > 0.5


def test_weights_are_taken_only_where_hidden_cells_are_predicted_as_well(monkeypatch):
    K, _ = planted([(2, 400, 0.5), (3, 300, 0.5)], 1)
    asked = np.array([1.0, 0.25])
    monkeypatch.setattr(module, "_new_weights", lambda measured: asked)
    for growth, taken in ((-0.01, False), (0.01, True)):
        similar = {True: np.array([0.5, 0.6]), False: np.array([0.5, 0.6]) + growth}

        def measure(self, weights, similar=similar):
            plain = bool((weights != asked).any())
            return [module.Excess(similar[plain], np.array([0.1, 0.2]))] * 2

        monkeypatch.setattr(module.Trial, "measure", measure)
        assert tasks.rank_reliability(K).differ == taken


@pytest.mark.parametrize(
    ("K", "hyper"),
    [
        (cl.hypergraph_complex([(0, 1, 2, 3), (3, 4)]), True),
        (cl.hypergraph_complex([(0, 1, 2), (2, 3)], multiplicity="weight"), True),
        (cl.clique_complex(nx.karate_club_graph(), 3, weight=None), False),
        (cl.clique_complex(nx.karate_club_graph(), weight="weight"), False),
        (cl.lifts.cycle_complex(nx.cycle_graph(5)), False),
        (cl.lifts.cycle_complex(nx.cycle_graph(4)), False),
        (cl.Complex.from_cells({1: [*combinations(range(5), 2)][1:], 2: [range(5)]}), False),
        (cl.Complex.from_cells({2: [(0, 1, 2, 3)]}), False),
        (cl.Complex.from_arrays(3, {}), False),
    ],
    ids=[
        "large cells",
        "counted triples",
        "cliques",
        "weighted cliques",
        "a ring",
        "a square",
        "one pair is missing",
        "no pairs at all",
        "points",
    ],
)
def test_what_is_compared_with_the_weighted_projection(K, hyper):
    assert is_hypergraph(K) == hyper
    if K.max_rank:
        fair = cl.projection_laplacian(K) if hyper else cl.graph_laplacian(K)
        np.testing.assert_array_equal(without_cells(K).toarray(), fair.toarray())


def test_what_nothing_else_holds_is_not_predicted():
    """Pairs with nothing in common: once hidden, their vertices are held by nothing."""
    pairs = [(2 * i, 2 * i + 1) for i in range(40)]
    reliability = tasks.rank_reliability(cl.hypergraph_complex(pairs), dimension=2)
    assert reliability.predicts.tolist() == [0.0]
    assert reliability.errors.tolist() == [1.0]


def test_what_is_left_of_a_broken_cell_is_smaller():
    """Two triangles with a common edge: without one of them the other is two single edges."""
    one = nx.Graph([(0, 1), (1, 2), (0, 2), (1, 3), (2, 3), (3, 4)])
    cells = BySize.of(
        cl.clique_complex(nx.disjoint_union_all([one] * 20)), np.random.default_rng(0)
    )
    assert [len(s) for s in cells.sizes] == [20, 20]  # one of the two triangles each
    assert [p.nnz // 2 for p in cells.parts] == [20, 100]
    left = cells.without([np.empty(0, int), np.arange(20)])
    assert [p.nnz // 2 for p in left] == [60, 0]
