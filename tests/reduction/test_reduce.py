"""Kron reduction, against dense Schur complements, circuits by hand and PyGSP."""

import pickle
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from oracles import assert_close, dense, eigenvalues, graded, is_psd
from scipy import linalg, sparse
from strategies import operators, plain_graphs, seeds

import cellapse as cl


def schur_onto(M, kept):
    """Eliminate everything else, one vertex at a time, with a pseudo-inverse of its pivot."""
    M = dense(M).copy()
    order = [*kept, *np.setdiff1d(np.arange(len(M)), kept)]
    M = M[np.ix_(order, order)]
    block, across = M[len(kept) :, len(kept) :], M[: len(kept), len(kept) :]
    return M[: len(kept), : len(kept)] - across @ linalg.pinvh(block, rtol=1e-11) @ across.T


def grid(rows, columns):
    return nx.convert_node_labels_to_integers(nx.grid_2d_graph(rows, columns))


def reduced(operator, keep, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CellapseWarning)
        return cl.reduce(operator, keep, **options)


# ---------------------------------------------------------------- by hand


def test_resistors_in_a_row_and_a_star_that_becomes_a_triangle():
    path = cl.graph_laplacian(nx.path_graph("abcde"))
    assert_close(cl.reduce(path, ["a", "e"]), [[0.25, -0.25], [-0.25, 0.25]])
    star = cl.graph_laplacian(nx.star_graph(3))
    assert_close(cl.reduce(star, [1, 2, 3]), np.eye(3) - np.ones((3, 3)) / 3)


def test_values_of_all_vertices_are_harmonic():
    R = cl.reduce(cl.graph_laplacian(nx.path_graph("abcde")), ["e", "a"])
    assert R.complete([4.0, 0.0]).tolist() == pytest.approx([0.0, 1.0, 2.0, 3.0, 4.0])
    assert R.complete({"a": 0.0, "e": 4.0})[1] == pytest.approx(1.0)


def test_all_vertices_kept_is_the_operator_itself():
    L = cl.graph_laplacian(nx.karate_club_graph())
    R = cl.reduce(L, 34)
    assert_close(R, L, 1e-15)
    assert R.labels == tuple(L.labels)


# ---------------------------------------------------------------- theorems


@given(operators(eps=(1e-2, 1.0)), seeds)
def test_it_is_the_schur_complement_of_any_operator(S, seed):
    n = S.shape[0]
    kept = np.sort(np.random.default_rng(seed).permutation(n)[: max(1, n // 2)])
    M = S.toarray()
    scale = max(abs(M).max(), abs(S.A).max() if S.A.nnz else 0.0)
    if scale == 0 or is_nearly_singular(M, kept, scale):
        return
    R = reduced(S, [S.labels[i] for i in kept.tolist()])
    expected = schur_onto(M, kept)
    assert_close(R.toarray(), expected, 1e-8, scale)
    x = np.random.default_rng(seed).standard_normal(len(kept))
    assert_close(R @ x, expected @ x, 1e-8, scale * np.linalg.norm(x))
    assert is_psd(R.toarray(), scale, 1e-9)
    assert is_psd(M[np.ix_(kept, kept)] - expected, scale, 1e-9)  # S_F <= S_FF
    least, whole = eigenvalues(expected), eigenvalues(M)
    assert (least >= whole[: len(kept)] - 1e-9 * scale).all()  # and they interlace
    assert (least <= whole[n - len(kept) :] + 1e-9 * scale).all()
    u = R.complete(x)
    assert S.energy(u) == pytest.approx(x @ expected @ x, rel=1e-6, abs=1e-8 * scale * (x @ x))


def is_nearly_singular(M, kept, scale):
    """Whether rounding decides what is left of the eliminated block."""
    others = np.setdiff1d(np.arange(len(M)), kept)
    values = eigenvalues(M[np.ix_(others, others)])
    return bool(((abs(values) > 1e-14 * scale) & (values < 1e-6 * scale)).any())


@given(plain_graphs(min_vertices=3), seeds)
def test_resistances_between_kept_vertices_stay(graph, seed):
    graph = nx.Graph(graph)
    nx.add_path(graph, graph)  # connected
    rng = np.random.default_rng(seed)
    nx.set_edge_attributes(graph, {e: rng.uniform(0.5, 2.0) for e in graph.edges}, "weight")
    kept = sorted(rng.permutation(len(graph))[:3].tolist())
    R = cl.reduce(cl.graph_laplacian(graph), kept)
    ours = cl.effective_resistance(R, [(kept[0], kept[1]), (kept[0], kept[2])])
    theirs = [
        nx.resistance_distance(graph, kept[0], v, weight="weight", invert_weight=False)
        for v in kept[1:]
    ]
    assert ours.tolist() == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("realization", ["unfolded", "incidence", "mixed"])
def test_of_a_collapsed_operator_it_is_that_of_the_whole_graded_laplacian(realization):
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CellapseWarning)
        S = cl.collapse(K, realization, eps=0.1)
    B = {
        "unfolded": cl.unfolded_matrices,
        "incidence": cl.incidence_matrices,
        "mixed": cl.mixed_matrices,
    }[realization](K)
    L = graded(list(B), S.beta, S.gamma)[0]
    L[34:, 34:] += 0.1 * np.eye(len(L) - 34)
    kept = [0, 5, 16, 33]
    assert_close(cl.reduce(S, kept), schur_onto(L, np.array(kept)), 1e-9, abs(L).max())


def test_a_reduction_of_a_reduction_is_one():
    S = cl.collapse(nx.karate_club_graph())
    once, twice = cl.reduce(S, [3, 9, 30]), cl.reduce(cl.reduce(S, range(20, 34)), [30, 33])
    assert_close(cl.reduce(once, [30, 3]), cl.reduce(S, [30, 3]))
    assert_close(twice, cl.reduce(S, [30, 33]))
    assert twice.of is S


@pytest.mark.parametrize("inner", ["unfolded", "laplacian", "reduced"])
def test_kernels_are_reduced_along_their_network(inner):
    """The matrix that bounds a kernel is the identity, which joins nobody."""
    S = cl.graph_laplacian(nx.path_graph(9))
    S = (
        cl.reduce(S, [0, 2, 4, 6, 8])
        if inner == "reduced"
        else cl.make_operator(nx.path_graph(9), inner)
    )
    for kernel in (cl.matern_kernel(S, 1.5, 2.0), cl.diffusion_kernel(S)):
        R = cl.reduce(kernel, [0, 4, 8])
        at = np.array([S.labels.index(v) for v in (0, 4, 8)])
        assert_close(R, schur_onto(kernel.toarray(), at), 1e-9)
        assert not len(R.missed)
    assert set(cl.reduce(kernel, 2).labels) <= set(S.labels)


def test_what_is_left_is_a_graph_with_weights():
    L = cl.graph_laplacian(nx.star_graph(3))
    G = cl.interop.to_networkx(cl.reduce(L, [1, 2, 3]))
    assert {frozenset(e[:2]): e[2] for e in G.edges(data="weight")} == pytest.approx(
        {frozenset(e): 1 / 3 for e in [(1, 2), (1, 3), (2, 3)]}
    )
    R = cl.reduce(cl.graph_laplacian(nx.path_graph(5)), [0, 2, 4])
    assert R.tocsr().nnz == 7  # nothing between the ends


@pytest.mark.parametrize("name", ["renormalized", "laplacian", "unfolded", "zhou"])
def test_it_is_an_operator_as_any_other(name):
    S = cl.make_operator(nx.karate_club_graph(), name)
    R = cl.reduce(S, 9)
    M = R.toarray()
    for solver in (None, cl.Dense(), cl.Lanczos()):
        found = R.spectrum(4, solver=solver)
        assert_close(found.values, eigenvalues(M)[:4], 1e-8, 1.0)
    b = np.arange(9.0) ** 2
    for shift in (0.0, 0.3):
        x = R.solve(b, shift)
        assert_close(x, np.linalg.pinv(M + shift * np.eye(9), rcond=1e-9) @ b, 1e-6)
    series = pd.Series(b, index=R.labels)
    assert (R @ series).index.tolist() == list(R.labels)
    assert cl.cluster(R, 2, mass=None).numbers.shape == (9,)
    assert_close(pickle.loads(pickle.dumps(R)), M, 1e-12)
    assert_close(R.diagonal(), M.diagonal())


def test_a_shifted_factorization_finds_the_spectrum_of_many_kept_vertices():
    L = cl.graph_laplacian(grid(40, 40))
    R = cl.reduce(L, 600)
    spectrum = R.spectrum(5, solver=cl.ShiftInvert())
    assert_close(spectrum.values, eigenvalues(R)[:5], 1e-9, 1.0)
    assert R.count_below(spectrum.values[3] * 1.001) == 4


def test_a_graph_that_expands_is_reduced_without_a_factor():
    graph = nx.random_regular_graph(6, 3000, seed=1)
    L = cl.graph_laplacian(graph)
    R = cl.reduce(L, 5)
    assert "conjugate gradients" in R.eliminated.method
    pairs = [(R.labels[0], R.labels[1]), (R.labels[2], R.labels[4])]
    expected = cl.effective_resistance(L, pairs)
    assert cl.effective_resistance(R, pairs).tolist() == pytest.approx(expected.tolist(), rel=1e-8)


@pytest.mark.parametrize("n", [30, 120])
def test_it_equals_the_kron_reduction_of_pygsp(n):
    graphs = pytest.importorskip("pygsp.graphs")
    from pygsp import reduction

    W = nx.to_numpy_array(nx.connected_watts_strogatz_graph(n, 6, 0.2, seed=n))
    kept = np.arange(0, n, 3)
    theirs = reduction.kron_reduction(graphs.Graph(W).L, kept)
    ours = cl.reduce(cl.graph_laplacian(sparse.csr_array(W)), kept.tolist()).toarray()
    assert abs(ours - dense(theirs)).max() <= 1e-12 * abs(ours).max()


# ---------------------------------------------------------------- which vertices


def test_rules_choose_what_they_say():
    path = cl.graph_laplacian(nx.path_graph(9))
    assert cl.reduce(path, 3).labels == (1, 4, 8)  # 1 has the first of the largest degrees
    star = cl.graph_laplacian(nx.star_graph(5))
    assert cl.reduce(star, 1, rule="degree").labels == (0,)
    cycle = cl.graph_laplacian(nx.cycle_graph(8))  # its last eigenvector alternates
    assert cl.reduce(cycle, 4, rule="eigenvector").labels == (0, 2, 4, 6)
    assert '"coarsest"' in str(cl.reduce(path, 2))


@given(plain_graphs(min_vertices=2), seeds)
def test_centres_cover_every_component_and_are_far_apart(graph, seed):
    n = len(graph)
    count = 1 + seed % n
    R = reduced(cl.graph_laplacian(graph), count)
    components = list(nx.connected_components(graph))
    held = [bool(set(c) & set(R.labels)) for c in components]
    assert sum(held) == min(count, len(components))
    assert len(set(R.labels)) == count
    far = dict(nx.all_pairs_shortest_path_length(graph))
    if all(held):  # Gonzalez: no centre is nearer to another than a vertex to its centre
        covered = max(min(far[v].get(c, n) for c in R.labels) for v in graph)
        apart = [far[a].get(b, n) for a in R.labels for b in R.labels if a != b]
        assert covered <= min(apart, default=n)


def test_components_without_a_kept_vertex_have_no_effect_and_a_warning_says_so():
    graph = nx.union(nx.path_graph("abc"), nx.cycle_graph(5))
    L = cl.graph_laplacian(graph)
    with pytest.warns(cl.CellapseWarning, match="5 vertices"):
        R = cl.reduce(L, ["c", "a"])
    assert_close(R, [[0.5, -0.5], [-0.5, 0.5]])
    assert [L.labels[i] for i in R.missed] == [0, 1, 2, 3, 4]
    assert R.complete([1.0, 3.0])[3:].tolist() == [0.0] * 5
    assert "missed" in str(R)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(cl.reduce(L, 2).missed) == 0


@pytest.mark.parametrize(
    ("keep", "options", "named"),
    [
        (0, {}, "keep=0"),
        (35, {}, "keep=35"),
        (2.5, {}, "2.5"),
        (True, {}, "True"),
        ([], {}, "no vertex"),
        (["nobody"], {}, "nobody"),
        ([1, 1], {}, "twice"),
        ([[1]], {}, "label"),
        ("0", {}, "list of labels"),
        (None, {}, "keep"),
        (3, {"rule": "random"}, "rule"),
        ([1, 2], {"rule": "degree"}, "leave it out"),
    ],
)
def test_what_cannot_be_kept_is_named(keep, options, named):
    with pytest.raises(cl.InputError, match=named):
        cl.reduce(cl.graph_laplacian(nx.karate_club_graph()), keep, **options)


@pytest.mark.parametrize("kept", [[0], [2, 0]])
def test_values_without_energy_change_nothing(kept):
    singular = sparse.csr_array([[2.0, 0, 0], [0, 1, 1], [0, 1, 1.0]])
    assert_close(reduced(singular, kept), schur_onto(singular, kept), 1e-9)
    vectors = np.random.default_rng(0).standard_normal((6, 3))
    for flat in (np.ones((3, 3)), vectors @ vectors.T):  # of low rank
        R = reduced(flat, kept)
        assert_close(R, schur_onto(flat, kept), 1e-9, abs(flat).max())


def test_what_rounding_decides_is_declined():
    pairs = cl.hypergraph_complex([[0, 1]], vertices=range(3))
    S = cl.collapse(pairs, "unfolded", eps=1e-12)  # takes all that A has
    with pytest.raises(cl.ConvergenceError, match="close to singular"):
        reduced(S, [0, 2]).toarray()


@pytest.mark.slow
def test_a_large_one_is_reduced_in_seconds():
    L = cl.graph_laplacian(grid(316, 317))
    R = cl.reduce(L, 1000)
    M = R.toarray()
    x = np.random.default_rng(0).standard_normal(1000)
    assert_close(R @ x, M @ x, 1e-10)
