"""Conjugate gradients in single precision, and the error that residuals in double promise."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse._linalg import cg, preconditioner
from cellapse._linalg.cg import MixedPrecision, System
from cellapse._linalg.preconditioner import Preconditioner


def laplacian_like(weight=1e4, graph=None):
    """I + weight L of a graph with two components and a vertex alone, and the kernel of K - I."""
    parts = nx.random_regular_graph(6, 200, seed=1), nx.cycle_graph(5), nx.empty_graph(1)
    graph = nx.disjoint_union_all(parts) if graph is None else graph
    L = nx.laplacian_matrix(graph).astype(float)
    kernel = np.zeros((len(graph), nx.number_connected_components(graph)))
    for j, component in enumerate(nx.connected_components(graph)):
        kernel[list(component), j] = len(component) ** -0.5
    K = sparse.csr_array(sparse.eye_array(len(graph)) + weight * L)
    return K, sparse.csr_array(kernel)


def off(kernel, x):
    return x - kernel @ (kernel.T @ x)


def first_energy(mixed, K, x):
    """The bound before any product: nothing is asked for."""
    return mixed.refine(System(K), x, np.full(x.shape[1], np.inf))[1]


@pytest.mark.parametrize("weight", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("tol", [1e-2, 1e-6, 1e-9])
def test_the_error_is_a_bound_and_within_what_was_asked_for(weight, tol):
    K, kernel = laplacian_like(weight)
    P = Preconditioner(K, kernel)
    x = off(kernel, np.random.default_rng(0).standard_normal((206, 3)) * [1.0, 1e-6, 1e3])
    for v, bound in (
        P.mixed.refine(System(K), x, np.full(3, tol)),
        P.solve(P, x, np.full(3, tol), 1000),
    ):
        e = v - np.linalg.solve(K.toarray(), x)
        energy = np.sqrt(np.einsum("ij,ij->j", e, K @ e))
        assert (energy <= bound * (1 + 1e-6) + 1e-12).all()
        assert (bound <= tol).all()
        assert np.abs(kernel.T @ v).max() < 1e-12 * np.abs(x).max()


def test_entries_of_k_may_be_sorted_later_on():
    """SciPy does so in place, at the first sum or maximum."""
    K, kernel = laplacian_like()
    order = np.concatenate([np.arange(b - 1, a - 1, -1) for a, b in pairwise(K.indptr)])
    K = sparse.csr_array((K.data[order], K.indices[order], K.indptr), shape=K.shape)
    x = off(kernel, np.random.default_rng(0).standard_normal((206, 2)))
    P = Preconditioner(K, kernel)
    K.sort_indices()
    assert (P.mixed.refine(System(K), x, np.full(2, 1e-6))[1] <= 1e-6).all()


def test_what_is_within_the_error_at_once_takes_no_product():
    K, kernel = laplacian_like()
    x = off(kernel, np.random.default_rng(0).standard_normal((206, 2)))
    mixed = Preconditioner(K, kernel).mixed
    v, bound = mixed.refine(System(K), x, np.full(2, 1e3))
    assert not v.any()
    assert (bound <= 1e3).all()
    assert mixed.products == 0


def test_single_precision_takes_as_many_steps_as_double():
    """Off the kernel D^-1 K is well-conditioned: on it, it is 1e-5, and would take many more."""
    for weight in (1.0, 100.0, 1e4):
        K, kernel = laplacian_like(weight, nx.random_regular_graph(8, 3000, seed=0))
        mixed = Preconditioner(K, kernel).mixed
        x = off(kernel, np.random.default_rng(0).standard_normal((3000, 2)))
        mixed.refine(System(K), x, 1e-5 * first_energy(mixed, K, x))
        assert 2 <= mixed.products <= 40


def test_further_digits_come_from_further_rounds(monkeypatch):
    """Six digits at once; a round that does harm is not taken."""
    K, kernel = laplacian_like()
    mixed = Preconditioner(K, kernel).mixed
    x = off(kernel, np.random.default_rng(0).standard_normal((206, 2)))
    tol = np.full(2, 1e-11)
    assert (mixed.refine(System(K), x, tol)[1] <= tol).all()
    monkeypatch.setattr(cg, "_REFINEMENTS", 1)
    once = mixed.refine(System(K), x, tol)[1]
    assert (once > tol).all()
    assert (once < 1e-5 * first_energy(mixed, K, x)).all()
    lost, _ = mixed.refine(System(-K), x, tol)
    assert not lost.any()


def test_numbers_of_any_size_and_none():
    K, kernel = laplacian_like()
    mixed = Preconditioner(K, kernel).mixed
    x = off(kernel, np.random.default_rng(0).standard_normal((206, 4)))
    for size in (1e-250, 1e-30, 1e30, 1e200):
        y = size * x * [1.0, 1.0, 0.0, 1e-3]
        # The square of the smallest is zero: then the error is, too, as far as doubles can tell.
        first = first_energy(mixed, K, y)
        v, bound = mixed.refine(System(K), y, 1e-4 * first)
        assert (bound <= 1e-4 * first).all()
        assert (v[:, 2] == 0.0).all()
    bad = mixed.refine(System(K), np.full((206, 1), np.inf), np.ones(1))[1]
    assert not (bad <= 1.0).any()
    assert mixed.refine(System(K), x[:, :0], np.ones(0))[0].shape == (206, 0)


def test_without_a_kernel():
    K, _ = laplacian_like(3.0)
    x = np.random.default_rng(0).standard_normal((206, 2))
    lower = np.linalg.eigvals(K.toarray() / K.diagonal()[:, None]).real.min()
    v, _ = MixedPrecision(K, None, 0.9 * lower).refine(System(K), x, np.full(2, 1e-8))
    np.testing.assert_allclose(v, np.linalg.solve(K.toarray(), x), atol=1e-8)


def test_only_where_the_diagonal_is_near():
    ring = Preconditioner(*laplacian_like(1e4, nx.cycle_graph(400)))
    assert ring.lower < 0.01
    assert ring.mixed is None
    assert Preconditioner(*laplacian_like()).mixed is not None


@pytest.mark.parametrize("error", [0.0, 1e-8, 1e-3])
def test_products_with_the_collapse_keep_their_error(error):
    """S x from the dense formula A - c + c K^-1, for one signal and for many."""
    K = cl.clique_complex(nx.gnp_random_graph(1200, 0.01, seed=5))
    S = cl.collapse(K, "unfolded")
    level, inverse = S.elimination.level, S.elimination.inverse
    assert inverse.iterative
    assert inverse.preconditioner.mixed is not None
    x = np.random.default_rng(0).standard_normal((1200, 5))
    fixed = level.fixed(x)
    dense = inverse.preconditioner.matrix.toarray()
    truth = level.A @ x - level.c * (x - fixed - np.linalg.solve(dense, x - fixed))
    allowed = max(error, 1e-12 * level.norm * np.linalg.norm(x, axis=0).max())
    assert (np.linalg.norm(S.apply(x, error) - truth, axis=0) <= allowed).all()
    assert np.linalg.norm(S.apply(x[:, 0], error) - truth[:, 0]) <= allowed


def test_what_single_precision_leaves_is_solved_in_double(monkeypatch):
    K = cl.clique_complex(nx.gnp_random_graph(1200, 0.01, seed=5))
    x = np.random.default_rng(0).standard_normal((1200, 2))
    truth, starts = cl.collapse(K, "unfolded") @ x, []
    monkeypatch.setattr(cg, "_REFINEMENTS", 1)
    going_on = preconditioner.conjugate_gradients

    def seen(system, rhs, *rest, start):
        starts.append(np.linalg.norm(system.residual(rhs, start)))
        return going_on(system, rhs, *rest, start=start)

    monkeypatch.setattr(preconditioner, "conjugate_gradients", seen)
    np.testing.assert_allclose(cl.collapse(K, "unfolded") @ x, truth, atol=1e-11)
    assert len(starts) == 1
    assert starts[0] < 1e-4 * np.linalg.norm(x)


def test_products_in_single_precision_count():
    """What a factor would have cost less than is done by a factor from then on."""
    K = cl.clique_complex(nx.gnp_random_graph(1200, 0.01, seed=5))
    inverse = cl.collapse(K, "unfolded").elimination.inverse
    before = inverse.preconditioner.products
    inverse.apply(np.random.default_rng(0).standard_normal((1200, 3)), 1e-3)
    assert inverse.preconditioner.products >= before + 3
