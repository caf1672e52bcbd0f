"""No file and no object is misread in silence: the right complex, or words that say what to do.

Every case here was read as something else once, or is of the same kind as one that was.
"""

import re

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

import cellapse as cl
from cellapse import io

KARATE = nx.karate_club_graph()
TRIANGLE = {frozenset("ab"), frozenset("bc"), frozenset("ac")}


def understand(source, **options):
    return io.understand(source, **{"weight": None, **options})  # columns stay as they are


def read(text, name="net.csv", folder=None, **options):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return cl.read(path, **{"weight": None, **options})  # columns stay as they are


def edges(K):
    return {frozenset(cell) for cell in K.cell_labels(1)}


# ---------------------------------------------------------------- tables that are read right

READ = {
    "row numbers of pandas": ",source,target,weight\n0,a,b,2\n1,b,c,1\n2,a,c,3\n",
    "row numbers above unknown names": ",x,y,weight\n0,a,b,2\n1,b,c,1\n2,a,c,3\n",
    "row numbers of R": '"p" "q" "weight"\n"1" "a" "b" 2\n"2" "b" "c" 1\n"3" "a" "c" 3\n',
    "semicolons and decimal commas": "from;to;weight\na;b;2,0\nb;c;1,0\na;c;3,0\n",
    "spaces and decimal commas": "a b 2,0\nb c 1,0\na c 3,0\n",
    "tabs here and spaces there": "a\tb\t2\nb c 1\na\tc 3\n",
    "a delimiter at the end of every line": "a,b,2,\nb,c,1,\na,c,3,\n",
    "quotes and spaces": '"a" "b" 2\n"b" "c" 1\n"a" "c" 3\n',
    "names in a comment": "#from\tto\tweight\na\tb\t2\nb\tc\t1\na\tc\t3\n",
    "names that end in A and B": "weight,gene_A,gene_B\n2,a,b\n1,b,c\n3,a,c\n",
    "numbers as names": "0,1,weight\na,b,2\nb,c,1\na,c,3\n".replace("weight", "2"),
    "a byte order mark and Windows": "\ufefffrom,to,weight\r\na,b,2\r\nb,c,1\r\na,c,3\r\n",
    "a matrix with labels": ",a,b,c\na,0,2,3\nb,2,0,1\nc,3,1,0\n",
    "a matrix with labels in another order": ",a,b,c\nc,3,1,0\na,0,2,3\nb,2,0,1\n",
    "a matrix with labels as R writes it": '"a" "b" "c"\n"a" 0 2 3\n"b" 2 0 1\n"c" 3 1 0\n',
    "a matrix with labels above": "a,b,c\n0,2,3\n2,0,1\n3,1,0\n",
    "a matrix with empty places": ";a;b;c\na;;2;3\nb;2;;1\nc;3;1;\n",
}


@pytest.mark.parametrize("name", READ)
def test_tables_are_read_for_what_they_are(name, tmp_path):
    K = read(READ[name], folder=tmp_path)
    assert set(K.labels) == set("abc")
    assert edges(K) == TRIANGLE
    (column,) = set(K.attributes[1])  # called weight, but for the one with numbers as names
    weights = dict(zip(map(frozenset, K.cell_labels(1)), K.attributes[1][column], strict=True))
    assert weights == {frozenset("ab"): 2, frozenset("bc"): 1, frozenset("ac"): 3}


def test_a_matrix_of_pandas_is_the_graph_it_came_from(tmp_path):
    pytest.importorskip("pandas")
    nx.to_pandas_adjacency(KARATE).to_csv(tmp_path / "m.csv")
    K = cl.read(tmp_path / "m.csv", weight="weight")
    assert K.n_cells == (34, 78)
    expected = {frozenset(e[:2]): e[2] for e in KARATE.edges(data="weight")}
    assert dict(zip(map(frozenset, K.cell_labels(1)), K.weights[1], strict=True)) == expected
    nx.to_pandas_edgelist(KARATE).to_csv(tmp_path / "e.csv")
    assert cl.read(tmp_path / "e.csv").n_cells == (34, 78)
    np.savetxt(tmp_path / "m.txt", nx.to_numpy_array(KARATE, weight=None), fmt="%d")
    K = cl.read(tmp_path / "m.txt")
    assert K.n_cells == (34, 78)
    assert not K.attributes[1]  # zeros and ones weigh nothing


def test_truths_and_gaps_of_a_matrix(tmp_path):
    table = ",a,b,c\na,False,True,nan\nb,True,False,True\nc,,True,False\n"
    assert edges(read(table, folder=tmp_path)) == {frozenset("ab"), frozenset("bc")}


def test_small_squares_of_numbers_are_edges_unless_they_are_symmetric(tmp_path):
    assert read("1 2 0.5\n2 3 0.25\n1 3 1\n", "x.txt", tmp_path).labels == (1, 2, 3)
    assert read("1 2 3\n2 3 1\n3 1 2\n", "x.txt", tmp_path).labels == (1, 2, 3)
    K = read("0 1 1\n1 0 1\n1 1 0\n", "x.txt", tmp_path)
    assert (list(K.labels), K.n_cells) == ([0, 1, 2], (3, 3))
    assert read("0 1 2\n1 2 1\n2 0 1\n", "x.txt", tmp_path).labels == (0, 1, 2)


# ---------------------------------------------------------------- tables that are refused

BIOGRID = "#BioGRID ID\tGene X\tGene Y\tScore\n" + "".join(
    f"{1000 + i}\tg{i % 5}\tg{(2 * i + 1) % 5}\t{i}\n" for i in range(12)
)
CONTACTS = "".join(f"{20 * t} {1 + t % 7} {1 + (3 * t + 2) % 7}\n" for t in range(40, 80))
REFUSED = {
    "an empty field": ("1,2\n1,\n", "no label in column 2"),
    "a label that pandas did not have": ("a,b\n1.0,2.0\nnan,3.0\n", "no label|fractions"),
    "unknown words above words": ("actor,movie\nann,x\nbob,x\n", "header=True or header=False"),
    "ids of rows first": (BIOGRID, r"columns=\(2, 3\)"),
    "times of rows first": (CONTACTS, r"columns=\(2, 3\)"),
    "row numbers without names": ("0,a,b\n1,b,c\n2,c,a\n", r"columns=\(2, 3\)"),
    "points": ("0.1,0.2\n0.3,0.4\n0.5,0.6\n", "fractions"),
    "values of nodes": ("name,age\nann,30\nbob,40\ncyd,50\n", "words beside one of numbers"),
    "a table of nodes": ("id,label\n1,a\n2,b\n", "table of nodes"),
    "row names that are no labels": (",x,y\np,1,2\nq,3,4\nr,5,6\n", "without a name"),
    "one column": ("a\nb\n", "two labels"),
    "a line without the delimiter": ("1,2,x\n2,3,y\n1 3\n", "without the delimiter"),
    "a directed table of Gephi": ("Source,Target,Type\na,b,Directed\nb,c,Directed\n", "directed"),
    "a triangular matrix": (",a,b,c\na,0,1,1\nb,0,0,1\nc,0,0,0\n", 'directed="ignore"'),
    "a matrix with infinities": (",a,b\na,0,inf\nb,inf,0\n", "infinite"),
    "times that differ": ("1 2 1300000000\n1 2 1300000060\n2 3 1300000060\n", "repeats="),
    "a header that names a column twice": ("from,to,w,w\na,b,1,2\n", "different columns"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_could_mean_two_things_is_refused_with_the_words_to_say_which(name, tmp_path):
    text, words = REFUSED[name]
    with pytest.raises(cl.InputError, match=words):
        read(text, folder=tmp_path)


def test_what_the_errors_advise_works(tmp_path):
    assert read(BIOGRID, "x.txt", tmp_path, columns=(2, 3), repeats="count").n_vertices == 5
    named = read(BIOGRID, "x.txt", tmp_path, columns=("Gene X", "Gene Y"), repeats="first")
    assert set(named.labels) == {f"g{i}" for i in range(5)}
    assert read(CONTACTS, "x.txt", tmp_path, columns=(2, 3)).n_vertices == 7
    words = "actor,movie\nann,x\nbob,x\n"
    assert read(words, folder=tmp_path, header=True).labels == ("ann", "x", "bob")
    assert read(words, folder=tmp_path, header=False).n_vertices == 5
    values = "name,age\nann,30\nbob,40\ncyd,50\n"
    assert read(values, folder=tmp_path, columns=("name", "age")).n_cells == (6, 3)
    triangular = REFUSED["a triangular matrix"][0]
    assert edges(read(triangular, folder=tmp_path, directed="ignore")) == TRIANGLE
    assert edges(read("a!b\nb!c\na!c\n", folder=tmp_path, sep="!")) == TRIANGLE
    kept = read("from,to,w,x\na,b,1,2\nb,c,1,2\n", folder=tmp_path, columns=("to", "from", "x"))
    assert set(kept.attributes[1]) == {"x"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"columns": "from,to"}, "columns="),
        ({"columns": ("from",)}, "columns="),
        ({"columns": ("from", "nowhere")}, "'nowhere'"),
        ({"columns": (1, 9)}, "9"),
        ({"columns": (0, 1)}, "columns="),
        ({"sep": ""}, "sep="),
        ({"window": (1, 2)}, "called time"),
        ({"window": (2, 1)}, "window="),
        ({"loops": "maybe"}, "loops="),
        ({"directed": "yes"}, "directed="),
        ({"repeats": "max"}, "repeats="),
        ({"header": "yes"}, "header="),
    ],
)
def test_options_that_make_no_sense_are_refused(options, words, tmp_path):
    with pytest.raises(cl.InputError, match=re.escape(words)):
        read("from,to,w\na,b,1\nb,c,2\n", folder=tmp_path, **options)


def test_an_option_that_a_format_has_no_use_for_is_refused(tmp_path):
    cl.write(cl.as_complex([("a", "b")]), tmp_path / "x.graphml")
    with pytest.raises(cl.InputError, match=r"columns=.*'graphml'"):
        cl.read(tmp_path / "x.graphml", columns=(1, 2))
    with pytest.raises(cl.InputError, match="loops="):
        read("OFF\n", "x.off", tmp_path, loops="keep")


# ---------------------------------------------------------------- loops, repeats and times

LOOPS = "# SNAP\n1\t2\n2\t2\n2\t3\n3\t3\n3\t2\n"


def test_loops_are_left_out_with_a_note_kept_or_refused(tmp_path):
    with pytest.warns(cl.CellapseWarning, match="2 self-loops.*2"):
        K = read(LOOPS, "x.txt", tmp_path)
    assert K.n_cells == (3, 2)
    kept = read(LOOPS, "x.txt", tmp_path, loops="keep")
    assert kept.attributes[0]["loop"].tolist() == [0, 1, 1]
    with pytest.raises(cl.InputError, match="2 self-loops"):
        read(LOOPS, "x.txt", tmp_path, loops="refuse")
    diagonal = (
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 5\n2 1 1\n3 2 2\n3 3 7\n"
    )
    with pytest.warns(cl.CellapseWarning, match="2 self-loops"):
        assert read(diagonal, "x.mtx", tmp_path).n_cells == (3, 2)
    kept = read(diagonal, "x.mtx", tmp_path, loops="keep")
    assert kept.attributes[0]["loop"].tolist() == [5, 0, 7]
    assert kept.attributes[1]["weight"].tolist() == [1, 2]


def test_repeats_are_counted_summed_or_the_first(tmp_path):
    text = "a b 1 x\nb a 2 x\nb c 5 y\n"
    counted = read(text, "x.txt", tmp_path, repeats="count")
    assert counted.attributes[1]["multiplicity"].tolist() == [2, 1]
    assert counted.attributes[1]["column 4"].tolist() == ["x", "y"]
    assert "weight" not in counted.attributes[1]  # in which they differ
    summed = read(text, "x.txt", tmp_path, repeats="sum", weight="weight")
    assert summed.weights[1].tolist() == [3, 5]
    first = read(text, "x.txt", tmp_path, repeats="first", weight="weight")
    assert first.weights[1].tolist() == [1, 5]


def test_times_are_no_weights(tmp_path):
    text = "1 2 1300000000\n1 2 1300000060\n2 3 1300000120\n"
    K = read(text, "x.txt", tmp_path, repeats="count")
    assert set(K.attributes[1]) == {"multiplicity"}
    assert read(text, "x.txt", tmp_path, window=(1300000060, 1300000120)).n_cells == (2, 1)
    window = read(text, "x.txt", tmp_path, window=(1300000060, 1300000121))
    assert window.attributes[1]["time"].tolist() == [1300000060, 1300000120]
    named = read("from,to,t\n1,2,5\n2,3,6\n", folder=tmp_path, window=(6, 7))
    assert named.labels == (2, 3)


def test_thousands_and_fractions_are_not_mixed_up(tmp_path):
    table = "from;to;w\na;b;1,234\nb;c;2\n"
    assert read(table, folder=tmp_path).attributes[1]["w"].tolist() == ["1,234", "2"]
    with pytest.raises(cl.InputError, match="weight"):
        read(table, folder=tmp_path, weight="w")
    assert read("a,b,-1\nb,c,nan\n", folder=tmp_path).attributes[1]["weight"][0] == -1
    for bad in ("-1", "nan", "0"):
        with pytest.raises(cl.InputError, match="weight"):
            read(f"a,b,{bad}\nb,c,1\n", folder=tmp_path, weight="weight")


# ---------------------------------------------------------------- other formats

GRAPHML = (
    b'<graphml><graph edgedefault="directed"><node id="a"/><edge source="a" target="b"/>'
    b'<edge source="b" target="c"/></graph></graphml>'
)


def test_graphml_may_name_nodes_in_edges_only_and_be_directed(tmp_path):
    with pytest.raises(cl.InputError, match='directed="ignore"'):
        read(GRAPHML, "x.graphml", tmp_path)
    K = read(GRAPHML, "x.graphml", tmp_path, directed="ignore")
    assert (K.labels, K.n_cells) == (("a", "b", "c"), (3, 2))


def test_hif_may_list_a_node_again(tmp_path):
    text = """{"nodes": [{"node": "a", "attrs": {"x": 1}}, {"node": "a", "attrs": {"y": 2}}],
        "incidences": [{"edge": 0, "node": "a"}, {"edge": 0, "node": "b"}]}"""
    K = read(text, "x.json", tmp_path)
    assert K.labels == ("a", "b")
    assert (K.attributes[0]["x"][0], K.attributes[0]["y"][0]) == (1, 2)


# ---------------------------------------------------------------- objects

NEIGHBOURS = {
    "lists": {"a": ["b", "c"], "b": ["a"]},
    "sets": {"a": {"b", "c"}, "b": {"a"}, "c": {"a"}},
    "one side": {"a": ["b"], "b": [], "c": ["a"]},
    "dicts of data": {"a": {"b": {"w": 2}, "c": {"w": 3}}, "b": {"a": {"w": 2}}},
    "dicts of weights": {"a": {"b": 2, "c": 3}},
}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_dicts_of_neighbours_are_graphs(name):
    K = cl.as_complex(NEIGHBOURS[name])
    assert set(K.labels) == set("abc")
    assert edges(K) == {frozenset("ab"), frozenset("ac")}


def test_dicts_of_networkx_are_its_graph():
    for dicts in (nx.to_dict_of_lists(KARATE), nx.to_dict_of_dicts(KARATE), KARATE.adj):
        assert cl.as_complex(dicts).n_cells == (34, 78)
    assert cl.as_complex(nx.to_dict_of_dicts(KARATE), weight="weight").weights[1].sum() == 231


def test_hyperedges_with_names_stay_hyperedges():
    assert cl.as_complex({"p": ["a", "b", "c"], "q": ["c", "d"]}).n_cells == (4, 4, 1)
    with pytest.raises(cl.InputError, match="ranks="):
        cl.as_complex({"a": ["a", "b", "c"], "b": ["c", "d"]})
    both = {"a": ["a", "b", "c"], "b": ["c", "d"]}
    assert cl.as_complex(both, ranks=2).n_cells == (4, 0, 2)


def test_edges_with_data_are_edges():
    for data in (True, "weight"):
        K = cl.as_complex(KARATE.edges(data=data) if data is True else named_edges())
        assert K.n_cells == (34, 78)
        assert K.weights[1].sum() == 231
    K = cl.as_complex([("a", "b", 2), ("b", "c", 3)], weight="weight")
    assert (K.n_cells, K.weights[1].tolist()) == ((3, 2), [2, 3])
    assert cl.as_complex([(0, 1, 2), (1, 2, 3)]).n_cells == (4, 5, 2)  # triangles
    assert cl.as_complex(edge for edge in [(0, 1), (1, 2)]).n_cells == (3, 2)


def named_edges():
    return [(f"v{u}", f"v{v}", w) for u, v, w in KARATE.edges(data="weight")]


def test_squares_of_numbers_are_adjacencies():
    dense = nx.to_numpy_array(KARATE)
    for matrix in (dense, dense.astype(int), dense.astype(np.float32), dense > 0, dense.tolist()):
        K = cl.as_complex(matrix)
        assert K.n_cells == (34, 78)
    assert cl.as_complex(dense, weight="any").weights[1].sum() == 231
    with pytest.raises(cl.InputError, match='directed="ignore"'):
        cl.as_complex(np.triu(dense))
    assert cl.as_complex(np.triu(dense), directed="ignore").n_cells == (34, 78)
    with pytest.raises(cl.InputError, match="NaN"):
        cl.as_complex(np.where(dense, dense, np.nan))
    with pytest.raises(cl.InputError, match="points"):
        cl.as_complex(np.random.default_rng(0).random((5, 3)))


def test_affinities_symmetric_up_to_rounding_are_symmetric():
    X = np.random.default_rng(1).normal(size=(40, 5))
    K = rbf_kernel(X) * (1 + np.triu(np.full((40, 40), 4e-15), 1))
    assert (K != K.T).any()
    for matrix in (K, sparse.csr_array(K), K.astype(np.float32)):
        with pytest.warns(cl.CellapseWarning, match="40 self-loops"):
            assert cl.as_complex(matrix).n_cells == (40, 780)
    with pytest.raises(cl.InputError, match="symmetric"):
        cl.as_complex(K + 1e-6 * np.triu(np.ones((40, 40)), 1))


def test_directed_adjacencies_need_a_rule_where_the_directions_differ():
    M = sparse.csr_array(np.array([[0, 2.0, 0], [3.0, 0, 1], [0, 0, 0]]))
    with pytest.raises(cl.InputError, match="repeats="):
        cl.as_complex(M, directed="ignore")
    K = cl.as_complex(M, directed="ignore", repeats="sum", weight="w")
    assert K.weights[1].tolist() == [5, 1]


def test_a_directed_cycle_is_not_symmetric_though_all_rows_and_values_are_alike():
    cycle = sparse.csr_array(np.roll(np.eye(4), 1, axis=1))
    with pytest.raises(cl.InputError, match="symmetric"):
        cl.as_complex(cycle)
    assert edges(cl.as_complex(cycle, directed="ignore")) == set(
        map(frozenset, [(0, 1), (1, 2), (2, 3), (0, 3)])
    )


def test_loops_of_directed_adjacencies_count_once():
    M = sparse.csr_array(np.array([[5.0, 2, 0], [3, 0, 1], [0, 0, 0]]))
    K = cl.as_complex(M, directed="ignore", repeats="sum", loops="keep", weight="w")
    assert K.attributes[0]["loop"].tolist() == [1, 0, 0]
    assert K.weights[1].tolist() == [5, 1]


def test_directed_adjacencies_of_many_entries_keep_the_first_of_every_two():
    rng = np.random.default_rng(0)
    M = np.where(rng.random((60, 60)) < 0.5, rng.random((60, 60)), 0) * (1 - np.eye(60))
    K = cl.as_complex(sparse.csr_array(M), directed="ignore", repeats="first", weight="w")
    first = np.where(M, M, M.T)  # row by row: that above the diagonal, where there is one
    assert K.weights[1].tolist() == [first[i, j] for i, j in K.cell_labels(1)]
    assert len(K.weights[1]) == (np.triu(M + M.T) > 0).sum()


def test_directed_adjacencies_keep_negative_entries_of_one_direction(tmp_path):
    entries = "1 2 -3\n1 3 2\n3 1 2\n3 2 -1\n"
    text = f"%%MatrixMarket matrix coordinate real general\n3 3 4\n{entries}"
    K = read(text, "net.mtx", tmp_path, directed="ignore")
    assert K.cell_labels(1) == ((0, 1), (0, 2), (1, 2))
    assert K.attributes[1]["weight"].tolist() == [-3, 2, -1]


def test_graphs_with_loops_arcs_and_copies():
    with pytest.warns(cl.CellapseWarning, match="1 self-loop.* 1"):
        assert cl.clique_complex(nx.Graph([(1, 1), (1, 2)])).n_cells == (2, 1, 0)
    with pytest.raises(cl.InputError, match="to_undirected"):
        cl.as_complex(nx.DiGraph([(1, 2)]))
    assert cl.as_complex(nx.DiGraph([(1, 2), (2, 1)]), directed="ignore").n_cells == (2, 1)
    copies = nx.MultiGraph([(1, 2), (1, 2), (2, 3)])
    assert cl.as_complex(copies, repeats="count").attributes[1]["multiplicity"].tolist() == [2, 1]
    assert cl.as_complex(nx.MultiGraph([(1, 2), (2, 3)])).n_cells == (3, 2)


class Foreign:
    """A class of a library that is not known here, and that can be iterated over."""

    def __iter__(self):
        return iter([("a", "b"), ("b", "c")])

    def __len__(self):
        return 2


def test_objects_that_are_not_known_are_refused_by_name():
    with pytest.raises(cl.InputError, match=r"test_understood\.Foreign"):
        cl.as_complex(Foreign())
    with pytest.raises(cl.InputError, match=r"loops.*repeats"):
        cl.as_complex(cl.as_complex([(0, 1)]), loops="keep")


# ---------------------------------------------------------------- what was understood


def test_what_was_understood_is_told(tmp_path):
    path = tmp_path / "net.csv"
    path.write_text("from,to,weight\na,b,2\nb,c,1\nc,c,1\nb,a,2\n")
    what = understand(path)
    assert what.complex.n_cells == (3, 2)
    assert what.format == "edges"
    assert "columns 'from' and 'to' are the ends of edges" in what.facts
    assert "attributes of edges: 'weight'" in what.facts
    assert "1 repeated edges are counted once" in what.facts
    assert what.losses[0].startswith("1 self-loop, the first at vertex 'c'")
    assert {"columns", "sep", "header", "loops"} <= set(what.options)
    assert "the attribute 'weight' as weights" in understand(path, weight="weight").facts
    assert "3 vertices, 2 edges" in str(what)
    with pytest.raises(cl.InputError):
        understand(path, loops="refuse")
    with pytest.raises(AttributeError):
        what.format = "gml"
    assert understand(KARATE).format == "Graph"
    assert understand([(1, 2)]).counts == "2 vertices, 1 edge"


def test_who_listens_is_not_warned(recwarn, tmp_path):
    assert understand(nx.Graph([(1, 1), (1, 2)])).losses
    assert not recwarn.list
