"""Whatever a user holds becomes an operator, or a clear error; signals are aligned by label."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.sparse.csgraph import laplacian
from scipy.sparse.linalg import LinearOperator, aslinearoperator
from toys import karate

import cellapse as cl

GRAPH = karate()
L = sparse.csr_array(nx.laplacian_matrix(GRAPH, weight=None)).astype(float)
K = cl.clique_complex(GRAPH)


def forms():
    return {
        "ours": cl.graph_laplacian(K),
        "sparse array": L,
        "sparse matrix": sparse.csc_matrix(L),
        "integers": L.astype(int),
        "array": L.toarray(),
        "list": L.toarray().tolist(),
        "frame": pd.DataFrame(L.toarray(), GRAPH.nodes, GRAPH.nodes),
        "LinearOperator": aslinearoperator(L),
    }


@pytest.mark.parametrize("form", forms())
def test_every_task_takes_every_form(form):
    given, ours = forms()[form], cl.graph_laplacian(K)
    x = np.random.default_rng(0).standard_normal(34)

    def same(task, **tolerance):
        np.testing.assert_allclose(task(given), task(ours), **{"atol": 1e-7, **tolerance})

    assert cl.clustering_accuracy(cl.cluster(given, 2), cl.cluster(ours, 2)) == 1.0
    assert cl.suggest_n_clusters(given) == cl.suggest_n_clusters(ours)
    same(lambda S: cl.embed(S, 3))
    same(lambda S: cl.positional_encoding(S, 3))
    for method in ("tikhonov", "heat", "wiener"):
        same(lambda S, m=method: cl.smooth(S, x, method=m, strength=0.5))
    same(lambda S: cl.tasks.spectral_filter(S, x, cl.tasks.band_pass(1, 3, 0.2)))
    same(cl.heat_kernel_signature)
    same(cl.wave_kernel_signature)
    same(lambda S: cl.effective_resistance(S, [(0, 33), (5, 7)]))
    same(cl.tasks.resistance_centrality)
    same(lambda S: cl.tasks.dirichlet_energy(S, x))
    same(lambda S: cl.tasks.total_variation(S, x))
    same(lambda S: cl.tasks.fiedler(S).vector)
    same(lambda S: cl.tasks.sweep_cut(S).conductance)


def test_the_kernel_of_a_matrix_from_outside_is_found():
    graph = nx.disjoint_union_all([nx.path_graph(4), nx.cycle_graph(5), nx.empty_graph(1)])
    adjacency = sparse.csr_array(nx.adjacency_matrix(graph)).astype(float)
    plain = cl.as_operator(laplacian(adjacency))
    assert plain.kernel.shape[1] == 3
    assert plain.spectrum(4).values[:3].tolist() == [0, 0, 0]
    connected = sparse.csr_array(nx.adjacency_matrix(nx.path_graph(6))).astype(float)
    normalized = cl.as_operator(laplacian(connected, normed=True))
    np.testing.assert_allclose(abs(normalized @ normalized.kernel.toarray()).max(), 0, atol=1e-15)
    assert cl.as_operator(L + sparse.eye_array(34)).kernel is None
    assert cl.as_operator(nx.laplacian_matrix(nx.path_graph(3)) * -1.0 * -1.0).kernel.shape == (
        3,
        1,
    )


def test_a_large_linear_operator_goes_through_lanczos():
    n = 1500
    graph = nx.random_regular_graph(6, n, seed=0)
    M = sparse.csr_array(nx.laplacian_matrix(graph)).astype(float)
    S = cl.as_operator(aslinearoperator(M))
    spectrum = S.spectrum(4)
    assert type(spectrum.solver).__name__ == "Lanczos"
    np.testing.assert_allclose(spectrum.values, cl.as_operator(M).spectrum(4).values, atol=1e-7)
    x = np.random.default_rng(0).standard_normal(n)
    np.testing.assert_allclose(cl.smooth(S, x), cl.smooth(M, x), atol=1e-7)
    np.testing.assert_allclose(
        cl.smooth(S, x, method="heat"), cl.smooth(M, x, method="heat"), atol=1e-7
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.array([[1.0, 2.0], [0.0, 1.0]]), "symmetric"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), "NaN"),
        (np.array([[1.0, 1j], [-1j, 1.0]]), "complex"),
        (np.ones((2, 3)), "points"),
        (np.ones(4), "shape"),
        (np.array([[1.0, -2.0], [-2.0, 1.0]]), "-1"),
        (sparse.csr_array(nx.adjacency_matrix(GRAPH)) + sparse.eye_array(34), "self-loops"),
        (-sparse.eye_array(3), "positive"),
        (aslinearoperator(np.array([[1.0, 2.0], [0.0, 1.0]])), "symmetric"),
        (aslinearoperator(-np.eye(3)), "positive"),
        (aslinearoperator(np.ones((2, 3))), "square"),
        (LinearOperator((3, 3), matvec=lambda x: x * np.nan, dtype=float), "NaN"),
        (pd.DataFrame(np.eye(2), ["a", "b"], ["b", "a"]), "index"),
        (cl.dirac_operator(K), "eigenvalues"),
        ("karat", "karate"),
    ],
)
def test_what_is_no_operator_is_refused_in_words(given, message):
    with pytest.raises(cl.InputError, match=message):
        cl.cluster(given, 2)


def test_an_indefinite_matrix_too_large_for_lapack_is_noticed():
    n = 3000
    M = sparse.csr_array(
        sparse.diags_array([np.full(n - 1, 1.0), np.full(n - 1, 1.0)], offsets=[1, -1])
    ) + sparse.eye_array(n)
    with pytest.raises(cl.InputError, match="definite"):
        cl.embed(M, 2)


@pytest.mark.parametrize("n", [50, 150])  # as a matrix, and by Lanczos
def test_an_operator_that_is_zero_leaves_a_signal_as_it_is(n):
    zero = LinearOperator((n, n), matvec=lambda x: 0.0 * x, dtype=float)
    signal = np.arange(float(n))
    np.testing.assert_allclose(cl.smooth(zero, signal), signal)
    with pytest.raises(cl.InputError, match="definite"):
        cl.smooth(LinearOperator((n, n), matvec=lambda x: -x, dtype=float), signal)


def test_a_linear_operator_has_no_degrees():
    with pytest.raises(cl.InputError, match="degree"):
        cl.cluster(aslinearoperator(L), 2, mass="degree")


class TestPandas:
    LABELS = tuple("cdba")  # not its own inverse as a permutation
    FRAME = pd.DataFrame(
        [[1.0, -1, 0, 0], [-1, 2, -1, 0], [0, -1, 2, -1], [0, 0, -1, 1]], list(LABELS), list(LABELS)
    )

    def test_a_series_is_aligned_by_label_and_keeps_its_order(self):
        signal = pd.Series([1.0, 2.0, 3.0, 4.0], list("abcd"), name="height")
        found = cl.smooth(self.FRAME, signal)
        expected = np.linalg.solve(np.eye(4) + self.FRAME.to_numpy(), [3.0, 4.0, 2.0, 1.0])
        assert list(found.index) == list("abcd")
        assert found.name == "height"
        np.testing.assert_allclose(found[list(self.LABELS)], expected, atol=1e-12)

    def test_a_frame_keeps_its_columns(self):
        signal = pd.DataFrame(np.eye(4), list("abcd"), ["w", "x", "y", "z"])
        found = cl.tasks.diffuse(self.FRAME, signal, [0.0, 1.0])
        pd.testing.assert_frame_equal(found[0], signal)
        assert list(found[1].columns) == ["w", "x", "y", "z"]
        energies = cl.tasks.dirichlet_energy(self.FRAME, signal)
        assert energies.to_dict() == {"w": 1.0, "x": 2.0, "y": 1.0, "z": 2.0}

    def test_results_know_their_labels(self):
        assert list(cl.embed(self.FRAME, 2).to_frame().index) == list(self.LABELS)
        assert list(cl.heat_kernel_signature(self.FRAME, [1.0]).to_frame().columns) == [1.0]
        assert list(cl.cluster(self.FRAME, 2).to_frame().columns) == ["cluster"]

    def test_labels_that_are_tuples_stay_labels(self):
        grid = cl.graph_laplacian(cl.clique_complex(nx.grid_2d_graph(2, 3)))
        index = pd.Index(list(grid.labels), tupleize_cols=False)
        signal = pd.Series(np.arange(6.0), index)
        np.testing.assert_allclose(cl.smooth(grid, signal), cl.smooth(grid, np.arange(6.0)))

    @pytest.mark.parametrize("index", ["abce", "abc", "abcc", range(4)])
    def test_another_index_is_refused(self, index):
        with pytest.raises(cl.InputError):
            cl.smooth(self.FRAME, pd.Series(1.0, list(index)))

    def test_a_series_by_number_is_aligned_with_rows_by_number(self):
        M = np.array([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
        found = cl.smooth(M, pd.Series([3.0, 1.0, 2.0], [2, 0, 1]))
        np.testing.assert_allclose(found[[0, 1, 2]], cl.smooth(M, [1.0, 2.0, 3.0]))

    def test_a_frame_of_tuples_has_one_level(self):
        grid = cl.graph_laplacian(cl.clique_complex(nx.grid_2d_graph(2, 3)))
        index = cl.embed(grid, 2).to_frame().index
        assert index.nlevels == 1
        assert list(index) == list(grid.labels)


def test_diagonally_dominant_matrices_are_taken_and_others_looked_at():
    for low, taken in ((1.0, True), (0.999, False)):
        M = np.array([[low, -1.0], [-1.0, 1.0]])  # an eigenvalue of about (low - 1) / 2
        if taken:
            assert cl.as_operator(M).kernel.shape == (2, 1)
        else:
            with pytest.raises(cl.InputError, match=r"-0\.0005"):
                cl.as_operator(M)
    assert cl.as_operator(np.array([[1.0, -2.0], [-2.0, 5.0]])).kernel is None  # not dominant


def test_the_ends_of_an_operator_given_as_products():
    for low in (0.5, -0.5):
        S = aslinearoperator(sparse.diags_array(np.linspace(low, 3.0, 40)))
        if low > 0:
            assert 3.0 <= cl.as_operator(S).A.diagonal().max() <= 3.1
        else:
            with pytest.raises(cl.InputError, match=r"-0\.5"):
                cl.as_operator(S)


def test_a_kernel_is_known_only_where_it_is_whole():
    v = np.array([1.0, -2.0, 1.0])
    assert cl.as_operator(np.outer(v, v)).kernel is None  # constants are in it, and one more vector
    L = cl.graph_laplacian(nx.path_graph(3)).toarray()
    assert cl.as_operator(L).kernel.toarray().ravel() == pytest.approx([3**-0.5] * 3)
    root = np.diag(np.diag(L) ** -0.5)
    normalized = cl.as_operator(root @ L @ root).kernel.toarray().ravel()
    assert normalized == pytest.approx(np.sqrt([0.25, 0.5, 0.25]))


def test_what_is_made_of_sparse_operators_is_a_sparse_matrix():
    K = cl.clique_complex(nx.karate_club_graph())
    S, L = cl.collapse(K), cl.graph_laplacian(K)
    A, B = S.toarray(), L.toarray()
    made = {
        "sum": (S + L, A + B),
        "difference": (2 * L - S, 2 * B - A),
        "multiple": (L * 2, 2 * B),
        "negative": (S - (-L), A + B),
        "part": (L / 3, B / 3),
        "power": (L**2, B @ B),
        "product": (L @ L, B @ B),
        "transpose": ((S + L).T, A + B),
        "adjoint": ((S + L).H, A + B),
    }
    for operator, expected in made.values():
        np.testing.assert_allclose(operator.tocsr().toarray(), expected, atol=1e-10)
        found = cl.as_operator(operator)
        assert found.labels == K.labels
        np.testing.assert_allclose(found.tocsr().toarray(), expected, atol=1e-10)
    assert cl.interop.to_networkx(2 * L).edges[0, 1]["weight"] == -2 * B[0, 1]
    assert cl.as_operator(2 * cl.hodge_laplacian(K, 1)).onto == 1
    unfolded = cl.collapse(K, "unfolded") + L
    with pytest.raises(cl.InputError):
        unfolded.tocsr()
    expected = np.linalg.eigvalsh(cl.collapse(K, "unfolded").toarray() + B)[:3]
    found = cl.as_operator(unfolded).spectrum(3).values
    np.testing.assert_allclose(found, expected, atol=1e-8)
