"""Small files of graphs, written by hand: the graph that each holds, or what is wrong with it."""

import pytest
from by_hand import understood

import cellapse as cl
from cellapse.io.metis import is_metis


def read(name, text, **rules):
    """The labels, the edges and what is known of them; then the facts that were told."""
    found = understood(name, text, **rules)
    K = found.complex
    pairs = K.cell_labels(1) if K.max_rank else []
    columns = [{n: v.tolist() for n, v in of.items()} for of in K.attributes]
    return list(K.labels), [tuple(pair) for pair in pairs], columns, found


ARCS = "p sp 3 3\na 1 2 5\na 2 1 5\na 2 3 1.5\n"
DOT = "graph { %s }"
PAJEK = "*Vertices 3\n1 a\n2 b\n3 c\n"

# Format, text, labels, edges, attributes of edges.
READ = [
    ("adjlist", "a: b c\nb: c\nc:\n", "abc", ["ab", "ac", "bc"], {}),
    ("adjlist", "a: b\nb c\n", ["a:", "b", "c"], [("a:", "b"), "bc"], {}),
    ("adjlist", "a,b,c\nd\n", "adbc", ["ab", "ac"], {}),
    ("adjlist", "a: b, c\nb: c\n", "abc", ["ab", "ac", "bc"], {}),
    ("dimacs", "c x\n\np edge 3 2\ne 1 2\ne 2 3\n", [1, 2, 3], [(1, 2), (2, 3)], {}),
    ("dimacs", "p col 2 1\ne 2 1 0.5\n", [1, 2], [(1, 2)], {"weight": [0.5]}),
    ("dimacs", ARCS + "a 3 2 1.5\n", [1, 2, 3], [(1, 2), (2, 3)], {"weight": [5.0, 1.5]}),
    ("dot", DOT % "a -- b -- c [w=2]; d", "abcd", ["ab", "bc"], {"w": [2, 2]}),
    ("dot", "STRICT Graph x { a -- b }", "ab", ["ab"], {}),
    ("dot", 'graph "graph" { "graph" -- "strict" }', ["graph", "strict"], [("graph", "strict")],
     {}),
    ("dot", DOT % "{a b} -- {c d}", "abcd", ["ac", "ad", "bc", "bd"], {}),
    ("dot", DOT % "a -- {b; c} -- d", "abcd", ["ab", "ac", "bd", "cd"], {}),
    ("dot", DOT % "subgraph s {a b} -- c [x=1, y=2; z]", "abc", ["ac", "bc"],
     {"x": [1, 1], "y": [2, 2], "z": ["true", "true"]}),
    ("dot", DOT % "subgraph {a} a -- b [x=1][y=2]", "ab", ["ab"], {"x": [1], "y": [2]}),
    ("dot", DOT % "a:p:n -- b:q; c:r", "abc", ["ab"], {}),
    ("dot", DOT % "x=1; a -- b; \"y\"=2 c", "abc", ["ab"], {}),
    ("dot", DOT % "edge [w=1]; a -- b; { edge [w=2]; c -- d } e -- f [w=3]; g -- h", "abcdefgh",
     ["ab", "cd", "ef", "gh"], {"w": [1, 2, 3, 1]}),
    ("dot", DOT % "// x -- y\n/* u -- \n v */ a -- b\n# p -- q\n", "ab", ["ab"], {}),
    ("dot", DOT % r'"a\"b" -- "c\
d" [l=<x<b>y</b>>]', ['a"b', "cd"], [('a"b', "cd")], {"l": ["<x<b>y</b>>"]}),
    ("dot", DOT % "a -- b [u=007 v=-0 w=1.50 x=.5]", "ab", ["ab"],
     {"u": [7.0], "v": [0.0], "w": [1.5], "x": [0.5]}),
    ("dot", DOT % "-1.5 -- .5 -- 7", ["-1.5", ".5", "7"], [("-1.5", ".5"), (".5", "7")], {}),
    ("dot", DOT % "a -- b, c", "abc", ["ab"], {}),
    ("gdf", "nodedef>name\na\nb\nedgedef>node1,node2,w DOUBLE,t VARCHAR(9),n INT(3)\n#\n"
     "a,b,2,x y,7\n", "ab", ["ab"], {"w": [2.0], "t": ["x y"], "n": [7]}),
    ("gdf", "nodedef>name\n'a,1'\n\"b'\"\nedgedef>node1,node2\n'a,1', \"b'\"\n"
     .replace("'a,1', ", '"a,1", '), ["a,1", "b'"], [("a,1", "b'")], {}),
    ("gdf", "nodedef>name,label\n1,u\n2,v\nedgedef>node1,node2,directed\n1,2,false\n", "uv",
     ["uv"], {}),
    ("gdf", "nodedef>name\na\nb\nedgedef>node1,node2,directed INT\na,b,0\n", "ab", ["ab"], {}),
    ("gdf", "nodedef>name,label\n1,u\n2,u\nedgedef>node1,node2\n1,2\n", [1, 2], [(1, 2)], {}),
    ("sif", "a pp b c\nd\n\nb pd c\n", "abcd", ["ab", "ac", "bc"], {"interaction": ["pp", "pp",
     "pd"]}),
    ("sif", "a x\tpp\tb y\t\n", ["a x", "b y"], [("a x", "b y")], {"interaction": ["pp"]}),
    ("pajek", PAJEK + "*Edges\n1 2 0.5\n2 3 x\n", "abc", ["ab", "bc"], {"weight": [0.5, None]}),
    ("pajek", PAJEK + "*Edgeslist\n1 2 3\n", "abc", ["ab", "ac"], {}),
    ("pajek", PAJEK + "*Matrix\n0 1 0\n1 0 2\n0 2 0\n", "abc", ["ab", "bc"],
     {"weight": [1.0, 2.0]}),
    ("pajek", "%x\n*Network y\n*Vertices 2\n\n*Edges :1 r\n1 2\n", [1, 2], [(1, 2)], {}),
    ("pajek", "*Vertices 2\n2 \"b c\"\n*Edges\n1 2\n", [1, 2], [(1, 2)], {}),
    ("pajek", "*vertices 2\n1 u\n2 u\n*edges\n1 2\n", [1, 2], [(1, 2)], {}),
    ("metis", "3 2\n2\n1 3\n2\n", [1, 2, 3], [(1, 2), (2, 3)], {}),
    ("metis", "% x\n 3 2 1\n2 7\n1 7 3 9\n2 9\n\n\n", [1, 2, 3], [(1, 2), (2, 3)],
     {"weight": [7.0, 9.0]}),
    ("metis", "3 1 011 2\n1 2 2 5\n3 4 1 5\n5 6\n", [1, 2, 3], [(1, 2)], {"weight": [5.0]}),
    ("metis", "3 2 001\n3 7 2 5\n1 5\n1 7\n", [1, 2, 3], [(1, 3), (1, 2)], {"weight": [7.0, 5.0]}),
    ("metis", "2 1 100\n5 2\n6 1", [1, 2], [(1, 2)], {}),
    ("metis", "3 1\n2\n1\n", [1, 2, 3], [(1, 2)], {}),
    ("ucinet", "DL n = 3 format = edgelist1\nlabels:\na,b,c\ndata:\n1 2 5\n2 3 1\n", "abc", ["ab",
     "bc"],
     {"weight": [5.0, 1.0]}),
    ("ucinet", "dl n=3 format=edgelist1\ndata:\n1 2\n", [1, 2, 3], [(1, 2)], {}),
    ("ucinet", "dl n=3 format=nodelist1\nlabels:\na b c\ndata:\n1 2 3\n3 2\n", "abc", ["ab", "ac",
     "bc"], {}),
    ("ucinet", "dl n=3 format=edgelist1\nlabels embedded\ndata:\na b 2\nc a 1\n", "abc", ["ab",
     "ac"],
     {"weight": [2.0, 1.0]}),
    ("ucinet", "dl n=2\nlabels embedded\ndata:\n u v\nu 0 3\nv 3 0\n", "uv", ["uv"],
     {"weight": [3.0]}),
    ("ucinet", "dl n=2 labels:\nu\nv\ndata:\n0 1\n1 0\n", "uv", ["uv"], {}),
    ("ucinet", "dl n=2\ndata:\n0 1\n1 0\n", [1, 2], [(1, 2)], {}),
    ("konect", "% sym weighted\n% 2 3 3\n1 2 5\n2 3 1\n", [1, 2, 3], [(1, 2), (2, 3)],
     {"weight": [5.0, 1.0]}),
    ("konect", "% bip\n2 1\n2 2\n", [("left", 2), ("right", 1), ("right", 2)],
     [(("left", 2), ("right", 1)), (("left", 2), ("right", 2))], {}),
    ("graph6", "Bw\n", [0, 1, 2], [(0, 1), (0, 2), (1, 2)], {}),
    ("graph6", ">>graph6<<Bg", [0, 1, 2], [(0, 1), (1, 2)], {}),
    ("graph6", ">>sparse6<<:An\n\n", [0, 1], [(0, 1)], {}),
    ("ncol", "a b\nc d 2\n".replace("a b", "a b 1"), "abcd", ["ab", "cd"], {"weight": [1, 2]}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "labels", "edges", "columns"), READ)
def test_what_a_small_file_holds(name, text, labels, edges, columns):
    found, pairs, (*_, of_edges), notes = read(name, text)
    assert found == list(labels)
    assert sorted(pairs) == sorted(tuple(pair) for pair in edges)
    assert of_edges == columns
    assert not notes.losses


def test_loops_are_left_out_and_told():
    texts = {"metis": "2 2\n1 2\n1\n", "dimacs": "p edge 2 2\ne 1 1\ne 1 2\n",
             "pajek": "*Vertices 2\n*Matrix\n1 1\n1 0\n"}  # fmt: skip
    for name, text in texts.items():
        _, edges, _, notes = read(name, text)
        assert edges == [(1, 2)]
        assert notes.losses[0].startswith("1 self-loop, the first at vertex 1, left out")
        assert read(name, text, loops="keep")[2][0]["loop"] == [1.0, 0.0]


def test_places_in_pajek_have_two_or_three_numbers():
    for given, place in (
        ("0.1 0.2 0.3", [0.1, 0.2, 0.3]), ("0.1 0.2", [0.1, 0.2]), ("0.1 0.2 0.3 0.4",
     [0.1, 0.2, 0.3]),
        ("0.1", None), ("x 0.2 0.3", [0.2, 0.3]), ("0.1 x", None),
    ):  # fmt: skip
        columns = read("pajek", f"*Vertices 1\n1 a {given}\n")[2][0]
        assert columns == ({} if place is None else {"position": [place]})


def test_two_kinds_of_vertices_in_pajek():
    labels, edges, (of_nodes, _), notes = read("pajek", "*Vertices 3 2\n*Edges\n1 3\n")
    assert (labels, edges, of_nodes) == ([1, 2, 3], [(1, 3)], {"mode": [1, 1, 2]})
    assert notes.facts[0] == "two kinds of vertices, the attribute `mode`: 2 of the first"


def test_arcs_are_edges_where_directions_are_ignored():
    matrix = "*Vertices 3\n*Matrix\n0 5 0\n0 0 0\n7 0 0\n"
    _, edges, (_, of_edges), notes = read("pajek", matrix, directed="ignore")
    assert (edges, of_edges) == ([(1, 2), (1, 3)], {"weight": [5.0, 7.0]})
    assert "directions are ignored" in notes.facts
    for name, text in (
        ("dimacs", "p sp 3 2\na 1 2 5\na 1 3 7\n"), ("konect", "% asym\n1 2 5\n1 3 7\n"),
        ("pajek", "*Vertices 3\n*Arcs\n1 2 5\n1 3 7\n"),
    ):  # fmt: skip
        _, edges, (_, of_edges), _ = read(name, text, directed="ignore")
        assert (edges, of_edges) == ([(1, 2), (1, 3)], {"weight": [5.0, 7.0]})
    assert read("dot", "digraph { a -> b }", directed="ignore")[1] == [("a", "b")]


def test_two_numbers_a_line_have_no_times():
    assert "two whole numbers a line, the ends of an edge" in read("edges", "1 2\n2 3\n")[3].facts
    with pytest.raises(cl.InputError, match=r"window=.*time"):
        understood("edges", "1 2\n2 3\n", window=(0, 1))


def test_comments_and_empty_lines_around_metis():
    lines = "3 2\n2\n1 3\n2\n"
    for text in (lines, "\n" * 6 + "% c\n" + lines, "% c\n" * 3 + lines + "\n" * 5):
        assert is_metis(text)
    assert not is_metis(lines + "\n" * 6)
    assert is_metis(lines.replace("\n", "\n% c\n") + "\n" * 4)


LISTED = "nodedef>name\na\nb\nedgedef>node1,node2,w DOUBLE\n"
# Format, text, what is wrong with it.
REFUSED = [
    ("adjlist", "", "vertex"),
    ("dimacs", "", "`p edge n m`"),
    ("dimacs", "p edge 3\n", "`p edge n m`"),
    ("dimacs", "e 1 2\n", "`p edge n m`"),
    ("dimacs", "p edge 0 0\n", "1"),
    ("dimacs", "p edge 3 1\ne 1 4\n", "'4'.*1.*3"),
    ("dimacs", "p edge 3 1\ne 0 3\n", "'0'"),
    ("dimacs", "p edge 3 1\ne 4 1\n", "'4'"),
    ("dimacs", "p edge 3 1\ne 1 0\n", "'0'"),
    ("dimacs", "p edge 3 1\nn 0 1\n", "'0'"),
    ("dimacs", "p edge 3 1\nn 4 1\n", "'4'"),
    ("dimacs", "p edge 3 1\nn 1 x\n", "'x'"),
    ("dimacs", "p edge 3 1\nn 1\n", "'n 1'.*DIMACS"),
    ("dimacs", "p edge 3 1\nn 1 2 3\n", "DIMACS"),
    ("dimacs", "p edge 3 1\ne 1\n", "DIMACS"),
    ("dimacs", "p edge 3 1\ne 1 2 3 4 5 6 7\n", "'e 1 2 3 4 5'.*DIMACS"),
    ("dimacs", "p edge 3 1\nx 1 2\n", "DIMACS"),
    ("dimacs", ARCS, "directed"),
    ("dimacs", "p edge 100101 0\n", "100,101.*1"),
    ("dot", DOT % "a\n-- !b", "2.*'!'"),
    ("dot", "\n" + DOT % "!", "line 2 has '!'"),
    ("dot", DOT % "a -- b" + " graph { c }", "graph"),
    ("dot", "graph { a -- b", "early"),
    ("dot", "graph", "early"),
    ("dot", "tree { a }", "digraph"),
    ("dot", "graph x y { a }", "'{'"),
    ("dot", "digraph { a -> b }", "directed"),
    ("dot", DOT % "a:b:c:d", "':'"),
    ("dot", DOT % "a ]", "']'"),
    ("dot", DOT % f"{{{'a ' * 30}}} -- {{{'b ' * 30}}}", "edges"),
    ("gdf", "a,b\n", "nodedef"),
    ("gdf", "edgedef>node1,node2\n", "nodedef"),
    ("gdf", "nodedef>name\na\na\n", "same"),
    ("gdf", "nodedef>label\na\n", "without"),
    ("gdf", LISTED + "a,c\n", r"\('a'.*'c'.*\)"),
    ("gdf", LISTED + "a\n", r"\('a'.*None\)"),
    ("gdf", LISTED + "a,b,1,2\n", "4.*3"),
    ("gdf", LISTED + "a,b,x\n", "'a,b,x'"),
    ("gdf", LISTED.replace("w DOUBLE", "directed") + "a,b,true\n", "directed"),
    ("gdf", LISTED.replace("w DOUBLE", "directed") + "a,b,TRUE\n", "directed"),
    ("gdf", LISTED.replace("w DOUBLE", "directed INT") + "a,b,1\n", "directed"),
    ("sif", "a pp\n", r"\['a'.*'pp'.*\]"),
    ("sif", "\n", "node"),
    ("pajek", "*Edges\n1 2\n", r"\*Vertices"),
    ("pajek", "1 2\n*Vertices 2\n", r"'1 2'.*\*Vertices"),
    ("pajek", PAJEK + PAJEK, "holds 2 networks"),
    ("pajek", "*Vertices\n", "''.*1"),
    ("pajek", "*Vertices 0\n", "'0'"),
    ("pajek", "*Vertices 2 3\n", "0.*2"),
    ("pajek", "*Vertices 2 1\n*Matrix\n0 1\n1 0\n", "matrix"),
    ("pajek", PAJEK + "*Edges\n1\n", "'1'"),
    ("pajek", PAJEK + "*Edges\n1 4\n", "'4'.*1.*3"),
    ("pajek", PAJEK + "*Edges\n0 3\n", "'0'"),
    ("pajek", PAJEK + "*Edgeslist\n1 0\n", "'0'"),
    ("pajek", PAJEK + "*Edgeslist\n1 4\n", "'4'"),
    ("pajek", "*Vertices 2\n3 a\n", "'3'.*1.*2"),
    ("pajek", "*Vertices 2\n1 a\n1 b\n", "1"),
    ("pajek", PAJEK + "*Arcs\n1 2\n", "directed"),
    ("pajek", PAJEK + "*Arcslist\n1 2\n", "directed"),
    ("pajek", PAJEK + "*Matrix\n0 1 0\n0 0 0\n0 0 0\n", "symmetric"),
    ("pajek", PAJEK + "*Matrix\n0 1\n1 0\n", "3.*3"),
    ("pajek", PAJEK + "*Matrix\n0 1\n1 0\n0 0\n", "3.*3"),
    ("pajek", PAJEK + "*Partition x\n", r"'\*Partition'"),
    ("pajek", "*Vertices 100001\n", "100,001.*0"),
    ("metis", "3\n2\n", "`n m`"),
    ("metis", "2 1 0 1 1\n2\n1\n", "`n m`"),
    ("metis", "0 0\n", "'0'.*1"),
    ("metis", "3 2\n2\n", "3.*1"),
    ("metis", "2 1\n2\n1\n\n1\n", "2.*4"),
    ("metis", "2 1 2\n2\n1\n", "'002'.*METIS.*0.*1"),
    ("metis", "2 1 0001\n2\n1\n", "'0001'"),
    ("metis", "2 1 010 0\n2\n1\n", "1.*100"),
    ("metis", "2 1 010 101\n2\n1\n", "weights"),
    ("metis", "2 1 110\n1 1 2\n1\n", "1.*2"),
    ("metis", "2 1 001\n2 5\n1\n", "neighbour"),
    ("metis", "2 1\n3\n1\n", "3.*1.*2"),
    ("metis", "2 1\n0\n1\n", "0"),
    ("metis", "2 1\n1.5\n1\n", "1.5"),
    ("metis", "2 2\n2\n1\n", "2.*1"),
    ("metis", "3 1\n2\n\n\n", "edge"),
    ("metis", "3 2\n2 3\n1\n2\n", "edge"),
    ("metis", "3 2\n2\n3\n1\n", "edge"),
    ("metis", "2 2\n2 2\n1\n", "edge"),
    ("metis", "3 2\n2 2\n1\n1\n", "edge"),
    ("metis", "2 1 001\n2 5\n1 6\n", "weights"),
    ("metis", "3 2 001\n3 7 2 5\n1 7\n1 5\n", "weights"),
    ("metis", "100101 0\n", "100,101.*1"),
    ("ucinet", "n=2 data:\n0 1\n1 0\n", "`dl n=...`"),
    ("ucinet", "dl n=2\n0 1\n1 0\n", "`dl n=...`.*`data:`"),
    ("ucinet", "dl\ndata:\n0 1\n1 0\n", "n=..."),
    ("ucinet", "dl n=2 format=rankedlist1\ndata:\n", "n=..."),
    ("ucinet", "dl nr=2, n=2\ndata:\n0 1\n1 0\n", "n=..."),
    ("ucinet", "dl n=2 labels:\na\ndata:\n0 1 1 0\n", "2.*1"),
    ("ucinet", "dl n=2 labels:\na a\ndata:\n0 1 1 0\n", "2.*1"),
    ("ucinet", "dl n=2\ndata:\n0 1 1\n", "2.*3"),
    ("ucinet", "dl n=2 labels embedded\ndata:\n", "0"),
    ("ucinet", "dl n=2 labels embedded\ndata:\nu\nu 0 1\nv 1 0\n", "4"),
    ("ucinet", "dl n=2\ndata:\n0 1 x 0\n", "'x'"),
    ("ucinet", "dl n=2 format=edgelist1\ndata:\n1 3\n", "1.*2"),
    ("ucinet", "dl n=2 format=edgelist1\ndata:\n0 1\n", "'0'"),
    ("ucinet", "dl n=2 format=edgelist1\ndata:\n1 2 3 4\n", "'1 2 3 4'"),
    ("ucinet", "dl n=2 format=edgelist1\ndata:\n1\n", "'1'"),
    ("ucinet", "dl n=100101 format=edgelist1\ndata:\n1\n", "declares 100,101 vertices"),
    ("konect", "1 2\n", "%.*%.*%"),
    ("konect", "% asym\n1 2\n", "directed"),
    ("konect", "% sym dynamic\n1 2 1 5\n", "dynamic"),
    ("konect", "% sym\n1\n", r"\[1\].*2.*3.*4"),
    ("konect", "% sym\n1 2 3 4 5\n", r"\[5\]"),
    ("konect", "% sym\n1 2\n1 2 3\n", r"\[2.*3\]"),
    ("konect", "% sym\n1 x\n", "number"),
    ("konect", "% sym\n1 1.5\n", "vertices"),
    ("konect", "% sym\n1 2 nan\n", "vertices"),
    ("graph6", "Bw\nBw\n", "2"),
    ("graph6", "", "holds 0 graphs"),
    ("graph6", ":", "graph6.*sparse6"),
    ("graph6", "B>", "graph6.*sparse6"),
    ("graph6", b"B\x7f", "graph6.*sparse6"),
    ("graph6", "Bww", "3.*1.*2"),
    ("graph6", "~??", "vertices"),
    ("graph6", "~~?????", "vertices"),
    ("graph6", ":~_@?A", "nearly"),
]


@pytest.mark.parametrize(("name", "text", "words"), REFUSED)
def test_what_a_small_file_is_refused_for(name, text, words):
    with pytest.raises(cl.InputError, match=words):
        read(name, text)
