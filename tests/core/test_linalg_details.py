"""The linear algebra where larger tests do not look: boundaries, refusals, libraries that fail."""

import sys
from functools import partial
from types import ModuleType

import networkx as nx
import numpy as np
import pytest
from scipy import linalg, sparse
from toys import Toy, karate

import cellapse as cl
from cellapse._linalg import blas, cg, factor, sigma
from cellapse._linalg.kernel import Projector, left_kernel
from cellapse._linalg.operators import _check_known
from cellapse._linalg.solve import solve_system
from cellapse._shared.memory import memory_budget

# Conjugate gradients and factorizations


def test_an_error_as_large_as_allowed_is_within():
    """One step of 2: a Ritz value of 1/2, and an error of 1 for r^T z = 1/4."""
    live = np.ones(1, dtype=bool)
    for null, known in ((0.0, True), (0.5, False), (0.6, False)):
        estimate = cg.RitzEstimate(null, 1)
        estimate.advance(np.array([2.0]), np.zeros(1), live)
        assert estimate.error(np.array([0.25]))[0] == (1.0 if known else np.inf)
        assert estimate.within(np.array([0.25]), np.ones(1))[0] == known
    bound = cg.GaussRadau(1.0, 1)
    assert bound.within(np.ones(1), np.ones(1)).tolist() == [True]


def test_one_iteration_is_allowed_and_none_is_not():
    assert cl.CG(max_steps=1).prepare(2 * sparse.eye_array(3))(np.ones(3)).tolist() == [0.5] * 3
    with pytest.raises(cl.InputError, match="max_steps"):
        cl.CG(max_steps=0)


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


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_growth_has_no_unit(unit):
    factor = cl.Direct().prepare(unit * sparse.csc_array([[1.0, 2.0], [2.0, 1.0]]))
    assert factor.growth() == pytest.approx((2 * 3 + 3) / 3)


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

    monkeypatch.setattr(blas.linalg, "eigh", unreliable)
    monkeypatch.setattr(blas.np.linalg, "eigh", partial(unreliable, driver="evd"))
    values, vectors = blas.symmetric_eigenpairs(M, 0, 2)
    assert calls == ["evr", "evd", "ev"]
    assert values.tolist() == [0.0, 1.0]
    np.testing.assert_allclose(abs(vectors), np.eye(80)[:, :2])

    def broken(matrix, **options):
        raise linalg.LinAlgError

    monkeypatch.setattr(blas.linalg, "eigh", broken)
    monkeypatch.setattr(blas.np.linalg, "eigh", broken)
    with pytest.raises(cl.ConvergenceError, match="80 rows"):
        blas.symmetric_eigenpairs(M)


def test_one_row_and_none():
    values, vectors = blas.symmetric_eigenpairs(np.array([[3.0]]))
    assert (values.tolist(), vectors.tolist()) == ([3.0], [[1.0]])
    assert blas.symmetric_eigenpairs(np.array([[3.0]]), 0, 0)[1].shape == (1, 0)
    assert blas.symmetric_eigenpairs(np.array([[3.0]]), 1, 1)[1].shape == (1, 0)
    value, vector = sigma.largest_eigenpair(lambda x: x, 0, tol=1e-3)
    assert (value, vector.shape) == (0.0, (0,))


# Levels, kernels, singular values


def test_a_diagonal_is_no_edge():
    assert factor.widest_level(cl.graph_laplacian(nx.path_graph(9)).A) == (0, 0)
    assert factor.widest_level(cl.graph_laplacian(nx.complete_graph(5)).A) == (4, 5)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_masses_that_are_rounding_next_to_the_norm_are_refused(unit):
    S = Toy(unit * np.array([1.0, 2.0]))
    _check_known(unit * np.array([1.0, 2.1e-12]), S)
    with pytest.raises(cl.ConvergenceError, match="at 1 is"):
        _check_known(unit * np.array([1.0, 1.9e-12]), S)
    matrix = Toy(unit * np.array([1.0, 2.0]), matrix=sparse.eye_array(2))
    _check_known(unit * np.array([1.0, 1e-20]), matrix)  # every entry of a matrix is known


def test_zeros_that_are_stored_do_not_count_and_are_left_alone():
    stored = sparse.csr_array(nx.to_scipy_sparse_array(nx.complete_graph(6), dtype=float))
    stored.data[stored.indices == 0] = 0.0
    stored.data[: stored.indptr[1]] = 0.0
    before = stored.nnz
    assert factor.widest_level(stored) == (4, 5)  # without the first vertex
    assert stored.nnz == before


@pytest.mark.parametrize("ratio", [2.0, 0.5, 1.0, 1.0 + 1e-6])
def test_the_kernel_of_an_edge_whose_ends_weigh_differently(ratio):
    kernel = left_kernel(sparse.csr_array([[ratio], [-1.0]])).toarray().ravel()
    np.testing.assert_allclose(abs(kernel), np.array([1.0, ratio]) / np.hypot(1.0, ratio))


@pytest.mark.parametrize("n", [30, 64, 65, 100])
def test_a_projection_by_few_columns_and_by_many(n):
    x = np.arange(2.0 * n).reshape(n, 2)
    for columns in (1, 8, 9, 20):
        P = sparse.csr_array(np.eye(n)[:, :columns])
        found = Projector(P)(x)
        assert found[:columns].tolist() == x[:columns].tolist()
        assert not found[columns:].any()
    wide = np.zeros((n, 4))  # one column of half of the rows, three of a few, and rows of none
    wide[: n // 2, 2], wide[n // 2, 0], wide[n // 2 + 1 : n // 2 + 3, 3], wide[-1, 1] = 1, 1, 1, 1
    wide /= np.linalg.norm(wide, axis=0)
    onto = Projector(sparse.csr_array(wide))
    np.testing.assert_allclose(onto(x), wide @ (wide.T @ x))
    np.testing.assert_allclose(onto(x[:, 0]), wide @ (wide.T @ x[:, 0]))
    M = np.arange(float(n * n)).reshape(n, n)
    raised = M.copy()
    assert onto.add_to(raised, 5.0) is raised
    np.testing.assert_allclose(raised, M + 5.0 * wide @ wide.T)
    assert not Projector(None)(x).any()
    assert not Projector(sparse.csr_array((n, 0)))(x).any()


# Systems


def test_a_kernel_that_nobody_knows_of_is_not_followed():
    """Off the kernel the solution is that of the rest, and the kernel gets next to nothing."""
    values = np.r_[0.0, np.linspace(1.0, 2.0, 19)]
    rhs = np.r_[1e-17, np.ones(19)]
    x = solve_system(Toy(values), rhs, 0.0, 1e-10)
    np.testing.assert_allclose(x[1:], 1.0 / values[1:], rtol=1e-8)
    assert abs(x[0]) < 1e-3


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("shift", [0.0, 1e-6, 0.5])
def test_solutions_in_any_unit_with_and_without_a_shift(unit, shift):
    L = cl.graph_laplacian(karate())
    S = Toy(np.ones(34), L.kernel)
    S.A = unit * L.A
    rhs = np.random.default_rng(0).standard_normal((34, 2))
    x = solve_system(S, rhs, unit * shift, 1e-10)
    M = unit * (L.A.toarray() + shift * np.eye(34))
    truth = np.linalg.pinv(M, rcond=1e-12) @ rhs
    np.testing.assert_allclose(x, truth, rtol=1e-6, atol=1e-6 * abs(truth).max())
    # Products may be wrong by no more than the digits that are asked for.
    assert max(S.errors) <= 1e-10 * abs(rhs).max()


def test_no_more_is_asked_for_than_rounding_allows():
    L = cl.graph_laplacian(karate())
    S = Toy(np.ones(34), L.kernel)
    S.A = L.A
    rhs = np.eye(34)[0] - np.eye(34)[33]
    truth = np.linalg.pinv(L.A.toarray()) @ rhs
    np.testing.assert_allclose(solve_system(S, rhs, 0.0, 1e-16), truth, atol=1e-8)


# Arrays


def test_an_operator_says_what_is_known_of_it():
    L = cl.graph_laplacian(cl.Complex.from_cells({0: "abc", 1: [("a", "b")]}))
    card = L._card()
    assert dict(card.rows) == {
        "size": "3 cells", "kernel": "dimension 2, known exactly",
        "definite": "no negative eigenvalue",
    }  # fmt: skip
    D = cl.dirac_operator(cl.Complex.from_cells({1: [("a", "b")]}))
    assert dict(D._card().rows) == {"size": "3 cells", "definite": "may be indefinite"}
    assert next(call for call, _ in card.calls) == "S.spectrum(k)"


def test_an_operator_is_an_array_where_numpy_wants_one():
    L = cl.collapse(nx.path_graph(3), "unfolded")
    assert np.asarray(L).tolist() == L.toarray().tolist()
    assert np.asarray(L).dtype == np.float64
    assert np.asarray(L, dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="made anew"):
        L.__array__(copy=False)  # what NumPy 2 calls; NumPy 1 asks for copies if there have to be


def test_a_dense_matrix_takes_seven_copies():
    L = cl.graph_laplacian(nx.path_graph(200))
    with memory_budget(int(7 * 8 * 200**2 * 1.02)):
        assert L.toarray().shape == (200, 200)
    with memory_budget(int(7 * 8 * 200**2 * 0.98)), pytest.raises(cl.SizeError, match="dense"):
        L.toarray()


@pytest.mark.parametrize("sizes", [(5,), (40, 3, 3, 1), (120,), (200, 90, 4, 1, 1), (1,) * 90, ()])
@pytest.mark.parametrize("order", ["C", "F"])
def test_projecting_off_columns_in_any_layout(sizes, order):
    """Few and many entries, small and large, one vector and several, long digits: one result."""
    n = sum(sizes) + 7
    P = np.zeros((n, len(sizes)))
    for j, (end, size) in enumerate(zip(np.cumsum(sizes, dtype=int), sizes, strict=True)):
        P[end - size : end, j] = np.arange(1.0, size + 1.0)
        P[:, j] /= np.linalg.norm(P[:, j])
    projector, rng = Projector(sparse.csr_array(P)), np.random.default_rng(n)
    for shape in ((n,), (n, 0), (n, 1), (n, 4)):
        for kind in (np.float64, np.longdouble):
            x = np.array(rng.standard_normal(shape), order=order, dtype=kind)
            before, inside = x.copy(), P @ (P.T @ x)
            assert abs(projector(x) - inside).max(initial=0.0) < 1e-14
            assert abs(projector.off(x) - (x - inside)).max(initial=0.0) < 1e-14
            assert (x == before).all()
            assert projector.remove_from(x) is x
            assert abs(x - (before - inside)).max(initial=0.0) < 1e-14
