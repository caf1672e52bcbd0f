"""What a preconditioner promises, and numbers below the eigenvalues of P^-1 K, against LAPACK."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from scipy import linalg, sparse

import cellapse as cl
from cellapse._linalg.cg import System, lower_bound
from cellapse._linalg.kernel import left_kernel
from cellapse._linalg.preconditioner import Preconditioner, _start
from cellapse._shared.arrays import diagonal_matrix


def floor_of(values, seed=0):
    """Of a diagonal matrix with these eigenvalues."""
    start = np.random.default_rng(seed).standard_normal(len(values))
    return lower_bound(System(diagonal_matrix(np.asarray(values, dtype=float))), start)


def test_a_floor_is_below_every_eigenvalue_and_not_far():
    for seed in range(50):
        values = np.random.default_rng(seed).uniform(0.2, 2.0, 400)
        assert 0.2 * values.min() < floor_of(values, seed) <= values.min()


@pytest.mark.parametrize("low", [1e-1, 1e-2, 1e-4, 1e-6, 1e-9])
def test_one_small_eigenvalue_among_many_is_not_overlooked(low):
    """The others converge at once; what is left along the small one says that it is there."""
    for seed in range(50):
        values = np.random.default_rng(seed).uniform(0.9, 1.1, 1000)
        values[500] = low
        assert floor_of(values, seed) <= low


def test_no_floor_where_steps_do_not_suffice():
    assert floor_of(np.geomspace(1e-9, 1.0, 2000)) == 0.0


def laplacian_like(graph, weights):
    """K = I + a weighted Laplacian, and the kernel of the latter."""
    B = cl.boundary_matrices(cl.clique_complex(graph, max_rank=1))[0]
    G = B @ sparse.diags_array(weights(B.shape[1])) @ B.T
    return sparse.csr_array(sparse.eye_array(B.shape[0]) + G), left_kernel(B)


def of_two_sizes(count):
    return np.where(np.arange(count) % 3 == 0, 0.3, 1e4)


GRAPHS = {
    "random": lambda: nx.gnm_random_graph(300, 1500, seed=0),
    "with isolated vertices": lambda: nx.gnm_random_graph(300, 500, seed=0),
    "regular": lambda: nx.random_regular_graph(4, 200, seed=0),
    "pairs": lambda: nx.circulant_graph(120, [1]),
    "two groups": lambda: nx.barbell_graph(30, 2),
    "hubs": lambda: nx.barabasi_albert_graph(300, 3, seed=0),
}


@pytest.mark.parametrize("weights", [lambda m: np.full(m, 1e4), of_two_sizes])
@pytest.mark.parametrize("name", GRAPHS)
def test_what_is_said_of_k_next_to_all_of_its_eigenvalues(name, weights):
    """lower <= P^-1 K and least <= K off the kernel, and both are better than that K >= I."""
    K, kernel = laplacian_like(GRAPHS[name](), weights)
    near = Preconditioner(K, kernel)
    off = linalg.null_space(kernel.T.toarray())
    inverse = off.T @ near.precondition(off)
    dense = off.T @ K.toarray() @ off
    smallest = np.linalg.eigvals(inverse @ dense).real.min()
    assert near.lower <= smallest * (1 + 1e-9)
    assert near.least <= np.linalg.eigvalsh(dense)[0]
    assert near.lower > 0.9 / K.diagonal().max() * (1 + 1e-9)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_start_has_the_covariance_of_p_off_the_kernel(monkeypatch, sign):
    """One drawn number after the other set to one: M with start = M g, and M M^T."""
    P = np.array([[5.0, 2.0, 0, 0], [2.0, 3.0, 0, 0], [0, 0, 4.0, 0.5], [0, 0, 0.5, 2.0]])
    P[~np.eye(4, dtype=bool)] *= sign
    rest = 2.0 * P.diagonal() - abs(P).sum(axis=1)
    k = np.full((4, 1), 0.5)

    def start(kernel, one):
        numbers = iter(np.eye(6)[one])
        drawn = SimpleNamespace(
            standard_normal=lambda n: np.array([next(numbers) for _ in range(n)])
        )
        monkeypatch.setattr(np.random, "default_rng", lambda seed: drawn)
        return _start(sparse.csr_array(P), rest, kernel)

    M = np.column_stack([start(None, one) for one in range(6)])
    np.testing.assert_allclose(M @ M.T, P, atol=1e-14)
    off = np.column_stack([start(sparse.csr_array(k), one) for one in range(6)])
    np.testing.assert_allclose(off @ off.T, P - P @ k @ k.T @ P / (k.T @ P @ k), atol=1e-14)
    np.testing.assert_allclose(k.T @ off, 0.0, atol=1e-14)


def test_cells_that_are_alone_do_not_count():
    K, kernel = laplacian_like(GRAPHS["with isolated vertices"](), lambda m: np.full(m, 1e4))
    assert (K.diagonal() == 1.0).any()
    assert Preconditioner(K, kernel).least > 10.0


def test_no_floor_for_what_is_not_diagonally_dominant():
    """Columns with three entries: P could not be drawn from; K >= I is what is left."""
    B = sparse.csr_array(np.tril(np.ones((40, 40)), 1)[:, :3])
    K = sparse.csr_array(sparse.eye_array(40) + 1e4 * (B @ B.T))
    near = Preconditioner(K, None)
    assert near.least >= 1.0
    assert near.lower <= 1.0


def test_what_rounding_takes_of_a_residual():
    K = sparse.csr_array(np.diag([1.0, 1e6]))
    near = Preconditioner(K, None)
    x, v = np.ones((2, 1)), np.array([[1.0], [1e-6]])
    hidden = 2.0**-52 * np.sqrt(3.0**2 + 3.0**2)
    assert near.rounding_exceeds(np.array([0.99 * hidden]), x, v)
    assert not near.rounding_exceeds(np.array([1.01 * hidden]), x, v)


def test_a_preconditioner_that_rounding_makes_indefinite_tells_nothing():
    """Heavy edges next to light ones: what is told before counts, and no number is made up."""
    system, start = System(diagonal_matrix(np.linspace(1.0, 2.0, 50))), np.ones(50)
    system.precondition = np.negative
    assert lower_bound(system, start) == 0.0
    for last in range(1, 40):  # from some step on
        calls = iter(range(100))

        def turned(r, last=last, calls=calls):
            return r if next(calls) < last else -r

        system.precondition = turned
        assert 0.0 <= lower_bound(system, start) < 1.0


def test_a_small_world_with_heavy_and_light_edges_has_a_spectrum():
    """Where conjugate gradients for the floor are stuck before they tell anything."""
    graph = nx.watts_strogatz_graph(910, 20, 0.05, seed=5)
    for eps in (1e-6, 1e-7, 1e-8):
        S = cl.collapse(cl.clique_complex(graph), "unfolded", eps=eps)
        T = cl.collapse(S.source, "unfolded", eps=eps, solver=cl.Direct())
        x = np.arange(910.0)
        np.testing.assert_allclose(S @ x, T @ x, atol=1e-6)
        assert S.spectrum(4).residuals.max() < 1e-7
