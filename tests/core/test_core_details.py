"""Baselines, matrices and linear algebra, by hand on the smallest cases that tell them apart."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

import cellapse as cl
from cellapse._linalg.eigen.spectrum import fix_signs
from cellapse._linalg.factor import expands
from cellapse._linalg.sigma import largest_eigenpair
from cellapse._matrices.homology import betti_numbers
from cellapse._matrices.incidence import are_matrices, looks_like_adjacency
from cellapse._matrices.matrices import (
    _spread,
    edge_boundary,
    mixed_matrices,
    supports,
    unfolded_matrices,
)
from cellapse._operators.as_operator import as_operator
from cellapse._operators.by_size import _random_cells
from cellapse._operators.hyperedges import Hyperedges, inside
from cellapse._operators.reliability import Excess, _embedding, _new_weights
from cellapse._shared import arrays
from cellapse._shared.arrays import Entries, square


def test_diagonally_dominant_matrices_are_taken_and_others_looked_at():
    for low, taken in ((1.0, True), (0.999, False)):
        M = np.array([[low, -1.0], [-1.0, 1.0]])  # an eigenvalue of about (low - 1) / 2
        if taken:
            assert as_operator(M).kernel.shape == (2, 1)
        else:
            with pytest.raises(cl.InputError, match=r"eigenvalue of about -0\.0005"):
                as_operator(M)
    assert as_operator(np.array([[1.0, -2.0], [-2.0, 5.0]])).kernel is None  # not dominant


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_arcs_by_rows_and_by_columns_are_the_same_arcs(form):
    arcs = sparse.coo_array(([5.0, 2.0, 3.0, 0.0], ([0, 1, 2, 2], [1, 0, 0, 1])), shape=(3, 3))
    K = cl.as_complex(arcs.asformat(form), weight="w", directed="ignore", repeats="first")
    assert K.cells[1].as_array().tolist() == [[0, 1], [0, 2]]
    assert K.weights[1].tolist() == [5.0, 3.0]  # that above the diagonal comes first


def test_the_ends_of_an_operator_given_as_products():
    for low in (0.5, -0.5):
        S = aslinearoperator(sparse.diags_array(np.linspace(low, 3.0, 40)))
        if low > 0:
            assert 3.0 <= as_operator(S).A.diagonal().max() <= 3.1
        else:
            with pytest.raises(cl.InputError, match=r"eigenvalue of about -0\.5"):
                as_operator(S)


def test_zhou_by_hand():
    """One triangle: L = I - (1/3) 1 1^T whatever its weight; a vertex of no cell is left at 0."""
    K = cl.Complex.from_arrays(4, {1: [], 2: [[0, 1, 2]]}, weights={2: [5.0]})
    L = cl.zhou_laplacian(K).toarray()
    assert np.allclose(L[:3, :3], np.eye(3) - 1 / 3)
    assert not L[3].any()
    both = cl.zhou_laplacian(cl.Complex.from_arrays(3, {1: [[0, 1]], 2: [[0, 1, 2]]}))
    D = np.diag([2, 2, 1.0]) ** 0.5
    by_hand = np.full((3, 3), 1 / 3) + np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 0]])
    assert np.allclose(np.eye(3) - both.toarray(), np.linalg.inv(D) @ by_hand @ np.linalg.inv(D))
    assert np.allclose(both.toarray() @ both.kernel.toarray(), 0)
    assert both.kernel.shape == (3, 1)
    assert cl.zhou_laplacian(K, ranks=[1]).kernel.shape == (4, 4)


def test_projection_by_hand():
    """A pair of weight 2 beside a triangle of weight 3 gives 2 + 0, and 3 / 2 for each pair."""
    K = cl.Complex.from_arrays(4, {1: [[2, 3]], 2: [[0, 1, 2]]}, weights={1: [2.0], 2: [3.0]})
    A = -cl.projection_laplacian(K).toarray()
    assert A[2, 3] == pytest.approx(2)
    assert A[0, 1] == A[0, 2] == A[1, 2] == pytest.approx(1.5)
    assert -cl.projection_laplacian(K, "count").toarray()[0, 1] == pytest.approx(3)
    assert -cl.projection_laplacian(K, "none").toarray()[2, 3] == pytest.approx(1)


def test_the_dirac_operator_is_indefinite():
    D = cl.dirac_operator(nx.path_graph(3))
    assert not D.definite
    values = np.linalg.eigvalsh(D.toarray())
    assert values == pytest.approx([-(3**0.5), -1, 0, 1, 3**0.5])


def test_hyperedges_of_a_complex_by_hand():
    """An edge within a triangle counts what its weight has over that of the triangle."""
    K = cl.Complex.from_arrays(
        4,
        {1: [[0, 1], [0, 2], [1, 2], [2, 3]], 2: [[0, 1, 2]]},
        weights={1: [3.0, 1.0, 1.0, 2.0], 2: [1.0]},
    )
    H = Hyperedges.of(K)
    assert H.sizes.tolist() == [2, 2, 3]
    assert H.weights.tolist() == [2.0, 2.0, 1.0]
    assert H.table.toarray().T.tolist() == [[1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 0]]
    none = Hyperedges.of(cl.Complex.from_arrays(3, {}))
    assert (none.count, none.table.shape) == (0, (3, 0))


def test_weights_of_sizes_follow_what_they_predict():
    def measured(*gains, error):
        return [SimpleNamespace(gain=gain, error=error) for gain in gains]

    assert _new_weights(measured(4.0, 1.0, 0.05, 3.95, error=0.1)) == pytest.approx([1, 0.25, 0, 1])
    assert _new_weights(measured(0.1, 0.05, error=1.0)).tolist() == [1.0, 1.0]


def test_a_difference_and_its_standard_error():
    excess = Excess(np.array([1.0, 3.0]), np.array([0.0, 0.0]))
    assert (excess.gain, excess.error) == pytest.approx((2, 0.5**0.5))
    alone = Excess(np.array([1.0]), np.array([0.0, 0.0]))
    assert (alone.gain, alone.error) == (0.0, 1.0)


def test_an_embedding_puts_components_at_right_angles():
    A = sparse.block_diag([np.ones((3, 3)) - np.eye(3)] * 2, format="csr")
    X = _embedding(sparse.csr_array(A), 2)
    assert pytest.approx(np.kron(np.eye(2), np.ones((3, 3)))) == X @ X.T


def test_random_cells_have_their_sizes_and_no_vertex_twice():
    degree = np.array([5.0, 1, 0, 1, 1])
    table = _random_cells(np.array([2, 4, 3]), degree, np.random.default_rng(0))
    assert table.sum(axis=0).tolist() == [2, 4, 3]
    assert table.max() == 1
    assert not table.toarray()[2].any()  # nobody asks for a vertex of degree 0


def test_signs_of_faces_agree_along_their_ridges():
    """Three sides of a triangle as columns: walking round, one of them runs backwards."""
    ridges = sparse.csr_array(np.array([[-1, -1, 0], [1, 0, -1], [0, 1, 1]]))
    assert _spread(ridges).tolist() in ([1, -1, 1], [-1, 1, -1])
    assert _spread(sparse.csr_array(np.array([[-1, -1, -1]]))) is None
    assert _spread(sparse.csr_array((0, 0))) is None


def test_what_a_user_may_mean_by_lists_of_numbers():
    assert are_matrices([[[1, 0], [0, 1]]])
    assert not are_matrices([[], [[1]]])
    assert not are_matrices([[1, 2], [3, 4]])
    for rows, adjacency in (
        ([[0, 1], [1, 0]], True), ([[0, 1, 0], [1, 0, 1]], False), ([[0, -1], [-1, 0]], False),
        ([[0, 1], [0, 0]], False), ([[1, 1], [1, 1]], False), ([[0, 0], [0, 0]], False),
    ):  # fmt: skip
        assert looks_like_adjacency(sparse.csr_array(np.array(rows))) is adjacency


def test_holes_of_a_sphere_a_circle_and_two_points():
    sphere = cl.clique_complex(nx.octahedral_graph(), 2)
    assert betti_numbers(sphere) == (1, 0, 1)
    two = nx.disjoint_union(nx.cycle_graph(4), nx.path_graph(2))
    assert betti_numbers(cl.clique_complex(two)) == (2, 1, 0)


def test_flags_of_a_tetrahedron():
    K = cl.clique_complex(nx.complete_graph(4), 3)
    B = unfolded_matrices(K)
    assert B.n_cells == (4, 6, 12, 12)  # each edge in two triangles, each of those in one solid
    assert B.n_formal == (0, 0, 12, 12)
    assert [M.sum() for M in B.matrices[1:]] == [12.0, 12.0]


def test_signed_edges_below_unsigned_faces_come_with_a_warning():
    triangle = cl.clique_complex(nx.complete_graph(3))
    with pytest.warns(cl.CellapseWarning, match="order of the vertices"):
        B = mixed_matrices(triangle)
    assert abs(B[0]).sum() == 6
    assert B[1].toarray().tolist() == [[1.0], [1.0], [1.0]]


@pytest.mark.parametrize("rank", [2, 3])
def test_a_cell_whose_vertex_no_edge_holds_is_named(rank):
    K = cl.Complex.from_arrays(4, {1: [[0, 1]], rank: [[0, 1, 2]]})
    with pytest.raises(cl.InputError, match=rf"cell \(0, 1, 2\) of rank {rank} holds a vertex"):
        cl.collapse(K, "mixed")


def test_a_cell_without_edges_supports_none():
    B = sparse.csr_array(np.array([[2.0, 0.0], [2.0, 0.0]]))
    (around,) = supports([Entries.of(B)], [2])
    assert around.toarray().tolist() == [[4.0, 0.0], [4.0, 0.0]]


def test_cells_of_every_rank_support_the_edges_inside_them_and_formal_ones_support_none():
    B2 = sparse.csr_array(np.array([[2.0, 0.0, 3.0], [2.0, 1.0, 0.0]]))  # the third one is formal
    B3 = sparse.csr_array(np.array([[5.0], [5.0], [5.0]]))
    triangles, solids = supports([Entries.of(B2), Entries.of(B3)], [2, 1])
    assert triangles.toarray().tolist() == [[4.0, 0.0], [4.0, 1.0]]
    assert solids.toarray().tolist() == [[25.0], [25.0]]


@pytest.mark.parametrize("realization", ["screened", "renormalized"])
def test_the_norm_of_a_reweighted_laplacian_is_bounded_without_making_a(realization):
    weights = {1: [1.0, 2.0, 0.5, 3.0]}
    K = cl.Complex.from_cells({1: [(0, 1), (1, 2), (0, 2), (2, 3)], 2: [(0, 1, 2)]}, weights)
    S = cl.collapse(K, realization, beta=[3.0, 1.0])
    mass = np.array([1.0, 2.0, 3.0, 4.0])
    sums = abs(3.0 * cl.graph_laplacian(K).toarray()).sum(axis=1)
    assert S.norm_bound() == pytest.approx(sums.max())
    assert S.norm_bound(mass) == pytest.approx((sums / mass).max())
    assert abs(S.A - 3.0 * cl.graph_laplacian(K).A).max() < 1e-14


def test_nobody_makes_the_plain_laplacian_of_a_reweighted_one():
    S = cl.collapse(nx.circular_ladder_graph(700), "screened")
    assert isinstance(S.spectrum(4).solver, cl.ShiftInvert)
    assert "A" not in vars(S)
    assert "A" not in vars(S.elimination)


def test_a_square_is_the_same_by_entries_and_by_rows():
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    B = edge_boundary(K)
    weights = np.linspace(1.0, 2.0, B.shape[1])
    for w in (None, weights):
        assert abs(square(B, w) - square(B.csr, w)).max() == 0.0
    three = arrays.Entries(np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1]), np.ones(4), (2, 2))
    assert square(three).toarray().tolist() == square(three.csr).toarray().tolist()


def test_the_largest_entry_is_positive_and_among_ties_the_first():
    assert fix_signs(np.empty((3, 0))).shape == (3, 0)
    columns = np.array([[-1.0, 0.5, -1.0], [1.0, -2.0, 1.0 + 1e-8]])
    assert fix_signs(columns).tolist() == [[1.0, -0.5, 1.0], [-1.0, 2.0, -1.0 - 1e-8]]


def test_the_largest_eigenpair_of_nothing_and_of_two():
    assert largest_eigenpair(lambda x: x, 0, tol=1e-3)[0] == 0.0
    value, vector = largest_eigenpair(lambda x: np.diag([1.0, 5.0]) @ x, 2, tol=1e-3)
    assert value == pytest.approx(5.0)
    assert abs(vector) == pytest.approx([0, 1])


def test_trees_do_not_expand():
    for graph in (nx.path_graph(50), nx.star_graph(50), nx.balanced_tree(2, 5)):
        assert not expands(cl.graph_laplacian(graph).A)
    assert expands(cl.graph_laplacian(nx.random_regular_graph(6, 3000, seed=1)).A)


def test_a_kernel_is_known_only_where_it_is_whole():
    v = np.array([1.0, -2.0, 1.0])
    assert as_operator(np.outer(v, v)).kernel is None  # constants are in it, and one more vector
    L = cl.graph_laplacian(nx.path_graph(3)).toarray()
    assert as_operator(L).kernel.toarray().ravel() == pytest.approx([3**-0.5] * 3)
    root = np.diag(np.diag(L) ** -0.5)
    normalized = as_operator(root @ L @ root).kernel.toarray().ravel()
    assert normalized == pytest.approx(np.sqrt([0.25, 0.5, 0.25]))


def test_as_many_weights_as_there_are_sizes_of_cells():
    none, triangle = cl.Complex.from_arrays(2, {}), cl.clique_complex(nx.complete_graph(3))
    assert not cl.multiorder_laplacian(none, weights=[]).toarray().any()
    assert cl.multiorder_laplacian(triangle, weights=[1, 0]).toarray()[0, 0] == pytest.approx(1.0)
    for K, weights in (
        (none, [1.0]),
        (triangle, [1.0]),
        (triangle, [1, 1, 1]),
        (triangle, [1, -1]),
    ):
        with pytest.raises(cl.InputError):
            cl.multiorder_laplacian(K, weights=weights)


def test_the_kernel_of_hodge_is_known_at_the_vertices():
    K = cl.clique_complex(nx.disjoint_union(nx.complete_graph(3), nx.path_graph(2)))
    assert cl.hodge_laplacian(K, 0).kernel.shape == (5, 2)
    assert cl.hodge_laplacian(K, 1).kernel is None
    assert cl.hodge_laplacian(K, 2).toarray().tolist() == [[3.0]]


def hyperedges(sizes):
    table = np.zeros((12, len(sizes)))
    for j, size in enumerate(sizes):
        table[:size, j] = 1
    return Hyperedges(sparse.csc_array(table), np.array(sizes), np.full(len(sizes), 2.0))


def test_hyperedges_are_grouped_by_size_twenty_at_least():
    H = hyperedges([2] * 20 + [3] * 20 + [5] * 19 + [6] + [12] * 20)
    assert [sorted(set(H.sizes[g])) for g in H.groups()] == [[2], [3], [5, 6], [12]]
    few = hyperedges([2] * 20 + [4] * 3)
    assert [len(g) for g in few.groups()] == [23]
    assert [len(g) for g in hyperedges([3]).groups()] == [1]


def test_a_projection_and_the_likeness_inside_hyperedges():
    H = hyperedges([2, 3])
    A = H.projection(np.array([0, 1])).toarray()
    assert (A[0, 1], A[0, 2], A[0, 0]) == (3.0, 1.0, 0.0)  # 2 / 1 + 2 / 2, and 2 / 2 alone
    X = np.zeros((12, 2))
    X[0], X[1], X[2] = (1, 0), (0, 1), (1, 0)
    assert inside(X, H.table, H.sizes) == pytest.approx([0, 1 / 3])  # one of three pairs is alike


@pytest.mark.parametrize("weights", [None, np.array([2.0, 0.5, 3.0, 4.0])])
def test_squares_of_matrices_with_two_entries_in_a_column_and_of_others(weights):
    """A triangle with an edge twice and a lonely vertex; and with a column of three entries."""
    edges = np.array([[1, 0, -1, 2], [-1, 1, 0, -2], [0, -1, 1, 0], [0, 0, 0, 0]], dtype=float)
    other = edges.copy()
    other[2, 3] = 5.0
    w = np.ones(4) if weights is None else weights
    for B in (edges, other):
        found = square(sparse.csr_array(B), weights)
        np.testing.assert_allclose(found.toarray(), B @ np.diag(w) @ B.T, rtol=1e-15)
        assert found.has_canonical_format
        assert found.nnz == np.count_nonzero(B @ np.diag(w) @ B.T)
        assert (found.toarray() == found.toarray().T).all()
