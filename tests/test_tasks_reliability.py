"""Which sizes carry the signal: hyperedges by hand, planted cases in both directions, no harm."""

import networkx as nx
import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import cellapse as cl
from cellapse import tasks
from cellapse._operators.hyperedges import Hyperedges, inside


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
        assert reliability.told_apart
        assert reliability.weights[believed] == 1.0
        assert reliability.weights[1 - believed] < 0.5
        gains.append(ari(reliability.operator(), y) - ari(cl.projection_laplacian(K), y))
    assert np.mean(gains) >= 0.0


def test_without_a_difference_it_is_the_projection():
    K, _ = planted([(2, 400, 0.4), (3, 300, 0.4)], 1)
    reliability = tasks.rank_reliability(K)
    assert not reliability.told_apart
    L = cl.projection_laplacian(K).toarray()
    np.testing.assert_allclose(reliability.operator().toarray(), L, atol=1e-12)


def test_one_size_few_cells_and_graphs():
    for K in (
        cl.hypergraph_complex([(0, 1, 2), (2, 3, 4)]),
        cl.clique_complex(nx.karate_club_graph(), 1),
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
        with pytest.raises(cl.InputError, match="no cell"):
            tasks.rank_reliability(K)
    with pytest.raises(cl.InputError, match="dimension"):
        tasks.rank_reliability(planted([(3, 30, 0.5)], 0)[0], dimension=0)
