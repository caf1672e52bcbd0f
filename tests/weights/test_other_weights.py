"""Weights by distances, bonds, confidences and counts: by hand, and into an operator."""

import numpy as np
import pytest

import cellapse as cl
from cellapse import weights
from cellapse.lifts import hypergraph_complex, nearest_neighbour_complex

LINE = nearest_neighbour_complex([[0.0], [1.0], [3.0], [7.0]], 1)  # 1, 2 and 4 apart


def test_distances_by_hand():
    assert weights.distances(LINE, "inverse")[1].tolist() == [1.0, 0.5, 0.25]
    gauss = weights.distances(LINE, "gaussian")[1]  # the median is 2
    assert gauss == pytest.approx(np.exp([-1 / 8, -4 / 8, -16 / 8]))
    assert weights.distances(LINE, "gaussian", scale=1.0)[1][0] == pytest.approx(np.exp(-0.5))
    first = weights.distances(LINE, "heat", n_neighbors=1)[1]  # own scales 1, 1, 2, 4
    assert first == pytest.approx(np.exp([-1.0, -2.0, -2.0]))
    second = weights.distances(LINE, "heat", n_neighbors=2)[1]  # 1, 2, 4, 4
    assert second == pytest.approx(np.exp([-0.5, -0.5, -1.0]))


def test_a_local_scale_has_no_unit_and_equal_points_are_close():
    points = np.random.default_rng(0).random((40, 3))
    one, many = (nearest_neighbour_complex(points * unit, 5) for unit in (1.0, 1e3))
    assert weights.distances(one)[1] == pytest.approx(weights.distances(many)[1])
    twice = nearest_neighbour_complex(np.concatenate([points, points]), 3)
    assert weights.distances(twice, n_neighbors=1)[1].max() == 1.0


def test_scales_that_have_no_square():
    assert weights.distances(LINE, "gaussian", scale=1e-300)[1].max() < 1e-20
    assert weights.distances(LINE, "gaussian", scale=1e300)[1].tolist() == [1.0, 1.0, 1.0]
    tiny = nearest_neighbour_complex([[0.0], [1e-140], [3e-140], [7e-140]], 1)
    with pytest.raises(cl.InputError, match="unit"):
        weights.distances(tiny)


def test_points_at_one_place_have_the_scale_of_the_next_one():
    for unit in (1.0, 1e3):
        K = nearest_neighbour_complex(unit * np.array([[0.0], [0.0], [2.0], [6.0]]), 2)
        found = dict(zip(K.edges, weights.distances(K, n_neighbors=1)[1].tolist(), strict=True))
        assert found[0, 1] == 1.0
        assert found[0, 2] == found[1, 2] == pytest.approx(np.exp(-1.0))


def test_they_are_weights_of_the_operator():
    w = weights.distances(LINE, "inverse")
    L = cl.graph_laplacian(LINE.with_attributes(None, w)).toarray()
    assert L[0, 1] == -1.0
    assert L[1, 2] == pytest.approx(-0.5)
    assert cl.effective_resistance(LINE.with_attributes(None, w), [(0, 3)])[0] == pytest.approx(7.0)


def test_bonds_by_order_and_length():
    pytest.importorskip("rdkit")
    K = cl.molecule_complex("C=CC#C")
    assert weights.bonds(K)[1].tolist() == [2.0, 1.0, 3.0]
    ethane = cl.Complex.from_cells(
        {1: [(0, 1)]},
        attributes={0: {"element": ["C", "C"], "position": [[0, 0, 0], [1.52, 0, 0]]}},
    )
    assert weights.bonds(ethane, "length")[1].tolist() == pytest.approx([1.0], rel=0.05)
    shorter = ethane.with_attributes({0: {"position": [[0, 0, 0], [1.52 - 0.71, 0, 0]]}})
    ratio = weights.bonds(shorter, "length")[1] / weights.bonds(ethane, "length")[1]
    assert ratio.tolist() == pytest.approx([10.0])


def test_confidences_and_counts_at_every_rank():
    K = cl.Complex.from_cells(
        {1: [("a", "b"), ("b", "c"), ("a", "c")], 2: [("a", "b", "c")]},
        attributes={1: {"score": [1000, 500, 250]}, 2: {"score": [100]}},
    )
    found = weights.confidences(K, "score", largest=1000)
    assert {k: v.tolist() for k, v in found.items()} == {1: [1.0, 0.5, 0.25], 2: [0.1]}
    evidence = weights.confidences(K, "score", largest=1000, kind="evidence")
    assert evidence[1].tolist() == pytest.approx([np.log(1e6), np.log(2), np.log(4 / 3)])
    H = hypergraph_complex([list("abc"), list("abc"), list("cd")], multiplicity="merge")
    assert weights.counts(H)[2].tolist() == [2.0]
    assert weights.counts(H, kind="logarithm")[2].tolist() == pytest.approx([1 + np.log(2)])


SAME = nearest_neighbour_complex([[0.0], [0.0], [1.0]], 1)
SCORED = cl.Complex.from_cells({1: [("a", "b")]}, attributes={1: {"score": [900], "bad": [-1]}})
BAD = {
    "points at one place": (lambda: weights.distances(SAME, "inverse"), "at one place"),
    "a kernel": (lambda: weights.distances(LINE, "cosine"), "kernel"),
    "a scale for nothing": (lambda: weights.distances(LINE, scale=2.0), "gaussian"),
    "scale": (lambda: weights.distances(LINE, "gaussian", scale=0.0), "scale"),
    "no bonds": (lambda: weights.bonds(LINE), "order"),
    "no elements": (lambda: weights.bonds(LINE, "length"), "element"),
    "by": (lambda: weights.bonds(LINE, "colour"), "by"),
    "too sure": (lambda: weights.confidences(SCORED, "score"), "largest"),
    "kind": (lambda: weights.counts(SCORED, "score", kind="square"), "kind"),
    "negative": (lambda: weights.confidences(SCORED, "bad"), "-1"),
    "a count below one": (
        lambda: weights.counts(
            cl.Complex.from_cells({1: [(0, 1)]}, attributes={1: {"n": [0.1]}}),
            "n",
            kind="logarithm",
        ),
        "0.1",
    ),
    "no such name": (lambda: weights.counts(SCORED, "number"), "number"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_weight_is_refused(case):
    call, named = BAD[case]
    with pytest.raises(cl.InputError, match=named):
        call()
