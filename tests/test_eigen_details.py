"""Eigensolvers where larger tests do not look: boundaries, refusals, rough looks, evidence."""

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
    evidence,
    lanczos,
    problem,
    shifts,
    spectrum,
)
from cellapse._linalg.eigen.corrections import Ritz
from cellapse._linalg.eigen.spectrum import EigenSolver, Spectrum, fix_signs, no_pairs
from cellapse._linalg.operators import SparseOperator
from cellapse._linalg.symmetric import Lowest


def eigenproblem(values, k, **options):
    return problem.eigenproblem(SparseOperator(np.diag(values), range(len(values))), k, **options)


def test_what_finds_the_largest_where_another_finds_the_smallest():
    quick, slow, without = (
        SimpleNamespace(
            factorizable=factorizable,
            operator=SimpleNamespace(shortcuts=SimpleNamespace(slow=slow)),
        )
        for factorizable, slow in ((True, False), (True, True), (False, False))
    )
    for solver, found in (
        (cl.Dense(), cl.Dense()),
        (cl.Lanczos(), cl.Lanczos()),
        (cl.LOBPCG(), cl.LOBPCG()),
        (cl.Davidson(None), cl.Lanczos()),
        (cl.Davidson(), cl.ShiftInvert()),
        (cl.ShiftInvert(), cl.ShiftInvert()),
    ):
        assert auto._of_the_other_end(solver, quick) == found
        for given in (slow, without):
            expected = found if not solver.factorizes else cl.Lanczos()
            assert auto._of_the_other_end(solver, given) == expected


def test_a_correction_solves_off_the_vectors_that_are_there():
    """(A - s) d = r with s = 2 - 1/2 at the third axis, and 0 where that would be below zero."""
    given = eigenproblem([0.0, 1.0, 2.0, 3.0, 4.0], 1)
    correct = corrections.off_ritz_vectors(given)
    axes = np.eye(5)
    step = correct(Ritz(axes[:, [2]], 0.5 * axes[:, [3]], np.array([True])))
    np.testing.assert_allclose(step, axes[:, [3]] / 3, atol=1e-12)
    step = correct(Ritz(axes[:, [0]], axes[:, [3]] + 5 * axes[:, [0]], np.array([True])))
    np.testing.assert_allclose(step, axes[:, [3]] / 3, atol=1e-12)  # nothing of the first
    both = Ritz(axes[:, [0, 2]], axes[:, [1, 4]], np.array([False, True]))
    np.testing.assert_allclose(correct(both), axes[:, [4]] / 3, atol=1e-12)  # only what is open
    known = corrections.off_known_vectors(given, axes[:, :3], 2.0)
    far = Ritz(axes[:, [3]], axes[:, [4]] + axes[:, [1]], np.array([True]))
    np.testing.assert_allclose(known(far), axes[:, [4]] / 2, atol=1e-12)  # at most the third value
    near = Ritz(axes[:, [1]], axes[:, [4]], np.array([True]))
    np.testing.assert_allclose(known(near), axes[:, [4]] / 3, atol=1e-12)


def test_hubs_are_ten_times_the_median():
    def hubs(diagonal):
        return corrections.has_hubs(sparse.csr_array(sparse.diags_array(diagonal)))

    assert not hubs([1.0, 1.0, 10.0])
    assert hubs([1.0, 1.0, 10.1])
    assert not hubs([0.0, 0.0, 0.0, 1.0, 5.0])  # what is zero is no median
    assert not hubs([0.0, 0.0])
    given = eigenproblem([1.0, 1.0, 0.0, 20.0], 1)
    assert corrections._diagonal(given)(np.full((4, 1), 2.0)).ravel().tolist() == [2, 2, 2, 0.1]


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
    steps = np.column_stack([V[:, 0] + 1e-9 * out[:, 0], out[:, 1], np.zeros(6), V[:, 1]])
    found = davidson._orthogonal_to(V, steps, given)
    assert found.shape[1] >= 2
    np.testing.assert_allclose(V.T @ found, 0.0, atol=1e-15)
    np.testing.assert_allclose(found.T @ found, np.eye(found.shape[1]), atol=1e-14)


@pytest.mark.parametrize("k", [2, 5])
def test_a_space_knows_its_image_and_its_matrix_whatever_is_done_to_it(k):
    """V^T V = I, W = S V and H = V^T S V, off the kernel, after every step."""
    L = cl.graph_laplacian(nx.random_regular_graph(4, 30, seed=0))
    given = problem.eigenproblem(L, k)
    S, rng = L.A.toarray(), np.random.default_rng(1)

    def check(space, columns):
        assert space.V.shape == (30, columns)
        np.testing.assert_allclose(space.V.T @ space.V, np.eye(columns), atol=1e-12)
        np.testing.assert_allclose(space.V.sum(axis=0), 0.0, atol=1e-12)
        np.testing.assert_allclose(space.W, S @ space.V, atol=1e-12)
        np.testing.assert_allclose(space.H, space.V.T @ S @ space.V, atol=1e-12)

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


@pytest.mark.parametrize("below", [0.5, 1.0 + 3e-4, 1.5])
def test_a_block_iteration_finds_what_is_just_below(below):
    """A rough look is good to 1e-5 of the norm, 60: next to the value it must not decide."""
    given = eigenproblem(np.arange(1.0, 61.0), 1)
    values, vectors = cl.LOBPCG().search(given, below, 1)
    assert vectors.shape == (60, len(values))
    np.testing.assert_allclose(values, [1.0][: int(below > 1)], rtol=1e-9)


@pytest.mark.parametrize(("below", "looks"), [(0.9990, 1), (1.0003, 2)])
def test_a_rough_value_of_a_block_iteration_is_known_to_1e_5_of_the_norm(monkeypatch, below, looks):
    seen = []

    def find(self, given):
        seen.append(given.tol)
        return np.array([1.0005 if given.tol > 1e-6 else 1.0]), np.ones((60, 1))

    monkeypatch.setattr(cl.LOBPCG, "find", find)
    values, _ = cl.LOBPCG().search(eigenproblem(np.arange(1.0, 61.0), 2), below, 1)
    assert seen[0] == 1e-5
    assert len(seen) == looks
    assert values.tolist() == [1.0][: looks - 1]


def test_what_is_near_the_inverse_of_a():
    """1 / (diagonal + 1e-6 of the norm), or multigrid, which is exact on a few vertices."""
    pytest.importorskip("pyamg")
    L = cl.graph_laplacian(nx.path_graph(5))
    given = problem.eigenproblem(SparseOperator(L.A, range(5)), 1)
    ridged = L.A.toarray() + 1e-6 * 4.0 * np.eye(5)
    jacobi = cl.LOBPCG()._prepared(given)
    np.testing.assert_allclose(jacobi.toarray(), np.diag(1.0 / ridged.diagonal()), rtol=1e-12)
    x = np.arange(5.0) ** 2
    amg = cl.LOBPCG("amg")._prepared(given)
    np.testing.assert_allclose(amg @ (ridged @ x), x, rtol=1e-6, atol=1e-6)
    assert cl.LOBPCG()._prepared(replace(given, largest=True)) is None


def test_a_factor_of_a_does_not_correct_a_itself():
    given = eigenproblem(np.arange(1.0, 31.0), 2)  # no plain A beside it
    for call in (cl.Davidson().find, lambda p: cl.Davidson().search(p, 2.0, 1)):
        with pytest.raises(cl.InputError, match=r"Davidson\(None\)"):
            call(given)


def test_lobpcg_needs_five_times_its_block():
    given = eigenproblem(np.arange(1.0, 61.0), 8)
    np.testing.assert_allclose(cl.LOBPCG().find(given)[0], np.arange(1.0, 9.0), rtol=1e-8)
    with pytest.raises(cl.InputError, match="9 of 60"):
        cl.LOBPCG().find(replace(given, k=9))
    crowded = eigenproblem(np.arange(1.0, 11.0), 1)
    found = cl.LOBPCG().search(crowded, 1.5, 1)[0]  # by Lanczos
    np.testing.assert_allclose(found, [1.0], rtol=1e-9)


@pytest.mark.parametrize(("below", "looks"), [(0.9, [1e-5]), (1.00001, [1e-5, 1e-12])])
def test_a_rough_look_decides_only_where_it_is_clear(monkeypatch, below, looks):
    """1 / (lambda - shift) to 2e-5: of 1.00002 the eigenvalue may be below 1.00001."""
    seen = []

    def nearest(self, given, tol):
        seen.append(tol)
        return np.array([1.00002 if tol > 1e-6 else 1.0]), np.zeros((6, 1))

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


def test_as_many_are_searched_as_the_count_says_are_missing():
    """1, 2, 3 and 6 were found; 4 and 5 are below 6."""
    numbers = np.arange(1.0, 61.0)
    given, blocks = eigenproblem(numbers, 4), []

    def search(rest, below, block):
        blocks.append(block)
        assert rest.room == 56
        return numbers[[3, 4]], np.eye(60)[:, [3, 4]]

    found = (numbers[[0, 1, 2, 5]], np.eye(60)[:, [0, 1, 2, 5]])
    vectors, certain = evidence.nothing_missed(
        given, found, search, lambda below: int((numbers < below).sum())
    )
    assert blocks == [2]
    assert certain is True
    assert vectors.tolist() == np.eye(60)[:, :4].tolist()


class Doubled(EigenSolver):
    """Right up to the length of its vectors."""

    def find(self, given):
        return np.array([1.0, 2.0]), np.eye(given.n)[:, :2] * [2.0, 3.0]

    def search(self, given, below, block):
        return no_pairs(given.n)


def test_vectors_of_any_length_come_out_with_length_one():
    found = Doubled().run(eigenproblem([1.0, 2.0, 3.0, 4.0], 2))
    np.testing.assert_allclose(found.vectors, np.eye(4)[:, :2], atol=1e-12)
    np.testing.assert_allclose(found.values, [1.0, 2.0])


@pytest.mark.parametrize("mass", [1.0, 4.0])
def test_what_s_is_at_least_off_the_first_eigenvectors_of_a(mass):
    """(7 less what kept pairs are known to) cos^2 - drop, both over the mass."""
    numbers = np.arange(1.0, 10.0)
    plain = SparseOperator(np.diag(numbers), range(9))
    S = Toy(numbers / 2, plain=plain, drop=0.5, scale=0.5)
    given = problem.eigenproblem(S, 2, np.full(9, mass))
    kept = Lowest(numbers / mass, np.eye(9), True)
    next_ = (7.0 - 2e-8 * 9.0) / mass
    found = evidence._gap(given, given.plain, kept, np.eye(9)[:, :6])
    assert found == pytest.approx(0.5 * next_ - 0.5 / mass, rel=1e-13)
    turned = np.eye(9)[:, :6].copy()
    turned[[0, 8], 0] = 0.8, 0.6
    found = evidence._gap(given, given.plain, kept, turned)
    assert found == pytest.approx(0.5 * next_ * 0.64 - 0.5 / mass, rel=1e-13)
    rough = Lowest(numbers / mass, np.eye(9), True)
    rough.values[1] += 1e-3  # its residual is taken off
    found = evidence._gap(given, given.plain, rough, np.eye(9)[:, :6])
    assert found == pytest.approx(0.5 * (next_ - 1e-3) - 0.5 / mass, rel=1e-12)


def test_products_for_residuals_are_far_below_the_tolerance_in_the_unit_of_masses():
    S = Toy([1.0, 2.0, 4.0])
    given = problem.eigenproblem(S, 1, np.full(3, 4.0), tol=1e-6)  # a norm of 1
    evidence.pairs_and_residuals(given, np.eye(3)[:, :1], True)
    assert S.errors == pytest.approx([0.02 * 1e-6 * 1.0 * 2.0])


def test_a_shift_needs_a_system_and_a_safe_place():
    def shifted(shift, mass):
        return sparse.eye_array(3, format="csc"), 0

    for known in ({"shifted": shifted}, {"safe_shift": lambda mass: -1.0}, {}):
        assert shifts.shift_inverse(Toy(np.ones(3), **known), np.ones(3), cl.Direct()) is None
    both = Toy(np.ones(3), shifted=shifted, safe_shift=lambda mass: -1.0)
    shift, solve = shifts.shift_inverse(both, np.ones(3), cl.Direct())
    assert shift == -1.0
    assert solve(np.ones(3)).tolist() == [1.0, 1.0, 1.0]
    none = Toy(np.ones(3), shifted=lambda shift, mass: None, safe_shift=lambda mass: -1.0)
    assert shifts.shift_inverse(none, np.ones(3), cl.Direct()) is None


def test_a_count_is_not_taken_far_from_the_value(monkeypatch):
    """Further off than 5e-9 of the norm, 4, it is given up; the first place is always tried."""
    asked = []

    def shifted(shift, mass):
        asked.append(shift)
        return sparse.eye_array(3, format="csc"), 0

    monkeypatch.setattr(shifts, "_inertia", lambda matrix, most: None)
    for rounding, places in ((0.0, [1, 10, 100, 400]), (1e-10, [1, 10]), (1.9e-9, [1])):
        asked.clear()
        S = Toy([1.0, 2.0, 4.0], shifted=shifted, rounding=rounding)
        assert shifts.count_below(S, 0.0, np.ones(3)) is None
        margin = 4e-11 + 10 * rounding
        np.testing.assert_allclose(asked, -margin * np.array(places), rtol=1e-9)


@pytest.mark.parametrize(
    ("solver", "n", "counts"),
    [(cl.ShiftInvert(), 20_000, True), (cl.ShiftInvert(), 20_001, False), (cl.Lanczos(), 5, False)],
)
def test_what_is_counted_to_be_certain(monkeypatch, solver, n, counts):
    seen = []
    monkeypatch.setattr(type(solver), "find", lambda self, given: "pairs")
    monkeypatch.setattr(
        spectrum, "nothing_missed", lambda given, pairs, search, count: seen.append(count)
    )
    solver.all_vectors(SimpleNamespace(n=n, count_below="by inertia"))
    assert seen == ["by inertia" if counts else None]


def test_rounding_counts_for_more_where_a_mass_is_small():
    """Over 5e-10 of a norm of 4: 1.2e-9 at a mass of 1/2, 2.4e-9 there, is too much."""
    system = sparse.csc_array(np.diag([1.0, 2.0, 4.0]))
    for rounding, known in ((0.9e-9, True), (1.2e-9, False)):
        S = Toy([1.0, 2.0, 4.0], shifted=lambda shift, mass: (system, 0), rounding=rounding)
        count = shifts.count_below(S, 0.5, np.array([0.5, 1.0, 1.0]))
        assert count == (0 if known else None)


def test_what_is_kept_grows_with_what_is_asked_for():
    L = SparseOperator(np.diag(np.arange(1.0, 9.0)), range(8))
    assert L._lowest.vectors.shape == (8, 0)
    assert L._lowest.certain
    for k in (2, 1, 4):
        values, vectors, certain = L.lowest(k)
        np.testing.assert_allclose(values, np.arange(1.0, k + 1.0), rtol=1e-7)
        assert vectors.shape == (8, k)
        assert certain
    assert len(L._lowest.values) == 4
    assert len(auto.lowest_pairs(L, 3).values) == 3
    assert L.count_below(2.5) == 2
    assert L.count_below(2.5, np.full(8, 2.0)) == 4


# What a spectrum says


@pytest.mark.parametrize(
    ("certified", "words"), [(True, "certain that none"), (False, "not all"), (None, "not counted")]
)
def test_a_spectrum_says_what_is_certain(certified, words):
    def made(count, n_zeros=None):
        values = np.arange(float(count))
        return Spectrum(
            values, np.eye(9)[:, :count], values / 10, 2.0, n_zeros, certified, range(9), cl.Dense()
        )

    card = made(7, 1)._card()
    rows = dict(card.rows)
    assert rows["values"] == "0, 1, 2, 3, 4, 5, ..."
    assert rows["zeros"] == "1 exactly"
    assert rows["residuals"] == "at most 6.0e-01, next to a norm of 2"
    assert words in rows["evidence"]
    six = dict(made(6)._card().rows)
    assert six["values"] == "0, 1, 2, 3, 4, 5"
    assert "zeros" not in six
    text = repr(made(2))
    assert [word.split()[-1].rpartition("(")[2] for word in text.split("=")[:-1]] == [
        "values", "norm", "n_zeros", "certified", "solver",
    ]  # fmt: skip
    assert made(2).to_frame().index.tolist() == [1, 2]
    assert made(2).plot() is not None
    assert len(made(3).first(0)) == 0
    assert made(3).first(2).residuals.tolist() == [0.0, 0.1]


def test_signs_by_the_first_of_the_largest_entries():
    given = np.array([[0.5, -1.0, 0.0], [-1.0, 1.0 - 1e-8, 0.0], [0.2, 0.3, 0.0]])
    turned = np.array([[-0.5, 1.0, 0.0], [1.0, -1.0 + 1e-8, 0.0], [-0.2, -0.3, 0.0]])
    assert fix_signs(given).tolist() == turned.tolist()
    assert fix_signs(turned).tolist() == turned.tolist()
