"""Rows, numbers, values and comparisons, the parts that all readers share, one by one."""

import math
import re

import numpy as np
import pytest

import cellapse as cl
from cellapse._shared.notes import listening
from cellapse.io import (
    FORMATS,
    _graphs,
    _numbers,
    _other_formats,
    _rows,
    _same,
    _source,
    _text_columns,
    _values,
    _xml,
)
from cellapse.io._numbers import (
    number,
    numbers_by_line,
    numbers_of,
    numbers_or_none,
    whole,
    whole_numbers,
)
from cellapse.io._rows import split_rows
from cellapse.io._same import require_same
from cellapse.io._understood import Understood
from cellapse.io.edges import read_edges


@pytest.mark.parametrize(
    ("text", "delimiter", "rows"),
    [
        ("a\tb\nb c\n", None, ["ab", "bc"]),
        ("a\tb\nb\tc d\n", "\t", [["a", "b"], ["b", "c d"]]),
        ("a\tb\tc\nb\tc\n", "\t", ["abc", "bc"]),
        ("a,b\nb,c\n", ",", ["ab", "bc"]),
        ("a,\u00a0b\nb,c\n", ",", ["ab", "bc"]),
        ("a , b\nb,c\n", ",", ["ab", "bc"]),
        ("a;b;1,5\nb;c;2,5\n", ";", [["a", "b", "1,5"], ["b", "c", "2,5"]]),
        ("a;b,c\nb;c,d\n", ",", [["a;b", "c"], ["b;c", "d"]]),
        ("a 1,5\nb 2,5\n", None, [["a", "1,5"], ["b", "2,5"]]),
        ("1,5\n2,5\n", ",", ["15", "25"]),
        ("a 1,5\nb 2,5 c\n", ",", [["a 1", "5"], ["b 2", "5 c"]]),
        ("a;b\nb;c\n", ";", ["ab", "bc"]),
        ("a|b\nb|c\n", "|", ["ab", "bc"]),
        ("a b\nb c\n", None, ["ab", "bc"]),
        ("sep=;\na;b\n", ";", ["ab"]),
        ('"SEP=|"\na|b\n', "|", ["ab"]),
        ('"a b" c\n"d ""e"" f" g\n', None, [["a b", "c"], ['d "e" f', "g"]]),
        ('"a,b",c\n"d\ne",f\n', ",", [["a,b", "c"], ["d\ne", "f"]]),
        ("a b {'x': 1, 'y': 2}\n", None, [["a", "b", "{'x':", "1,", "'y':", "2}"]]),
        ("'=a,b\n", ",", [["=a", "b"]]),
        ("\n\n  a b  \r\n\nb c\n\n", None, ["ab", "bc"]),
    ],
)
def test_the_rows_of_a_text(text, delimiter, rows):
    found = split_rows(text)
    assert (found.delimiter, found.rows) == (delimiter, [list(row) for row in rows])


def test_a_given_delimiter_is_taken():
    assert split_rows("a;b,c\n", ",").rows == [["a;b", "c"]]
    assert split_rows("a b\tc\n", " ").rows == [["a", "b", "c"]]
    assert split_rows("a b\tc\n", "\t").rows == [["a b", "c"]]
    assert split_rows("a\tb\nb c\n", "\t").rows == [["a", "b"], ["b c"]]
    assert split_rows("a::b\n", "::").rows == [["a", "b"]]
    assert split_rows("sep=;\na,b;c\n", ",").rows == [["a", "b;c"]]


def test_gaps_and_comments_between_rows():
    table = split_rows("# top\n\n# x,y\na,b\n\n# in between\nb,c\nc,d\n\n")
    assert table.comment == ["x", "y"]
    assert (table.comments, table.gaps) == (["# in between"], [1])
    assert _rows._behind_gaps([["a"], [""], ["b"], ["c"], [], [], ["d"]]) == [1, 3]
    assert _rows._behind_gaps([[""], ["a"], ["b"]]) == []
    assert split_rows("a b\nb c\n").gaps == []


def test_the_first_hundred_lines_show_the_delimiter():
    lines = ["a b"] * 100 + ["a,b c,d"]
    assert split_rows("\n".join(lines)).delimiter is None
    assert split_rows("\n".join(lines[1:])).delimiter == ","


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ("a,b\n#c,d\nb,c\n", True),
        ("a,b\n# c,d\nb,c\n", False),
        ("a,b\n#c\nb,c\n", False),
        ("a b\n#c d\nb c\n", False),
        ('a b\n#c d\n"#b" c\n', True),
        ("a,b\n//c,d\nb,c\n", True),
    ],
)
def test_a_row_that_could_be_a_comment(text, is_refused):
    if is_refused:
        with pytest.raises(cl.InputError, match="a comment by its first letter"):
            split_rows(text)
    else:
        assert len(split_rows(text).rows) == 2


def test_quotes_that_are_not_closed():
    with pytest.raises(cl.InputError, match="check quotes"):
        split_rows('"a,b\nc,d\n')


def test_cells_of_rank_three_are_counted_in_words():
    K = cl.Complex.from_cells({3: [tuple("abcd")]})
    assert Understood(K, "x").counts == "4 vertices, 0 edges, 0 cells of rank 2, 1 cell of rank 3"


def test_numbers_with_gaps_may_be_weights():
    assert _text_columns.unnamed(2, [1, 2.5, None]) == "weight"


def test_single_numbers():
    assert whole("7", "x", 7, 7) == 7
    assert whole("0", "x") == 0
    assert whole("9" * 15, "x") == 10**15 - 1
    for word in ("6", "8", "-1", "1.0", "", "x", "9" * 16, "\u0663"):
        with pytest.raises(cl.InputError, match=r"where x belongs, a number from 7 to 7"):
            whole(word, "x", 7, 7)
    assert [number(w, "x") for w in ("+1", "-1.", ".5", "1e-3", "2E+10")] == [
        1,
        -1,
        0.5,
        1e-3,
        2e10,
    ]
    for word in ("", ".", "1e", "nan", "1_0", "e5", "1e12345"):
        with pytest.raises(cl.InputError, match="where x belongs, a number"):
            number(word, "x")


def test_numbers_beyond_what_is_told_apart():
    assert not _numbers.not_whole(np.array([2.0**53, -(2.0**53), 0.0])).any()
    assert _numbers.not_whole(np.array([2.0**53 + 2, 0.5, -0.5])).all()
    limit = 10**15
    assert whole_numbers([str(limit - 1)], "x").tolist() == [limit - 1]
    assert whole_numbers([], "x").tolist() == []
    assert whole_numbers([str(limit)], "x").tolist() == [limit]
    with pytest.raises(cl.InputError, match="where x belongs"):
        whole_numbers([str(limit + 1)], "x")
    assert numbers_of(f"{limit - 1}").tolist() == [limit - 1]
    assert numbers_of(f"{limit} 123456789012345678901").tolist() == [limit, 123456789012345678901.0]


def test_the_word_that_is_no_number_is_shown():
    with pytest.raises(cl.InputError, match=r"holds 'x', which is no number"):
        numbers_of("1 2.5 x 3 y")


def test_where_numbers_stand():
    for text, values, counts in (
        ("1", [1], [1]), ("1\n", [1], [1]), ("\n1\n", [1], [0, 1]),
        (" 1 2\n\n3", [1, 2, 3], [2, 0, 1]),
        ("", [], [0]), ("\n", [], [0]), ("1\n\n", [1], [1, 0]),
    ):  # fmt: skip
        found = numbers_by_line(text)
        assert [part.tolist() for part in found] == [values, counts]


def test_words_that_come_ten_times_are_parsed_once(monkeypatch):
    asked = []
    plain = _numbers.numbers_of
    monkeypatch.setattr(_numbers, "numbers_of", lambda text: asked.append(text) or plain(text))
    assert numbers_or_none(["1", "2"] * 10).tolist() == [1, 2] * 10
    assert numbers_or_none(["1", "2"] * 11).tolist() == [1, 2] * 11
    assert [len(text.split()) for text in asked] == [20, 2]
    assert numbers_or_none([" 1", "2"]) is None


def graph(labels="abc", pairs=((0, 1), (1, 2)), weights=None, metadata=None, **columns):
    given = {1: np.array(weights)} if weights else None
    about = {0: columns.get("nodes", {}), 1: columns.get("edges", {})}
    return cl.Complex.from_arrays(
        len(labels), {1: list(pairs)}, list(labels), given, about, metadata or {}
    )


@pytest.mark.parametrize(
    ("K", "L", "kind", "difference"),
    [
        (graph(), graph(weights=[1.0, 2.0]), "full", "other weights"),
        (graph(weights=[1.0, 2.0]), graph(weights=[1.0, 2.5]), "full", "other weights"),
        (graph(weights=[1.0, 2.0]), graph(weights=[1.0, 2.0]), "full", ""),
        (graph(metadata={"a": 1}), graph(metadata={"a": 1.0}), "full", "other metadata"),
        (graph(metadata={"a": math.nan}), graph(metadata={"a": math.nan}), "full", ""),
        (graph(), graph("abc", [(0, 1)]), "full", "other cells"),
        (graph(), graph("abd"), "full", "the label 'c' would change"),
        (graph(), graph("abd"), "graph", "the label 'c' would change"),
        (graph("ab", [(0, 1)]), graph("ac", [(0, 1)]), "graph", "the label 'b' would change"),
        (graph("ab", [(0, 1)]), graph("ca", [(0, 1)]), "graph", "the label 'b' would change"),
        (graph(), graph("abcd"), "graph", "the vertices would change"),
        (graph([1, 2], [(0, 1)]), graph(["1", "2"], [(0, 1)]), "graph", "the label 1 would change"),
        (graph(), graph("cab", [(1, 2), (0, 2)]), "graph", ""),
        (graph(), graph("cab", [(1, 2), (0, 1)]), "graph", "other edges"),
        (graph(weights=[1.0, 2.0]), graph(edges={"weight": [1.0, 2.0]}), "graph", ""),
        (graph(weights=[1.0, 2.0]), graph(edges={"weight": [1.0, 3.0]}), "graph",
         "the attribute 'weight' would change"),
        (graph(nodes={"x": [1, 2, 3]}), graph(), "graph", "the attribute 'x' would change"),
        (graph(nodes={"x": [1, 2, 3]}), graph(), "table", ""),
        (graph(), graph(nodes={"x": [1, 2, 3]}), "graph", "the attribute 'x' would change"),
        (graph(edges={"x": ["", None]}), graph(), "table", ""),
        (graph(edges={"x": ["", "a"]}), graph(edges={"x": [None, "a"]}), "table", ""),
        (graph(edges={"x": ["", "a"]}), graph(edges={"x": [None, "a"]}), "graph",
         "the attribute 'x' would change"),
        (graph(edges={"x": [math.nan, 1.0]}), graph(edges={"x": [None, 1.0]}), "table", ""),
        (graph(edges={"x": [1, 2]}), graph(edges={"x": [1.0, 2.0]}), "table",
         "the attribute 'x' would change"),
        (graph("abc", [(0, 1)]), graph("cba", [(1, 2)]), "hypergraph", ""),
        (graph("abc", [(0, 1)]), graph("cba", [(0, 1)]), "hypergraph", "other hyperedges"),
    ],
)  # fmt: skip
def test_where_two_complexes_differ(K, L, kind, difference):
    assert _same._difference(K, L, kind) == difference


def test_an_error_while_reading_back_is_a_difference():
    def broken(_):
        raise cl.InputError("is broken")

    with pytest.raises(cl.InputError, match=r"not read back the same \(is broken\)"):
        require_same(graph(), b"", broken, "full")


def test_cells_of_rank_two_are_compared():
    K = cl.Complex.from_cells({2: [tuple("abc"), tuple("bcd")]})
    L = cl.Complex.from_cells({2: [tuple("abc"), tuple("acd")]})
    assert _same._difference(K, L, "hypergraph") == "other hyperedges"
    assert _same._difference(K, K, "hypergraph") == ""


def test_values_are_equal_only_with_their_types():
    assert _same._same([1, (2.0, None)], [1, (2.0, None)])
    for a, b in (([1], [1, 2]), ([1], [1.0]), ([0.0], [-0.0]), ([True], [1]), (["1"], [1])):
        assert not _same._same(a, b)
    assert _same._same([np.int64(1), np.float64(math.nan)], [1, math.nan])
    assert _same._typed({"a": [1]}) == (("a", ((int, 1),)),)
    assert not _same._same_column(np.array([1]), np.array([[1]]))
    assert not _same._same_column(np.array([1]), np.array([1.0]))
    assert not _same._same_column(np.array(["a"], object), np.array(["a"], object))
    assert _same._same_column(None, None)
    assert not _same._same_column(None, np.array([1]))
    assert [_same._is_nothing(v) for v in (None, "", math.nan, 0, "x", 1.0)] == [True] * 3 + [
        False
    ] * 3


def test_texts_as_values():
    column = _values.text_column
    assert column(["1", "", "3"]) == [1, None, 3]
    assert column(["1", "2.5", ""]) == [1.0, 2.5, None]
    assert column(["1.5", "x", ""]) == ["1.5", "x", None]
    assert column(["", ""]) == [None, None]
    assert column(["007", "8"]) == [7.0, 8.0]
    assert column(["x", "1"]) == ["x", "1"]
    assert _values.text_labels(["007", "8"]) == ["007", "8"]
    assert _values.text_labels(["9" * 18, "-1", "0"]) == [10**18 - 1, -1, 0]
    assert _values.text_labels(["9" * 19]) == ["9" * 19]
    words = ["1", "nan", "-inf", "Infinity", "1e5", ".5", "x1", "", "1_0", "e", "0x1"]
    assert [_values.is_number(w) for w in words] == [True] * 6 + [False] * 5


def test_json_values():
    to_json = _values.to_json
    assert to_json({"a": (1, np.float32(0.5)), "b": np.array([True])}) == {
        "a": [1, 0.5],
        "b": [True],
    }
    assert to_json([math.nan, 1.0]) == [None, 1.0]
    assert repr(to_json(np.array([math.nan, -math.inf]), strict=False)) == "[nan, -inf]"
    for bad, words in (
        (math.inf, "JSON has no number inf"), ({1: 2}, "keys that are not strings"),
        (object(), "which no file format holds"), (b"x", "is a bytes"),
    ):  # fmt: skip
        with pytest.raises(cl.InputError, match=words):
            to_json(bad)
    assert [_values.is_plain(v) for v in ("a", 1, np.int8(1), True, 1.0, None)] == [True] * 3 + [
        False
    ] * 3
    with pytest.raises(cl.InputError, match="two labels look the same"):
        _values.label_words([1, "1"])
    assert _values.column([1, [2]]) == [1, (2,)]


def test_columns_of_text():
    with listening() as notes:
        assert _text_columns.attribute("w", ["1,5", ""]) == [1.5, None]
        assert notes.facts == ["'w' has decimal commas"]
        assert _text_columns.attribute("w", ["1,500", "x"]) == ["1,500", "x"]
        assert len(notes.facts) == 1
        assert _text_columns.attribute("w", ["1,500", "", "2"]) == ["1,500", None, "2"]
        assert "'w' stays text: '1,500' could be" in notes.facts[1]
    assert not _text_columns.has_decimal_commas(["1,5", "x"])
    assert not _text_columns.has_decimal_commas(["1,500", "2,250"])
    assert _text_columns.has_decimal_commas(["1,500", "2,25"])
    assert not _text_columns.has_decimal_commas(["1,2,3"])
    times = [["w", "Time"], ["Time_Stamp", "x"], ["x"], ["t", "time"], ["unix_ts"]]
    found = [_text_columns.time_column(names) for names in times]
    assert found == ["Time", "Time_Stamp", None, "time", "unix_ts"]


def test_where_a_text_is_no_text():
    assert _source.as_text(b"\xef\xbb\xbfa") == "a"
    with pytest.raises(cl.InputError, match="byte 2 is no UTF-8 text"):
        _source.as_text(b"ab\xff")
    with pytest.raises(cl.InputError, match="holds zero bytes"):
        _source.as_text(b"a\0")


def test_elements_of_xml():
    met = []
    data = b"<p:a x='1'>t&amp;u<b/></p:a>"
    _xml.parse_xml(data, lambda n, g: met.append((n, g)), met.append, met.append)
    assert met == [("a", {"x": "1"}), "t&u", ("b", {}), "b", "a"]  # one text in one piece
    with pytest.raises(cl.InputError, match="not well-formed"):
        _xml.parse_xml(b"<a>", lambda *_: None, lambda _: None, lambda _: None)
    with pytest.raises(cl.InputError, match="has a <node> without id="):
        _xml.need({}, "id", "node")
    with pytest.raises(cl.InputError, match="control characters"):
        _xml.check_characters("a\x01")
    _xml.check_characters("a\t\n\r")


def test_nodes_that_only_edges_name():
    for nodes, told in (
        ({"a": {}, "b": {}}, []),
        ({"a": {}}, ["1 nodes are known from edges only"]),
        ({}, []),
    ):
        with listening() as notes:
            K = _graphs.listed_graph(nodes, [("a", "b")], [{}], _graphs.SIMPLE)
        assert (list(K.labels), notes.facts) == (["a", "b"], told)
    with listening():
        K = _graphs.listed_graph({"a": {}}, [("a", "b")], [{}], _graphs.SIMPLE, labels=["x"])
    assert list(K.labels) == ["a", "b"]  # too few labels
    K = _graphs.listed_graph({"7": {}}, [], [], _graphs.SIMPLE)
    assert list(K.labels) == [7]
    K = _graphs.listed_graph({("a", 1): {}}, [], [], _graphs.SIMPLE)
    assert list(K.labels) == [("a", 1)]


def test_labels_that_differ():
    for given, found in (
        (["a", "b"], ["a", "b"]), (["1", "2"], [1, 2]), ([1, 2.5], [1, 2.5]), (["a", "a"], None),
        (["a", None], None), ([("a",), "b"], None),
    ):  # fmt: skip
        records = [{"label": v, "x": 1} for v in given]
        assert _graphs.different_labels(records) == found
        assert all(("label" in record) == (found is None) for record in records)


def test_defaults_do_not_replace_what_is_known():
    records = [{"a": 1}, {}]
    _graphs.fill(records, {"a": 7, "b": 8}, "node")
    assert records == [{"a": 1, "b": 8}, {"a": 7, "b": 8}]


@pytest.mark.parametrize("n", [19, 20, 21, 40])
def test_the_first_twenty_lines_show_neighbours(n):
    lines = ["a: b"] * n + ["c d"]
    if n < 20:
        _other_formats.refuse_other_formats("\n".join(lines))
    else:
        with pytest.raises(cl.InputError, match="format='adjlist'"):
            _other_formats.refuse_other_formats("\n".join(lines))


def test_tuples_of_python_are_no_table():
    for text in ("(a, b)\n(b, c),\n", "[[1, 2], [3, 4]]", "([1, 2])", "{1, 2}\n"):
        with pytest.raises(cl.InputError, match="lists or tuples of Python"):
            _other_formats.refuse_other_formats(text)
    for text in ("(a b)\n(b c)\n", "(a, b\n", "a, b)\n", "(a, b)\nc d\n", ""):
        _other_formats.refuse_other_formats(text)


def test_only_what_holds_weights_as_such_weighs_by_itself():
    assert FORMATS["edges"].read is read_edges
    assert [name for name, format_ in FORMATS.items() if format_.weighs] == ["json", "npz"]


def test_a_format_is_known_by_its_beginning_below_comments():
    with pytest.raises(cl.InputError, match=re.escape("pass format='pajek'")):
        _other_formats.refuse_other_formats("# x\n% y\n*Vertices 3\n")
    far = "# " + "x" * 3000 + "\n*Vertices 3\n"
    with pytest.raises(cl.InputError, match=re.escape("pass format='pajek'")):
        _other_formats.refuse_other_formats(far)
