"""The small parts that tasks are made of, each on a case worked out by hand."""

import warnings
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import ortho_group
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

import cellapse as cl
from cellapse._linalg.operators import SparseOperator
from cellapse.tasks._against_decoys import density_ratio
from cellapse.tasks._random_pairs import random_pairs
from cellapse.tasks._subsample import shuffled, thinned, without_edges
from cellapse.tasks.clustering import _by_rotation, assigned, modularity_by, unit_rows, warn_of_hubs
from cellapse.tasks.false_edges import _decoy_trust, _own_lift
from cellapse.tasks.resistance import (
    _by_eigenvectors,
    _grounds,
    _root,
    all_squares,
    exact_coordinates,
    group_sums,
    groups,
)
from cellapse.tasks.verdict import _agreement

EPS = float(np.finfo(float).eps)


# Rows to clusters


def test_rows_of_length_one_and_zeros():
    assert unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist() == [[0.6, 0.8], [0.0, 0.0]]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_groups", [1, 7])
def test_kmeans_is_as_good_as_that_of_another_library(n_groups, seed):
    """The sum of squares within clusters, on rows in groups and on rows in none."""
    rng = np.random.default_rng(seed)
    centres = 4.0 * rng.standard_normal((n_groups, 3))
    rows = rng.standard_normal((150, 3)) + centres[rng.integers(0, n_groups, 150)]
    numbers = assigned(rows, 7, "kmeans", seed)
    parts = [rows[numbers == k] for k in range(7)]
    within = sum(float(((part - part.mean(axis=0)) ** 2).sum()) for part in parts)
    assert within < 1.03 * KMeans(7, n_init=10, random_state=seed).fit(rows).inertia_
    assert assigned(rows, 7, "kmeans", seed).tolist() == numbers.tolist()


@pytest.mark.parametrize("size", [1e-200, 1e-12, 1e6])
def test_kmeans_of_rows_that_come_again(size):
    rows = size * np.repeat(np.eye(3), [5, 1, 2], axis=0)
    for k in (1, 2, 3):
        numbers = assigned(rows, k, "kmeans", 0)
        assert len(set(numbers.tolist())) == k
        assert len(set(numbers[:5].tolist())) == len(set(numbers[6:].tolist())) == 1
    assert len(set(assigned(rows, 6, "kmeans", 0).tolist())) == 3  # there are no more


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_agreement_is_the_adjusted_rand_index(pairs):
    a, b = np.array(pairs).T
    assert _agreement(a, b) == pytest.approx(adjusted_rand_score(a, b))


def test_a_seed_too_large_for_kmeans_is_one_all_the_same():
    rows = np.repeat(np.eye(2), 3, axis=0)
    for seed in (2**32, 2**70):
        assert len(set(assigned(rows, 2, "kmeans", seed)[[0, 5]])) == 2


@pytest.mark.parametrize("k", [2, 3, 5])
def test_indicators_that_were_turned_are_found_whatever_the_first_row(k):
    truth = np.repeat(np.arange(k), np.arange(3, 3 + k))
    rows = np.eye(k)[truth] @ ortho_group.rvs(k, random_state=k)
    for seed in range(6):
        found = _by_rotation(rows, np.random.default_rng(seed))
        assert len(set(zip(truth.tolist(), found.tolist(), strict=True))) == len(set(found)) == k


def test_neither_indicators_nor_rotation_can_be_improved_in_the_end():
    rng = np.random.default_rng(0)
    rows = unit_rows(np.eye(4)[rng.integers(4, size=200)] + 0.5 * rng.standard_normal((200, 4)))
    rows = rows @ ortho_group.rvs(4, random_state=1)
    for seed in range(5):
        found = _by_rotation(rows, np.random.default_rng(seed))
        U, _, Vt = np.linalg.svd(np.eye(4)[found].T @ rows)
        assert (np.argmax(rows @ (Vt.T @ U.T), axis=1) == found).all()


def test_a_network_without_weight_has_no_modularity():
    assert modularity_by(sparse.coo_array((3, 3)), np.array([0, 0, 1])) == 0.0
    for weight in (1e-6, 1.0, 1e6):  # of two edges, one inside: 1/2 - (3/4)^2 - (1/4)^2
        two = sparse.coo_array(([weight] * 2, ([0, 1], [1, 2])), shape=(3, 3))
        assert modularity_by(two, np.array([0, 0, 1])) == pytest.approx(-0.125)
    none = sparse.coo_array((np.zeros(1), ([0], [1])), shape=(3, 3))
    assert modularity_by(none, np.array([0, 0, 1])) == 0.0


# Coordinates


def test_what_rounding_may_do_to_the_resistance_of_one_edge():
    """|w|^2 ||dS|| with w = 1 / c: 8 eps c / c^2 by the diagonal, as much again by row sums."""
    for c in (0.2, 3.0):
        L = cl.graph_laplacian(cl.Complex.from_arrays(2, {1: [[0, 1]]}, weights={1: [c]}))
        cholesky, without_subtraction = exact_coordinates(L)
        by_vectors = next(exact_coordinates(SparseOperator(L.A, L.labels, None, "given")))
        known = [((way.errors[0] - way.errors[1]) ** 2).sum() for way in (cholesky, by_vectors)]
        assert known == pytest.approx([8 * EPS / c, 8 * EPS / c], rel=1e-9)
        assert without_subtraction.errors.shape == (2, 0)  # no entry is ever subtracted


def test_which_ways_to_coordinates_there_are():
    """By Cholesky; then for a Laplacian without subtraction, for others by eigenvectors."""
    K = cl.clique_complex(nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (4, 5)]))
    ways = list(exact_coordinates(cl.collapse(K, "unfolded")))
    assert [w.points.shape[1] for w in ways] == [4, 4]  # six vertices less two components
    assert ways[1].errors.shape[1] == 4
    lonely = cl.graph_laplacian(cl.Complex.from_arrays(3, {}))
    assert [w.points.shape for w in exact_coordinates(lonely)] == [(3, 0), (3, 0)]
    assert [len(set(w.group.tolist())) for w in exact_coordinates(lonely)] == [3, 3]


def test_vertices_are_alike_as_far_as_rounding_lets_the_kernel_be_known():
    """(1, 1 + 1e-8) has no energy: alike next to an energy of 1e-7, and not next to 1."""
    d = 1e-8
    V = np.array([[1.0, 1.0 + d, 0.0], [1.0 + d, -1.0, 0.0], [0.0, 0.0, 2.0**0.5]]) / 2.0**0.5
    for energy, alike in ((1e-7, True), (1.0, False)):
        M = V.T @ np.diag([0.0, energy, 1.0]) @ V
        group = _by_eigenvectors((M + M.T) / 2, np.ones(3)).group
        assert (group[0] == group[1]) == alike
        assert group[2] not in group[:2]


def test_of_no_vertices_there_are_no_coordinates():
    none = _by_eigenvectors(np.zeros((0, 0)), np.zeros(0))
    assert none.points.shape == none.errors.shape == (0, 0)
    assert cl.effective_resistance(np.zeros((0, 0))).shape == (0, 0)


def test_alike_is_measured_by_the_largest_entry():
    small = np.array([[1e-3], [1.1e-3], [5e-3]])
    assert len(set(groups(small, 0.01).tolist())) == 3
    assert len(set(groups(small, 0.03).tolist())) == 2


def test_grounds_are_independent_though_vectors_peak_at_one_vertex():
    both = sparse.csr_array([[0.1, 0.1], [0.9, 0.9], [0.3, 0.2]])
    assert _grounds(both).tolist() == [1, 2]


def test_distances_of_far_rows_and_sums_over_groups():
    x = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 4.0 + 1e-9]])
    assert all_squares(x)[0].tolist() == pytest.approx([0.0, 25.0, 25.0])
    assert all_squares(x)[1, 2] == pytest.approx(1e-18, rel=1e-6)
    assert all_squares(np.zeros((0, 2))).shape == (0, 0)
    x = np.array([[0.0], [2.0], [5.0], [7.0]])
    assert group_sums(x, np.array([3, 3, 8, 8])).tolist() == pytest.approx([4.0, 4.0, 4.0, 4.0])


def test_a_sketch_needs_dominance_up_to_rounding():
    zero = SparseOperator(sparse.csr_array((2, 2)), (0, 1), None, "zero")
    assert not _root(zero).toarray().any()
    for short, fine in ((1e-12, True), (1e-8, False)):
        S = SparseOperator(
            sparse.csr_array([[1.0 - short, -1.0], [-1.0, 1.0]]), (0, 1), None, "given"
        )
        if fine:
            np.testing.assert_allclose((_root(S) @ _root(S).T).toarray(), S.A.toarray(), atol=1e-11)
        else:
            with pytest.raises(cl.InputError, match="dominant"):
                _root(S)


# Decoys


def lifted(graph):
    return cl.clique_complex(graph, 2)


def test_cliques_are_their_own_lift_in_any_order_but_not_with_weights():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    edges, triangles = (K.cells[k].as_array() for k in (1, 2))
    turned = cl.Complex.from_arrays(34, {1: edges, 2: triangles[::-1]})
    for C in (K, turned, cl.clique_complex(nx.complete_graph(5), 3)):
        graph = C.skeleton(1)
        assert _own_lift(C)(graph).n_cells == C.n_cells
    counted = K.with_attributes({}, {2: np.ones(K.n_cells[2])})
    some = cl.Complex.from_arrays(34, {1: edges, 2: triangles[1:]})
    elsewhere = cl.Complex.from_arrays(6, {1: [[0, 1], [1, 2], [0, 2]], 2: [[3, 4, 5]]})
    for C in (counted, some, elsewhere, cl.lifts.cycle_complex(nx.cycle_graph(4))):
        with pytest.raises(cl.InputError, match="lift="):
            _own_lift(C)
    by_edge = K.with_attributes({}, {1: np.arange(1.0, 1 + len(edges))})
    assert _own_lift(by_edge)(K.skeleton(1)).n_cells == K.n_cells


@pytest.mark.parametrize(
    ("n_edges", "at_once", "goes"), [(8, 1, 100), (240, 12, 84), (700, 35, 29), (1000, 50, 20)]
)
def test_a_thousand_decoys_a_twentieth_of_the_edges_at_a_time(n_edges, at_once, goes):
    """At most a hundred times, each time next to the edges as they are, in their order."""
    K = cl.as_complex(nx.gnm_random_graph(80, n_edges, seed=1)).skeleton(1)
    edges, seen = K.cells[1].as_array(), []

    def look(graph):
        pairs = graph.cells[1].as_array()
        assert (pairs[: len(edges)] == edges).all()
        assert len({tuple(sorted(p)) for p in pairs.tolist()}) == len(pairs)  # nothing twice
        assert (pairs[:, 0] != pairs[:, 1]).all()
        seen.append(len(pairs) - len(edges))
        return graph

    decoys = _decoy_trust(K, look, "degree", np.random.default_rng(0))
    assert seen == [at_once] * goes
    assert decoys.tolist() == [0.0] * (at_once * goes)  # in no cell


def test_decoys_have_the_trust_of_edges_in_their_place():
    """A square without a diagonal: the two pairs left are its diagonals, and close two cells."""
    K = cl.clique_complex(nx.cycle_graph(4)).skeleton(1)
    square = nx.cycle_graph(4)
    square.add_edge(0, 2)
    trust = cl.edge_trust(cl.clique_complex(square)).as_dict()[0, 2]
    decoys = _decoy_trust(K, lifted, "uniform", np.random.default_rng(0))
    assert decoys == pytest.approx(np.full(100, trust))


@pytest.mark.parametrize(("pairs", "low", "high"), [("degree", 0.55, 0.75), ("uniform", 0.1, 0.25)])
def test_random_pairs_by_degree_or_all_alike(pairs, low, high):
    """A clique of 20 has half of all ends: a pair of it and the cycle comes in 2/3 or 1/6."""
    K = cl.as_complex(nx.disjoint_union(nx.complete_graph(20), nx.cycle_graph(200))).skeleton(1)
    mixed = []

    def look(graph):
        new = graph.cells[1].as_array()[K.n_cells[1] :]
        mixed.extend(((new < 20).sum(axis=1) == 1).tolist())
        return graph

    _decoy_trust(K, look, pairs, np.random.default_rng(0))
    assert low < np.mean(mixed) < high


@pytest.mark.parametrize("kind", ["uniform", "degree", "near"])
def test_random_pairs_are_no_edges_and_as_many_as_there_are(kind):
    """A path of four: three pairs are left, two of them at distance two, one at three."""
    edges = np.array([[0, 1], [2, 1], [3, 2]])
    rng = np.random.default_rng(0)
    drawn = {tuple(p) for p in random_pairs(edges, 4, 9, kind, rng).tolist()}
    assert drawn == {(0, 2), (1, 3), (0, 3)}
    assert len(random_pairs(edges, 4, 2, kind, rng)) == 2
    complete = np.array([[0, 1], [1, 2], [0, 2]])
    assert random_pairs(complete, 3, 9, kind, rng).shape == (0, 2)


def test_near_pairs_are_near_and_pairs_by_degree_have_no_end_alone():
    """Two paths of four vertices and one alone: nothing leads from one to the other."""
    edges = np.array([[0, 1], [1, 2], [2, 3], [4, 5], [5, 6], [6, 7]])
    near = random_pairs(edges, 9, 99, "near", np.random.default_rng(0))
    assert {tuple(p) for p in near.tolist()} == {(0, 2), (1, 3), (0, 3), (4, 6), (5, 7), (4, 7)}
    by_degree = random_pairs(edges, 9, 99, "degree", np.random.default_rng(0))
    assert by_degree.max() == 7
    assert random_pairs(edges, 9, 99, "uniform", np.random.default_rng(0)).max() == 8


def test_where_decoys_are_rare_the_ratio_is_small_and_never_grows():
    """Three edges and two decoys, each worth 3/2: one value of trust below, one above."""
    ratio = density_ratio(np.array([0.1, 0.1, 0.9]), np.array([0.1, 0.9]))
    assert ratio == pytest.approx([1.0, 1.0, 1.0])  # 3/4 and 3/2, pooled as they may not grow
    ratio = density_ratio(np.array([0.1, 0.9, 0.9]), np.array([0.1, 0.1]))
    assert ratio == pytest.approx([3.0, 0.0, 0.0])


# Hubs


@pytest.mark.parametrize(
    ("in_one", "ahead", "warned"),
    [(7, 0.021, True), (7, 0.02, False), (7, -0.01, False), (6, 0.5, False), (10, 0.5, False)],
)
def test_a_warning_where_most_are_in_one_cluster_and_L_is_ahead(monkeypatch, in_one, ahead, warned):
    """More than six tenths in one cluster, and more than two hundredths of modularity behind."""
    K, numbers = cl.clique_complex(nx.path_graph(10)), np.repeat([0, 1], [in_one, 10 - in_one])
    others = np.array([0, 1] * 5)
    asked = []

    def again(operator, k):
        asked.append((operator.name, k))
        return others

    values = {id(numbers): 0.0, id(others): ahead}
    monkeypatch.setattr("cellapse.tasks.clustering.modularity_by", lambda edges, c: values[id(c)])
    if warned:
        with pytest.warns(cl.CellapseWarning, match=rf"holds {in_one} of 10.*0\.021, these 0\.000"):
            warn_of_hubs(K, numbers, again)
    else:
        with warnings.catch_warnings(action="error"):
            warn_of_hubs(K, numbers, again)
    assert asked == ([("graph Laplacian", 2)] if in_one == 7 else [])


def test_without_edges_nothing_is_lopsided():
    K = cl.clique_complex(nx.empty_graph(10))
    warn_of_hubs(K, np.repeat([0, 1], [9, 1]), lambda operator, k: 1 / 0)


# Parts of a complex


def test_with_an_edge_all_cells_around_it_go():
    K = cl.clique_complex(nx.complete_graph(4), 3)
    dropped = np.array([e == (0, 1) for e in K.cell_labels(1)])
    left = without_edges(K, dropped)
    assert left.n_cells == (4, 5, 2, 0)
    assert {frozenset(c) for c in left.cell_labels(2)} == {
        frozenset({0, 2, 3}),
        frozenset({1, 2, 3}),
    }
    assert without_edges(K, np.zeros(6, dtype=bool)).n_cells == K.n_cells


def test_members_of_hyperedges_are_dealt_out_anew():
    """Sizes and degrees stay: hyperedges of two and four members weigh 1 and 1/3 a pair."""
    H = cl.hypergraph_complex([(0, 1, 2, 3), (4, 5)])
    W = shuffled(H, np.random.default_rng(2)).toarray()
    assert (W == W.T).all()
    assert not W.diagonal().any()
    assert W.sum(axis=1) == pytest.approx(np.ones(6))
    assert sorted(np.unique(W.round(9))) == pytest.approx([0.0, 1 / 3, 1.0])


def test_a_pair_keeps_what_the_hyperedges_that_are_left_give_it():
    """(0, 1, 2) goes: (0, 1) weighs 1 of 2, and the pairs of 2 are gone with it."""
    H = cl.hypergraph_complex([(0, 1, 2), (0, 1, 3)], multiplicity="weight")
    chances = iter([np.ones(H.n_cells[1]), np.array([0.0, 1.0])])
    part = thinned(H, 0.5, SimpleNamespace(random=lambda n: next(chances)))
    assert list(part.cell_labels(2)) == [(0, 1, 3)]
    weights = dict(zip(part.cell_labels(1), part.weights[1].tolist(), strict=True))
    assert weights == {(0, 1): 1.0, (0, 3): 1.0, (1, 3): 1.0}


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_what_is_left_does_not_depend_on_the_unit_of_weights(unit):
    """A pair weighs as much as the hyperedges around it, and goes with the last of them."""
    given = [(0, 1, 2), (0, 1, 3), (2, 3), (4, 5, 0), (1, 2)]
    H = cl.hypergraph_complex(given, multiplicity="weight")
    scaled = H.with_attributes({}, {k: unit * H.weights[k] for k in (1, 2)})
    for seed in range(4):
        part, same = (thinned(C, 0.5, np.random.default_rng(seed)) for C in (H, scaled))
        assert part.cell_labels(1) == same.cell_labels(1)
        assert same.weights[0] is None
        np.testing.assert_allclose(same.weights[1], unit * part.weights[1])
