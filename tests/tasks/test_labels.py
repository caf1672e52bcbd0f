"""Few labels, spread: by hand, against dense systems, leave-one-out against doing it, bad input."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.sparse.linalg import LinearOperator, aslinearoperator

import cellapse as cl
from cellapse import tasks

METHODS = ("poisson", "harmonic", "regularized")

K = cl.clique_complex(nx.karate_club_graph(), weight=None)
S = cl.collapse(K, "renormalized")


@pytest.mark.parametrize("method", METHODS)
def test_two_vertices_by_hand(method):
    """The second vertex has the only class there is in reach."""
    spread = tasks.spread_labels([[1.0, -1.0], [-1.0, 1.0]], ["x", None], method=method)
    assert spread.classes == ["x"]
    assert spread.probabilities.tolist() == [[1.0], [1.0]]
    assert spread.accuracy is None


def test_a_path_of_three_by_hand():
    """(I + L)^-1 e_1 = (5, 2, 1) / 8 and e_3 likewise: the middle is undecided."""
    L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(3)))
    spread = tasks.spread_labels(L, [7, -1, 9], method="regularized", strength=1.0)
    np.testing.assert_allclose(spread.probabilities, [[1, 0], [0.5, 0.5], [0, 1]], atol=1e-8)
    uneven = tasks.spread_labels(
        cl.graph_laplacian(cl.clique_complex(nx.path_graph(4))),
        [7, -1, -1, 9],
        method="regularized",
        strength=1.0,
    )
    H = np.linalg.inv(np.eye(4) + nx.laplacian_matrix(nx.path_graph(4)).toarray())
    assert uneven.probabilities[1, 0] == pytest.approx(H[1, 0] / (H[1, 0] + H[1, 3]), rel=1e-7)
    assert uneven.predicted() == [7, 7, 9, 9]


def test_class_masses_of_harmonic_functions_on_a_path_by_hand():
    """a - . - . - b - .

    F_a = 2/3, 1/3 and 0 without a label, 1 in all, and F_b = 1/3, 2/3 and 1, 2 in all; so F_b
    counts half: 4 : 1, 1 : 1 and 0 : 1.
    """
    L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(5)))
    spread = tasks.spread_labels(L, {0: "a", 3: "b"}, method="harmonic")
    expected = [[1, 0], [0.8, 0.2], [0.5, 0.5], [0, 1], [0, 1]]
    np.testing.assert_allclose(spread.probabilities, expected, atol=1e-7)
    assert spread.strength is None


def with_masses(F, y):
    """Class masses, written out."""
    F = F / F.sum(axis=1, keepdims=True)
    for c in range(F.shape[1]):
        F[:, c] = F[:, c] / F[y < 0, c].sum()
    F = F / F.sum(axis=1, keepdims=True)
    F[y >= 0] = np.eye(F.shape[1])[y[y >= 0]]
    return F


def some_labels(seed=0, n=34, known=9):
    rng = np.random.default_rng(seed)
    y = np.full(n, -1)
    at = rng.permutation(n)[:known]
    y[at] = rng.integers(0, 3, known)
    y[at[:6]] = [0, 0, 1, 1, 2, 2]
    return y


SIX = ("renormalized", "unfolded", "laplacian", "motif", "multiorder", "zhou")


@pytest.mark.parametrize("name", SIX)
def test_poisson_learning_solves_its_linear_system(name):
    """L U = sum of e_j (y_j - y)^T by the pseudo-inverse, L = D^1/2 S D^1/2 for Zhou's."""
    operator, y = cl.make_operator(K, name), some_labels()
    L = operator.toarray()
    if name == "zhou":
        root = np.abs(np.linalg.eigh(L)[1][:, 0])
        L = L * root[:, None] * root
    assert np.abs(L.sum(axis=1)).max() < 1e-10 * np.abs(L).max()
    source = np.zeros((34, 3))
    mean = np.bincount(y[y >= 0]) / 9
    for j in np.flatnonzero(y >= 0):
        source[j] = np.eye(3)[y[j]] - mean
    U = np.linalg.pinv(L) @ source
    d = operator.A.diagonal() if name == "unfolded" else np.diag(L)
    U -= d @ U / d.sum()
    expected = with_masses(np.exp(U / np.sqrt((d @ U**2).mean() / d.sum())), y)
    found = tasks.spread_labels(operator, y)
    assert found.method == "poisson"
    np.testing.assert_allclose(found.probabilities, expected, atol=1e-6)


@pytest.mark.parametrize("name", ["renormalized", "unfolded", "laplacian", "multiorder"])
def test_harmonic_functions_solve_the_inner_system(name):
    operator, y = cl.make_operator(K, name), some_labels(1)
    S, free, Y = operator.toarray(), np.flatnonzero(y < 0), np.eye(3)[y] * (y >= 0)[:, None]
    F = Y.copy()
    F[free] = -np.linalg.solve(S[np.ix_(free, free)], S[np.ix_(free, y >= 0)] @ Y[y >= 0])
    found = tasks.spread_labels(operator, y, method="harmonic")
    np.testing.assert_allclose(found.probabilities, with_masses(np.maximum(F, 0), y), atol=1e-6)


@pytest.mark.parametrize("name", ["renormalized", "unfolded", "signless", "zhou"])
@pytest.mark.parametrize("method", METHODS)
def test_leaving_one_out_is_what_it_says(name, method):
    """The closed form against a spread without that label."""
    operator = cl.make_operator(K, name)
    more = {"strength": 2.0} if method == "regularized" else {}
    for seed in range(4):
        y = some_labels(seed)
        spread = tasks.spread_labels(operator, y, method=method, **more)
        hits = []
        for i in np.flatnonzero(y >= 0):
            rest = y.copy()
            rest[i] = -1
            left = tasks.spread_labels(operator, rest, method=method, **more)
            hits.append(left.predicted()[i] == y[i])
        assert spread.accuracy == pytest.approx(np.mean(hits))


@pytest.mark.parametrize("method", METHODS)
def test_leaving_out_the_only_label_of_a_component(method):
    """It gets the shares of the others, of which two are a and one is b."""
    L = cl.graph_laplacian(cl.clique_complex(nx.disjoint_union_all([nx.complete_graph(4)] * 3)))
    spread = tasks.spread_labels(L, {0: "a", 1: "a", 4: "b", 8: "b"}, method=method)
    assert spread.accuracy == 0.5


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", cl.operator_names())
@pytest.mark.filterwarnings("ignore::cellapse.CellapseWarning")
def test_every_operator_spreads_labels_in_any_order_of_the_vertices(name, method):
    y = some_labels(2)
    order = np.random.default_rng(0).permutation(34)
    graph = nx.Graph()
    graph.add_nodes_from(order.tolist())
    graph.add_edges_from(nx.karate_club_graph().edges)
    rows = []
    for lifted in (K, cl.clique_complex(graph)):
        found = tasks.spread_labels(
            cl.make_operator(lifted, name), dict(enumerate(y.tolist())), method=method
        )
        assert np.isfinite(found.probabilities).all()
        np.testing.assert_allclose(found.probabilities.sum(axis=1), 1.0)
        np.testing.assert_array_equal(
            found.numbers[found.given],
            y[y >= 0][np.argsort(np.argsort(np.array(found.labels)[found.given]))],
        )
        rows.append(found.probabilities[np.argsort(found.labels)])
    if name not in ("reliable", "mixed"):  # which depend on the order
        np.testing.assert_allclose(rows[0], rows[1], atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_from_arrays_products_and_other_units(method):
    L, y = cl.graph_laplacian(K), some_labels(3)
    expected = tasks.spread_labels(L, y, method=method).probabilities
    for other in (
        L.toarray(),
        L.tocsr(),
        aslinearoperator(L.toarray()),
        1e6 * L.toarray(),
    ):
        if method != "harmonic" and isinstance(other, LinearOperator):
            continue  # of which neither the degrees nor the norm are known
        found = tasks.spread_labels(other, y, method=method).probabilities
        np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_all_labels_known(method):
    spread = tasks.spread_labels(S, np.arange(34) % 2, method=method)
    assert spread.numbers.tolist() == (np.arange(34) % 2).tolist()
    assert spread.accuracy is not None


@pytest.mark.parametrize("method", ["poisson", "harmonic"])
def test_components_get_the_classes_they_have_labels_of(method):
    """Three groups of nine on one component, one class on the second, no label on the third."""
    L = cl.graph_laplacian(
        cl.clique_complex(
            nx.disjoint_union_all([nx.ring_of_cliques(3, 9), nx.path_graph(30), nx.path_graph(5)])
        )
    )
    known = {4: "a", 13: "b", 22: "c", 27: "c"}
    spread = tasks.spread_labels(L, known, method=method)
    assert spread.predicted()[:57] == ["a"] * 9 + ["b"] * 9 + ["c"] * 39
    np.testing.assert_allclose(spread.probabilities[27:57], [[0, 0, 1]] * 30, atol=1e-9)
    np.testing.assert_allclose(spread.probabilities[57:], [[0.25, 0.25, 0.5]] * 5)


def test_the_strength_with_the_best_score_is_taken():
    y = {0: "a", 1: "a", 2: "a", 33: "b", 32: "b", 31: "b"}
    spread = tasks.spread_labels(S, y, method="regularized")
    assert spread.strength == spread.strengths[np.argmax(spread.scores)]
    again = tasks.spread_labels(S, y, method="regularized", strength=spread.strength)
    np.testing.assert_allclose(again.probabilities, spread.probabilities, atol=1e-12)
    assert len(again.strengths) == 0
    groups = np.asarray(cl.datasets.load("karate").groups)
    agree = np.mean((np.array(spread.predicted()) == "a") == (groups == groups[0]))
    assert agree > 0.9


def test_mappings_lists_and_series_say_the_same():
    by_label = tasks.spread_labels(S, {0: 1, 33: 0})
    listed = [-1] * 34
    listed[0], listed[33] = 1, 0
    arrays = np.array(listed), np.array(listed, dtype=float), np.array(listed, dtype=np.float32)
    pairs = [dict(enumerate(array)) for array in arrays]  # whose values are NumPy's
    gaps = [{**pairs[0], 5: gap} for gap in (pd.NA, pd.NaT, np.float32("nan"), None)]
    for other in (listed, pd.Series(listed), list(arrays[0]), *arrays, *pairs, *gaps):
        found = tasks.spread_labels(S, other)
        np.testing.assert_array_equal(found.probabilities, by_label.probabilities)
    assert by_label.to_frame().shape == (34, 2)
    assert by_label.as_dict()[33] == 0


def test_classes_are_words_and_numbers_of_python():
    spread = tasks.spread_labels(S, {0: np.int64(2), 33: np.int64(4)})
    assert list(map(type, spread.classes)) == [int, int]
    assert "np." not in str(spread)
    assert type(tasks.spread_labels(S, {0: np.str_("a"), 33: "b"}).classes[0]) is str


@pytest.mark.parametrize("method", METHODS)
def test_a_component_without_labels_gets_the_shares_of_the_classes(method):
    L = cl.graph_laplacian(cl.clique_complex(nx.disjoint_union_all([nx.complete_graph(3)] * 3)))
    spread = tasks.spread_labels(L, {0: "a", 1: "a", 3: "b"}, method=method)
    np.testing.assert_allclose(spread.probabilities[6:], [[2 / 3, 1 / 3]] * 3)
    np.testing.assert_allclose(spread.probabilities[2], [1, 0], atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_class_that_is_a_component(method):
    """Its indicator is in the kernel: nothing is left to solve for."""
    L = cl.graph_laplacian(cl.clique_complex(nx.disjoint_union_all([nx.complete_graph(9)] * 2)))
    spread = tasks.spread_labels(L, [0] * 9 + [1] * 9, method=method)
    assert spread.accuracy == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_more_labels_than_are_left_out(method):
    G = nx.random_geometric_graph(400, 0.1, seed=0)
    x = np.array([G.nodes[i]["pos"][0] for i in G]) > 0.5
    y = x.astype(int)
    y[::4] = -1
    spread = tasks.spread_labels(
        cl.collapse(cl.clique_complex(G), "renormalized"), y, method=method
    )
    assert np.mean(spread.numbers == x) > 0.95


@pytest.mark.parametrize(
    "labels",
    [
        [-1] * 34,
        [None] * 34,
        [0, 1],
        {"nobody": 1},
        {},
        "words",
        3,
        [[1, 2]] * 34,
        [{"a"}] + [None] * 33,
        np.array(["a", "b"] + [-1] * 32),  # words, all of them
    ],
    ids=repr,
)
def test_hostile_labels(labels):
    with pytest.raises(cl.InputError):
        tasks.spread_labels(S, labels)


@pytest.mark.parametrize("strength", [0.0, -1.0, "gcv", np.nan, None])
def test_hostile_strengths(strength):
    with pytest.raises(cl.InputError, match="strength"):
        tasks.spread_labels(S, {0: 1, 33: 0}, method="regularized", strength=strength)


@pytest.mark.parametrize("method", ["poisson", "harmonic"])
def test_a_strength_that_does_not_apply(method):
    with pytest.raises(cl.InputError, match="regularized"):
        tasks.spread_labels(S, {0: 1, 33: 0}, method=method, strength=1.0)
    with pytest.raises(cl.InputError, match="poisson"):
        tasks.spread_labels(S, {0: 1, 33: 0}, method="tikhonov")


def test_with_random_extra_edges_the_collapse_spreads_better():
    """Mean over draws on a block model with as many random edges again as a half."""
    gains = []
    for seed in range(6):
        A, y = cl.datasets.block_model([30] * 4, 0.4, 0.01, rng=seed)
        noisy = cl.datasets.add_shortcuts(A, A.nnz // 4, seed)
        lifted = cl.clique_complex(noisy)
        known = np.full(len(y), -1)
        rng = np.random.default_rng(seed)
        for c in range(4):
            known[rng.permutation(np.flatnonzero(y == c))[:3]] = c
        right = [
            (tasks.spread_labels(operator, known).numbers == y).mean()
            for operator in (cl.collapse(lifted, "renormalized"), cl.graph_laplacian(lifted))
        ]
        gains.append(right[0] - right[1])
    assert np.mean(gains) > 0.0


@pytest.mark.parametrize("method", METHODS)
def test_an_only_class_is_said_and_proves_nothing(method):
    """Every vertex gets it, and that labels left out are found again is no evidence."""
    S = cl.graph_laplacian(nx.path_graph(6))
    with pytest.warns(cl.CellapseWarning, match="'a'"):
        spread = tasks.spread_labels(S, {0: "a", 3: "a"}, method=method)
    assert spread.predicted() == ["a"] * 6
    assert spread.accuracy is None
