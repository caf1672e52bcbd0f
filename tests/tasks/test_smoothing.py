"""Smoothing, spectral filters, the heat equation, and the choice of the strength."""

from functools import partial
from importlib import import_module

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.linalg import expm_multiply
from strategies import operators, rebuilt, seeds

import cellapse as cl
from cellapse._linalg import blas
from cellapse.tasks import filters
from cellapse.tasks.filters import _slacks, expansion

RESPONSES = {
    "tikhonov": lambda a, x: 1 / (1 + a * x),
    "heat": lambda a, x: np.exp(-a * x),
    "wiener": lambda a, x: 1 / (1 + a * x**2),
}


def mesh(n=700):
    points = np.random.default_rng(0).random((n, 2))
    graph = nx.random_geometric_graph(n, 0.07, pos=dict(enumerate(points)))
    return cl.clique_complex(graph), points


@given(operators(), st.sampled_from(list(RESPONSES)), st.sampled_from([0.01, 0.2, 5.0]), seeds)
def test_each_method_is_its_function_of_the_eigenvalues(S, method, a, seed):
    y = np.random.default_rng(seed).standard_normal((S.shape[0], 3))
    values, V = np.linalg.eigh(S.toarray())
    expected = V @ (RESPONSES[method](a, values)[:, None] * (V.T @ y))
    np.testing.assert_allclose(cl.smooth(S, y, method=method, strength=a), expected, atol=1e-7)
    np.testing.assert_allclose(
        cl.smooth(S, y[:, 0], method=method, strength=a), expected[:, 0], atol=1e-7
    )


@pytest.mark.parametrize("realization", ["unfolded", "screened"])
def test_chebyshev_agrees_with_expm_multiply_and_the_full_spectrum(realization, monkeypatch):
    S = cl.collapse(mesh()[0], realization=realization)
    y = np.random.default_rng(1).standard_normal((S.shape[0], 2))
    M = S.toarray()
    for t, found in zip((0.0, 0.3, 7.0), cl.tasks.diffuse(S, y, [0.0, 0.3, 7.0]), strict=True):
        np.testing.assert_allclose(found, expm_multiply(-t * M, y), atol=1e-6)
    band = cl.tasks.band_pass(2.0, 4.0, 0.3)
    large = [cl.smooth(S, y, method="wiener", strength=2.0), cl.tasks.spectral_filter(S, y, band)]
    monkeypatch.setattr(filters, "DENSE", 10_000)
    small = [cl.smooth(S, y, method="wiener", strength=2.0), cl.tasks.spectral_filter(S, y, band)]
    np.testing.assert_allclose(large, small, atol=1e-6)


@given(st.sampled_from([1e-3, 1e-6, 1e-10]), st.floats(0.01, 50), st.floats(1, 100))
def test_the_expansion_keeps_its_error(error, time, upper):
    c = expansion(lambda x: np.exp(-time * x), upper, error)
    x = np.linspace(0, upper, 2001)
    found = np.polynomial.chebyshev.chebval(2 * x / upper - 1, c)
    assert abs(found - np.exp(-time * x)).max() <= error
    assert len(c) < 40 + 8 * np.sqrt(time * upper) + 2 * np.log(1 / error)


@pytest.mark.parametrize("method", ["tikhonov", "heat", "wiener"])
def test_scores_of_weak_strengths_go_to_their_limit(method):
    """n |f(S) y|^2 / (tr f(S))^2 with f(x) = x, or x^2, as what is taken away is a f(x)."""
    S = cl.collapse(mesh(60)[0])
    y = np.random.default_rng(0).standard_normal(60)
    A = np.linalg.matrix_power(S.toarray(), 2 if method == "wiener" else 1)
    limit = 60 * np.linalg.norm(A @ y) ** 2 / np.trace(A) ** 2
    scores = cl.tasks.choose_strength(S, y, method=method, strengths=[1e-300, 1e-20, 1e-12]).scores
    assert scores == pytest.approx(limit, rel=1e-6)


def test_more_strength_is_less_energy_and_constants_stay():
    L = cl.graph_laplacian(mesh(200)[0])
    y = np.random.default_rng(0).standard_normal(200)
    for method in RESPONSES:
        energy = [
            cl.tasks.dirichlet_energy(L, cl.smooth(L, y, method=method, strength=a))
            for a in (0, 1, 9)
        ]
        assert energy[0] > energy[1] > energy[2]
        ones = cl.smooth(L, np.ones(200), method=method, strength=3.0)
        np.testing.assert_allclose(ones, 1, atol=1e-8)


def test_permuting_the_vertices_permutes_the_result():
    K = cl.clique_complex(cl.datasets.load("dolphins").graph)
    order = np.random.default_rng(0).permutation(K.n_vertices)
    other = rebuilt(K, order=order)
    y = np.random.default_rng(1).standard_normal(K.n_vertices)
    for method in RESPONSES:
        one, two = (
            cl.smooth(cl.collapse(complex_, "unfolded"), x, method=method, strength="gcv")
            for complex_, x in ((K, y), (other, y[order]))
        )
        np.testing.assert_allclose(two, one[order], atol=1e-8)


@pytest.mark.parametrize("n", [400, 700])  # by all eigenpairs, and by quadrature
@pytest.mark.parametrize("method", list(RESPONSES))
def test_gcv_finds_nearly_the_best_strength(n, method):
    K, points = mesh(n)
    S = cl.collapse(K, realization="renormalized")
    truth = np.sin(3 * points[:, 0]) + np.cos(3 * points[:, 1])
    noisy = truth + 0.5 * np.random.default_rng(2).standard_normal(n)
    choice = cl.tasks.choose_strength(S, noisy, method=method)

    def error(a):
        return np.mean((cl.smooth(S, noisy, method=method, strength=a) - truth) ** 2)

    best = min(error(a) for a in choice.strengths[(choice.strengths > 1e-2)][:44:4])
    assert error(choice.strength) < 1.4 * best
    assert error(choice.strength) < 0.2 * error(0.0)


def test_the_score_of_gcv_by_its_definition():
    L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(9)))
    y = np.random.default_rng(0).standard_normal((9, 2))
    H = np.linalg.inv(np.eye(9) + 0.7 * L.toarray())
    expected = 9 * ((y - H @ y) ** 2).sum() / np.trace(np.eye(9) - H) ** 2
    assert cl.tasks.choose_strength(L, y, strengths=[0.7]).scores[0] == pytest.approx(expected)


def test_quadrature_agrees_with_all_eigenpairs(monkeypatch):
    module = import_module("cellapse.tasks.smoothing")

    S = cl.graph_laplacian(mesh()[0])
    y = np.random.default_rng(0).standard_normal((700, 2))
    rough = cl.tasks.choose_strength(S, y)
    monkeypatch.setattr(module, "DENSE", 10_000)
    exact = cl.tasks.choose_strength(S, y)
    middle = (exact.strengths > 1e-2) & (exact.strengths < 1e2)
    np.testing.assert_allclose(rough.scores[middle], exact.scores[middle], rtol=0.1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"signal": [1.0, np.nan, 0.0]}, "NaN"),
        ({"signal": [1.0, 2.0]}, "3"),
        ({"signal": ["a", "b", "c"]}, "numbers"),
        ({"method": "median"}, "tikhonov"),
        ({"method": "median", "strength": 0.0}, "tikhonov"),
        ({"strength": -1.0}, "0"),
        ({"strength": np.nan}, "0"),
        ({"strength": "auto"}, "gcv"),
        ({"strength": None}, "gcv"),
    ],
)
def test_bad_arguments_of_smooth(arguments, message):
    L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(3)))
    with pytest.raises(cl.InputError, match=message):
        cl.smooth(L, **{"signal": np.ones(3), **arguments})


def test_bad_arguments_of_filters():
    L = cl.graph_laplacian(mesh()[0])
    x = np.ones(700)
    with pytest.raises(cl.ConvergenceError, match="smoother"):
        cl.tasks.spectral_filter(L, x, lambda v: (v > 3).astype(float))
    with pytest.raises(cl.InputError, match="number"):
        cl.tasks.spectral_filter(L, x, lambda v: 1.0)
    with pytest.raises(cl.InputError, match="rtol"):
        cl.tasks.spectral_filter(L, x, np.cos, rtol=0)
    with pytest.raises(cl.InputError, match="low < high"):
        cl.tasks.band_pass(3, 2, 0.1)
    with pytest.raises(cl.InputError, match="times"):
        cl.tasks.diffuse(L, x, [-1.0])


def test_the_errors_of_all_products_add_up_to_what_the_terms_left_out_leave():
    """d_j is allowed; T_k takes 4 (k - j) d_j / b of it, and h takes c_k of that.

    Half of the error is for the terms left out, two fifths are for the products.
    """
    several = [np.array([0.5, 0.25, 0.0, 0.125]), np.array([1.0, -0.5])]
    largest = np.array([1.0, 0.5, 0.0, 0.125])
    slacks = _slacks(several)
    total = sum(
        4 * (k - j) * slacks[j] * largest[k] for k in range(4) for j in range(k)
    )  # equal shares of three products out of four
    assert total == pytest.approx(0.4 * 3 / 4)
    assert (np.diff(slacks) > 0).all()


def test_coarse_late_products_keep_the_error_that_was_asked_for():
    K = cl.clique_complex(nx.gnp_random_graph(1500, 0.008, seed=3))
    S = cl.collapse(K, "unfolded")
    y = np.random.default_rng(0).standard_normal((1500, 2))
    values, vectors = np.linalg.eigh(S.toarray())
    truth = vectors @ (np.exp(-values)[:, None] * (vectors.T @ y))
    error = np.linalg.norm(cl.smooth(S, y, method="heat") - truth, axis=0)
    assert (error <= 1e-8 * np.linalg.norm(y, axis=0)).all()


def test_many_signals_are_filtered_as_each_alone(monkeypatch):
    """Eight columns at a time; none at all are none."""
    L = cl.graph_laplacian(cl.clique_complex(nx.cycle_graph(600)))
    x = np.random.default_rng(0).standard_normal((600, 20))
    monkeypatch.setattr(blas, "CACHE", 8 * 600)  # one column
    assert len(blas.column_blocks(x)) == 3
    together = filters.spectral_filter(L, x, lambda v: np.exp(-v))
    for j in range(20):
        alone = filters.spectral_filter(L, x[:, j], lambda v: np.exp(-v))
        np.testing.assert_allclose(together[:, j], alone, atol=1e-12)
    assert filters.spectral_filter(L, x[:, :0], lambda v: np.exp(-v)).shape == (600, 0)


@pytest.mark.parametrize(
    "make", [cl.graph_laplacian, cl.collapse, partial(cl.collapse, realization="unfolded")]
)
def test_many_signals_are_solved_for_as_each_alone(make, monkeypatch):
    """A few columns at a time where the graph expands, to the promised error in the energy norm."""
    S = make(cl.clique_complex(nx.gnp_random_graph(1200, 0.01, seed=5)))
    x = np.random.default_rng(0).standard_normal((1200, 20)) * np.geomspace(1e-3, 1e3, 20)
    matrix = S.toarray() + np.eye(1200)
    truth = np.linalg.solve(matrix, x)
    monkeypatch.setattr(blas, "CACHE", 8 * 1200)  # one column of double precision
    assert len(blas.column_blocks(x)) == 3
    e = cl.smooth(S, x) - truth
    energy, whole = (np.sqrt(np.einsum("ij,ij->j", y, matrix @ y)) for y in (e, truth))
    assert (energy <= 1e-8 * whole).all()
    np.testing.assert_allclose(cl.smooth(S, x[:, 19]), truth[:, 19], atol=1e-5)
    assert cl.tasks.smooth(S, x[:, :0]).shape == (1200, 0)
    assert S.solve(x[:, :0], shift=1.0).shape == (1200, 0)
