"""Clustering by the normalized cut, with every operator."""

from importlib import import_module

import networkx as nx
import numpy as np
import pytest
from scipy.stats import ortho_group
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

import cellapse as cl
from cellapse.tasks._kmeans import by_kmeans
from cellapse.tasks.clustering import assigned


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
    assert cl.clustering_accuracy(cl.cluster(L, 2, n_eigenpairs=1), data.groups) == pytest.approx(
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
        cl.cluster(cl.collapse(cl.clique_complex(g), "unfolded"), 4).as_dict()
        for g in (graph, shuffled)
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
    with pytest.raises(cl.InputError, match="n_eigenpairs"):
        cl.cluster(L, 2, n_eigenpairs=4)
    with pytest.raises(cl.InputError, match="mass"):
        cl.cluster(L, 2, mass="volume")
    with pytest.raises(cl.InputError):
        cl.clustering_accuracy([0, 1], [0])
    assert cl.suggest_n_clusters(cl.graph_laplacian(cl.Complex.from_arrays(2, {}))) == 1


# The paper's table of real networks: accuracy of L and of S, and eps and beta_1 of its appendix.
PAPER = {
    "karate": (0.97, 0.97, 0.5, 1.0),
    "football": (0.47, 0.50, 0.1, 1.0),
    "lesmis": (0.64, 0.66, 1.0, 10.0),
    "polbooks": (0.82, 0.82, 0.1, 0.1),
}


def papers_protocol(name):
    """Accuracy of L and of mixed S with the Fiedler vector alone: seed 42, and some other seeds."""
    data = cl.datasets.load(name)
    # Of the two networks with weights, karate fits the table only with and lesmis only without.
    weight = "weight" if name == "karate" else None
    K = cl.clique_complex(data.graph, 3, weight=weight, cliques_as_rank2=True)
    eps, beta = PAPER.get(name, (0, 0, 0.5, 10.0))[2:]
    with pytest.warns(cl.CellapseWarning, match="order"):
        S = cl.collapse(K, realization="mixed", beta=(beta, 1.0), eps=eps)
    for operator in (cl.graph_laplacian(K), S):
        found = (
            cl.cluster(operator, len(data.group_names), n_eigenpairs=1, mass="diagonal", rng=seed)
            for seed in (42, *range(8))
        )
        yield [cl.clustering_accuracy(clusters, data.groups) for clusters in found]


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_table_within_the_spread_of_the_starts_of_k_means(name):
    for found, figure in zip(papers_protocol(name), PAPER[name], strict=False):
        assert min(found) - 0.02 <= figure <= max(found) + 0.02
        # Two or three groups are found from any start; eleven and twelve on a line are not.
        assert max(found) - min(found) <= (0.1 if name in ("football", "lesmis") else 0.0)


def test_the_papers_figure_for_dolphins_cannot_be_reproduced():
    # .69 in the paper; the protocol that fits the other four networks gives .98.
    for found in papers_protocol("dolphins"):
        assert found == pytest.approx([61 / 62] * 9)


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("karate", 0.97),
        ("football", 0.91),
        ("polbooks", 0.84),
        ("dolphins", 0.98),
        ("lesmis", 0.76),
    ],
)
@pytest.mark.parametrize("assign", ["kmeans", "discretize"])
def test_the_renormalized_collapse_is_at_least_as_good(name, least, assign):
    data = cl.datasets.load(name)
    S = cl.collapse(cl.clique_complex(data.graph), realization="renormalized")
    found = cl.cluster(S, len(data.group_names), assign_labels=assign)
    assert cl.clustering_accuracy(found, data.groups) >= least - 0.005


def test_discretize_agrees_with_scikit_learn():
    from sklearn.cluster import spectral_clustering

    graph = nx.random_partition_graph([15, 20, 25], 0.6, 0.05, seed=0)
    theirs = spectral_clustering(
        nx.to_numpy_array(graph), n_clusters=3, assign_labels="discretize", random_state=0
    )
    ours = cl.cluster(cl.graph_laplacian(cl.clique_complex(graph)), 3, assign_labels="discretize")
    assert cl.clustering_accuracy(ours, theirs) == 1.0


def test_more_components_than_clusters_are_shared_out_by_mass():
    graph = nx.disjoint_union_all([nx.complete_graph(n) for n in (3, 6, 2, 1, 4)])
    order = np.random.default_rng(0).permutation(16).tolist()
    shuffled = nx.Graph()
    shuffled.add_nodes_from(order)
    shuffled.add_edges_from(graph.edges)
    for g in (graph, shuffled):
        with pytest.warns(cl.CellapseWarning, match="5 .* 2 "):
            found = cl.cluster(cl.graph_laplacian(cl.clique_complex(g)), 2).as_dict()
        largest = found[3]
        assert {v for v, c in found.items() if c == largest} == {3, 4, 5, 6, 7, 8}


def test_the_mass_of_a_large_collapse_is_said_and_its_diagonal_refused(monkeypatch):
    module = import_module("cellapse.tasks.clustering")

    monkeypatch.setattr(module, "_MANY", 20)
    monkeypatch.setattr(module, "_SEVERAL", 20)
    K = cl.clique_complex(nx.connected_caveman_graph(4, 6))
    S = cl.collapse(K, "unfolded")
    with pytest.raises(cl.SizeError, match='mass="degree"'):
        cl.cluster(S, 4, mass="diagonal")
    assert cl.cluster(S, 4).mass == "degree"
    by_degree = cl.cluster(S, 4, mass="degree")
    assert cl.clustering_accuracy(by_degree, np.repeat(np.arange(4), 6)) == 1.0
    screened = cl.cluster(cl.collapse(K, realization="screened"), 4)
    assert screened.mass == "diagonal"
    assert len(set(screened.numbers)) == 4
    assert cl.cluster(S, 4, mass=None).mass is None
    assert cl.cluster(S, 4, mass=np.ones(24)).mass == "given"


def test_bad_assignments():
    L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(4)))
    with pytest.raises(cl.InputError, match="assign"):
        cl.cluster(L, 2, assign_labels="qr")
    with pytest.raises(cl.InputError, match="discretize"):
        cl.cluster(L, 2, assign_labels="discretize", n_eigenpairs=1)


def test_kmeans_of_many_rows_is_that_of_all_starts():
    """Groups of very different sizes: the sample misses none."""
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(8), [9000, 6000, 4000, 2500, 1500, 800, 200, 60])
    rows = np.eye(8)[truth] + 0.05 * rng.standard_normal((len(truth), 8))
    rng.shuffle(together := np.column_stack([truth, rows]))
    numbers = by_kmeans(together[:, 1:], 8, rng)
    assert adjusted_rand_score(together[:, 0], numbers) > 0.999


def test_clusters_are_drawn_and_listed():
    clusters = cl.cluster(nx.path_graph(4), 2)
    assert clusters.plot() is not None
    assert set(clusters.as_dict()) == {0, 1, 2, 3}


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


def test_a_seed_too_large_for_kmeans_is_one_all_the_same():
    rows = np.repeat(np.eye(2), 3, axis=0)
    for seed in (2**32, 2**70):
        assert len(set(assigned(rows, 2, "kmeans", seed)[[0, 5]])) == 2


@pytest.mark.parametrize("k", [2, 3, 5])
def test_indicators_that_were_turned_are_found_whatever_the_first_row(k):
    truth = np.repeat(np.arange(k), np.arange(3, 3 + k))
    rows = np.eye(k)[truth] @ ortho_group.rvs(k, random_state=k)
    for seed in range(6):
        found = assigned(rows, k, "discretize", seed)
        assert len(set(zip(truth.tolist(), found.tolist(), strict=True))) == len(set(found)) == k
