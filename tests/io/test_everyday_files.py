"""Files and objects as people have them every day: read right, or refused with what to do.

Each of these was read as something else in silence once: an edge lost as a header, a label as a
comment, the number of edges as an edge, user 1 as film 1.
"""

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse import io

PATH = {frozenset("ab"), frozenset("bc")}


def understand(source, **options):
    return io.understand(source, **{"weight": None, **options})  # columns stay as they are


def read(text, name, folder, **options):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return cl.read(path, **{"weight": None, **options})  # columns stay as they are


def edges(K):
    return {frozenset(map(str, cell)) for cell in K.cell_labels(1)}


# ---------------------------------------------------------------- files

READ = {
    "the line of spreadsheets that names the separator": (
        "sep=;\nSource;Target;Weight\na;b;1,5\nb;c;2,25\n"
    ),
    "comments of programmers": "// a network\n// of letters\na b 1.5\nb c 2.25\n",
    "names in a comment above labels that look like names": (
        "#Gene A\tGene B\tWeight\na\tb\t1.5\nb\tc\t2.25\n"
    ),
    "quotes around decimal commas": 'a,b,"1,5"\nb,c,"2,25"\n',
    "quotes around tabs": '"source"\t"target"\t"Weight"\n"a"\t"b"\t1.5\n"b"\t"c"\t2.25\n',
    "a matrix with decimal commas": ";a;b;c\na;0;1,5;0\nb;1,5;0;2,25\nc;0;2,25;0\n",
}


@pytest.mark.parametrize("name", READ)
def test_everyday_tables_are_read(name, tmp_path):
    K = read(READ[name], "net.txt", tmp_path)
    assert edges(K) == PATH
    (column,) = K.attributes[1].values()
    assert column.tolist() == [1.5, 2.25]


def test_leading_zeros_are_no_header(tmp_path):
    assert read("001,002\n002,010\n", "net.csv", tmp_path).labels == ("001", "002", "010")


BIOGRID = (
    "#BioGRID Interaction ID\tEntrez Gene Interactor A\tEntrez Gene Interactor B\t"
    "Official Symbol Interactor A\tOfficial Symbol Interactor B\n"
    "103\t6416\t2318\tMAP2K4\tFLNC\n117\t84665\t88\tMYPN\tACTN2\n183\t90\t2339\tACVR1\tFNTA\n"
)
REFUSED = {
    "some directed": ("Source,Target,Type\n0,1,Undirected\n1,2,Directed\n", "directed="),
    "directed in small letters": ("source,target,type\n0,1,directed\n1,2,directed\n", "directed="),
    "hashtags": ("source,target,n\n#a,#b,3\n#b,c,1\nc,#a,2\n", '"#a"'),
    "hashtags among words": ("a #b\n#b c\nc a\n", '"#a"'),
    "several pairs of ends": (BIOGRID, r"columns=\('Entrez Gene Interactor A'"),
    "labels u and v": ("u v\nv w\nw u\n", "header=False"),
    "labels that end in 1 and 2": ("node1,node2\nnode2,node3\nnode3,node1\n", "header=False"),
    "labels that end in A and B": ("city_a,city_b\ncity_c,city_d\n", "header=False"),
    "a header that comes again": ("source,target\na,b\nsource,target\nb,c\n", "second header"),
    "the numbers of vertices and edges": ("4 3\n0 1\n1 2\n2 3\n", "header=False"),
    "the numbers of rows, columns and entries": ("4 4 3\n1 2 1\n2 3 1\n3 4 1\n", "header=False"),
    "the number of vertices": ("4\n0 1\n1 2\n2 3\n", "header=False"),
    "the number of edges": ("3\n0 1\n1 2\n2 9\n", "header=False"),
    "the number of edges above lonely vertices": ("3\n2\n1 5\n2\n", "header=False"),
    "the numbers of hyperedges and vertices": ("3 6\n1 2\n3 4\n5 6\n", "header=False"),
    "a quote that is not closed": ('source,target,note\na,b,"x\nb,c,z\n', "check quotes"),
    "arrows": ("a -> b\nb -> c\n", r"columns=\(1, 3\)"),
    "dashes": ("a -- b\nb -- c\n", r"columns=\(1, 3\)"),
    "a list of Python": ("[(0, 1), (1, 2)]", "of Python"),
    "tuples of Python": ("(0, 1)\n(1, 2)\n", "of Python"),
    "a matrix of hyperedges": ("1,0\n1,1\n0,1\n", "no labels but 0 and 1"),
    "a wide matrix of hyperedges": ("1,0,1,0\n1,1,0,0\n0,1,0,1\n", "no labels but 0 and 1"),
    "users and films": ("user,item,rating\n1,1,5\n1,2,3\n2,3,4\n", "two kinds"),
    "users and films by id": ("userId,movieId\n1,2\n2,3\n3,1\n", "two kinds"),
    "a Pajek network": ('*Vertices 2\n1 "a"\n2 "b"\n*Edges\n1 2\n', "format='pajek'"),
    "a Matrix Market file": (
        "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 .5\n2 3 .5\n",
        "format='matrix market'",
    ),
    "JSON": ('{"nodes": [{"id": 1}], "links": []}', "format='json'"),
    "GML": ("graph [ node [ id 0 ] node [ id 1 ] ]", "format='gml'"),
    "DOT": ("graph G {\n a -- b\n}\n", "format='dot'"),
    "DIMACS": ("c x\np edge 3 2\ne 1 2\ne 2 3\n", "format='dimacs'"),
    "a page of the web": ("<!DOCTYPE html><html>404</html>", "page of the web"),
    "a pointer in place of the file": (
        "version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 123\n",
        "Git LFS",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_everyday_tables_that_could_be_misread_are_refused(name, tmp_path):
    text, words = REFUSED[name]
    with pytest.raises(cl.InputError, match=words):
        read(text, "net.txt", tmp_path)


def test_what_these_errors_advise_works(tmp_path):
    def of(name, **options):
        return read(REFUSED[name][0], "net.txt", tmp_path, **options)

    assert of("some directed", directed="ignore").n_cells == (3, 2)
    assert read('source,target\n"#a","#b"\n"#b",c\n', "q.csv", tmp_path).labels == ("#a", "#b", "c")
    symbols = ("Official Symbol Interactor A", "Official Symbol Interactor B")
    assert of("several pairs of ends", columns=symbols).labels[:2] == ("MAP2K4", "FLNC")
    for name in ("labels u and v", "labels that end in 1 and 2"):
        assert of(name, header=False).n_cells == (3, 3)
        assert of(name, header=True).n_cells == (3, 2)
    assert of("the numbers of vertices and edges", header=False).n_cells == (5, 4)
    assert of("the number of vertices", header=False).n_cells == (5, 3)
    assert edges(of("arrows", columns=(1, 3))) == PATH
    assert of("a matrix of hyperedges", columns=(1, 2), loops="keep").n_cells == (2, 1)
    assert of("users and films", columns=("user", "item"), loops="keep").n_cells == (3, 2)
    assert of("a Pajek network", format="pajek").labels == ("a", "b")
    assert of("DOT", format="dot").labels == ("a", "b")


def test_small_lists_are_not_taken_for_sizes(tmp_path):
    assert read("2 1\n1 2\n", "net.txt", tmp_path).n_cells == (2, 1)
    assert read("3 2\n2 1\n1 3\n", "net.txt", tmp_path).n_cells == (3, 3)
    assert read("7 3\n1 2\n2 3\n8 9\n", "net.txt", tmp_path).n_cells == (6, 4)  # 9 is beyond 7
    weighted = read("5 4 3\n1 2 1\n2 3 1\n3 4 1\n", "net.txt", tmp_path)  # not square: an edge
    assert weighted.attributes[1]["weight"].tolist() == [3, 1, 1, 1]


def test_names_above_numbers_are_a_header_whatever_the_labels(tmp_path):
    K = read("node1,node2,weight\nnode5,node1,2.5\nnode1,node7,1\n", "net.csv", tmp_path)
    assert K.labels == ("node5", "node1", "node7")


def test_commented_rows_of_a_list_by_spaces_stay_comments(tmp_path):
    path = tmp_path / "net.txt"
    path.write_text("1 2\n#2 3\n3 4\n")
    what = understand(path)
    assert what.complex.n_cells == (4, 2)
    assert "1 comments between the rows" in what.facts


def test_loops_of_a_matrix_are_told_by_label(tmp_path):
    with pytest.warns(cl.CellapseWarning, match="'a'"):
        read(",a,b,c\na,1,2,0\nb,2,0,1\nc,0,1,0\n", "m.csv", tmp_path)


# ---------------------------------------------------------------- objects


def test_two_by_two_arrays_are_refused_unless_all_readings_agree():
    for array in (np.array([[0, 1], [2, 3]]), np.array([[0, 5], [5, 0]])):
        for read_array in (cl.as_complex, cl.clique_complex):
            with pytest.raises(cl.InputError, match=r"rows.*columns"):
                read_array(array)
    assert cl.as_complex(np.array([[0, 1], [1, 0]])).n_cells == (2, 1)
    array = np.array([[0, 1], [2, 3]])  # what the error advises
    assert edges(cl.as_complex(array.tolist())) == {frozenset("01"), frozenset("23")}
    assert edges(cl.as_complex(array.T.tolist())) == {frozenset("02"), frozenset("13")}
    assert cl.as_complex(sparse.csr_array([[0, 5], [5, 0]])).n_cells == (2, 1)


def test_two_by_two_tensors_are_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(cl.InputError, match="edges"):
        cl.as_complex(torch.tensor([[0, 1], [2, 3]]))


def test_pyg_graphs_of_two_arcs_and_with_a_lonely_first_node_are_read(recwarn):
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data")
    two = data.Data(edge_index=torch.tensor([[0, 1], [2, 3]]), num_nodes=4)
    assert edges(cl.as_complex(two)) == {frozenset("02"), frozenset("13")}
    lonely = data.Data(edge_index=torch.tensor([[1, 2, 3], [2, 3, 1]]), num_nodes=4)
    assert cl.as_complex(lonely).n_cells == (4, 3)
    assert not [w for w in recwarn.list if issubclass(w.category, cl.CellapseWarning)]


def test_arrays_that_count_from_one_are_told():
    with pytest.warns(cl.CellapseWarning, match="array - 1"):
        assert cl.as_complex(np.array([[1, 2], [2, 3], [3, 1]])).n_vertices == 4


def test_two_arrays_are_refused():
    ends = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 0])
    for pair in (ends, list(ends), np.nonzero(np.eye(4)[::-1])):
        with pytest.raises(cl.InputError, match="column_stack"):
            cl.as_complex(pair)


def test_dicts_of_edges_are_edges_with_data():
    K = cl.as_complex({("a", "b"): 3.0, ("b", "c"): 1.0}, weight="weight")
    assert (edges(K), K.weights[1].tolist()) == (PATH, [3.0, 1.0])
    K = cl.as_complex({("a", "b"): {"w": 3.0}, ("b", "c"): {"w": 1.0}})
    assert (edges(K), K.attributes[1]["w"].tolist()) == (PATH, [3.0, 1.0])
    karate = nx.karate_club_graph()
    K = cl.as_complex(nx.get_edge_attributes(karate, "weight"), weight="weight")
    assert (K.n_cells, K.weights[1].sum()) == ((34, 78), 231)
    grid = nx.grid_2d_graph(3, 3)  # whose vertices are pairs, too
    assert cl.as_complex(nx.to_dict_of_dicts(grid)).n_cells == (9, 12)
    assert cl.as_complex(nx.to_dict_of_lists(grid)).n_cells == (9, 12)


OBJECTS = {
    "weights or third vertices": ([(0, 1, 5), (1, 2, 3), (0, 2, 7)], "float"),
    "kinds or third vertices": ([*zip("aab", "bcc", ("x", "y", "x"), strict=True)], "kind"),
    "a directed adjacency in lists": ([[0, 1, 2], [3, 0, 4], [5, 6, 0]], 'directed="ignore"'),
    "half an adjacency in lists": ([[0, 1, 1], [0, 0, 1], [0, 0, 0]], 'directed="ignore"'),
    "dicts of a multigraph": (nx.to_dict_of_dicts(nx.MultiGraph([(1, 2), (1, 2)])), "repeats="),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_lists_and_dicts_that_could_be_misread_are_refused(name):
    obj, words = OBJECTS[name]
    with pytest.raises(cl.InputError, match=words):
        cl.as_complex(obj)


def test_triangles_are_no_edges_with_weights():
    assert cl.as_complex([(0, 1, 2), (0, 1, 3), (0, 1, 4)]).n_cells == (5, 7, 3)
    assert cl.as_complex([(0, 1, 2), (3, 4, 5), (6, 7, 8)]).n_cells == (9, 9, 3)
    assert cl.hypergraph_complex([(0, 1, 5), (1, 2, 3), (0, 2, 7)]).n_cells == (6, 9, 3)


def test_an_edge_without_its_weight_has_none():
    K = cl.as_complex([("a", "b", None), ("b", "c", 2.5)], weight=None)
    assert (edges(K), K.attributes[1]["weight"].tolist()) == (PATH, [None, 2.5])


def test_the_order_of_a_set_is_no_accident():
    assert cl.as_complex([frozenset("ba"), frozenset("dcb")]).labels == ("a", "b", "c", "d")
    assert set(cl.as_complex([{1, "a"}, {"a", "b"}]).labels) == {1, "a", "b"}


# ---------------------------------------------------------------- pandas


@pytest.fixture
def pd():
    return pytest.importorskip("pandas")


def test_frames_that_could_be_misread_are_refused(pd):
    crosses = pd.crosstab(pd.Series(list("ab")), pd.Series(list("bc")))
    cases = [
        (crosses, "reindex"),
        (crosses.stack(), "reset_index"),
        (pd.Series([1, 2, 3]), "reset_index"),
        (pd.DataFrame({"x": [1.0]}, pd.MultiIndex.from_tuples([("a", "b")])), "reset_index"),
        (pd.DataFrame([[0, 1], [1, 2]]), "source"),
        (pd.DataFrame([[0, 1], [0, 1], [1, 0]]), "source"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), "twice"),
        (pd.DataFrame([[1, 2, 3]], columns=["source", "source", "target"]), "twice"),
        (pd.DataFrame([["0", "1"], ["1", "0"]], list("ab"), list("ab")), "astype"),
        (pd.DataFrame({0: list("ab"), 1: list("bc")}), "source"),
        (pd.DataFrame({"Source": [1], "Target": [2], "Type": ["Directed"]}), "directed="),
    ]
    for table, words in cases:
        with pytest.raises(cl.InputError, match=words):
            cl.as_complex(table)


def test_edges_in_the_index_are_read(pd):
    table = pd.DataFrame({"source": list("ab"), "target": list("bc"), "w": [1, 2]})
    K = cl.as_complex(table.set_index(["source", "target"]))
    assert (edges(K), K.attributes[1]["w"].tolist()) == (PATH, [1, 2])
    K = cl.as_complex(table.groupby(["source", "target"]).size())
    assert (edges(K), K.attributes[1]["weight"].tolist()) == (PATH, [1, 1])
    crosses = pd.crosstab(table.source, table.target)  # what the error advises
    both = crosses.index.union(crosses.columns)
    square = crosses.reindex(index=both, columns=both, fill_value=0)
    assert edges(cl.as_complex(square, directed="ignore")) == PATH


def test_rows_with_labels_make_unnamed_columns_hyperedges(pd):
    K = cl.as_complex(pd.DataFrame([[1, 0], [1, 1], [0, 1]], index=list("abc")))
    assert edges(K) == PATH
