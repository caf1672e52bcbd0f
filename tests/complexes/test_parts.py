"""Parts of a complex: subcomplexes, and complexes with more or fewer cells."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import clique_complexes, hypergraphs

import cellapse as cl


def triangle():
    return cl.Complex.from_cells(
        {0: "dabc", 1: [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")], 2: [("a", "b", "c")]},
        weights={1: [1.0, 2.0, 3.0, 4.0]},
        attributes={0: {"age": [9, 1, 2, 3]}, 1: {"kind": ["x", "y", "z", "w"]}},
    )


def cells_of(K):
    return [{frozenset(np.atleast_1d(c).tolist()) for c in cells} for cells in K.cells]


def named(K):
    return [{frozenset(c) if k else c for c in K.cell_labels(k)} for k in range(K.max_rank + 1)]


def test_a_subcomplex_by_hand():
    K = triangle().subcomplex(["c", "d", "b"])
    assert K.labels == ("d", "b", "c")  # the order of the complex
    assert K.cell_labels(1) == (("b", "c"), ("d", "c"))
    assert K.weights[1].tolist() == [2.0, 4.0]
    assert K.attributes[0]["age"].tolist() == [9, 2, 3]
    assert K.attributes[1]["kind"].tolist() == ["y", "w"]
    assert K.n_cells == (3, 2, 0)


def test_without_cells_takes_what_holds_them_too():
    K = triangle()
    assert K.without_cells({1: [("c", "b")]}).n_cells == (4, 3, 0)
    assert K.without_cells({2: [("c", "b", "a")]}).n_cells == (4, 4, 0)
    assert K.without_cells({}).n_cells == K.n_cells


def test_with_cells_puts_them_behind():
    K = triangle().with_cells({1: [("d", "a")], 2: [("a", "c", "d")]}, weights={1: [5.0]})
    assert K.cell_labels(1)[-1] == ("d", "a")
    assert K.weights[1].tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert K.attributes[1]["kind"].tolist() == ["x", "y", "z", "w", None]
    assert K.n_cells == (4, 5, 2)
    assert K.with_cells({3: [tuple("abcd")]}).n_cells == (4, 5, 2, 1)
    by_name = triangle().with_cells(
        {1: [("d", "a"), ("d", "b")]}, {1: {("b", "d"): 2, ("a", "d"): 3}}
    )
    assert by_name.weights[1].tolist()[-2:] == [3.0, 2.0]


def test_hyperedges_of_a_part_are_those_whose_cells_are_left():
    K = cl.hypergraph_complex([("a", "b", "c"), ("c", "d"), ("d", "e", "f"), ("c", "d")])
    part = K.subcomplex("cdef")
    assert len(part.hyperedges) == 3
    same = cl.hypergraph_complex([("c", "d"), ("d", "e", "f"), ("c", "d")])
    assert part.hyperedges.cells.tolist() == same.hyperedges.cells.tolist()


@pytest.mark.parametrize(
    "call",
    [
        lambda K: K.subcomplex([]),
        lambda K: K.subcomplex(["a", "nobody"]),
        lambda K: K.subcomplex(3),
        lambda K: K.without_cells({1: [("a", "d")]}),
        lambda K: K.without_cells({5: [("a", "d")]}),
        lambda K: K.without_cells({0: ["a"]}),
        lambda K: K.without_cells([("a", "b")]),
        lambda K: K.with_cells({1: [("a", "b")]}),
        lambda K: K.with_cells({1: [("a", "nobody")]}),
        lambda K: K.with_cells({1: [("a", "d")]}, weights={1: [-1.0]}),
        lambda K: K.with_cells({1: [("a", "d")]}, weights={1: [1.0, 2.0]}),
        lambda K: K.with_cells({2: [("a",)]}, weights={1: [1.0]}),
    ],
)
def test_what_makes_no_part_is_refused(call):
    with pytest.raises(cl.CellapseError):
        call(triangle())


@given(st.one_of(clique_complexes(), hypergraphs()), st.integers(0, 2**32 - 1))
def test_parts_are_those_of_sets_of_labels(K, seed):
    rng = np.random.default_rng(seed)
    chosen = [v for v in K.labels if rng.random() < 0.6] or [K.labels[0]]
    inside = [
        {c for c in group if (c if k else {c}) <= set(chosen)} for k, group in enumerate(named(K))
    ]
    assert named(K.subcomplex(chosen)) == inside
    for rank in range(1, K.max_rank + 1):
        gone = [c for c in K.cell_labels(rank) if rng.random() < 0.3]
        left = K.without_cells({rank: gone})
        sets = [frozenset(c) for c in gone]
        expected = [
            {c for c in group if not k or k < rank or not any(g <= c for g in sets)}
            for k, group in enumerate(named(K))
        ]
        expected[rank] = named(K)[rank] - set(sets)  # larger ones of the same rank stay
        assert named(left) == expected
        again = left.with_cells(
            {k: named(K)[k] - named(left)[k] for k in range(rank, K.max_rank + 1)}
        )
        assert named(again) == named(K)
