"""The tables of false edges and few labels: scores against other libraries, and the tables."""

import networkx as nx
import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.semi_supervised import LabelSpreading

import cellapse as cl
from cellapse.experiments.main import TABLES
from cellapse.experiments.protocol import labels, noise
from cellapse.experiments.tables import spread, trust

G = nx.karate_club_graph()
A = nx.to_scipy_sparse_array(G, weight=None, dtype=float).tocsr()
EDGES = np.array(list(G.edges))


def test_classical_scores_are_those_of_networkx():
    found = noise.classical_scores(A, EDGES)
    pairs = [tuple(e) for e in EDGES.tolist()]
    for name, function in (
        ("Jaccard", nx.jaccard_coefficient),
        ("Adamic-Adar", nx.adamic_adar_index),
        ("resource allocation", nx.resource_allocation_index),
    ):
        wanted = [value for _, _, value in function(G, pairs)]
        np.testing.assert_allclose(found[name], wanted, rtol=1e-10, err_msg=name)
    plain = nx.Graph(G.edges)
    wanted = [nx.resistance_distance(plain, *e) for e in pairs[:6]]
    np.testing.assert_allclose(-found["resistance"][:6], wanted, rtol=1e-8)
    one = nx.pagerank(plain, alpha=0.85, personalization={0: 1.0}, tol=1e-12)
    other = nx.pagerank(plain, alpha=0.85, personalization={1: 1.0}, tol=1e-12)
    at = pairs.index((0, 1))
    assert found["PageRank"][at] == pytest.approx((one[1] + other[0]) / 2, rel=1e-6)


def test_scores_of_a_triangle_with_a_tail_by_hand():
    graph = nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3)])
    M = nx.to_scipy_sparse_array(graph, dtype=float).tocsr()
    found = noise.classical_scores(M, np.array([[0, 1], [0, 2], [2, 3]]))
    assert found["common neighbours"].tolist() == [1, 1, 0]
    assert found["hub promoted"].tolist() == [0.5, 0.5, 0]
    assert found["topological overlap"].tolist() == [1.0, 1.0, 1.0]
    np.testing.assert_allclose(found["Salton"], [0.5, 1 / np.sqrt(6), 0])
    full = noise.low_rank(M.toarray())  # of rank at most 4: nothing is left out
    np.testing.assert_allclose(full, M.toarray(), atol=1e-12)


def test_auc_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    scores, true = rng.integers(0, 5, 200).astype(float), rng.random(200) < 0.6
    assert noise.auc(scores, true) == pytest.approx(roc_auc_score(true, scores))


@pytest.mark.parametrize("kind", noise.KINDS)
def test_false_edges_are_as_many_as_asked_for_and_new(kind):
    noisy = noise.with_false_edges(A, 50, kind, 3)
    assert noisy.nnz == A.nnz + 2 * 39
    assert (noisy - A).min() >= 0
    assert set(noisy.data) == {1.0}
    again = noise.with_false_edges(A, 50, kind, 3)
    assert (noisy != again).nnz == 0
    assert (noise.with_false_edges(A, 0, kind, 3) != A).nnz == 0
    true = noise.true_edges(A, np.argwhere(np.triu(noisy.toarray())))
    assert true.sum() == 78


def test_degrees_draw_false_edges():
    A = noise.draw("two groups with hubs", 0)[0]
    degree = np.asarray(A.sum(axis=1)).ravel()
    ends = {}
    for kind in noise.KINDS:
        new = noise.with_false_edges(A, 30, kind, 0) - A
        ends[kind] = (np.asarray(new.sum(axis=1)).ravel() * degree).sum() / new.sum()
    assert ends["degree"] > 1.5 * ends["uniform"]


@pytest.mark.parametrize("name", noise.NETWORKS)
def test_networks_are_simple_graphs(name):
    A, groups = noise.draw(name, 1)
    assert (A != A.T).nnz == 0
    assert not A.diagonal().any()
    assert groups is None or len(groups) == A.shape[0]


def test_label_spreading_is_that_of_scikit_learn():
    known = np.full(34, -1)
    known[[0, 1, 33, 32]] = [0, 0, 1, 1]
    theirs = LabelSpreading(lambda X, Y: A.toarray(), alpha=0.8, max_iter=1000, tol=1e-9)
    theirs.fit(np.arange(34.0)[:, None], known)
    ours = labels.label_spreading(A, known).argmax(axis=1)
    rest = known < 0
    assert (ours[rest] == theirs.transduction_[rest]).mean() > 0.95


PATH = nx.to_scipy_sparse_array(nx.path_graph(5), dtype=float).tocsr()


@pytest.mark.parametrize("rival", labels.RIVALS)
def test_rivals_split_a_path_in_the_middle(rival):
    F = labels.RIVALS[rival](PATH, np.array([0, -1, -1, -1, 1]))
    assert F.argmax(axis=1)[[0, 1, 3, 4]].tolist() == [0, 0, 1, 1]
    np.testing.assert_allclose(F, F[::-1, ::-1], atol=1e-12)


def test_rivals_by_hand():
    """On a - . - b, D = (1, 2, 1)."""
    path, known = nx.to_scipy_sparse_array(nx.path_graph(3), dtype=float).tocsr(), [0, -1, 1]
    known = np.array(known)
    np.testing.assert_allclose(labels.poisson(path, known)[:, 0], [0.5, 0, -0.5], atol=1e-12)
    np.testing.assert_allclose(labels.harmonic(path, known)[:, 0], [1, 0.5, 0], atol=1e-8)
    rank = labels.page_rank(path, known, 0.5)[:, 0]  # (D - A / 2) x = e_1: x = (7, 2, 1) / 6
    np.testing.assert_allclose(rank, [7 / 6, 1 / 3, 1 / 6])


@pytest.mark.slow
def test_the_table_of_false_edges():
    cases = [
        {"network": n, "kind": k, "percent": p, "seed": 0}
        for n in ("football", "places")
        for k in trust.KINDS
        for p in (10, 50)
    ]
    results = [(a, trust.run(**a)) for a in cases]
    for a, r in results:
        if a["kind"] != "near":
            assert r["auc"]["trust"] > 0.8
            assert r["auc"]["trust"] > r["auc"]["resistance"]
            assert r["auc"]["both"] > 0.8
    places = [r for a, r in results if a["network"] == "places" and a["percent"] == 50]
    for r in places:  # where all real edges close cells, what it says is so
        assert r["doubt"]["not given"]["doubted"] == 0.0
        known = r["doubt"]["given"]
        assert known["truly wrong"] <= known["wrong"] + 0.1  # of the worst kind of false edges
        assert known["truly missed"] <= known["missed"] + 0.1
        assert known["falsely"] is None or known["falsely"] <= 0.1
    table = trust.summarize(results)
    assert len(table.rows) == 6
    for detail in table.details:
        assert all(len(row) == len(detail.head) for row in detail.rows)


@pytest.mark.slow
def test_the_table_of_few_labels():
    cases = [a for a in spread.arguments(True) if a["seed"] == 0]
    results = [(a, spread.run(**a)) for a in cases]
    noisy = [r for a, r in results if a["percent"] == 50]
    for other in ("Poisson, L", "regularized, renormalized", "LabelSpreading .8", "APPNP"):
        assert np.mean([r[spread.OURS] - r[other] for r in noisy]) > 0.0, other
    table = spread.summarize(results)
    assert len(table.rows) == 3
    for detail in table.details:
        assert all(len(row) == len(detail.head) for row in detail.rows)


def test_both_are_tables_of_reproduce():
    assert {"trust", "spread"} <= set(TABLES)
    assert cl.experiments.reproduce is not None
