"""The parts of the linear algebra one by one, on cases small enough to work out by hand."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from toys import Toy

import cellapse as cl
from cellapse._linalg import cg, factor, preconditioner
from cellapse._linalg.blas import definite_inverse, symmetric_eigenpairs
from cellapse._linalg.eigen import auto, evidence, lanczos, problem, shifts
from cellapse._linalg.eigen.spectrum import EigenSolver
from cellapse._linalg.error_bounds import ErrorBound, ErrorEstimate
from cellapse._linalg.kernel import left_kernel
from cellapse._linalg.operators import SparseOperator
from cellapse._linalg.sigma import largest_eigenpair
from cellapse._linalg.symmetric import Deficit, Lowest

UNIT = 2.0**-53


# Conjugate gradients


def test_the_bound_of_gauss_and_radau_by_hand():
    bound = ErrorBound(0.5, 2)
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
    estimate = ErrorEstimate(0.0, 3)
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
    estimate = ErrorEstimate(3.0, 1)
    estimate.advance(np.array([0.5]), np.array([0.25]), np.ones(1, dtype=bool))
    estimate.advance(np.array([1.0]), np.zeros(1), np.ones(1, dtype=bool))
    assert estimate.error(np.ones(1)) == np.inf  # 0.72 and 2.78
    with_one = ErrorEstimate(1.0, 1)
    with_one._steps, with_one._turns = estimate._steps, estimate._turns
    np.testing.assert_allclose(with_one.error(np.ones(1)) ** 2, 4.0 / (3.5 + 4.25**0.5))


def test_a_pass_leaves_the_drift_of_its_own_residual():
    """A few units of rounding of the error it began with, over the smallest eigenvalue."""

    def error(bound, rz, fallen):
        nothing = np.empty((1, 0))
        return cg._with_drift(bound, cg.Pass(nothing, nothing, np.full(1, rz), np.full(1, fallen)))

    bound = ErrorBound(0.5, 1)
    np.testing.assert_allclose(error(bound, 0.0, 4.0), 32 * UNIT)
    np.testing.assert_allclose(error(ErrorBound(1e-20, 1), 0.0, 4.0), 2e-3)
    np.testing.assert_allclose(error(bound, 8.0, 4.0), 4.0)
    estimate = ErrorEstimate(0.0, 1)
    estimate.advance(np.array([1e4]), np.zeros(1), np.ones(1, dtype=bool))  # a Ritz value of 1e-4
    np.testing.assert_allclose(error(estimate, 1e-60, 1.0), 8e4 * UNIT)


@pytest.mark.parametrize(("off", "passes"), [(0.0, 1), (1e-6, 2)])
def test_one_pass_is_enough_where_what_it_carried_along_is_true(monkeypatch, off, passes):
    """The residual computed anew is off by nothing, or by more than the error allows."""
    d, b = np.linspace(1.0, 2.0, 50)[:, None], np.random.default_rng(0).standard_normal((50, 2))
    seen, one_pass = [], cg.one_pass
    monkeypatch.setattr(cg, "one_pass", lambda *a: seen.append(1) or one_pass(*a))
    x, error = cg.conjugate_gradients(
        lambda x: d * x, b, lambda r: r, 1e-8, 0.9, residual=lambda x: b - d * x + off
    )
    assert len(seen) == passes
    assert (error <= 1e-8).all()
    np.testing.assert_allclose(d * x, b + off, atol=2e-8)


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
            preconditioner.next_to(K, None).solve(K @ b), b
        )  # a path is its own forest

    assert of_forest(pairs(13, 1 / 101))
    assert not of_forest(pairs(13, 1 / 99))
    assert not of_forest(pairs(12, 1e-4))
    K = pairs(12, 1e-4)
    np.testing.assert_allclose(
        preconditioner.next_to(K, None).solve(np.ones((24, 2))),
        (1 / K.diagonal())[:, None] * np.ones((1, 2)),
    )


# Eigenproblems


def test_the_scaled_problem_by_hand():
    operator = Toy([2.0, 8.0, 18.0])
    mass = np.array([1.0, 4.0, 9.0])
    given = problem.eigenproblem(operator, 2, mass, tol=1e-6)
    assert (given.n, given.k, given.room, given.wanted, given.norm) == (3, 2, 3, 2, 2.0)
    np.testing.assert_allclose(given.apply(np.ones(3)), 2.0)
    np.testing.assert_allclose(given.apply(np.ones((3, 2)), 0.5), 2.0)
    np.testing.assert_allclose(given.apply(np.ones(3), 7.0), 2.0)
    np.testing.assert_allclose(operator.errors, 0.05 * 1e-6 * 2.0 * np.array([1.0, 1.0, 7.0]))
    np.testing.assert_allclose(given.dense(), 2.0 * np.eye(3))
    np.testing.assert_allclose(given.matrix.toarray(), 2.0 * np.eye(3))
    largest = problem.eigenproblem(operator, 2, largest=True)
    np.testing.assert_allclose(largest.dense(), np.diag([16.0, 10.0, 0.0]))
    np.testing.assert_allclose(largest.apply(np.ones(3)), [16.0, 10.0, 0.0])
    assert largest.matrix is operator.A


def test_the_kernel_is_scaled_with_the_mass():
    kernel = sparse.csr_array(np.array([[0.6, 0.0], [0.8, 0.0], [0.0, 1.0]]))
    given = problem.eigenproblem(Toy([0.0, 0.0, 0.0], kernel), 3, np.array([16.0, 1.0, 4.0]))
    first = np.array([4 * 0.6, 0.8, 0.0])
    np.testing.assert_allclose(given.kernel.toarray()[:, 0], first / np.linalg.norm(first))
    assert (given.n_kernel, given.k, given.room) == (2, 1, 1)
    x = given.project(np.ones((3, 2)))
    np.testing.assert_allclose(given.kernel.csr.T @ x, 0.0, atol=1e-15)
    known = given.without(np.array([[1.0], [-1.0], [1.0]]), 5)
    assert (known.room, known.seed) == (0, 5)
    start = given.start(2)
    np.testing.assert_allclose(
        start, given.project(np.random.default_rng(0).standard_normal((3, 2)))
    )


def test_what_is_found_is_kept_for_masses_of_one_only():
    L = SparseOperator(np.diag([1.0, 2.0, 3.0]), range(3))
    given = problem.eigenproblem(L, 1)
    assert given.lowest(1).values.tolist() == pytest.approx([1.0])
    assert given.factor(cl.Direct()) is problem.eigenproblem(L, 2).factor(cl.Direct())
    assert replace(given, largest=True).lowest(1) is None
    assert given.without(np.eye(3)[:, :1], 1).lowest(1) is None
    heavy = problem.eigenproblem(L, 1, np.array([1.0, 1.0, 2.0]))
    assert heavy.lowest(1) is None
    with pytest.raises(cl.InputError, match="nothing to factorize"):
        problem.eigenproblem(Toy([1.0, 2.0]), 1).factor(cl.Direct())


def test_the_plain_problem_forgets_what_is_known():
    A = Toy([4.0, 6.0, 10.0])
    operator = Toy([2.0, 3.0, 5.0], deficit=Deficit(A))
    given = problem.eigenproblem(operator, 1, np.array([1.0, 1.0, 4.0])).without(
        np.eye(3)[:, :1], 9
    )
    plain = given.plain
    assert (plain.operator, plain.norm, plain.seed, plain.known.shape) == (A, 6.0, 0, (3, 0))
    assert replace(given, largest=True).plain is None


def test_factors_and_counts_with_a_mass():
    """S u = lambda D u with S = diag(2, 8, 18, 0) and D = diag(1, 4, 3, 2): 2, 2, 6 and 0."""
    kernel = sparse.csr_array(np.eye(4)[:, 3:])
    L = SparseOperator(np.diag([2.0, 8.0, 18.0, 0.0]), range(4), kernel)
    mass = np.array([1.0, 4.0, 3.0, 2.0])
    given = problem.eigenproblem(L, 4, mass)
    shift, solve = given.factor(cl.Direct())
    assert -1e-4 < shift < 0
    for x in (np.ones(4), np.ones((4, 2))):
        image = solve(x)
        np.testing.assert_allclose((image.T * (np.array([2.0, 2.0, 6.0, 0.0]) - shift)).T, 1.0)
    assert [given.count_below(v) for v in (-1.0, 1.0, 3.0, 7.0)] == [0, 0, 2, 3]
    largest = problem.eigenproblem(L, 2, mass, largest=True)
    assert [largest.count_below(v) for v in (1.0, 5.0)] == [1, 3]  # norm - lambda: 0, 4, 4, 6


def test_a_sparse_operator_has_a_shift_next_to_zero():
    L = SparseOperator(np.array([[2.0, -1.0], [-1.0, 2.0]]), range(2))
    shift = L.safe_shift(np.array([1.0, 4.0]))
    assert shift == pytest.approx(-1e-6 * 3.0 / 4.0, abs=0)
    zero = SparseOperator(np.zeros((2, 2)), range(2))
    assert zero.safe_shift(np.ones(2)) == pytest.approx(-1e-6, abs=0)


def test_inertia_of_dense_matrices():
    assert shifts._dense_inertia(np.zeros((0, 0))) == 0
    assert shifts._dense_inertia(np.array([[-2.0]])) == 1
    assert shifts._dense_inertia(np.array([[0.0, 1.0], [1.0, 0.0]])) == 1
    assert shifts._dense_inertia(np.diag([1e-30, -1e30, 0.0, -1.0])) == 2
    rng = np.random.default_rng(0)
    for n in (3, 8, 20):
        M = rng.standard_normal((n, n))
        M = M + M.T
        assert shifts._dense_inertia(M) == (np.linalg.eigvalsh(M) < 0).sum()


def test_counting_asks_a_little_below_and_further_off_where_that_fails(monkeypatch):
    asked = []

    def shifted(shift, mass):
        asked.append(shift)
        return sparse.eye_array(3), 1

    operator = Toy([1.0, 2.0, 4.0], shifted_system=shifted, rounding=0.0)
    growths = []
    margin = 4e-11
    # Not known; fewer than the others have; more than there are.
    for wrong in (None, 0, 9):
        asked.clear()
        growths.clear()
        counts = iter([wrong, 3])
        monkeypatch.setattr(
            shifts, "_inertia", lambda M, most, c=counts: growths.append(most) or next(c)
        )
        assert shifts.count_below(operator, 1.0, np.ones(3)) == 2
        np.testing.assert_allclose(1.0 - np.array(asked), [margin, 500 * margin], rtol=1e-4)
    np.testing.assert_allclose(growths, 0.5 * (1.0 - np.array(asked)) / (2 * UNIT * 4.0), rtol=1e-4)
    monkeypatch.setattr(shifts, "_inertia", lambda M, most: None)
    assert shifts.count_below(operator, 1.0, np.ones(3)) is None
    rounded = Toy(
        [1.0, 2.0, 4.0], shifted_system=shifted, rounding=2.1e-9
    )  # over 5e-10 of the norm
    monkeypatch.setattr(shifts, "_inertia", lambda M, most: 1)
    assert shifts.count_below(rounded, 1.0, np.ones(3)) is None
    asked.clear()
    rounded = Toy([1.0, 2.0, 4.0], shifted_system=shifted, rounding=1.9e-9)
    assert shifts.count_below(rounded, 1.0, np.ones(3)) == 0
    np.testing.assert_allclose(1.0 - asked[0], margin + 1.9e-8, rtol=1e-4)
    assert shifts.count_below(rounded, 1.0, np.full(3, 0.9)) == 0
    assert shifts.count_below(Toy([1.0, 2.0, 4.0]), 1.0, np.ones(3)) is None
    none = Toy([1.0, 2.0, 4.0], shifted_system=lambda shift, mass: None)
    assert shifts.count_below(none, 1.0, np.ones(3)) is None


def test_large_matrices_are_counted_by_factors_that_have_not_grown():
    d = np.where(np.arange(301) % 3, 1.0, -1.0)
    matrix = sparse.diags_array(d, format="csc")
    assert shifts._inertia(matrix, 1.0) == 101
    assert shifts._inertia(matrix, 0.99) is None
    assert shifts._inertia(matrix[:300, :300], 0.0) == 100  # few rows are pivoted: nothing grows


def what_a_tells(values, found, drop, *, scale=1.0, definite=True, certain=True, moved=0.0):
    """Of S = diag(values) - moved below A = scale * diag(1..9), with some of the vectors."""
    numbers = np.arange(1.0, 10.0)
    plain = SparseOperator(np.diag(numbers), range(9))
    plain.found["pairs"] = Lowest(numbers, np.eye(9), certain, np.empty((9, 0)))
    S = Toy(values, deficit=Deficit(plain, scale, drop))
    S.definite, S.A = definite, sparse.csr_array(S.A - moved)
    given = problem.eigenproblem(S, len(found))
    below = max(values[i] for i in found) - 1e-6
    return evidence._follows_from_plain(given, np.eye(9)[:, found], below)


def test_what_a_keeps_tells_that_nothing_is_missed():
    """S is at least A - drop off six eigenvectors of A, and known in their space."""
    values = np.arange(1.0, 10.0) - 0.5
    assert what_a_tells(values, [0, 1], 0.5) is True
    assert what_a_tells(values, [0, 1], 0.5, certain=False) is False
    assert what_a_tells(values, [0, 2], 0.5) is None  # the second is missed, and in their space
    # The next of A is 7, two below it are found: 7 - drop must be above the value, and by more
    # than what S may couple to.
    assert what_a_tells(values, [0, 1], 5.4) is True
    assert what_a_tells(values, [0, 1], 5.6) is None
    hidden = np.array([*values[:8], 0.9])  # the last of S is low, as a drop of 8.1 allows
    assert what_a_tells(hidden, [0, 1], 8.1) is None
    assert what_a_tells(values / 10, [0, 1], 0.56, scale=0.1) is None
    assert what_a_tells(values / 10, [0, 1], 0.54, scale=0.1) is True
    assert what_a_tells(values, [0, 1], 0.5, definite=False) is None
    assert what_a_tells(values, [0, 1, 2, 3], 0.5) is True  # all but the last
    # S is 1.07 at the second place, but coupled to the sixth: one eigenvalue is below zero.
    u = np.zeros(9)
    u[[1, 5]] = 0.19**0.5, 0.81**0.5
    assert what_a_tells(np.arange(1.0, 10.0), [0], 4.9, moved=4.9 * np.outer(u, u)) is None
    assert what_a_tells(np.arange(1.0, 10.0), [0], 0.9, moved=0.9 * np.outer(u, u)) is True
    assert what_a_tells(values, list(range(8)), 0.5) is True
    assert what_a_tells(values, list(range(9)), 0.5) is None  # nothing is left to tell by


@pytest.mark.parametrize("realization", ["unfolded", "mixed", "boundary", "incidence"])
def test_what_a_keeps_never_tells_too_much(realization):
    """On random complexes: right for the first eigenpairs, and None when one of them is missing."""
    told = 0
    for seed in range(12):
        G = nx.random_geometric_graph(40 + seed, 0.25, seed=seed)
        S = cl.collapse(cl.clique_complex(G, max_rank=2), realization=realization)
        k = 6 + S.kernel.shape[1]
        given = problem.eigenproblem(S, k)
        values, vectors = cl.Dense().find(replace(given, k=given.k + 6))
        right = vectors[:, : given.k]
        told += evidence._follows_from_plain(given, right, values[given.k - 1] - 1e-8) is True
        for missed in range(given.k):
            kept = [i for i in range(given.k + 1) if i != missed]
            below = values[given.k] - 1e-8 * given.norm
            if values[missed] < below - 1e-6 * given.norm:
                assert evidence._follows_from_plain(given, vectors[:, kept], below) is None
    assert told >= (0 if realization == "incidence" else 8), told


def test_vectors_found_twice_are_refused():
    given = problem.eigenproblem(Toy([1.0, 2.0, 4.0]), 2)
    V = np.array([[1.0, 1.0], [0.0, 1e-3], [0.0, 0.0]])
    np.testing.assert_allclose(np.abs(evidence.orthonormal(given, V)), np.eye(3)[:, :2], atol=1e-12)
    with pytest.raises(cl.ConvergenceError, match="twice"):
        evidence.orthonormal(given, np.array([[1.0, 1.0], [0.0, 1e-5], [0.0, 0.0]]))


def test_pairs_and_residuals_by_hand():
    kernel = sparse.csr_array(np.eye(3)[:, :1])
    operator = Toy([1e-20, -1e-16, 4.0], kernel)
    given = problem.eigenproblem(operator, 3, np.array([4.0, 1.0, 1.0]), tol=1e-8)
    V = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.6], [0.0, 0.0, 0.8]])
    values, u, residuals, reached = evidence.pairs_and_residuals(given, V, True)
    np.testing.assert_allclose(operator.errors, [0.02 * 1e-8 * 4.0])
    assert u[0, 0] == 0.5  # over the root of its mass
    assert values[:2].tolist() == [0.0, 0.0]  # the kernel, and what rounding made negative
    # S v = (0, 0, 3.2), v^T S v = 2.56: left are -1.536 and 3.2 - 2.048
    assert values[2] == pytest.approx(2.56)
    assert residuals[2] == pytest.approx(np.hypot(1.536, 1.152))
    assert reached == pytest.approx(residuals[2] / 4.0)
    for definite, found in ((True, 0.0), (False, -1e-12)):  # within tol of zero, which is known
        toy = Toy([-1e-12, 1.0])
        toy.definite = definite
        negative = problem.eigenproblem(toy, 1)
        assert evidence.pairs_and_residuals(negative, np.eye(2)[:, :1], True)[0][0] == found
    far = problem.eigenproblem(Toy([-1e-8, 1.0]), 1, tol=1e-9)  # a wrong claim stays visible
    assert evidence.pairs_and_residuals(far, np.eye(2)[:, :1], True)[0][0] == -1e-8
    turned = np.array([[1.0, 0.0, 0.0], [0.0, 0.6, -0.8], [0.0, 0.8, 0.6]])
    values, u, residuals, reached = evidence.pairs_and_residuals(given, turned, False)
    np.testing.assert_allclose(values, [0.0, 0.0, 4.0], atol=1e-14)
    np.testing.assert_allclose(np.abs(u), np.diag([0.5, 1.0, 1.0]), atol=1e-14)
    assert reached < 1e-14


def test_a_residual_above_three_quarters_of_its_promise_is_not_given_out():
    """diag(0, 1) and a vector that is turned by t: sin t cos t is left, of a norm of 1."""

    class Turned(EigenSolver):
        complete = True
        angle = 0.0

        def find(self, given):
            return np.zeros(1), np.array([[np.cos(self.angle)], [np.sin(self.angle)]])

        def search(self, given, below, block):
            raise AssertionError("nothing is searched")

    operator = Toy([0.0, 1.0])
    given, solver = problem.eigenproblem(operator, 1, tol=1e-3), Turned()
    Turned.angle = 0.74e-3
    spectrum = solver.run(given)
    assert spectrum.residuals[0] == pytest.approx(0.74e-3, rel=1e-5)
    assert spectrum.certified is True
    Turned.angle = 0.76e-3
    with pytest.raises(cl.ConvergenceError, match="reached a residual of"):
        solver.run(given)


def choice(n, k=10, definite=True, slow=False, **attributes):
    operator = Toy(np.ones(n), definite=definite, slow=slow, **attributes)
    return auto.Auto().select(operator, k).solver


def test_auto_by_the_book(monkeypatch):
    """Every line of the choice, at both sides of its thresholds."""
    monkeypatch.setattr(auto, "expands", lambda A: False)
    near = Deficit(Toy(np.ones(2)))
    iterates = Deficit(Toy(np.ones(2)), iterative=True)
    assert choice(4000, 1000, deficit=near) == cl.Davidson()
    assert choice(4000, 1001, deficit=near) == cl.Dense()
    assert choice(4000, None, deficit=near) == cl.Dense()
    assert choice(500, deficit=near) == cl.Dense()
    assert choice(501, deficit=near) == cl.Davidson()
    assert choice(99, deficit=near, slow=True) == cl.Dense()
    assert choice(100, deficit=near, slow=True) == cl.Davidson()
    assert choice(500, definite=False) == cl.Dense()
    assert choice(501, definite=False) == cl.Lanczos()
    assert choice(501) == cl.Lanczos()
    assert choice(501, shifted_system=lambda shift, mass: (None, 0)) == cl.ShiftInvert()
    monkeypatch.setattr(auto, "expands", lambda A: True)
    assert choice(500, deficit=near) == cl.Dense()
    assert choice(501, deficit=iterates) == cl.Davidson(None)
    assert choice(501, deficit=near) == cl.Davidson()
    assert not auto.Auto().select(Toy(np.ones(501), deficit=near)).counts
    assert choice(501) == cl.Lanczos()
    for hubs, solver in ((True, cl.Davidson(None)), (False, cl.Lanczos())):
        monkeypatch.setattr(auto, "has_hubs", lambda matrix, hubs=hubs: hubs)
        assert choice(501, matrix=sparse.eye_array(501, format="csr")) == solver
    assert "10 of 39" in str(auto.Auto().select(Toy(np.ones(39))))  # ten, if nothing is said
    assert choice(600, 1, deficit=near) == cl.Davidson()
    with pytest.raises(cl.InputError, match="k=0"):
        choice(600, 0)


def test_auto_has_something_to_go_on_with(monkeypatch):
    monkeypatch.setattr(auto, "expands", lambda A: False)

    def candidates(n, k, **options):
        operator = Toy(np.ones(n), deficit=Deficit(Toy(np.ones(2))))
        given = problem.eigenproblem(operator, k, **options)
        return auto._one_after_the_other(auto.Auto()._choice(given).solver, given)

    assert candidates(4000, 5) == [cl.Davidson(), cl.Lanczos(), cl.Dense()]
    assert candidates(4001, 5) == [cl.Davidson(), cl.Lanczos()]
    assert candidates(4001, 5, largest=True) == [cl.Lanczos()]
    assert candidates(30, 30) == [cl.Dense()]
    assert candidates(30, 29) == [cl.Dense(), cl.Lanczos()]


def test_the_pairs_to_start_from_do_not_hold_the_kernel():
    L = cl.graph_laplacian(cl.clique_complex(nx.disjoint_union(nx.path_graph(3), nx.path_graph(2))))
    values, vectors, certain, _ = auto.lowest_pairs(L, 2)
    assert certain
    np.testing.assert_allclose(values, [1.0, 2.0], atol=1e-12)
    np.testing.assert_allclose(L.A @ vectors, vectors * values, atol=1e-12)


def test_an_iteration_needs_room():
    given = problem.eigenproblem(Toy(np.arange(1.0, 7.0)), 5)
    descending = lanczos.largest_pairs(given, given.apply, 6, 1e-12)[0]
    np.testing.assert_allclose(descending, [6.0, 5.0, 4.0, 3.0, 2.0])
    for k, known in [(6, 0), (4, 3)]:
        crowded = replace(given, k=k, known=np.eye(6)[:, :known])
        with pytest.raises(cl.InputError, match=rf"an iteration for {k} of 6"):
            lanczos.largest_pairs(crowded, given.apply, 6, 1e-12)
    exact = replace(given, k=3, known=np.eye(6)[:, :3])
    np.testing.assert_allclose(lanczos.largest_pairs(exact, given.apply, 6, 1e-12)[0], [6, 5, 4])


def test_lanczos_on_what_is_zero_gives_what_there_is():
    operator = Toy(np.full(5, 2.0))
    given = problem.eigenproblem(operator, 5)
    values, vectors = cl.Lanczos().find(given)
    np.testing.assert_allclose(values, 2.0)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-12)


def test_what_solvers_say_of_themselves():
    facts = {s: (s.complete, s.finds_largest, s.factorizes) for s in (
        cl.Dense(), cl.Lanczos(), cl.ShiftInvert(), cl.Davidson(), cl.Davidson(None)
    )}  # fmt: skip
    assert list(facts.values()) == [
        (True, True, False),
        (False, True, False),
        (False, True, True),
        (False, False, True),
        (False, False, False),
    ]
    values, vectors = cl.Dense().search(problem.eigenproblem(Toy([1.0, 2.0]), 1), 9.0, 1)
    assert (values.shape, vectors.shape) == ((0,), (2, 0))  # a dense solver misses nothing


def test_a_look_by_shift_invert_is_rough_and_finds_what_is_there():
    values = np.arange(1.0, 400.0) ** 1.5
    L = SparseOperator(np.diag(values), range(399))
    given = problem.eigenproblem(L, 4)
    rest = given.without(np.eye(399)[:, [0, 2, 3, 4]], 1)
    below = values[4] - 1e-6
    found = cl.ShiftInvert().search(rest, below, 1)
    np.testing.assert_allclose(found[0], values[1:2], rtol=1e-9)
    rest = given.without(np.eye(399)[:, :4], 1)
    assert len(cl.ShiftInvert().search(rest, values[3] - 1e-6, 1)[0]) == 0
    # Next to the value a rough look cannot tell: the exact one does.
    assert len(cl.ShiftInvert().search(rest, values[4] * (1 + 1e-6), 1)[0]) == 1
    assert len(cl.ShiftInvert().search(rest, values[4] * (1 - 1e-6), 1)[0]) == 0
    assert given.factors is rest.factors
    assert len(given.factors) == 1


def test_corrections_see_the_operator_that_is_a_matrix_not_its_a():
    """The screened operator of a graph with hubs: with A instead, steps lead nowhere."""
    G = nx.powerlaw_cluster_graph(1200, 4, 0.3, seed=1)
    S = cl.collapse(cl.clique_complex(G), realization="renormalized")
    given = problem.eigenproblem(S, 12)
    assert abs(given.matrix - S.matrix).max() == 0.0
    assert abs(given.matrix - S.A).max() > 1.0
    found = S.spectrum(12, solver=cl.Davidson(None, max_steps=40))
    np.testing.assert_allclose(found.values, S.spectrum(12, solver=cl.Dense()).values, atol=1e-8)


def test_where_the_mass_takes_the_hubs_away_lanczos_is_used():
    S = cl.collapse(
        cl.clique_complex(nx.barabasi_albert_graph(1500, 4, seed=0)), realization="screened"
    )
    assert cl.Auto().select(S, 5).solver == cl.Davidson(None)
    assert S.spectrum(5).solver == cl.Davidson(None)
    assert S.spectrum(5, "diagonal").solver == cl.Lanczos()


def test_numbers_of_solvers_are_checked():
    for make in (
        lambda: cl.Lanczos(n_basis="many"),
        lambda: cl.Lanczos(n_basis=1),
        lambda: cl.Davidson(max_steps=0),
    ):
        with pytest.raises(cl.InputError, match=r"n_basis|max_steps"):
            make()


def test_a_sparse_matrix_may_take_more_products_than_a_collapse():
    S = cl.collapse(cl.clique_complex(nx.watts_strogatz_graph(300, 6, 0.1, seed=0)), "unfolded")
    given = problem.eigenproblem(S, 30)
    assert lanczos.most_products(given, 60) == 10_000
    sparse_one = problem.eigenproblem(cl.graph_laplacian(S.source), 30)
    assert lanczos.most_products(sparse_one, 60) > 500_000


def test_an_inverse_by_choleskys_factor():
    rng = np.random.default_rng(0)
    M = rng.standard_normal((7, 7))
    M = M @ M.T + np.eye(7)
    inverse = definite_inverse(M.copy())
    np.testing.assert_allclose(inverse @ M, np.eye(7), atol=1e-12)
    np.testing.assert_array_equal(inverse, inverse.T)
    assert definite_inverse(np.diag([1.0, -1.0])) is None
    assert definite_inverse(np.zeros((2, 2))) is None
