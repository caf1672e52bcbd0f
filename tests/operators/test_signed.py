"""Edges with signs: by hand, by Harary's theorem of balance, and against NumPy."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import cellapse as cl

FRIENDS = np.array([[0, 1, -1, -1], [1, 0, -1, -1], [-1, -1, 0, 1], [-1, -1, 1, 0]], dtype=float)


def laplacian(A):
    return np.diag(abs(A).sum(axis=1)) - A


@st.composite
def signed_graphs(draw):
    """An adjacency of up to nine vertices with weights of both signs."""
    n = draw(st.integers(2, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kept = rng.random((n, n)) < draw(st.sampled_from([0.3, 0.6, 1.0]))
    A = np.triu(kept * rng.choice([-2.0, -1.0, 1.0, 0.5], (n, n)), 1)
    return A + A.T


def is_balanced(A):
    """Whether two groups exist, by trying all."""
    n = len(A)
    for code in range(2 ** (n - 1)):
        x = np.array([1.0, *(1.0 - 2.0 * (code >> i & 1) for i in range(n - 1))])
        if (A * np.outer(x, x) >= 0).all():
            return True
    return False


def test_two_groups_of_friends_by_hand():
    L = cl.signed_laplacian(FRIENDS)
    assert L.toarray().tolist() == laplacian(FRIENDS).tolist()
    spectrum = L.spectrum()
    np.testing.assert_allclose(spectrum.values, [0, 4, 4, 4], atol=1e-12)
    np.testing.assert_allclose(spectrum.vectors[:, 0] * 2, [1, 1, -1, -1], atol=1e-12)
    found = cl.cluster(cl.collapse(cl.signed_boundaries(FRIENDS), "unfolded"), 2).numbers
    assert found[0] == found[1] != found[2] == found[3]


@given(signed_graphs())
def test_the_smallest_eigenvalue_is_zero_on_balanced_components_alone(A):
    L = cl.signed_laplacian(A)
    values = np.linalg.eigvalsh(laplacian(A))
    np.testing.assert_allclose(L.spectrum().values, values, atol=1e-10)
    G = nx.from_numpy_array(A)
    balanced = [is_balanced(A[np.ix_(c, c)]) for c in map(sorted, nx.connected_components(G))]
    assert L.kernel.shape[1] == sum(balanced) == (values < 1e-9).sum()


@given(signed_graphs(), st.integers(1, 4))
def test_boundaries_are_a_chain_complex_of_the_balanced_cliques(A, max_rank):
    B = cl.signed_boundaries(A, max_rank)
    np.testing.assert_allclose((B[0] @ B[0].T).toarray(), laplacian(A), atol=1e-12)
    assert cl.is_chain_complex(B)
    cliques = [c for c in nx.enumerate_all_cliques(nx.from_numpy_array(A)) if len(c) > 1]
    for k, count in enumerate(B.n_cells[1:], start=1):
        of_size = [c for c in cliques if len(c) == k + 1]
        assert count == sum(is_balanced(A[np.ix_(c, c)]) for c in of_size)


@pytest.mark.parametrize("realization", ["renormalized", "screened", "unfolded"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_balanced_graph_is_the_graph_without_signs_turned_round(realization, weighted):
    G = nx.karate_club_graph()
    A = nx.to_numpy_array(G, weight="weight" if weighted else None)
    x = np.where(np.arange(34) % 3, 1.0, -1.0)
    turned = cl.collapse(cl.signed_boundaries(A * np.outer(x, x)), realization).toarray()
    plain = cl.collapse(cl.clique_complex(A), realization).toarray()
    np.testing.assert_allclose(turned * np.outer(x, x), plain, atol=1e-10)


@given(signed_graphs())
def test_the_collapse_is_between_zero_and_the_signed_laplacian(A):
    if not A.any():
        return
    B = cl.signed_boundaries(A)
    for realization in ("renormalized", "unfolded"):
        S = cl.collapse(B, realization).toarray()
        low = -1e-9 * max(1.0, abs(A).max())
        assert np.linalg.eigvalsh(S)[0] > low
        assert np.linalg.eigvalsh(B[0] @ B[0].T - S)[0] > low


def test_a_triangle_that_contradicts_itself_supports_no_edge():
    """Two triangles with a vertex in common; an edge of the second one repels."""
    G = nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (2, 4)])
    G[3][4]["weight"] = -1
    B = cl.signed_boundaries(G)
    assert B.n_cells == (5, 6, 1)
    S = cl.collapse(B, "renormalized").toarray()
    assert -S[0, 1] > 10 * -S[2, 3] > 0
    assert S[3, 4] > 0
    assert cl.collapse(B, "renormalized").labels == (0, 1, 2, 3, 4)


def test_labels_weights_and_kinds_of_graphs():
    G = nx.Graph()
    G.add_edge("b", "a", trust=-2.0)
    G.add_edge("a", "c")
    G.add_edge("c", "c", trust=9.0)
    L = cl.signed_laplacian(G, weight="trust")
    assert L.labels == ("b", "a", "c")
    assert L.toarray().tolist() == [[2, 2, 0], [2, 3, -1], [0, -1, 1]]
    assert cl.signed_laplacian(G, weight=None).toarray()[0].tolist() == [1, -1, 0]
    for same in (sparse.coo_matrix(FRIENDS), FRIENDS.tolist(), FRIENDS.astype(int)):
        assert cl.signed_laplacian(same).toarray().tolist() == laplacian(FRIENDS).tolist()


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        (nx.DiGraph([(0, 1)]), "magnetic_laplacian"),
        (nx.MultiGraph([(0, 1), (0, 1)]), "copies"),
        (np.ones((2, 3)), "square"),
        (np.array([[0, np.nan], [np.nan, 0]]), "NaN"),
        (nx.Graph([(0, 1, {"weight": "strong"})]), "numbers"),
        (nx.Graph([(0, 1, {"weight": np.inf})]), "infinite"),
        (nx.Graph(), "some vertices"),
        ("karate", "networkx graph"),
    ],
)
def test_what_has_no_signs_or_directions_too_is_refused(graph, said):
    with pytest.raises(cl.InputError, match=said):
        cl.signed_laplacian(graph)


@pytest.mark.parametrize("realization", ["boundary", "incidence", "mixed"])
def test_realizations_that_make_their_own_matrices_are_refused(realization):
    with pytest.raises(cl.InputError, match="already are a realization"):
        cl.collapse(cl.signed_boundaries(FRIENDS), realization)


def test_negative_weights_elsewhere_point_here():
    with pytest.raises(cl.InputError, match="signed_boundaries"):
        cl.collapse(nx.Graph([(0, 1, {"weight": -1})]))
