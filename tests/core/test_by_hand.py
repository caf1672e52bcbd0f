"""Small cases worked out by hand and written down as literals."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from oracles import assert_close
from scipy import sparse

import cellapse as cl
from cellapse import Complex, collapse

ROOT2, ROOT3 = 2**0.5, 3**0.5


@pytest.fixture
def triangle():
    """a, b, c with edges ab, bc, ac, filled."""
    return Complex.from_cells({1: [("a", "b"), ("b", "c"), ("a", "c")], 2: [("a", "b", "c")]})


@pytest.fixture
def tailed():
    """The filled triangle with an edge from c to d."""
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")]
    return Complex.from_cells({1: edges, 2: [("a", "b", "c")]})


L3 = np.array([[2.0, -1, -1], [-1, 2, -1], [-1, -1, 2]])  # Laplacian of the triangle: 0, 3, 3
L4 = 4 * np.eye(4) - np.ones((4, 4))  # of the complete graph on four vertices: 0, 4, 4, 4


# ---------------------------------------------------------------- matrices


def test_triangle_signed(triangle):
    B1, B2 = cl.boundary_matrices(triangle)
    assert B1.toarray().tolist() == [[-1, 0, -1], [1, -1, 0], [0, 1, 1]]
    assert B2.toarray().tolist() == [[1], [1], [-1]]


def test_triangle_unsigned(triangle):
    B1, B2 = cl.incidence_matrices(triangle)
    assert B1.toarray().tolist() == [[1, 0, 1], [1, 1, 0], [0, 1, 1]]
    assert B2.toarray().tolist() == [[1], [1], [1]]


def test_triangle_mixed(triangle):
    B1, B2 = cl.mixed_matrices(triangle)
    assert B1.toarray().tolist() == [[-1, 0, -1], [1, -1, 0], [0, 1, 1]]
    assert B2.toarray().tolist() == [[1], [1], [1]]


def test_triangle_unfolded(triangle):
    B1, B2 = cl.unfolded_matrices(triangle)
    assert B1.toarray().tolist() == [[-1, 0, -1], [1, -1, 0], [0, 1, 1]]
    assert B2.toarray().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_listing_of_an_edge_does_not_turn_it():
    K = Complex.from_cells({0: ["a", "b"], 1: [("b", "a")]})
    assert cl.boundary_matrices(K)[0].toarray().tolist() == [[-1], [1]]


def test_triangle_graded_laplacian(triangle):
    """gamma at the bound: sigma_min+(B_1)^2 = 3 and sigma_min+(B_2)^2 = 3."""
    L = cl.graded_laplacian(cl.boundary_matrices(triangle))
    assert_close(L.gamma, [ROOT3, ROOT3], 1e-15)
    s = ROOT3
    expected = [
        [2, -1, -1, s, 0, s, 0],
        [-1, 2, -1, -s, s, 0, 0],
        [-1, -1, 2, 0, -s, -s, 0],
        [s, -s, 0, 3, 0, 0, -s],  # the Hodge Laplacian of the edges is 3 I
        [0, s, -s, 0, 3, 0, -s],
        [s, 0, -s, 0, 0, 3, s],
        [0, 0, 0, -s, -s, s, 3],
    ]
    assert_close(L.matrix, expected, 1e-15)


def test_triangle_graded_laplacian_with_weights(triangle):
    """beta_1 = 2 and beta_2 = 5 enter D_1 = 2 B_1^T B_1 + 5 B_2 B_2^T; gamma as given."""
    L = cl.graded_laplacian(cl.incidence_matrices(triangle), beta=(2, 5), gamma=(0.5, 0.25))
    # B_1^T B_1 = I + J and B_2 B_2^T = J for unsigned matrices
    expected = [
        [4, 2, 2, -0.5, 0, -0.5, 0],
        [2, 4, 2, -0.5, -0.5, 0, 0],
        [2, 2, 4, 0, -0.5, -0.5, 0],
        [-0.5, -0.5, 0, 9, 7, 7, -0.25],
        [0, -0.5, -0.5, 7, 9, 7, -0.25],
        [-0.5, 0, -0.5, 7, 7, 9, -0.25],
        [0, 0, 0, -0.25, -0.25, -0.25, 15],
    ]
    assert_close(L.matrix, expected, 1e-15)
    A, X, C = L.split()
    assert_close(A, np.array(expected)[:3, :3], 1e-15)
    assert_close(X, np.array(expected)[:3, 3:], 1e-15)
    assert_close(C, np.array(expected)[3:, 3:], 1e-15)
    A, X, C = L.split(onto=1)
    order = [0, 1, 2, 6]
    assert_close(A, np.array(expected)[3:6, 3:6], 1e-15)
    assert_close(X, np.array(expected)[3:6][:, order], 1e-15)
    assert_close(C, np.array(expected)[np.ix_(order, order)], 1e-15)


def test_tetrahedron_signed():
    K = cl.clique_complex(nx.complete_graph(4), max_rank=3)
    assert K.cell_labels(1) == ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    assert K.cell_labels(2) == ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3))
    B1, B2, B3 = cl.boundary_matrices(K)
    assert B1.toarray().tolist() == [
        [-1, -1, -1, 0, 0, 0],
        [1, 0, 0, -1, -1, 0],
        [0, 1, 0, 1, 0, -1],
        [0, 0, 1, 0, 1, 1],
    ]
    assert B2.toarray().tolist() == [
        [1, 1, 0, 0],
        [-1, 0, 1, 0],
        [0, -1, -1, 0],
        [1, 0, 0, 1],
        [0, 1, 0, -1],
        [0, 0, 1, 1],
    ]
    assert B3.toarray().tolist() == [[-1], [1], [-1], [1]]


@pytest.mark.parametrize(
    ("walk", "signs"),
    [
        ((0, 1, 2, 3), [1, 1, 1, -1]),
        ((1, 2, 3, 0), [1, 1, 1, -1]),
        ((2, 3, 0, 1), [1, 1, 1, -1]),
        ((3, 2, 1, 0), [-1, -1, -1, 1]),
        ((1, 0, 3, 2), [-1, -1, -1, 1]),
    ],
)
def test_square_follows_its_walk(walk, signs):
    edges = [(0, 1), (1, 2), (2, 3), (0, 3)]
    K = Complex.from_cells({0: range(4), 1: edges, 2: [walk]})
    B = cl.boundary_matrices(K)
    assert B[1].toarray().ravel().tolist() == signs
    assert (B[0] @ B[1]).toarray().ravel().tolist() == [0, 0, 0, 0]
    assert K.cell_labels(2) == (walk,)


def test_square_with_a_diagonal_uses_only_its_rim():
    edges = [(0, 1), (1, 2), (2, 3), (0, 3), (0, 2)]
    K = Complex.from_cells({0: range(4), 1: edges, 2: [(0, 1, 2, 3)]})
    assert cl.boundary_matrices(K)[1].toarray().ravel().tolist() == [1, 1, 1, -1, 0]
    assert cl.incidence_matrices(K)[1].toarray().ravel().tolist() == [1, 1, 1, 1, 1]


def test_square_and_triangle_together():
    """A square 0123 and a triangle 234 on its edge 23, in one ragged rank."""
    edges = [(0, 1), (1, 2), (2, 3), (0, 3), (3, 4), (2, 4)]
    K = Complex.from_cells({0: range(5), 1: edges, 2: [(0, 1, 2, 3), (4, 3, 2)]})
    assert cl.boundary_matrices(K)[1].toarray().tolist() == [
        [1, 0],
        [1, 0],
        [1, 1],
        [-1, 0],
        [0, 1],
        [0, -1],
    ]


CUBE_EDGES = [
    ("000", "001"), ("000", "010"), ("000", "100"), ("001", "011"), ("001", "101"),
    ("010", "011"), ("010", "110"), ("011", "111"), ("100", "101"), ("100", "110"),
    ("101", "111"), ("110", "111"),
]  # fmt: skip
CUBE_FACES = [  # each listed so that the walk turns left around the outward normal
    ("000", "010", "110", "100"),
    ("001", "101", "111", "011"),
    ("000", "100", "101", "001"),
    ("010", "011", "111", "110"),
    ("000", "001", "011", "010"),
    ("100", "110", "111", "101"),
]


def cube(faces):
    labels = [f"{i:03b}" for i in range(8)]
    return Complex.from_cells({0: labels, 1: CUBE_EDGES, 2: faces, 3: [labels]})


def test_cube():
    """Faces that all turn outwards get one sign; a face listed the other way gets the other."""
    B1, B2, B3 = cl.boundary_matrices(cube(CUBE_FACES))
    assert abs(B1 @ B2).max() == 0
    assert abs(B2 @ B3).max() == 0
    assert B3.toarray().ravel().tolist() in ([1] * 6, [-1] * 6)
    assert abs(B2).sum(axis=0).tolist() == [4] * 6
    turned = [*CUBE_FACES[:3], CUBE_FACES[3][::-1], *CUBE_FACES[4:]]
    B1, B2, B3 = cl.boundary_matrices(cube(turned))
    assert abs(B2 @ B3).max() == 0
    assert (B3.toarray().ravel() * B3.toarray()[0]).tolist() == [1, 1, 1, -1, 1, 1]
    assert cube(turned).betti_numbers() == (1, 0, 0, 0)
    assert cube(turned).skeleton(2).betti_numbers() == (1, 0, 1)
    assert cube(CUBE_FACES).euler_characteristic() == 1


def test_skipped_rank():
    """Three vertices in one cell of rank 2: three formal elements stand where edges are missing."""
    K = Complex.from_cells({0: ["a", "b", "c"], 2: [("a", "b", "c")]})
    B = cl.incidence_matrices(K)
    assert B[0].toarray().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert B[1].toarray().tolist() == [[1], [1], [1]]
    assert (B.n_cells, B.n_formal) == ((3, 3, 1), (0, 3, 0))
    assert B.labels(1) == (("formal", 1, 0), ("formal", 1, 1), ("formal", 1, 2))


def test_two_skipped_ranks():
    """Edge ab and vertex c inside a cell abc of rank 3: chains ab - z - abc and c - y - x - abc."""
    K = Complex.from_cells({0: ["a", "b", "c"], 1: [("a", "b")], 3: [("a", "b", "c")]})
    B = cl.incidence_matrices(K)
    assert B.n_cells == (3, 2, 2, 1)
    assert B.n_formal == (0, 1, 2, 0)
    assert B[0].toarray().tolist() == [[1, 0], [1, 0], [0, 1]]
    assert B[1].toarray().tolist() == [[1, 0], [0, 1]]
    assert B[2].toarray().tolist() == [[1], [1]]
    assert B.labels(1) == (("a", "b"), ("formal", 1, 0))


def test_partly_skipped_rank():
    """A vertex that reaches a cell through an edge needs no formal element; the other one does."""
    K = Complex.from_cells({0: ["a", "b", "c"], 1: [("a", "b")], 2: [("a", "b", "c")]})
    B1, B2 = cl.incidence_matrices(K)
    assert B1.toarray().tolist() == [[1, 0], [1, 0], [0, 1]]
    assert B2.toarray().tolist() == [[1], [1]]


# ---------------------------------------------------------------- weights


def test_weighted_edge():
    """Vertices of weight 4 and 1, an edge of weight 9: -3/2 and 3."""
    K = Complex.from_cells({1: [("a", "b")]}, weights={0: [4.0, 1.0], 1: [9.0]})
    assert cl.boundary_matrices(K)[0].toarray().tolist() == [[-1.5], [3.0]]
    assert cl.incidence_matrices(K)[0].toarray().tolist() == [[1.5], [3.0]]
    assert cl.unfolded_matrices(K)[0].toarray().tolist() == [[-1.5], [3.0]]


def test_weighted_triangle(triangle):
    """Edges of weight 1, 4, 9 and a face of weight 16; B_1 B_1^T is the weighted Laplacian."""
    weights = {1: [1.0, 4.0, 9.0], 2: [16.0]}
    K = Complex.from_cells({k: triangle.cell_labels(k) for k in range(3)}, weights=weights)
    B1, B2 = cl.boundary_matrices(K)
    assert B1.toarray().tolist() == [[-1, 0, -3], [1, -2, 0], [0, 2, 3]]
    assert_close(B2, [[4], [2], [-4 / 3]], 1e-15)
    assert_close(B1 @ B1.T, [[10, -1, -9], [-1, 5, -4], [-9, -4, 13]], 1e-15)
    assert abs(B1 @ B2).max() < 1e-15
    assert cl.is_chain_complex([B1, B2])
    B1, B2 = cl.unfolded_matrices(K)  # a cell above the edges counts as often as its weight says
    assert B1.toarray().tolist() == [[-1, 0, -3], [1, -2, 0], [0, 2, 3]]
    assert B2.toarray().tolist() == [[4, 0, 0], [0, 4, 0], [0, 0, 4]]


def test_vertex_weights_keep_the_chain_property(triangle):
    weights = {0: [1.0, 4.0, 0.25], 1: [2.0, 3.0, 5.0], 2: [7.0]}
    K = Complex.from_cells({k: triangle.cell_labels(k) for k in range(3)}, weights=weights)
    B1, B2 = cl.boundary_matrices(K)
    assert abs(B1 @ B2).max() < 1e-14
    assert_close(B1[:, [0]], [[-ROOT2], [ROOT2 / 2], [0]], 1e-15)


# ---------------------------------------------------------------- collapsed operators


def test_triangle_boundary():
    """f(3) = 3 - 9/(3 + eps) = 3 eps/(3 + eps), so S = eps/(3 + eps) L, filled or not."""
    K = cl.clique_complex(nx.complete_graph(3))
    for eps in (1e-6, 0.1, 1.0):
        S = collapse(K, realization="boundary", eps=eps)
        assert_close(S.toarray(), eps / (3 + eps) * L3, 1e-12, scale=1.0)
        assert_close(S.A, L3, 1e-15)
    S = collapse(K.skeleton(1), realization="boundary", eps=1.0)
    assert_close(S.toarray(), L3 / 4, 1e-14)


def test_triangle_unfolded_collapsed(triangle):
    """m = eps + 1 - 1/(1 + eps) at every edge and S = m/(m + 3) L; at eps = 1, m = 3/2."""
    S = collapse(triangle, "unfolded", eps=1.0)
    assert_close(S.gamma, [ROOT3, 1.0], 1e-14)
    assert_close(S.toarray(), L3 / 3, 1e-14)
    for eps in (1e-6, 0.1):
        m = eps * (2 + eps) / (1 + eps)
        assert_close(
            collapse(triangle, "unfolded", eps=eps).toarray(), m / (m + 3) * L3, 1e-12, scale=1.0
        )


def test_triangle_incidence_collapsed(triangle):
    """On constants 4 - 4/(m + 4) with m = eps (6 + eps)/(3 + eps); else eps/(1 + eps)."""
    S = collapse(triangle, realization="incidence", eps=1.0)
    assert_close(S.A, [[2, 1, 1], [1, 2, 1], [1, 1, 2]], 1e-15)
    assert_close(S.gamma, [1.0, ROOT3], 1e-14)
    expected = np.full((3, 3), 43 / 46)  # 1/2 I + 43/46 J
    np.fill_diagonal(expected, 66 / 46)
    assert_close(S.toarray(), expected, 1e-14)


def test_triangle_mixed_collapsed(triangle):
    """Eigenvalues 0, 3/4 on (1, -2, 1) and 21/20 on (-1, 0, 1): the order of vertices shows."""
    with pytest.warns(cl.CellapseWarning, match="order"):
        S = collapse(triangle, realization="mixed", eps=1.0)
    expected = [[0.65, -0.25, -0.4], [-0.25, 0.5, -0.25], [-0.4, -0.25, 0.65]]
    assert_close(S.toarray(), expected, 1e-14)


def test_triangle_given_weights(triangle):
    """beta = (2, 3), gamma = (1, 1/2), eps = 1: m_1 = 1 + 3 - (1/4)/(1 + 3) = 63/16.

    S = 2 L - G (I + 2 G)^-1 with G = 16/63 L: 6 - (48/63)/(1 + 96/63) = 6 - 48/159 off the kernel.
    """
    S = collapse(triangle, "unfolded", beta=(2, 3), gamma=(1, 0.5), eps=1.0)
    assert_close(S.toarray(), (6 - 48 / 159) / 3 * L3, 1e-14)


def test_tetrahedron_collapsed():
    """Two triangles at an edge, one tetrahedron at a triangle; eps = 1.

    m_2 = 1 + 1 - 1/2 = 3/2; m_1 = 1 + 2 - 2 (2/m_2)/(1 + 2/m_2) = 13/7; S = m_1/(m_1 + 4) L.
    """
    K = cl.clique_complex(nx.complete_graph(4), max_rank=3)
    S = collapse(K, "unfolded", eps=1.0)
    assert_close(S.gamma, [2.0, ROOT2, 1.0], 1e-14)
    assert_close(S.toarray(), 13 / 41 * L4, 1e-14)
    assert_close(collapse(K, realization="boundary", eps=1.0).toarray(), L4 / 5, 1e-14)


def test_tetrahedron_incidence_collapsed():
    """Unsigned, eps = 1: signless Laplacian 2 I + J, eigenvalues 6, 2, 2, 2, so gamma_0 = 2^1/2.

    The matrices of K_4 (edges) are J(4,2): B_2 B_2^T has 6, 2, 2, 2, 0, 0 and B_3 B_3^T = J_4 is 4
    on constants. All constants couple only to constants, a problem of 1 x 1 blocks:
    T_2 = 4 - 16/(1 + 4) = 4/5, gamma_1^2 = 2:  T_1 = 6 - 2*6/(1 + 4/5 + 6) = 174/39,
    T_0 = 6 - 2*6/(1 + 174/39 + 6).
    """
    K = cl.clique_complex(nx.complete_graph(4), max_rank=3)
    S = collapse(K, realization="incidence", eps=1.0)
    assert_close(S.A, 2 * np.eye(4) + np.ones((4, 4)), 1e-15)
    assert_close(S.gamma, [ROOT2, ROOT2, 2.0], 1e-14)
    constant = 6 - 12 / (1 + 174 / 39 + 6)
    assert_close(S @ np.ones(4), constant * np.ones(4), 1e-13)


def test_skipped_rank_collapsed():
    """S = I - (I + M)^-1 with M = eps I + 3 eps/(3 + eps) J/3: at eps = 1, I/2 + J/22."""
    K = Complex.from_cells({0: ["a", "b", "c"], 2: [("a", "b", "c")]})
    S = collapse(K, realization="incidence", eps=1.0)
    assert_close(S.toarray(), np.eye(3) / 2 + np.ones((3, 3)) / 22, 1e-14)
    assert S.n_cells == (3, 0, 1)  # the three formal elements of rank 1 are no cells


def test_onto_the_edges():
    """One edge, kept: S = 2 beta - gamma^2 2/(2 beta + eps), with sigma^2 = 2."""
    K = Complex.from_cells({1: [("a", "b")]})
    S = collapse(K, "unfolded", onto=1, eps=1.0)
    assert_close(S.toarray(), [[2 / 3]], 1e-14)  # gamma^2 = 2: 2 - 4/3
    S = collapse(K, "unfolded", onto=1, eps=1.0, beta=2.0, gamma=1.0)
    assert_close(S.toarray(), [[4 - 2 / 5]], 1e-14)
    assert S.labels == (("a", "b"),)


def test_onto_the_face(triangle):
    """The face above signed edges: 3 - 3*3/(3 + eps)."""
    S = collapse(triangle, realization="boundary", onto=2, eps=1.0)
    assert_close(S.toarray(), [[3 / 4]], 1e-14)
    assert S.labels == (("a", "b", "c"),)


@pytest.mark.parametrize("turned", [False, True])
def test_onto_the_faces_of_a_sphere(turned):
    """Three squares around a sphere, each two of which share two edges: one zero, known ahead.

    B_2^T B_2 = 4 on the diagonal and -2 (or 2, against a square turned around) off it: 0, 6, 6.
    """
    edges = [(0, 1), (1, 2), (2, 3), (0, 3), (2, 4), (0, 4)]
    faces = [(0, 1, 2, 3), (0, 4, 2, 1), (0, 4, 2, 3) if turned else (0, 3, 2, 4)]
    K = Complex.from_cells({0: range(5), 1: edges, 2: faces})
    assert K.betti_numbers() == (1, 0, 1)
    S = collapse(K, realization="boundary", onto=2, eps=1.0)
    sign = np.array([1, 1, -1 if turned else 1])
    assert_close(S.A, np.outer(sign, sign) * (6 * np.eye(3) - 2), 1e-15)
    spectrum = S.spectrum()
    assert spectrum.n_zeros == 1
    assert spectrum.values[0] == 0
    assert_close(np.abs(spectrum.vectors[:, 0]), np.full(3, 1 / ROOT3), 1e-14)
    assert_close(spectrum.values[1:], [6 / 7, 6 / 7], 1e-13)  # 6 - 36/(6 + 1)


def test_eps_zero_on_the_triangle(triangle):
    """At the bound every positive mode of the triangle relaxes completely."""
    assert_close(
        collapse(triangle, "unfolded", eps=0).toarray(), np.zeros((3, 3)), 1e-12, scale=1.0
    )
    S = collapse(triangle, "unfolded", eps=0, gamma=(1.0, 0.5))
    # m_1 = 1 - 1/4, S = L - G (I + G)^-1 with G = 4/3 L: 3 - 4/5
    assert_close(S.toarray(), (3 - 4 / 5) / 3 * L3, 1e-12)


def test_complete_on_the_triangle(triangle):
    """B_1^T u = (-1, 0, -1): z is 3^1/2/4 times it; unfolded 3^1/2/4.5, and half of that above."""
    u = [1.0, 0.0, 0.0]
    z = collapse(triangle, realization="boundary", eps=1.0).complete(u)
    assert sorted(z) == [1, 2]
    assert_close(z[1], ROOT3 / 4 * np.array([-1, 0, -1]), 1e-14)
    assert z[2].tolist() == [0.0]
    z = collapse(triangle, "unfolded", eps=1.0).complete(u)
    assert_close(z[1], ROOT3 / 4.5 * np.array([-1, 0, -1]), 1e-14)
    assert_close(z[2], ROOT3 / 9 * np.array([-1, 0, -1]), 1e-14)


def test_energy_is_the_quadratic_form(triangle):
    S = collapse(triangle, "unfolded", eps=1.0)  # L / 3
    assert S.energy([1.0, 0.0, 0.0]) == pytest.approx(2 / 3, abs=1e-14)
    assert S.energy([1.0, 1.0, 1.0]) == pytest.approx(0.0, abs=1e-14)


# ---------------------------------------------------------------- screened


def test_screened_shares(tailed):
    """theta^2 = 0.9: 1 - 0.9/2 at edges of the triangle, 1 - 0.9 at the tail."""
    S = collapse(tailed, realization="screened", eps=0)
    assert_close(S.shares, [0.55, 0.55, 0.55, 0.1], 1e-14)
    expected = [
        [1.1, -0.55, -0.55, 0],
        [-0.55, 1.1, -0.55, 0],
        [-0.55, -0.55, 1.2, -0.1],
        [0, 0, -0.1, 0.1],
    ]
    assert_close(S.toarray(), expected, 1e-14)
    assert_close(S.tocsr(), expected, 1e-14)
    S = collapse(tailed, realization="screened", eps=1.0, gamma=1.0, beta=(2, 3))
    assert_close(S.shares, [0.8, 0.8, 0.8, 0.5], 1e-14)  # 1 - 1/(1 + 1 + 3) and 1 - 1/(1 + 1)
    assert S.toarray()[3, 3] == pytest.approx(1.0)  # times beta_1 = 2


def test_screened_counts_a_cell_by_its_weight(tailed):
    cells = {k: tailed.cell_labels(k) for k in range(3)}
    K = Complex.from_cells(cells, weights={1: [1, 1, 1, 4], 2: [3.0]})
    S = collapse(K, realization="screened", eps=0)
    assert_close(S.shares, [0.775, 0.775, 0.775, 0.1], 1e-14)  # 1 - 0.9/(1 + 3)
    assert S.toarray()[3, 3] == pytest.approx(0.4)  # an edge of weight 4 keeps a tenth


SKIPPED = Complex.from_arrays(4, {1: list(combinations(range(4), 2)), 3: [[0, 1, 2, 3]]})


@pytest.mark.parametrize(
    "source",
    [
        SKIPPED,
        cl.incidence_matrices(SKIPPED),
        cl.unfolded_matrices(SKIPPED),
    ],
)
def test_formal_elements_are_no_cells(source):
    """Six edges and one cell of rank 3: 1 - 0.9/(1 + 1), whatever joins the two in between."""
    S = collapse(source, realization="screened", eps=0)
    assert_close(S.shares, [0.55] * 6, 1e-14)
    assert S.n_cells == collapse(source, "unfolded").n_cells == (4, 6, 0, 1)


@pytest.mark.parametrize("realization", ["unfolded", "incidence", "mixed", "screened"])
def test_formal_elements_are_not_counted(realization):
    S = collapse(SKIPPED, realization=realization)
    assert S.n_cells == SKIPPED.n_cells
    assert "6 edges, 0 triangles, 1 tetrahedron" in str(S)


def test_motifs_count_no_formal_elements():
    """Every edge lies in one cell: the Laplacian of the complete graph."""
    expected = 4 * np.eye(4) - np.ones((4, 4))
    assert_close(cl.motif_laplacian(SKIPPED, floor=0).toarray(), expected, 1e-14)


def test_one_renormalization(tailed):
    """Degrees 2, 2, 3, 1; supports 5/2 at ab, 5/6^1/2 at ac and bc, 0 at the tail."""
    S = collapse(tailed, realization=cl.Screened(rounds=1), eps=0)
    ac = 1 - 0.95 / (1 + 5 / 6**0.5)
    assert_close(S.shares, [1 - 0.95 / 3.5, ac, ac, 0.05], 1e-14)


def test_two_renormalizations(tailed):
    """The second round starts from the shares of the first."""
    x, y, t = 1 - 0.95 / 3.5, 1 - 0.95 / (1 + 5 / 6**0.5), 0.05
    ab = 5 * y * y / (x + y)  # both ends of ab have degree x + y
    ac = 5 * x * y / ((x + y) * (2 * y + t)) ** 0.5
    S = collapse(tailed, realization=cl.Screened(rounds=2), eps=0)
    side = 1 - 0.95 / (1 + ac)
    assert_close(S.shares, [1 - 0.95 / (1 + ab), side, side, 0.05], 1e-14)


def test_screened_completion(tailed):
    """z = theta B_1^T u / (1 + eps + support)."""
    S = collapse(tailed, realization="screened", eps=0, gamma=0.5)
    z = S.complete([0.0, 0.0, 0.0, 2.0])
    assert_close(z[1], [0, 0, 0, 1.0], 1e-14)


# ---------------------------------------------------------------- lifts


def test_hypergraph():
    K = cl.hypergraph_complex([("a", "b", "c"), ("c", "d"), ("e",), ("c", "b", "a")])
    assert K.labels == ("a", "b", "c", "d", "e")
    assert K.cell_labels(1) == (("a", "b"), ("a", "c"), ("b", "c"), ("c", "d"))
    assert K.cell_labels(2) == (("a", "b", "c"),)
    assert K.weights == (None, None, None)


def test_hypergraph_multiplicity():
    """abc is given twice; ab is in three hyperedges, cd in one of its own and one of four."""
    hyperedges = [("a", "b", "c"), ("c", "d"), ("c", "b", "a"), ("d", "c", "b", "a")]
    K = cl.hypergraph_complex(hyperedges, multiplicity="weight")
    assert K.cell_labels(2) == (("a", "b", "c"), ("a", "b", "c", "d"))
    assert K.weights[2].tolist() == [2, 1]
    held = dict(zip(K.cell_labels(1), K.weights[1].tolist(), strict=True))
    assert held == {
        ("a", "b"): 3, ("a", "c"): 3, ("b", "c"): 3, ("a", "d"): 1, ("b", "d"): 1, ("c", "d"): 2,
    }  # fmt: skip
    assert K.weights[0] is None


def test_hypergraph_with_names_and_vertices():
    K = cl.hypergraph_complex({"x": (3, 1), "y": (2, 3)}, vertices=[9, 3, 2, 1])
    assert K.labels == (9, 3, 2, 1)
    assert set(K.cell_labels(1)) == {(3, 1), (3, 2)}
    assert K.components().tolist() == [0, 1, 1, 1]


def test_clique_complex_of_two_triangles():
    K = cl.clique_complex([("x", "y"), ("y", "z"), ("z", "x"), ("z", "w"), ("w", "x")])
    assert K.labels == ("x", "y", "z", "w")
    assert K.cell_labels(1) == (("x", "y"), ("y", "z"), ("x", "z"), ("z", "w"), ("x", "w"))
    assert K.cell_labels(2) == (("x", "y", "z"), ("x", "z", "w"))


def test_cliques_as_rank_2():
    """The four triangles and the tetrahedron of K_4, all at rank 2."""
    K = cl.clique_complex(nx.complete_graph(4), max_rank=3, cliques_as_rank2=True)
    expected = ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3), (0, 1, 2, 3))
    assert K.cell_labels(2) == expected
    assert cl.incidence_matrices(K)[1].toarray().tolist() == [
        [1, 1, 0, 0, 1],
        [1, 0, 1, 0, 1],
        [0, 1, 1, 0, 1],
        [1, 0, 0, 1, 1],
        [0, 1, 0, 1, 1],
        [0, 0, 1, 1, 1],
    ]


def test_clique_complex_weights():
    graph = nx.Graph()
    graph.add_edge("a", "b", strength=2.0)
    graph.add_edge("b", "c", strength=0.5)
    assert cl.clique_complex(graph, weight="strength").weights[1].tolist() == [2.0, 0.5]
    assert cl.clique_complex(graph).weights[1] is None
    adjacency = sparse.csr_array(np.array([[0, 2.0, 0], [2.0, 0, 0.5], [0, 0.5, 0]]))
    K = cl.clique_complex(adjacency, weight="any")
    assert K.cell_labels(1) == ((0, 1), (1, 2))
    assert K.weights[1].tolist() == [2.0, 0.5]


@pytest.mark.parametrize(
    "edges",
    [
        np.array([[0, 1], [1, 2], [3, 1]]),
        np.array([[0, 1, 3], [1, 2, 1]]),
        np.array([[0, 1, 1, 2, 3, 1], [1, 0, 2, 1, 1, 3]]),  # both directions, as PyG lists them
    ],
)
def test_edge_arrays(edges):
    K = cl.clique_complex(edges)
    assert K.labels == range(4)
    assert K.cell_labels(1) == ((0, 1), (1, 2), (1, 3))


# ---------------------------------------------------------------- complexes

SPHERE = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
TORUS = [tuple(sorted({i, (i + s) % 7, (i + 3) % 7})) for i in range(7) for s in (1, 2)]
PROJECTIVE_PLANE = [
    (0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5), (0, 1, 5),
    (1, 2, 4), (2, 3, 5), (1, 3, 4), (2, 4, 5), (1, 3, 5),
]  # fmt: skip


def surface(triangles):
    edges = sorted({e for a, b, c in triangles for e in ((a, b), (a, c), (b, c))})
    return Complex.from_cells({1: edges, 2: triangles})


@pytest.mark.parametrize(
    ("K", "betti", "euler"),
    [
        (Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]]}), (1, 1), 0),
        (surface(SPHERE), (1, 0, 1), 2),
        (surface(TORUS), (1, 2, 1), 0),
        (surface(PROJECTIVE_PLANE), (1, 0, 0), 1),
        (Complex.from_arrays(5, {1: [[0, 1], [2, 3]]}), (3, 0), 3),
        (Complex.from_arrays(7, {1: [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]]}), (3, 2), 1),
        (Complex.from_arrays(2, {}), (2,), 2),
        (cl.clique_complex(nx.complete_graph(5), max_rank=3), (1, 0, 0, 1), 0),
    ],
)
def test_betti_numbers_and_euler_characteristic(K, betti, euler):
    assert K.betti_numbers() == betti
    assert K.euler_characteristic() == euler
    assert sum((-1) ** k * b for k, b in enumerate(betti)) == euler


def test_the_torus_and_the_projective_plane_are_closed_surfaces():
    assert surface(TORUS).n_cells == (7, 21, 14)
    assert surface(PROJECTIVE_PLANE).n_cells == (6, 15, 10)
    for triangles in (TORUS, PROJECTIVE_PLANE):
        cofaces = cl.incidence_matrices(surface(triangles))[1].sum(axis=1)
        assert set(cofaces.tolist()) == {2}


def test_betti_numbers_do_not_feel_weights():
    K = surface(TORUS)
    cells = {k: c.as_array() for k, c in enumerate(K.cells) if k}
    heavy = Complex.from_arrays(7, cells, weights={0: np.arange(1, 8), 2: np.arange(1, 15)})
    assert heavy.betti_numbers() == (1, 2, 1)


def test_components_through_any_cell():
    """An edge, a triangle without edges, a lonely vertex."""
    K = Complex.from_arrays(6, {1: [[4, 1]], 2: [[0, 2, 5]]})
    assert K.components().tolist() == [0, 1, 0, 2, 1, 0]


def test_components_through_very_many_cells():
    """256 cells say the same: that 0 and 1 belong together."""
    K = Complex.from_arrays(258, {2: [[0, 1, x] for x in range(2, 258)]})
    assert set(K.components().tolist()) == {0}


def test_skeleton(triangle):
    assert triangle.skeleton(1).n_cells == (3, 3)
    assert triangle.skeleton(0).n_cells == (3,)
    assert triangle.skeleton(2).n_cells == (3, 3, 1)
    K = Complex.from_cells({1: [("a", "b")]}, weights={0: [1, 2], 1: [3]})
    assert K.skeleton(0).weights[0].tolist() == [1, 2]


def test_labels_of_mixed_types_keep_their_order():
    labels = ["z", 3, (1, 2), b"z", "a", 2.5]
    cells = {0: labels, 1: [("a", "z"), (3, (1, 2)), (b"z", 2.5)]}
    K = Complex.from_cells(cells)
    assert K.labels == tuple(labels)
    assert K.cell_labels(1) == (("z", "a"), (3, (1, 2)), (b"z", 2.5))
    S = collapse(K, "unfolded")
    assert S.labels == tuple(labels)
    assert S.spectrum(2).labels == tuple(labels)


def test_labels_in_order_of_appearance():
    K = Complex.from_cells({2: [("q", "r", "p")], 1: [("c", "a"), ("a", "b")]})
    assert K.labels == ("c", "a", "b", "q", "r", "p")  # lower ranks are read first


def test_numpy_labels():
    """Labels that come as an array are labels like any others."""
    K = Complex.from_arrays(3, {1: [[0, 1]]}, labels=np.array(["x", "y", "z"]))
    assert tuple(K.labels) == ("x", "y", "z")
    assert K.cell_labels(1) == (("x", "y"),)


def test_cells_keep_their_order():
    edges = [(4, 0), (1, 2), (3, 1), (0, 2)]
    K = Complex.from_arrays(5, {1: edges})
    assert [tuple(c.tolist()) for c in K.cells[1]] == [(0, 4), (1, 2), (1, 3), (0, 2)]
    assert K.cells[1].as_array().tolist() == [[0, 4], [1, 2], [1, 3], [0, 2]]
    assert K.cells[1][-1].tolist() == [0, 2]
    assert K.cells[1].sizes.tolist() == [2, 2, 2, 2]


def test_only_walks_of_rank_2_keep_their_listing():
    cells = {1: [(1, 0)], 2: [(3, 1, 2, 0), (4, 3, 2)], 3: [(4, 3, 2, 1, 0)]}
    K = Complex.from_cells({0: range(5), **cells})
    assert K.cell_labels(1) == ((0, 1),)
    assert K.cell_labels(2) == ((3, 1, 2, 0), (2, 3, 4))
    assert K.cell_labels(3) == ((0, 1, 2, 3, 4),)


def test_is_simplicial(triangle):
    assert triangle.is_simplicial
    assert not Complex.from_arrays(4, {2: [[0, 1, 2, 3]]}).is_simplicial


def test_is_frozen(triangle):
    with pytest.raises(AttributeError):
        triangle.labels = ()
    with pytest.raises(ValueError, match="read-only"):
        triangle.cells[1].indices[0] = 2


# ---------------------------------------------------------------- spectra


def test_spectrum_of_the_triangle(triangle):
    spectrum = collapse(triangle, "unfolded", eps=1.0).spectrum()  # L / 3
    assert_close(spectrum.values, [0, 1, 1], 1e-13)
    assert spectrum.values[0] == 0.0
    assert spectrum.n_zeros == 1
    assert_close(spectrum.vectors[:, 0], np.full(3, 1 / ROOT3), 1e-14)
    assert len(spectrum) == 3


def test_generalized_spectrum_of_an_edge():
    """S = t [[1, -1], [-1, 1]] with masses 1 and 2: 0 and t 3/2, vectors (1, 1) and (2, -1)."""
    K = Complex.from_cells({1: [("a", "b")]})
    S = collapse(K, "unfolded", eps=1.0)  # f(2) = 2 - 4/3: t = 1/3
    spectrum = S.spectrum(mass=[1.0, 2.0])
    assert_close(spectrum.values, [0, 1 / 2], 1e-14)
    assert_close(spectrum.vectors[:, 0], np.ones(2) / ROOT3, 1e-14)
    assert_close(spectrum.vectors[:, 1], np.array([2, -1]) / 6**0.5, 1e-14)
    assert_close(S.diagonal(), [1 / 3, 1 / 3], 1e-14)
    assert_close(S.spectrum(mass="diagonal").values, [0, 2], 1e-13)
    assert_close(S.spectrum(mass="degree").values, [0, 2 / 3], 1e-13)


def test_attributes_are_kept_by_rank_and_checked() -> None:
    K = cl.Complex.from_cells(
        {0: ["a", "b"], 1: [("a", "b")]}, attributes={0: {"x": [1, 2], "town": ["Ulm", None]}}
    )
    assert K.attributes[0]["x"].tolist() == [1, 2]
    assert K.attributes[0]["town"].tolist() == ["Ulm", None]
    assert K.attributes[1] == {}
    assert K.skeleton(0).attributes == (K.attributes[0],)


@pytest.mark.parametrize(
    "attributes",
    [[1], {0: [1, 2]}, {0: {"x": [1]}}, {0: {"x": "ab"}}, {0: {1: [1, 2]}}, {7: {"x": []}}],
)
def test_attributes_that_do_not_fit_are_refused(attributes: object) -> None:
    with pytest.raises(cl.InputError):
        cl.Complex.from_arrays(2, {1: [[0, 1]]}, attributes=attributes)  # type: ignore[arg-type]


def test_beyond_the_bound_nothing_is_sure():
    """On one edge sigma^2 = 2, so gamma_0 = 2 is too much: S = 2 - 2 gamma^2 / (2 + eps) there."""
    K = cl.Complex.from_arrays(2, {1: [[0, 1]]})
    for gamma in ("bound", "regularized", 1.0):
        assert collapse(K, "unfolded", gamma=gamma).definite
    with pytest.warns(cl.CellapseWarning, match="PSD"):
        S = collapse(K, "unfolded", gamma=cl.Unchecked(2.0))
    assert not S.definite
    assert S.spectrum(2).values[0] == pytest.approx(2.0 - 4.0 * 2.0 / (2.0 + 1e-4), abs=1e-9)


def test_polygons_need_their_edges():
    square = {1: [(0, 1), (1, 2), (2, 3), (0, 3)], 2: [(0, 1, 2, 3)]}
    signs = cl.boundary_matrices(cl.Complex.from_cells(square))[1].toarray().ravel()
    assert signs.tolist() == [1.0, 1.0, 1.0, -1.0]
    for edges, cell in (
        (square[1][:3], (0, 1, 2, 3)),
        (square[1], (0, 2, 1, 3)),
        ([(0, 1), (1, 2)], (0, 2)),
    ):
        with pytest.raises(cl.InputError, match="rank 1"):
            cl.boundary_matrices(cl.Complex.from_cells({0: range(4), 1: edges, 2: [cell]}))


def test_flags_of_a_tetrahedron():
    K = cl.clique_complex(nx.complete_graph(4), 3)
    B = cl.unfolded_matrices(K)
    assert B.n_cells == (4, 6, 12, 12)  # each edge in two triangles, each of those in one solid
    assert B.n_formal == (0, 0, 12, 12)
    assert [M.sum() for M in B.matrices[1:]] == [12.0, 12.0]


@pytest.mark.parametrize("rank", [2, 3])
def test_a_cell_whose_vertex_no_edge_holds_is_named(rank):
    K = cl.Complex.from_arrays(4, {1: [[0, 1]], rank: [[0, 1, 2]]})
    with pytest.raises(cl.InputError, match=rf"\(0, 1, 2\).*rank {rank}"):
        cl.collapse(K, "mixed")
