"""PARDISO, the elimination of all rows but a few, and the operators that are made with it."""

from __future__ import annotations

from functools import partial

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse._collapse import elimination
from cellapse._linalg import factor as factors
from cellapse._linalg.factor import schur_complement

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
def mixed() -> cl.CollapsedOperator:
    """An operator whose products take all cells at once, of more vertices than are always dense."""
    K = cl.clique_complex(nx.random_geometric_graph(520, 0.07, seed=3))
    with pytest.warns(cl.CellapseWarning, match="order"):
        return cl.collapse(K, "mixed", eps=1e-3)


@pytest.mark.parametrize("kept", [0.0, 2.5])
def test_the_complement_is_what_elimination_leaves(kept):
    whole, upper = system(0, kept)
    A, B, C = whole[:9, :9], whole[:9, 9:], whole[9:, 9:]
    y = np.arange(120.0).reshape(60, 2)
    complement, solve = schur_complement(upper, 9)
    np.testing.assert_allclose(complement, A - B @ np.linalg.solve(C, B.T), atol=1e-12)
    np.testing.assert_allclose(C @ solve(y), y, atol=1e-9)


def test_two_eliminations_at_once_do_not_meet():
    (first, one), (second, other) = system(1), system(2)
    y = np.ones((60, 1))
    (_, solve), (_, again) = schur_complement(one, 9), schur_complement(other, 9)
    np.testing.assert_allclose(first[9:, 9:] @ solve(y), y, atol=1e-9)
    np.testing.assert_allclose(second[9:, 9:] @ again(y), y, atol=1e-9)


def test_the_memory_of_a_factor_is_released(monkeypatch):
    released = []
    monkeypatch.setattr(
        "pypardiso.PyPardisoSolver.free_memory",
        lambda self, everything: released.append(everything),
    )
    factor = cl.Direct("pardiso").prepare(sparse.csc_array(np.diag([2.0, -4.0])))
    assert factor.n_negative() == 1
    assert factor(np.ones(2)).tolist() == [0.5, -0.25]
    assert not released
    del factor
    assert released == [True]


def test_an_array_by_elimination_is_the_operator(mixed):
    x = np.random.default_rng(0).standard_normal((520, 3))
    expected = mixed @ x
    T = mixed.toarray()
    assert np.abs(T - T.T).max() == 0.0
    np.testing.assert_allclose(T @ x, expected, atol=1e-10 * mixed.elimination.level.norm)
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
    level = mixed.elimination.level
    inverse = "cellapse._collapse.inverse.definite_inverse"
    wrong = 1e-9
    monkeypatch.setattr(inverse, lambda M: np.linalg.inv(M) * (1.0 + wrong))
    assert mixed.elimination.inverse.dense() is None
    error = 1e3 * wrong * level.c  # much larger than what is wrong
    assert mixed.elimination.inverse.dense(error / level.c) is not None
    T = mixed.toarray(error)
    assert T is not None
    x = np.random.default_rng(0).standard_normal(520)
    assert np.linalg.norm(T @ x - mixed.apply(x)) <= error * np.linalg.norm(x)


def test_without_pardiso_products_do_as_before(mixed, monkeypatch):
    expected = mixed.reweighted(1.0, None, 1e-3).toarray()
    monkeypatch.setattr("cellapse._collapse.eliminated.can_complement", lambda: False)
    again = mixed.reweighted(1.0, None, 1e-3)
    np.testing.assert_allclose(again.toarray(), expected, atol=1e-9 * again.norm_bound())


@pytest.mark.parametrize("realization", ["unfolded", "mixed"])
@pytest.mark.parametrize("graph", ["expands", "cut"])
def test_the_diagonal_is_that_of_products(realization, graph, monkeypatch):
    """By one dense inverse where products take longer, and by products where they do not."""
    made = {
        "expands": lambda: nx.gnm_random_graph(400, 3000, seed=1),
        "cut": lambda: nx.random_geometric_graph(400, 0.1, seed=1),
    }
    S = cl.collapse(cl.clique_complex(made[graph]()), realization, eps=1e-3)
    n, norm = S.shape[0], S.norm_bound()
    expected = np.diag(S @ np.eye(n))
    np.testing.assert_allclose(S.diagonal(), expected, rtol=0, atol=1e-11 * norm)
    monkeypatch.setattr(elimination, "available_memory", lambda: 8.0 * n**2)
    np.testing.assert_allclose(S.diagonal(), expected, rtol=0, atol=1e-11 * norm)


@pytest.mark.parametrize("which", ["smallest", "largest"])
@pytest.mark.parametrize(
    "operator", [cl.graph_laplacian, cl.collapse, partial(cl.collapse, realization="unfolded")]
)
def test_eigenpairs_of_large_graphs_that_can_be_cut_take_pardiso(monkeypatch, operator, which):
    S = operator(cl.clique_complex(nx.triangular_lattice_graph(30, 40)))
    expected = S.spectrum(6, which=which)
    monkeypatch.setattr(factors, "PARDISO_FROM", 500)
    S = operator(cl.clique_complex(nx.triangular_lattice_graph(30, 40)))
    spectrum = S.spectrum(6, which=which)
    if which == "smallest":
        assert spectrum.solver.factorization == cl.Direct("pardiso")
    assert spectrum.certified == expected.certified
    np.testing.assert_allclose(spectrum.values, expected.values, atol=1e-9)


def test_a_failure_of_pardiso_is_an_error_of_ours():
    with pytest.raises(cl.ConvergenceError, match="2 rows"):
        cl.Direct("pardiso").prepare(sparse.csc_array((2, 2)))  # PARDISO would end the process
