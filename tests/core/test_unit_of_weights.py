"""Weights times c give c times the operator, for the weights that docs/promises.md names."""

import warnings

import networkx as nx
import numpy as np
import pytest
from everyday import everyday

import cellapse as cl
from cellapse._collapse.realizations import REALIZATIONS
from cellapse._operators.names import make_operator, operator_names

# Powers of c: of the weights of edges and of triangles, of eps, and of what comes out.
POWERS = {
    "renormalized": (1, 0, 0, 1),
    "screened": (1, 0, 0, 1),
    "unfolded": (1, 1, 1, 1),
    "boundary": (1, 0, 1, 1),
    "incidence": (1, 2, 1, 1),
    "mixed": (1, 2, 1, 1),
    "laplacian": (1, 0, 0, 1),
    "signless": (1, 0, 0, 1),
    "motif": (1, 0, 0, 1),
    "projection": (1, 1, 0, 1),
    "reliable": (1, 1, 0, 1),
    "multiorder": (1, 1, 0, 0),
    "zhou": (1, 1, 0, 0),
}


def operator(name, c=1.0):
    edges, triangles, eps, _ = POWERS[name]
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    rng = np.random.default_rng(0)
    weights = {
        1: rng.uniform(0.3, 3.0, K.n_cells[1]) * c**edges,
        2: rng.uniform(0.3, 3.0, K.n_cells[2]) * c**triangles,
    }
    cells = {k: (table.indptr, table.indices) for k, table in enumerate(K.cells) if k}
    K = cl.Complex.from_arrays(K.n_vertices, cells, weights=weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CellapseWarning)
        return make_operator(K, name, eps=1e-4 * c**eps if name in REALIZATIONS else None)


@pytest.mark.parametrize("c", [2.0**40, 2.0**-40, 1e6, 1e-6])
@pytest.mark.parametrize("name", operator_names())
def test_everything_scales(name, c):
    S, T, size = operator(name), operator(name, c), c ** POWERS[name][-1]
    near = {"rtol": 1e-9, "atol": 1e-12 * size * abs(S.toarray()).max()}
    np.testing.assert_allclose(T.toarray(), size * S.toarray(), **near)
    np.testing.assert_allclose(T.spectrum(8).values, size * S.spectrum(8).values, **near)
    x = np.random.default_rng(1).standard_normal(S.shape[0])
    assert T.energy(x) == pytest.approx(size * S.energy(x))
    assert (cl.cluster(S, 3).numbers == cl.cluster(T, 3).numbers).all()


def test_every_operator_says_what_it_scales_with():
    assert set(POWERS) == set(operator_names())


@pytest.mark.parametrize("of_eps", everyday((0, 1), quick=(1,)))
@pytest.mark.parametrize(
    "c", everyday([10.0**k for k in (-30, -20, -12, -9, -3, 0, 3, 9, 20, 30)], quick=(1e-30, 1e20))
)
@pytest.mark.parametrize("name", list(REALIZATIONS))
def test_the_theory_holds_in_any_unit(name, c, of_eps):
    graph = nx.karate_club_graph()
    for u, v in graph.edges:
        graph[u][v]["weight"] = c * (1 + (u + v) % 3)
    K = cl.clique_complex(graph, weight="weight")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CellapseWarning)
        S = cl.collapse(K, name, eps=1e-4 * c**of_eps)
        try:
            report = cl.theory.check(S)
        except cl.ConvergenceError:  # of weights 1e9 times as large as others: no digit is left
            assert name in ("incidence", "mixed")
            assert not 1e-9 < c < 1e30
            return
    assert report.holds, str(report)


@pytest.mark.parametrize("c", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("name", ["unfolded", "boundary"])
def test_what_is_indefinite_fails_in_any_unit(name, c):
    graph = nx.karate_club_graph()
    nx.set_edge_attributes(graph, c, "weight")
    K = cl.clique_complex(graph, weight="weight")
    bound = cl.collapse(K, name, eps=1e-9 * c).bound
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CellapseWarning)
        S = cl.collapse(K, name, gamma=cl.Unchecked((1.01 * bound).tolist()), eps=1e-9 * c)
        assert cl.theory.psd_condition(S).holds is False


@pytest.mark.parametrize(
    "realization", everyday(("unfolded", "boundary", "incidence"), quick=("unfolded",))
)
def test_what_an_error_of_smoothing_advises_helps(realization):
    """In a unit of 1e-11 the paper's S is next to singular beside 1 / strength."""
    graph = nx.karate_club_graph()
    for *_, data in graph.edges(data=True):
        data["weight"] *= 1e11
    K, y = cl.clique_complex(graph), np.cos(np.arange(34.0))
    S = cl.collapse(K, realization)
    with pytest.raises(cl.ConvergenceError, match=r"strength.*eps"):
        cl.smooth(S, y)
    assert np.isfinite(cl.smooth(S, y, strength=1e-11)).all()
    assert np.isfinite(cl.smooth(cl.collapse(K, realization, eps=1e7), y)).all()
