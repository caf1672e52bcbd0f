"""What is zero by structure is zero to the last bit, and lonely vertices get the mass of others.

A vertex of no edge has a row of zeros in every operator, and two components share no entry: a
program that asks for a mass, a degree or a component must not meet rounding there.
"""

import warnings

import networkx as nx
import numpy as np
import pytest
from everyday import everyday
from hypothesis import given, settings
from hypothesis import strategies as st

import cellapse as cl
from cellapse._collapse.realizations import REALIZATIONS
from cellapse._operators.names import make_operator, operator_names
from cellapse.experiments.protocol.operators import mixed_collapse
from cellapse.experiments.tables import blocks
from tests.strategies import seeds

EPS = (0.0, 1e-12, 1e-6, 1e-4, 1.0)


def scattered(seed, weighted, largest=9):
    """A clique complex of a few components with isolated vertices, in a random order."""
    rng = np.random.default_rng(seed)
    graph = nx.empty_graph(0)
    for _ in range(int(rng.integers(1, 4))):
        part = nx.gnp_random_graph(int(rng.integers(2, largest)), 0.6, seed=int(rng.integers(1e6)))
        graph = nx.disjoint_union(graph, part)
    graph = nx.disjoint_union(graph, nx.empty_graph(int(rng.integers(1, 4))))
    order = rng.permutation(len(graph)).tolist()
    mixed_up = nx.empty_graph(len(graph))
    mixed_up.add_edges_from((order[u], order[v]) for u, v in graph.edges)
    for u, v in mixed_up.edges:
        mixed_up[u][v]["weight"] = float(10.0 ** rng.uniform(-2, 2))
    weight = "weight" if weighted else None
    return cl.clique_complex(mixed_up, max_rank=int(rng.integers(1, 4)), weight=weight)


def lonely(K):
    return np.flatnonzero(np.bincount(K.components())[K.components()] == 1)


def operators(K, eps):
    for name in operator_names():
        if name == "reliable" and not any(K.n_cells[1:]):
            continue  # it has nothing to predict
        yield make_operator(K, name, eps=eps) if name in REALIZATIONS else make_operator(K, name)
    if 1 <= K.max_rank <= 2 and eps > 0:
        yield mixed_collapse(K, eps)


def check_zeros(S, K):
    alone, component = lonely(K), K.components()
    dense, diagonal = S.toarray(), S.diagonal()
    assert not dense[alone].any()
    assert not dense[:, alone].any()
    assert not diagonal[alone].any()
    x = np.random.default_rng(0).standard_normal((K.n_vertices, 3))
    assert not (S @ x)[alone].any()
    assert not (S @ x[:, 0])[alone].any()
    if "mixed collapse" not in repr(S):  # of dense factors: between components there is rounding
        assert not dense[component[:, None] != component].any()
    assert (S.spectrum(certify=False).values[: len(alone)] == 0.0).all()


@settings(max_examples=15)
@given(seeds, st.booleans(), st.sampled_from(EPS))
def test_what_no_edge_touches_is_zero(seed, weighted, eps):
    K = scattered(seed, weighted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CellapseWarning)
        for S in operators(K, eps):
            check_zeros(S, K)


@pytest.mark.parametrize("n", everyday((70, 400), quick=(70,)))
def test_also_where_more_vertices_take_other_ways(n):
    graph = nx.disjoint_union(nx.gnm_random_graph(n, 6 * n, seed=1), nx.empty_graph(3))
    K = cl.clique_complex(graph)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CellapseWarning)
        for S in operators(K, 1e-4):
            check_zeros(S, K)


@pytest.mark.parametrize("solver", [cl.CG(), cl.Direct()])
def test_with_every_solver(solver):
    K = scattered(3, False)
    check_zeros(cl.collapse(K, "unfolded", solver=solver), K)


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_the_block_model_with_a_lonely_vertex_runs():
    assert set(blocks.run("Uneq", 1)) == {"paper", "fair"}


@pytest.mark.parametrize("mass", ["diagonal", "degree"])
@pytest.mark.parametrize("size", [1e-11, 1.0, 1e11])
@pytest.mark.parametrize("name", ["unfolded", "renormalized", "laplacian"])
def test_the_mass_of_a_lonely_vertex_has_the_unit_of_the_others(name, size, mass):
    graph = nx.barbell_graph(4, 0)
    nx.set_edge_attributes(graph, size, "weight")
    graph.add_nodes_from(["alone", "single"])
    K = cl.clique_complex(graph, weight="weight")
    scaled = {"eps": 1e-4 * size} if name == "unfolded" else {}
    S = make_operator(K, name, **scaled)
    masses = S._mass(mass)
    assert masses[-2:] == pytest.approx(2 * [masses[:-2].mean()])
    values = S.spectrum(4, mass=mass).values
    assert (values[:3] == 0.0).all()
    assert 0.0 < values[3] <= 2.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CellapseWarning)
        clusters = cl.cluster(S, 4, mass=mass)
    assert len(set(clusters.numbers.tolist())) == 4


def test_without_any_edge_all_masses_are_one():
    L = cl.graph_laplacian(cl.clique_complex(nx.empty_graph(3)))
    assert L._mass("diagonal").tolist() == L._mass("degree").tolist() == [1.0, 1.0, 1.0]
