"""The parts that decide what a table means, each at the border of its decision."""

import pytest

import cellapse as cl
from cellapse._shared.notes import listening
from cellapse.io import FORMATS, _columns, _headers, _one_table, _refused_columns, understand
from cellapse.io._options import PLAIN, Options, options_of
from cellapse.io._rows import split_rows


def words(*lines):
    return [line.split() for line in lines]


def refused(function, *given):
    try:
        return function(*given)
    except cl.InputError:
        return "refused"


LABELS = ["1", "2", "3"]  # the largest is 3


@pytest.mark.parametrize(
    ("first", "n_rows", "are_sizes"),
    [
        *[(n, 5, True) for n in "345"], ("2", 5, False), ("6", 5, False), ("1", 5, False),
        ("3 4", 4, True), ("2 4", 4, False), ("9 4", 4, True), ("4 3", 4, True), ("4 2", 4, False),
        ("4 9", 4, True), ("3 5", 4, False), ("5 3", 4, False), ("9 2", 2, False), ("9 3", 3, True),
        ("3 3 4", 4, True), ("9 9 4", 4, True), ("2 2 4", 4, False), ("3 4 4", 4, False),
        ("3 3 5", 4, False), ("3 3 2", 2, True), ("3 3 1", 1, False), ("3 3 4 4", 4, False),
        ("x 4", 4, False),
    ],
)  # fmt: skip
def test_which_first_lines_may_be_sizes(first, n_rows, are_sizes):
    found = refused(_headers.refuse_sizes, first.split(), LABELS, n_rows)
    assert found == ("refused" if are_sizes else None)
    assert refused(_headers.refuse_sizes, first.split(), [*LABELS, "a"], n_rows) is None


def test_sizes_without_labels_below():
    assert refused(_headers.refuse_sizes, ["1"], [], 3) == "refused"
    assert refused(_headers.refuse_sizes, ["2"], [], 3) is None


@pytest.mark.parametrize(
    ("lines", "columns", "header"),
    [
        (["source target"], None, True),
        (["a b"], None, False),
        (["u v", "a b"], None, True),
        (["u v", "u b"], None, "refused"),
        (["u v", "b v"], None, "refused"),
        (["u v", "1 2"], None, True),
        (["n1 n2", "n3 n4"], None, "refused"),
        (["n1 n2", "nx b"], None, "refused"),
        (["id1 id2", "id7 id8"], None, "refused"),
        (["id1 id2", "idx b"], None, "refused"),
        (["id1 id2", "a b"], None, True),
        (["id1 id2", "id b"], None, True),
        (["x y z", "a b c"], ("x", "y"), True),
        (["x y z", "a b c"], ("x", "w"), "refused"),
        (["x y", "0 a b", "1 b c"], None, True),
        (["x 1", "0 a b", "1 b c"], None, False),
        (["x y", "0 a b", "1 b"], None, True),
        (["0 1", "a b", "b c"], None, True),
        (["0 1 2", "a b 1", "b c 1"], None, True),
        (["0 2", "a b", "b c"], None, False),
        (["1 0", "a b", "b c"], None, False),
        (["0 1", "a 5", "b c"], None, False),
        (["0 1", "5 a", "b c"], None, False),
        (["0", "a b", "b c"], None, False),
        (["x y", "a 1", "b 2"], None, True),
        (["x y", "a b", "b c"], None, "refused"),
        (["a y", "a b", "b c"], None, False),
        (["x b", "a b", "b c"], None, False),
        (["x", "a b", "b c"], None, True),
        (["x y w", "a b 1", "b x 2"], None, True),
        (["x y w", "a b 1", "b c"], None, True),
    ],
)
def test_which_first_lines_are_headers(lines, columns, header):
    options = PLAIN if columns is None else options_of(columns=columns)
    assert refused(_headers._is_header, words(*lines), options) == header


def test_an_empty_first_word_is_above_row_numbers():
    rows = [["0", "a", "b"], ["1", "b", "c"]]
    assert _headers._is_header([["", "x", "y"], *rows], PLAIN)
    assert refused(_headers._is_header, [["", "x"], ["a", "b"]], PLAIN) == "refused"


def test_columns_of_words_and_of_numbers():
    rows = [["a", "1"], ["b", ""], ["c"]]
    assert _headers._are_words(rows, 0)
    assert not _headers._are_words(rows, 1)
    assert _headers._are_numbers(rows, 1)
    assert not _headers._are_numbers(rows, 0)
    assert not _headers._are_numbers([["a", "1"], ["b", "x"]], 1)
    assert not _headers._are_numbers([["a", ""]], 1)


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("# source target\na b\nb c\n", ["source", "target"]),
        ("# x y\na b\nx c\n", None),
        ("# x,y\na,b\na,c\n", ["x", "y"]),
        ("# x,x\na,b\na,c\n", None),
        ("# x,1\na,b\na,c\n", None),
        ("# x,y,z\na,b\na,c\n", None),
        ("# source target\nsource target\na b\n", ["source", "target"]),
    ],
)
def test_which_comments_are_headers(text, header):
    table = split_rows(text)
    found = refused(_headers.with_header, table, options_of(header=False))
    assert found == (table.rows, header)


def test_a_comment_that_names_the_ends_is_sure():
    table = split_rows("# source target\nu v\na b\n")
    assert _headers.with_header(table, PLAIN) == (table.rows, ["source", "target"])
    assert _headers.with_header(table, options_of(header=True)) == (table.rows[1:], ["u", "v"])
    table = split_rows("# x,y\nu,v\na,b\n")
    assert _headers.with_header(table, PLAIN) == (table.rows[1:], ["u", "v"])


def test_sizes_are_looked_for_where_nothing_is_said():
    table = split_rows("3 3\n1 2\n2 3\n1 3\n")
    assert refused(_headers.with_header, table, PLAIN) == "refused"
    assert _headers.with_header(table, options_of(header=False)) == (table.rows, None)
    named = split_rows("# source target\n3 3\n1 2\n2 3\n1 3\n")
    assert _headers.with_header(named, PLAIN)[0] == named.rows
    weighted = split_rows("3 3\n1 2 7\n2 3 8\n1 3 9\n")  # weights are no labels
    assert refused(_headers.with_header, weighted, PLAIN) == "refused"


def test_all_labels_below_are_compared_with_sizes():
    for last, found in (("5 1", 4), ("1 5", 4), ("4 1", "refused")):
        text = f"4 3\n{last}\n1 2\n2 3\n".encode()
        with listening():
            K = refused(FORMATS["edges"].read, text)
        assert (K if isinstance(K, str) else K.n_cells[1]) == found


EDGES = words("a b", "b c", "c d", "d a")


@pytest.mark.parametrize(
    ("part", "others", "of_nodes"),
    [
        (words("a x", "b y", "c z", "d w"), EDGES, True),
        (words("a x", "b y"), words("a b"), False),  # too few
        (words("a x", "b y", "c z"), words("a b", "b c"), True),
        (words("a x", "b y", "b z", "c w"), words("a b", "b c"), False),  # a vertex twice
        (words("a x", "b y", "c z"), words("a b", "b c", "e f", "g"), True),
        (
            words("a x", "b y", "c z"),
            words("a b", "b c", "e f", "g h"),
            False,
        ),  # others are missing
        (words("a x", "b y", "c z"), words("a b", "b c", "e f", "g e"), False),
        (words("a x", "b y", "c z"), words("u v", "a b", "b c"), True),  # a header among them
        (words("a x", "b y", "c z"), words("u v", "a b", "b c", "w"), True),
        (words("a b", "b c", "c a"), words("a b", "b c"), True),  # whatever the values are
        (words("a b", "b y", "c z"), words("u v", "a b", "b c"), False),
        (words("a u", "b y", "c z"), words("u v", "a b", "b c"), False),
        (words("a x", "b y", "c z", "e"), words("a b", "b c"), False),
        (words("a", "b", "c"), words("a b", "b c"), False),
    ],
)
def test_which_rows_are_a_table_of_nodes(part, others, of_nodes):
    assert _one_table._is_of_nodes(part, others) == of_nodes


@pytest.mark.parametrize(
    ("part", "others", "named", "is_header"),
    [
        (words("id age", "a 7", "b 8"), EDGES, False, True),
        (words("id name", "a x", "b y"), EDGES, False, False),
        (words("id name", "a x", "b y"), EDGES, True, True),
        (words("id age"), EDGES, True, False),
        (words("id", "a"), EDGES, True, False),
        (words("id 7", "a 7"), EDGES, True, False),
        (words("id id", "a 7"), EDGES, True, False),
        (words("a age", "b 7"), EDGES, True, False),
        (words("id age", "id 7"), EDGES, True, False),
        (words("id age", "a 7", "b"), EDGES, False, True),
        (words("id age", "a 7", "b x"), EDGES, False, False),
    ],
)
def test_which_rows_behind_a_gap_begin_with_a_header(part, others, named, is_header):
    assert _one_table._is_header(part, others, named) == is_header


def test_a_first_line_may_count_the_rows_of_a_table():
    first = words("2", "a b", "b c")
    assert refused(_one_table._refuse_count, [*first, ["3"], *EDGES]) == "refused"
    for rows in (
        first,
        [*first, *EDGES],
        [["1"], *words("a b"), ["3"], *EDGES],
        [["x"], *first[1:], ["3"]],
        [["2"], *words("a b", "c"), ["3"]],
        [["2", "7"], *first[1:], ["3"]],
        words("9", "a b"),
    ):
        assert refused(_one_table._refuse_count, rows) is None


def headers_within(*lines):
    return list(_one_table._headers_within(words(*lines)))


def test_headers_below_the_first_row():
    assert headers_within("source target", "a b", "source target", "b c") == [2]
    assert headers_within("a b", "source target", "b c") == [1]
    assert headers_within("a b", "id name", "b c") == [1]
    assert headers_within("a b", "ID name", "b c") == [1]
    assert headers_within("a b", "source 7", "b c") == []
    assert headers_within("a b", "source target", "target c") == []
    assert headers_within("source target", "a b") == []
    assert headers_within("a b", "a b", "b c") == []
    assert headers_within("a b", "from x", "b c") == []


def test_up_to_ten_parts_are_looked_at():
    def text(n):
        parts = ["\n".join(f"{i} {i + 1}" for i in range(3 * k, 3 * k + 3)) for k in range(n - 1)]
        return "\n\n".join([*parts, "\n".join(f"{i} n{i}" for i in range(3 * n))])

    for n, found in ((2, "refused"), (10, "refused"), (11, None)):
        assert refused(_one_table.refuse_second_table, split_rows(text(n))) == found


def test_a_first_header_makes_a_second_one_known():
    text = "source,target\na,b\nb,c\n\nkey,full\na,Ann\nb,Bob\n"
    with pytest.raises(cl.InputError, match=r"second header \['key', 'full'\] in row 4"):
        _one_table.refuse_second_table(split_rows(text))


def test_a_table_of_nodes_may_come_first():
    text = "a x\nb y\nc z\n\na b\nb c\n"
    assert refused(_one_table.refuse_second_table, split_rows(text)) == "refused"


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (words("1 a b", "2 b c", "3 c a"), "refused"),  # counted from 1
        (words("0 a b", "1 b c", "2 c a"), "refused"),
        (words("2 a b", "3 b c", "4 c d"), "refused"),  # and the next two share labels
        (words("2 a x", "3 b y", "4 c z"), "refused"),  # words beside numbers
        (words("1 2 3", "2 3 1", "3 1 2"), None),
        (words("1 a b", "2 b c"), None),  # too few
        (words("a r b", "b s c", "c r a"), "refused"),  # a relation between
        (words("a 5 b", "b 6 c", "c 7 a"), "refused"),
        (words("1 a 2", "2 b 3", "3 c 1"), "refused"),
        (words("a b 1", "b c 2", "c a 3"), None),
        (words("a b", "b c", "c a"), None),
        (words("a 1", "b 2", "c 3"), "refused"),
        (words("a 1", "b 2", "1 3"), None),
        (words("a 1", "b 2", "c x"), None),
    ],
)
def test_which_columns_are_rather_other_ends(rows, found):
    width = len(rows[0])
    assert refused(_refused_columns.refuse_other_ends, rows, 0, width, None) == found
    shifted = [["-", *row] for row in rows]
    assert refused(_refused_columns.refuse_other_ends, shifted, 1, width + 1, None) == found


def test_the_columns_are_named_in_the_advice():
    with pytest.raises(cl.InputError, match=r"\('p', 'q', 'r'\).*columns=\(2, 3\)"):
        _refused_columns.refuse_other_ends(words("1 a b", "2 b c", "3 c a"), 0, 3, ["p", "q", "r"])
    with pytest.raises(cl.InputError, match=r"there are 3.*columns=\(1, 3\)"):
        _refused_columns.refuse_other_ends(words("a r b", "b s c", "c r a"), 0, 3, None)
    with pytest.raises(cl.InputError, match=r"columns=\(1, 2\) for these"):
        _refused_columns.refuse_other_ends(words("a 1", "b 2", "c 3"), 0, 2, None)


def numbered(a, b, shared):
    """Two sets of so many labels, of which some are in both."""
    both = {f"s{i}" for i in range(shared)}
    return both | {f"a{i}" for i in range(a - shared)}, both | {f"b{i}" for i in range(b - shared)}


def test_how_much_two_columns_share():
    share = _refused_columns._share
    assert share(*numbered(10, 10, 5)) == 5 / 15
    assert share(set(), set()) == 0
    few, none, much = numbered(10, 11, 1), numbered(10, 10, 0), numbered(6, 6, 2)
    assert share(*few) == 0.05
    assert share(*much) == 0.2
    left, right = much
    assert _refused_columns._is_relation([left, none[0] - left, right])
    assert not _refused_columns._is_relation([*few, few[0]])
    ends = {f"a{i}" for i in range(10)}, {f"a{i}" for i in range(5, 15)}
    ids = {"a14", *(f"c{i}" for i in range(10))}
    assert (share(*ends), share(ids, ends[0]), share(ids, ends[1])) == (1 / 3, 0, 0.05)
    for one, other in (ends, ends[::-1]):
        assert not _refused_columns._is_id([["x"]], [ids, one, other], 0)
        assert _refused_columns._is_id([["x"]], [ids - {"a14"}, one, other], 0)
        assert not _refused_columns._is_relation([one, ids, other])
        assert _refused_columns._is_relation([one, ids - {"a14"}, other])


def test_a_first_column_that_counts_rows_is_one_of_ids():
    for start, found in ((0, True), (1, True), (2, False)):
        rows = [[str(start + i), f"a{i}", f"b{i}"] for i in range(4)]
        sets = [set(column) for column in zip(*rows, strict=True)]
        assert _refused_columns._is_id(rows, sets, 0) == found
    rows = [[str(i), f"a{i}", str(i + 7)] for i in range(4)]
    assert not _refused_columns._is_id(rows, [set(c) for c in zip(*rows, strict=True)], 0)


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (words("1 2", "3 4", "x y", "5 6"), "refused"),
        (words("1 2", "x y", "3 4"), "refused"),
        (words("1 2", "x y", "3 1"), None),  # five labels
        (words("1 2", "3 4", "x 5", "y 6"), None),
        (words("1 2", "3 4", "x y", "z 6"), None),
        (words("1 2", "3 4", "x x", "5 6"), None),
    ],
)
def test_one_row_of_words_among_numbers(rows, found):
    labels = {w for row in rows for w in row}
    given = (rows, labels, (0, 1))
    assert refused(_refused_columns.refuse_words_among_numbers, *given) == found


def test_the_row_of_words_is_counted_from_one():
    rows = words("1 2", "3 4", "y x", "5 6")
    with pytest.raises(cl.InputError, match=r"row 3 of the data, \['y', 'x'\]"):
        _refused_columns.refuse_words_among_numbers(rows, {w for r in rows for w in r}, (0, 1))


@pytest.mark.parametrize(
    ("sides", "ends", "width", "found"),
    [
        ([{"a", "b"}, {"->"}], (0, 1), 3, r"has '->' in column 2 .*columns=\(1, 3\)"),
        ([{"--"}, {"a"}], (0, 1), 4, r"in column 1 of every row; pass columns=\(2, 3\)"),
        ([{"a"}, {"->"}], (0, 1), 2, None),
        ([{"a"}, {"->", "<-"}], (0, 1), 3, None),
        ([{"a"}, {"x"}], (0, 1), 3, None),
        ([{"a"}, {""}], (0, 1), 3, None),
    ],
)
def test_arrows_are_no_labels(sides, ends, width, found):
    if found is None:
        _refused_columns.refuse_signs(sides, ends, width)
    else:
        with pytest.raises(cl.InputError, match=found):
            _refused_columns.refuse_signs(sides, ends, width)


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        (words("a b d", "b a c", "c b d", "d c a"), "refused"),
        (words("a b c", "b a c", "c a b"), None),  # three rows
        (words("a b d", "b a c", "c b d", "d c b"), None),  # one arc has no way back
        (words("a b e", "b a c", "c b d", "d c a"), None),
        (words("a b", "b a", "c d", "d c"), None),
        (words("a a d", "b a c", "c b d", "d c a"), None),
    ],
)
def test_rows_of_neighbours(rows, found):
    first = {row[0] for row in rows}
    assert refused(_refused_columns.refuse_neighbours, rows, first) == found


def test_zeros_and_ones_are_no_labels():
    for n, labels, found in (
        (3, [0, 1], "refused"), (2, [0, 1], None), (3, [0, 1, 2], None), (3, ["1"], "refused"),
    ):  # fmt: skip
        assert refused(_refused_columns.refuse_zeros_and_ones, n, labels) == found


def test_two_kinds_of_labels_must_not_meet():
    names = ["user", "film", "x"]
    for sides, ends, found in (
        ([{"1"}, {"1"}], (0, 1), "refused"),
        ([{"1"}, {"2"}], (0, 1), None),
        ([{"1"}, {"1"}], (0, 2), None),
    ):
        assert refused(_refused_columns.refuse_two_kinds, sides, ends, names) == found


def understood(text, **options):
    with listening():
        return _columns.understood(split_rows(text), options_of(**options))


def test_an_empty_column_behind_the_last_is_left_out():
    assert understood("a,b,\nb,c,\nc,d,\n").width == 2
    assert understood("a,b,\nb,c,\nc,d,x\n").width == 3
    assert understood("x,y,\na,1,\nb,2,\n", columns=("x", "y")).names == ["x", "y"]
    assert understood("x,y,z\na,1,\nb,2,\n", columns=("x", "y")).names == ["x", "y", "z"]
    assert understood("a,b,\nb,c,\nd\n").rows == [["a", "b"], ["b", "c"], ["d"]]
    with pytest.raises(cl.InputError, match="has no label in column 2"):
        understood("a,\nb,\n", header=False)


def test_columns_are_counted_from_one():
    text = "a b x\nb c y\n"
    assert understood(text, columns=(3, 1)).ends == (2, 0)
    assert understood(text, columns=(3, 1, 2)).others == [1]
    with pytest.raises(cl.InputError, match="names 4, and there are numbers from 1 to 3"):
        understood(text, columns=(1, 4))
    with pytest.raises(cl.InputError, match="names 'w', and there are 'p', 'q'"):
        understood("p,q\na,1\n", columns=("p", "w"), header=True)


@pytest.mark.parametrize(
    ("header", "width", "names"),
    [
        (None, 4, ["source", "target", "column 3", "column 4"]),
        (["x", "y"], 2, ["x", "y"]),
        (["x", "y"], 3, ["source", "x", "y"]),
        (["x", "", "z"], 3, ["x", "target", "z"]),
        (["x"], 3, "refused"),
        (["x", "x", "y"], 3, "refused"),
        (["x", "y", "z"], 2, "refused"),
    ],
)
def test_names_of_columns(header, width, names):
    assert refused(_columns._names, header, width) == names


@pytest.mark.parametrize(
    ("header", "rows", "is_index"),
    [
        (["", "x", "y"], words("0 a b", "1 b c"), True),
        (["", "x", "y"], words("1 a b", "2 b c"), True),
        (["", "x", "y"], words("2 a b", "3 b c"), "refused"),
        (["x", "y"], words("1 a b", "2 b c"), True),
        (["x", "y"], words("5 a b", "2 b c"), "refused"),
        (["index", "x", "y"], words("0 a b", "1 b c"), True),
        (["index", "x", "y"], words("7 a b", "1 b c"), False),
        (["n", "x", "y"], words("0 a b", "1 b c"), False),
        (["", "x"], words("0 a", "1 b"), False),
    ],
)
def test_which_first_columns_number_the_rows(header, rows, is_index):
    with listening():
        assert refused(_columns._is_index, header, rows) == is_index


def test_labels_that_are_missing_or_fractions():
    def check(*column):
        rows = [["u", w] for w in column]
        return refused(_columns._check_end, rows, set(column), 1, ["p", "q"])

    assert check("a", "b") is None
    assert check("a", "") == "refused"
    assert check("1", "2", "nan") == "refused"
    assert check("a", "b", "NA") is None
    assert check("a", "b", "NA", "") == "refused"
    assert check("1", "NA") is None  # no more numbers than others
    assert check("1", "2.5") == "refused"
    assert check("1", "2.0") is None
    assert check("1.5", "x") is None
    assert check("inf", "1.0") == "refused"
    rows = words("u a", "u")
    rows[1].append("")
    with pytest.raises(cl.InputError, match=r"row 2 of the data, \['u', ''\], .* in column 2"):
        _columns._check_end(rows, {"a", ""}, 1, ["p", "q"])


def test_a_line_of_one_word_that_is_an_edge_in_other_words():
    labels = {"a", "b"}
    for line, found in (
        ("a,b", "refused"),
        ("a,7", "refused"),
        ("a b", "refused"),
        ("a,x", None),
        ("c", None),
    ):
        assert refused(_columns._check_lonely, [["a", "b"], [line]], labels) == found


def test_rows_of_other_lengths_are_told_by_their_number():
    with pytest.raises(
        cl.InputError, match=r"rows have 3 columns, but row 2 .*\['b', 'c'\], has 2"
    ):
        understood("a b 1\nb c\n")
    with pytest.raises(cl.InputError, match="holds no row of two labels"):
        understood("a\nb\n")


def test_one_column_beside_row_numbers_is_no_edge():
    with pytest.raises(cl.InputError, match="has one column beside row numbers"):
        _columns._ends(["", "x"], words("0 a", "1 b"), 1, 2)
    with pytest.raises(
        cl.InputError, match=r"several pairs of columns for ends.*columns=\('aa1', 'aa2'\)"
    ):
        _columns._ends(["aa1", "aa2", "bb1", "bb2"], [], 0, 4)


def test_options_say_what_they_need():
    for window in ((1,), (1, 2, 3), (2, 2), (3, 2), (1, float("nan")), ("a", "b"), (1, None)):
        assert refused(lambda w=window: options_of(window=w)) == "refused"
    assert options_of(window=(1, 2)).window == (1, 2)
    for columns in (("a",), ("a", "a"), (0, 1), (1, True), (1, 2.0), "ab"):
        assert refused(lambda c=columns: options_of(columns=c)) == "refused"
    for sep in ("", "\n", '"', "\r"):
        assert refused(lambda s=sep: options_of(sep=s)) == "refused"
    with pytest.raises(
        cl.InputError, match=r"sep= means nothing to the format 'x', which takes a, b"
    ):
        Options(sep=";").check("x", ("b", "a"))
    with pytest.raises(cl.InputError, match="which takes none of these options"):
        Options(sep=";").check("x", ())
    Options(sep=";", weight="w").check("x", ("sep",))
    assert options_of(sep=";").sep == ";"


def test_ends_without_a_name_are_told_by_their_numbers(tmp_path):
    (tmp_path / "x.csv").write_text("a,b,1\nb,c,2\n")
    facts = understand(tmp_path / "x.csv").facts
    assert "columns 1 and 2 are the ends of edges" in facts
    assert "column 3 is the attribute 'weight' of the edges" in facts
    (tmp_path / "x.csv").write_text("from,to,w\na,b,1\nb,c,2\n")
    facts = understand(tmp_path / "x.csv").facts
    assert "columns 'from' and 'to' are the ends of edges" in facts
    assert "attributes of edges: 'w'" in facts
