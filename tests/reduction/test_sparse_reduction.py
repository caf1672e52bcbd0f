"""Sparse reductions: the factor that they promise, against dense Schur complements by NumPy."""

import pickle
import warnings

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import assert_close, dense
from scipy import linalg, sparse
from strategies import plain_graphs, seeds

import cellapse as cl


def exact(S, kept):
    """The Schur complement onto places `kept`, by NumPy."""
    M = dense(S)
    others = np.setdiff1d(np.arange(len(M)), kept)
    if not len(others):
        return M[np.ix_(kept, kept)]
    across = M[np.ix_(kept, others)]
    return M[np.ix_(kept, kept)] - across @ linalg.pinvh(M[np.ix_(others, others)]) @ across.T


def ends(R, expected, scale=1.0):
    """The least and largest x^T R x / x^T S_F x, off the kernel of S_F."""
    values, vectors = linalg.eigh(expected)
    positive = values > 1e-11 * scale
    null = vectors[:, ~positive]
    assert abs(dense(R) @ null).max(initial=0.0) <= 1e-9 * scale  # no energy where S_F has none
    W = vectors[:, positive] / np.sqrt(values[positive])
    found = linalg.eigvalsh(W.T @ dense(R) @ W) if positive.any() else np.ones(1)
    return found[0], found[-1]


def grid(rows, columns):
    return cl.graph_laplacian(nx.convert_node_labels_to_integers(nx.grid_2d_graph(rows, columns)))


def weighted(n, seed):
    graph = nx.random_regular_graph(6, n, seed=seed)
    rng = np.random.default_rng(seed)
    for _, _, data in graph.edges(data=True):
        data["weight"] = 10.0 ** rng.uniform(-3, 3)
    return cl.graph_laplacian(graph)


def with_metric():
    points = np.random.default_rng(0).random((300, 2))
    K = cl.lifts.nearest_neighbour_complex(points, 6)
    masses = np.random.default_rng(1).uniform(0.2, 5.0, 300)
    return cl.graph_laplacian(K.with_attributes(None, {0: masses}))


def grounded():
    L = grid(20, 20).matrix
    return L + sparse.diags_array(np.linspace(0, 0.3, 400))


CASES = {
    "a grid": lambda: grid(25, 25),
    "weights of six orders": lambda: weighted(300, 1),
    "a graph that expands": lambda: cl.graph_laplacian(nx.random_regular_graph(8, 800, seed=2)),
    "a tree": lambda: cl.graph_laplacian(nx.random_labeled_tree(400, seed=3)),
    "hubs": lambda: cl.graph_laplacian(nx.barabasi_albert_graph(500, 3, seed=4)),
    "a collapse": lambda: cl.collapse(nx.connected_watts_strogatz_graph(400, 8, 0.1, seed=5)),
    "screened": lambda: cl.collapse(
        nx.connected_watts_strogatz_graph(400, 8, 0.1, seed=5), "screened"
    ),
    "normalized": lambda: cl.make_operator(nx.barabasi_albert_graph(300, 3, seed=6), "zhou"),
    "masses of vertices": with_metric,
    "a way to the ground": grounded,
}


@pytest.mark.parametrize("factor", [0.5, 0.15])
@pytest.mark.parametrize("case", CASES)
def test_its_energy_is_within_the_factor_and_what_was_measured(case, factor):
    S = CASES[case]()
    n = S.shape[0]
    kept = np.sort(np.random.default_rng(7).permutation(n)[: n // 5])
    labels = getattr(S, "labels", range(n))
    R = cl.reduce(S, [labels[v] for v in kept.tolist()], sparse=factor)
    lower, upper = ends(R, exact(S, kept), abs(dense(S)).max())
    assert 1 - factor <= lower <= upper <= 1 + factor
    # Measured with residuals added: never too good by more than rounding, and close.
    assert R.lower - 0.1 * factor <= lower
    assert R.upper + 0.1 * factor >= upper
    assert R.lower == pytest.approx(lower, abs=0.15 * factor)
    assert R.upper == pytest.approx(upper, abs=0.15 * factor)


@given(plain_graphs(min_vertices=3), seeds, st.sampled_from([0.3, 0.8]))
def test_of_small_graphs_with_weights_and_components(graph, seed, factor):
    rng = np.random.default_rng(seed)
    nx.set_edge_attributes(graph, {e: 10.0 ** rng.uniform(-2, 2) for e in graph.edges}, "weight")
    L = cl.graph_laplacian(graph)
    kept = np.sort(rng.permutation(len(graph))[: 1 + seed % len(graph)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CellapseWarning)
        R = cl.reduce(L, [L.labels[v] for v in kept.tolist()], sparse=factor, rng=seed)
    lower, upper = ends(R, exact(L, kept), 100.0)
    assert 1 - factor - 1e-9 <= lower <= upper <= 1 + factor + 1e-9
    assert (dense(R) - np.diag(dense(R).diagonal()) <= 0).all()


def test_it_is_right_on_average():
    """A cycle onto every fourth of its vertices: edges of a quarter, drawn anew each time."""
    L = cl.graph_laplacian(nx.cycle_graph(24))
    kept = list(range(0, 24, 4))
    drawn = [cl.reduce(L, kept, sparse=0.9, rng=seed).toarray() for seed in range(300)]
    expected = exact(L, kept)
    error = np.std(drawn, axis=0) / np.sqrt(300)
    assert error.max() > 0.001  # they do differ
    assert (abs(np.mean(drawn, axis=0) - expected) <= 5 * error + 1e-9).all()


def test_resistances_are_within_the_factor():
    S = grid(30, 30)
    R = cl.reduce(S, 90, sparse=0.2)
    pairs = [(R.labels[i], R.labels[-1 - i]) for i in range(20)]
    ratio = cl.effective_resistance(R, pairs) / cl.effective_resistance(S, pairs)
    assert ((ratio >= 1 / 1.2) & (ratio <= 1 / 0.8)).all()


def test_it_is_sparse_and_the_same_for_the_same_seed():
    S = grid(30, 30)
    once, again, other = (cl.reduce(S, 300, sparse=0.4, rng=seed) for seed in (1, 1, 2))
    assert once.matrix.nnz < 0.08 * 300**2
    assert_close(once, again.toarray(), 0.0)
    assert abs((once.matrix - other.matrix).toarray()).max() > 1e-3
    assert once.labels == cl.reduce(S, 300).labels == once.exact.labels
    assert_close(pickle.loads(pickle.dumps(once)), once.toarray(), 0.0)
    assert "times the exact one" in str(once)
    twice = cl.reduce(cl.reduce(S, 300), once.labels[:100], sparse=0.4)
    lower, upper = ends(twice, exact(S, twice.exact.vertices))
    assert 0.6 <= lower <= upper <= 1.4


def test_nothing_to_eliminate_is_a_sparser_graph():
    K = nx.complete_graph(300)
    R = cl.reduce(cl.graph_laplacian(K), 300, sparse=0.5)
    lower, upper = ends(R, 300 * np.eye(300) - 1)
    assert 0.5 <= lower <= upper <= 1.5
    assert R.matrix.nnz < 0.6 * 300**2


@pytest.mark.parametrize("unit", [1e-50, 1e50])
def test_it_has_no_unit(unit):
    L = grid(12, 12)
    plain, scaled = (cl.reduce(M, 30, sparse=0.4) for M in (L, L.matrix * unit))
    assert (plain.lower, plain.upper) == pytest.approx((scaled.lower, scaled.upper), rel=1e-3)
    assert_close(scaled.toarray() / unit, plain.toarray(), 1e-6)


def test_more_walks_than_fit_into_memory_are_refused():
    with pytest.raises(cl.SizeError, match="larger sparse"):
        cl.reduce(grid(30, 30), 400, sparse=1e-5)


@pytest.mark.parametrize("kept", [[5], [0, 9]])
def test_one_or_two_vertices_of_a_path(kept):
    R = cl.reduce(cl.graph_laplacian(nx.path_graph(10)), kept, sparse=0.3)
    assert R.toarray()[0, 0] == pytest.approx(0.0 if len(kept) == 1 else 1 / 9, rel=0.3)


def test_components_without_a_kept_vertex_have_no_effect():
    graph = nx.disjoint_union(nx.cycle_graph(30), nx.complete_graph(20))
    with pytest.warns(cl.CellapseWarning, match="20 vertices"):
        R = cl.reduce(cl.graph_laplacian(graph), [0, 10, 20], sparse=0.3)
    lower, upper = ends(R, 0.1 * np.array([[2, -1, -1], [-1, 2, -1], [-1, -1, 2.0]]))
    assert 0.7 <= lower <= upper <= 1.3


KARATE = nx.karate_club_graph()
REFUSED = {
    "no matrix": (lambda: cl.collapse(KARATE, "unfolded"), 0.1, "no|none"),
    "negative weights": (lambda: np.array([[2.0, 1, 0], [1, 2, 1], [0, 1, 2]]), 0.1, "negative"),
    "no dominance": (lambda: np.array([[1.0, -0.9, 0], [-0.9, 1, -0.3], [0, -0.3, 1]]), 0.1, "sum"),
    "zero": (lambda: KARATE, 0, "from 1e-06"),
    "one": (lambda: KARATE, 1.0, "from 1e-06"),
    "a word": (lambda: KARATE, "0.1", "sparse"),
    "a truth": (lambda: KARATE, True, "sparse"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_sampled_is_refused(case):
    make, factor, named = REFUSED[case]
    with pytest.raises(cl.InputError, match=named):
        cl.reduce(make(), [0, 2], sparse=factor)
    with pytest.raises(cl.InputError, match="rng"):
        cl.reduce(KARATE, 5, sparse=0.1, rng="seed")


@pytest.mark.slow
@pytest.mark.parametrize("expands", [False, True])
def test_a_million_edges_within_a_minute(expands):
    n = 200_000
    rng = np.random.default_rng(0)
    if expands:
        i, j = np.tile(np.arange(n), 5), np.concatenate([rng.permutation(n) for _ in range(5)])
        W = sparse.coo_array((np.ones(5 * n), (i, j)), shape=(n, n)).tocsr()
        S = cl.graph_laplacian(W + W.T - sparse.diags_array(2 * W.diagonal()))
    else:
        S = cl.graph_laplacian(cl.lifts.nearest_neighbour_complex(rng.random((n, 2)), 8))
    R = cl.reduce(S, np.sort(rng.permutation(n)[:5000]).tolist(), sparse=0.3)
    assert 0.7 <= R.lower <= R.upper <= 1.3
    x = rng.standard_normal(5000)
    assert 0.7 <= x @ (R @ x) / (x @ (R.exact @ x)) <= 1.3
