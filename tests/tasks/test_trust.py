"""How far edges can be trusted: by hand, against dense formulas, and false edges that are found."""

import re
import warnings

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import cellapse as cl
from cellapse import datasets, lifts, tasks
from cellapse.experiments.protocol.noise import true_edges, with_false_edges
from cellapse.tasks._against_decoys import density_ratio, distinguishable, largest_share


def dense_trust(A, rounds=5, lean=0.75):
    """The formula of the module on a dense adjacency, by loops over pairs."""
    n, W = len(A), A.astype(float).copy()
    T = np.zeros((n, n))
    for _ in range(rounds):
        g = W.sum(axis=1)
        new = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                if A[i, j]:
                    small, large = sorted((g[i], g[j]))
                    s = 5.0 * (W[i] @ W[:, j]) / (small**lean * large ** (1 - lean))
                    T[i, j], new[i, j] = s / (1 + s), 1 - 0.95 / (1 + s)
        W = new
    return T


def test_a_triangle_with_a_tail_by_hand():
    """One round more by one: f = 1 at first, so s = 5 / (2^(3/4) 3^(1/4)) for an edge at c."""
    K = cl.Complex.from_cells(
        {1: [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")], 2: [("a", "b", "c")]}
    )
    trust = cl.edge_trust(K)
    A = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 1, 0]])
    first = 5 / (2**0.75 * 3**0.25)
    assert dense_trust(A, rounds=1)[1, 2] == pytest.approx(first / (1 + first))
    wanted = dense_trust(A)
    np.testing.assert_allclose(
        trust.values, [wanted[0, 1], wanted[1, 2], wanted[0, 2], 0.0], rtol=1e-12
    )
    assert trust.n_cells.tolist() == [1, 1, 1, 0]
    assert trust.held == 0.75
    assert trust.lowest(1) == [(("c", "d"), 0.0)]
    assert trust.as_dict()["c", "d"] == 0.0
    assert trust.shares[3] == pytest.approx(0.05)


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_dense_formula(seed):
    A = np.triu(np.random.default_rng(seed).random((25, 25)) < 0.3, 1)
    A = A | A.T
    K = cl.clique_complex(sparse.csr_array(A.astype(float)))
    i, j = K.cells[1].as_array().T
    np.testing.assert_allclose(cl.edge_trust(K).values, dense_trust(A)[i, j], rtol=1e-10)


def test_of_an_operator_it_is_the_share_saved():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    for realization in ("screened", "renormalized"):
        S = cl.collapse(K, realization, eps=0.1)
        least = 1 - float(S.gamma[0]) ** 2 / 1.1
        np.testing.assert_allclose(
            cl.edge_trust(S).values, (S.shares - least) / (1 - least), atol=1e-12
        )
    one = cl.edge_trust(cl.collapse(K, "screened", eps=0.0))
    np.testing.assert_allclose(one.values, one.n_cells / (1.0 + one.n_cells), atol=1e-12)


def test_theta_does_not_change_the_trust_of_a_screened_operator():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    one, two = (cl.edge_trust(cl.collapse(K, "screened", gamma=g)).values for g in (0.3, 1.0))
    np.testing.assert_allclose(one, two, atol=1e-12)


def test_permuting_the_vertices_permutes_nothing_else():
    G = nx.karate_club_graph()
    order = np.random.default_rng(0).permutation(34).tolist()
    H = nx.Graph()
    H.add_nodes_from(order)
    H.add_edges_from(list(G.edges(data=True))[::-1])  # with their weights
    one, two = (cl.edge_trust(cl.clique_complex(g)) for g in (G, H))
    by_set = {frozenset(e): t for e, t in two.as_dict().items()}
    for edge, t in one.as_dict().items():
        assert by_set[frozenset(edge)] == pytest.approx(t, rel=1e-12)


TWO_TRIANGLES = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]


def weighted_trust(weights):
    """The formula of `trust` edge by edge, with loops and no arrays."""
    w = dict(zip(TWO_TRIANGLES, weights, strict=True))
    w |= {(v, u): x for (u, v), x in w.items()}
    f = dict.fromkeys(w, 1.0)
    for _ in range(5):
        trust, new = {}, {}
        for u, v in w:
            g = []
            for end, far in ((u, v), (v, u)):
                others = [(end, x) for x in range(4) if (end, x) in w and x != far]
                usual = sum(w[e] for e in others) / len(others)  # of the edge itself
                g.append(sum(w[e] * f[e] for e in others) + usual * f[u, v])
            total = 0.0
            for x in range(4):
                if (u, x) in w and (v, x) in w:
                    mean = (w[u, v] * w[u, x] * w[v, x]) ** (1 / 3)
                    total += mean * f[u, x] * f[v, x]
            s = 5.0 * total / (min(g) ** 0.75 * max(g) ** 0.25)
            trust[u, v], new[u, v] = s / (1 + s), 1 - 0.95 / (1 + s)
        f = new
    return [trust[e] for e in TWO_TRIANGLES]


def on_two_triangles(weights):
    edges = [(u, v, float(x)) for (u, v), x in zip(TWO_TRIANGLES, weights, strict=True)]
    trust = cl.edge_trust(edges).as_dict()
    return [trust[e] for e in TWO_TRIANGLES]


@pytest.mark.parametrize("weights", [(1, 2, 3, 4, 5), (0.1, 7, 2, 1e-3, 100), (3, 3, 1, 3, 3)])
def test_weights_on_two_triangles_by_hand(weights):
    values = on_two_triangles(weights)
    np.testing.assert_allclose(values, weighted_trust(weights), rtol=1e-12)
    scaled = on_two_triangles([1e-6 * w for w in weights])
    np.testing.assert_allclose(scaled, values, rtol=1e-12)
    mirrored = on_two_triangles([weights[i] for i in (3, 4, 2, 0, 1)])  # 0 and 3 change places
    np.testing.assert_allclose(mirrored, [values[i] for i in (3, 4, 2, 0, 1)], rtol=1e-12)


def test_equal_weights_are_none_and_swapped_ones_are_others():
    plain = on_two_triangles([1] * 5)
    assert on_two_triangles([7.3] * 5) == plain
    near = on_two_triangles([1, 1, 1, 1, 1 + 1e-12])
    np.testing.assert_allclose(near, plain, rtol=1e-9)
    one, two = on_two_triangles([1, 2, 3, 4, 5]), on_two_triangles([2, 1, 3, 4, 5])
    assert not np.allclose(one, two, rtol=1e-3)


def test_a_heavier_edge_is_trusted_more_and_so_are_those_beside_it():
    values = np.array([on_two_triangles([w, 1, 1, 1, 1]) for w in (1e-6, 0.1, 1, 10, 1e6)])
    assert (np.diff(values[:, 0]) > 0).all()
    assert 0 <= values.min() <= values.max() <= 1


def test_random_pairs_weigh_what_edges_do():
    G = nx.planted_partition_graph(3, 15, 0.6, 0.05, seed=0)
    rng = np.random.default_rng(0)
    for u, v in G.edges:
        G.edges[u, v]["weight"] = float(rng.lognormal(2.0 if u // 15 == v // 15 else 0.0, 0.5))
    K = cl.clique_complex(G)
    plain = tasks.likely_false(cl.clique_complex(G, weight=None), evidence="cells")
    doubt = tasks.likely_false(K, evidence="cells")
    assert not np.allclose(doubt.decoys[:50], plain.decoys[:50], rtol=1e-3)
    scaled = tasks.likely_false(K.with_attributes({}, {1: 100.0 * K.weights[1]}), evidence="cells")
    np.testing.assert_allclose(scaled.decoys, doubt.decoys, rtol=1e-9)


def test_of_an_operator_weights_are_refused():
    K = cl.as_complex([("a", "b", 1.0), ("b", "c", 2.0), ("a", "c", 3.0)])
    for realization in ("screened", "renormalized"):
        with pytest.raises(cl.InputError, match="edge_trust"):
            cl.edge_trust(cl.collapse(K, realization))
        cl.edge_trust(cl.collapse(cl.as_complex(K, weight=None), realization))


def test_edges_of_a_long_cycle_are_supported_alike():
    K = lifts.cycle_complex(nx.cycle_graph(6), max_length=6)
    values = cl.edge_trust(K).values
    assert values.min() > 0
    np.testing.assert_allclose(values, values[0])


def test_a_frame_has_a_row_per_edge():
    frame = cl.edge_trust(cl.clique_complex([("a", "b"), ("b", "c")])).to_frame()
    assert frame.columns.tolist() == ["source", "target", "trust", "cells", "share"]
    assert frame["target"].tolist() == ["b", "c"]


def test_edges_of_an_operator_have_the_names_of_its_complex():
    for K in (cl.clique_complex(nx.path_graph("abc"), 1), cl.clique_complex(nx.path_graph("abc"))):
        trust = cl.edge_trust(cl.collapse(K, "screened"))
        assert list(trust.edges) == [("a", "b"), ("b", "c")]


def test_matrices_without_a_complex():
    B = cl.boundary_matrices(cl.clique_complex(nx.complete_graph(4)))
    trust = cl.edge_trust(cl.collapse(list(B), "renormalized"))
    assert list(trust.edges) == list(range(6))
    assert "edge" in trust.columns()


@pytest.mark.parametrize("K", [cl.Complex.from_arrays(3, {}), cl.Complex.from_arrays(3, {1: []})])
def test_no_edges(K):
    assert len(cl.edge_trust(K)) == 0
    assert cl.edge_trust(K).held == 0.0
    doubt = tasks.likely_false(K)
    assert "no edges" in str(doubt)
    assert doubt.network().n_cells[0] == 3


def test_what_has_no_shares_is_refused():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    with pytest.raises(cl.InputError, match="renormalized"):
        cl.edge_trust(cl.collapse(K, "unfolded"))
    with pytest.raises(cl.InputError, match=r"operator.*complex"):
        cl.edge_trust(cl.graph_laplacian(K))
    with pytest.raises(cl.InputError, match="theta = 0"):
        cl.edge_trust(cl.collapse(K, "screened", gamma=0.0))


# ---------------------------------------------------------------- which are likely false


def noisy(seed=0, share=0.25, n=200):
    """Places on a plane, joined when near, and random pairs; a real edge closes many triangles."""
    G = nx.random_geometric_graph(n, 0.16, seed=seed)
    real = {frozenset(e) for e in G.edges}
    rng = np.random.default_rng(seed)
    while G.number_of_edges() < len(real) / (1 - share):
        i, j = rng.integers(0, n, 2).tolist()
        if i != j:
            G.add_edge(i, j)
    return cl.clique_complex(nx.Graph(list(G.edges))), real


CLEAN = ("karate", "lesmis", "football", "polbooks", "dolphins")


@pytest.mark.parametrize("name", CLEAN)
def test_a_clean_network_stays_whole(name):
    """Nothing in a network says how many of its edges are false, so none is called so."""
    K = cl.clique_complex(datasets.load(name).graph)
    doubt = tasks.likely_false(K)
    assert doubt.edges() == []
    assert doubt.network() is K
    assert doubt.probability is doubt.wrong is doubt.threshold is None
    assert "No edge is doubted" in str(doubt) or doubt.reason
    few = doubt.knowing(0.02)  # nor are more called so than are said to be false
    assert few.doubted.mean() <= 0.04


@pytest.mark.parametrize("name", CLEAN)
def test_the_share_that_is_named_doubts_what_it_says(name):
    K = cl.clique_complex(datasets.load(name).graph)
    doubt = tasks.likely_false(K, evidence="cells", decoys="degree")
    share, first = doubt.first_break_even()
    np.testing.assert_array_equal(doubt.knowing(share).doubted, first)
    assert first.any()
    assert not doubt.knowing(share - 0.0101).doubted.any()


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("given", [False, True])
def test_random_edges_are_found_and_the_rates_hold(seed, given):
    K, real = noisy(seed)
    false = np.array([frozenset(e) not in real for e in K.cell_labels(1)])
    share = float(false.mean()) if given else None
    doubt = tasks.likely_false(K, false_share=share, decoys="uniform")
    assert false.mean() - 0.03 <= doubt.largest_share <= false.mean() + 0.08
    assert doubt.separation > 0.8
    assert doubt.distinguishable.mean() > 0.5
    assert false[doubt.distinguishable].mean() <= doubt.level + 0.01
    if not given:
        assert not doubt.doubted.any()
        return
    assert doubt.doubted[false].mean() > 0.8
    assert doubt.doubted[false].mean() == pytest.approx(doubt.caught, abs=0.05)
    assert false[~doubt.doubted].mean() == pytest.approx(doubt.missed, abs=0.05)
    assert (~false)[doubt.doubted].mean() == pytest.approx(doubt.wrong, abs=0.07)
    assert doubt.probability.mean() == pytest.approx(false.mean(), rel=0.05)
    assert doubt.wrong < 0.2


def test_the_network_without_them_has_neither_them_nor_their_cells():
    K, _ = noisy()
    K = K.with_attributes(
        {1: {"number": np.arange(K.n_cells[1])}}, {1: np.arange(1.0, 1 + K.n_cells[1])}
    )
    doubt = tasks.likely_false(K, false_share=0.25)
    with warnings.catch_warnings(action="ignore", category=cl.CellapseWarning):
        left = doubt.network()
    assert left.n_cells[1] < K.n_cells[1]
    kept = np.flatnonzero(~doubt.doubted)
    assert left.attributes[1]["number"].tolist() == kept.tolist()
    np.testing.assert_array_equal(left.weights[1], 1.0 + kept)
    again = cl.clique_complex(left)
    assert left.n_cells == again.n_cells
    assert left.labels == K.labels


def test_a_network_that_falls_apart_is_said_to():
    """Two cliques of six with a bridge, and 1 of 31 edges said to be false."""
    K = cl.clique_complex(nx.barbell_graph(6, 0))
    doubt = tasks.likely_false(K, false_share=1 / 31, evidence="cells", decoys="degree")
    assert doubt.edges() == [(5, 6)]
    with pytest.warns(cl.CellapseWarning) as said:
        left = doubt.network()
    assert len(set(left.components().tolist())) == 2
    assert {"2", "6", "1", "12"} <= set(re.findall(r"\d+", str(said[0].message)))
    G = nx.barbell_graph(6, 0)
    G.add_edge(0, 11)  # another bridge, so that either may go
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        K = cl.clique_complex(G)
        tasks.likely_false(K).network()


def test_a_random_graph_says_that_there_is_nothing_to_go_by():
    doubt = tasks.likely_false(cl.clique_complex(nx.gnp_random_graph(150, 0.1, seed=1)))
    assert "nothing to go by" in str(doubt)
    assert not doubt.doubted.any()


def test_without_triangles_cycles_are_suggested_and_help():
    G = nx.grid_2d_graph(8, 8)
    assert "cycle" in str(tasks.likely_false(cl.clique_complex(G), evidence="cells"))
    G.add_edges_from([((0, 0), (5, 6)), ((7, 1), (2, 5))])

    def squares(graph):
        return lifts.cycle_complex(graph, max_length=4)

    doubt = tasks.likely_false(
        squares(cl.clique_complex(G, 1)),
        lift=squares,
        evidence="cells",
        decoys="degree",
        false_share=0.02,
    )
    assert {frozenset(e) for e in doubt.edges()} >= {
        frozenset([(0, 0), (5, 6)]),
        frozenset([(7, 1), (2, 5)]),
    }


def test_a_complete_graph_has_no_random_pairs():
    assert "all pairs" in str(tasks.likely_false(cl.clique_complex(nx.complete_graph(8))))


def test_cells_that_are_no_cliques_need_a_lift():
    K = cl.hypergraph_complex([(0, 1, 2), (2, 3), (3, 4, 5, 6)])
    with pytest.raises(cl.InputError, match="lift"):
        tasks.likely_false(K)
    with pytest.raises(cl.InputError, match="edges"):
        tasks.likely_false(noisy(n=60)[0], evidence="cells", lift=lambda graph: graph.skeleton(0))


def test_the_same_seed_gives_the_same_edges():
    K, _ = noisy(n=80)
    one, two = (tasks.likely_false(K, rng=5, decoys="uniform") for _ in range(2))
    np.testing.assert_array_equal(one.doubted, two.doubted)
    np.testing.assert_array_equal(one.decoys, two.decoys)
    assert one.to_frame()["doubted"].sum() == one.doubted.sum()


def test_what_is_known_later_is_as_good_as_known_before():
    K, _ = noisy(n=80)
    later, before = tasks.likely_false(K).knowing(0.25), tasks.likely_false(K, false_share=0.25)
    np.testing.assert_array_equal(later.doubted, before.doubted)
    np.testing.assert_array_equal(later.probability, before.probability)
    assert (later.missed, later.wrong, later.level) == (before.missed, before.wrong, 0.05)
    assert later.to_frame()["probability"].tolist() == before.probability.tolist()


def test_where_few_edges_can_be_false_none_needs_to_be_doubted():
    doubt = tasks.likely_false(
        cl.clique_complex(nx.karate_club_graph(), weight=None), false_share=0.02
    )
    assert doubt.threshold is None
    assert doubt.missed == pytest.approx(0.02)
    assert doubt.caught == 0.0
    assert doubt.wrong is None
    assert "None of 78" in str(doubt)


def test_a_level_that_nothing_reaches_tells_no_edge_apart():
    doubt = tasks.likely_false(cl.clique_complex(nx.karate_club_graph(), weight=None), level=0.001)
    assert not doubt.distinguishable.any()
    assert not doubt.reason


def test_more_false_edges_than_look_like_random_pairs_are_said_to_be_closer():
    doubt = tasks.likely_false(
        cl.clique_complex(nx.karate_club_graph(), weight=None), false_share=0.99
    )
    assert doubt.false_share > doubt.largest_share
    assert "closer" in str(doubt)
    assert doubt.doubted.any()


@pytest.mark.parametrize("kind", ["uniform", "degree"])
def test_of_the_edges_that_are_kept_no_more_are_false_than_promised(kind):
    """The promise of `level`, with real edges that look random: those between blocks."""
    missed, caught, real = [], [], []
    for seed in range(4):
        A = nx.to_scipy_sparse_array(
            nx.planted_partition_graph(4, 30, 0.5, 0.03, seed=seed), dtype=float, format="csr"
        )
        K = cl.clique_complex(with_false_edges(A, 25, kind, seed))
        false = ~true_edges(A, K.cells[1].as_array())
        share = float(false.mean())
        doubt = tasks.likely_false(K, level=0.1, rng=seed, false_share=share, decoys=kind)
        assert doubt.distinguishable.any()
        missed.append(false[doubt.distinguishable].mean())
        caught.append(doubt.doubted[false].mean() - doubt.caught)
        real.append((~false)[doubt.doubted].mean() - doubt.wrong)
    assert np.mean(missed) < 0.1
    assert abs(np.mean(caught)) < 0.06  # how many random pairs are caught is known, too
    assert abs(np.mean(real)) < 0.1


VALUES = np.array([0.0, 0.0, 0.2, 0.5, 0.6, 0.7, 0.8, 0.8, 0.9, 0.9])
DECOYS = np.array([0.0, 0.0, 0.2, 0.6])


def test_the_ratio_of_densities_by_hand():
    """Of ten edges 2, 1 and 7 and of four decoys 2, 1 and 1 are at 0, at .2 and above."""
    ratio = density_ratio(VALUES, DECOYS)
    np.testing.assert_allclose(ratio[:3], 2.5)  # (2/4) / (2/10), and the same at .2
    np.testing.assert_allclose(ratio[3:5], 1.25)  # .5 and .6 pooled: (1/4) / (2/10)
    np.testing.assert_allclose(ratio[5:], 0.0)
    assert ratio.mean() == pytest.approx(1.0)


@given(st.lists(st.integers(0, 6), min_size=1), st.lists(st.integers(0, 6), min_size=1))
def test_probabilities_add_up_to_the_share_of_false_edges(values, decoys):
    """The mean of f_d / f over the edges is 1, as far as there are edges where decoys are."""
    values, decoys = np.array(values) / 6, np.array(decoys) / 6
    ratio = density_ratio(values, decoys)
    assert (np.diff(ratio[np.argsort(values)]) <= 1e-12).all()
    if decoys.min() >= values.min():
        assert ratio.mean() == pytest.approx(1.0)
    else:
        assert ratio.mean() <= 1.0 + 1e-12


def test_the_largest_share_and_which_are_distinguishable_by_hand():
    """At the median of the decoys, 0, are 2 of 10 edges and 2 of 4 decoys."""
    assert largest_share(VALUES, DECOYS) == pytest.approx(0.4)
    left = 0.4 * (2 + 2**0.5) / 5 / 0.7  # above .2: one decoy, one more, and a standard error
    np.testing.assert_array_equal(distinguishable(VALUES, DECOYS, 0.4, left + 1e-12), VALUES > 0.2)
    assert distinguishable(VALUES, DECOYS, 0.4, left - 1e-12).sum() < 7
    assert not distinguishable(VALUES, DECOYS, 1.0, 0.01).any()
    assert distinguishable(VALUES, DECOYS, 0.01, 0.05).all()
