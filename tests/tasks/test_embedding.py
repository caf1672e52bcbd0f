"""Embeddings and positional encodings."""

from functools import partial
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from strategies import operators, rebuilt, seeds
from toys import karate

import cellapse as cl
from cellapse._linalg.operators import SparseOperator
from cellapse._shared.memory import memory_budget
from cellapse.tasks.embedding import (
    _without_constant,
    first_modes,
    n_trivial,
    operator_size,
    permutable_signs,
    surroundings,
)


@given(operators(), st.integers(1, 12))
def test_always_exactly_k_columns_of_unit_eigenvectors(S, k):
    found = cl.positional_encoding(S, k, mass=None)
    P = np.asarray(found)
    assert P.shape == (S.shape[0], k)
    assert np.isfinite(P).all()
    modes = P[:, : found.n_modes]
    np.testing.assert_allclose(modes.T @ modes, np.eye(found.n_modes), atol=1e-8)
    scale = max(1.0, abs(S.A).sum(axis=1).max())
    np.testing.assert_allclose(S @ modes, modes * found.values[: found.n_modes], atol=1e-7 * scale)
    assert not P[:, found.n_modes :].any()
    assert found.n_modes == min(k, S.shape[0] - found.n_trivial)


def test_modes_of_all_components_in_the_order_of_their_eigenvalues():
    graph = nx.disjoint_union_all([nx.path_graph(3), nx.complete_graph(4), nx.empty_graph(1)])
    found = cl.positional_encoding(cl.graph_laplacian(cl.clique_complex(graph)), 7, mass=None)
    assert found.n_trivial == 3
    np.testing.assert_allclose(found.values, [1, 3, 4, 4, 4, 0, 0], atol=1e-12)
    np.testing.assert_allclose(np.asarray(found)[:3].sum(axis=0), 0, atol=1e-12)


def test_no_column_is_zero_where_there_are_modes():
    # TopoBench's encoding of this graph has an all-zero column; PyG's raises on a small graph.
    L = cl.graph_laplacian(cl.clique_complex(nx.karate_club_graph(), weight=None))
    assert (abs(np.asarray(cl.positional_encoding(L, 8))).max(axis=0) > 0.1).all()
    small = cl.graph_laplacian(cl.clique_complex(nx.path_graph(5)))
    assert np.asarray(cl.positional_encoding(small, 8)).shape == (5, 8)


def permuted(K, seed):
    order = np.random.default_rng(seed).permutation(K.n_vertices)
    return rebuilt(K, order=order), order


@pytest.mark.parametrize("realization", ["unfolded", "screened", "incidence"])
@pytest.mark.parametrize("name", ["karate", "lesmis", "dolphins"])
def test_permuting_the_vertices_permutes_the_rows(name, realization):
    K = cl.clique_complex(cl.datasets.load(name).graph)
    one = np.asarray(cl.positional_encoding(cl.collapse(K, realization=realization), 6))
    for seed in range(3):
        other, order = permuted(K, seed)
        two = np.asarray(cl.positional_encoding(cl.collapse(other, realization=realization), 6))
        for a, b in zip(one[order].T, two.T, strict=True):
            if np.allclose(np.sort(a), np.sort(-a), atol=1e-6):  # twins: no sign is the right one
                b = b * np.sign(a @ b)
            np.testing.assert_allclose(b, a, atol=1e-6)


def twins():
    """Pairs of leaves at three places of a path that no symmetry exchanges: 1 three times."""
    graph = nx.path_graph(12)
    for place in (2, 5, 8):
        graph.add_edges_from([(place, (place, "a")), (place, (place, "b"))])
    return graph


@pytest.mark.parametrize(
    "make", [cl.graph_laplacian, cl.collapse, partial(cl.collapse, realization="unfolded")]
)
def test_a_repeated_eigenvalue_has_the_same_basis_in_every_order(make):
    K = cl.clique_complex(twins())
    for seed in range(8):
        other, order = permuted(K, seed)
        one, two = (np.asarray(cl.positional_encoding(make(k), 17)) for k in (K, other))
        # The sign of a vector that lives on twins is arbitrary, the vector is not.
        np.testing.assert_allclose(abs(two), abs(one[order]), atol=1e-7)


def test_a_repeated_eigenvalue_does_not_mix_components():
    # A path and a triangle share the eigenvalue 3, and no symmetry maps one to the other.
    K = cl.clique_complex(nx.disjoint_union(nx.complete_graph(3), nx.path_graph(3)))
    for seed in range(8):
        other, order = permuted(K, seed)
        found = abs(np.asarray(cl.positional_encoding(cl.graph_laplacian(other), 4)))
        both = np.minimum(found[order < 3].max(axis=0), found[order >= 3].max(axis=0))
        assert both.max() < 1e-8


@given(seeds)
def test_the_sign_is_a_matter_of_the_values_alone(seed):
    rng = np.random.default_rng(seed)
    V = rng.standard_normal((7, 4))
    V[3] = -V[4]  # a tie in size
    V[3:5, 0] *= 9
    order, flips = rng.permutation(7), rng.choice([-1.0, 1.0], 4)
    np.testing.assert_array_equal(permutable_signs(V * flips)[order], permutable_signs(V[order]))
    symmetric = np.array([[1.0], [-1.0], [0.0]])
    assert permutable_signs(symmetric).ravel().tolist() == [1, -1, 0]
    assert permutable_signs(-symmetric).ravel().tolist() == [1, -1, 0]


def test_embedding_with_a_mass_agrees_with_scikit_learn():
    from sklearn.manifold import spectral_embedding

    graph = cl.datasets.load("lesmis").graph
    adjacency = nx.to_numpy_array(graph, weight=None)
    theirs = spectral_embedding(adjacency, n_components=4, random_state=0, drop_first=True)
    L = cl.graph_laplacian(cl.clique_complex(graph))
    ours = np.asarray(cl.embed(L, 4, mass="diagonal"))
    for a, b in zip(ours.T, theirs.T, strict=True):
        assert abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b) == pytest.approx(1, abs=1e-5)


def test_too_many_columns():
    L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(4)))
    with pytest.raises(cl.InputError, match=r"1\.\.4"):
        cl.embed(L, 5)
    with pytest.raises(cl.InputError, match="3"):
        cl.embed(L, 4)
    with pytest.raises(cl.InputError, match="1"):
        cl.positional_encoding(L, 0)


def test_an_embedding_keeps_components_apart():
    graph = nx.disjoint_union_all([nx.path_graph(3), nx.complete_graph(4), nx.empty_graph(1)])
    K = cl.clique_complex(graph)
    for mass in (None, "diagonal"):
        found = cl.embed(cl.graph_laplacian(K), 3, mass=mass)
        assert found.n_trivial == 1
        np.testing.assert_allclose(found.values[:2], 0, atol=1e-12)
        rows = np.asarray(found)[:, :2]
        for part in (slice(0, 3), slice(3, 7)):
            np.testing.assert_allclose(
                rows[part], np.broadcast_to(rows[part][0], (rows[part].shape))
            )
        apart = [np.linalg.norm(rows[i] - rows[j]) for i, j in ((0, 3), (0, 7), (3, 7))]
        assert min(apart) > 0.1
    one = np.asarray(cl.embed(cl.graph_laplacian(K), 3))
    other, order = permuted(K, 1)
    two = np.asarray(cl.embed(cl.graph_laplacian(other), 3))
    np.testing.assert_allclose(abs(two), abs(one[order]), atol=1e-8)


def test_the_constant_alone_is_left_out_as_in_scikit_learn():
    from sklearn.manifold import spectral_embedding

    graph = nx.disjoint_union(karate(), nx.path_graph(5))
    adjacency = nx.to_numpy_array(graph, weight=None)
    with pytest.warns(UserWarning, match="connected"):
        theirs = spectral_embedding(adjacency, n_components=4, random_state=0, drop_first=False)
    ours = cl.embed(cl.graph_laplacian(cl.clique_complex(graph)), 3, mass="diagonal")
    space = np.linalg.qr(np.column_stack([np.ones(len(graph)), ours.coordinates]))[0]
    theirs = theirs / np.linalg.norm(theirs, axis=0)
    np.testing.assert_allclose(space @ (space.T @ theirs), theirs, atol=1e-5)
    assert cl.embed(cl.signless_laplacian(cl.clique_complex(nx.path_graph(2))), 2).n_trivial == 0


# The parts, by hand


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_signs_by_hand_in_any_unit(unit):
    """Sorted entries decide where they differ by a millionth; else the first of the largest."""
    for entries, turned in (
        ([-1.0, 1.0, 1e-5], False),
        ([1.0, -1.0, -1e-5], True),
        ([-1.0, 1.0, 1e-7], True),  # as good as symmetric
        ([0.5, -1.0, 1.0 - 1e-8, -0.5], True),
        ([-0.5, 1.0, -1.0 + 1e-8, 0.5], False),
        ([0.0, 0.0], False),
    ):
        V = unit * np.array([entries]).T
        np.testing.assert_array_equal(permutable_signs(V), -V if turned else V)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_the_size_of_an_operator_is_its_largest_row(unit):
    L = unit * cl.graph_laplacian(nx.path_graph(3)).A
    S = SparseOperator(L, range(3), None, "given")
    assert operator_size(S) == pytest.approx(4 * unit)
    assert operator_size(S, np.array([1.0, 8.0, 0.25])) == pytest.approx(8 * unit)
    assert operator_size(SparseOperator(sparse.csr_array((0, 0)), (), None, "none")) == 0.0
    zero = SparseOperator(sparse.csr_array((3, 3)), range(3), None, "zero")
    assert n_trivial(zero, SimpleNamespace(values=np.zeros(3), n_zeros=None)) == 3
    for zeros in ([1e-9, 1e-7, 1.0], [1e-9, 0.0, 1e-7]):  # up to 1e-8 of that size
        spectrum = SimpleNamespace(values=4 * unit * np.array(zeros), n_zeros=None)
        assert n_trivial(S, spectrum) == sum(value <= 1e-8 for value in zeros)


def test_degrees_are_looked_at_up_to_eight_steps_away():
    """A ring with one leaf: from nine steps on all vertices have the same surroundings."""
    graph = nx.cycle_graph(40)
    graph.add_edge(0, "leaf")
    x = surroundings(cl.graph_laplacian(graph).A)[:40]
    assert np.ptp(x[9:32]) <= 1e-14
    gaps = abs(x[1:9] - x[9])
    assert (gaps > 1e-12).all()
    np.testing.assert_allclose(x[1:20], x[:20:-1], rtol=1e-12)
    assert surroundings(1e-6 * cl.graph_laplacian(graph).A)[:40] == pytest.approx(x, rel=1e-9)


def test_eight_more_eigenvectors_than_asked_for_are_seen():
    """The axes of a function that is least at vertex 9: seen only if ten columns are."""
    values, vectors = np.ones(12), np.eye(12)
    near = np.arange(12.0)[::-1]  # the later, the less
    for k, lowest in ((1, 8), (2, 9), (3, 10)):
        found, modes = first_modes(values, vectors, k, lambda: near)
        assert len(found) == modes.shape[1] == k
        assert np.flatnonzero(modes[:, 0]).tolist() == [lowest]


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize(("gap", "turned"), [(0.9e-8, True), (1.1e-8, False)])
def test_eigenvalues_within_1e_8_of_the_largest_count_as_one(gap, turned, unit):
    values = unit * np.array([1.0 - 2 * gap, 1.0 - gap, 1.0])
    V = np.array([[0.6, 0.8, 0.0], [0.8, -0.6, 0.0], [0.0, 0.0, 1.0]])
    found = first_modes(values, V, 3, lambda: np.array([1.0, 2.0, 3.0]))[1]
    axes = np.abs(found).round(9).tolist() == np.eye(3).tolist()
    assert axes == turned


def test_bases_are_turned_by_masses_too():
    """With D = (1, 4, 1) the vectors e_i / sqrt(D_i) are the axes, and of unit length by D."""
    D = np.array([1.0, 4.0, 1.0])
    turn = np.array([[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    V = turn / np.sqrt(D)[:, None]
    found = first_modes(np.ones(3), V, 3, lambda: np.array([1.0, 2.0, 3.0]), D)[1]
    np.testing.assert_allclose(abs(found), np.diag(1 / np.sqrt(D)), atol=1e-12)


def test_only_what_is_close_to_constant_is_left_out_of_the_kernel():
    two = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]) / np.sqrt([2.0, 1.0])
    left = _without_constant(two, None)
    np.testing.assert_allclose(abs(left.ravel()), np.array([1, 1, 2]) / 6**0.5)
    colours = np.array([[1.0], [-1.0]]) / 2**0.5
    assert _without_constant(colours, None) is colours
    weighed = _without_constant(colours, np.array([1.0, 3.0]))  # by mass no longer balanced
    assert weighed.shape == (2, 0)


@pytest.mark.parametrize(
    ("task", "n_bytes"),
    [
        (lambda L: cl.positional_encoding(L, 1000), 16),
        (lambda L: cl.tasks.diffuse(L, np.ones(10), np.ones(1000)), 24),
        (lambda L: cl.heat_kernel_signature(L, np.ones(1000)), 40),
        (lambda L: cl.heat_kernel_signature(L.spectrum(), np.ones(1000)), 40),
        (lambda L: cl.wave_kernel_signature(L, n_energies=1000), 40),
        (lambda L: cl.wave_kernel_signature(L, np.ones(1000)), 40),
    ],
)
def test_memory_is_asked_for_before_it_is_taken(task, n_bytes):
    """Bytes for each of ten vertices and a thousand columns: the result and its copies."""
    L = cl.graph_laplacian(nx.path_graph(10))
    with memory_budget(int(10_000 * n_bytes * 1.02)):
        task(L)
    with (
        memory_budget(int(10_000 * n_bytes * 0.98)),
        pytest.raises(cl.SizeError, match=r"fewer|lower"),
    ):
        task(L)
