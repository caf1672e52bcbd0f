"""Eigensolvers where larger tests do not look: boundaries, refusals, rough looks."""

from dataclasses import replace
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from toys import Toy

import cellapse as cl
from cellapse._linalg.eigen import (
    auto,
    corrections,
    davidson,
    lanczos,
    problem,
    rough,
)
from cellapse._linalg.eigen.corrections import Ritz
from cellapse._linalg.operators import SparseOperator
from cellapse._linalg.symmetric import Deficit


def eigenproblem(values, k, **options):
    return problem.eigenproblem(SparseOperator(np.diag(values), range(len(values))), k, **options)


def test_what_finds_the_largest_where_another_finds_the_smallest():
    quick, slow, without = (
        SimpleNamespace(
            factorizable=factorizable,
            operator=SimpleNamespace(slow=slow),
        )
        for factorizable, slow in ((True, False), (True, True), (False, False))
    )
    for solver, found in (
        (cl.Dense(), cl.Dense()),
        (cl.Lanczos(), cl.Lanczos()),
        (cl.Davidson(None), cl.Lanczos()),
        (cl.Davidson(), cl.ShiftInvert()),
        (cl.ShiftInvert(), cl.ShiftInvert()),
    ):
        assert auto._of_the_other_end(solver, quick) == found
        for given in (slow, without):
            expected = found if not solver.factorizes else cl.Lanczos()
            assert auto._of_the_other_end(solver, given) == expected


def test_a_correction_solves_off_the_vectors_that_are_there():
    """(A - s) d = r, s = 2 - .3 / 2 at the third axis, and 0 where that would be below zero.

    In single precision.
    """
    given = eigenproblem([0.0, 1.0, 2.0, 3.0, 4.0], 1)
    correct = corrections.off_ritz_vectors(given)
    axes = np.eye(5)
    step = correct(Ritz(axes[:, [2]], 0.5 * axes[:, [3]], np.array([True])))
    np.testing.assert_allclose(step, axes[:, [3]] * 0.5 / 1.15, atol=1e-6)
    step = correct(Ritz(axes[:, [0]], axes[:, [3]] + 5 * axes[:, [0]], np.array([True])))
    np.testing.assert_allclose(step, axes[:, [3]] / 3, atol=1e-6)  # nothing of the first
    both = Ritz(axes[:, [0, 2]], axes[:, [1, 4]], np.array([False, True]))
    np.testing.assert_allclose(correct(both), axes[:, [4]] / 2.3, atol=1e-6)  # only what is open
    known = corrections.off_known_vectors(given, axes[:, :3], 2.0)
    far = Ritz(axes[:, [3]], axes[:, [4]] + axes[:, [1]], np.array([True]))
    np.testing.assert_allclose(known(far), axes[:, [4]] / 2, atol=1e-6)  # at most the third value
    near = Ritz(axes[:, [1]], axes[:, [4]], np.array([True]))
    np.testing.assert_allclose(known(near), axes[:, [4]] / 3, atol=1e-6)


def test_hubs_are_ten_times_the_median():
    def hubs(diagonal):
        return problem.has_hubs(sparse.csr_array(sparse.diags_array(diagonal)))

    assert not hubs([1.0, 1.0, 10.0])
    assert hubs([1.0, 1.0, 10.1])
    assert not hubs([0.0, 0.0, 0.0, 1.0, 5.0])  # what is zero is no median
    assert not hubs([0.0, 0.0])
    given = eigenproblem([1.0, 1.0, 0.0, 20.0], 1)
    precondition = rough._one_over_diagonal(given.matrix, 1.0)
    np.testing.assert_allclose(precondition(np.full((4, 1), 2.0)).ravel(), [2, 2, 2, 0.1])


def test_davidson_leaves_room_for_two():
    values = np.arange(1.0, 9.0)
    given = eigenproblem(values, 6)
    found, _ = cl.Davidson(None).find(given)
    np.testing.assert_allclose(found, values[:6], rtol=1e-6)
    with pytest.raises(cl.InputError, match="7 of 8"):
        cl.Davidson(None).find(replace(given, k=7))


def test_steps_that_are_nearly_inside_a_space_are_made_orthogonal_to_it():
    given = eigenproblem(np.arange(1.0, 7.0), 1)
    V = np.linalg.qr(np.random.default_rng(0).standard_normal((6, 3)))[0]
    out = np.linalg.svd(V.T)[2][3:].T  # what is left
    steps = np.column_stack([V[:, 0] + 1e-12 * out[:, 0], out[:, 1], np.zeros(6), V[:, 1]])
    found = davidson._orthogonal_to((V[:, :1], V[:, 1:]), steps, given)
    np.testing.assert_allclose(np.linalg.norm(found.T @ out[:, :2], axis=0), 1.0, rtol=1e-3)
    np.testing.assert_allclose(V.T @ found, 0.0, atol=1e-13)
    np.testing.assert_allclose(found.T @ found, np.eye(found.shape[1]), atol=1e-13)


@pytest.mark.parametrize("k", [2, 5])
def test_a_space_knows_its_image_and_its_matrix_whatever_is_done_to_it(k):
    """V^T V = I, W = S V and H = V^T S V, off the kernel, after every step."""
    L = cl.graph_laplacian(nx.random_regular_graph(4, 30, seed=0))
    given = problem.eigenproblem(L, k)
    S, rng = L.A.toarray(), np.random.default_rng(1)

    def check(space, columns):
        V, W = np.hstack(space.V), np.hstack(space.W)
        assert V.shape == (30, columns)
        np.testing.assert_allclose(V.T @ V, np.eye(columns), atol=1e-12)
        np.testing.assert_allclose(V.sum(axis=0), 0.0, atol=1e-12)
        np.testing.assert_allclose(W, S @ V, atol=1e-12)
        np.testing.assert_allclose(space.H, V.T @ S @ V, atol=1e-12)
        turn = rng.standard_normal((columns, 2))
        np.testing.assert_allclose(davidson._combined(space.V, turn), V @ turn, atol=1e-12)

    space = davidson._spanned(given, rng.standard_normal((30, k)))
    check(space, k)
    larger = davidson._extended(given, space, rng.standard_normal((30, 3)))
    check(larger, k + 3)
    assert davidson._extended(given, larger, np.zeros((30, 2))) is None
    values, rotation = np.linalg.eigh(larger.H)
    check(davidson._best(larger, values, rotation, 4), 4)


@pytest.mark.parametrize(("below", "looks"), [(0.9, [1e-3]), (1.0001, None), (0.0, [])])
def test_lanczos_looks_closer_until_it_is_clear(monkeypatch, below, looks):
    """A value known to 2 tol of the norm, 6, may still be below until tol is that asked for."""
    seen = []

    def smallest(self, given, tol, start):
        seen.append(tol)
        return np.array([1.0 + 1.9 * tol * given.norm]), np.ones((6, 1))

    monkeypatch.setattr(cl.Lanczos, "_smallest", smallest)
    monkeypatch.setattr(lanczos, "nothing_below", lambda given, value: value == 0.0)
    values, vectors = cl.Lanczos().search(eigenproblem(np.arange(1.0, 7.0), 2), below, 1)
    if looks is None:
        assert seen[-1] <= 1e-10 < seen[-2]
        assert values == pytest.approx([1.0])
    else:
        assert seen == looks
        assert (values.shape, vectors.shape) == ((0,), (6, 0))


@pytest.mark.parametrize(("n", "basis"), [(10, 5), (30, 40)])
def test_so_many_products_take_a_minute(n, basis):
    """4e10 multiplications: n entries of a diagonal matrix and twice n times the basis."""
    given = eigenproblem(np.arange(1.0, n + 1.0), 1)
    assert lanczos.most_products(given, basis) == int(4e10 / (n + 2 * n * basis + 1))
    collapsed = problem.eigenproblem(Toy(np.ones(n), deficit=Deficit(Toy(np.ones(n)))), 1)
    assert lanczos.most_products(collapsed, basis) == 10_000


def test_a_factor_of_a_does_not_correct_a_itself():
    given = eigenproblem(np.arange(1.0, 31.0), 2)  # no plain A beside it
    for call in (cl.Davidson().find, lambda p: cl.Davidson().search(p, 2.0, 1)):
        with pytest.raises(cl.InputError, match=r"Davidson\(None\)"):
            call(given)


@pytest.mark.parametrize(("below", "looks"), [(0.9, [1e-5]), (1.00001, [1e-5, 1e-12])])
def test_a_rough_look_decides_only_where_it_is_clear(monkeypatch, below, looks):
    """1 / (lambda - shift) to 2e-5: of 1.00002 the eigenvalue may be below 1.00001."""
    seen = []

    def nearest(self, given, tol):
        seen.append(tol)
        return np.array([1.00002]), np.eye(6)[:, :1]  # whose quotient is 1

    monkeypatch.setattr(cl.ShiftInvert, "_nearest", nearest)
    given = eigenproblem(np.arange(1.0, 7.0), 2)
    monkeypatch.setattr(type(given), "factor", lambda self, direct: (-0.5, None))
    values, vectors = cl.ShiftInvert().search(given, below, 1)
    assert seen == looks
    assert values.tolist() == [1.0][: len(looks) - 1]
    assert vectors.shape == (6, len(looks) - 1)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_a_look_leaves_open_what_it_has_not_seen(unit):
    given = eigenproblem(unit * np.linspace(1.0, 2.0, 200), 1)
    assert lanczos.nothing_below(given, unit * 0.5) is True
    assert lanczos.nothing_below(given, unit * 1.5) is False
    few = eigenproblem(unit * np.array([1.0, 2.0, 3.0]), 1)
    assert lanczos.nothing_below(few, unit * 0.5) is False  # no room to look
    alike = eigenproblem(unit * np.ones(50), 1)
    assert lanczos.nothing_below(alike, unit * 0.5) is False  # one step is all


def test_a_look_that_is_too_short_leaves_it_open(monkeypatch):
    monkeypatch.setattr(lanczos, "_LOOK", 15)  # it looks first after twenty steps
    assert lanczos.nothing_below(eigenproblem(np.linspace(1.0, 2.0, 200), 1), 0.5) is False


def test_of_copies_that_have_not_converged_the_best_is_taken():
    """With residuals of 0, 0.4 and 0.6 of the tolerance, times the norm."""
    given = eigenproblem(np.arange(1.0, 9.0), 3, tol=1e-2)
    turned = np.eye(8)[:, :3]
    for column, share in ((1, 0.4), (2, 0.6)):
        angle = share * 1e-2 * given.norm / (8.0 - (column + 1.0))
        turned[[column, 7], column] = np.cos(angle), np.sin(angle)
    values = np.array([1.0, 2.0, 3.0])
    assert lanczos._accurate(given, (values, turned))[0].tolist() == [1.0, 2.0]
    assert lanczos._accurate(given, (values[2:], turned[:, 2:]))[0].tolist() == [3.0]
    worse = turned[:, [2, 2]]
    assert len(lanczos._accurate(given, (values[[2, 2]], worse))[0]) == 2  # none is better
