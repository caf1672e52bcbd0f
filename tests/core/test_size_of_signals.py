"""What is linear in a signal is linear in it whatever its size: f(2^k x) = 2^k f(x)."""

import warnings

import networkx as nx
import numpy as np
import pytest
from everyday import everyday
from toys import karate

import cellapse as cl
from cellapse import tasks
from cellapse._operators.names import make_operator, operator_names

GRAPHS = {
    "small": karate(),
    "large": nx.gnm_random_graph(600, 1500, seed=2),  # filters by polynomials
}
POWERS = (-1000, -540, 210, 900)

LINEAR = {
    "product": lambda S, x: S @ x,
    "complete": lambda S, x: np.vstack(list(S.complete(x).values())),
    "solve": lambda S, x: S.solve(x),
    "solve shifted": lambda S, x: S.solve(x, shift=0.1),
    "solve far": lambda S, x: S.solve(x, shift=1e-9),
    "tikhonov": lambda S, x: tasks.smooth(S, x, strength=3.0),
    "heat": lambda S, x: tasks.smooth(S, x, strength=3.0, method="heat"),
    "wiener": lambda S, x: tasks.smooth(S, x, strength=3.0, method="wiener"),
    "gcv": lambda S, x: tasks.smooth(S, x, strength="gcv"),
    "diffuse": lambda S, x: np.vstack(tasks.diffuse(S, x, [0.5, 2.0])),
    "filter": lambda S, x: tasks.spectral_filter(S, x, lambda v: np.exp(-v)),
    "variation": lambda S, x: tasks.total_variation(S, x),
}


def operator(name, size):
    K = cl.clique_complex(GRAPHS[size], weight=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CellapseWarning)
        return make_operator(K, name)


def signals(S):
    """A wave, noise, and a column of zeros."""
    n = S.shape[0]
    noise = np.random.default_rng(0).standard_normal(n)
    return np.column_stack([np.linspace(-1.0, 1.0, n), noise, np.zeros(n)])


@pytest.mark.parametrize(
    "name", everyday(operator_names(), quick=("unfolded", "laplacian", "zhou"))
)
@pytest.mark.parametrize("task", LINEAR)
def test_linear_whatever_the_size(task, name):
    check(task, operator(name, "small"), POWERS)


@pytest.mark.parametrize("task", LINEAR)
@pytest.mark.parametrize(
    "name", everyday(("renormalized", "unfolded", "laplacian"), quick=("unfolded",))
)
def test_linear_on_more_vertices(task, name):
    check(task, operator(name, "large"), (-540, 500))


def near(found, expected):
    """To what a solution is good for."""
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-6 * abs(expected).max())


def check(task, S, powers):
    if task == "complete" and not hasattr(S, "complete"):
        pytest.skip("a baseline completes nothing")
    x, act = signals(S), LINEAR[task]
    try:
        expected = act(S, x)
    except cl.ConvergenceError:  # of a singular operator whose kernel is not known
        pytest.skip("not solvable")
    for k in powers:
        # Every column has a size of its own.
        y = np.ldexp(x, np.array([k, k // 2, 0]))
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            result = act(S, y)
        if task == "gcv":  # one strength for all columns: that of the largest
            assert np.isfinite(result).all()
            y, expected = np.ldexp(x, k), act(S, x)
            result = np.ldexp(act(S, y), -k)
        else:
            result = np.ldexp(result, -np.array([k, k // 2, 0]))
        near(result, expected)
        one = act(S, np.ldexp(x[:, 0], k)) if task not in ("complete", "diffuse", "gcv") else None
        if one is not None:
            near(np.ldexp(one, -k), expected.T[0].T)


@pytest.mark.parametrize("k", [-600, -500, 400, 500, 600])
@pytest.mark.parametrize("name", operator_names())
def test_energies_are_right_zero_or_infinite(name, k):
    S = operator(name, "small")
    x = signals(S)[:, 0]
    expected = {"S": S.energy(x), "task": tasks.dirichlet_energy(S, x)}
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        found = {
            "S": S.energy(np.ldexp(x, k)),
            "task": tasks.dirichlet_energy(S, np.ldexp(x, k)),
        }
        assert S.energy(np.ldexp(x, k) * 1j) == pytest.approx(found["S"], rel=1e-9)
    for key, energy in expected.items():
        with np.errstate(over="ignore", under="ignore"):
            assert found[key] == pytest.approx(float(np.ldexp(energy, 2 * k)), rel=1e-9)


@pytest.mark.parametrize("k", [-400, 400])
def test_the_influence_on_an_energy(k):
    S = operator("renormalized", "small")
    x = signals(S)[:, 0]
    small, large = (tasks.cell_influence(S, "energy", np.ldexp(x, j)) for j in (0, k))
    for rank, values in small.by_rank.items():
        np.testing.assert_allclose(np.ldexp(large.by_rank[rank], -2 * k), values, rtol=1e-9)


def test_an_energy_beyond_all_numbers_is_infinite():
    S = operator("renormalized", "small")
    assert S.energy(1e200 * signals(S)[:, 0]) == np.inf
    assert (tasks.dirichlet_energy(S, 1e200 * signals(S)) == [np.inf, np.inf, 0.0]).all()
