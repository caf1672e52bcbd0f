"""The magnetic Laplacian: by hand, q = 0, directed cycles, and every eigenvalue against NumPy."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cellapse as cl


def dense(A, q):
    """The definition, for arrays."""
    W = (A + A.T) / 2
    with np.errstate(invalid="ignore"):
        share = np.where(W > 0, (A - A.T) / (A + A.T), 0.0)
    return np.diag(W.sum(axis=1)) - W * np.exp(2j * np.pi * q * share)


@st.composite
def arcs(draw):
    n = draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    A = rng.choice([1.0, 2.0, 0.5], (n, n)) * (rng.random((n, n)) < draw(st.floats(0.1, 0.7)))
    np.fill_diagonal(A, 0.0)
    return A


CHARGES = st.sampled_from([0.0, 0.05, 0.25, 1 / 3, 0.5, -0.25])


def test_one_arc_by_hand():
    """A quarter turn: half its weight, and i where it is entered."""
    H = cl.magnetic_laplacian(nx.DiGraph([("a", "b")]), q=0.25)
    np.testing.assert_allclose(H.toarray(), [[0.5, -0.5j], [0.5j, 0.5]], atol=1e-15)
    assert H.labels == ("a", "b")
    np.testing.assert_allclose(H @ [1.0, 0.0], [0.5, 0.5j], atol=1e-15)


@given(arcs(), CHARGES)
def test_all_eigenpairs_are_those_of_the_hermitian_matrix(A, q):
    H, expected = cl.magnetic_laplacian(A, q), dense(A, q)
    np.testing.assert_allclose(H.toarray(), expected, atol=1e-14)
    values = np.linalg.eigvalsh(expected)
    assert H.kernel.shape[1] == (values < 1e-9).sum()
    assert abs(H @ H.kernel.toarray()).max(initial=0.0) < 1e-12
    for k in {1, (len(A) + 1) // 2, len(A)}:
        found = H.spectrum(k)
        np.testing.assert_allclose(found.values, values[:k], atol=1e-9)
        V = found.vectors
        np.testing.assert_allclose(expected @ V, V * found.values, atol=1e-8)
        np.testing.assert_allclose(V.conj().T @ V, np.eye(k), atol=1e-9)


@given(arcs())
def test_without_charge_it_is_the_laplacian_of_both_directions(A):
    H = cl.magnetic_laplacian(A, q=0.0)
    W = (A + A.T) / 2
    expected = nx.laplacian_matrix(nx.from_numpy_array(W)).toarray()
    np.testing.assert_allclose(H.toarray(), expected, atol=1e-12)
    np.testing.assert_allclose(H.spectrum().values, np.linalg.eigvalsh(expected), atol=1e-9)


@given(arcs(), CHARGES)
def test_turned_round_it_is_the_conjugate(A, q):
    H, back = cl.magnetic_laplacian(A, q), cl.magnetic_laplacian(A.T, q)
    np.testing.assert_allclose(back.toarray(), H.toarray().conj(), atol=1e-14)


def test_edges_without_direction_turn_nothing():
    G = nx.karate_club_graph()
    L = nx.laplacian_matrix(G, nodelist=list(G)).toarray()
    np.testing.assert_allclose(cl.magnetic_laplacian(G, 0.2).toarray(), L, atol=1e-12)


@pytest.mark.parametrize("m", [3, 4, 300])
def test_a_directed_cycle_fits_a_charge_of_one_over_its_length(m):
    """(1 - cos(2 pi (k / m - q))) for k = 0, ..., m - 1."""
    cycle = nx.cycle_graph(m, create_using=nx.DiGraph)
    for q in (1 / m, 0.25, 0.1):
        found = cl.magnetic_laplacian(cycle, q).spectrum(3)
        expected = np.sort(1.0 - np.cos(2 * np.pi * (np.arange(m) / m - q)))[:3]
        np.testing.assert_allclose(found.values, expected, atol=1e-9)
        assert found.certified
    assert cl.magnetic_laplacian(cycle, 1 / m).spectrum(1).values[0] == 0.0


def test_masses_and_evidence():
    G = nx.gnp_random_graph(60, 0.05, seed=1, directed=True)
    H = cl.magnetic_laplacian(G, 0.2)
    found = H.spectrum(5, "diagonal")
    D = H.toarray().diagonal().real.copy()
    D[D == 0] = D[D > 0].mean()
    root = D**-0.5
    scaled = root[:, None] * H.toarray() * root
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(scaled)[:5], atol=1e-9)
    V = found.vectors
    np.testing.assert_allclose(V.conj().T @ (D[:, None] * V), np.eye(5), atol=1e-9)
    assert found.residuals.max() < 1e-9
    assert found.n_zeros == H.kernel.shape[1]
    again = cl.magnetic_laplacian(G, 0.2).spectrum(5, "diagonal").vectors
    assert (again == V).all()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cl.magnetic_laplacian([[0.0, -1.0], [0.0, 0.0]]), "signed_laplacian"),
        (lambda: cl.magnetic_laplacian([[0.0, 1.0], [0.0, 0.0]], q=np.nan), "finite"),
        (lambda: cl.magnetic_laplacian([[0.0, 1.0], [0.0, 0.0]]).spectrum(3), "k"),
        (lambda: cl.cluster(cl.magnetic_laplacian([[0.0, 1.0], [0.0, 0.0]]), 2), "real"),
        (lambda: cl.collapse(nx.DiGraph([(0, 1)])), "magnetic_laplacian"),
    ],
)
def test_what_it_is_not_for_is_said(call, said):
    with pytest.raises(cl.InputError, match=said):
        call()
