"""The linear algebra where larger tests do not look: boundaries, refusals, libraries that fail."""

import sys
from dataclasses import replace
from types import ModuleType, SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from scipy import linalg, sparse
from test_linalg_parts import Toy

import cellapse as cl
from cellapse._linalg import cg, lapack, levels, row_space, singular, systems
from cellapse._linalg.eigen import (
    auto,
    corrections,
    davidson,
    evidence,
    lanczos,
    problem,
    shifts,
)
from cellapse._linalg.eigen.corrections import Ritz
from cellapse._linalg.eigen.spectrum import EigenSolver, Spectrum, fix_signs, no_pairs
from cellapse._linalg.kernel import Projector, left_kernel
from cellapse._linalg.operators import SparseOperator
from cellapse._linalg.symmetric import Lowest
from cellapse._shared.memory import memory_budget


def eigenproblem(values, k, **options):
    return problem.eigenproblem(SparseOperator(np.diag(values), range(len(values))), k, **options)


# Conjugate gradients and factorizations


@pytest.mark.parametrize(("left", "fine"), [(1.9e-6, True), (2.1e-6, False)])
def test_a_residual_up_to_twice_the_tolerance_is_taken(monkeypatch, left, fine):
    """SciPy stops by the residual of its recursion; the true one is a little larger."""
    monkeypatch.setattr(
        cg.sparse_linalg, "cg", lambda M, b, **options: (b * (1.0 - left), options["maxiter"])
    )
    solve = cl.CG(rtol=1e-6).prepare(sparse.eye_array(3))
    if fine:
        np.testing.assert_allclose(solve(np.ones(3)), 1.0 - left)
        assert solve(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
        assert solve(np.ones((3, 0))).shape == (3, 0)
    else:
        with pytest.raises(cl.ConvergenceError, match=r"2\.1e-06"):
            solve(np.ones(3))


class Ldl:
    """What CHOLMOD gives, by LAPACK."""

    def cholesky_inplace(self, matrix):
        self.dense = matrix.toarray()

    def __call__(self, rhs):
        return np.linalg.solve(self.dense, rhs)

    def D(self):
        return np.linalg.eigvalsh(self.dense)


def test_cholmod_by_what_stands_in_for_it(monkeypatch):
    package, module = ModuleType("sksparse"), ModuleType("sksparse.cholmod")
    module.analyze = lambda matrix, mode: Ldl() if mode == "simplicial" else None
    monkeypatch.setitem(sys.modules, "sksparse", package)
    monkeypatch.setitem(sys.modules, "sksparse.cholmod", module)
    factor = cl.Direct("cholmod").prepare(sparse.csc_array([[0.5, 0.2], [0.2, -0.5]]))
    np.testing.assert_allclose(factor(np.array([0.7, -0.3])), [1.0, 1.0])
    assert factor.n_negative() == 1


@pytest.mark.parametrize("name", ["superlu", "pardiso", "qdldl"])
def test_factors_solve_and_count(name):
    pytest.importorskip({"superlu": "scipy", "pardiso": "pypardiso"}.get(name, name))
    M = np.diag([4.0, -3.0, 2.0, -5.0]) + 0.5 * np.ones((4, 4))
    factor = cl.Direct(name).prepare(sparse.csc_array(M))
    x = np.arange(12.0).reshape(4, 3)
    np.testing.assert_allclose(factor(M @ x), x, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(factor(M @ x[:, 0]), x[:, 0], rtol=1e-10, atol=1e-10)
    assert factor.n_negative() == (None if name == "qdldl" else 2)


# Dense eigenpairs


def test_a_driver_that_fails_is_followed_by_the_next(monkeypatch):
    M, calls, eigh = np.diag(np.arange(80.0)), [], linalg.eigh

    def unreliable(matrix, subset_by_index=None, driver=None):
        calls.append(driver)
        values, vectors = eigh(matrix)
        if driver == "evr":  # a few of those asked for, as LAPACK gives on stars
            return values[:1], vectors[:, :1]
        if driver == "evd":
            return values, np.full_like(vectors, np.nan)
        return values, vectors

    monkeypatch.setattr(lapack.linalg, "eigh", unreliable)
    values, vectors = lapack.symmetric_eigenpairs(M, 0, 2)
    assert calls == ["evr", "evd", "ev"]
    assert values.tolist() == [0.0, 1.0]
    np.testing.assert_allclose(abs(vectors), np.eye(80)[:, :2])

    def broken(matrix, **options):
        raise linalg.LinAlgError

    monkeypatch.setattr(lapack.linalg, "eigh", broken)
    with pytest.raises(cl.ConvergenceError, match="80 rows"):
        lapack.symmetric_eigenpairs(M)


def test_one_row_and_none():
    values, vectors = lapack.symmetric_eigenpairs(np.array([[3.0]]))
    assert (values.tolist(), vectors.tolist()) == ([3.0], [[1.0]])
    assert lapack.symmetric_eigenpairs(np.array([[3.0]]), 0, 0)[1].shape == (1, 0)
    value, vector = lapack.largest_eigenpair(lambda x: x, 0, tol=1e-3)
    assert (value, vector.shape) == (0.0, (0,))


# Levels, kernels, singular values


def test_zeros_that_are_stored_do_not_count_and_are_left_alone():
    stored = sparse.csr_array(nx.to_scipy_sparse_array(nx.complete_graph(6), dtype=float))
    stored.data[stored.indices == 0] = 0.0
    stored.data[: stored.indptr[1]] = 0.0
    before = stored.nnz
    assert levels.widest_level(stored) == (4, 5)  # without the first vertex
    assert stored.nnz == before


@pytest.mark.parametrize("ratio", [2.0, 0.5, 1.0, 1.0 + 1e-6])
def test_the_kernel_of_an_edge_whose_ends_weigh_differently(ratio):
    kernel = left_kernel(sparse.csr_array([[ratio], [-1.0]])).toarray().ravel()
    np.testing.assert_allclose(abs(kernel), np.array([1.0, ratio]) / np.hypot(1.0, ratio))


def test_a_projection_by_few_columns_and_by_many():
    for columns in (1, 8, 9, 20):
        P = sparse.csr_array(np.eye(30)[:, :columns])
        x = np.arange(60.0).reshape(30, 2)
        found = Projector(P)(x)
        assert found[:columns].tolist() == x[:columns].tolist()
        assert not found[columns:].any()
    assert not Projector(None)(x).any()
    assert not Projector(sparse.csr_array((30, 0)))(x).any()


def test_lanczos_in_the_row_space_takes_as_many_steps_as_it_needs():
    """A frame of 60 values from 1 to 2, in 90 rows: the kernel of B B^T has 30 dimensions."""
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.standard_normal((n, 60)))[0] for n in (90, 80))
    sigma = np.linspace(1.0, 2.0, 60)
    B = sparse.csr_array((U * sigma) @ V.T)
    assert row_space.by_row_space(B) == pytest.approx(1.0, rel=1e-9)
    assert row_space.by_row_space(sparse.csr_array(1e-3 * B)) == pytest.approx(1e-3, rel=1e-9)
    small = sparse.csr_array((U * np.r_[5e-3, sigma[1:]]) @ V.T)  # 6e-6 of the norm of the square
    assert row_space.by_row_space(small) is None


def test_lanczos_gives_up_where_two_starts_disagree(monkeypatch):
    found = iter([1.0, 1.0 + 2e-9, 1.0, 1.0 - 0.5e-9, None, 1.0, 4.0, None])
    monkeypatch.setattr(row_space, "_smallest_ritz_value", lambda B, start: next(found))
    B = sparse.csr_array((2, 2))
    assert row_space.by_row_space(B) is None
    assert row_space.by_row_space(B) == pytest.approx((1.0 - 0.5e-9) ** 0.5, rel=1e-15)
    assert row_space.by_row_space(B) is None
    assert row_space.by_row_space(B) is None


def test_rows_of_very_different_size_keep_their_digits():
    """B = D M with integers M: B^-1 = M^-1 D^-1 has no cancellation."""
    M = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]])
    inverse = np.array([[11.0, -4.0, 1.0], [-4.0, 8.0, -2.0], [1.0, -2.0, 5.0]]) / 18.0
    for d in ([1.0, 1e-6, 1e-12], [1e-12, 1.0, 1e-6], [1e-6, 1e-12, 1.0]):
        truth = 1.0 / np.linalg.norm(inverse / np.array(d), 2)
        B = np.array(d)[:, None] * M
        for given in (B, B.T):
            assert singular._by_orthogonal_factors(given, 3) == pytest.approx(truth, rel=1e-12)


def test_a_value_found_twice_keeps_the_digits_of_the_first(monkeypatch):
    """The second shift counts only where it finds a clearly smaller value."""
    G = sparse.csr_array(sparse.diags_array([1.0, 2.0]))
    for found, kept in (([1.0, 0.95], 1.0), ([1.0, 0.85], 0.85), ([1.0, 1e-8], 1e-8)):
        values = iter(found)
        monkeypatch.setattr(singular, "_filtered_value", lambda G, solve, v=values: next(v))
        assert singular._smallest_positive(G) == kept
    values = iter([1.0, 1.9e-9])
    monkeypatch.setattr(singular, "_filtered_value", lambda G, solve: next(values))
    with pytest.raises(cl.ConvergenceError, match="not certain"):
        singular._smallest_positive(G)


# Systems


def test_a_kernel_that_nobody_knows_of_is_not_followed():
    """Off the kernel the solution is that of the rest, and the kernel gets next to nothing."""
    values = np.r_[0.0, np.linspace(1.0, 2.0, 19)]
    rhs = np.r_[1e-17, np.ones(19)]
    x = systems.solve_system(Toy(values), rhs, 0.0, 1e-10)
    np.testing.assert_allclose(x[1:], 1.0 / values[1:], rtol=1e-8)
    assert abs(x[0]) < 1e-3


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("shift", [0.0, 1e-6, 0.5])
def test_solutions_in_any_unit_with_and_without_a_shift(unit, shift):
    L = cl.graph_laplacian(nx.karate_club_graph())
    S = Toy(np.ones(34), L.kernel)
    S.A = unit * L.A
    rhs = np.random.default_rng(0).standard_normal((34, 2))
    x = systems.solve_system(S, rhs, unit * shift, 1e-10)
    M = unit * (L.A.toarray() + shift * np.eye(34))
    truth = np.linalg.pinv(M, rcond=1e-12) @ rhs
    np.testing.assert_allclose(x, truth, rtol=1e-6, atol=1e-6 * abs(truth).max())
    # Products may be wrong by no more than the digits that are asked for.
    assert max(S.errors) <= 1e-10 * abs(rhs).max()


def test_what_rounding_leaves_off_the_kernel_is_nothing():
    rhs = np.array([[1.0, 1.0], [1.0, -1.0]])
    rest = np.array([[2e-15, 1.0], [-2e-15, -1.0]])
    found = systems._without_rounding(rest, rhs)
    assert found.tolist() == [[0.0, 1.0], [0.0, -1.0]]
    kept = systems._without_rounding(1e3 * rest, 1e3 * rhs)
    assert kept.tolist() == (1e3 * found).tolist()
    assert systems._without_rounding(10 * rest, rhs)[0, 0] == 10 * rest[0, 0]


# Eigenpairs


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
        return np.array([1.00002 if tol > 1e-6 else 1.0]), np.ones((6, 1))

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


class Doubled(EigenSolver):
    """Right up to the length of its vectors."""

    def find(self, given):
        return np.array([1.0, 2.0]), np.eye(given.n)[:, :2] * [2.0, 3.0]

    def search(self, given, below, block):
        return no_pairs(given.n)


def test_vectors_of_any_length_come_out_with_length_one():
    spectrum = Doubled().run(eigenproblem([1.0, 2.0, 3.0, 4.0], 2))
    np.testing.assert_allclose(spectrum.vectors, np.eye(4)[:, :2], atol=1e-12)
    np.testing.assert_allclose(spectrum.values, [1.0, 2.0])


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


def test_rounding_counts_for_more_where_a_mass_is_small():
    """Over 5e-10 of a norm of 4: 1.2e-9 at a mass of 1/2, 2.4e-9 there, is too much."""
    system = sparse.csc_array(np.diag([1.0, 2.0, 4.0]))
    for rounding, known in ((0.9e-9, True), (1.2e-9, False)):
        S = Toy([1.0, 2.0, 4.0], shifted=lambda shift, mass: (system, 0), rounding=rounding)
        count = shifts.count_below(S, 0.5, np.array([0.5, 1.0, 1.0]))
        assert count == (0 if known else None)


# What a spectrum says


@pytest.mark.parametrize(
    ("certified", "words"), [(True, "certain that none"), (False, "not all"), (None, "not counted")]
)
def test_a_spectrum_says_what_is_certain(certified, words):
    def spectrum(count, n_zeros=None):
        values = np.arange(float(count))
        return Spectrum(
            values, np.eye(9)[:, :count], values / 10, 2.0, n_zeros, certified, range(9), cl.Dense()
        )

    card = spectrum(7, 1)._card()
    rows = dict(card.rows)
    assert rows["values"] == "0, 1, 2, 3, 4, 5, ..."
    assert rows["zeros"] == "1 exactly"
    assert rows["residuals"] == "at most 6.0e-01, next to a norm of 2"
    assert words in rows["evidence"]
    six = dict(spectrum(6)._card().rows)
    assert six["values"] == "0, 1, 2, 3, 4, 5"
    assert "zeros" not in six
    text = repr(spectrum(2))
    assert [word.split()[-1].rpartition("(")[2] for word in text.split("=")[:-1]] == [
        "values", "norm", "n_zeros", "certified", "solver",
    ]  # fmt: skip
    assert spectrum(2).to_frame().index.tolist() == [1, 2]
    assert len(spectrum(3).first(0)) == 0
    assert spectrum(3).first(2).residuals.tolist() == [0.0, 0.1]


def test_signs_by_the_first_of_the_largest_entries():
    given = np.array([[0.5, -1.0, 0.0], [-1.0, 1.0 - 1e-8, 0.0], [0.2, 0.3, 0.0]])
    turned = np.array([[-0.5, 1.0, 0.0], [1.0, -1.0 + 1e-8, 0.0], [-0.2, -0.3, 0.0]])
    assert fix_signs(given).tolist() == turned.tolist()
    assert fix_signs(turned).tolist() == turned.tolist()


def test_a_dense_matrix_takes_seven_copies():
    L = cl.graph_laplacian(nx.path_graph(200))
    with memory_budget(int(7 * 8 * 200**2 * 1.02)):
        assert L.toarray().shape == (200, 200)
    with memory_budget(int(7 * 8 * 200**2 * 0.98)), pytest.raises(cl.SizeError, match="dense"):
        L.toarray()
