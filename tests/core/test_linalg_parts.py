"""The parts of the linear algebra one by one, on cases small enough to work out by hand."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse._linalg import cg, factor, preconditioner
from cellapse._linalg.blas import definite_inverse, symmetric_eigenpairs
from cellapse._linalg.kernel import left_kernel
from cellapse._linalg.sigma import largest_eigenpair

UNIT = 2.0**-53


# Conjugate gradients


def test_the_bound_of_gauss_and_radau_by_hand():
    bound = cg.GaussRadau(0.5, 2)
    assert bound.least().tolist() == [0.5, 0.5]
    assert bound.error(np.array([8.0, -2.0])).tolist() == [4.0, 2.0]  # the factor is 1 / 0.5
    bound.advance(np.array([0.5, 0.5]), np.array([0.25, 0.25]), np.array([True, False]))
    # (2 - 0.5) / (0.5 * 1.5 + 0.25) = 1.5
    np.testing.assert_allclose(bound.error(np.ones(2)) ** 2, [1.5, 2.0], rtol=1e-15)
    assert bound.within(np.full(2, 6.0), np.array([3.0, 3.0])).tolist() == [True, False]
    bound.begin()
    np.testing.assert_allclose(bound.error(np.ones(2)) ** 2, [2.0, 2.0], rtol=1e-15)
    bound.advance(np.full(2, 3.0), np.zeros(2), np.ones(2, dtype=bool))  # a step beyond rounding
    np.testing.assert_allclose(bound.error(np.ones(2)) ** 2, [2.0, 2.0], rtol=1e-15)
    bound.advance(np.full(2, 3.0), np.ones(2), np.ones(2, dtype=bool))  # 2e-14 is left of 2 - 3
    np.testing.assert_allclose(bound.error(np.ones(2)) ** 2, 2e-14, rtol=1e-9)


def test_the_smallest_ritz_value_by_hand():
    estimate = cg.RitzEstimate(0.0, 3)
    assert estimate.least().tolist() == [1.0, 1.0, 1.0]
    assert estimate.error(np.array([0.0, 1.0, 1.0])).tolist() == [0.0, np.inf, np.inf]
    assert not estimate.within(np.full(3, 1e-30), np.ones(3)).any()  # nothing is known yet
    live = np.ones(3, dtype=bool)
    estimate.advance(np.array([0.5, 0.25, 0.0]), np.array([0.25, 0.0, 0.0]), live)
    # One step: the Ritz value is 1 / step, and e^T H e is taken for 2 r^T z over it.
    np.testing.assert_allclose(estimate.error(np.ones(3)), [1.0, 0.5**0.5, np.inf])
    np.testing.assert_allclose(estimate.least(), [2.0, 4.0, 1.0])
    estimate.advance(np.array([1.0, 0.0, 0.0]), np.zeros(3), live)
    # [[2, 1], [1, 1 + 0.5]] for the first column; the second stood still.
    smallest = (3.5 - 4.25**0.5) / 2
    np.testing.assert_allclose(estimate.error(np.ones(3))[0], (2.0 / smallest) ** 0.5)
    np.testing.assert_allclose(estimate.least()[:2], [smallest, 4.0])
    assert estimate.within(np.array([0.3, 0.3, 0.3]), np.ones(3)).tolist() == [True, True, False]
    assert not estimate.within(np.array([0.4, 0.6, 0.3]), np.ones(3)).any()
    estimate.begin()  # what was seen is remembered
    np.testing.assert_allclose(estimate.least()[:2], [smallest, 4.0])


def test_ritz_values_below_null_do_not_count():
    estimate = cg.RitzEstimate(3.0, 1)
    estimate.advance(np.array([0.5]), np.array([0.25]), np.ones(1, dtype=bool))
    estimate.advance(np.array([1.0]), np.zeros(1), np.ones(1, dtype=bool))
    assert estimate.error(np.ones(1)) == np.inf  # 0.72 and 2.78
    with_one = cg.RitzEstimate(1.0, 1)
    with_one._steps, with_one._turns = estimate._steps, estimate._turns
    np.testing.assert_allclose(with_one.error(np.ones(1)) ** 2, 4.0 / (3.5 + 4.25**0.5))


def test_a_pass_leaves_the_drift_of_its_own_residual():
    """A few units of rounding of the error it began with, over the smallest eigenvalue."""

    def error(bound, rz, fallen):
        nothing = np.empty((1, 0))
        return cg._with_drift(bound, cg.Pass(nothing, nothing, np.full(1, rz), np.full(1, fallen)))

    bound = cg.GaussRadau(0.5, 1)
    np.testing.assert_allclose(error(bound, 0.0, 4.0), 32 * UNIT)
    np.testing.assert_allclose(error(cg.GaussRadau(1e-20, 1), 0.0, 4.0), 2e-3)
    np.testing.assert_allclose(error(bound, 8.0, 4.0), 4.0)
    estimate = cg.RitzEstimate(0.0, 1)
    estimate.advance(np.array([1e4]), np.zeros(1), np.ones(1, dtype=bool))  # a Ritz value of 1e-4
    np.testing.assert_allclose(error(estimate, 1e-60, 1.0), 8e4 * UNIT)


@pytest.mark.parametrize("null", [0.002, 0.01, 0.05, 0.3])
def test_a_direction_is_followed_while_its_quotient_is_above_null(null):
    """p^T H p / p^T P p, with p^T P p from the recursion."""
    h, d = np.geomspace(1e-3, 1.0, 12)[:, None], np.linspace(1.0, 3.0, 12)[:, None]
    directions, never = [], np.zeros(1, dtype=bool)
    x, _, rz, fallen = cg.one_pass(
        lambda p: directions.append(p.copy()) or h * p,
        np.ones((12, 1)),
        lambda r: r / d,
        lambda r, rz: never,
        12,
        null,
    )
    quotients = np.array([float((h * p**2).sum() / (d * p**2).sum()) for p in directions])
    assert (quotients[:-1] > null).all()
    assert quotients[-1] <= null or len(directions) == 12
    # What has fallen is the energy of the first error less that of the last.
    e = 1.0 / h - x
    np.testing.assert_allclose(fallen, (1.0 / h).sum() - (h * e**2).sum(), rtol=1e-9)
    np.testing.assert_allclose(rz, ((1.0 - h * x) ** 2 / d).sum(), rtol=1e-6, atol=1e-15)


def test_a_residual_that_only_grows_is_left():
    """H p = 1e-30 p, but for a part of 1 that is not there in the next product."""
    products, never = [], np.zeros(1, dtype=bool)

    def apply(p):
        products.append(1)
        return 1e-30 * p + np.roll(p, 1, axis=0) * 2.0 ** len(products)

    x, _, rz, _ = cg.one_pass(apply, np.eye(3)[:, :1], lambda r: r, lambda r, rz: never, 500)
    assert np.isfinite(x).all()
    assert np.isfinite(rz).all()
    assert len(products) == 1


# How far a factorization fills in


def test_the_widest_level_by_hand():
    def widest(graph):
        return factor.widest_level(nx.to_scipy_sparse_array(graph, format="csr"))

    assert widest(nx.complete_graph(5)) == (4, 5)
    assert widest(nx.complete_bipartite_graph(3, 4)) == (4, 7)
    assert widest(nx.path_graph(9)) == (0, 0)  # peeled off
    assert widest(nx.complete_bipartite_graph(2, 5)) == (0, 0)
    two = nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(6))
    assert widest(two) == (5, 10)  # of the larger part; both are core
    hanging = nx.complete_graph(5)
    hanging.add_edges_from([(0, 5), (5, 6), (6, 1)])  # a handle, whose vertices have degree two
    assert widest(hanging) == (4, 5)
    prism = nx.circular_ladder_graph(8)  # from one end to the other: 1, 3, 4, 4, 3, 1
    assert widest(prism) == (4, 16)
    matrix = nx.to_scipy_sparse_array(nx.complete_graph(5), format="csc", dtype=float)
    expected = 16 + 15 * np.log2(7) + 3 * 20
    assert factor.fill_in(matrix) == pytest.approx(expected, rel=1e-12)


# Kernels, factors, singular values


def test_the_kernel_of_weighted_edges_by_hand():
    """x_j = -b_i / b_j x_i along edges; a contradiction or a single entry leaves nothing."""
    B = np.zeros((6, 4))
    B[[0, 1], 0] = 2.0, -1.0  # x_1 = 2 x_0
    B[[1, 2], 1] = 1.0, -1.0  # x_2 = x_1
    B[[3, 4], 2] = 1.0, 1.0  # x_4 = -x_3
    B[5, 3] = 1.0  # x_5 = 0
    kernel = left_kernel(sparse.csr_array(B)).toarray()
    assert kernel.shape == (6, 2)
    np.testing.assert_allclose(np.abs(kernel[:, 0]), [1 / 3, 2 / 3, 2 / 3, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(np.abs(kernel[:, 1]), [0, 0, 0, 0.5**0.5, 0.5**0.5, 0], atol=1e-15)
    np.testing.assert_allclose(B.T @ kernel, 0.0, atol=1e-15)
    round_trip = np.zeros((3, 3))
    round_trip[[0, 1], 0] = round_trip[[1, 2], 1] = round_trip[[0, 2], 2] = 1.0, -1.0
    assert left_kernel(sparse.csr_array(round_trip)).shape == (3, 1)
    round_trip[2, 2] = -1.0 - 1e-7
    assert left_kernel(sparse.csr_array(round_trip)).shape == (3, 0)
    assert left_kernel(sparse.csr_array(np.ones((3, 1)))) is None
    assert left_kernel(sparse.csr_array((2, 0))).shape == (2, 2)
    assert left_kernel(sparse.csr_array((0, 3))).shape == (0, 0)
    assert left_kernel(sparse.csr_array([[2.0]])).shape == (1, 0)
    assert left_kernel(sparse.csr_array((1, 1))).shape == (1, 1)


def test_superlu_takes_columns_in_parts_and_tells_its_growth():
    matrix = sparse.csc_array([[1.0, 2.0], [2.0, 1.0]])  # L = [1, 0; 2, 1], U = [1, 2; 0, -3]
    factor = cl.Direct().prepare(matrix)
    assert factor.n_negative() == 1
    assert factor.growth() == pytest.approx((2 * 3 + 3) / 3)
    diagonal = cl.Direct().prepare(sparse.diags_array(np.arange(1.0, 5.0), format="csc"))
    assert diagonal.growth() == 1.0
    for columns in (1, 24, 25, 60):
        rhs = np.arange(4.0 * columns).reshape(4, columns)
        np.testing.assert_allclose(diagonal(rhs), rhs / np.arange(1.0, 5.0)[:, None])


def test_the_memory_of_a_factor_is_asked_for_beyond_10_000_rows(monkeypatch):
    asked = []
    monkeypatch.setattr(factor, "require_memory", lambda *given: asked.append(given[0]))
    monkeypatch.setattr(factor, "fill_in", lambda columns: columns.shape[0])
    for n in (10_000, 10_001):
        cl.Direct().prepare(sparse.eye_array(n, format="csc"))
    assert asked == [12.0 * 10_001]


def test_dense_eigenpairs_by_number():
    M = np.diag(np.arange(80.0)[::-1])
    for first, stop in [(0, 3), (0, 39), (0, 40), (5, 9), (0, None), (79, 80)]:
        values, vectors = symmetric_eigenpairs(M, first, stop)
        assert values.tolist() == list(range(80))[first:stop]
        np.testing.assert_allclose(M @ vectors, vectors * values, atol=1e-12)


def test_the_largest_eigenpair_of_an_operator():
    d = np.arange(150.0)
    for n in (1, 100, 101, 150):
        value, vector = largest_eigenpair(lambda x, n=n: (d[:n] * x.T).T, n, tol=1e-10)
        assert value == pytest.approx(n - 1.0, abs=1e-8)
        assert abs(vector[-1]) == pytest.approx(1.0)
    assert largest_eigenpair(lambda x: 0.0 * x, 120, tol=1e-10)[0] == 0.0
    value, vector = largest_eigenpair(lambda x: -(d[:120] + 1.0) * x, 120, tol=1e-6, scale=500.0)
    assert value == pytest.approx(-1.0, abs=1e-3)
    assert np.linalg.norm(vector) == pytest.approx(1.0)


def test_a_forest_only_where_heavy_groups_are_tied_by_light_edges():
    """A hundred times the lightest, and more than ten groups on top of twice the components."""

    def pairs(count, light):
        heavy = np.tile([1.0, 0.0], count)[:-1]
        between = np.tile([0.0, light], count)[:-1]
        near = sparse.diags_array([heavy + between], offsets=[1])
        edges = sparse.csr_array(near + near.T)
        return sparse.csr_array(
            sparse.eye_array(2 * count) + sparse.diags_array(edges.sum(axis=1)) - edges
        )

    def of_forest(K):
        b = np.random.default_rng(0).standard_normal(K.shape[0])
        return np.allclose(
            preconditioner.precondition(K, None).solve(K @ b), b
        )  # a path is its own forest

    assert of_forest(pairs(13, 1 / 101))
    assert not of_forest(pairs(13, 1 / 99))
    assert not of_forest(pairs(12, 1e-4))
    K = pairs(12, 1e-4)
    np.testing.assert_allclose(
        preconditioner.precondition(K, None).solve(np.ones((24, 2))),
        (1 / K.diagonal())[:, None] * np.ones((1, 2)),
    )


# Eigenproblems


def test_an_inverse_by_choleskys_factor():
    rng = np.random.default_rng(0)
    M = rng.standard_normal((7, 7))
    M = M @ M.T + np.eye(7)
    inverse = definite_inverse(M.copy())
    np.testing.assert_allclose(inverse @ M, np.eye(7), atol=1e-12)
    np.testing.assert_array_equal(inverse, inverse.T)
    assert definite_inverse(np.diag([1.0, -1.0])) is None
    assert definite_inverse(np.zeros((2, 2))) is None
