"""Conjugate gradients in single precision, and the error that residuals in double promise."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse._collapse import inverse as inverses
from cellapse._linalg import cg
from cellapse._linalg.preconditioner import Preconditioner, precondition


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


@pytest.mark.parametrize("weight", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("tol", [1e-2, 1e-6, 1e-9])
def test_the_error_is_a_bound_and_within_what_was_asked_for(weight, tol):
    K, kernel = laplacian_like(weight)
    near = precondition(K, kernel)
    x = off(kernel, np.random.default_rng(0).standard_normal((206, 3)) * [1.0, 1e-6, 1e3])
    found = near.refine(x, lambda v: x - K @ v, np.full(3, tol))
    e = found.v - np.linalg.solve(K.toarray(), x)
    energy = np.sqrt(np.einsum("ij,ij->j", e, K @ e))
    assert (energy <= found.energy * (1 + 1e-6) + 1e-12).all()
    assert (found.energy <= tol).all()
    np.testing.assert_allclose(found.left, x - K @ found.v, atol=1e-12 * np.abs(x).max())
    assert np.abs(kernel.T @ found.v).max() < 1e-12 * np.abs(x).max()


def test_entries_of_k_may_be_sorted_later_on():
    """SciPy does so in place, at the first sum or maximum."""
    K, kernel = laplacian_like()
    order = np.concatenate([np.arange(b - 1, a - 1, -1) for a, b in pairwise(K.indptr)])
    K = sparse.csr_array((K.data[order], K.indices[order], K.indptr), shape=K.shape)
    x = off(kernel, np.random.default_rng(0).standard_normal((206, 2)))
    near = precondition(K, kernel)
    K.sort_indices()
    found = near.refine(x, lambda v: x - K @ v, np.full(2, 1e-6))
    assert (found.energy <= 1e-6).all()


def test_what_is_close_already_takes_no_product():
    K, kernel = laplacian_like()
    x = off(kernel, np.random.default_rng(0).standard_normal((206, 2)))
    found = precondition(K, kernel).refine(x, lambda v: x - K @ v, np.full(2, 1e3))
    assert found.products == 0
    assert not found.v.any()
    assert (found.left == x).all()


def test_the_closest_of_a_span():
    """As least squares tell column by column; zeros and parallel columns are no trouble."""
    K, kernel = laplacian_like()
    near, root = precondition(K, kernel), 1.0 / np.sqrt(K.diagonal())
    rng = np.random.default_rng(0)
    x, y = (off(kernel, rng.standard_normal((206, 5))) for _ in range(2))
    y[:, 1], y[:, 2], x[:, 3], y[:, 4] = 3.0 * x[:, 1], 0.0, 0.0, x[:, 4] + 1e-3 * y[:, 4]
    v = near.best_in_span(x, y)
    for j in range(5):
        columns = np.column_stack([x[:, j], y[:, j]])
        best = columns @ np.linalg.lstsq(root[:, None] * (K @ columns), root * x[:, j])[0]
        assert np.allclose(v[:, j], best, rtol=1e-7, atol=1e-12)
    exact = K @ x  # K^-1 of it is in the span
    assert np.allclose(near.best_in_span(exact, x), x, rtol=1e-9, atol=1e-12)
    for size in (1e-200, 1e-30, 1e30, 1e200):
        assert np.isfinite(near.best_in_span(size * x, size * y)).all()


def test_an_eigenvector_takes_no_step(monkeypatch):
    """S x = l x tells K^-1 x: what is left of it is one product, which says so."""
    S = cl.collapse(cl.clique_complex(nx.random_regular_graph(8, 600, seed=0)), "unfolded")
    found = S.spectrum(4)
    taken = []
    start = Preconditioner.refine

    def noted(*given):
        taken.append(start(*given))
        return taken[-1]

    monkeypatch.setattr(Preconditioner, "refine", noted)
    assert S.elimination.inverse.iterative
    image = S.deficit.inverse.of_eigenvectors(found.vectors, 1e-8)
    np.testing.assert_allclose(image, found.vectors * found.values, atol=1e-8)
    x = np.random.default_rng(0).standard_normal((600, 3))  # as good, if not as soon
    direct = cl.collapse(S.source, "unfolded", solver=cl.Direct())
    np.testing.assert_allclose(S.deficit.inverse.of_eigenvectors(x, 1e-8), direct @ x, atol=3e-8)
    assert taken[0].products == 0
    assert taken[1].products > 0
    heavy, direct = (
        cl.collapse(S.source, "unfolded", beta=1e4, eps=1e4, solver=s) for s in (None, cl.Direct())
    )
    error = abs(heavy.deficit.inverse.of_eigenvectors(x, 1e-4) - direct @ x).max()
    assert error < 3e-4


def test_single_precision_takes_as_many_steps_as_double():
    """Off the kernel D^-1 K is well-conditioned: on it, it is 1e-5, and would take many more."""
    for weight in (1.0, 100.0, 1e4):
        K, kernel = laplacian_like(weight, nx.random_regular_graph(8, 3000, seed=0))
        near = precondition(K, kernel)
        x = off(kernel, np.random.default_rng(0).standard_normal((3000, 2)))
        first = near.refine(x, lambda v, x=x, K=K: x - K @ v, np.full(2, np.inf)).energy
        found = near.refine(x, lambda v, x=x, K=K: x - K @ v, 1e-5 * first)
        assert 1 <= found.products <= 20


def test_further_digits_come_from_further_rounds(monkeypatch):
    """Six digits at once; a round that does harm is not taken."""
    K, kernel = laplacian_like()
    near = precondition(K, kernel)
    x = off(kernel, np.random.default_rng(0).standard_normal((206, 2)))
    tol = np.full(2, 1e-11)
    assert (near.refine(x, lambda v: x - K @ v, tol).energy <= tol).all()
    monkeypatch.setattr(cg, "_ROUNDS", 1)
    once = near.refine(x, lambda v: x - K @ v, tol)
    assert (once.energy > tol).all()
    assert (once.energy < 1e-5 * near.refine(x, lambda v: x - K @ v, tol + np.inf).energy).all()
    lost = near.refine(x, lambda v: x + K @ v, tol)
    assert lost.products == 0
    assert not lost.v.any()


def test_numbers_of_any_size_and_none():
    K, kernel = laplacian_like()
    near = precondition(K, kernel)
    x = off(kernel, np.random.default_rng(0).standard_normal((206, 4)))
    for size in (1e-250, 1e-30, 1e30, 1e200):
        y = size * x * [1.0, 1.0, 0.0, 1e-3]
        first = near.refine(y, lambda v, y=y: y - K @ v, np.full(4, np.inf)).energy
        # The square of the smallest is zero: then the error is, too, as far as doubles can tell.
        found = near.refine(y, lambda v, y=y: y - K @ v, 1e-4 * first)
        assert (found.energy <= 1e-4 * first).all()
        assert (found.v[:, 2] == 0.0).all()
    bad = near.refine(np.full((206, 1), np.inf), lambda v: np.inf - K @ v, np.ones(1))
    assert not (bad.energy <= 1.0).any()
    assert near.refine(x[:, :0], lambda v: x[:, :0] - K @ v, np.ones(0)).v.shape == (206, 0)


def test_without_a_kernel():
    K, _ = laplacian_like(3.0)
    x = np.random.default_rng(0).standard_normal((206, 2))
    lower = np.linalg.eigvals(K.toarray() / K.diagonal()[:, None]).real.min()
    found = cg.MixedPrecision(K, None, 0.9 * lower).refine(
        0.0 * x, x, lambda v: x - K @ v, np.full(2, 1e-8)
    )
    np.testing.assert_allclose(found.v, np.linalg.solve(K.toarray(), x), atol=1e-8)


def test_only_where_the_diagonal_is_near():
    ring = laplacian_like(1e4, nx.cycle_graph(400))
    assert precondition(*ring).lower < 0.01
    assert precondition(*ring).mixed is None
    assert precondition(*laplacian_like()).mixed is not None
    x = off(ring[1], np.random.default_rng(0).standard_normal((400, 2)))
    start = precondition(*ring).refine(x, lambda v: x - ring[0] @ v, np.ones(2))
    assert (start.energy == np.inf).all()
    assert start.left is x


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
    dense = inverse.preconditioner.K.toarray()
    truth = level.A @ x - level.c * (x - fixed - np.linalg.solve(dense, x - fixed))
    allowed = max(error, 1e-12 * level.norm * np.linalg.norm(x, axis=0).max())
    assert (np.linalg.norm(S.apply(x, error) - truth, axis=0) <= allowed).all()
    assert np.linalg.norm(S.apply(x[:, 0], error) - truth[:, 0]) <= allowed


def test_what_single_precision_leaves_is_solved_in_double(monkeypatch):
    K = cl.clique_complex(nx.gnp_random_graph(1200, 0.01, seed=5))
    x = np.random.default_rng(0).standard_normal((1200, 2))
    truth, starts = cl.collapse(K, "unfolded") @ x, []
    monkeypatch.setattr(cg, "_ROUNDS", 1)
    going_on = inverses.conjugate_gradients

    def seen(apply, rhs, *rest, **more):
        starts.append(np.linalg.norm(rhs))
        return going_on(apply, rhs, *rest, **more)

    monkeypatch.setattr(inverses, "conjugate_gradients", seen)
    np.testing.assert_allclose(cl.collapse(K, "unfolded") @ x, truth, atol=1e-11)
    assert len(starts) == 1
    assert starts[0] < 1e-4 * np.linalg.norm(x)


def test_work_in_single_precision_counts():
    """What a factor would have cost less than is done by a factor from then on."""
    K = cl.clique_complex(nx.gnp_random_graph(1200, 0.01, seed=5))
    inverse = cl.collapse(K, "unfolded").elimination.inverse
    inverse.apply(np.random.default_rng(0).standard_normal((1200, 3)), 1e-3)
    products = inverse._work / (3 * inverse.preconditioner.K.nnz)
    assert products == pytest.approx(round(products))
    assert products >= 1
