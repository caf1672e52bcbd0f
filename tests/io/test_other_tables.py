"""Files named as a table of edges that hold two tables, or another format: refused by name."""

import networkx as nx
import pytest
from io_seeds import SEEDS

import cellapse as cl

NODES = "a,Ann\nb,Bob\nc,Cy\n"
SECOND = {
    "edges, then nodes": f"source,target\na,b\nb,c\n\nid,name\n{NODES}",
    "nodes, then edges": f"id,name\n{NODES}\nsource,target\na,b\nb,c\n",
    "without an empty line": f"source,target\na,b\nb,c\nid,name\n{NODES}",
    "as spreadsheets leave lines empty": f"source,target\na,b\nb,c\n,\nid,name\n{NODES}",
    "numbers": "source,target\n1,2\n2,3\n\nid,age\n1,30\n2,31\n3,32\n",
    "numbers without an empty line": "source,target\n1,2\n2,3\nname,age\n1,30\n2,31\n3,32\n",
    "numbers without headers": "1,2\n2,3\n3,1\n\n1,30\n2,31\n3,32\n",
    "groups without headers": "a b\nb c\nc d\n\na 1\nb 1\nc 2\nd 2\n",
    "groups called as vertices are": "1 2\n2 3\n3 4\n\n1 1\n2 1\n3 2\n4 2\n",
    "a second header of other words": "source,target\n1,2\n2,3\n\nwho,age\n1,30\n2,31\n",
    "the header again": "source,target\na,b\nsource,target\nc,d\n",
    "three columns": "source,target,w\na,b,1\nb,c,2\n\nid,name,age\na,Ann,3\nb,Bob,4\n",
    "a comment between": "# edges\na,b\nb,c\nc,a\n# people\na,Ann\nb,Bob\nc,Cy\n",
    "TGF": "1 Ann\n2 Bob\n3 Cy\n#\n1 2\n2 3\n",
    "counts above both": "3\n1 Ann\n2 Bob\n3 Cy\n2\n1 2\n2 3\n",
}
TITLES = {
    "# nodes": f"# edges\na,b\nb,c\n# nodes\n{NODES}",
    "[edges]": f"[edges]\na,b\nb,c\n[nodes]\n{NODES}",
    "edges": f"edges\na,b\nb,c\nnodes\n{NODES}",
    "Nodes:": "Nodes:\na\nb\nc\n\nEdges:\na,b\nb,c\n",
    "NODES": "NODES\n1 Ann\n2 Bob\nEDGES\n1 2\n",
    "id": "source,target\na,b\nb,c\n\nid\na\nb\nc\n",
    "---": f"{NODES}---\na,b\nb,c\n",
    "edge list": f"edge list,\na,b\nb,c\nnode list,\n{NODES}",
}


def read(text, folder, name="net.csv", **options):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return cl.read(path, **{"weight": None, **options})  # columns stay as they are


@pytest.mark.parametrize("name", SECOND)
def test_two_tables_are_refused(name, tmp_path):
    with pytest.raises(cl.InputError):
        read(SECOND[name], tmp_path)


@pytest.mark.parametrize("title", TITLES)
def test_titles_are_no_vertices(title, tmp_path):
    with pytest.raises(cl.InputError, match="title") as caught:
        read(TITLES[title], tmp_path)
    assert repr(title) in str(caught.value)


@pytest.mark.parametrize("format_", ["adjlist", "hyperedges"])
def test_titles_are_refused_in_lists_of_every_kind(format_, tmp_path):
    with pytest.raises(cl.InputError, match="title"):
        read("a b c\nb c\n# nodes\na Ann\n", tmp_path, format=format_)


ONE_TABLE = {
    "groups of edges": ("a b\nb c\n\nc d\nd e\n", (5, 4)),
    "groups of edges that share nothing": ("a b\nb c\n\nd e\ne f\n\ng h\nh i\n", (9, 6)),
    "groups below a header": ("source,target\na,b\nb,c\n\nc,d\nd,e\n", (5, 4)),
    "pairs apart": ("source,target\na,b\n\nc,d\n\ne,f\n", (6, 3)),
    "comments between": ("a b\n# the second\nb c\n# the third\nc a\n", (3, 3)),
    "words that are names elsewhere": ("node,id\nid,name\nname,node\n", (3, 3)),
    "from and to as words": ("the,way\nfrom,to\nto,the\nway,from\n", (4, 4)),
    "lonely vertices": ("source,target\na,b\nb,c\n\nd\ne\n", (5, 2)),
    "a vertex called nodes": ("edges nodes\nnodes\nnodes arcs\n", (3, 2)),
    "a word among numbers": ("1,2\n2,3\n3,4\n4,hub\n5,hub\n", (6, 5)),
    "a first number": ("2\n1 2\n2 3\n", (3, 2)),
    "an empty line at the end": ("a b\nb c\n\n\n# done\n", (3, 2)),
}


@pytest.mark.parametrize("name", ONE_TABLE)
def test_gaps_within_one_table_are_nothing(name, tmp_path):
    text, counts = ONE_TABLE[name]
    header = False if name.startswith("words that") else None
    assert read(text, tmp_path, header=header).n_cells == counts


# ---------------------------------------------------------------- other formats

OTHERS = {
    "METIS": ("3 2\n2\n1 3\n2\n", "metis"),
    "METIS, a cycle": ("4 4\n2 4\n1 3\n2 4\n1 3\n", "metis"),
    "METIS with a comment": ("% x\n3 2\n2\n1 3\n2\n", "metis"),
    "METIS, one alone": ("4 2\n2\n1 4\n\n2\n", "metis"),
    "METIS, the last one alone": ("4 2\n2\n1 3\n2\n\n", "metis"),
    "METIS, as wide as its first line": ("4 6 0\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n", "metis"),
    "METIS, weighted": ("4 2 1\n2 5\n1 5\n4 7\n3 7\n", "metis"),
    "METIS of Windows": ("3 2\r\n2\r\n1 3\r\n2\r\n", "metis"),
    "SIF": ("a pp b\nb pd d\nc pp a\n", "sif"),
    "SIF with one relation": ("a\tpp\tb\nb\tpp\td\nc\tpp\ta\n", "sif"),
    "neighbours": ("1 2 3 4\n2 1 3 4\n3 1 2 4\n4 1 2 3\n", "adjlist"),
    "neighbours behind colons": ("a: b, c\nb: c, d\nc: a, d\nd: b, c\n", "adjlist"),
    "graph6 with a bar": ("D|s\n", "graph6"),
    "sparse6": (nx.to_sparse6_bytes(nx.petersen_graph(), header=False), "graph6"),
    "a long graph6": (nx.to_graph6_bytes(nx.cycle_graph(70), header=False), "graph6"),
    "GDF without nodes": ("edgedef>node1,node2,w DOUBLE\na,b,2\n", "gdf"),
    "DL": ("dl format=edgelist1 n=3\ndata:\n1 2 1\n2 3 1\n", "ucinet"),
    "Pajek below a comment": ("% x\n*Vertices 2\n1 a\n2 b\n*Edges\n1 2\n", "pajek"),
    "DIMACS below many": ("c more words\n" * 300 + "p edge 3 2\ne 1 2\ne 2 3\n", "dimacs"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_formats_under_the_name_of_a_table_are_refused(name, tmp_path):
    text, format_ = OTHERS[name]
    for file in ("net.txt", "net.csv", "net.dat"):
        with pytest.raises(cl.InputError, match=f"format=.{format_}"):
            read(text, tmp_path, file)


def test_what_these_errors_advise_works(tmp_path):
    for text, format_ in OTHERS.values():
        if format_ != "gdf" and "pajek" not in format_:
            assert read(text, tmp_path, format=format_).n_cells[1] > 0
    assert read(OTHERS["SIF"][0], tmp_path, columns=(1, 3)).labels == ("a", "b", "d", "c")
    K = read(OTHERS["neighbours behind colons"][0], tmp_path, format="adjlist")
    assert K.n_cells == (4, 5)
    assert K.labels == ("a", "b", "c", "d")


SAME = {"edges.txt", "edges.csv", "networkx.edgelist", "matrix.adj", "out.konect", "graph.ncol"}


@pytest.mark.parametrize("name", sorted(set(SEEDS) - {"edges.txt.gz"}))
def test_every_format_under_the_name_of_a_table_is_read_right_or_refused(name, tmp_path):
    right = read(SEEDS[name], tmp_path, name)
    if name not in SAME:
        with pytest.raises(cl.InputError):
            read(SEEDS[name], tmp_path, "net.txt")
        return
    given = read(SEEDS[name], tmp_path, "net.txt")
    assert (given.labels, given.n_cells) == (right.labels, right.n_cells)
    assert given.cell_labels(1) == right.cell_labels(1)


EDGES = {
    "numbers that might be sizes": ("4 3\n3 2\n2 1\n1 4\n4 2\n", (4, 5)),
    "weights that might be neighbours": ("1 2 3\n2 3 1\n3 1 2\n4 1 2\n", (4, 4)),
    "a third column of words": ("a b x\nb c y\nc d x\nd a y\n", (4, 4)),
    "labels with colons": ("go:7 go:9\ngo:9 go:8\n", (3, 2)),
    "bars": ("a|b\nb|c\nc|a\n", (3, 3)),
    "atoms as words": ("atom bond\nbond ring\nring atom\n", (3, 3)),
    "c as a label": ("c d\nc e\nd e\n", (3, 3)),
}


@pytest.mark.parametrize("name", EDGES)
def test_edges_that_look_a_little_like_something_else_are_read(name, tmp_path):
    text, counts = EDGES[name]
    assert read(text, tmp_path, "net.txt").n_cells == counts


def test_metis_lists_every_edge_at_both_ends(tmp_path):
    weighted = "3 2 1\n2 5\n1 5 3 7\n2 7\n"
    assert read(weighted, tmp_path, "net.graph").attributes[1]["weight"].tolist() == [5, 7]
    for broken in ("3 2\n2 3\n\n\n", "3 2\n3\n3 1\n1\n", weighted.replace("5 3", "6 3")):
        with pytest.raises(cl.InputError, match="ends"):
            read(broken, tmp_path, "net.graph")
