"""PARDISO, the elimination of all rows but a few, and the operators that are made with it."""

from __future__ import annotations

from functools import partial

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse._collapse import ladder_array as ladder_arrays
from cellapse._collapse.ladder_array import ladder_array
from cellapse._linalg import direct, pardiso, schur
from cellapse._linalg.eigen.auto import Auto
from cellapse._linalg.schur import schur_complement

pytest.importorskip("pypardiso")


def system(seed: int, kept: float = 0.0) -> tuple[np.ndarray, sparse.csr_array]:
    """A symmetric matrix whose last 60 rows are definite, and its upper triangle."""
    rng = np.random.default_rng(seed)
    pattern = np.random.default_rng(1)  # the same for all seeds
    C = sparse.csr_array((pattern.random((60, 60)) < 0.05) * rng.standard_normal((60, 60)))
    C = sparse.csr_array(C @ C.T + sparse.eye_array(60))
    B = sparse.csr_array((pattern.random((9, 60)) < 0.2) * pattern.random((9, 60)))
    A = kept * sparse.eye_array(9, format="csr")
    whole = sparse.block_array([[A, B], [B.T, C]], format="csr")
    return whole.toarray(), sparse.block_array([[A, B], [None, sparse.triu(C)]], format="csr")


@pytest.fixture
def mixed(monkeypatch) -> cl.CollapsedOperator:
    """An operator whose products take all cells at once, of more vertices than are always dense."""
    monkeypatch.setattr(schur, "_ordered", {})
    K = cl.clique_complex(nx.random_geometric_graph(520, 0.07, seed=3))
    with pytest.warns(cl.CellapseWarning, match="order"):
        return cl.collapse(K, "mixed", eps=1e-3)


@pytest.mark.parametrize("kept", [0.0, 2.5])
def test_the_complement_is_what_elimination_leaves(kept):
    whole, upper = system(0, kept)
    A, B, C = whole[:9, :9], whole[:9, 9:], whole[9:, 9:]
    y = np.arange(120.0).reshape(60, 2)
    with schur_complement(upper, 9) as (complement, solve):
        np.testing.assert_allclose(complement, A - B @ np.linalg.solve(C, B.T), atol=1e-12)
        np.testing.assert_allclose(C @ solve(y), y, atol=1e-9)


def test_large_systems_are_ordered_in_another_way(monkeypatch):
    """By nested dissection, small ones by minimum degree: other orders, the same solution."""
    A = sparse.csc_array(cl.graph_laplacian(cl.clique_complex(nx.grid_2d_graph(30, 30))).A)
    A = A + sparse.eye_array(900, format="csc")
    for large in (901, 900):
        monkeypatch.setattr(pardiso, "_LARGE", large)
        factor = cl.Direct("pardiso").prepare(A)
        np.testing.assert_allclose(A @ factor(np.arange(900.0)), np.arange(900.0), atol=1e-9)


def test_the_order_of_a_pattern_is_found_once(monkeypatch):
    monkeypatch.setattr(schur, "_ordered", {})
    found, begin = [], schur._Ordered.__init__
    monkeypatch.setattr(
        schur._Ordered, "__init__", lambda self, *given: found.append(1) or begin(self, *given)
    )
    for seed in range(3):
        whole, upper = system(seed)
        expected = -whole[:9, 9:] @ np.linalg.solve(whole[9:, 9:], whole[9:, :9])
        with schur_complement(upper, 9) as (complement, _):
            np.testing.assert_allclose(complement, expected, atol=1e-12)
    assert len(found) == 1
    with schur_complement(system(0)[1], 8) as (complement, _):  # other rows stay
        assert complement.shape == (8, 8)
    assert len(found) == 2


def test_two_eliminations_at_once_do_not_meet():
    (first, one), (second, other) = system(1), system(2)
    y = np.ones((60, 1))
    with schur_complement(one, 9) as (_, solve), schur_complement(other, 9) as (_, again):
        np.testing.assert_allclose(first[9:, 9:] @ solve(y), y, atol=1e-9)
        np.testing.assert_allclose(second[9:, 9:] @ again(y), y, atol=1e-9)


def test_the_memory_of_a_factor_is_released(monkeypatch):
    released = []
    monkeypatch.setattr(
        "pypardiso.PyPardisoSolver.free_memory",
        lambda self, everything: released.append(everything),
    )
    factor = pardiso.Pardiso(sparse.csc_array(np.diag([2.0, -4.0])))
    assert factor.n_negative() == 1
    assert factor.solve(np.ones(2)).tolist() == [0.5, -0.25]
    assert not released
    del factor
    assert released == [True]


def test_a_failure_of_pardiso_is_an_error_of_ours():
    solver = pardiso.new_solver(pardiso)
    with pytest.raises(cl.ConvergenceError, match="2 rows"):
        pardiso.run(solver, 33, sparse.csr_matrix(np.eye(2)), np.ones(2))  # nothing is factorized


def test_an_array_by_elimination_is_the_operator(mixed):
    x = np.random.default_rng(0).standard_normal((520, 3))
    expected = mixed @ x
    T = mixed.toarray()
    assert np.abs(T - T.T).max() == 0.0
    np.testing.assert_allclose(T @ x, expected, atol=1e-10 * mixed.elimination.ladder.norm)
    A, X, C = (M.toarray() for M in mixed.split())
    formula = A - X @ np.linalg.solve(C + 1e-3 * np.eye(len(C)), X.T)
    np.testing.assert_allclose(T, formula, atol=1e-9)


def test_an_array_is_the_users_own(mixed):
    """What is done to it does not reach the operator."""
    x = np.random.default_rng(0).standard_normal(520)
    for _ in range(2):
        T = mixed.toarray()
        expected = T @ x
        T[:] = 7.0
        np.testing.assert_allclose(mixed.elimination.apply(x, 1e-3), expected, atol=1e-3)


def test_what_is_not_known_well_enough_is_no_array(mixed, monkeypatch):
    ladder = mixed.elimination.ladder
    inverse = "cellapse._collapse.formed.definite_inverse"
    wrong = 1e-9
    monkeypatch.setattr(inverse, lambda M: np.linalg.inv(M) * (1.0 + wrong))
    assert ladder_array(ladder) is None
    error = 1e3 * wrong * ladder.c  # much larger than what is wrong
    T = ladder_array(ladder, error)
    assert T is not None
    x = np.random.default_rng(0).standard_normal(520)
    assert np.linalg.norm(T @ x - ladder.apply(x)) <= error * np.linalg.norm(x)


def test_a_loose_tolerance_takes_the_array(mixed):
    exact = mixed.spectrum(6)
    assert not isinstance(exact.solver, cl.Dense)
    again = mixed.reweighted(1.0, None, 1e-3)
    loose = again.spectrum(6, rtol=1e-6)
    assert isinstance(loose.solver, cl.Dense)
    assert loose.certified
    np.testing.assert_allclose(loose.values, exact.values, atol=1e-9)
    assert loose.residuals.max() <= 1e-8 * loose.norm
    assert not isinstance(Auto().select(again).solver, cl.Dense)


def test_without_pardiso_products_do_as_before(mixed, monkeypatch):
    loose = mixed.spectrum(4, rtol=1e-6)
    monkeypatch.setattr("cellapse._collapse.raised.can_complement", lambda: False)
    again = mixed.reweighted(1.0, None, 1e-3)
    other = again.spectrum(4, rtol=1e-6)
    assert isinstance(loose.solver, cl.Dense)
    assert not isinstance(other.solver, cl.Dense)
    np.testing.assert_allclose(loose.values, other.values, atol=1e-6 * loose.norm)


def test_numbers_of_a_known_pattern_stay_at_their_place(monkeypatch):
    """Some versions of MKL read them where they were at first, whatever they are given later."""
    monkeypatch.setattr(schur, "_ordered", {})
    run, places = schur.run, set()

    def told(solver, phase, upper, rhs):
        places.add(upper.data.ctypes.data)
        return run(solver, phase, upper, rhs)

    monkeypatch.setattr(schur, "run", told)
    for seed in (0, 1):
        with schur_complement(system(seed)[1], 9) as (_, solve):
            solve(np.ones((60, 1)))
    assert len(places) == 1


@pytest.mark.parametrize("realization", ["unfolded", "mixed"])
@pytest.mark.parametrize("graph", ["expands", "cut"])
def test_the_diagonal_is_that_of_products(realization, graph, monkeypatch):
    """By one dense inverse where products take longer, and by products where they do not."""
    made = {
        "expands": lambda: nx.gnm_random_graph(400, 3000, seed=1),
        "cut": lambda: nx.random_geometric_graph(400, 0.1, seed=1),
    }
    S = cl.collapse(cl.clique_complex(made[graph]()), realization, eps=1e-3)
    ladder = S.elimination.ladder
    quick = ladder.iterative or ladder.as_it_is.raised.reduced is None
    assert (ladder_arrays.diagonal(ladder) is not None) == quick
    n = S.shape[0]
    np.testing.assert_allclose(
        S.diagonal(), np.diag(S @ np.eye(n)), rtol=0, atol=1e-11 * ladder.norm
    )
    monkeypatch.setattr(ladder_arrays, "available_memory", lambda: 8.0 * n**2)
    assert ladder_arrays.diagonal(ladder) is None
    monkeypatch.undo()
    monkeypatch.setattr(ladder_arrays, "_LARGE", n - 1)
    assert ladder_arrays.diagonal(ladder) is None


def test_a_system_that_fills_in_is_one_for_pardiso(monkeypatch):
    K = cl.clique_complex(nx.powerlaw_cluster_graph(900, 5, 0.5, seed=1))
    S = cl.collapse(K, "mixed", eps=1e-3)
    assert S.elimination.method == "Direct(factorization='pardiso')"
    by_superlu = cl.collapse(K, "mixed", eps=1e-3, solver=cl.Direct())
    x = np.cos(np.arange(900.0))
    np.testing.assert_allclose(
        S @ x, by_superlu @ x, rtol=0, atol=1e-12 * S.elimination.ladder.norm
    )
    grid = nx.triangular_lattice_graph(40, 60)
    assert cl.collapse(cl.clique_complex(grid), "mixed").elimination.method == str(cl.Direct())
    monkeypatch.setattr(direct, "_SOME", 10**6)  # of few rows nobody looks
    assert cl.collapse(K, "mixed", eps=1e-3).elimination.method == str(cl.Direct())


@pytest.mark.parametrize("which", ["smallest", "largest"])
@pytest.mark.parametrize(
    "operator", [cl.graph_laplacian, cl.collapse, partial(cl.collapse, realization="unfolded")]
)
def test_eigenpairs_of_large_graphs_that_can_be_cut_take_pardiso(monkeypatch, operator, which):
    S = operator(cl.clique_complex(nx.triangular_lattice_graph(30, 40)))
    expected = S.spectrum(6, which=which)
    monkeypatch.setattr(direct, "_LARGE", 500)
    S = operator(cl.clique_complex(nx.triangular_lattice_graph(30, 40)))
    spectrum = S.spectrum(6, which=which)
    if which == "smallest":
        assert spectrum.solver.factorization == cl.Direct("pardiso")
    assert spectrum.certified == expected.certified
    np.testing.assert_allclose(spectrum.values, expected.values, atol=1e-9)


def test_all_matrices_of_a_pattern_are_factorized_alike():
    A = sparse.csc_array(cl.graph_laplacian(nx.triangular_lattice_graph(20, 30)).A)
    A += sparse.eye_array(A.shape[0], format="csc")
    rhs = np.random.default_rng(0).standard_normal((A.shape[0], 3))
    first = pardiso.Pardiso(A).solve(rhs)
    again = pardiso.Pardiso(A).solve(rhs)
    np.testing.assert_allclose(again, first, rtol=1e-11)
    np.testing.assert_allclose(pardiso.Pardiso(2.0 * A).solve(rhs), first / 2.0, rtol=1e-12)
