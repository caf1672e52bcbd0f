"""Kernels and Gaussian processes, against dense matrix functions and conditional normals."""

import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import assert_close, dense
from scipy import linalg, stats
from strategies import operators

import cellapse as cl

KARATE = cl.collapse(nx.karate_club_graph())


def power(M, nu, length):
    """(I + length^2 / (2 nu) M)^-nu by SciPy's fractional powers."""
    return linalg.fractional_matrix_power(np.eye(len(M)) + length**2 / (2 * nu) * M, -nu)


@given(operators(), st.sampled_from([0.5, 1.0, 1.5, 3.0]), st.sampled_from([0.0, 0.3, 2.0]))
def test_kernels_are_functions_of_the_matrix(S, nu, length):
    M = S.toarray()
    assert_close(cl.matern_kernel(S, nu, length), power(M, nu, length), 1e-7, 1.0)
    assert_close(cl.diffusion_kernel(S, length), linalg.expm(-length * M), 1e-7, 1.0)


@pytest.mark.parametrize("nu", [1, 2, 1.5])
@pytest.mark.parametrize("name", ["renormalized", "unfolded"])
def test_products_on_large_graphs_by_either_way(nu, name):
    points = np.random.default_rng(0).random((700, 2))
    S = cl.make_operator(cl.lifts.nearest_neighbour_complex(points, 6), name)
    K = cl.matern_kernel(S, nu, 2.0)
    assert ("solves" in K.method) == (nu != 1.5 and name == "renormalized")
    x = np.random.default_rng(1).standard_normal((700, 3))
    values, vectors = linalg.eigh(S.toarray())
    expected = vectors @ ((1 + 4 / (2 * nu) * values)[:, None] ** -nu * (vectors.T @ x))
    assert_close(K @ x, expected, 1e-8)
    assert_close(pickle.loads(pickle.dumps(K)) @ x, K @ x)


def test_a_matern_kernel_becomes_one_of_diffusion():
    wide, limit = cl.matern_kernel(KARATE, 1e6, 1.3), cl.diffusion_kernel(KARATE, 1.3**2 / 2)
    assert_close(wide, limit, 1e-5)


def test_a_kernel_is_an_operator():
    K = cl.diffusion_kernel(KARATE, 2.0)
    M = K.toarray()
    assert_close(K.spectrum(3).values, linalg.eigvalsh(M)[:3], 1e-9, 1.0)
    assert_close(
        K.solve(np.arange(34.0), 0.5), np.linalg.solve(M + 0.5 * np.eye(34), np.arange(34))
    )
    assert (K @ pd.Series(1.0, index=K.labels)).to_numpy() == pytest.approx(np.ones(34))
    assert_close(K.diagonal(), M.diagonal())
    assert "diffusion" in repr(K)


# ---------------------------------------------------------------- regression

KNOWN = {v: np.sin(v / 5) for v in (0, 2, 5, 8, 13, 21, 30, 33)}


def joint(process, nu):
    """The prior covariance of all vertices, of mean variance one, and the noise."""
    values, vectors = linalg.eigh(KARATE.toarray())
    response = (1 + process.length**2 / (2 * nu) * np.maximum(values, 0)) ** -nu
    if process.kernel == "diffusion":
        response = np.exp(-(process.length**2) / 2 * np.maximum(values, 0))
    K = (vectors * response) @ vectors.T
    return process.amplitude * K / np.trace(K) * len(K)


@pytest.mark.parametrize("kernel", ["matern", "diffusion"])
@pytest.mark.parametrize("given_", [{}, {"length": 1.5}, {"noise": 0.1}])
def test_mean_and_deviation_are_those_of_a_conditional_normal(kernel, given_):
    process = cl.gaussian_process(KARATE, KNOWN, kernel=kernel, nu=2.5, **given_)
    K = joint(process, 2.5)
    at, y = np.array(list(KNOWN)), np.array(list(KNOWN.values()))
    inside = K[np.ix_(at, at)] + process.noise * np.eye(len(at))
    gain = np.linalg.solve(inside, K[at]).T
    assert process.mean == pytest.approx(y.mean() + gain @ (y - y.mean()), abs=1e-6)
    variance = (K - gain @ K[at]).diagonal()
    assert process.deviation**2 == pytest.approx(variance, abs=1e-6)
    density = stats.multivariate_normal(np.full(len(at), y.mean()), inside).logpdf(y)
    assert process.log_likelihood == pytest.approx(density, abs=1e-5)
    if "noise" in given_:
        assert process.noise == pytest.approx(0.1)
    assert process.rest == 0.0


def test_left_out_values_are_those_of_a_process_without_them():
    """With the same hyperparameters; the centre is that of all known values."""
    process = cl.gaussian_process(KARATE, KNOWN, length=1.0, noise=0.05)
    K = joint(process, 1.5)
    at, y = np.array(list(KNOWN)), np.array(list(KNOWN.values()))
    inside = K[np.ix_(at, at)] + 0.05 * np.eye(len(at))
    errors = []
    for i in range(len(at)):
        rest = np.arange(len(at)) != i
        found = inside[i, rest] @ np.linalg.solve(inside[np.ix_(rest, rest)], (y - y.mean())[rest])
        errors.append(found - (y[i] - y.mean()))
    assert process.left_out == pytest.approx(np.sqrt(np.mean(np.square(errors))) / y.std())


def test_what_is_chosen_has_the_largest_likelihood():
    best = cl.gaussian_process(KARATE, KNOWN)
    for length in best.length * np.array([0.3, 0.8, 1.25, 4.0]):
        other = cl.gaussian_process(KARATE, KNOWN, length=float(length))
        assert other.log_likelihood <= best.log_likelihood + 1e-4
    for noise in best.noise * np.array([0.5, 2.0]):
        other = cl.gaussian_process(KARATE, KNOWN, length=best.length, noise=float(noise))
        assert other.log_likelihood <= best.log_likelihood + 1e-4


def test_a_process_that_was_drawn_is_found_again():
    """Errors are as large as the deviations say, and hyperparameters near those drawn from."""
    L = cl.graph_laplacian(nx.convert_node_labels_to_integers(nx.grid_2d_graph(20, 20)))
    K = dense(cl.matern_kernel(L, 2, 4.0).toarray())
    K /= K.trace() / 400
    rng = np.random.default_rng(2)
    f = 3.0 + linalg.cholesky(K + 1e-10 * np.eye(400), lower=True) @ rng.standard_normal(400)
    at = rng.permutation(400)[:300]
    known = pd.Series(f[at] + 0.4 * rng.standard_normal(300), index=at)
    process = cl.gaussian_process(L, known, nu=2)
    assert 2.0 < process.length < 8.0
    assert 0.08 < process.noise < 0.3
    hidden = np.setdiff1d(np.arange(400), at)
    scores = (process.mean - f)[hidden] / process.deviation[hidden]
    assert 0.8 < scores.std() < 1.25
    few = cl.gaussian_process(L, known, nu=2, length=process.length, n_eigenpairs=100)
    assert np.corrcoef(few.mean, process.mean)[0, 1] > 0.8
    assert 0.1 < few.rest < 0.9
    most = cl.gaussian_process(L, known, nu=2, length=process.length, n_eigenpairs=350)
    assert abs(most.mean - process.mean).max() < 0.4
    assert most.rest < few.rest


def test_components_without_a_known_value_keep_the_prior():
    two = nx.disjoint_union(nx.path_graph(6), nx.path_graph(6))
    L = cl.graph_laplacian(two)
    process = cl.gaussian_process(L, {0: 1.0, 3: 2.0, 5: 3.0})
    assert process.mean[6:] == pytest.approx(np.full(6, 2.0))
    assert (process.deviation[6:] > process.deviation[:6].max()).all()


def test_constant_values_and_graphs_without_edges_are_no_error():
    flat = cl.gaussian_process(KARATE, dict.fromkeys(KNOWN, 2.0))
    assert flat.mean == pytest.approx(np.full(34, 2.0))
    alone = cl.graph_laplacian(cl.Complex.from_arrays(4, {}))
    process = cl.gaussian_process(alone, [1.0, 3.0, np.nan, None])
    assert process.mean[2:] == pytest.approx([2.0, 2.0])


@pytest.mark.parametrize("noise", [1e-9, 1e-4, 1.0, 1e3, 1e8])
def test_a_noise_that_is_given_is_that_of_the_process(noise):
    known = {v: np.sin(v / 5.0) for v in range(0, 30, 3)}
    process = cl.gaussian_process(cl.graph_laplacian(nx.path_graph(30)), known, noise=noise)
    assert process.noise == pytest.approx(noise)
    at = list(known)
    if noise < 1e-3:  # the values are true, and between them little is known
        assert process.mean[at] == pytest.approx(list(known.values()), abs=1e-2)
        assert process.deviation[at].max() < 2.0 * noise**0.5 + 1e-6
        assert process.amplitude > 0.1
    if noise > 100.0:  # the values say nothing
        assert process.mean == pytest.approx(np.mean(list(known.values())), abs=1e-2)
        assert process.amplitude < 1.0


@pytest.mark.parametrize("unit", [1e-90, 1e-6, 1e6, 1e90])
def test_the_unit_of_values_is_that_of_the_process(unit):
    one = cl.gaussian_process(KARATE, KNOWN)
    other = cl.gaussian_process(KARATE, {v: unit * y for v, y in KNOWN.items()})
    assert other.mean / unit == pytest.approx(one.mean)
    assert other.deviation / unit == pytest.approx(one.deviation)
    assert (other.length, other.noise / unit**2) == pytest.approx((one.length, one.noise))


BAD = {
    "values without squares": ({0: 1e-200, 1: 2e-200}, {}, "variance"),
    "values beyond squares": ({0: 1e200, 1: 2e200}, {}, "variance"),
    "noise that is rounding": (KNOWN, {"noise": 1e-30}, "noise"),
    "noise beyond the values": (KNOWN, {"noise": 1e30}, "noise"),
    "a length without a square": (KNOWN, {"length": 1e200}, "length"),
    "one value": ({0: 1.0}, {}, "two or more"),
    "an unknown vertex": ({0: 1.0, 99: 2.0}, {}, "99"),
    "too few": ([1.0, 2.0], {}, "34"),
    "words": ({0: "a", 1: "b"}, {}, "text"),
    "infinity": ({0: np.inf, 1: 1.0}, {}, "infinite"),
    "kernel": (KNOWN, {"kernel": "rbf"}, "kernel"),
    "nu": (KNOWN, {"nu": 0}, "nu"),
    "length": (KNOWN, {"length": -1.0}, "length"),
    "noise": (KNOWN, {"noise": 0.0}, "noise"),
    "eigenpairs": (KNOWN, {"n_eigenpairs": 35}, "n_eigenpairs"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_makes_no_process_is_refused(case):
    known, options, named = BAD[case]
    with pytest.raises(cl.InputError, match=named):
        cl.gaussian_process(KARATE, known, **options)


@pytest.mark.parametrize(
    ("nu", "length"), [(0, 1), (1, -1), ("a", 1), (1, np.inf), (1, 1e160), (1e-300, 1e90)]
)
def test_kernels_need_positive_numbers(nu, length):
    with pytest.raises(cl.InputError):
        cl.matern_kernel(KARATE, nu, length)
    with pytest.raises(cl.InputError):
        cl.diffusion_kernel(KARATE, -1.0)


def test_the_score_of_the_estimator_is_that_of_known_values():
    from sklearn.metrics import r2_score
    from sklearn.model_selection import cross_val_score

    X = np.random.default_rng(0).random((40, 2))
    y, known = X[:, 0].copy(), np.arange(40) % 3 > 0
    y[~known] = np.nan
    model = cl.CollapsedGPRegressor(n_neighbors=5, noise=0.01).fit(X, y)
    weight = np.arange(1.0, 41.0)
    predicted = model.predict(X)[known]
    assert model.score(X, y) == pytest.approx(r2_score(y[known], predicted))
    assert model.score(X, y, weight) == pytest.approx(
        r2_score(y[known], predicted, sample_weight=weight[known])
    )
    assert np.isfinite(cross_val_score(model, X, y, cv=3)).all()
    for wrong in (np.full(40, np.nan), y[:-1], ["a"] * 40, np.ones((40, 2))):
        with pytest.raises(cl.InputError):
            model.score(X, wrong)
    with pytest.raises(cl.InputError):
        model.fit(X, ["a"] * 40)


def test_the_estimator_is_the_task_on_the_graph_of_the_rows():
    rng = np.random.default_rng(0)
    X = rng.random((80, 2))
    y = np.sin(5 * X[:, 0])
    gaps = np.where(np.arange(80) % 3 == 0, np.nan, y)
    model = cl.CollapsedGPRegressor(operator="laplacian").fit(X, gaps)
    mean, deviation = model.predict(X, return_std=True)
    assert mean == pytest.approx(model.process_.mean)
    assert deviation[::3].mean() > deviation[1::3].mean()
    assert np.abs(mean - y)[::3].mean() < 0.2
    complete = cl.CollapsedGPRegressor().fit(X, y)
    assert complete.score(X, y) > 0.95
    graph = cl.CollapsedGPRegressor(affinity="precomputed").fit(
        nx.to_numpy_array(nx.karate_club_graph()), np.arange(34.0)
    )
    assert graph.process_.mean.shape == (34,)
    with pytest.raises(cl.InputError, match="NaN"):
        model.fit(X, np.full(80, np.nan))
