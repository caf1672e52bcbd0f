"""Heat and wave kernel signatures."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from scipy.linalg import expm
from strategies import operators, rebuilt

import cellapse as cl
from cellapse.tasks import signatures as signature

KARATE = cl.clique_complex(nx.karate_club_graph(), weight=None)


@given(operators())
def test_the_heat_signature_is_the_diagonal_of_the_heat_kernel(S):
    found = cl.heat_kernel_signature(S, [0.0, 0.3, 4.0])
    expected = np.column_stack([np.diag(expm(-t * S.toarray())) for t in (0.0, 0.3, 4.0)])
    np.testing.assert_allclose(found.features, expected, atol=1e-8)
    assert found.error == 0.0


def test_the_default_is_sixteen_times_and_three_scales():
    raw = cl.heat_kernel_signature(cl.collapse(KARATE, "unfolded"))
    assert raw.features.shape == (34, 16)
    np.testing.assert_allclose(raw.at[[0, -1]], [0.1, 24.0])
    log = cl.heat_kernel_signature(cl.collapse(KARATE, "unfolded"), scale="log").features
    np.testing.assert_allclose(log, np.log(raw.features))
    z = cl.heat_kernel_signature(cl.collapse(KARATE, "unfolded"), scale="logz").features
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(z.std(axis=0), 1, atol=1e-10)
    cycle = cl.graph_laplacian(cl.clique_complex(nx.cycle_graph(6)))
    assert not cl.heat_kernel_signature(cycle, scale="logz").features.any()  # all alike


def test_some_eigenpairs_come_with_a_bound_that_holds():
    S = cl.collapse(KARATE, realization="screened")
    exact = cl.heat_kernel_signature(S).features
    for k in (3, 10, 30):
        some = cl.heat_kernel_signature(S.spectrum(k))
        gap = exact - some.features
        assert gap.min() > -1e-9
        assert (gap / some.features).max() <= some.error * (1 + 1e-9) + 1e-9
    late = cl.heat_kernel_signature(S.spectrum(20), [30.0])
    assert late.error < 1e-3


def test_the_bound_of_what_is_missing_by_hand():
    """A path of three without its last pair, (1, -2, 1) / 6^(1/2): 1/6, 2/3, 1/6 is missing."""
    L = cl.graph_laplacian(nx.path_graph(3))
    some = cl.heat_kernel_signature(L.spectrum(2), [0.5])
    kept = np.array([1 / 3 + np.exp(-0.5) / 2, 1 / 3, 1 / 3 + np.exp(-0.5) / 2])
    np.testing.assert_allclose(some.features.ravel(), kept, rtol=1e-9)
    bound = np.array([1 / 6, 2 / 3, 1 / 6]) * np.exp(-0.5) / kept
    assert some.error == pytest.approx(bound.max(), rel=1e-9)
    assert cl.heat_kernel_signature(L.spectrum(3), [0.5]).error == 0.0


def test_probes_keep_the_stated_error(monkeypatch):
    S = cl.collapse(cl.clique_complex(nx.random_geometric_graph(800, 0.06, seed=1)), "unfolded")
    exact = cl.heat_kernel_signature(S).features
    monkeypatch.setattr(signature, "_FULL", 100)
    rough = cl.heat_kernel_signature(S, n_probes=128)
    assert rough.error == pytest.approx(0.125)
    deviation = rough.features / exact - 1
    assert np.sqrt((deviation**2).mean()) == pytest.approx(rough.error, rel=0.25)
    again = cl.heat_kernel_signature(S, n_probes=128)
    np.testing.assert_allclose(rough.features, again.features, rtol=1e-9)


@given(operators(eps=(1e-4, 1e-2, 1.0)))
def test_the_wave_signature_by_its_formula(S):
    values, V = np.linalg.eigh(S.toarray())
    positive = values > 1e-8 * max(abs(S.A).sum(axis=1).max(initial=0.0), 1e-300)
    if not positive.any():
        with pytest.raises(cl.InputError, match="edge"):
            cl.wave_kernel_signature(S)
        return
    found = cl.wave_kernel_signature(S, [0.0, 1.0], sigma=0.7)
    log = np.log(values[positive])
    g = np.exp(-((np.array([0.0, 1.0]) - log[:, None]) ** 2) / (2 * 0.7**2))
    expected = V[:, positive] ** 2 @ (g / g.sum(axis=0))
    np.testing.assert_allclose(found.features, expected, atol=1e-6)


def test_a_narrow_band_far_from_every_eigenvalue_is_finite():
    L = cl.graph_laplacian(KARATE)
    found = cl.wave_kernel_signature(L, [-50.0, 50.0], sigma=1e-3)
    assert np.isfinite(found.features).all()
    one_value = cl.graph_laplacian(cl.clique_complex(nx.complete_graph(5)))
    np.testing.assert_allclose(cl.wave_kernel_signature(one_value).features, 0.2)


@pytest.mark.parametrize("task", [cl.heat_kernel_signature, cl.wave_kernel_signature])
def test_permuting_the_vertices_permutes_the_signatures(task):
    order = np.random.default_rng(0).permutation(34)
    one, two = (
        np.asarray(task(cl.collapse(K, "unfolded"))) for K in (KARATE, rebuilt(KARATE, order=order))
    )
    np.testing.assert_allclose(two, one[order], atol=1e-9)


def test_bad_arguments():
    L = cl.graph_laplacian(KARATE)
    with pytest.raises(cl.InputError, match="times"):
        cl.heat_kernel_signature(L, [-1.0])
    with pytest.raises(cl.InputError, match="times"):
        cl.heat_kernel_signature(L, [])
    with pytest.raises(cl.InputError, match="scale"):
        cl.heat_kernel_signature(L, scale="sqrt")
    with pytest.raises(cl.InputError, match="mass"):
        cl.heat_kernel_signature(L.spectrum(5, "diagonal"))
    with pytest.raises(cl.InputError, match="sigma"):
        cl.wave_kernel_signature(L, sigma=0.0)
    with pytest.raises(cl.InputError, match="n_energies"):
        cl.wave_kernel_signature(L, n_energies=0)
    with pytest.raises(cl.InputError, match="energies"):
        cl.wave_kernel_signature(L, [np.nan])
    with pytest.raises(cl.InputError, match="vertices"):
        cl.heat_kernel_signature(np.zeros((0, 0)))
