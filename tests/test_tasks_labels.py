"""Few labels, spread: by hand, leave-one-out against doing it, hostile labels."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import cellapse as cl
from cellapse import tasks

K = cl.clique_complex(nx.karate_club_graph(), weight=None)
S = cl.collapse(K, "renormalized")


def test_two_vertices_by_hand():
    """(I + L)^-1 = [[2, 1], [1, 2]] / 3; the second vertex has the only class there is in reach."""
    spread = tasks.spread_labels([[1.0, -1.0], [-1.0, 1.0]], ["x", None], strength=1.0)
    assert spread.classes == ["x"]
    assert spread.probabilities.tolist() == [[1.0], [1.0]]
    assert spread.accuracy is None


def test_a_path_of_three_by_hand():
    """(I + L)^-1 e_1 = (5, 2, 1) / 8 and e_3 likewise: the middle is undecided."""
    L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(3)))
    spread = tasks.spread_labels(L, [7, -1, 9], strength=1.0)
    np.testing.assert_allclose(spread.probabilities, [[1, 0], [0.5, 0.5], [0, 1]], atol=1e-8)
    uneven = tasks.spread_labels(
        cl.graph_laplacian(cl.clique_complex(nx.path_graph(4))), [7, -1, -1, 9], strength=1.0
    )
    H = np.linalg.inv(np.eye(4) + nx.laplacian_matrix(nx.path_graph(4)).toarray())
    assert uneven.probabilities[1, 0] == pytest.approx(H[1, 0] / (H[1, 0] + H[1, 3]), rel=1e-7)
    assert uneven.predicted() == [7, 7, 9, 9]


@pytest.mark.parametrize("realization", ["renormalized", "unfolded"])
def test_leaving_one_out_is_what_it_says(realization):
    """The closed form against a spread without that label."""
    operator = cl.collapse(K, realization)
    rng = np.random.default_rng(0)
    y = np.full(34, -1)
    known = rng.permutation(34)[:9]
    y[known] = rng.integers(0, 2, 9)
    y[known[:4]] = [0, 0, 1, 1]
    spread = tasks.spread_labels(operator, y, strength=2.0)
    hits = []
    for i in known:
        rest = y.copy()
        rest[i] = -1
        left = tasks.spread_labels(operator, rest, strength=2.0)
        hits.append(left.predicted()[i] == y[i])
    assert spread.accuracy == pytest.approx(np.mean(hits))


def test_the_strength_with_the_best_score_is_taken():
    y = {0: "a", 1: "a", 2: "a", 33: "b", 32: "b", 31: "b"}
    spread = tasks.spread_labels(S, y)
    assert spread.strength == spread.strengths[np.argmax(spread.scores)]
    again = tasks.spread_labels(S, y, strength=spread.strength)
    np.testing.assert_allclose(again.probabilities, spread.probabilities, atol=1e-12)
    assert len(again.strengths) == 0
    groups = np.asarray(cl.datasets.load("karate").groups)
    agree = np.mean((np.array(spread.predicted()) == "a") == (groups == groups[0]))
    assert agree > 0.9


def test_mappings_lists_and_series_say_the_same():
    by_label = tasks.spread_labels(S, {0: 1, 33: 0}, strength=1.0)
    listed = [-1] * 34
    listed[0], listed[33] = 1, 0
    for other in (listed, np.array(listed), np.array(listed, dtype=float), pd.Series(listed)):
        found = tasks.spread_labels(S, other, strength=1.0)
        np.testing.assert_array_equal(found.probabilities, by_label.probabilities)
    assert by_label.to_frame().shape == (34, 2)
    assert by_label.as_dict()[33] == 0


def test_a_component_without_labels_gets_the_shares_of_the_classes():
    L = cl.graph_laplacian(cl.clique_complex(nx.disjoint_union_all([nx.complete_graph(3)] * 3)))
    spread = tasks.spread_labels(L, {0: "a", 1: "a", 3: "b"})
    np.testing.assert_allclose(spread.probabilities[6:], [[2 / 3, 1 / 3]] * 3)
    np.testing.assert_allclose(spread.probabilities[2], [1, 0], atol=1e-9)


def test_a_class_that_is_a_component():
    """Its indicator is in the kernel: nothing is left to solve for."""
    L = cl.graph_laplacian(cl.clique_complex(nx.disjoint_union_all([nx.complete_graph(9)] * 2)))
    spread = tasks.spread_labels(L, [0] * 9 + [1] * 9)
    assert spread.accuracy == 1.0


def test_more_labels_than_are_left_out():
    G = nx.random_geometric_graph(400, 0.1, seed=0)
    x = np.array([G.nodes[i]["pos"][0] for i in G]) > 0.5
    y = x.astype(int)
    y[::4] = -1
    spread = tasks.spread_labels(cl.collapse(cl.clique_complex(G), "renormalized"), y)
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
    ],
    ids=repr,
)
def test_hostile_labels(labels):
    with pytest.raises(cl.InputError):
        tasks.spread_labels(S, labels)


@pytest.mark.parametrize("strength", [0.0, -1.0, "gcv", np.nan, None])
def test_hostile_strengths(strength):
    with pytest.raises(cl.InputError, match="strength"):
        tasks.spread_labels(S, {0: 1, 33: 0}, strength=strength)


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
