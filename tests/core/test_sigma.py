"""The laws of sigma_min+, the smallest positive singular value, for every way that finds it."""

import itertools

import networkx as nx
import numpy as np
import pytest
from oracles import smallest_positive_singular_value
from scipy import sparse

import cellapse as cl
from cellapse._linalg import sigma
from cellapse._linalg.sigma import rank_of, sigma_min, smallest_positive_eigenvalue


@pytest.fixture(params=["small", "factors"])
def way(request, monkeypatch):
    """Small matrices, and large ones by factors."""
    if request.param != "small":
        monkeypatch.setattr(sigma, "DENSE_SIGMA", 0)
    return request.param


def frame(singular_values, rows=90, columns=80):
    """A matrix with these singular values."""
    rng, k = np.random.default_rng(0), len(singular_values)
    U, V = (np.linalg.qr(rng.standard_normal((n, k)))[0] for n in (rows, columns))
    return (U * singular_values) @ V.T


PATH = np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, -1.0]])  # 1 and sqrt 3
THREE = np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [0.0, 1.0]])  # B^T B = [3, 3; 3, 4]
BY_HAND = [
    (PATH, 1.0),
    (np.vstack([PATH, np.zeros(2)]), 1.0),
    ([[3.0, 4.0, 0.0], [0.0, 0.0, 2.0]], 2.0),
    ([[3.0, 4.0, 0.0], [0.0, 0.0, 7.0]], 5.0),
    (THREE, ((7 - 37**0.5) / 2) ** 0.5),
    (np.ones((3, 3)), 3.0),
    (frame(np.linspace(1.0, 2.0, 60)), 1.0),
    (frame(np.r_[5e-3, np.linspace(1.0, 2.0, 59)]), 5e-3),
    (np.diag(np.r_[1.0, np.linspace(2.0, 3.0, 99)]) + np.eye(100, k=50) * 1e-12, 1.0),
    (np.zeros((2, 3)), np.inf),
    (np.zeros((4, 0)), np.inf),
]


@pytest.mark.parametrize("unit", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize(("B", "expected"), BY_HAND)
def test_values_by_hand_in_any_unit(way, B, expected, unit):
    B = sparse.csr_array(unit * np.asarray(B))
    for given in (B, B.T):
        assert sigma_min(sparse.csr_array(given)) == pytest.approx(unit * expected, rel=1e-8)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("matrices", [cl.boundary_matrices, cl.incidence_matrices])
def test_triangles_of_random_graphs(way, matrices, seed):
    K = cl.clique_complex(nx.gnp_random_graph(40, 0.5, seed=seed), max_rank=2)
    for B in matrices(K):
        assert sigma_min(B) == pytest.approx(smallest_positive_singular_value(B), rel=1e-8)


@pytest.mark.parametrize("gap", [1e-4, 1e-7, 1e-10])
def test_small_values_have_digits_of_their_own(gap):
    """1 and `gap` on a frame: the square of `gap` is below rounding, `gap` is not."""
    B = sparse.csr_array(frame(np.array([1.0, 1.0, gap]), 5, 3))
    assert sigma_min(B) == pytest.approx(gap, rel=1e-5)
    near = np.ones((3, 3))
    near[2, 2] += gap
    assert sigma_min(sparse.csr_array(near)) == pytest.approx(gap * 2 / 3, rel=2 * gap + 1e-4)


def test_rows_of_very_different_size_keep_their_digits():
    """B = D M with integers M: B^-1 = M^-1 D^-1 has no cancellation."""
    M = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]])
    inverse = np.array([[11.0, -4.0, 1.0], [-4.0, 8.0, -2.0], [1.0, -2.0, 5.0]]) / 18.0
    for d in ([1.0, 1e-6, 1e-12], [1e-12, 1.0, 1e-6], [1e-6, 1e-12, 1.0]):
        B = sparse.csr_array(np.array(d)[:, None] * M)
        truth = 1.0 / np.linalg.norm(inverse / np.array(d), 2)
        for given in (B, sparse.csr_array(B.T)):
            assert sigma_min(given) == pytest.approx(truth, rel=1e-11)
            assert rank_of(given) == 3


def test_a_large_matrix_of_entries_far_apart_is_certain_or_refused(monkeypatch):
    """Of entries over more than three orders zeros are counted twice, which has to agree."""
    monkeypatch.setattr(sigma, "DENSE_SIGMA", 0)
    B = np.ones((3, 3)) + np.diag([1.0, 2.0, 3.0])
    B[0] *= 5e3
    truth = np.linalg.svd(B)[1][-1]
    assert sigma_min(sparse.csr_array(B)) == pytest.approx(truth, rel=1e-7)
    numbers = itertools.count()
    for counted in (lambda G, value: next(numbers), lambda G, value: None):
        monkeypatch.setattr(sigma, "_count_below", counted)
        with pytest.raises(cl.ConvergenceError, match="certain"):
            sigma_min(sparse.csr_array(B))


def test_what_is_next_to_rounding_is_refused(monkeypatch):
    monkeypatch.setattr(sigma, "DENSE_SIGMA", 0)
    with pytest.raises(cl.ConvergenceError, match="certain"):
        smallest_positive_eigenvalue(sparse.csr_array([[1.0, 1.0 - 1e-9], [1.0 - 1e-9, 1.0]]))


def test_sigma_of_all_triangles_of_a_clique():
    B = cl.incidence_matrices(cl.clique_complex(nx.complete_graph(62), max_rank=2))[1]
    # B B^T = (n - 2) I + Johnson graph, whose least eigenvalue is -2.
    assert sigma_min(B) ** 2 == pytest.approx(62 - 4, rel=1e-9)


@pytest.mark.parametrize(
    "graph",
    [nx.gnm_random_graph(290, 1500, seed=1),  # with vertices alone
     nx.gnm_random_graph(450, 3000, seed=1),
     nx.disjoint_union(nx.star_graph(120), nx.complete_graph(180)),  # of equal eigenvalues
     nx.circulant_graph(450, [1, 2, 3, 4])],  # the square has lost digits
)  # fmt: skip
def test_sigma_of_a_few_hundred_vertices(graph):
    found = cl.collapse(nx.convert_node_labels_to_integers(graph), "unfolded").sigma[0]
    values = np.linalg.eigvalsh(nx.laplacian_matrix(graph).toarray().astype(float))
    smallest = values[nx.number_connected_components(graph)]
    assert found == pytest.approx(np.sqrt(smallest), rel=1e-9)


# Positive eigenvalues of a square


@pytest.mark.parametrize("large", [False, True])
def test_the_smallest_positive_eigenvalue_by_hand(large, monkeypatch):
    if large:
        monkeypatch.setattr(sigma, "DENSE_SIGMA", 0)
    L = sparse.csr_array([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    M = sparse.csr_array(sparse.block_diag([L, [[0.0]], 0.25 * L]))
    assert smallest_positive_eigenvalue(M) == pytest.approx(0.25, rel=1e-9)
    assert smallest_positive_eigenvalue(sparse.csr_array((3, 3))) == np.inf
    tied = sparse.csr_array([[2.0, -2.0], [-2.0, 2.0]])
    for others, first in (([3.0, 5.0, 0.0], 3.0), ([9.0, 5.0], 4.0)):  # rows that stand alone
        M = sparse.csr_array(sparse.block_diag([tied, sparse.diags_array(others)]))
        assert smallest_positive_eigenvalue(M) == pytest.approx(first)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_only_what_rounding_explains_is_zero(unit):
    square = sparse.csr_array(unit * np.array([[1.0, 1.0 - 1e-12], [1.0 - 1e-12, 1.0]]))
    found = smallest_positive_eigenvalue(square)
    assert found == pytest.approx(unit * 1e-12, rel=1e-3, abs=0)
    ones = unit * sparse.csr_array(np.ones((2, 2)))
    assert smallest_positive_eigenvalue(ones) == pytest.approx(2 * unit)
