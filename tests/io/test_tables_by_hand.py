"""What a table means is decided by its text, or the user is asked: cases at the border."""

import pytest

import cellapse as cl

REFUSED = "refused"


@pytest.fixture
def read(tmp_path):
    """Read a text as a table of edges; lists of lines are joined."""

    def edges(text, **options):
        path = tmp_path / "x.txt"
        path.write_bytes(text.encode())
        try:
            K = cl.read(path, format="edges", **options)
        except cl.InputError as error:
            return REFUSED, str(error)
        return " ".join("-".join(map(str, pair)) for pair in K.cell_labels(1)), K

    return edges


def lines(text):
    return text.replace("/", "\n") + "\n"


# Delimiters, quotes and comments


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("a\tb\nb c\n", "a-b b-c"),
        ("a\tb\nb\tc d\n", "a-b b-c d"),
        ("a,b\nb,c\n", "a-b b-c"),
        ("a,\u00a0b\nb,c\n", "a-b b-c"),
        ("a , b\nb,c\n", "a-b b-c"),
        ("a;b;1,5\nb;c;2,5\n", "a-b b-c"),
        ("a;b,c\nb;c,c\n", "a;b-c c-b;c"),
        ("a|b\nb|c\n", "a-b b-c"),
        ("sep=;\na;b\n", "a-b"),
        ('"SEP=|"\na|b\n', "a-b"),
        ('"a b" c\n"d ""e"" f" c\n', 'a b-c c-d "e" f'),
        ('"a,b",c\n"d\ne",c\n', "a,b-c c-d\ne"),
        ("'=a,b\n", "=a-b"),  # what keeps a spreadsheet from computing it
        ("\n\n  a b  \r\n\nb c\n\n", "a-b b-c"),
        ("\ufeffa b\n", "a-b"),
        ("# top\n\na,b\n\n# between\nb,c\nc,d\n\n", "a-b b-c c-d"),
        ("\n".join(["a b"] * 100 + ["a,b c,d"]), "a-b a,b-c,d"),
        ("\n".join(["a b"] * 99 + ["a,b c,d"]), "a-b c"),  # the first hundred lines decide
        ("a,b\n#c,d\nb,c\n", REFUSED),  # a comment, or a label that begins so
        ("a,b\n# c,d\nb,c\n", "a-b b-c"),
        ("a,b\n#c\nb,c\n", "a-b b-c"),
        ("a b\n#c d\nb c\n", "a-b b-c"),
        ('a b\n#c d\n"#b" c\n', REFUSED),
        ("a,b\n//c,d\nb,c\n", REFUSED),
        ('"a,b\nc,d\n', REFUSED),
        ("a b\0\n", REFUSED),
    ],
)
def test_the_delimiter_is_found_in_the_text(read, text, edges):
    assert read(text, header=False)[0] == edges


@pytest.mark.parametrize(
    ("text", "delimiter", "edges"),
    [
        ("a;b,c\n", ",", "a;b-c"),
        ("a b\tc\n", " ", "a-b"),
        ("a b\tc\n", "\t", "a b-c"),
        ("a::b\n", "::", "a-b"),
        ("sep=;\na,b;c\n", ",", "a-b;c"),
        ("a,b\n", "", REFUSED),
        ("a,b\n", '"', REFUSED),
        ("a,b\n", "\n", REFUSED),
    ],
)
def test_a_given_delimiter_is_taken(read, text, delimiter, edges):
    assert read(text, sep=delimiter, header=False)[0] == edges


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("# x\n% y\n*Vertices 3\n", "pajek"),
        ("# " + "x" * 3000 + "\n*Vertices 3\n", "pajek"),
        ("a: b\n" * 20 + "c d\n", "adjlist"),
        ("(a, b)\n(b, c),\n", "tuples"),
        ("[[1, 2], [3, 4]]", "tuples"),
    ],
)
def test_a_text_of_another_kind_is_no_table(read, text, advice):
    found, words = read(text)
    assert found == REFUSED
    assert advice in words


# Headers


@pytest.mark.parametrize(
    ("text", "options", "edges"),
    [
        ("source target", {}, REFUSED),  # no row below
        ("a b", {}, "a-b"),
        ("u v/a b", {}, "a-b"),
        ("u v/u b", {}, REFUSED),
        ("u v/b v", {}, REFUSED),
        ("u v/1 2", {}, "1-2"),
        ("n1 n2/n3 n4", {}, REFUSED),
        ("n1 n2/nx b", {}, REFUSED),
        ("id1 id2/id7 id8", {}, REFUSED),
        ("id1 id2/idx b", {}, REFUSED),
        ("id1 id2/a b", {}, "a-b"),
        ("x y z/a b c", {"columns": ("x", "y")}, "a-b"),
        ("x y z/a b c", {"columns": ("x", "w")}, REFUSED),
        ("x y/0 a b/1 b c", {}, "a-b b-c"),  # above row numbers
        ("x 1/0 a b/1 b c", {}, REFUSED),
        ("0 1/a b/b c", {}, "a-b b-c"),  # numbers of columns
        ("0 1 2/a b 1/b c 1", {}, "a-b b-c"),
        ("0 2/a b/b c", {}, "0-2 a-b b-c"),
        ("1 0/a b/b c", {}, "1-0 a-b b-c"),
        ("0 1/a 5/b c", {}, "0-1 a-5 b-c"),
        ("0 1/5 a/b c", {}, "0-1 5-a b-c"),
        ("0/a b/b c", {}, "a-b b-c"),
        ("x y/a 1/b 2", {}, "a-1 b-2"),
        ("x y/a b/b c", {}, REFUSED),
        ("a y/a b/b c", {}, "a-y a-b b-c"),
        ("x b/a b/b c", {}, "x-b b-a b-c"),
        ("x y w/a b 1/b x 2", {}, "a-b b-x"),
        ("x y w/a b 1/b c", {}, REFUSED),
        ("# source target/a b/b c", {}, "a-b b-c"),
        ("# source target/u v/a b", {}, "u-v a-b"),
        ("# source target/u v/a b", {"header": True}, "a-b"),
        ("# x y/a b/x c", {}, REFUSED),
        ("# x y/a b/x c", {"header": False}, "a-b x-c"),
        ("# x,y/u,v/a,b", {}, "a-b"),
        (",x,y/0,a,b/1,b,c", {}, "a-b b-c"),
        (",x,y/2,a,b/3,b,c", {}, REFUSED),  # named rows, or numbered ones
        ("x,y/1,a,b/2,b,c", {}, "a-b b-c"),
        ("x,y/5,a,b/2,b,c", {}, REFUSED),
        ("index,x,y/0,a,b/1,b,c", {}, "a-b b-c"),
        ("index,x,y/7,a,b/1,b,c", {}, "7-a 1-b"),
        ("n,x,y/0,a,b/1,b,c", {}, "0-a 1-b"),
        (",x/0,a/1,b", {}, "0-a 1-b"),
    ],
)
def test_which_first_lines_are_headers(read, text, options, edges):
    assert read(lines(text), **options)[0] == edges


PAIRS = ["1 2", "2 3", "3 1", "1 3", "2 1"]


@pytest.mark.parametrize(
    ("first", "below", "refused"),
    [
        ("3", 5, True), ("4", 5, True), ("5", 5, True), ("1", 5, False), ("2", 5, False),
        ("6", 5, False), ("3 4", 4, True), ("4 3", 4, True), ("9 4", 4, True), ("4 9", 4, True),
        ("2 4", 4, False), ("4 2", 4, False), ("3 5", 4, False), ("5 3", 4, False),
        ("9 3", 3, True), ("9 2", 2, False), ("3 3 4", 4, True), ("9 9 4", 4, True),
        ("3 3 2", 2, True), ("x 4", 4, False),
    ],
)  # fmt: skip
def test_a_first_line_may_say_how_many_follow(read, first, below, refused):
    """Of vertices, of which the largest label is 3, and of edges."""
    text = "\n".join([first, *PAIRS[:below]])
    assert (read(text)[0] == REFUSED) == refused
    if len(first.split()) < 3:
        assert read(text, header=False)[0] != REFUSED


# Columns


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("1 a b/2 b c/3 c a", REFUSED),  # ids of rows
        ("2 a b/3 b c/4 c d", REFUSED),
        ("2 a x/3 b y/4 c z", REFUSED),  # words beside numbers
        ("1 2 3/2 3 1/3 1 2", "1-2 2-3 1-3"),
        ("1 a b/2 b c", "1-a 2-b"),
        ("a r b/b s c/c r a", REFUSED),  # a relation between
        ("a 5 b/b 6 c/c 7 a", REFUSED),
        ("1 a 2/2 b 3/3 c 1", REFUSED),
        ("a b 1/b c 2/c a 3", "a-b b-c a-c"),
        ("a 1/b 2/c 3", REFUSED),
        ("a 1/b 2/1 3", "a-1 b-2 1-3"),
        ("a 1/b 2/c x", "a-1 b-2 c-x"),
        ("1 2/3 4/x y/5 6", REFUSED),  # the header of another table
        ("1 2/x y/3 4", REFUSED),
        ("1 2/x y/3 1", "1-2 x-y 1-3"),
        ("1 2/3 4/x 5/y 6", "1-2 3-4 x-5 y-6"),
        ("1 2/3 4/x y/z 6", "1-2 3-4 x-y z-6"),
        ("1 2/3 4/x x/5 6", "1-2 3-4 5-6"),
        ("a -> b/b -> c", REFUSED),
        ("-- a b x/-- b c x", REFUSED),
        ("a ->/b ->", "a--> ->-b"),
        ("a x b/b x c", "a-x x-b"),
        ("a b d/b a c/c b d/d c a", REFUSED),  # lists of neighbours
        ("a b c/b a c/c a b", "a-b a-c"),
        ("a b/b a/c d/d c", "a-b c-d"),
        ("a a d/b a c/c b d/d c a", "a-b b-c c-d"),
        ("0 1/1 0/0 1", REFUSED),  # a matrix
        ("0 1/1 0", "0-1"),
        ("0 1/1 2/0 2", "0-1 1-2 0-2"),
        ("user,film/1,1/2,3", REFUSED),  # two kinds of vertices
        ("user,film/1,4/2,3", "1-4 2-3"),
        ("user,x/1,1/2,3", "2-3"),
        ("source,target/u,a/u,NA", "u-a u-NA"),
        ("source,target/u,a/u,", REFUSED),
        ("source,target/u,1/u,2/u,nan", REFUSED),
        ("source,target/u,1/u,NA", "u-1 u-NA"),
        ("source,target/u,1/u,2.5", REFUSED),  # fractions
        ("source,target/u,1/u,2.0", "u-1 u-2.0"),
        ("source,target/u,1.5/u,x", "u-1.5 u-x"),
        ("source,target/u,inf/u,1.0", REFUSED),
        ("a,b,/b,c,/c,d,", "a-b b-c c-d"),  # a last column of nothing
        ("a,b,/b,c,/c,d,x", "a-b b-c c-d"),
        ("a,b,/b,c,/d", "a-b b-c"),
        ("a,/b,", REFUSED),
        ("a b 1/b c", REFUSED),
        ("a/b", REFUSED),
        ("aa1,aa2,bb1,bb2/a,b,c,d/b,c,d,a", REFUSED),  # several pairs of ends
        ("a;b/a b/b;a", REFUSED),  # a line with another delimiter
        ("a;b/c/b;a", "a-b"),
    ],
)
def test_which_columns_are_the_ends(read, text, edges):
    assert read(lines(text))[0] == edges


@pytest.mark.parametrize(
    ("text", "options", "edges"),
    [
        ("a b x/b c y", {"columns": (3, 1)}, "x-a y-b"),
        ("a b x/b c y", {"columns": (1, 4)}, REFUSED),
        ("p,q/a,1", {"columns": ("p", "w"), "header": True}, REFUSED),
        ("p,q/a,1", {"columns": ("q", "p"), "header": True}, "1-a"),
        ("a b/b c", {"columns": ("a",)}, REFUSED),
        ("a b/b c", {"columns": (1, 1)}, REFUSED),
        ("a b/b c", {"columns": (0, 1)}, REFUSED),
        ("a b/b c", {"columns": (1, True)}, REFUSED),
        ("a b/b c", {"columns": "ab"}, REFUSED),
        ("a;b/a,b/b;a", {"sep": ";", "header": False}, REFUSED),
    ],
)
def test_columns_are_named_or_counted_from_one(read, text, options, edges):
    assert read(lines(text), **options)[0] == edges


@pytest.mark.parametrize("window", [(1,), (1, 2, 3), (2, 2), (3, 2), (1, float("nan")), ("a", "b")])
def test_a_window_begins_before_it_ends(read, window):
    assert read("source,target,time\na,b,1\n", window=window)[0] == REFUSED


@pytest.mark.parametrize(
    ("text", "options", "named"),
    [
        ("a b 1/b c", {}, ["3", "2", "['b', 'c']"]),
        ("source,target/u,a/u,", {}, ["2", "['u', '']"]),
        ("1 2/3 4/y x/5 6", {}, ["3", "['y', 'x']"]),
        ("1 a b/2 b c/3 c a", {}, ["columns=(2, 3)"]),
        ("a r b/b s c/c r a", {}, ["columns=(1, 3)"]),
        ("a -> b/b -> c", {}, ["'->'", "columns=(1, 3)"]),
        ("p,q/a,1", {"columns": ("p", "w"), "header": True}, ["'w'", "'p'", "'q'"]),
    ],
)
def test_what_is_refused_is_named_with_its_place(read, text, options, named):
    found, words = read(lines(text), **options)
    assert found == REFUSED
    for name in named:
        assert name in words


# Two tables in one file


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("a x/b y/c z//a b/b c", REFUSED),  # vertices first
        ("source,target/a,b/b,c//key,full/a,Ann/b,Bob", REFUSED),
        ("source target/a b/source target/b c", REFUSED),
        ("a b/source target/b c", REFUSED),
        ("a b/id name/b c", REFUSED),
        ("a b/source 7/b c", "a-b source-7 b-c"),
        ("2/a b/b c/3/a b/b c/c d", REFUSED),
        ("a b/b c/c d/d a//id age/a 7/b 8", REFUSED),
        ("a b/b c/c d/d a//a x/b y/c z/d w", REFUSED),
        ("a b//a x/b y", "a-b a-x b-y"),  # too few to tell
        ("a b/b c//a x/b y/b z/c w", "a-b b-c a-x b-y b-z c-w"),  # a vertex twice
    ],
)
def test_a_file_of_two_tables_is_refused(read, text, edges):
    assert read(lines(text), **({} if edges == REFUSED else {"header": False}))[0] == edges


# Values


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (["1", "", "3"], [1, None, 3]),
        (["1", "2.5", ""], [1.0, 2.5, None]),
        (["1.5", "x", ""], ["1.5", "x", None]),
        (["007", "8", "9"], [7.0, 8.0, 9.0]),
        (["x", "1", "2"], ["x", "1", "2"]),
        (["1,5", "", "2,25"], [1.5, None, 2.25]),
        (["1,500", "x", "2"], ["1,500", "x", "2"]),
        (["1,500", "", "2"], ["1,500", None, "2"]),  # a thousand and a half, or one and a half
    ],
)
def test_a_column_of_values_is_of_numbers_if_all_are(read, column, values):
    rows = [f"{a};{b};{value}" for (a, b), value in zip(("ab", "bc", "cd"), column, strict=True)]
    K = read("\n".join(["source;target;x", *rows]))[1]
    found = K.attributes[1]["x"].tolist()
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


def test_labels_are_numbers_only_where_none_would_look_the_same(read):
    assert read("007 8\n8 9\n")[1].labels == ("007", "8", "9")
    assert read(f"{'9' * 18} -1\n-1 0\n", header=False)[1].labels == (-1, 0, 10**18 - 1)
    assert read(f"{'9' * 19} 1\n1 0\n", header=False)[1].labels == ("9" * 19, "1", "0")
