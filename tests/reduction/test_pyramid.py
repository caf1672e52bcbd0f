"""Pyramids: Galerkin's product, interpolation by least energy, against dense matrices."""

import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from oracles import assert_close, dense
from strategies import plain_graphs, seeds

import cellapse as cl

L = cl.graph_laplacian(nx.convert_node_labels_to_integers(nx.grid_2d_graph(16, 16)))
S = cl.collapse(nx.karate_club_graph())
pyramid = cl.reduction.pyramid


def places(P, level):
    """Where the vertices of a level stand among all."""
    return [list(P.operators[0].labels).index(v) for v in P.operators[level].labels]


def by_matrix(M, kept):
    """Interpolation as a dense matrix: harmonic off the kept vertices."""
    others = np.setdiff1d(np.arange(len(M)), kept)
    up = np.zeros((len(M), len(kept)))
    up[kept] = np.eye(len(kept))
    up[others] = -np.linalg.solve(M[np.ix_(others, others)], M[np.ix_(others, kept)])
    return up


def test_every_level_is_the_reduction_of_the_one_before():
    P = pyramid(L, 3)
    assert P.sizes == (256, 64, 16, 4)
    for finer, coarser in zip(P.operators, P.operators[1:], strict=False):
        assert set(coarser.labels) <= set(finer.labels)
        assert_close(coarser, cl.reduce(finer, coarser.labels), 1e-10)


@pytest.mark.parametrize("level", [1, 2, -1])
def test_interpolation_is_harmonic_and_restriction_its_transpose(level):
    P = pyramid(L, [60, 20, 7])
    up = by_matrix(L.toarray(), places(P, level))
    assert_close(P.interpolate(np.eye(P.sizes[level]), level), up, 1e-9)
    assert_close(P.restrict(np.eye(256), level), up.T, 1e-9)
    assert_close(up.T @ L.toarray() @ up, P.operators[level], 1e-9)  # Galerkin


def test_restricted_sources_have_the_solution_of_the_whole():
    P = pyramid(L, 2)
    b = np.random.default_rng(0).standard_normal(256)
    b -= b.mean()
    x = P.operators[-1].solve(P.restrict(b))
    whole = np.linalg.pinv(L.toarray()) @ b
    found = whole[places(P, -1)]
    assert_close(x - x.mean(), found - found.mean(), 1e-8, 1.0)


@given(plain_graphs(min_vertices=4), seeds)
def test_what_is_interpolated_is_kept_where_it_was_given(graph, seed):
    nx.add_path(graph, graph)
    n = len(graph)
    P = pyramid(cl.graph_laplacian(graph), [1 + n // 2, 1 + n // 4])
    x = np.random.default_rng(seed).standard_normal(P.sizes[-1])
    u = P.interpolate(x)
    assert u[places(P, -1)] == pytest.approx(x)
    assert x.min() - 1e-9 <= u.min() <= u.max() <= x.max() + 1e-9  # the maximum principle
    b = np.random.default_rng(seed + 1).standard_normal(n)
    assert P.restrict(b) @ x == pytest.approx(b @ u, abs=1e-8)


def test_a_sparse_one_goes_level_by_level():
    P = pyramid(L, [80, 25], sparse=0.3, rng=1)
    first, second = P.operators[1:]
    for coarser in (first, second):
        assert 0.7 <= coarser.lower <= coarser.upper <= 1.3
    x = np.random.default_rng(0).standard_normal((25, 2))
    inner = by_matrix(dense(first), [list(first.labels).index(v) for v in second.labels])
    expected = by_matrix(L.toarray(), places(P, 1)) @ inner @ x
    assert_close(P.interpolate(x), expected, 1e-8)
    assert_close(P.restrict(P.interpolate(x), 0), P.interpolate(x), 0.0)
    again = pyramid(L, [80, 25], sparse=0.3, rng=1)
    assert_close(again.operators[-1], P.operators[-1].toarray(), 0.0)
    assert_close(pickle.loads(pickle.dumps(P)).interpolate(x), expected, 1e-8)


def test_of_a_collapse_and_level_nought():
    P = pyramid(S, 2, rule="degree")
    assert P.operators[2].labels == (0, 32, 33)
    x = np.arange(34.0)
    assert P.interpolate(x, 0).tolist() == x.tolist()
    assert "34, 9, 3" in str(P)


@pytest.mark.parametrize("levels", [0, 9, 2.5, True, [], [5, 9], [40], [0], "2", None])
def test_levels_that_make_no_pyramid_are_refused(levels):
    with pytest.raises(cl.InputError, match="levels"):
        pyramid(S, levels)


def test_a_level_that_is_not_there_is_refused():
    with pytest.raises(cl.InputError, match="depth"):
        pyramid(S, 1).interpolate([1.0] * 9, 2)
