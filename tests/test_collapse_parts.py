"""The parts of the collapse one by one, on cases small enough to work out by hand."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse._collapse import ladder as ladders
from cellapse._collapse import raised as systems
from cellapse._collapse import shifts
from cellapse._collapse.chain import Chain
from cellapse._collapse.completion import Masses, _shortest, blurred, completed
from cellapse._collapse.dense import row_sums, smallest_positive
from cellapse._collapse.edges import (
    Cofaces,
    carried,
    known_of,
    unfolded_masses,
    unfolded_sigmas,
)
from cellapse._collapse.elimination import BothSides, OneSide, _by_rank
from cellapse._collapse.ladder import Ladder
from cellapse._collapse.ladder_array import ladder_array
from cellapse._collapse.layout import Layout, Places
from cellapse._collapse.realizations import as_realization
from cellapse._collapse.relaxation import Relaxation
from cellapse._collapse.weights import (
    Unchecked,
    Weights,
    check_beta,
    check_gamma,
    regularized_bound,
)
from cellapse._linalg.factor import can_complement
from cellapse._linalg.symmetric import Lowest
from cellapse._matrices.homology import betti_numbers
from cellapse._matrices.incidence import are_matrices, looks_like_adjacency
from cellapse._shared.arrays import Entries

UNIT = 2.0**-53
B = sparse.csr_array([[1.0, 0.0, 0.0], [-1.0, 2.0, 1.0]])  # columns of squared length 2, 4 and 1
BETA = 3.0
FULL = sparse.csr_array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 4.0]])


def relaxation(M, eps, floor="tiny", beta=BETA, **options):
    M = sparse.csr_array(sparse.diags_array(M) if isinstance(M, list) else M)
    return Relaxation(B, beta, M, eps, floor, **options)


def energy_matrix(given):
    return given.M.toarray() + given.beta * (B.T @ B).toarray()


def in_one_system(monkeypatch):
    """As where M does not fall into small blocks."""
    monkeypatch.setattr(systems, "inverse_by_blocks", lambda M: None)


# The values of eliminated cells


def test_tiny_masses_are_raised_next_to_their_own_diagonal():
    some = relaxation([0.5, 1e-12, 1e-8], 1e-12)  # the diagonal of H: 6.5, 12 and 3
    assert some.largest == pytest.approx(12.0, rel=1e-9)
    np.testing.assert_allclose(some.floor, [0.0, 12e-9, 0.0], rtol=1e-9)
    np.testing.assert_allclose(some._low, [0.5, 1e-12, 1e-8])
    assert (some.exact, some.diagonal, some._null) == (False, True, 0.0)
    assert relaxation([0.5, 1e-12, 1e-8], 1e-12, "none").exact
    at_zero = relaxation([0.5, 0.0, 0.0], 0.0)  # 6.5, 12 and 3
    np.testing.assert_allclose(at_zero.floor, [0.0, 12e-7, 3e-7], rtol=1e-9)
    assert at_zero._null == pytest.approx(1e-3 / 16)
    np.testing.assert_allclose(at_zero._low, [0.5, 12e-7 * 1e-3 / 16, 3e-7 * 1e-3 / 16])
    light = relaxation([5e4, 0.0, 0.0], 0.0)
    assert light._null == 1e-9  # and no less than this
    even = relaxation([0.5, 0.5, 0.5], 0.0, np.full(3, 0.25))
    assert even.floor.tolist() == [0.25, 0.25, 0.25]
    assert even._null == 1e-3
    full = relaxation(FULL, 1e-12)
    assert not full.diagonal
    np.testing.assert_allclose(full.floor, 1e-9 * np.array([8.0, 13.0, 7.0]))  # only eps is sure
    lonely = Relaxation(sparse.csr_array((2, 1)), 1.0, sparse.csr_array((1, 1)), 0.0)
    assert (lonely.largest, lonely.floor.tolist()) == (1.0, [1e-7])


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("M", [[0.5, 1e-3, 2.0], FULL], ids=["diagonal", "blocks"])
def test_both_ways_invert_the_same_matrix(monkeypatch, M, together):
    if together:
        in_one_system(monkeypatch)
    given = relaxation(M, 1e-3, "none")
    H = energy_matrix(given)
    assert (given.raised.reduced is None) == together
    for r in (np.array([1.0, -2.0, 3.0]), np.arange(6.0).reshape(3, 2)):
        np.testing.assert_allclose(given.raised.near(r), np.linalg.solve(H, r), atol=1e-13)
    x = np.array([1.0, 3.0])
    truth = np.linalg.solve(H, B.T @ x)
    assert given.energy_of(B.T @ x) == pytest.approx([(x @ (B @ truth)) ** 0.5])
    w, bound = given.relax(x, 1e-14 * given.energy_of(B.T @ x))
    np.testing.assert_allclose(w.astype(float), truth, atol=1e-13)
    assert 0.0 < bound[0] <= 1e-12
    w, change = given.refine(x)
    np.testing.assert_allclose(w.astype(float), truth, atol=1e-13)
    assert change[0] < 1e-13
    assert given._inaccuracy < 1e-11  # of condition 1e3; other kernels round otherwise
    assert given._lower == pytest.approx(0.5)
    assert given.tells is not together
    w = np.array([1.0, 2.0, -1.0])
    np.testing.assert_allclose(given.residual(x, w), B.T @ x - H @ w, rtol=1e-14)
    assert given.residual(x, w.astype(np.longdouble)).dtype == np.longdouble
    if not together:
        K = BETA * (B @ np.linalg.inv(given.M.toarray()) @ B.T)
        np.testing.assert_allclose(given.raised.reduced[0].toarray(), K, rtol=1e-12)
        np.testing.assert_allclose(given.moved(x), K @ x, rtol=1e-12)


def test_the_floor_is_part_of_what_is_factorized_and_taken_back():
    given = relaxation([0.5, 1e-14, 2.0], 1e-14)
    H = energy_matrix(given)
    raised = H + np.diag(given.floor)
    r = np.array([1.0, -2.0, 3.0])
    np.testing.assert_allclose(given.raised.near(r), np.linalg.solve(raised, r), rtol=1e-6)
    assert given._lower == pytest.approx(0.5e-14 / (1e-14 + 12e-9))
    assert not given.tells
    joint = given.raised.joint().toarray()
    np.testing.assert_allclose(joint[:2, :2], -np.eye(2) / BETA)
    np.testing.assert_allclose(joint[2:, :2], B.T.toarray())
    np.testing.assert_allclose(joint[2:, 2:].diagonal(), [0.5, 1e-14 + 12e-9, 2.0])
    at_zero = relaxation([0.5, 0.0, 2.0], 0.0)
    assert at_zero._lower == 0.5 * at_zero._null
    assert relaxation([0.5, 0.0, 2.0], 0.0, np.full(3, 0.25))._lower is None


def test_what_rounding_may_hide_from_a_residual():
    given = relaxation([0.5, 1.0, 2.0], 0.5, "none")
    x, w = np.array([1.0, 3.0]), np.array([1.0, -2.0, 0.5], np.longdouble)
    # x - 3 B w = (1 - 3, 3 + 13.5); |B|^T of its sizes and M |w|, each a unit of extended precision
    noise = np.array([2.0 + 16.5, 33.0, 16.5]) + np.array([0.5, 2.0, 1.0])
    noise *= float(np.finfo(np.longdouble).eps)
    worst = ((noise**2) / np.array([0.5, 1.0, 2.0])).sum() ** 0.5
    np.testing.assert_allclose(given._unseen(x, w, np.full(1, 1.0)), [worst], rtol=1e-12)
    # Where that is too much, with random signs: four times their energy.
    given = relaxation([1e-6, 1e-6, 1e-6], 1e-6, "none")
    noise = np.array([18.5, 33.0, 16.5]) + 1e-6 * np.array([1.0, 2.0, 0.5])
    noise *= float(np.finfo(np.longdouble).eps)
    noise *= np.random.default_rng(0).choice([-1.0, 1.0], size=3)
    less = 4.0 * (noise @ np.linalg.solve(energy_matrix(given), noise)) ** 0.5
    worst = 1e3 * np.linalg.norm(noise)
    np.testing.assert_allclose(given._unseen(x, w, np.full(1, 1.001 * worst)), [worst], rtol=1e-6)
    assert less < worst
    np.testing.assert_allclose(given._unseen(x, w, np.full(1, 1e-25)), [less], rtol=1e-3)


def test_a_factor_without_digits_is_noticed():
    class Wrong(cl.Direct):
        share = 1.0

        def prepare(self, matrix):
            solve = super().prepare(matrix)
            return lambda rhs: self.share * solve(rhs)

    given = relaxation([0.5, 1.0, 2.0], 0.5, solver=Wrong())
    Wrong.share = 0.98
    assert given._inaccuracy > 1e-3
    assert given._lower is None
    given = relaxation([0.5, 1.0, 2.0], 0.5, solver=Wrong())
    Wrong.share = -30.0
    with pytest.raises(cl.ConvergenceError, match="loses all digits"):
        _ = given._inaccuracy


# Ladders


def ladder(M=(0.5, 1.0, 2.0), gamma=2.0, eps=0.5, beta=BETA, **options):
    M = np.array(M, dtype=float) if isinstance(M, tuple) else M
    return Ladder(B, beta, gamma, M, eps, **options)


def dense_operator(given):
    """T and the completion, from their definitions."""
    H = given.M.toarray() + given.beta * (given.B.T @ given.B).toarray()
    inner = np.linalg.solve(H, given.B.T.toarray())
    A = given.beta * (given.B @ given.B.T).toarray()
    return A - given.gamma**2 * given.B @ inner, given.gamma * inner


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("eps", [0.5, 1e-12])
def test_a_ladder_is_the_formula(monkeypatch, together, eps):
    if together:
        in_one_system(monkeypatch)
    for M in ((eps, 1.0, 2.0), sparse.csr_array(FULL + (eps - 0.5) * sparse.eye_array(3))):
        given = ladder(M, eps=eps)
        T, complete = dense_operator(given)
        assert given.c == 4.0 / 3.0
        for x in (np.array([1.0, 3.0]), np.array([[1.0, 0.5], [3.0, -1.0]])):
            np.testing.assert_allclose(given.apply(x), T @ x, rtol=1e-9, atol=1e-10)
            np.testing.assert_allclose(completed(given, x), complete @ x, rtol=1e-6, atol=1e-6)
        made = ladder_array(given)
        told = not together or can_complement()  # by PARDISO
        assert (made is None) == (not told or eps == 1e-12)  # too small for dense algebra
        if made is not None:
            np.testing.assert_allclose(made, T, rtol=1e-10, atol=1e-11)


def test_a_ladder_without_coupling_is_a():
    for given in (ladder(gamma=0.0), ladder(beta=0.0, gamma=0.0)):
        assert given.c == 0.0
        x = np.ones((2, 2))
        np.testing.assert_allclose(given.apply(x), given.A @ x)
        assert completed(given, x).shape == (3, 2)
        assert not completed(given, x).any()
        assert ladder_array(given) is None
        assert not given.slow


def test_what_an_error_may_be():
    """1e-12 of ||A|| |x| in T x; c times the error of K^-1 x; half as much counts next to I."""
    given = ladder()
    x = np.array([3.0, 4.0])
    assert given.norm == pytest.approx(21.0)  # rows of 3 B B^T: 3 and 3, 3 and 18
    slack = 21.0 / (4.0 / 3.0) * 5.0
    np.testing.assert_allclose(given._slack(x), [slack])
    np.testing.assert_allclose(given._slack(0 * x), [21.0 / (4.0 / 3.0) * 1e-300])
    assert given._largest == pytest.approx(3 * (1 / 0.5 + 4 / 1.0 + 1 / 2.0))
    nothing = np.zeros(1)
    assert given._accepted(np.full(1, 0.99e-12 * slack), x, nothing)
    assert not given._accepted(np.full(1, 1.01e-12 * slack), x, nothing)
    assert given._accepted(np.full(1, 1.01e-12 * slack), x, np.full(1, 2e-12 * slack))
    near = ladder((1e3, 1e3, 1e3), eps=1e3)  # K - I has 0.018 at most
    assert near._largest == pytest.approx(0.018)
    slack = float(near._slack(x)[0])
    assert near._accepted(np.full(1, 0.99e-12 * slack / 0.036), x, nothing)
    assert not near._accepted(np.full(1, 1.01e-12 * slack / 0.036), x, nothing)


def test_one_solve_is_enough_at_a_digit_less_than_iterations_aim_at(monkeypatch):
    """Unless an error was asked for: then that is what counts."""
    given, x, goals = ladder(), np.array([3.0, 4.0]), []
    slack = given._slack(x)
    monkeypatch.setattr(
        given.relaxation, "relax", lambda x, *goal: goals.append(goal) or (np.ones(3), np.zeros(1))
    )
    given._relaxed(x, 1e-14 * slack, 0.0)
    given._relaxed(x, 1e-11 * slack, 0.0)
    given._relaxed(x, 1e-13 * slack, float(1e-13 * slack[0]))
    over = np.array(goals)[..., 0] * 3.0**0.5 / slack
    np.testing.assert_allclose(over, [[1e-14, 1e-12], [1e-11, 1e-11], [1e-13, 1e-13]])


def test_what_is_lost_is_not_given_out(monkeypatch):
    given = ladder()
    x = np.array([3.0, 4.0])
    slack = float(given._slack(x)[0])
    w = np.ones(3)
    for error, allowed, asked, fine in [
        (0.99e-9 * slack, 0.0, 0.0, True),
        (1.01e-9 * slack, 0.0, 0.0, False),
        (9.9, 1.0, 1.0, True),
        (10.1, 1.0, 1.0, False),
    ]:
        energy = np.full(1, error / 3.0**0.5)
        monkeypatch.setattr(given.relaxation, "relax", lambda *_, e=energy: (w, e))
        if fine:
            assert given._relaxed(x, np.full(1, allowed), asked) is w
        else:
            with pytest.raises(cl.ConvergenceError, match=r"of \|\|A\|\|"):
                given._relaxed(x, np.full(1, allowed), asked)
    for energy, fine in [(0.9e-6, True), (1.1e-6, False)]:
        size = 0.5**-0.5 / 3.0**0.5  # over the root of eps, next to |w|
        found = np.full(1, energy / size)
        monkeypatch.setattr(given.relaxation, "relax", lambda x, goal, e=found: (w, e))
        if fine:
            np.testing.assert_allclose(completed(given, x), 2.0)
        else:
            with pytest.raises(cl.ConvergenceError, match=r"of \|z\|"):
                completed(given, x)


def test_the_shortest_minimizer_is_found_by_a_small_floor():
    given = Ladder(sparse.csr_array([[1.0, 0.0], [-1.0, 2.0]]), 1.0, 1.0, np.array([0.0, 0.0]), 0.0)
    relaxing, least, rounding = _shortest(given, None)
    assert least == pytest.approx(3.0 - 5.0**0.5)  # of B^T B = [2, -2; -2, 4]
    assert rounding == pytest.approx(4 * UNIT * 4.0 / least, abs=0)
    np.testing.assert_allclose(relaxing.floor, 4e-5)
    masses = Masses(np.array([1.0, 2.0]), np.zeros(2))
    np.testing.assert_allclose(_shortest(given, masses)[0].floor, [2e-5, 4e-5])
    small = Ladder(sparse.csr_array(np.diag([1.0, 1e-4])), 1.0, 1.0, np.zeros(2), 0.0)
    np.testing.assert_allclose(_shortest(small, None)[0].floor, 100 * 1e-8)  # 100 times the least
    light = Ladder(sparse.csr_array(np.diag([1.0, 1e-5])), 1.0, 1.0, np.zeros(2), 0.0)
    with pytest.raises(cl.ConvergenceError, match=r"of \|z\|"):
        _shortest(light, None)


def test_how_far_rounding_of_the_data_moves_values():
    """The masses in their last digits, over eps; the entries of B only if they are not whole."""
    x, w = np.array([1.0, 3.0]), np.array([1.0, -2.0, 0.5])
    given = relaxation([0.5, 1.0, 2.0], 0.5, "none")
    worst = 2 * UNIT * np.linalg.norm([0.5, 2.0, 1.0]) / 0.5
    np.testing.assert_allclose(blurred(given, x, w, None), [worst], rtol=1e-12)
    blur = np.array([1e-16, 2e-16, 3e-16])
    worst = 2 * np.linalg.norm(blur * np.abs(w)) / 0.5
    np.testing.assert_allclose(blurred(given, x, w, blur), [worst], rtol=1e-12)
    halves = Relaxation(0.5 * B, BETA, given.M, 0.5, "none")
    # x - 1.5 B w = (-0.5, 9.75); 3 |B|^T |B| |w| with |B| |w| = (0.5, 2.75)
    moved = np.array([0.5, 2.0, 1.0]) + 0.5 * np.array([10.25, 19.5, 9.75])
    moved = moved + 1.5 * np.array([3.25, 5.5, 2.75])
    expected = 2 * UNIT * np.linalg.norm(moved) / 0.5
    np.testing.assert_allclose(blurred(halves, x, w, None), [expected], rtol=1e-12)


def test_when_products_are_slow(monkeypatch):
    wide = sparse.csr_array(np.ones((1, 11)))
    many = Ladder(wide, 1.0, 1.0, np.ones(11), 1.0)
    assert not many.slow  # M is diagonal
    in_one_system(monkeypatch)
    assert Ladder(wide, 1.0, 1.0, np.ones(11), 1.0).slow
    assert not Ladder(wide[:, :10], 1.0, 1.0, np.ones(10), 1.0).slow
    assert not Ladder(wide, 1.0, 0.0, np.ones(11), 1.0).slow


def test_when_a_ladder_iterates(monkeypatch):
    monkeypatch.setattr(ladders, "expands", lambda A: True)
    eye = sparse.csr_array(sparse.eye_array(300))
    assert Ladder(eye, 1.0, 1.0, np.ones(300), 1.0).iterative
    assert not Ladder(eye[:299], 1.0, 1.0, np.ones(300), 1.0).iterative
    assert not Ladder(eye, 1.0, 0.0, np.ones(300), 1.0).iterative
    assert not Ladder(eye, 1.0, 1.0, np.ones(300), 1.0, cl.Direct()).iterative
    assert not Ladder(eye, 1.0, 1.0, np.ones(300), 1.0, definite=False).iterative
    assert not Ladder(eye, 1.0, 1.0, np.full(300, 1e-12), 1e-12).iterative  # masses were raised
    monkeypatch.setattr(ladders, "expands", lambda A: False)
    assert not Ladder(eye, 1.0, 1.0, np.ones(300), 1.0).iterative


def test_a_residual_is_extended_only_where_rounding_would_hide_in_it(monkeypatch):
    monkeypatch.setattr(ladders, "expands", lambda A: True)
    B = cl.boundary_matrices(cl.clique_complex(nx.random_regular_graph(4, 300, seed=0)))[0]
    at_first = np.asarray(abs(B[[0]]).sum(axis=0)).ravel() > 0
    masses = np.where(at_first, 1.0, 1e-4)  # K is small at one vertex, and large at the others
    given = Ladder(B, 1.0, 1.0, masses, 1e-4)
    x = np.random.default_rng(0).standard_normal((300, 2))
    T, seen = dense_operator(given)[0], []
    moved = given.relaxation.moved
    monkeypatch.setattr(given.relaxation, "moved", lambda v: seen.append(v.dtype) or moved(v))
    for error, extended in ((0.0, True), (1e-6, False)):
        seen.clear()
        np.testing.assert_allclose(given.apply(x, error), T @ x, atol=error or 1e-12)
        assert (np.longdouble in seen) is extended


def test_conjugate_gradients_take_no_steps_for_the_kernel(monkeypatch):
    """On a hypercube with masses of several sizes: 37, or 51 where they are not kept off it."""
    monkeypatch.setattr(ladders, "expands", lambda A: True)
    B = cl.boundary_matrices(cl.clique_complex(nx.hypercube_graph(9)))[0]
    given = Ladder(B, 1.0, 1.0, 1e-4 * (1 + np.arange(B.shape[1]) % 7), 1e-4)
    given.apply(np.random.default_rng(0).standard_normal(512), 1e-9)
    assert given._work <= 44 * given.near.K.nnz


def test_by_iteration_as_by_a_factor(monkeypatch):
    """300 edges in pairs; what takes longer than a factor would is left to that."""
    monkeypatch.setattr(ladders, "expands", lambda A: True)
    ends = np.repeat(np.arange(150), 2)
    near = sparse.csr_array((np.tile([1.0, -1.0], 150), (np.arange(300), ends)), shape=(300, 150))
    for mass in (1.0, 100.0):  # K - I of size one, and next to nothing
        given = Ladder(near, 1.0, 1.0, np.full(150, mass), mass)
        x = np.random.default_rng(0).standard_normal((300, 2))
        T, complete = dense_operator(given)
        with monkeypatch.context() as without:
            without.setattr(given, "_by_factor", None)
            np.testing.assert_allclose(given.apply(x), T @ x, atol=1e-12)
            np.testing.assert_allclose(completed(given, x), complete @ x, atol=1e-9)
        assert given.iterative
        assert 0 < given._work < 1e7
    given._work = 1e7
    given.apply(x)
    assert not given.iterative
    np.testing.assert_allclose(given.apply(x), T @ x, atol=1e-12)


# Shifted systems


@pytest.mark.parametrize("together", [False, True])
def test_a_shifted_system_holds_the_inverse_and_the_count(monkeypatch, together):
    if together:
        in_one_system(monkeypatch)
    mass = np.array([1.0, 2.0])
    for gamma, definite in ((2.0, True), (2.0, False), (0.0, True)):
        given = ladder(gamma=gamma, definite=definite)
        T = dense_operator(given)[0]
        for shift in (-1.0, 0.3, 5.0, 40.0):
            matrix, others = shifts.shifted(given, shift, mass)
            dense = matrix.toarray()
            np.testing.assert_allclose(
                np.linalg.inv(dense)[:2, :2], np.linalg.inv(T - shift * np.diag(mass)), rtol=1e-9
            )
            below = (np.linalg.eigvals(T / mass[:, None]) < shift).sum()
            assert (np.linalg.eigvalsh(dense) < 0).sum() - others == below


def test_no_shifted_system_where_masses_were_raised():
    given = ladder((0.5, 1e-14, 2.0), eps=1e-14)
    assert shifts.shifted(given, 0.0, np.ones(2)) is None


def test_safe_shifts_and_rounding_by_hand():
    given = (
        ladder()
    )  # B has two rows and full rank: its kernel is known only without column 2 and 3
    mass = np.array([2.0, 0.5])
    for kernel, share in (
        (sparse.csr_array((2, 0)), 0.05),
        (sparse.csr_array(np.ones((2, 1))), 1.05),
        (None, 1.05),
    ):
        given.kernel = kernel
        assert shifts.safe_shift(given, mass) == pytest.approx(-share * 4 / 3 / 0.5)
    given.c = 0.0
    assert shifts.safe_shift(given, mass) == pytest.approx(-21e-6 / 0.5)
    given.norm = 0.0
    assert shifts.safe_shift(given, mass) == pytest.approx(-2e-6)
    given = ladder()
    assert shifts.rounding(given) == pytest.approx(2 * UNIT * 28.0 / 0.5, abs=0)
    assert shifts.rounding(ladder(FULL, eps=0.25)) == pytest.approx(2 * UNIT * 28.0 / 0.25, abs=0)
    assert shifts.rounding(ladder((0.0, 1.0, 2.0), eps=0.0)) == np.inf


# Weights, chains, ranks, stacks


def test_bounds_of_gamma_by_hand():
    beta, sigma = np.array([2.0, 3.0, 1.0]), np.array([1.5, 2.0, np.inf])
    weights = Weights.choose(beta, "regularized", 0.5, sigma)
    np.testing.assert_allclose(weights.bound, [3.0, 6.0, np.inf])
    # gamma^2 = beta (beta sigma^2 + eps)
    np.testing.assert_allclose(weights.gamma, [10.0**0.5, 37.5**0.5, 0.0])
    assert weights.definite
    np.testing.assert_allclose(regularized_bound(beta, sigma, 0.5)[:2] ** 2, [10.0, 37.5])
    limit = np.array([1.0, 2.0])
    np.testing.assert_allclose(check_gamma([1.0 + 0.9e-9, 2.0], limit, limit), limit)
    with pytest.raises(cl.InputError, match="exceeds"):
        check_gamma([1.0 + 1.1e-9, 2.0], limit, limit)
    with pytest.warns(cl.CellapseWarning, match="exceeds"):
        check_gamma(Unchecked([1.0, 2.1]), limit, limit)
    for gamma, definite in (([3.0, 6.0, 0.0], True), (Unchecked([3.2, 6.0, 0.0]), False)):
        assert Weights.choose(beta, gamma, 0.5, sigma).definite is definite
    assert not weights.with_eps(0.4).definite
    for shape in ([[1.0]], [1.0, 2.0], [[[1.0]]]):
        with pytest.raises(
            cl.InputError, match=r"beta has shape .*; give one number, or 1 of them"
        ):
            check_beta(shape, 1)
    assert check_beta(2, 3).tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(cl.InputError, match="nothing balances"):
        Weights.choose(np.zeros(1), Unchecked(1.0), 1.0, np.ones(1))


@pytest.mark.parametrize("n", [500, 501])
def test_sigma_of_the_edges_comes_from_the_eigenpairs_of_a(n):
    """A cycle, at both sides of the size from which they are used."""
    K = cl.clique_complex(nx.cycle_graph(n), 1)
    chain = as_realization("unfolded").chain(K)
    assert chain._first_sigma() == pytest.approx(2.0 * np.sin(np.pi / n), rel=1e-9)
    assert ("pairs" in chain.plain.found) is (n > 500)


def test_small_eigenvalues_are_not_trusted_for_sigma(monkeypatch):
    monkeypatch.setattr("cellapse._collapse.chain._START", 1)
    chain = as_realization("unfolded").chain(cl.clique_complex(nx.path_graph(510), 1))
    v = np.cos(np.pi * (np.arange(510) + 0.5) / 510)
    v /= np.linalg.norm(v)
    first = 2.0 - 2.0 * np.cos(np.pi / 510)
    # A vector with too large a residual, or a value that is not its own: by other means.
    noise = np.random.default_rng(0).standard_normal(510) / 510**0.5
    for value, u in ((first, v + 1e-3 * noise), (4.0 * first, v)):
        pair = Lowest(np.array([value]), u[:, None], True, np.empty((510, 0)))
        chain.plain.found["pairs"] = pair
        assert chain._first_sigma() == pytest.approx(first**0.5, rel=1e-6)
    pair = Lowest(np.array([first]), v[:, None], True, np.empty((510, 0)))
    chain.plain.found["pairs"] = pair
    monkeypatch.setattr("cellapse._collapse.chain.sigma_min", lambda B: -1.0)
    assert chain._first_sigma() == pytest.approx(first**0.5)


def test_a_complex_without_edges_has_an_empty_chain():
    chain = as_realization("boundary").chain(cl.Complex.from_arrays(3, {}))
    assert (chain.nearest.shape, chain.n_cells, chain.upper) == ((3, 0), (3, 0), [])
    assert isinstance(chain, Chain)
    assert list(chain.labels(0)) == [0, 1, 2]


def test_matrices_have_one_rank_more_than_there_are():
    path = [[1.0, 0.0], [-1.0, 1.0], [0.0, -1.0]]
    assert cl.collapse([path], onto=1).shape == (2, 2)
    for onto in (2, -1):
        with pytest.raises(cl.InputError, match=r"in 0\.\.1"):
            cl.collapse([path], onto=onto)


def test_values_by_rank_are_cut_at_the_ends_of_the_ranks():
    values = _by_rank(np.arange(5.0), (1, 0), (2, 3, 9))
    assert {k: v.tolist() for k, v in values.items()} == {0: [3.0, 4.0], 1: [0.0, 1.0, 2.0]}
    assert list(values) == [0, 1]
    short = _by_rank(np.ones((3, 2)), (1, 2), (2, 3, 4))
    assert short[1].all()
    assert short[2].shape == (4, 2)
    assert not short[2].any()


def test_how_far_s_may_be_below_a():
    weights = SimpleNamespace(beta=np.array([2.0, 0.0, 4.0]), gamma=np.array([3.0, 1.0, 2.0]))
    unfolded = as_realization("unfolded")
    assert [unfolded.ceiling(weights, onto, 7.0) for onto in range(4)] == [4.5, 4.5, 1.0, 1.0]
    screened = SimpleNamespace(gamma=np.array([0.5]), eps=0.25)
    assert as_realization("screened").ceiling(screened, 0, 7.0) == pytest.approx(0.2 * 7.0)


def test_elements_are_numbered_in_every_complex():
    places = Places.of(np.array([0, 2, 0, 2, 2]), 4)
    assert places.local.tolist() == [0, 0, 1, 1, 2]
    assert places.count.tolist() == [2, 0, 3, 0]


def test_complexes_of_one_shape_are_cut_into_one_stack():
    path, edge = cl.clique_complex(nx.path_graph(3), 1), cl.clique_complex(nx.path_graph(2), 1)
    complexes = [edge, path, edge]
    blocks = [[[-1.0], [1.0]], [[-1.0, 0.0], [1.0, -1.0], [0.0, 1.0]], [[-2.0], [2.0]]]
    matrix = Entries.of(sparse.csr_array(sparse.block_diag([np.array(b) for b in blocks])))
    layout = Layout(complexes, [matrix])
    assert [group.tolist() for group in layout.groups] == [[0, 2], [1]]
    twice, once = layout.stacks(matrix, *layout.places)
    assert twice.tolist() == [blocks[0], blocks[2]]
    assert once.tolist() == [blocks[1]]
    rows = layout.rows(np.arange(7.0), layout.places[0])
    assert [r.tolist() for r in rows] == [[[0.0, 1.0], [5.0, 6.0]], [[2.0, 3.0, 4.0]]]


def test_the_largest_row_of_each_matrix():
    stack = np.array([[[0.1, -0.2], [0.0, 0.1]], [[0.0, 3.0], [-1.0, -5.0]]])
    np.testing.assert_allclose(row_sums(stack), [0.3, 6.0])
    assert row_sums(np.empty((2, 0, 0))).tolist() == [0.0, 0.0]


def test_the_smallest_positive_number_of_each_row():
    rows = np.array([[0.0, 4.0, 9.0], [0.9e-10, 1.0, 1.0], [1.1e-10, 1.0, 1.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(smallest_positive(rows), [2.0, 1.0, 1.1e-10**0.5, np.inf])
    assert smallest_positive(np.empty((2, 0))).tolist() == [np.inf, np.inf]


def test_nothing_is_lost_where_no_error_is_allowed():
    asked = []
    side = SimpleNamespace(A=sparse.eye_array(2), kernel=None)
    side.apply = lambda x, error: asked.append(error) or x
    side.relaxation = SimpleNamespace(raised=SimpleNamespace(method="Direct()"))
    side.iterative = False
    one = OneSide(side, (1,), (2, 3))
    assert one.method == "Direct()"
    both = BothSides([one, one], None)
    np.testing.assert_allclose(both.apply(np.ones(2)), 2.0)
    one.apply(np.ones(2))
    assert asked == [0.0, 0.0, 0.0]
    both.apply(np.ones(2), 0.5)
    assert asked[3:] == [0.5, 0.5]


@pytest.mark.parametrize("solver", [None, cl.CG(rtol=1e-13)], ids=str)
@pytest.mark.parametrize("onto", [0, 1, 2, 3])
def test_values_of_all_other_ranks_by_the_formula(onto, solver):
    """z = -(C + eps I)^-1 X^T u, rank by rank, from every rank of a filled tetrahedron."""
    K = cl.clique_complex(nx.complete_graph(4), 3)
    S = cl.collapse(
        K, realization="incidence", eps=0.5, onto=onto, solver=solver, beta=[1.0, 2.0, 3.0]
    )
    A, X, C = (M.toarray() for M in S.split())
    u = np.arange(1.0, 1.0 + S.shape[0])
    z = -np.linalg.solve(C + 0.5 * np.eye(len(C)), X.T @ u)
    values = S.complete(u)
    others = [k for k in range(4) if k != onto]
    assert list(values) == others
    np.testing.assert_allclose(np.concatenate([values[k] for k in others]), z, atol=1e-9)
    np.testing.assert_allclose(S @ u, A @ u + X @ z, atol=1e-9)


def test_one_gamma_for_all_is_within_the_narrowest_bound():
    """A path of three has sigma 1, an edge sqrt 2: the first decides."""
    complexes = [cl.clique_complex(nx.path_graph(n), 1) for n in (3, 2)]
    stacks = as_realization("unfolded").stacks(complexes, 1.0, 0.9)
    gamma, definite = stacks._couplings(0.0)
    assert gamma.tolist() == [[0.9], [0.9]]
    assert definite.all()
    for given in (complexes, complexes[::-1]):
        with pytest.raises(cl.InputError, match=r"exceeds the PSD bound \(1,\)"):
            as_realization("unfolded").stacks(given, 1.0, 1.2)._couplings(0.0)
    bound, _ = as_realization("unfolded").stacks(complexes, 2.0, None)._couplings(0.0)
    np.testing.assert_allclose(bound, [[2.0], [8.0**0.5]])


@pytest.mark.parametrize("realization", ["unfolded", "boundary", "incidence", "mixed", "screened"])
def test_stacks_are_the_operators(realization):
    complexes = [
        cl.clique_complex(g) for g in (nx.complete_graph(4), nx.cycle_graph(3), nx.path_graph(4))
    ]
    stacks = as_realization(realization).stacks(complexes, None, None)
    for eps in (0.5, 1e-4):
        blocks, definite = stacks.collapsed(eps)
        norms = stacks.norms()
        assert definite.all()
        for g, group in enumerate(stacks.layout.groups):
            for i, number in enumerate(group):
                S = cl.collapse(complexes[number], realization=realization, eps=eps)
                np.testing.assert_allclose(blocks[g][i], S.toarray(), atol=1e-9)
                assert norms[g][i] >= np.linalg.norm(S.toarray(), 2) - 1e-9


# Realizations


def test_what_realizations_say_of_themselves():
    filled, flat = cl.clique_complex(nx.complete_graph(3)), cl.clique_complex(nx.path_graph(3), 1)
    for name in ("unfolded", "boundary", "incidence", "mixed", "screened", "renormalized"):
        realization = as_realization(name)
        assert str(realization) == realization.name == name
        cautious = realization.caution(realization.chain(filled))
        assert (cautious is not None) == (name in ("boundary", "mixed"))
        assert realization.caution(realization.chain(flat)) is None
        assert realization.takes_matrices == (name not in ("boundary", "incidence", "mixed"))
        assert realization.edgewise == (name in ("screened", "renormalized"))
        assert realization.exact == (name == "boundary")
        assert realization.hodge == (name in ("boundary", "incidence", "mixed"))
        if not realization.takes_matrices:
            with pytest.raises(cl.InputError, match="already are a realization"):
                cl.collapse([[[-1.0], [1.0]]], realization=name)
    assert cl.collapse([[[-1.0], [1.0]]]).realization.name == "given"
    assert [as_realization(n).usual_beta for n in ("unfolded", "screened", "renormalized")] == [
        1,
        1,
        5,
    ]
    shares = [as_realization(n).usual_share ** 2 for n in ("unfolded", "screened", "renormalized")]
    np.testing.assert_allclose(shares, [1.0, 0.9, 0.95])
    assert cl.Screened(theta=0.3, rounds=2).usual_share == 0.3
    assert cl.Screened(rounds=2).name == "screened, 2 rounds"


def test_theta_and_rounds_have_ranges():
    for theta in (0.0, 1.0, 0.5):
        assert cl.Screened(theta).theta == theta
    for theta in (-0.1, 1.1, 1.9):
        with pytest.raises(cl.InputError, match="from 0 to 1"):
            cl.Screened(theta)
    assert cl.Screened(rounds=1000).rounds == 1000
    for rounds in (-1, 1001):
        with pytest.raises(cl.InputError, match=r"in 0\.\.1000"):
            cl.Screened(rounds=rounds)


def test_unfolded_chains_count_their_flags():
    K = cl.clique_complex(nx.complete_graph(4), 3)
    for source in (K, cl.unfolded_matrices(K)):
        chain = as_realization("unfolded").chain(source)
        B = chain.incidence
        assert (B.kind, B.n_cells) == ("unfolded", (4, 6, 12, 12))
        assert B.n_formal == (0, 0, 12, 12)
        assert chain.n_cells == (4, 6, 4, 1)
        np.testing.assert_allclose(chain.sigma, [2.0, 2.0**0.5, 1.0])
    assert chain.of_edges().n_cells == (4, 6)


def test_masses_of_flags_by_hand():
    """Two triangles on an edge, one of weight 3; the squares of their entries are the weights."""
    B = sparse.csr_array(np.sqrt([[1.0, 3.0], [0.0, 3.0], [0.0, 0.0]]))
    beta, gamma, eps = 2.0, 1.5, 0.5
    B = Entries.of(B)
    cells = [Cofaces.of(B.squared)]
    mass, top = unfolded_masses(cells, 3, np.array([beta]), np.array([gamma]), eps)
    d = np.array([4.0, 3.0, 0.0])
    g = d / eps
    np.testing.assert_allclose(mass, eps + beta * d - gamma**2 * g / (1.0 + beta * g))
    assert top.tolist() == [0.5, 0.5]
    np.testing.assert_allclose(unfolded_sigmas([B]), [[3.0**0.5]])
    owners = [np.array([0, 1, 1])]
    np.testing.assert_allclose(unfolded_sigmas([B], owners, 2), [[2.0], [3.0**0.5]])
    limit = unfolded_masses(cells, 3, np.array([beta]), np.array([gamma]), 0.0)[0]
    np.testing.assert_allclose(limit, beta * d - gamma**2 / beta * (d > 0))
    assert unfolded_masses(cells, 3, np.zeros(1), np.zeros(1), 0.25)[0].tolist() == [0.25] * 3


def test_how_masses_grow_with_eps():
    """Against differences: three edges, two triangles, one cell above them."""
    upper = [
        sparse.csr_array([[1.0, 2.0], [0.0, 1.0], [0.0, 0.0]]),
        sparse.csr_array([[1.0], [3.0]]),
    ]
    upper = [Cofaces.of(Entries.of(B).squared) for B in upper]
    beta, gamma = np.array([1.0, 2.0, 0.5]), np.array([1.0, 1.2, 0.4])

    def masses(eps):
        return unfolded_masses(upper, 3, beta[1:], gamma[1:], eps)

    weights = SimpleNamespace(beta=beta, gamma=gamma)
    growth = carried(upper, masses(0.5), weights, [np.ones(3), np.ones(2), np.ones(1)])
    for grown, more, less in zip(growth, masses(0.5 + 1e-6), masses(0.5 - 1e-6), strict=True):
        np.testing.assert_allclose(grown, (more - less) / 2e-6, rtol=1e-8)
    weights.gamma = np.array([1.0, 0.0, 0.4])
    still = carried(upper, masses(0.5), weights, [np.full(3, 7.0), np.ones(2), np.ones(1)])
    assert still[0].tolist() == [7.0, 7.0, 7.0]  # nothing above is coupled
    known = known_of(upper, masses(0.5), SimpleNamespace(beta=beta, gamma=gamma))
    np.testing.assert_allclose(known.growth, growth[0])
    d = np.array([5.0, 1.0, 0.0])
    blurs = [4 * UNIT * 2.0 * d, 4 * UNIT * 0.5 * np.array([1.0, 9.0]), np.zeros(1)]
    expected = carried(upper, masses(0.5), SimpleNamespace(beta=beta, gamma=gamma), blurs)[0]
    np.testing.assert_allclose(known.blur, expected, rtol=1e-12)
    at_bound = SimpleNamespace(beta=beta, gamma=np.array([1.0, 2.0 * 5.0**0.5, 0.0]))
    blurs[0][0] = 0.0  # nothing cancels at the bound but what is taken out
    expected = carried(upper, masses(0.5), at_bound, blurs)[0]
    np.testing.assert_allclose(known_of(upper, masses(0.5), at_bound).blur, expected, rtol=1e-12)


# Matrices


def test_which_lists_are_matrices():
    edges = sparse.csr_array([[1.0], [-1.0]])
    for matrices in ([], [edges], (edges, np.ones((1, 1))), [[[-1.0], [1.0]]], iter([edges])):
        assert are_matrices(matrices) is True
    for other in ([(0, 1)], [[0, 1]], [edges, (0, 1)], [[]], edges, {1: [(0, 1)]}, "ab"):
        assert are_matrices(other) is False


def test_which_matrix_looks_like_an_adjacency():
    def looks(M):
        return looks_like_adjacency(sparse.csr_array(np.array(M, dtype=float)))

    assert looks([[0, 1], [1, 0]])
    assert looks([[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]])
    assert looks([[0, 1, 1], [1, 0, 1], [1, 1, 0]])  # pairs, but no column holds its own row
    assert not looks([[1, 0, 1], [0, 1, 1], [1, 1, 0]])  # edges around a triangle
    assert looks([[1, 1, 1], [1, 1, 1], [1, 1, 1]])
    assert not looks([[0, 1], [0.5, 0]])
    assert not looks([[0, -1], [-1, 0]])
    assert not looks([[0, 1, 1], [1, 0, 1]])
    assert not looks([[0, 0], [0, 0]])


def test_polygons_need_their_edges():
    square = {1: [(0, 1), (1, 2), (2, 3), (0, 3)], 2: [(0, 1, 2, 3)]}
    signs = cl.boundary_matrices(cl.Complex.from_cells(square))[1].toarray().ravel()
    assert signs.tolist() == [1.0, 1.0, 1.0, -1.0]
    for edges, cell in (
        (square[1][:3], (0, 1, 2, 3)),
        (square[1], (0, 2, 1, 3)),
        ([(0, 1), (1, 2)], (0, 2)),
    ):
        with pytest.raises(cl.InputError, match="is not bounded by cells of rank 1"):
            cl.boundary_matrices(cl.Complex.from_cells({0: range(4), 1: edges, 2: [cell]}))


def test_betti_numbers_by_hand():
    def betti(graph, max_rank=2):
        return betti_numbers(cl.clique_complex(graph, max_rank))

    assert betti(nx.cycle_graph(5), 1) == (1, 1)
    assert betti(nx.complete_graph(4)) == (1, 0, 1)  # the surface of a tetrahedron
    assert betti(nx.complete_graph(4), 3) == (1, 0, 0, 0)
    assert betti(nx.octahedral_graph()) == (1, 0, 1)
    two = nx.disjoint_union(nx.cycle_graph(4), nx.cycle_graph(6))
    assert betti(two) == (2, 2, 0)


def test_one_solve_tells_its_error_with_what_rounding_may_hide(monkeypatch):
    given = relaxation([0.5, 1.0, 2.0], 0.5, "none")
    x = np.array([1.0, 3.0])
    w, bound = given.relax(x, np.full(1, 1.0))  # anything is good enough: no iteration
    assert w.dtype == np.float64
    hidden = abs(B).T @ np.abs(x - BETA * (B @ w)) + np.array([0.5, 1.0, 2.0]) * np.abs(w)
    hidden *= np.finfo(np.float64).eps
    least = ((hidden**2) / np.array([0.5, 1.0, 2.0])).sum() ** 0.5
    assert bound[0] <= 100 * least
    monkeypatch.setattr(given, "residual", lambda x, w: np.zeros(3, w.dtype))
    by_norms = given.relax(x, np.full(1, 1.0))[1]  # which is quick
    assert by_norms == pytest.approx(given._most_noise(x, w), rel=1e-9, abs=0)
    assert by_norms > 2.0 * least
    by_entries = given.relax(x, np.full(1, 1.5 * least))[1]
    assert by_entries == pytest.approx([least], rel=1e-9, abs=0)
    monkeypatch.undo()
    w, _ = given.relax(x, np.full(1, 1e-18))  # no solve is: conjugate gradients in more digits
    assert w.dtype == np.longdouble


def test_noise_by_norms_is_at_least_that_of_the_entries():
    for M in ([0.5, 1.0, 2.0], FULL):
        given = relaxation(M, 0.5)
        for x in (np.array([1.0, 3.0]), np.array([[1.0, 0.5, 0.0], [3.0, -1.0, 0.0]])):
            w = given.raised.near(given.B.T @ x)
            entries = given._most(given._noise(x, w))
            norms = given._most_noise(x, w)
            assert norms.shape == entries.shape
            assert (norms >= entries).all()
            assert (norms <= 20.0 * entries).all()
