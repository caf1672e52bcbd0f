"""An operator chosen without labels: what it is chosen by, and what it refuses."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cellapse as cl
from cellapse.tasks.selection import FAMILY, choose_operator, family_member, modularity


@given(st.integers(0, 2**32 - 1))
def test_modularity_is_that_of_networkx(seed):
    rng = np.random.default_rng(seed)
    graph = nx.gnp_random_graph(12, 0.4, seed=int(rng.integers(2**31)))
    if not graph.number_of_edges():
        return
    for i, j in graph.edges:
        graph[i][j]["weight"] = float(rng.uniform(0.1, 3))
    numbers = rng.integers(0, 4, 12)
    parts = [{v for v in graph if numbers[v] == c} for c in range(4)]
    for weight in (None, "weight"):
        K = cl.clique_complex(graph, weight=weight)
        wanted = nx.community.modularity(graph, parts, weight=weight)
        assert modularity(K, numbers) == pytest.approx(wanted, abs=1e-12)


def test_the_choice_has_the_largest_modularity_of_all():
    K = cl.clique_complex(cl.datasets.load("polbooks").graph)
    choice = choose_operator(K, 3, rng=1)
    assert set(choice.modularity) == set(FAMILY)
    assert choice.modularity[choice.name] == max(choice.modularity.values())
    assert modularity(K, choice.clusters) == choice.modularity[choice.name]
    for name, value in choice.modularity.items():
        found = cl.cluster(family_member(K, name), 3, rng=1)
        assert modularity(K, found) == value
    assert np.allclose(choice.operator.toarray(), family_member(K, choice.name).toarray())


def test_every_member_is_the_collapse_with_its_settings():
    K = cl.clique_complex(nx.karate_club_graph(), 3, weight=None)
    S = family_member(K, "renormalized .9, 2")
    wanted = cl.collapse(K, realization="renormalized", gamma=np.sqrt(0.9), beta=(1, 2, 2))
    assert np.allclose(S.toarray(), wanted.toarray())
    plain = family_member(K, "screened .5, 1")
    wanted = cl.collapse(K, realization="screened", gamma=np.sqrt(0.5), beta=(1, 1, 1))
    assert np.allclose(plain.toarray(), wanted.toarray())
    assert np.allclose(family_member(K, "laplacian").toarray(), cl.graph_laplacian(K).toarray())


def test_a_graph_without_cells_has_one_operator_only():
    choice = choose_operator(cl.clique_complex(nx.cycle_graph(8), 1), 2)
    assert list(choice.modularity) == ["laplacian"]


def test_hyperedges_of_any_size_are_welcome():
    K = cl.as_complex([(0, 1, 2, 3), (3, 4), (4, 5, 6), (6, 7, 8, 4)])
    assert len(choose_operator(K, 2).clusters) == 9


@pytest.mark.parametrize("k", [0, 35, 2.5, "2", True])
def test_an_impossible_number_of_clusters_is_refused(k):
    with pytest.raises(cl.InputError, match="n_clusters"):
        choose_operator(cl.clique_complex(nx.karate_club_graph(), weight=None), k)


def test_what_is_no_complex_or_has_no_edges_is_refused():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    with pytest.raises(cl.InputError, match=r"operator.*complex"):
        choose_operator(cl.graph_laplacian(K), 2)
    empty = cl.clique_complex(nx.empty_graph(4))
    with pytest.raises(cl.InputError, match="edges"):
        choose_operator(empty, 2)
    with pytest.raises(cl.InputError, match="edges"):
        modularity(empty, [0, 0, 1, 1])
    for wrong in ([0, 1], [0.5] * 34, [-1] * 34, np.zeros((34, 2), dtype=int)):
        with pytest.raises(cl.InputError):
            modularity(K, wrong)


def test_a_hypergraph_is_also_clustered_by_its_projection():
    groups = [range(5), range(5, 10), (0, 1), (3, 4), (6, 7), (4, 5)]
    K = cl.hypergraph_complex([tuple(g) for g in groups])
    choice = choose_operator(K, 2)
    assert set(choice.modularity) == {*FAMILY, "projection"}
    analysis = cl.analysis.analyze(K, 2, groups=[0] * 5 + [1] * 5)
    assert analysis.projected() == 1.0
