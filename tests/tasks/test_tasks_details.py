"""Tasks on cases small enough to work out by hand, where the larger tests would not notice."""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse._linalg.operators import SparseOperator
from cellapse.tasks._against_decoys import separation
from cellapse.tasks._spreading import _relaxed
from cellapse.tasks._subsample import shuffled
from cellapse.tasks.clustering import Clusters
from cellapse.tasks.cuts import sweep_cut
from cellapse.tasks.embedding import surroundings
from cellapse.tasks.false_edges import _no_cells
from cellapse.tasks.resistance import exact_coordinates


def test_a_card_lists_twelve_sizes_and_says_when_there_are_more():
    for n, more in ((12, False), (13, True)):
        clusters = cl.cluster(nx.disjoint_union_all([nx.complete_graph(3)] * n), n)
        shown = str(clusters._card())
        assert dict(clusters._card().rows)["sizes"] == ", ".join(["3"] * 12) + more * ", ..."
        assert ("..." in shown) == more
        assert shown.count("3") >= min(n, 12)


def test_a_card_names_five_vertices_and_the_masses():
    clusters = Clusters(np.array([0, 0, 1, 1, 0, 1]), tuple("abcdef"), None)
    rows = dict(clusters._card().rows)
    assert rows == {
        "sizes": "3, 3",
        "first": "'a': 0, 'b': 0, 'c': 1, 'd': 1, 'e': 0",
        "mass": "none",
    }
    assert dict(cl.cluster(nx.path_graph(4), 2)._card().rows)["mass"] == "diagonal"


def test_clusters_are_drawn_and_listed():
    clusters = cl.cluster(nx.path_graph(4), 2)
    assert clusters.plot() is not None
    assert set(clusters.as_dict()) == {0, 1, 2, 3}


def test_how_far_values_lie_above_decoys():
    """2 of 3 values above the decoy 1, one tied with it: (1 + 1 + 1/2) / 3."""
    above, error = separation(np.array([1.0, 2.0, 3.0]), np.array([1.0]))
    assert above == pytest.approx(2.5 / 3)
    assert error == pytest.approx(np.sqrt(5 / 36))  # (m + d + 1) / (12 m d), Mann and Whitney
    above, error = separation(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.5]))
    assert above == pytest.approx((0.5 + 1 + 2) / 6)
    assert error == pytest.approx(np.sqrt(6 / 72))


def test_ends_are_dealt_out_anew_and_weights_stay():
    K = cl.Complex.from_arrays(6, {1: [[0, 1], [2, 3], [4, 5]]}, weights={1: [1.0, 2.0, 4.0]})
    A = shuffled(K, np.random.default_rng(3))
    assert abs(A - A.T).nnz == 0
    total = A.sum() / 2
    assert total in {float(a + b + c) for a in (0, 1) for b in (0, 2) for c in (0, 4)}


def test_the_side_of_a_cut_is_the_lighter_one():
    """A clique of four with a tail: cutting off {3, 4} costs 3 edges of degrees 4 + 1."""
    G = nx.complete_graph(4)
    G.add_edge(3, 4)
    for order in (np.arange(5.0), -np.arange(5.0)):
        cut = sweep_cut(cl.graph_laplacian(G), order)
        assert set(np.flatnonzero(cut.inside)) == {3, 4}
        assert cut.conductance == pytest.approx(0.6)


def test_the_halves_of_a_barbell_are_cut_at_the_bridge():
    G = nx.barbell_graph(4, 0)
    cut = sweep_cut(cl.graph_laplacian(G), np.arange(8.0))
    assert set(np.flatnonzero(cut.inside)) in ({0, 1, 2, 3}, {4, 5, 6, 7})
    assert cut.conductance == pytest.approx(1 / 13)


def test_why_no_cell_holds_an_edge():
    def reason(graph):
        return _no_cells(cl.as_complex(graph))

    assert reason(cl.Complex.from_arrays(3, {})) == "there are no edges"
    assert "no cycles" in reason(nx.path_graph(4))
    assert "no cycles" in reason(nx.disjoint_union(nx.path_graph(4), nx.path_graph(3)))
    assert "lift the graph" in reason(cl.as_complex(nx.cycle_graph(4)).skeleton(1))
    assert "max_length=4" in reason(cl.clique_complex(nx.cycle_graph(4)))


def test_surroundings_are_measured_in_masses():
    """A star: the middle has degree 3, and 3 / 3 = 1 / 1 with the degrees as masses."""
    L = cl.graph_laplacian(nx.star_graph(3)).A
    assert len(set(surroundings(L).round(12))) == 2
    assert len(set((L.diagonal() / np.array([3.0, 1, 1, 1])).round(12))) == 1
    assert np.allclose(surroundings(L, np.full(4, 2.0)), surroundings(L))  # only their ratios


def test_the_mean_of_a_component_is_not_relaxed():
    L = cl.graph_laplacian(nx.path_graph(2))
    flat = np.array([[3.0, 1.0], [3.0, -1.0]])
    relaxed = _relaxed(L, flat, 2.0)
    assert relaxed[:, 0] == pytest.approx([3.0, 3.0])  # nothing but the kernel
    assert relaxed[:, 1] == pytest.approx([0.2, -0.2])  # 1 / (1 + 2 * 2)


@pytest.mark.parametrize("kernel", [True, False])
def test_coordinates_have_the_lengths_of_resistances(kernel):
    """A path of two edges: R = 1, 1, 2; without a known kernel by eigenvectors."""
    L = cl.graph_laplacian(nx.path_graph(3))
    S = L if kernel else SparseOperator(L.A, L.labels, None, "given")
    for coordinates in exact_coordinates(S):
        z = coordinates.points
        lengths = [float(((z[i] - z[j]) ** 2).sum()) for i, j in ((0, 1), (1, 2), (0, 2))]
        assert lengths == pytest.approx([1, 1, 2])
        y = coordinates.errors
        assert float(((y[0] - y[2]) ** 2).sum()) < 1e-12
        assert kernel or float(((y[0] - y[2]) ** 2).sum()) > 0


def test_a_sketch_of_an_operator_without_a_kernel():
    M = sparse.csr_array(np.array([[3.0, -1.0], [-1.0, 2.0]]))
    S = SparseOperator(M, ("a", "b"), None, "grounded")
    exact = (2 + 3 - 2) / 5  # of the inverse [[2, 1], [1, 3]] / 5
    assert cl.effective_resistance(S, [("a", "b")]) == pytest.approx([exact])
    assert cl.effective_resistance(S, [("a", "b")], rtol=0.1) == pytest.approx([exact], rel=0.4)
