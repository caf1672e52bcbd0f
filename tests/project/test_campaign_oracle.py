"""The campaign's oracle against small cases computed by hand."""

import numpy as np
import pytest

pytest.importorskip("flint")

from campaign import dense, exact, formulas, graphs
from campaign.chains import DoesNotApplyError, Matrix, Plain, matrices
from campaign.large import laplacian_spectrum
from campaign.oracle import Truth

EDGE = Plain(2, {1: [(0, 1)]}, {})
PATH = Plain(3, {1: [(0, 1), (1, 2)]}, {})
TRIANGLE = Plain(3, {1: [(0, 1), (0, 2), (1, 2)], 2: [(0, 1, 2)]}, {})
L_EDGE = np.array([[1.0, -1.0], [-1.0, 1.0]])


def pattern(matrix):
    return np.array(matrix.flat()).reshape(matrix.shape).tolist()


def collapsed(plain, realization, **named):
    chain = matrices(plain, realization)
    return Truth(chain, named.pop("beta", [1.0] * len(chain)), **named)


def close(given, expected, tol=1e-14):
    assert np.abs(np.asarray(given) - np.asarray(expected)).max() <= tol


def test_an_edge():
    # sigma^2 = 2, so gamma^2 = 2 and C = 2: S = L - 2/(2 + eps) L = eps/(2 + eps) L.
    for eps in (0.0, 1e-12, 0.5, 100.0):
        truth = collapsed(EDGE, "unfolded", eps=eps)
        close(truth.S, eps / (2 + eps) * L_EDGE)
        assert truth.norm == pytest.approx(2.0)


def test_an_edge_with_weights():
    # B = (-1, 2)^T sqrt(3)/2 for weights 4 and 1 of the ends and 3 of the edge: sigma^2 = 15/4.
    plain = Plain(2, EDGE.cells, {0: [4.0, 1.0], 1: [3.0]})
    B = np.array([[-0.5], [1.0]]) * np.sqrt(3.0)
    truth = collapsed(plain, "mixed", beta=[2.0], gamma=[1.0], eps=1.0)
    assert float(truth.sigmas(288)[0]) == pytest.approx(np.sqrt(3.75), rel=1e-15)
    close(truth.S, (2.0 - 1.0 / (7.5 + 1.0)) * B @ B.T)


def test_an_edge_regularized_is_flat_in_eps():
    # gamma^2 = 2 + eps: S = L - (2 + eps)/(2 + eps) L = 0.
    close(collapsed(EDGE, "unfolded", gamma="regularized", eps=0.3).S, np.zeros((2, 2)))


def test_an_edge_collapsed_onto_itself():
    # A = 2, X = -sqrt(2) B^T, C = L: S = 2 - 2 * 2/(2 + eps).
    close(collapsed(EDGE, "unfolded", eps=0.5, onto=1).S, [[2 - 4 / 2.5]])
    close(collapsed(EDGE, "unfolded", eps=0.0, onto=1).S, [[0.0]])


def test_a_path_by_its_eigenvalues():
    # L has 0, 1, 3 and sigma^2 = 1: f(x) = x - x/(x + eps), at eps = 1/2: 0, 1/3, 3 - 6/7.
    values = collapsed(PATH, "unfolded", eps=0.5).values
    close(values, [0.0, 1 / 3, 3 - 6 / 7])
    close(collapsed(PATH, "unfolded", eps=0.0).values, [0.0, 0.0, 2.0])


def test_the_matrices_of_a_triangle():
    signed = [[-1, -1, 0], [1, 0, -1], [0, 1, 1]]
    assert [pattern(M) for M in matrices(TRIANGLE, "boundary")] == [signed, [[1], [-1], [1]]]
    assert pattern(matrices(TRIANGLE, "mixed")[1]) == [[1], [1], [1]]
    assert pattern(matrices(TRIANGLE, "unfolded")[1]) == np.eye(3, dtype=int).tolist()
    assert pattern(matrices(TRIANGLE, "incidence")[0]) == np.abs(signed).tolist()


def test_a_triangle_unfolded():
    # m = eps + 1 - 1/(1 + eps) for each edge; L has 0, 3, 3; c = 3; S = 3 - 3 (1 - 1/(1 + 3/m)).
    eps = 0.5
    m = eps + 1 - 1 / (1 + eps)
    close(
        collapsed(TRIANGLE, "unfolded", eps=eps).values, [0.0, *[3 - 3 * (1 - 1 / (1 + 3 / m))] * 2]
    )


def test_a_triangle_with_signed_boundaries_forgets_its_face():
    # f(3) = 3 - 3 * 3/(3 + eps).
    close(collapsed(TRIANGLE, "boundary", eps=1.0).values, [0.0, 3 - 9 / 4, 3 - 9 / 4])


def test_a_triangle_unsigned():
    # On constants: |B_1| has sigma^2 = 4 there, 1 elsewhere, so gamma_0 = 1; |B_2| has 3, gamma_1^2
    # = 3. The edges keep T = 3 - 3 * 3/(3 + eps) on constants, and the vertices
    # 4 - 4/(4 + T + eps); elsewhere 1 - 1/(1 + eps).
    eps = 1.0
    T = 3 - 9 / (3 + eps)
    values = collapsed(TRIANGLE, "incidence", eps=eps).values
    close(values, [1 - 1 / 2, 1 - 1 / 2, 4 - 4 / (4 + T + eps)])


def test_the_completion_of_an_edge():
    # z = sqrt(2) (u_1 - u_0) / (2 + eps).
    found = collapsed(EDGE, "unfolded", eps=0.5).completion(np.array([1.0, 4.0]))
    close(found[1], [np.sqrt(2) * 3 / 2.5])


def test_the_resistance_of_a_path():
    # gamma = 0 leaves L, where resistances add up; two components are apart.
    truth = Truth(matrices(PATH, "unfolded"), [1.0], [0.0], 1.0)
    assert truth.resistance(0, 2) == pytest.approx(2.0, rel=1e-14)
    apart = Truth(matrices(Plain(3, {1: [(0, 1)]}, {}), "unfolded"), [1.0], [0.0], 1.0)
    assert apart.resistance(0, 2) == np.inf


def test_skipped_ranks_are_filled_with_chains():
    # A cell of rank 3 above three vertices without edges: a chain of two for each vertex.
    plain = Plain(3, {1: [], 2: [], 3: [(0, 1, 2)]}, {})
    assert [M.shape for M in matrices(plain, "incidence")] == [(3, 3), (3, 3), (3, 1)]
    with pytest.raises(DoesNotApplyError):
        matrices(plain, "unfolded")


def test_formal_elements_are_no_cells():
    # Six edges below one cell of rank 3: support 1 each, so the share is 1 - .9/2 = .55.
    edges = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    plain = Plain(4, {1: edges, 2: [], 3: [(0, 1, 2, 3)]}, {})
    close(formulas.shares(plain, [1.0] * 3, np.sqrt(0.9), 0.0, 0), [0.55] * 6)
    close(formulas.motif_laplacian(plain, 0.1)[0], [3.3, -1.1, -1.1, -1.1])


def test_a_triangle_renormalized_once():
    # Degrees are 2, each cell's other edges have share 1: support 1/2, share 1 - .95/(1 + 5/2).
    close(formulas.shares(TRIANGLE, [1.0, 5.0], np.sqrt(0.95), 0.0, 1), [1 - 0.95 / 3.5] * 3)


def test_the_smallest_singular_value_with_weights_far_apart():
    # Rank 1, sigma^2 = 2e-12; rank 2 of a diagonal matrix, 1e-6 next to 1e6.
    thin = Matrix([1e12, 1e12], [1.0], {(0, 0): 1, (1, 0): 1})
    assert float(exact.smallest_singular_value(thin)) == pytest.approx(np.sqrt(2e-12), rel=1e-15)
    wide = Matrix([1e12, 1.0, 1.0], [1.0, 1e12], {(0, 0): 1, (1, 0): 1, (2, 1): 1, (1, 1): 1})
    found = float(exact.smallest_singular_value(wide))
    B = np.array([[1e-6, 0], [1, 1e6], [0, 1e6]])
    # det(B^T B) = 1e12 + 2 nearly, trace 2e12 nearly: the smaller root is their quotient.
    square = ((B.T @ B)[0, 0] * 2e12 - 1e12) / (2e12 + 0.5)
    assert found == pytest.approx(np.sqrt(square), rel=1e-9)


def test_the_dense_oracle_of_the_zoo_agrees_with_the_definition():
    for code in ("nx.barbell_graph(4, 2)", "nx.complete_graph(5)", "nx.star_graph(6)"):
        graph = dense.Graph(graphs.make(code))
        edges = [tuple(e) for e in graph.edges.tolist()]
        faces = sorted(
            tuple(sorted({v for e in t for v in edges[e]})) for t in graph.triangles().tolist()
        )
        plain = Plain(graph.n, {1: edges, 2: faces}, {})
        for realization in ("unfolded", "mixed", "incidence", "boundary"):
            for regularized in (False, True):
                gamma = "regularized" if regularized else "bound"
                truth = collapsed(plain, realization, gamma=gamma, eps=0.01)
                S, A = dense.collapsed(graph, realization, 0.01, regularized)
                close(S, truth.S, 1e-13 * truth.norm)
                close(A, truth.A, 1e-13 * truth.norm)
        S, _ = dense.collapsed(graph, "renormalized", 0.01, False)
        expected, _ = formulas.screened(plain, [1.0, 5.0], np.sqrt(0.95), 0.01, 5)
        close(S, expected, 1e-13)


@pytest.mark.parametrize(
    ("family", "code"),
    [
        ("path", "nx.path_graph(7)"),
        ("star", "nx.star_graph(6)"),
        ("hypercube", "nx.hypercube_graph(4)"),
        ("torus", "nx.grid_2d_graph(3, 5, periodic=True)"),
        ("copies", "nx.disjoint_union_all([nx.cycle_graph(100)] * 2)"),
    ],
)
def test_closed_forms(family, code):
    graph = graphs.make(code)
    L, _ = dense.collapsed(dense.Graph(graph), "graph", 0.0, False)
    found = laplacian_spectrum(family, graph, L.diagonal())
    close(np.sort(found), np.linalg.eigvalsh(L), 1e-12)
