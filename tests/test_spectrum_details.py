"""What is certain of a spectrum: counts, bounds by A, residuals, and what it says of itself."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from toys import Toy

import cellapse as cl
from cellapse._linalg.eigen import (
    auto,
    evidence,
    problem,
    shifts,
    spectrum,
)
from cellapse._linalg.eigen.spectrum import EigenSolver, Spectrum, fix_signs, no_pairs
from cellapse._linalg.operators import SparseOperator
from cellapse._linalg.symmetric import Deficit, Lowest


def eigenproblem(values, k, **options):
    return problem.eigenproblem(SparseOperator(np.diag(values), range(len(values))), k, **options)


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
    assert vectors.tolist() == np.eye(60)[:, :6].tolist()  # in order, and none is thrown away


def test_what_is_known_beyond_is_not_searched_again():
    """3 is missing among 1, 2, 4; 5 and 6 are known, and no room for it."""
    numbers, seen = np.arange(1.0, 61.0), []
    given, known = eigenproblem(numbers, 3), [0, 1, 3, 4, 5]

    def search(rest, below, block):
        seen.append((rest.room, round(below, 3)))
        left = [2] if len(seen) == 1 else []
        return numbers[left], np.eye(60)[:, left]

    found = evidence.nothing_missed(given, (numbers[known], np.eye(60)[:, known]), search, None)
    assert found[0].tolist() == np.eye(60)[:, :6].tolist()
    assert seen == [(55, 4.0), (54, 3.0)]


def test_pairs_that_are_kept_are_searched_but_not_found_again(monkeypatch):
    """A ring of 600: of k + 4 pairs that were found k are sure, the others when asked for."""
    L = cl.graph_laplacian(cl.clique_complex(nx.circulant_graph(600, [1, 2])))
    true = np.sort(
        [4 - 2 * np.cos(t) - 2 * np.cos(2 * t) for t in 2 * np.pi * np.arange(600) / 600]
    )
    first = auto.kept_pairs(L, 5)
    np.testing.assert_allclose(first.values, true[1:6], atol=1e-7)
    assert first.beyond.shape == (600, 4)
    both = np.hstack([first.vectors, first.beyond])
    np.testing.assert_allclose(both.T @ both, np.eye(9), atol=1e-9)
    calls = []
    monkeypatch.setattr(cl.ShiftInvert, "find_more", lambda *_: calls.append("found again"))
    again = auto.kept_pairs(L, 8)
    np.testing.assert_allclose(again.values, true[1:9], atol=1e-7)
    assert again.beyond.shape == (600, 1)
    assert not calls
    assert auto.kept_pairs(L, 3).beyond.shape == (600, 6)


def test_rough_vectors_beyond_are_a_start_and_no_result():
    L = SparseOperator(np.diag(np.arange(1.0, 41.0)), range(40))
    turned = np.eye(40)[:, :4]
    turned[[3, 9], 3] = np.cos(0.1), np.sin(0.1)
    known = Lowest(np.array([1.0, 2.0]), turned[:, :2], True, turned[:, 2:])
    given = problem.eigenproblem(L, 4, tol=1e-8)
    assert auto._n_accurate(given, turned) == 3
    np.testing.assert_allclose(auto.lowest_pairs(L, 3, known).values, [1.0, 2.0, 3.0], rtol=1e-12)
    np.testing.assert_array_equal(auto.lowest_pairs(L, 3, known).beyond, turned[:, 3:])
    four = auto.lowest_pairs(L, 4, known)
    np.testing.assert_allclose(four.values, [1.0, 2.0, 3.0, 4.0], rtol=1e-9)


def test_davidson_brings_its_guards_along():
    L = cl.graph_laplacian(cl.clique_complex(nx.barabasi_albert_graph(400, 3, seed=0)))
    given = problem.eigenproblem(L, 6)
    values, vectors = cl.Davidson(None).find_more(given)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(9), atol=1e-12)
    true = np.linalg.eigvalsh(L.toarray())[1:]
    np.testing.assert_allclose(values[:5], true[:5], rtol=1e-9)
    assert (values[5:] >= true[5:9] - 1e-9).all()
    assert cl.Davidson(None).find(given)[1].shape == (400, 5)


@pytest.mark.parametrize("missing", [1, 2])
def test_what_was_counted_and_not_found_is_no_result(missing):
    numbers = np.arange(1.0, 61.0)
    found = (numbers[[0, 1, 4]], np.eye(60)[:, [0, 1, 4]])
    given = eigenproblem(numbers, 3)
    with pytest.raises(cl.ConvergenceError, match=f"{missing} eigenvalues below 5 exist"):
        evidence.nothing_missed(
            given, found, lambda rest, below, block: no_pairs(60), lambda below: 2 + missing
        )
    # More than there can be is no count, and nothing was found.
    none = evidence.nothing_missed(
        given, found, lambda rest, below, block: no_pairs(60), lambda below: 2 + 58
    )
    assert none[1] is None


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
    """7, less what kept pairs are known to, and drop over the mass; of e_0, 0.36 is left."""
    numbers = np.arange(1.0, 10.0)
    plain = SparseOperator(np.diag(numbers), range(9))
    S = Toy(numbers / 2, deficit=Deficit(plain, 0.5, 0.5))
    given = problem.eigenproblem(S, 2, np.full(9, mass))
    kept = Lowest(numbers / mass, np.eye(9), True, np.empty((9, 0)))
    next_ = (7.0 - 2e-8 * 9.0) / mass
    found = evidence._gap(given, given.plain, kept, np.eye(9)[:, :6])
    assert found == pytest.approx(0.5 * next_ - 0.5 / mass, rel=1e-13)
    turned = np.eye(9)[:, :6].copy()
    turned[[0, 8], 0] = 0.8, 0.6
    found = evidence._gap(given, given.plain, kept, turned)
    left = 0.36 * (next_ - 1.0 / mass)
    assert found == pytest.approx(0.5 * (next_ - left) - 0.5 / mass, rel=1e-13)
    rough = Lowest(numbers / mass, np.eye(9), True, np.empty((9, 0)))
    rough.values[1] += 1e-3  # its residual is taken off
    found = evidence._gap(given, given.plain, rough, np.eye(9)[:, :6])
    assert found == pytest.approx(0.5 * (next_ - 2e-3) - 0.5 / mass, rel=1e-12)


def test_a_is_at_least_so_much_off_vectors_next_to_its_first():
    """The smallest eigenvalue of A off a space, by LAPACK, and what is said of it."""
    rng, close = np.random.default_rng(5), []
    for turn in np.geomspace(1e-6, 1.0, 40):
        A = rng.standard_normal((30, 30))
        A = A @ A.T
        values, vectors = np.linalg.eigh(A)
        S = Toy(values, deficit=Deficit(SparseOperator(A, range(30)), 1.0, 0.0))
        U = np.linalg.qr(vectors[:, :4] + turn * rng.standard_normal((30, 4)))[0]
        given = problem.eigenproblem(S, 2)
        said = evidence._gap(given, given.plain, Lowest(values, vectors, True, vectors[:, :0]), U)
        off = np.linalg.svd(U)[0][:, 4:]
        least = np.linalg.eigvalsh(off.T @ A @ off)[0]
        assert said <= least
        close.append(said > 0.9 * least)
    assert sum(close) > 20


def test_products_for_residuals_are_far_below_the_tolerance_in_the_unit_of_masses():
    S = Toy([1.0, 2.0, 4.0])
    given = problem.eigenproblem(S, 1, np.full(3, 4.0), tol=1e-6)  # a norm of 1
    evidence.pairs_and_residuals(given, np.eye(3)[:, :1], True)
    assert S.errors == pytest.approx([0.02 * 1e-6 * 1.0 * 2.0])


def test_a_shift_needs_a_system_and_a_safe_place():
    def shifted(shift, mass):
        return sparse.eye_array(3, format="csc"), 0

    assert shifts.shift_inverse(Toy(np.ones(3)), np.ones(3), cl.Direct()) is None
    both = Toy(np.ones(3), shifted_system=shifted, safe_shift=lambda mass: -1.0)
    shift, solve = shifts.shift_inverse(both, np.ones(3), cl.Direct())
    assert shift == -1.0
    assert solve(np.ones(3)).tolist() == [1.0, 1.0, 1.0]
    none = Toy(np.ones(3), shifted_system=lambda shift, mass: None, safe_shift=lambda mass: -1.0)
    assert shifts.shift_inverse(none, np.ones(3), cl.Direct()) is None


def test_a_count_is_not_taken_far_from_the_value(monkeypatch):
    """First where rounding allows it, then at 5e-9 of the norm, 4."""
    asked = []

    def shifted(shift, mass):
        asked.append(shift)
        return sparse.eye_array(3, format="csc"), 0

    monkeypatch.setattr(shifts, "_inertia", lambda matrix, most: None)
    for rounding in (0.0, 1e-10, 1.9e-9):
        asked.clear()
        S = Toy([1.0, 2.0, 4.0], shifted_system=shifted, rounding=rounding)
        assert shifts.count_below(S, 0.0, np.ones(3)) is None
        margin = 4e-11 + 10 * rounding
        np.testing.assert_allclose(asked, [-margin, -max(margin, 2e-8)], rtol=1e-9)


@pytest.mark.parametrize(
    ("solver", "n", "counts"),
    [(cl.ShiftInvert(), 20_000, True), (cl.ShiftInvert(), 20_001, False), (cl.Lanczos(), 5, False)],
)
def test_what_is_counted_to_be_certain(monkeypatch, solver, n, counts):
    seen = []
    monkeypatch.setattr(type(solver), "find", lambda self, given: "pairs")

    def nothing_missed(given, pairs, search, count):
        seen.append(count)
        return np.eye(3), None

    monkeypatch.setattr(spectrum, "nothing_missed", nothing_missed)
    for certify in (True, False):
        given = SimpleNamespace(n=n, k=2, count_below="by inertia", certify=certify)
        solver.all_vectors(given)
    assert seen == ["by inertia" if counts else None, None]


def test_rounding_counts_for_more_where_a_mass_is_small():
    """Over 5e-10 of a norm of 4: 1.2e-9 at a mass of 1/2, 2.4e-9 there, is too much."""
    system = sparse.csc_array(np.diag([1.0, 2.0, 4.0]))
    for rounding, known in ((0.9e-9, True), (1.2e-9, False)):
        S = Toy([1.0, 2.0, 4.0], shifted_system=lambda shift, mass: (system, 0), rounding=rounding)
        count = shifts.count_below(S, 0.5, np.array([0.5, 1.0, 1.0]))
        assert count == (0 if known else None)


def test_what_is_kept_grows_with_what_is_asked_for():
    L = SparseOperator(np.diag(np.arange(1.0, 9.0)), range(8))
    for k in (2, 1, 4):
        values, vectors, certain, _ = auto.kept_pairs(L, k)
        np.testing.assert_allclose(values, np.arange(1.0, k + 1.0), rtol=1e-7)
        assert vectors.shape == (8, k)
        assert certain
    assert len(L.found["pairs"].values) == 4
    assert len(auto.lowest_pairs(L, 3).values) == 3
    assert L.count_below(2.5) == 2
    assert L.count_below(2.5, np.full(8, 2.0)) == 4


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
    assert made(2).to_frame().index.tolist() == [1, 2]
    assert made(2).plot() is not None
    assert len(made(3).first(0)) == 0
    assert made(3).first(2).residuals.tolist() == [0.0, 0.1]


def test_signs_by_the_first_of_the_largest_entries():
    given = np.array([[0.5, -1.0, 0.0], [-1.0, 1.0 - 1e-8, 0.0], [0.2, 0.3, 0.0]])
    turned = np.array([[-0.5, 1.0, 0.0], [1.0, -1.0 + 1e-8, 0.0], [-0.2, -0.3, 0.0]])
    assert fix_signs(given).tolist() == turned.tolist()
    assert fix_signs(turned).tolist() == turned.tolist()
