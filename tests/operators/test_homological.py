"""Normalized and persistent Hodge Laplacians, by hand, by theorem and against GUDHI."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg
from strategies import plain_graphs
from toys import karate

import cellapse as cl


def clique(graph, max_rank=3):
    return cl.clique_complex(graph, max_rank, weight=None)


def zeros(L):
    return int((L.spectrum().values < 1e-9).sum())


@given(plain_graphs(min_vertices=1))
def test_normalized_on_the_vertices_of_a_graph_is_the_normalized_laplacian(graph):
    found = cl.normalized_hodge_laplacian(clique(graph, 1), 0).toarray()
    lonely = [v for v in graph if not graph.degree(v)]
    expected = nx.normalized_laplacian_matrix(graph, list(graph)).toarray()
    assert not expected[np.ix_(lonely, lonely)].any()
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(plain_graphs(min_vertices=2), st.integers(0, 2))
def test_normalized_spectra_are_bounded_and_count_holes(graph, rank):
    """Of B_{k+1} B_{k+1}^T at most k + 2, of B_k^T B_k at most k + 1: Horak and Jost 2013."""
    K = clique(graph)
    if rank <= K.max_rank:
        L = cl.normalized_hodge_laplacian(K, rank)
        assert L.spectrum().values.max(initial=0.0) <= rank + 2 + 1e-9
        assert zeros(L) == K.betti_numbers()[rank]


def test_normalized_edges_of_a_filled_triangle_by_hand():
    """Every edge lies in one triangle (w = 1), every vertex in two edges (w = 2)."""
    K = clique(nx.complete_graph(3), 2)
    B1, B2 = (B.toarray() for B in cl.boundary_matrices(K))
    expected = B1.T @ B1 / 2 + B2 @ B2.T
    np.testing.assert_allclose(cl.normalized_hodge_laplacian(K, 1).toarray(), expected, atol=1e-12)


def test_weights_of_maximal_cells_count_and_others_are_refused():
    cells = {1: [(0, 1), (1, 2)]}
    K = cl.Complex.from_cells(cells, weights={1: [1.0, 3.0]})
    expected = nx.Graph()
    expected.add_weighted_edges_from([(0, 1, 1.0), (1, 2, 3.0)])
    expected = nx.normalized_laplacian_matrix(expected).toarray()
    np.testing.assert_allclose(cl.normalized_hodge_laplacian(K, 0).toarray(), expected, atol=1e-12)
    heavy = cl.Complex.from_cells({0: range(3), **cells}, weights={0: [1.0, 2.0, 1.0]})
    with pytest.raises(cl.InputError, match="maximal"):
        cl.normalized_hodge_laplacian(heavy, 0)


@given(plain_graphs(min_vertices=2), st.integers(1, 20), st.integers(0, 1))
def test_persistent_betti_numbers_are_those_of_gudhi(graph, first, rank):
    gudhi = pytest.importorskip("gudhi")
    edges = list(graph.edges)
    inside = nx.Graph(edges[:first])
    inside.add_nodes_from(list(graph)[:2])
    K, part = clique(graph), clique(inside)
    if rank > part.max_rank:
        return
    tree = gudhi.SimplexTree()
    for v in graph:
        tree.insert([v], 0.0 if v in inside else 1.0)
    for i, edge in enumerate(edges):
        tree.insert(edge, 0.0 if i < first else 1.0)
    tree.expansion(3)
    tree.compute_persistence(persistence_dim_max=True)
    expected = [*tree.persistent_betti_numbers(0.0, 1.0), 0, 0, 0][rank]
    assert zeros(cl.persistent_laplacian(K, part, rank)) == expected


@given(plain_graphs(min_vertices=3))
def test_persistent_is_the_schur_complement_of_the_larger_one(graph):
    K = clique(graph)
    edges = list(graph.edges)[: graph.number_of_edges() // 2]
    if not edges or K.max_rank < 2:
        return
    part = clique(nx.Graph(edges), 1)
    order = [K.cell_labels(1).index(tuple(sorted(e))) for e in part.cell_labels(1)]
    rest = sorted(set(range(K.n_cells[1])) - set(order))
    B1, B2 = (B.toarray() for B in list(cl.boundary_matrices(K))[:2])
    up = B2 @ B2.T
    X = up[np.ix_(order, rest)]
    expected = up[np.ix_(order, order)] - X @ linalg.pinv(up[np.ix_(rest, rest)]) @ X.T
    expected += B1[:, order].T @ B1[:, order]
    found = cl.persistent_laplacian(K, part, 1).toarray()
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_persistent_of_all_is_the_hodge_laplacian():
    K = clique(karate())
    for rank in range(3):
        np.testing.assert_allclose(
            cl.persistent_laplacian(K, K, rank).toarray(),
            cl.hodge_laplacian(K, rank).toarray(),
            atol=1e-12,
        )


def test_a_part_that_is_none_is_refused():
    K = clique(nx.complete_graph(4))
    elsewhere = cl.Complex.from_cells({1: [(0, 9)]})
    with pytest.raises(cl.InputError, match="9"):
        cl.persistent_laplacian(K, elsewhere, 1)
    weighted = cl.Complex.from_cells({1: [(0, 1)]}, weights={1: [2.0]})
    with pytest.raises(cl.InputError, match="weights"):
        cl.persistent_laplacian(K, weighted, 1)
    no_edges = cl.Complex.from_cells({0: [0, 1, 2], 2: [(0, 1, 2)]})
    with pytest.raises(cl.InputError, match="face"):
        cl.persistent_laplacian(K, no_edges, 2)


def test_a_flower_petals_laplacian_is_zhous_of_one_rank():
    """Huang et al. 2024: I - D^{-1/2} H H^T D^{-1/2} / (p + 1), H the vertices in p-simplices."""
    graph = karate()
    K = clique(graph)
    for p in (1, 2, 3):
        cells = [c for c in nx.enumerate_all_cliques(graph) if len(c) == p + 1]
        H = np.zeros((34, len(cells)))
        for j, members in enumerate(cells):
            H[members, j] = 1.0
        degree = H.sum(axis=1)
        scale = np.where(degree > 0, degree, np.inf) ** -0.5
        expected = np.diag((degree > 0) * 1.0) - scale[:, None] * (H @ H.T) * scale / (p + 1)
        np.testing.assert_allclose(cl.zhou_laplacian(K, [p]).toarray(), expected, atol=1e-12)
