"""Energy, total variation, the Fiedler vector and sweep cuts."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from oracles import edge_expansion
from strategies import operators, plain_graphs, rebuilt, seeds

import cellapse as cl


def laplacian(graph):
    return cl.graph_laplacian(cl.clique_complex(graph, max_rank=1))


@given(operators(), seeds)
def test_energy_and_variation_by_their_sums(S, seed):
    x = np.random.default_rng(seed).standard_normal((S.shape[0], 2))
    M = S.toarray()
    np.testing.assert_allclose(
        cl.tasks.dirichlet_energy(S, x), np.diag(x.T @ M @ x), atol=1e-9 * max(1, abs(M).max())
    )
    jumps = abs(x[:, None] - x)
    expected = (abs(M)[:, :, None] * jumps).sum(axis=(0, 1)) / 2
    np.testing.assert_allclose(cl.tasks.total_variation(S, x), expected, rtol=1e-7, atol=1e-7)


def test_the_fiedler_value_is_the_algebraic_connectivity():
    graph = nx.Graph(nx.karate_club_graph().edges)
    found = cl.tasks.fiedler(laplacian(graph), mass=None)
    assert found.value == pytest.approx(nx.algebraic_connectivity(graph, weight=None))
    assert found.residual < 1e-10
    normalized = nx.algebraic_connectivity(graph, weight=None, normalized=True)
    assert cl.tasks.fiedler(laplacian(graph)).value == pytest.approx(normalized)
    assert cl.tasks.fiedler(laplacian(nx.empty_graph(3))).value == 0.0


@given(plain_graphs(min_vertices=2))
def test_cheegers_inequalities(graph):
    L = laplacian(graph)
    vertices = cl.tasks.sweep_cut(L, mass=None)
    assert vertices.conductance >= edge_expansion(graph) - 1e-9
    for cut in (vertices, cl.tasks.sweep_cut(L)):
        assert cut.lower - 1e-9 <= cut.conductance <= cut.upper + 1e-9


@given(operators(realizations=("unfolded", "mixed", "screened")))
def test_the_lower_bound_holds_for_every_collapse(S):
    n = S.shape[0]
    if n > 1 and abs(S @ np.ones(n)).max() < 1e-9:  # not so with weights on the vertices
        cut = cl.tasks.sweep_cut(S, mass=None)
        assert cut.conductance >= cut.lower - 1e-7 * max(1.0, abs(S.A).max())


def test_a_cut_by_hand():
    graph = nx.barbell_graph(4, 0)
    cut = cl.tasks.sweep_cut(laplacian(graph))
    assert set(cut.members()) in ({0, 1, 2, 3}, {4, 5, 6, 7})
    assert cut.conductance == pytest.approx(1 / 13)
    scores = cl.tasks.sweep_cut(laplacian(graph), [0, 0, 0, 1, 1, 1, 1, 1], mass=None)
    assert set(scores.members()) == {0, 1, 2}
    assert scores.conductance == pytest.approx(3 / 3)
    assert scores.lower is None


def test_permuting_the_vertices_permutes_the_cut():
    K = cl.clique_complex(cl.datasets.load("dolphins").graph)
    order = np.random.default_rng(0).permutation(K.n_vertices)
    one, two = (
        cl.tasks.sweep_cut(cl.collapse(C, "unfolded")) for C in (K, rebuilt(K, order=order))
    )
    assert set(one.members()) == set(two.members())
    assert one.conductance == pytest.approx(two.conductance)


def test_bad_arguments():
    L = laplacian(nx.path_graph(3))
    for same in (np.ones(3), np.zeros(3)):
        with pytest.raises(cl.InputError, match="equal"):
            cl.tasks.sweep_cut(L, same)
    with pytest.raises(cl.InputError, match="number"):
        cl.tasks.sweep_cut(L, np.eye(3))
    with pytest.raises(cl.InputError, match="constants"):
        cl.tasks.sweep_cut(cl.signless_laplacian(cl.clique_complex(nx.path_graph(3))))
    with pytest.raises(cl.InputError, match="two"):
        cl.tasks.fiedler(laplacian(nx.empty_graph(1)))


def test_scores_that_differ_by_rounding_only_are_not_cut_apart():
    """Between 2 and 2 + 1e-12 the cut would be the best one: the bridge of the barbell."""
    L = laplacian(nx.barbell_graph(4, 0))
    x = np.array([0.0, 0.5, 1.0, 2.0, 2.0 + 1e-12, 3.0, 3.5, 4.0])
    assert len(cl.tasks.sweep_cut(L, x).members()) != 4
    x[4] = 2.0 + 1e-6
    for unit in (1e-6, 1.0, 1e6):
        assert set(cl.tasks.sweep_cut(L, unit * x).members()) == {0, 1, 2, 3}


def test_cheegers_upper_bound_by_hand_with_positive_entries_off_the_diagonal():
    """The entries below zero alone are a path of weights 1.5: energy 3, degrees up to 3."""
    M = np.array([[1.0, -1.5, 0.5], [-1.5, 3.0, -1.5], [0.5, -1.5, 1.0]])
    cut = cl.tasks.sweep_cut(M, [1.0, 0.0, -1.0], mass=None)
    assert cut.conductance == pytest.approx(1.0)
    assert cut.lower is None
    assert cut.upper == pytest.approx((2.0 * 3.0 / 2.0 * 3.0) ** 0.5)


@given(operators(realizations=("unfolded", "mixed", "screened", "boundary")), seeds)
def test_cheegers_upper_bound_holds_for_every_operator_and_signal(S, seed):
    n = S.shape[0]
    if n > 1 and abs(S @ np.ones(n)).max() < 1e-9:  # not so with weights on the vertices
        x = np.random.default_rng(seed).standard_normal(n)
        cut = cl.tasks.sweep_cut(S, x, mass="degree")
        assert cut.conductance <= cut.upper + 1e-7 * max(1.0, abs(S.A).max())


@given(plain_graphs(min_vertices=2))
def test_the_cheeger_constant_is_the_least_over_all_subsets(graph):
    L = laplacian(graph)
    found = cl.tasks.cheeger_constant(L, mass=None)
    assert found.conductance == pytest.approx(edge_expansion(graph))
    assert found.lower - 1e-9 <= found.conductance <= cl.tasks.sweep_cut(L, mass=None).conductance
    inside = set(found.members())
    cut = sum((u in inside) != (v in inside) for u, v in graph.edges)
    assert 1 <= len(inside) <= len(graph) / 2
    assert found.conductance == pytest.approx(cut / len(inside))


@pytest.mark.parametrize(
    ("graph", "constant"),
    [
        (nx.complete_graph(7), 4.0),  # n - |U| for the largest half
        (nx.cycle_graph(20), 2 / 10),
        (nx.path_graph(9), 1 / 4),
        (nx.star_graph(6), 1.0),
        (nx.barbell_graph(4, 0), 1 / 4),
        (nx.empty_graph(3), 0.0),
    ],
)
def test_cheeger_constants_of_textbooks(graph, constant):
    assert cl.tasks.cheeger_constant(laplacian(graph), mass=None).conductance == constant


def test_masses_count_in_the_cheeger_constant():
    L = laplacian(nx.path_graph(3))
    assert cl.tasks.cheeger_constant(L, mass="degree").conductance == 1.0
    heavy = cl.tasks.cheeger_constant(L, mass=[1.0, 1.0, 4.0])
    assert (heavy.members(), heavy.conductance) == ([0, 1], 0.5)


def test_too_many_vertices_for_every_cut_are_sent_to_the_sweep():
    with pytest.raises(cl.InputError, match="sweep_cut"):
        cl.tasks.cheeger_constant(laplacian(nx.path_graph(21)))


@pytest.mark.parametrize(("excess", "fine"), [(1e-9, True), (1e-6, False)])
def test_constants_have_to_be_mapped_to_zero(excess, fine):
    M = np.array([[1.0 + excess, -1.0], [-1.0, 1.0]])
    if fine:
        assert cl.tasks.sweep_cut(cl.as_operator(M), mass=None).conductance == pytest.approx(1.0)
    else:
        with pytest.raises(cl.InputError, match="constants"):
            cl.tasks.sweep_cut(cl.as_operator(M))


def test_a_column_a_number_and_a_signal_one_alone():
    L = laplacian(nx.path_graph(3))
    x = np.array([0.0, 1.0, 3.0])
    assert isinstance(cl.tasks.dirichlet_energy(L, x), float)
    assert cl.tasks.dirichlet_energy(L, np.column_stack([x, 2 * x])).tolist() == [5.0, 20.0]
    assert isinstance(cl.tasks.total_variation(L, x), float)
    assert cl.tasks.total_variation(L, np.column_stack([x, -x])).tolist() == [3.0, 3.0]


def test_the_side_of_a_cut_is_the_lighter_one():
    """A clique of four with a tail: cutting off {3, 4} costs 3 edges of degrees 4 + 1."""
    G = nx.complete_graph(4)
    G.add_edge(3, 4)
    for order in (np.arange(5.0), -np.arange(5.0)):
        cut = cl.tasks.sweep_cut(cl.graph_laplacian(G), order)
        assert set(np.flatnonzero(cut.inside)) == {3, 4}
        assert cut.conductance == pytest.approx(0.6)


def test_the_halves_of_a_barbell_are_cut_at_the_bridge():
    G = nx.barbell_graph(4, 0)
    cut = cl.tasks.sweep_cut(cl.graph_laplacian(G), np.arange(8.0))
    assert set(np.flatnonzero(cut.inside)) in ({0, 1, 2, 3}, {4, 5, 6, 7})
    assert cut.conductance == pytest.approx(1 / 13)
