"""Many numbers at once: as many as there are words, each what Python makes of it."""

import numpy as np
import pytest

import cellapse as cl
from cellapse.io._numbers import numbers_by_line, numbers_of, numbers_or_none, whole_numbers
from cellapse.io._same import require_same


def test_numbers_are_what_python_makes_of_them():
    rng = np.random.default_rng(0)
    values = rng.standard_normal(500) * 10.0 ** rng.integers(-300, 300, 500)
    words = [repr(x) for x in values.tolist()]
    words += ["1e24", "999999999999999999999990", "-0.0", "+5", ".5", "7."]
    assert numbers_of(" ".join(words)).tolist() == [float(w) for w in words]
    assert numbers_of("1 999999999999999999999990").tolist() == [1, 1e24]  # digits alone
    assert np.isnan(numbers_of("nan")[0])
    assert len(numbers_of(" \n")) == 0


@pytest.mark.parametrize("text", ["1.2.3 4", "1-2", "1 x", "0x10", "1_0", "1\u00a02", "--1", "1e"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(cl.InputError):
        numbers_by_line(text)


def test_numbers_by_line_are_counted_where_they_stand():
    rng = np.random.default_rng(1)
    lines = [" ".join(map(str, rng.integers(0, 99, n))) for n in rng.integers(0, 4, 50)]
    for end in ("", "\n"):
        values, counts = numbers_by_line("\n".join(lines) + end)
        assert counts.tolist()[:50] == [len(line.split()) for line in lines][: len(counts)]
        assert values.tolist() == [float(w) for line in lines for w in line.split()]


def test_what_one_word_lacks_another_does_not_give():
    for words in (["", "2 5"], ["", "1.2.3"], [" ", "2 5"], ["1", "2\t5", ""], ["1", "x"]):
        assert numbers_or_none(words) is None
        assert numbers_or_none(words * 20) is None  # parsed once each
    assert numbers_or_none(["0", "1.5"] * 20).tolist() == [0, 1.5] * 20


def test_whole_numbers_have_a_largest():
    assert whole_numbers(["0", "7"], "a point", 7).tolist() == [0, 7]
    for words in (["8"], ["-1"], ["1.0"], ["1 2"], ["99999999999999999999"]):
        with pytest.raises(cl.InputError, match="a point"):
            whole_numbers(words, "a point", 7)


@pytest.mark.parametrize("kind", ["full", "graph", "table"])
def test_a_file_that_reads_back_otherwise_is_refused(kind):
    def graph(edges=((0, 1), (1, 2)), labels="abc", weight=(1.5, 2.0), age=(1, 2, 3)):
        columns = {0: {"age": list(age)}, 1: {"weight": np.array(weight)}}
        return cl.Complex.from_arrays(3, {1: list(edges)}, list(labels), None, columns)

    K = graph()
    require_same(K, b"", lambda _: graph(), kind)
    others = [
        (graph(edges=((0, 1), (0, 2))), "other"),
        (graph(labels="abd"), "'c' would change"),
        (graph(weight=(1.5, 2.5)), "'weight' would change"),
        (graph(weight=(1, 2)), "'weight' would change"),
        (graph(age=(1, 2, 4)), "'age' would change"),
    ]
    for L, words in others if kind != "table" else others[:-1]:
        with pytest.raises(cl.InputError, match=words):
            require_same(K, b"", lambda _, L=L: L, kind)


def test_the_order_of_vertices_is_free_where_a_format_has_none():
    K = cl.Complex.from_cells({0: "abc", 1: [("a", "b"), ("b", "c")]})
    L = cl.Complex.from_cells({0: "cba", 1: [("a", "b"), ("b", "c")]})
    require_same(K, b"", lambda _: L, "table")
    other = cl.Complex.from_cells({0: "cba", 1: [("c", "b"), ("b", "a")]})
    with pytest.raises(cl.InputError, match="edges"):
        require_same(K, b"", lambda _: other, "table")
    with pytest.raises(cl.InputError, match="change"):
        require_same(K, b"", lambda _: L, "full")
