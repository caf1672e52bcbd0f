"""Clustering by the normalized cut, with every operator."""

import networkx as nx
import numpy as np
import pytest

import cellapse as cl


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("karate", 0.94),
        ("football", 0.91),
        ("polbooks", 0.82),
        ("dolphins", 0.98),
        ("lesmis", 0.74),
    ],
)
def test_the_graph_laplacian_with_the_full_cut(name, least):
    data = cl.datasets.load(name)
    L = cl.graph_laplacian(cl.clique_complex(data.graph))
    found = cl.cluster(L, len(data.group_names))
    assert cl.clustering_accuracy(found, data.groups) >= least - 1e-3


def test_fiedler_vector_alone_is_the_papers_protocol():
    data = cl.datasets.load("karate")
    L = cl.graph_laplacian(cl.clique_complex(data.graph, weight="weight"))
    assert cl.clustering_accuracy(cl.cluster(L, 2, n_vectors=1), data.groups) == pytest.approx(
        33 / 34
    )


def test_permuting_the_vertices_permutes_the_clusters():
    graph = nx.connected_caveman_graph(4, 6)
    rng = np.random.default_rng(1)
    order = rng.permutation(24).tolist()
    shuffled = nx.Graph()
    shuffled.add_nodes_from(order)
    shuffled.add_edges_from(graph.edges)
    one, two = (
        cl.cluster(cl.collapse(cl.clique_complex(g)), 4).as_dict() for g in (graph, shuffled)
    )
    nodes = list(graph)
    assert cl.clustering_accuracy([one[v] for v in nodes], [two[v] for v in nodes]) == 1.0


def test_components_and_isolated_vertices():
    graph = nx.disjoint_union_all([nx.complete_graph(4), nx.complete_graph(5), nx.empty_graph(1)])
    for operator in (cl.graph_laplacian, cl.collapse, cl.motif_laplacian):
        found = cl.cluster(operator(cl.clique_complex(graph)), 3)
        assert found.numbers.tolist() == [0] * 4 + [1] * 5 + [2]


def test_results_are_repeatable_and_the_seed_is_used():
    K = cl.clique_complex(nx.gnp_random_graph(60, 0.1, seed=0))
    L = cl.graph_laplacian(K)
    assert (cl.cluster(L, 9).numbers == cl.cluster(L, 9).numbers).all()
    runs = {tuple(cl.cluster(L, 9, rng=seed).numbers) for seed in range(6)}
    assert len(runs) > 1


def test_bad_arguments():
    L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(4)))
    with pytest.raises(cl.InputError, match=r"1\.\.4"):
        cl.cluster(L, 5)
    with pytest.raises(cl.InputError, match="n_vectors"):
        cl.cluster(L, 2, n_vectors=4)
    with pytest.raises(cl.InputError, match="mass"):
        cl.cluster(L, 2, mass="volume")
    with pytest.raises(cl.InputError, match="one each"):
        cl.clustering_accuracy([0, 1], [0])
    assert cl.suggest_n_clusters(cl.graph_laplacian(cl.Complex.from_arrays(2, {}))) == 1
