"""The operators to compare with: by hand, against their libraries, and all alike in interface."""

import networkx as nx
import numpy as np
import pytest
import xgi
from hypothesis import given
from hypothesis import strategies as st
from toys import karate

import cellapse as cl

TRIANGLE = {1: [(0, 1), (1, 2), (0, 2)], 2: [(0, 1, 2)]}
BASELINES = [
    cl.graph_laplacian,
    cl.signless_laplacian,
    cl.multiorder_laplacian,
    cl.motif_laplacian,
    cl.zhou_laplacian,
    cl.projection_laplacian,
    lambda K: cl.hodge_laplacian(K, 0),
]


def random_hyperedges(seed, n=12, m=15, largest=5):
    rng = np.random.default_rng(seed)
    groups = {
        tuple(sorted(rng.choice(n, size=rng.integers(2, largest + 1), replace=False).tolist()))
        for _ in range(m)
    }
    return sorted(groups)


@given(st.integers(0, 200))
def test_multiorder_equals_xgi_entry_by_entry(seed):
    groups = random_hyperedges(seed)
    K = cl.hypergraph_complex(groups, vertices=range(12))
    H = xgi.Hypergraph()
    H.add_nodes_from(range(12))
    H.add_edges_from([cell.tolist() for k in (1, 2) for cell in K.cells[k]])
    orders = np.arange(1, max(map(len, groups)))
    weights = np.linspace(0.5, 2.0, len(orders))
    present = [d for d in orders if H.edges.filterby("order", d)]
    theirs = xgi.multiorder_laplacian(H, present, weights[np.array(present) - 1], sparse=True)
    ours = cl.multiorder_laplacian(K, weights).toarray()
    np.testing.assert_allclose(ours, theirs.toarray(), atol=1e-12)


def test_graph_and_signless_laplacian_equal_networkx():
    graph = nx.les_miserables_graph()
    K = cl.clique_complex(graph, weight="weight")
    L = nx.laplacian_matrix(graph).toarray()
    np.testing.assert_allclose(cl.graph_laplacian(K).toarray(), L, atol=1e-12)
    D = np.diag(L.diagonal())
    np.testing.assert_allclose(cl.signless_laplacian(K).toarray(), 2 * D - L, atol=1e-12)


def test_motif_laplacian_counts_triangles():
    graph = karate()
    A = nx.to_numpy_array(graph, weight=None)
    W = A * (A @ A) + 0.25 * A
    expected = np.diag(W.sum(axis=1)) - W
    motif = cl.motif_laplacian(cl.clique_complex(graph), floor=0.25)
    np.testing.assert_allclose(motif.toarray(), expected, atol=1e-12)
    gone = cl.motif_laplacian(cl.Complex.from_cells({1: [(0, 1)]}), floor=0)
    assert not gone.toarray().any()
    assert gone.spectrum().n_zeros == 2


def test_projection_by_hand():
    """Triple (a, b, c) gives its pairs 1/2 each; (c, d) is a pair of its own."""
    K = cl.hypergraph_complex([("a", "b", "c"), ("c", "d")])
    wanted = [[1, -0.5, -0.5, 0], [-0.5, 1, -0.5, 0], [-0.5, -0.5, 2, -1], [0, 0, -1, 1]]
    np.testing.assert_allclose(cl.projection_laplacian(K).toarray(), wanted, atol=1e-12)
    count = cl.projection_laplacian(K, weights="count").toarray()
    none = cl.projection_laplacian(K, weights="none").toarray()
    np.testing.assert_allclose(none, cl.graph_laplacian(K).toarray(), atol=1e-12)
    np.testing.assert_allclose(count, none, atol=1e-12)


@given(st.integers(0, 100))
def test_projection_of_hyperedges_with_their_multiplicity(seed):
    """Against a loop over the hyperedges as they were given, twice or within larger ones."""
    groups = random_hyperedges(seed)
    groups += groups[:3]
    K = cl.hypergraph_complex(groups, vertices=range(12), multiplicity="weight")
    for weights, gives in (("size", lambda e: 1 / (len(e) - 1)), ("count", lambda e: 1.0)):
        A = np.zeros((12, 12))
        for e in groups:
            for i in e:
                for j in e:
                    A[i, j] += gives(e) * (i != j)
        wanted = np.diag(A.sum(axis=1)) - A
        np.testing.assert_allclose(
            cl.projection_laplacian(K, weights=weights).toarray(), wanted, atol=1e-12
        )


def test_projection_of_a_weighted_graph_is_its_laplacian():
    K = cl.clique_complex(nx.les_miserables_graph(), 1, weight="weight")
    wanted = cl.graph_laplacian(K).toarray()
    np.testing.assert_allclose(cl.projection_laplacian(K).toarray(), wanted, atol=1e-12)
    with pytest.raises(cl.InputError, match="weights"):
        cl.projection_laplacian(K, weights="mass")


def test_hyperedges_of_rank_1_and_components():
    K = cl.Complex.from_cells({0: list("abcdef"), 1: [tuple("abcd")]})
    L = cl.projection_laplacian(K)
    assert L.toarray()[0, 1] == pytest.approx(-1 / 3)
    assert L.spectrum().n_zeros == 3


def test_zhou_laplacian_by_hand():
    # Hyperedges {0,1,2} and {2,3}: degrees 1, 1, 2, 1 and sizes 3, 2; vertex 4 is in none.
    K = cl.Complex.from_cells({0: range(5), 1: [(0, 1, 2), (2, 3)]})
    L = cl.zhou_laplacian(K).toarray()
    assert L[0, 1] == pytest.approx(-1 / 3)
    assert L[0, 2] == pytest.approx(-1 / (3 * np.sqrt(2)))
    assert L[2, 2] == pytest.approx(1 - (1 / 3 + 1 / 2) / 2)
    assert not L[4].any()
    np.testing.assert_allclose(cl.zhou_laplacian(K).spectrum().values[:2], 0, atol=1e-12)
    doubled = cl.Complex.from_cells({0: range(5), 1: [(0, 1, 2), (2, 3)]}, weights={1: [2, 1]})
    assert cl.zhou_laplacian(doubled).toarray()[0, 2] == pytest.approx(-2 / 3 / np.sqrt(2 * 3))


def test_zhou_laplacian_of_chosen_ranks():
    K = cl.Complex.from_cells(TRIANGLE)
    faces = cl.zhou_laplacian(K, ranks=[2]).toarray()
    np.testing.assert_allclose(faces, np.eye(3) - 1 / 3)
    assert not np.allclose(faces, cl.zhou_laplacian(K).toarray())
    with pytest.raises(cl.InputError, match=r"ranks.*1\.\.2"):
        cl.zhou_laplacian(K, ranks=[3])


def test_hodge_kernel_counts_holes():
    torus = [(i, (i + a) % 7, (i + b) % 7) for i in range(7) for a, b in ((1, 3), (2, 3))]
    edges = sorted(
        {tuple(sorted(e)) for t in torus for e in ((t[0], t[1]), (t[1], t[2]), (t[0], t[2]))}
    )
    K = cl.Complex.from_cells({0: range(7), 1: edges, 2: torus})
    zeros = [int((cl.hodge_laplacian(K, k).spectrum().values < 1e-9).sum()) for k in range(3)]
    assert tuple(zeros) == K.betti_numbers() == (1, 2, 1)


def test_square_of_dirac_is_hodge():
    K = cl.clique_complex(nx.karate_club_graph(), 3, weight=None)
    D = cl.dirac_operator(K)
    assert len(D.labels) == sum(K.n_cells)
    square = D.toarray() @ D.toarray()
    start = 0
    for k, n in enumerate(K.n_cells):
        block = square[start : start + n, start : start + n]
        np.testing.assert_allclose(block, cl.hodge_laplacian(K, k).toarray(), atol=1e-10)
        square[start : start + n, start : start + n] = 0
        start += n
    assert abs(square).max() < 1e-12
    values = D.spectrum().values
    np.testing.assert_allclose(values, -values[::-1], atol=1e-9)


def test_multiorder_of_a_closed_surface_is_a_multiple_of_the_laplacian():
    octahedron = nx.octahedral_graph()
    K = cl.clique_complex(octahedron)
    L = cl.graph_laplacian(K).toarray()
    mean_degree = 4
    np.testing.assert_allclose(
        cl.multiorder_laplacian(K, [1.0, 1.0]).toarray(), 3 / mean_degree * L, atol=1e-12
    )


@pytest.mark.parametrize("baseline", BASELINES)
def test_all_share_one_interface(baseline):
    graph = nx.disjoint_union(karate(), nx.empty_graph(2))
    K = cl.clique_complex(nx.relabel_nodes(graph, str))
    M = baseline(K)
    dense = M.toarray()
    np.testing.assert_allclose(dense, dense.T, atol=1e-12)
    x = np.random.default_rng(0).standard_normal((36, 3))
    np.testing.assert_allclose(M @ x, dense @ x, atol=1e-10)
    assert tuple(M.labels) == K.labels
    spectrum = M.spectrum(5)
    expected = np.linalg.eigvalsh(dense)[:5]
    np.testing.assert_allclose(spectrum.values, expected, atol=1e-9)
    assert spectrum.residuals.max() < 1e-9
    assert M.energy(x[:, 0]) == pytest.approx(x[:, 0] @ dense @ x[:, 0])
    assert M.spectrum(3, mass="degree").values[0] == pytest.approx(0, abs=1e-9) or baseline is (
        cl.signless_laplacian
    )


def test_bad_arguments():
    K = cl.Complex.from_cells(TRIANGLE)
    with pytest.raises(cl.InputError, match="floor"):
        cl.motif_laplacian(K, floor=-1)
    with pytest.raises(cl.InputError, match="order"):
        cl.multiorder_laplacian(K, [1.0])
    with pytest.raises(cl.InputError, match=r"0\.\.2"):
        cl.hodge_laplacian(K, 3)


def test_baselines_carry_the_labels_of_their_cells():
    K = cl.Complex.from_cells(
        {0: "dcba", 1: [("a", "b"), ("b", "c"), ("a", "c")], 2: [("a", "b", "c")]}
    )
    for make in (cl.graph_laplacian, cl.signless_laplacian, cl.multiorder_laplacian,
                 cl.motif_laplacian, cl.zhou_laplacian, cl.projection_laplacian):  # fmt: skip
        assert tuple(make(K).labels) == ("d", "c", "b", "a")
    for rank in range(3):
        hodge = cl.hodge_laplacian(K, rank)
        assert tuple(hodge.labels) == tuple(K.cell_labels(rank))
    np.testing.assert_allclose(cl.hodge_laplacian(K, 0).toarray(), cl.graph_laplacian(K).toarray())
    np.testing.assert_allclose(cl.hodge_laplacian(K, 1).toarray(), 3.0 * np.eye(3))
    np.testing.assert_allclose(cl.hodge_laplacian(K, 2).toarray(), [[3.0]])


def test_pairs_without_a_hyperedge_keep_their_own_weight():
    """Edges of weight 2 and 5, the first inside a cell of three that gives every pair a half."""
    cells = {1: [(0, 1), (1, 2), (0, 2), (2, 3)], 2: [(0, 1, 2)]}
    K = cl.Complex.from_cells(cells, weights={1: [2.0, 1.0, 1.0, 5.0]})
    size = -cl.projection_laplacian(K).toarray()
    assert [size[0, 1], size[1, 2], size[2, 3]] == [1.5, 0.5, 5.0]  # 0.5 + (2 - 1), 0.5, 5
    count = -cl.projection_laplacian(K, "count").toarray()
    assert [count[0, 1], count[1, 2], count[2, 3]] == [2.0, 1.0, 5.0]
    none = -cl.projection_laplacian(K, "none").toarray()
    assert [none[0, 1], none[1, 2], none[2, 3], none[0, 3]] == [1.0, 1.0, 1.0, 0.0]


def test_matrices_that_do_not_fit_each_other_or_are_none():
    with pytest.raises(cl.InputError, match="agree"):
        cl.collapse([np.ones((3, 2)), np.ones((3, 1))])
    for array in (np.ones((2, 2, 2)), np.ones((2, 3, 1))):
        with pytest.raises(cl.CellapseError):
            cl.as_operator(array)
    with pytest.raises(cl.InputError, match="symmetric"):
        cl.as_operator(np.array([[1.0, 0.5], [0.0, 1.0]]))
    assert cl.as_operator(np.zeros((2, 2))).toarray().tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_the_dirac_operator_is_indefinite():
    D = cl.dirac_operator(nx.path_graph(3))
    assert not D.definite
    values = np.linalg.eigvalsh(D.toarray())
    assert values == pytest.approx([-(3**0.5), -1, 0, 1, 3**0.5])


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
