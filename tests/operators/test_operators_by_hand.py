"""Baselines and what their sizes are judged by, on cases worked out by hand."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import LinearOperator
from test_baselines import BASELINES

import cellapse as cl
from cellapse._operators import reliability
from cellapse._operators.as_operator import _is_matrix, _kernel, _lowest
from cellapse._operators.by_size import BySize, _alike, _random_cells, disjoint
from cellapse._operators.hyperedges import Hyperedges, grouped, inside
from cellapse._operators.reliability import Excess, Reliability, Trial

MIXED = cl.Complex.from_cells(
    {0: range(7), 1: [(0, 1), (1, 2), (0, 2), (3, 4)], 2: [(0, 1, 2)]}, weights={1: [1, 2, 3, 4]}
)
POINTS = cl.Complex.from_arrays(3, {})
NO_EDGES = cl.Complex.from_arrays(3, {1: []})
EVERY = [*BASELINES, lambda K: cl.zhou_laplacian(K, ranks=[2])]


@pytest.mark.parametrize("make", EVERY)
def test_a_kernel_is_orthonormal_and_all_there_is(make):
    L = make(MIXED)
    P, M = L.kernel.toarray(), L.toarray()
    np.testing.assert_allclose(P.T @ P, np.eye(P.shape[1]), atol=1e-12)
    np.testing.assert_allclose(M @ P, 0, atol=1e-12)
    assert P.shape[1] == (np.linalg.eigvalsh(M) < 1e-9).sum()


@pytest.mark.parametrize("K", [POINTS, NO_EDGES], ids=["points", "no edges"])
def test_without_cells_every_baseline_is_zero(K):
    for make in (*EVERY[:5], cl.projection_laplacian):
        L = make(K)
        assert L.toarray().tolist() == np.zeros((3, 3)).tolist()
        assert abs(L.kernel.toarray()).tolist() == np.eye(3).tolist()
    assert cl.multiorder_laplacian(K, []).shape == (3, 3)  # no orders, no weights
    with pytest.raises(cl.InputError, match="give 0 numbers"):
        cl.multiorder_laplacian(K, [1.0])
    assert cl.hodge_laplacian(K, 0).toarray().tolist() == np.zeros((3, 3)).tolist()


def test_the_kernel_of_a_hodge_laplacian_is_known_on_the_vertices_only():
    assert cl.hodge_laplacian(MIXED, 0).kernel.shape == (7, 4)
    assert cl.hodge_laplacian(MIXED, 1).kernel is None
    assert cl.hodge_laplacian(MIXED, 2).kernel is None
    assert cl.hodge_laplacian(POINTS, 0).kernel is None
    assert cl.hodge_laplacian(MIXED, 1).definite
    assert not cl.dirac_operator(MIXED).definite


def test_what_edges_weigh_by_default():
    """A tenth for an edge in no cell, as the list of operators says."""
    assert -cl.motif_laplacian(nx.path_graph(2)).toarray()[0, 1] == pytest.approx(0.1)


def test_multiorder_weights_may_be_zero_but_not_below():
    K = cl.clique_complex(nx.complete_graph(3))
    only = cl.multiorder_laplacian(K, [1.0, 0.0]).toarray()
    np.testing.assert_allclose(only, cl.graph_laplacian(K).toarray() / 2)  # mean degree 2
    for wrong in ([1.0, -1.0], [1.0, np.inf], [1.0], [[1.0, 1.0]]):
        with pytest.raises(cl.InputError, match="order"):
            cl.multiorder_laplacian(K, wrong)


# What is an operator


@pytest.mark.parametrize(("skew", "fine"), [(1e-9, True), (1e-7, False)])
def test_asymmetry_up_to_rounding_is_forgiven(skew, fine):
    M = np.array([[2.0, -1.0], [-1.0 + 2 * skew, 2.0]])
    free = LinearOperator((2, 2), matvec=lambda x: M @ np.ravel(x), dtype=float)
    if fine:
        assert cl.as_operator(M).toarray()[0, 1] == pytest.approx(-1.0 + skew, abs=1e-12)
        assert cl.as_operator(free).shape == (2, 2)
        return
    for given in (M, free):
        with pytest.raises(cl.InputError, match="symmetric"):
            cl.as_operator(given)


@pytest.mark.parametrize(("low", "fine"), [(-1e-9, True), (-1e-7, False)])
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_negative_eigenvalues_up_to_rounding_are_forgiven(low, fine, unit):
    M = unit * np.array([[1.0, 1.0 - low], [1.0 - low, 1.0]])  # low and 2 - low
    assert _lowest(sparse.csr_array(M)) == pytest.approx(unit * low, rel=1e-6)
    free = LinearOperator((2, 2), matvec=lambda x: M @ np.ravel(x), dtype=float)
    for given in (M, free):
        if fine:
            assert cl.as_operator(given).shape == (2, 2)
        else:
            with pytest.raises(cl.InputError, match="definite"):
                cl.as_operator(given)


def test_an_adjacency_is_lifted_whatever_its_weights():
    for weight in (0.5, 3.0):
        S = cl.as_operator([[0.0, weight], [weight, 0.0]])
        assert isinstance(S, cl.CollapsedOperator)
    with pytest.raises(cl.InputError, match="semi-definite"):
        cl.as_operator([[0.0, -1.0], [-1.0, 0.0]])


def test_the_smallest_eigenvalue_of_a_large_matrix(monkeypatch):
    M = sparse.csr_array(np.array([[1.0, 3.0, 0.0], [3.0, 1.0, 0.0], [0.0, 0.0, 5.0]]))
    assert _lowest(M) == pytest.approx(-2.0)
    monkeypatch.setattr("cellapse._operators.as_operator._DENSE", 0)
    assert _lowest(M) == pytest.approx(-2.0, rel=1e-2)
    dominant = sparse.csr_array(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    assert _lowest(dominant) == 0.0


def test_what_stands_in_for_a_matrix_bounds_it():
    M = np.diag([1.0, 2.0, 5.0])
    S = cl.as_operator(LinearOperator((3, 3), matvec=lambda x: M @ np.ravel(x), dtype=float))
    high = S.A.diagonal()
    assert repr(S) == "<LinearOperator on 3 cells>"
    assert (high >= 5.0).all()
    assert (high <= 5.1).all()


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_kernels_that_are_plain_to_see(unit):
    """Constants of a Laplacian, roots of degrees of a normalized one, nothing else."""
    L = unit * nx.laplacian_matrix(nx.star_graph(3)).toarray().astype(float)
    M = sparse.csr_array(L)
    np.testing.assert_allclose(_kernel(M, 6 * unit).toarray(), np.full((4, 1), 0.5))
    root = np.sqrt([3.0, 1.0, 1.0, 1.0])
    normalized = sparse.csr_array(L / np.outer(root, root))
    found = _kernel(normalized, 2 * unit).toarray().ravel()
    np.testing.assert_allclose(found, root / 6**0.5)
    for shifted in (1e-15, 1e-9):  # a rounding, and more than one
        kernel = _kernel(M + unit * shifted * sparse.eye_array(4), 6 * unit)
        assert (kernel is None) == (shifted == 1e-9)
    nothing = _kernel(sparse.csr_array((2, 2)), 0.0)
    assert nothing.toarray().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    signless = sparse.csr_array(abs(L))
    assert _kernel(signless, 6 * unit) is None


@pytest.mark.parametrize(
    ("given", "matrix"),
    [
        (sparse.eye_array(2), True),
        ([[1.0, 0.0], [0.0, 1.0]], True),
        ([(0, 1), (1, 2)], False),  # two edges
        ([(0, 1), [1, 2]], True),
        ([(0, 1, 2), (1, 2, 3), (2, 3, 4)], True),
        ([(0, 1)], False),
        ([[1.0]], True),
        ([], False),
        ([[1.0, 2.0], [3.0]], False),
        (np.eye(3), True),
        (np.ones((2, 3)), False),
        (np.ones(4), False),
        (np.array([[0, 1], [1, 2]]), True),  # symmetric
        (np.array([[0, 1], [2, 3]]), False),  # two edges
        (np.array([[0.0, 1.0], [2.0, 3.0]]), True),
        ("karate", False),
    ],
)
def test_what_is_read_as_one_matrix(given, matrix):
    assert _is_matrix(given) == matrix


# Hyperedges and their sizes


def test_a_projection_has_no_diagonal():
    hyper = Hyperedges.of(cl.hypergraph_complex([(0, 1, 2), (2, 3)], multiplicity="weight"))
    A = hyper.projection(np.arange(hyper.count)).toarray()
    wanted = [[0, 0.5, 0.5, 0], [0.5, 0, 0.5, 0], [0.5, 0.5, 0, 1], [0, 0, 1, 0]]
    np.testing.assert_allclose(A, wanted)
    X = np.array([[2.0, 0.0], [1.0, 3.0], [-1.0, 1.0], [0.5, 2.0]])
    products = X @ X.T
    pairs = [products[0, 1] + products[0, 2] + products[1, 2], 3 * products[2, 3]]
    sizes = hyper.sizes.tolist()
    np.testing.assert_allclose(
        hyper.inside(X, np.arange(2)), [pairs[0 if s == 3 else 1] / 3 for s in sizes]
    )
    np.testing.assert_allclose(inside(X, hyper.table, hyper.sizes)[sizes.index(2)], products[2, 3])


@pytest.mark.parametrize(
    ("sizes", "counts", "found"),
    [
        ([2, 3, 4, 12], [30, 30, 30, 5], [30, 30, 35]),  # the last few join those before
        ([2, 3], [20, 20], [20, 20]),
        ([2, 3], [19, 20], [39]),
        ([4, 5, 6, 10, 11, 40], [10, 10, 10, 10, 10, 10], [20, 20, 20]),
        ([3], [4], [4]),
        ([], [], []),
    ],
)
def test_groups_of_like_sizes_have_twenty_at_least(sizes, counts, found):
    """2, 3, 4 and 5, 6 to 10, more."""
    groups = grouped(np.repeat(sizes, counts).astype(int))
    assert [len(g) for g in groups] == found
    everything = np.concatenate([np.empty(0, dtype=int), *groups])
    assert everything.tolist() == list(range(sum(counts)))


def test_random_cells_are_drawn_by_degree_without_a_vertex_twice():
    rng = np.random.default_rng(0)
    degree = np.array([6.0, 3.0, 0.0, 1.0])
    sizes = np.repeat([1, 2, 3], [2000, 300, 50])
    table = _random_cells(sizes, degree, rng)
    assert table.shape == (4, 2350)
    assert (table.data == 1.0).all()
    assert np.diff(table.indptr).tolist() == sizes.tolist()
    assert table[[2]].nnz == 0  # of no degree
    single = np.asarray(table[:, :2000].sum(axis=1)).ravel() / 2000
    assert single[[0, 1, 3]] == pytest.approx([0.55, 0.31, 0.14], abs=0.06)


def test_pairs_for_comparison_have_no_common_neighbour():
    """Two cliques apart: only pairs of both; a triple stays as it was drawn."""
    A = sparse.csr_array(
        nx.to_scipy_sparse_array(nx.disjoint_union_all([nx.complete_graph(4)] * 2))
    )
    sizes = np.array([2, 3, 2, 2])
    table = _alike(sizes, np.ones(8), A, np.random.default_rng(1))
    assert np.diff(table.indptr).tolist() == [2, 3, 2, 2]
    for at in (0, 2, 3):
        i, j = table[:, [at]].indices
        assert (i < 4) != (j < 4)
    triples = _alike(np.array([3, 3]), np.ones(8), A, np.random.default_rng(1))
    assert np.diff(triples.indptr).tolist() == [3, 3]


def test_cells_are_chosen_until_none_is_left():
    """A path of cells, each with an edge of the next: no two next to each other, and no gap."""
    n = 30
    held = sparse.csr_array(np.eye(n + 1, n) + np.eye(n + 1, n, -1))
    for seed in range(5):
        chosen = disjoint(held, np.ones(n, dtype=bool), np.random.default_rng(seed))
        gaps = np.diff([-2, *chosen.tolist(), n + 1])
        assert set(gaps.tolist()) <= {2, 3}
    assert disjoint(held, np.zeros(n, dtype=bool), np.random.default_rng(0)).tolist() == []


# What a size predicts


def test_gain_and_error_of_two_samples():
    """Means 2 and 1, variances 2/3 and 1 of three and two numbers."""
    excess = Excess(np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0]))
    assert excess.gain == pytest.approx(1.0)
    assert excess.error == pytest.approx(np.sqrt(2 / 9 + 1 / 2))
    for few in (Excess(np.ones(1), np.ones(5)), Excess(np.ones(5), np.ones(1))):
        assert not few.comparable
        assert (few.gain, few.error) == (0.0, 1.0)
    assert Excess(np.ones(2), np.zeros(2)).error == pytest.approx(1e-6)  # never nothing
    change = excess - Excess(np.zeros(3), np.ones(2))
    assert change.hidden.tolist() == [1.0, 2.0, 3.0]
    assert change.chance.tolist() == [-1.0, 1.0]


def measured(gains, error=0.05):
    return [SimpleNamespace(gain=gain, error=error) for gain in gains]


@pytest.mark.parametrize(
    ("gains", "weights"),
    [
        ([1.0, 0.5, 0.9, -0.2], [1.0, 0.5, 1.0, 0.0]),  # .9 is within two standard errors
        ([0.83, 1.0], [0.83, 1.0]),
        ([1.0, 0.1, 0.07], [1.0, 0.1, 0.0]),  # less than 1.5 of its own error is nothing
        ([0.09, -0.5], [1.0, 1.0]),  # the best is not clear itself
        ([0.11, -0.5], [1.0, 0.0]),
        ([2.0, 1.0], [1.0, 0.5]),
    ],
)
def test_weights_by_what_sizes_predict(gains, weights):
    assert reliability._new_weights(measured(gains)).tolist() == pytest.approx(weights)


def test_weights_where_gains_are_just_as_many_errors():
    """Two standard errors are clear; one and a half of its own are nothing yet."""
    assert reliability._new_weights(measured([0.5, -1.0], 0.25)).tolist() == [1.0, 0.0]
    assert reliability._new_weights(measured([2.0, 0.375], 0.25)).tolist() == [1.0, 0.0]
    assert reliability._new_weights(measured([2.0, 0.5], 0.25)).tolist() == [1.0, 0.25]


def test_points_have_no_hyperedges():
    none = Hyperedges.of(POINTS)
    assert none.count == 0
    assert none.table.shape == (3, 0)
    assert none.weights.shape == none.sizes.shape == (0,)


def test_the_clearest_evidence():
    assert reliability._evidence(measured([0.1, 0.3])) == pytest.approx(6.0)


def test_every_cell_is_hidden_once_a_fifth_at_a_time():
    hyperedges = [(i, i + 1, i + 2, i + 3) for i in range(23)]
    cells = BySize.of(cl.hypergraph_complex(hyperedges), np.random.default_rng(0))
    trial = Trial(cells, 2, np.random.default_rng(1))
    hidden = [fold[0] for fold in trial._hidden]
    assert sorted(map(len, hidden)) == [4, 4, 5, 5, 5]
    assert sorted(np.concatenate(hidden).tolist()) == list(range(23))


def reliable(weights):
    parts = [sparse.csr_array(M) for M in ([[0.0, 2.0, 0], [2.0, 0, 0], [0, 0, 0]],
                                           [[0.0, 0, 0], [0, 0, 1.0], [0, 1.0, 0]])]  # fmt: skip
    one = np.ones(2)
    return Reliability([(2, 2), (3, 3)], one, one, one, np.array(weights), True, "abc", parts)


@pytest.mark.parametrize(("weight", "kept"), [(0.0, 0.01), (0.005, 0.01), (0.5, 0.5)])
def test_a_size_that_predicts_nothing_keeps_a_hundredth(weight, kept):
    L = reliable([1.0, weight]).operator()
    wanted = [[2, -2, 0], [-2, 2 + kept, -kept], [0, -kept, kept]]
    np.testing.assert_allclose(L.toarray(), wanted)
    assert L.kernel.shape == (3, 1)
    assert L.labels == "abc"


@pytest.mark.parametrize("dense", [400, 0])
def test_the_embedding_is_that_of_the_normalized_adjacency(monkeypatch, dense):
    """Degrees with half their mean on top, so that a leaf does not stand out."""
    monkeypatch.setattr(reliability, "_DENSE", dense)
    A = nx.to_numpy_array(nx.random_partition_graph([15, 25], 0.5, 0.05, seed=1))
    degree = A.sum(axis=1) + 0.5 * A.sum(axis=1).mean()
    V = np.linalg.eigh(A / np.sqrt(np.outer(degree, degree)))[1][:, -3:]
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    found = reliability._embedding(sparse.csr_array(A), 3)
    np.testing.assert_allclose(found @ found.T, V @ V.T, atol=1e-9 if dense else 0.02)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0)
    for unit in (1e-6, 1e6):
        scaled = reliability._embedding(sparse.csr_array(unit * A), 3)
        np.testing.assert_allclose(scaled @ scaled.T, found @ found.T, atol=1e-9 if dense else 0.02)
    all_of_them = reliability._embedding(sparse.csr_array(A[:4, :4]), 3)  # k = n - 1
    assert all_of_them.shape == (4, 3)


def test_weights_of_parts_add_up_and_zeros_are_left_out():
    parts = reliable([1.0, 1.0]).parts
    total = reliability._sum(np.array([0.5, 0.0]), parts, 3)
    assert total.toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert total.nnz == 2


@pytest.mark.parametrize(
    ("asked", "n", "taken"), [(4, 20, 4), (4, 5, 3), (4, 2, 1), (1000, 20, 18), (1, 20, 1)]
)
def test_the_dimension_leaves_two_vectors_over(monkeypatch, asked, n, taken):
    seen = []

    def embedding(A, k):
        seen.append(k)
        return np.ones((n, k))

    monkeypatch.setattr(reliability, "_embedding", embedding)
    cl.tasks.rank_reliability(cl.clique_complex(nx.path_graph(n)), dimension=asked)
    assert set(seen) == {taken}
    for wrong in (0, 1001):
        with pytest.raises(cl.InputError, match="dimension"):
            cl.tasks.rank_reliability(cl.clique_complex(nx.path_graph(n)), dimension=wrong)
