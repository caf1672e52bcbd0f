"""Effective resistance and conductance, against closed forms and brute minimization."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from oracles import conductance
from scipy.sparse.linalg import aslinearoperator
from strategies import operators, rebuilt

import cellapse as cl
from cellapse.tasks import resistance


def laplacian(graph):
    return cl.graph_laplacian(cl.clique_complex(graph, max_rank=1))


@pytest.mark.parametrize("n", [2, 3, 10, 40])
def test_closed_forms(n):
    d = abs(np.arange(n)[:, None] - np.arange(n))
    path, complete = nx.path_graph(n), nx.complete_graph(n)
    cases = [(path, d, n**2 * n / 6 - n / 6), (complete, 2 / n * (d > 0), n - 1)]
    if n > 2:
        cases.append((nx.cycle_graph(n), d * (n - d) / n, (n**3 - n) / 12))
    for graph, expected, kirchhoff in cases:
        L = laplacian(graph)
        np.testing.assert_allclose(cl.effective_resistance(L), expected, rtol=1e-12, atol=1e-12)
        pairs = list(combinations(range(n), 2))
        found = cl.effective_resistance(L, pairs)
        np.testing.assert_allclose(found, [expected[p] for p in pairs], rtol=1e-12)
        assert cl.tasks.kirchhoff_index(L) == pytest.approx(kirchhoff, rel=1e-12)


@given(operators())
def test_the_conductance_is_the_least_energy_of_a_unit_difference(S):
    M = S.toarray()
    C = cl.tasks.effective_conductance(S)
    for i, j in list(combinations(range(S.shape[0]), 2))[:10]:
        least, x = conductance(M, i, j)
        if abs(x[i] - x[j] - 1) < 1e-6:  # the oracle reached its constraint
            assert C[i, j] == pytest.approx(least, rel=1e-5, abs=1e-6)


def test_components():
    L = laplacian(nx.disjoint_union_all([nx.path_graph(2), nx.path_graph(3), nx.empty_graph(1)]))
    R = cl.effective_resistance(L)
    assert R[0].tolist() == pytest.approx([0, 1, np.inf, np.inf, np.inf, np.inf])
    assert cl.tasks.effective_conductance(L, [(0, 2), (2, 4)]).tolist() == pytest.approx([0, 0.5])
    assert cl.tasks.kirchhoff_index(L) == np.inf
    np.testing.assert_allclose(cl.tasks.resistance_centrality(L), [1, 1, 2 / 3, 1, 2 / 3, 0])
    matrix = aslinearoperator(L.toarray())  # the kernel is not known in advance
    np.testing.assert_allclose(cl.effective_resistance(matrix), R, atol=1e-9)


def test_networkx_agrees():
    graph = nx.karate_club_graph()
    L = laplacian(graph)
    theirs = nx.resistance_distance(graph)
    found = cl.effective_resistance(L)
    np.testing.assert_allclose(found, [[theirs[u][v] for v in graph] for u in graph], atol=1e-10)
    closeness = nx.current_flow_closeness_centrality(graph)
    ours = cl.tasks.resistance_centrality(L)
    np.testing.assert_allclose(ours, 33 * np.array([closeness[v] for v in graph]), rtol=1e-9)


@pytest.mark.parametrize("make", [cl.collapse, cl.graph_laplacian])
def test_solving_pair_by_pair_agrees_with_the_dense_inverse(make, monkeypatch):
    S = make(cl.clique_complex(nx.disjoint_union(nx.karate_club_graph(), nx.path_graph(3))))
    pairs = [(0, 33), (4, 4), (2, 35), (34, 36), *zip(range(10), range(20, 30), strict=True)]
    exact = cl.effective_resistance(S, pairs)
    monkeypatch.setattr(resistance, "_DENSE", 5)
    monkeypatch.setattr(resistance, "_BLOCK", 3)
    np.testing.assert_allclose(cl.effective_resistance(S, pairs), exact, rtol=1e-8)


@pytest.mark.parametrize(
    "make",
    [
        cl.graph_laplacian,
        cl.signless_laplacian,
        lambda K: cl.collapse(K, realization="screened", renormalize=5),
    ],
)
def test_the_sketch_keeps_the_stated_error(make):
    K = cl.clique_complex(nx.random_geometric_graph(300, 0.12, seed=3))
    S = make(K)
    exact, rough = (cl.effective_resistance(S, error=e) for e in (None, 0.1))
    np.testing.assert_array_equal(np.isinf(exact), np.isinf(rough))
    i, j = np.triu_indices(300, 1)
    finite = np.isfinite(exact[i, j])
    deviation = rough[i, j][finite] / exact[i, j][finite] - 1
    assert np.sqrt((deviation**2).mean()) == pytest.approx(0.1, rel=0.3)
    pairs = [(0, 1), (5, 9)]
    np.testing.assert_allclose(
        cl.effective_resistance(S, pairs, error=0.1), rough[[0, 5], [1, 9]], rtol=1e-6
    )


def test_permuting_the_vertices_permutes_the_result():
    K = cl.clique_complex(nx.karate_club_graph())
    order = np.random.default_rng(0).permutation(34)
    one, two = (cl.collapse(C) for C in (K, rebuilt(K, order=order)))
    found = cl.effective_resistance(one)[np.ix_(order, order)]
    np.testing.assert_allclose(cl.effective_resistance(two), found, atol=1e-9)
    centrality = cl.tasks.resistance_centrality(one)[order]
    np.testing.assert_allclose(cl.tasks.resistance_centrality(two), centrality, atol=1e-9)
    pairs = [(0, 33), (7, 21)]  # by label, so the order does not matter
    np.testing.assert_allclose(*(cl.effective_resistance(S, pairs) for S in (one, two)))


def test_bad_arguments():
    L = laplacian(nx.path_graph("abcd"))
    with pytest.raises(cl.InputError, match="'z' in pairs"):
        cl.effective_resistance(L, [("a", "z")])
    with pytest.raises(cl.InputError, match="no pair"):
        cl.effective_resistance(L, [("a", "b", "c")])
    with pytest.raises(cl.InputError, match="no pair"):
        cl.effective_resistance(L, np.arange(4))
    with pytest.raises(cl.InputError, match="error"):
        cl.effective_resistance(L, error=0.0)
    S = cl.collapse(cl.clique_complex(nx.karate_club_graph()))
    with pytest.raises(cl.InputError, match="diagonally dominant"):
        cl.tasks.kirchhoff_index(S, error=0.1)
