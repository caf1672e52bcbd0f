"""Trust that is learned from random pairs, and confidences as a prior: by hand and by its laws."""

import itertools

import networkx as nx
import numpy as np
import pytest
from scipy.stats import rankdata

import cellapse as cl
from cellapse.experiments.protocol.noise import auc, true_edges, with_false_edges
from cellapse.tasks._confidence import by_confidence, increasing
from cellapse.tasks._edge_features import edge_features
from cellapse.tasks._random_pairs import random_pairs

GRAPH = nx.karate_club_graph()


def karate():
    return cl.clique_complex(GRAPH, weight=None)


def noisy(percent=40, kind="uniform", seed=0):
    """Places on a plane, joined when near, with false edges; and which edges are true."""
    G = nx.random_geometric_graph(150, 0.15, seed=seed)
    A = nx.to_scipy_sparse_array(G, dtype=float, format="csr")
    K = cl.clique_complex(with_false_edges(A, percent, kind, seed))
    return K, true_edges(A, K.cells[1].as_array())


# What is learned from


def by_loops(G, i, j):
    """Numbers of an edge, counted over the vertices and paths of the graph without it."""
    H = G.copy()
    H.remove_edge(i, j)
    d = dict(G.degree)
    low, high = sorted((H.degree(i), H.degree(j)))
    both = set(H[i]) & set(H[j])
    paths = [
        (x, y)
        for x, y in itertools.product(H[i], H[j])
        if x != y and y in H[x] and x != j and y != i
    ]
    some, more, c = max(low, 0.5), max(high, 0.5), len(both)
    q = sum((d[x] * d[y]) ** -0.5 for x, y in paths)
    one, other = (nx.clustering(H, v) for v in (i, j))
    return {
        0: low,
        1: high,
        2: c,
        3: sum(1 / np.log(d[x]) for x in both),
        4: sum(1 / d[x] for x in both),
        6: q,
        7: c / np.sqrt(some * more),
        8: c / max(some + more - c, 1.0),
        9: c / some,
        10: c / more,
        11: q / np.sqrt(some * more),
        12: one + other,
        13: one * other,
    }


def test_features_are_those_counted_by_loops():
    edges = karate().cells[1].as_array()
    found = np.expm1(edge_features(edges, 34))
    for row, (i, j) in zip(found, edges.tolist(), strict=True):
        for column, value in by_loops(GRAPH, i, j).items():
            assert row[column] == pytest.approx(value, abs=1e-9), (i, j, column)


def test_renaming_the_vertices_changes_no_feature_that_is_counted():
    edges = karate().cells[1].as_array()
    order = np.random.default_rng(0).permutation(34)
    one, two = edge_features(edges, 34), edge_features(order[edges][:, ::-1], 34)
    np.testing.assert_allclose(one[:, :14], two[:, :14], atol=1e-9)
    np.testing.assert_allclose(one[:, 14:], two[:, 14:], atol=0.05)  # from another random start


# What is learned


@pytest.mark.parametrize("kind", ["uniform", "degree", "near"])
def test_false_edges_are_found_better_than_by_cells(kind):
    """Squares and few triangles: most edges are held by no cell."""
    G = nx.grid_2d_graph(14, 14)
    A = nx.to_scipy_sparse_array(G, dtype=float, format="csr")
    K = cl.clique_complex(with_false_edges(A, 30, kind, 0))
    true = true_edges(A, K.cells[1].as_array())
    areas = {
        e: auc(cl.edge_trust(K, evidence=e).values, true) for e in ("cells", "learned", "both")
    }
    assert areas["learned"] > areas["cells"] + 0.1
    assert areas["both"] > areas["cells"] + 0.05


def test_triangles_are_used_where_there_are_some():
    K, true = noisy()
    for evidence in ("learned", "both"):
        assert auc(cl.edge_trust(K, evidence=evidence).values, true) > 0.95


def test_both_is_the_mean_of_ranks_of_what_is_learned_and_of_three_scores():
    K = karate()
    edges = K.cells[1].as_array()
    neighbours = [set(GRAPH[v]) for v in GRAPH]
    pairs = [(neighbours[i], neighbours[j], {i, j}) for i, j in edges.tolist()]
    closed = [len((a | e) & (b | e)) / len(a | b | e) for a, b, e in pairs]
    allocated = [sum(1 / GRAPH.degree(x) for x in a & b) for a, b, _ in pairs]
    overlap = [(len(a & b) + 1) / min(len(a), len(b)) for a, b, _ in pairs]
    learned = cl.edge_trust(K, evidence="learned").values
    parts = [
        (rankdata(x) - 0.5) / len(x)
        for x in (learned, np.round(closed, 12), np.round(allocated, 12), np.round(overlap, 12))
    ]
    np.testing.assert_allclose(
        cl.edge_trust(K, evidence="both").values,
        np.average(parts, axis=0, weights=[3, 1, 1, 1]),
        atol=0.02,  # sums in another order part what is tied
    )


@pytest.mark.parametrize("kind", ["uniform", "degree", "near"])
@pytest.mark.parametrize("seed", range(3))
def test_decoys_are_different_pairs_and_never_edges(kind, seed):
    G = nx.gnp_random_graph(40, 0.15 + 0.3 * seed, seed=seed)
    edges = np.array([sorted(e) for e in G.edges])
    drawn = random_pairs(edges, 40, 100, kind, np.random.default_rng(seed))
    pairs = list(map(tuple, drawn.tolist()))
    assert len(pairs) == len(set(pairs)) == 100
    for i, j in pairs:
        assert i < j
        assert not G.has_edge(i, j)
        assert kind != "near" or nx.shortest_path_length(G, i, j) in (2, 3)


@pytest.mark.parametrize("evidence", ["learned", "both"])
def test_the_same_seed_gives_the_same_trust(evidence):
    one, two, other = (cl.edge_trust(karate(), evidence=evidence, rng=r) for r in (1, 1, 2))
    np.testing.assert_array_equal(one.values, two.values)
    assert not np.array_equal(one.values, other.values)
    assert 0 < one.values.min() <= one.values.max() < 1


def test_the_names_and_the_order_of_edges_do_not_matter_much():
    """Other random pairs are drawn: the numbers are alike, not the same."""
    K, _ = noisy()
    edges = K.cells[1].as_array()
    order = np.random.default_rng(0).permutation(150)
    turned = cl.clique_complex(order[edges][::-1])
    one = cl.edge_trust(K, evidence="learned").values
    two = cl.edge_trust(turned, evidence="learned").values[::-1]
    assert np.corrcoef(one, two)[0, 1] > 0.95


@pytest.mark.parametrize("decoys", ["mixed", "uniform", "degree", "near"])
def test_every_model_of_errors_is_named(decoys):
    trust = cl.edge_trust(karate(), evidence="learned", decoys=decoys)
    assert trust.model
    assert trust.model in str(trust)
    assert cl.edge_trust(karate()).model == ""


def test_what_cannot_be_learned_from_is_refused():
    with pytest.raises(cl.InputError, match="few"):
        cl.edge_trust(cl.clique_complex(nx.path_graph(6)), evidence="learned")
    complete = cl.clique_complex(nx.complete_graph(9))
    with pytest.raises(cl.InputError, match="joined"):
        cl.edge_trust(complete, evidence="both")
    cliques = cl.clique_complex(nx.disjoint_union(*[nx.complete_graph(6)] * 2))
    with pytest.raises(cl.InputError, match="distance"):
        cl.edge_trust(cliques, evidence="learned", decoys="near")
    assert len(cl.edge_trust(cliques, evidence="learned")) == 30  # by the other two kinds


@pytest.mark.parametrize(
    "wrong",
    [
        {"evidence": "triangles"},
        {"evidence": "learned", "decoys": "far"},
        {"decoys": "near"},
        {"evidence": "learned", "rng": "x"},
        {"confidence": np.linspace(0, 1.01, 78)},
        {"confidence": np.linspace(-0.1, 1, 78)},
        {"confidence": np.full(78, np.nan)},
        {"confidence": np.ones(77)},
        {"confidence": {(0, 1): 0.5}},
    ],
)
def test_wrong_arguments_are_refused(wrong):
    with pytest.raises(cl.InputError):
        cl.edge_trust(karate(), **wrong)


def test_an_operator_has_no_other_evidence():
    S = cl.collapse(karate())
    for wrong in ({"evidence": "learned"}, {"confidence": np.full(78, 0.5)}):
        with pytest.raises(cl.InputError, match="complex"):
            cl.edge_trust(S, **wrong)


# Confidence


def test_the_isotonic_mean_by_hand():
    """3 and 1 are in the wrong order and pooled; equal x have one mean."""
    x, y = np.array([1.0, 2.0, 3.0, 3.0]), np.array([0.0, 3.0, 1.0, 1.0])
    np.testing.assert_allclose(increasing(x, y), [0.0, 5 / 3, 5 / 3, 5 / 3])


def test_without_cells_the_confidence_alone_is_left():
    K = cl.clique_complex(nx.cycle_graph(7))
    sure = np.array([0.9, 0.2, 0.4, 0.8, 0.1, 0.5, 0.6])
    values = cl.edge_trust(K, confidence=sure).values
    np.testing.assert_array_equal(np.argsort(values), np.argsort(sure))
    np.testing.assert_allclose(values, (np.argsort(np.argsort(sure)) + 0.5) / 7)


def test_confidence_is_aligned_and_equal_ones_are_none():
    K = karate()
    sure = np.linspace(0.0, 1.0, 78)
    by_name = dict(zip(K.cell_labels(1), sure.tolist(), strict=True))
    shuffled = {e[::-1]: by_name[e] for e in list(by_name)[::-1]}
    one = cl.edge_trust(K, confidence=sure).values
    np.testing.assert_array_equal(cl.edge_trust(K, confidence=shuffled).values, one)
    np.testing.assert_array_equal(cl.edge_trust(K, confidence=sure**3).values, one)  # its order
    same = cl.edge_trust(K, confidence=np.full(78, 0.3)).values
    np.testing.assert_array_equal(same, cl.edge_trust(K).values)


def linked_records(seed):
    """Pairs of records with one of 100 rough keys, their similarity, and who is the same."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(600), rng.integers(1, 7, 600))
    key = rng.integers(100, size=600)[who]
    wrong = rng.random(len(who)) < 0.1
    key[wrong] = rng.integers(100, size=int(wrong.sum()))
    same_key = [np.flatnonzero(key == k) for k in range(100)]
    pairs = np.concatenate([np.array(list(itertools.combinations(v, 2))) for v in same_key])
    true = who[pairs[:, 0]] == who[pairs[:, 1]]
    alike = np.where(true, rng.beta(5, 2, len(pairs)), rng.beta(2, 4, len(pairs)))
    seen = alike > 0.3
    return cl.clique_complex(pairs[seen]), alike[seen], true[seen]


@pytest.mark.parametrize("seed", range(2))
def test_a_similarity_as_prior_is_not_worse_than_alone(seed):
    K, alike, true = linked_records(seed)
    alone, with_cells = auc(alike, true), auc(cl.edge_trust(K, confidence=alike).values, true)
    assert with_cells > alone + 0.01
    assert auc(cl.edge_trust(K).values, true) < alone - 0.1


def test_weights_are_a_prior_of_what_is_learned():
    K, true = noisy(seed=1)
    rng = np.random.default_rng(0)
    weights = np.where(true, rng.gamma(6.0, 1.0, len(true)), rng.gamma(2.0, 1.0, len(true)))
    weighted = K.with_attributes({}, {1: weights})
    values = cl.edge_trust(weighted, evidence="learned").values
    assert auc(values, true) > auc(weights, true) + 0.03
    learned = cl.edge_trust(K, evidence="learned").values
    np.testing.assert_array_equal(values, by_confidence(K, weights, learned))


# Which are likely false


@pytest.mark.parametrize("kind", ["uniform", "degree", "near"])
def test_what_is_promised_holds_for_every_kind_of_false_edges(kind):
    """On a mesh, where pairs at distance two are much like edges."""
    A = nx.to_scipy_sparse_array(nx.triangular_lattice_graph(24, 40), dtype=float, format="csr")
    K = cl.clique_complex(with_false_edges(A, 20, kind, 0))
    false = ~true_edges(A, K.cells[1].as_array())
    doubt = cl.likely_false(K, false_share=float(false.mean()))
    if doubt.distinguishable.any():
        assert false[doubt.distinguishable].mean() <= doubt.level + 0.03
    assert false[~doubt.doubted].mean() <= doubt.missed + 0.03
    assert (~false)[doubt.doubted].mean() <= doubt.wrong + 0.05


def test_the_worst_of_three_kinds_is_at_least_as_bad_as_each_found():
    K, _ = noisy()
    doubt = cl.likely_false(K, false_share=0.2)
    assert set(doubt.kinds) == {"uniform", "degree", "near"}
    np.testing.assert_allclose(
        doubt.probability, np.max([np.minimum(1, 0.2 * c.ratio) for c in doubt.compared], axis=0)
    )
    assert "whichever is worse" in str(doubt)


def test_hyperedges_and_lifts_need_cells_as_evidence():
    K = cl.hypergraph_complex([(0, 1, 2), (2, 3), (3, 4, 5, 6)])
    with pytest.raises(cl.InputError, match='evidence="cells"'):
        cl.likely_false(K)
    with pytest.raises(cl.InputError, match='evidence="cells"'):
        cl.likely_false(karate(), lift=cl.clique_complex)


# The Laplacian of trusted edges


@pytest.mark.parametrize("evidence", ["cells", "learned"])
def test_edges_of_the_trusted_laplacian_weigh_a_twentieth_to_all(evidence):
    K = karate().with_attributes({}, {1: np.arange(1.0, 79.0)})
    L = cl.tasks.trusted_laplacian(K, evidence=evidence, rng=3)
    trust = cl.edge_trust(K, evidence=evidence, rng=3).values
    i, j = K.cells[1].as_array().T
    np.testing.assert_allclose(-L.toarray()[i, j], np.arange(1, 79) * (0.05 + 0.95 * trust))
    np.testing.assert_allclose(L @ np.ones(34), 0, atol=1e-9)
    assert L.labels == K.labels


def test_a_complex_without_edges_has_a_laplacian_of_zeros():
    assert not cl.tasks.trusted_laplacian(cl.Complex.from_arrays(3, {})).toarray().any()
