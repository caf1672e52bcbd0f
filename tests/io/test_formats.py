"""What goes out comes back, and what other programs wrote is read as they meant it."""

import gzip
import json
import types
from functools import partial
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from io_seeds import FACES, POINTS, SEEDS, XGI_JSON
from scipy import sparse
from scipy.io import mmread, mmwrite
from strategies import closed_or_weighted, combinatorial_complexes, weighted

import cellapse as cl
from cellapse.io import matrix_market
from cellapse.io.json_files import read_json, write_hif
from cellapse.io.npz import read_npz, write_npz

read = partial(cl.read, weight=None)  # columns stay as they are


def assert_same(K, L):
    """Labels with their types, cells, weights and attributes are the same."""
    assert [(type(v), v) for v in K.labels] == [(type(v), v) for v in L.labels]
    assert K.n_cells == L.n_cells
    for k in range(K.max_rank + 1):
        assert np.array_equal(K.cells[k].indptr, L.cells[k].indptr)
        assert np.array_equal(K.cells[k].indices, L.cells[k].indices)
        assert (K.weights[k] is None) == (L.weights[k] is None) or K.n_cells[k] == 0
        if K.weights[k] is not None and K.n_cells[k]:
            assert np.array_equal(K.weights[k], L.weights[k])
        assert list(K.attributes[k]) == list(L.attributes[k])
        for name, values in K.attributes[k].items():
            assert values.shape == L.attributes[k][name].shape
            assert values.tolist() == L.attributes[k][name].tolist()


def saved(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def edge_set(K, column=None):
    values = [None] * K.n_cells[1] if column is None else K.attributes[1][column].tolist()
    return {frozenset(e): v for e, v in zip(K.cell_labels(1), values, strict=True)}


def graph_of(K):
    """The complex of rank 1 as a networkx graph, for comparison."""
    graph = nx.Graph()
    for i, v in enumerate(K.labels):
        graph.add_node(v, **{n: c.tolist()[i] for n, c in K.attributes[0].items()})
    for i, e in enumerate(K.cell_labels(1)):
        graph.add_edge(*e, **{n: c.tolist()[i] for n, c in K.attributes[1].items()})
    return graph


# ---------------------------------------------------------------- complexes out and in

RICH = cl.Complex.from_cells(
    {
        0: ["b", "a", 3, ("d", 4, None), 2.5, True],
        1: [("a", "b"), (3, ("d", 4, None))],
        2: [("b", 3, "a", 2.5)],
        3: [],
    },
    weights={0: [1, 2, 3, 4, 5, 6], 1: [1.0, 1.0]},
    attributes={
        0: {
            "position": np.arange(18.0).reshape(6, 3),
            "word": ["x", "", None, "é", "1", "<&>"],
            "age": [1, 2, 3, 4, 5, 6],
            "tag": [("p", 1), (), None, "q", 1.5, False],
        },
        1: {"flag": [True, False]},
        2: {"length": [0.1]},
    },
)
ROUND_TRIPS = {"json": (write_hif, read_json), "npz": (write_npz, read_npz)}


@pytest.mark.parametrize("extension", ["json", "hif", "npz", "json.gz", "npz.gz"])
def test_a_rich_complex_comes_back(extension, tmp_path):
    path = tmp_path / f"K.{extension}"
    cl.write(RICH, path)
    assert_same(cl.read(path), RICH)


@pytest.mark.parametrize("kind", ROUND_TRIPS)
@given(
    K=st.one_of(closed_or_weighted, combinatorial_complexes(), weighted(combinatorial_complexes()))
)
def test_any_complex_comes_back(kind, K):
    write, read = ROUND_TRIPS[kind]
    assert_same(read(write(K)), K)


def test_npz_holds_every_number():
    values = {
        "nan": np.array([np.nan, -np.inf]),
        "mixed": [np.nan, "x"],
        "small": np.array([1, 2], dtype=np.uint8),
        "complex": np.array([1j, 2]),
        "words": np.array(["a", "bb"]),
    }
    K = cl.Complex.from_cells({0: [2**70, -1]}, attributes={0: values})
    L = read_npz(write_npz(K))
    assert L.labels == (2**70, -1)
    for name in ("nan", "small", "complex", "words"):
        assert L.attributes[0][name].dtype == K.attributes[0][name].dtype
        assert np.array_equal(L.attributes[0][name], K.attributes[0][name], equal_nan=name == "nan")
    assert np.isnan(L.attributes[0]["mixed"][0])
    assert isinstance(read_npz(write_npz(cl.Complex.from_arrays(3, {}))).labels, range)


def test_npz_keeps_columns_stored_by_columns():
    table = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    K = cl.Complex.from_cells({0: "ab"}, attributes={0: {"x": table}})
    assert read_npz(write_npz(K)).attributes[0]["x"].tolist() == table.tolist()


def test_hif_has_no_nan():
    K = cl.Complex.from_cells({0: "ab"}, attributes={0: {"x": [np.nan, 1.0]}})
    text = write_hif(K).decode()
    json.loads(text, parse_constant=pytest.fail)
    np.testing.assert_array_equal(read_json(text.encode()).attributes[0]["x"], [np.nan, 1.0])


def test_same_complex_same_file(tmp_path):
    for name in ("a.json.gz", "b.json.gz"):
        cl.write(RICH, tmp_path / name)
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()


@pytest.mark.parametrize("name", SEEDS)
def test_gzip_of_every_format(name, tmp_path):
    pytest.importorskip({"pdb": "gemmi", "cif": "gemmi", "smi": "rdkit", "sdf": "rdkit"}.get(
        name.rpartition(".")[2], "numpy"))  # fmt: skip
    plain = read(saved(tmp_path, name, SEEDS[name]))
    if not name.endswith(".gz"):
        assert_same(read(saved(tmp_path, name + ".gz", gzip.compress(SEEDS[name]))), plain)


# ---------------------------------------------------------------- edge lists

TABLES = {
    "spaces": ("a b 2\nb c 1\n", "weight"),
    "tabs": ("a\tb\t2\nb\tc\t1\n", "weight"),
    "semicolons": ("a;b;2\r\nb;c;1\r\n", "weight"),
    "a header": ("source,target,strength\na,b,2\nb,c,1\n", "strength"),
    "Gephi": ("Source,Target,Type,Weight\na,b,Undirected,2\nb,c,Undirected,1\n", "Weight"),
    "ends elsewhere": ("w,from,to\n2,a,b\n1,b,c\n", "w"),
    "a header of unknown words": ("person friend times\na b 2\nb c 1\n", "times"),
    "comments": ("% KONECT\n# SNAP\n\na b 2\nb c 1", "weight"),
    "byte order mark": ("\ufeffu,v,weight\na,b,2\nb,c,1\n", "weight"),
    "quotes": ('"a","b",2\n"b","c",1\n', "weight"),
    "both directions": ("a b 2\nb a 2\nb c 1\n", "weight"),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_edges(name, tmp_path):
    text, column = TABLES[name]
    K = read(saved(tmp_path, "net.txt", text))
    assert K.labels == ("a", "b", "c")
    assert edge_set(K, column) == {frozenset("ab"): 2, frozenset("bc"): 1}
    W = read(tmp_path / "net.txt", weight=column)
    assert W.weights[1].tolist() == [2.0, 1.0]
    assert column not in W.attributes[1]
    assert K.weights[1] is None


def test_labels_are_numbers_if_all_are(tmp_path):
    for text, labels in [
        ("1 2\n2 1000000000\n", (1, 2, 10**9)),
        ("node1 node2\n3 4\n", (3, 4)),
        ("01 2\n2 3\n", ("01", "2", "3")),
        ("1 x\n", ("1", "x")),
        ("a 2\n3 4\n", ("a", "2", "3", "4")),  # no header, since 2 is no name
        ("1.0 2.0\n", ("1.0", "2.0")),
    ]:
        assert read(saved(tmp_path, "x.edges", text)).labels == labels


def test_missing_values_and_lonely_vertices(tmp_path):
    K = read(saved(tmp_path, "x.csv", "a,b,2,red\nb,c,,\nd\n"))
    assert K.labels == ("a", "b", "c", "d")
    assert K.attributes[1]["column 4"].tolist() == ["red", None]
    with pytest.raises(cl.InputError, match=r"\('b', 'c'\).*'weight'"):
        read(tmp_path / "x.csv", weight="weight")
    with pytest.raises(cl.InputError, match=r"column 4.*weight"):
        read(tmp_path / "x.csv", weight="w")


@pytest.mark.parametrize("data", [True, False])
def test_edge_lists_of_networkx(data, tmp_path):
    graph = nx.karate_club_graph()
    nx.write_edgelist(graph, tmp_path / "x.edgelist", data=data)
    K = read(tmp_path / "x.edgelist")
    expected = {frozenset((u, v)): w if data else None for u, v, w in graph.edges(data="weight")}
    assert edge_set(K, "weight" if data else None) == expected


# ---------------------------------------------------------------- GML and GraphML


def attributed(labels):
    graph = nx.Graph()
    for i, v in enumerate(labels):
        graph.add_node(v, size=i, share=i / 3, name=f'a "b" <&> é {i}')
    labels = list(labels)
    for i, (u, v) in enumerate(pairwise(labels)):
        graph.add_edge(u, v, weight=1.5 + i, kind="x")
    return graph


@pytest.mark.parametrize("labels", [range(4), "badc", ["x y", "é", "<&>", "007"]])
@pytest.mark.parametrize("extension", ["gml", "graphml"])
def test_graphs_of_networkx(labels, extension, tmp_path):
    graph = attributed(labels)
    path = tmp_path / f"x.{extension}"
    getattr(nx, f"write_{extension}")(graph, path)
    K = read(path)
    assert K.labels == tuple(labels)
    assert nx.utils.graphs_equal(graph_of(K), graph)


def test_gml_as_found_in_the_wild(tmp_path):
    text = """Creator "someone" # not a comment by the letter of the format
    graph
    [
      directed 0
      node [ id 10 label "same" value -1.5e3 graphics [ x 1 y 2.0 ] ]
      node [ id 20 label "same" value .5 graphics [ x 3 y 4.0 ] tag 1 tag 2 ]
      edge [ source 20 target 10 ]
    ]""".replace(" # not a comment by the letter of the format", "")
    K = read(saved(tmp_path, "x.gml", text))
    assert K.labels == (10, 20)
    assert K.attributes[0]["label"].tolist() == ["same", "same"]
    assert K.attributes[0]["value"].tolist() == [-1500.0, 0.5]
    assert K.attributes[0]["graphics.y"].tolist() == [2.0, 4.0]
    assert K.attributes[0]["tag"].tolist() == [None, (1, 2)]


def test_lists_in_gml_of_networkx(tmp_path):
    graph = nx.path_graph(2)
    graph.nodes[0]["tags"], graph.nodes[1]["tags"] = ["x"], ["x", "y"]
    nx.write_gml(graph, tmp_path / "x.gml")  # with a mark before a list of one
    assert read(tmp_path / "x.gml").attributes[0]["tags"].tolist() == ["x", ("x", "y")]


def test_graphml_defaults_and_types(tmp_path):
    text = """<?xml version="1.0" encoding="UTF-8"?>
    <graphml xmlns="http://graphml.graphdrawing.org/xmlns">
    <key id="d0" for="node" attr.name="color" attr.type="string"><default>yellow</default></key>
    <key id="d1" for="edge" attr.name="ok" attr.type="boolean"/>
    <graph edgedefault="undirected"><node id="n0"><data key="d0">green</data></node>
    <node id="n1"/><edge source="n0" target="n1"><data key="d1">true</data></edge></graph>
    </graphml>"""
    K = read(saved(tmp_path, "x.graphml", text))
    assert K.attributes[0]["color"].tolist() == ["green", "yellow"]
    assert K.attributes[1]["ok"].tolist() == [True]


def test_graphml_of_yed(tmp_path):
    """Its drawing is XML inside of <data>, which is no value; other data counts."""
    text = """<graphml xmlns:y="http://www.yworks.com/xml/graphml">
    <key for="node" id="d5" attr.name="age" attr.type="int"/>
    <key for="node" id="d6" yfiles.type="nodegraphics"/>
    <graph edgedefault="undirected" id="G">
    <node id="n0"><data key="d6"><y:ShapeNode><y:NodeLabel>A</y:NodeLabel></y:ShapeNode></data>
    <data key="d5">7</data></node>
    <node id="n1"><data key="d5">8</data></node><edge source="n0" target="n1"/></graph>
    </graphml>"""
    K = read(saved(tmp_path, "x.graphml", text))
    assert {n: c.tolist() for n, c in K.attributes[0].items()} == {"age": [7, 8]}


def test_graphml_read_by_networkx(tmp_path):
    graph = attributed(["a", "b", "c"])
    nx.write_graphml(graph, tmp_path / "x.graphml")
    cl.write(read(tmp_path / "x.graphml"), tmp_path / "y.graphml")
    read_back = nx.read_graphml(tmp_path / "y.graphml")
    assert (read_back.nodes(data=True), read_back.adj) == (graph.nodes(data=True), graph.adj)
    assert_same(read(tmp_path / "y.graphml"), read(tmp_path / "x.graphml"))


def test_attributes_survive_the_lift(tmp_path):
    graph = nx.karate_club_graph()
    nx.write_gml(graph, tmp_path / "x.gml")
    K = cl.clique_complex(read(tmp_path / "x.gml"), max_rank=3)
    assert K.n_cells == cl.clique_complex(graph, max_rank=3).n_cells
    assert K.attributes[0]["club"].tolist() == [graph.nodes[v]["club"] for v in graph]
    assert K.weights[1] is None
    for L in (
        cl.clique_complex(read(tmp_path / "x.gml"), weight="weight"),
        cl.clique_complex(read(tmp_path / "x.gml", weight="weight")),
    ):
        assert np.array_equal(L.weights[1], cl.clique_complex(graph, weight="weight").weights[1])
    with pytest.raises(cl.InputError, match="'w'"):
        cl.clique_complex(K, weight="w")
    with pytest.raises(cl.InputError, match="hypergraph_complex"):
        cl.clique_complex(cl.Complex.from_cells({1: [("a", "b", "c")]}))


# ---------------------------------------------------------------- matrices


@pytest.mark.parametrize("layout", ["coordinate", "array"])
@pytest.mark.parametrize("symmetry", ["symmetric", "general"])
@pytest.mark.parametrize("field", ["real", "integer", "pattern"])
def test_matrix_market_of_scipy(layout, symmetry, field, tmp_path):
    if layout == "array" and field == "pattern":
        pytest.skip("a dense pattern does not exist")
    M = nx.to_scipy_sparse_array(nx.karate_club_graph(), weight="weight", dtype=float)
    source = M.toarray() if layout == "array" else M
    if field == "integer":
        source = source.astype(int)
    mmwrite(tmp_path / "x.mtx", source, field=field, symmetry=symmetry, comment="a comment")
    K = read(tmp_path / "x.mtx")
    known = sparse.coo_array(sparse.triu(mmread(tmp_path / "x.mtx")))
    expected = {
        frozenset((i, j)): None if field == "pattern" else w
        for i, j, w in zip(*map(list, (known.row, known.col, known.data)), strict=True)
    }
    assert edge_set(K, None if field == "pattern" else "weight") == expected


@pytest.mark.parametrize("piece", [1, 7, 1_000_000])
def test_the_pieces_that_scipy_gets_make_no_difference(piece, tmp_path, monkeypatch):
    M = nx.to_scipy_sparse_array(nx.karate_club_graph(), weight="weight", dtype=float)
    mmwrite(tmp_path / "x.mtx", M, symmetry="general", comment="a comment")
    monkeypatch.setattr(matrix_market, "_PIECE", piece)
    monkeypatch.delattr(matrix_market, "_entries")  # which would read it without SciPy
    K = read(tmp_path / "x.mtx")
    upper = sparse.triu(M).tocoo()
    assert K.cells[1].as_array().tolist() == np.column_stack([upper.row, upper.col]).tolist()
    assert K.attributes[1]["weight"].tolist() == upper.data.tolist()


@pytest.mark.parametrize(
    ("line", "value"),
    [("2 1 -3", -3.0), ("2 1 3.", 3.0), ("2 1 1.5E-3", 0.0015), ("2 1 1e400", None),
     ("2 1 1.2.3", None), ("2 1 1-2", None), ("2  1\t3", 3.0), ("2 1 3 4", None), ("2 1", None),
     ("0 1 3", None), ("4 1 3", None), ("2 1 +3", 3.0), ("2.0 1 3", 3.0), ("2.5 1 3", None)],
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n", "", "\n\n", "\r\n"])
def test_lines_of_matrix_market(line, value, end, tmp_path):
    """Read by SciPy or by ourselves, a line means the same; and it is never half of a number."""
    text = f"%%MatrixMarket matrix coordinate real symmetric\n% a\n3 3 1\n{line}{end}"
    path = saved(tmp_path, "x.mtx", text)
    if value is None:
        with pytest.raises(cl.InputError):
            read(path)
    else:
        K = read(path)
        assert K.cell_labels(1) == ((0, 1),)
        assert K.attributes[1]["weight"].tolist() == [value]


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
def test_npz_of_scipy(layout, tmp_path):
    M = nx.to_scipy_sparse_array(nx.karate_club_graph(), weight="weight", format=layout)
    sparse.save_npz(tmp_path / "x.npz", M)
    K = read(tmp_path / "x.npz")
    graph = nx.karate_club_graph()
    assert edge_set(K, "weight") == {frozenset(e[:2]): e[2] for e in graph.edges(data="weight")}


# ---------------------------------------------------------------- hypergraphs


def hyperedges_of(K):
    """The hyperedges that the file named, by name; pairs of the lift have no name."""
    members = {}
    for k in range(1, K.max_rank + 1):
        if "id" in K.attributes[k]:
            cells = zip(K.attributes[k]["id"].tolist(), K.cell_labels(k), strict=True)
            members |= {name: set(cell) for name, cell in cells if name is not None}
    return members


def test_hif_of_xgi(tmp_path):
    xgi = pytest.importorskip("xgi")
    H = xgi.Hypergraph({"x": [1, 2, 3], "y": [3, 4], "z": [4, 5, 6, 7]})
    H.add_node(9, color="red")
    H.set_edge_attributes({"x": {"w": 2.5}})
    xgi.write_hif(H, tmp_path / "x.json")
    K = read(tmp_path / "x.json")
    assert K.labels == (1, 2, 3, 4, 5, 6, 7, 9)
    assert hyperedges_of(K) == H.edges.members(dtype=dict)
    assert K.attributes[0]["color"].tolist() == [None] * 7 + ["red"]
    assert K.attributes[2]["w"].tolist() == [2.5, None]
    assert K.n_cells == cl.hypergraph_complex(H.edges.members(), vertices=K.labels).n_cells


def test_simplicial_complexes_of_xgi(tmp_path):
    xgi = pytest.importorskip("xgi")
    xgi.write_hif(xgi.SimplicialComplex([["a", "b", "c"], ["c", "d"]]), tmp_path / "x.json")
    K = read(tmp_path / "x.json")
    assert K.n_cells == (4, 4, 1)
    assert K.is_simplicial


def test_hif_read_by_xgi(tmp_path):
    xgi = pytest.importorskip("xgi")
    K = cl.clique_complex(nx.karate_club_graph(), max_rank=3, weight=None)
    cl.write(K, tmp_path / "x.json")
    H = xgi.read_hif(tmp_path / "x.json")
    assert list(H.nodes) == list(K.labels) or set(H.nodes) == set(K.labels)
    cells = [set(cell) for k in (1, 2, 3) for cell in K.cell_labels(k)]
    assert H.edges.members() == cells
    ranks = H.edges.attrs("rank").aslist()
    assert ranks == [k for k in (1, 2, 3) for _ in range(K.n_cells[k])]
    xgi.write_hif(H, tmp_path / "y.json")
    L = read(tmp_path / "y.json")  # through XGI and back
    assert L.n_cells == K.n_cells
    for k in (1, 2, 3):
        assert set(map(frozenset, L.cell_labels(k))) == set(map(frozenset, K.cell_labels(k)))


@pytest.fixture
def hnx_hif(monkeypatch):
    """HyperNetX downloads the schema at every call; here it gets one that allows everything."""
    module = pytest.importorskip("hypernetx.hif")
    answer = types.SimpleNamespace(text="{}")
    monkeypatch.setattr(module, "requests", types.SimpleNamespace(get=lambda url: answer))
    return module


def test_hif_of_hypernetx(hnx_hif, tmp_path):
    import hypernetx

    groups = {"e1": ["a", "b", "c"], "e2": ["c", "d"], "e3": ["d", "a", "e", "b"]}
    hnx_hif.to_hif(hypernetx.Hypergraph(groups), filename=tmp_path / "x.json")
    K = read(tmp_path / "x.json")
    assert hyperedges_of(K) == {e: set(group) for e, group in groups.items()}
    assert set(K.labels) == set("abcde")
    assert K.weights == (None,) * 3  # HyperNetX writes a weight of 1 everywhere


def test_hif_read_by_hypernetx(hnx_hif, tmp_path):
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    cl.write(K, tmp_path / "x.json")
    H = hnx_hif.from_hif(filename=tmp_path / "x.json")
    assert set(H.nodes) == set(K.labels)
    cells = [*K.cell_labels(1), *K.cell_labels(2)]
    assert {e: set(H.edges[e]) for e in H.edges} == dict(enumerate(map(set, cells)))


def test_incidence_data_is_not_dropped_in_silence(tmp_path):
    text = '{"incidences": [{"edge": 0, "node": 1, "weight": 2}, {"edge": 0, "node": 2}]}'
    with pytest.warns(cl.CellapseWarning, match="1 incidences"):
        read(saved(tmp_path, "x.json", text))


def test_xgi_json(tmp_path):
    K = read(saved(tmp_path, "x.json", json.dumps(XGI_JSON)))
    assert K.labels == (1, 2, 3, 4)
    assert K.cell_labels(2) == ((1, 2, 3),)
    assert K.attributes[2]["w"].tolist() == [1.5]
    assert K.attributes[0]["age"].tolist() == [3, None, None, None]


def test_hyperedges_listed_again_are_counted(tmp_path):
    K = read(saved(tmp_path, "x.hyperedges", "a b c\nc d\nc b a\nd\n"))
    assert K.n_cells == (4, 4, 1)
    assert K.attributes[2]["multiplicity"].tolist() == [2]
    assert edge_set(K, "multiplicity")[frozenset("cd")] == 1
    assert edge_set(K, "multiplicity")[frozenset("ab")] is None
    same = read(saved(tmp_path, "x.txt", "a b c\nc d\nc b a\nd\n"), format="hyperedges")
    assert_same(same, K)


# ---------------------------------------------------------------- meshes


@pytest.mark.parametrize("name", ["mesh.off", "mesh.obj", "mesh.ply", "binary.ply"])
def test_meshes(name, tmp_path):
    K = read(saved(tmp_path, name, SEEDS[name]))
    assert K.n_cells == (5, 7 if name == "mesh.obj" else 6, 2)  # the OBJ has a line as well
    assert K.attributes[0]["position"].tolist() == np.array(POINTS, float).tolist()
    assert K.cell_labels(2) == (FACES[0], tuple(sorted(FACES[1])))
    if name.endswith("ply"):
        assert K.attributes[0]["red"].tolist() == [7] * 5
    assert cl.boundary_matrices(K)[1].shape == (K.n_cells[1], 2)


@pytest.mark.parametrize(("kind", "encoding"), [("off", {}), ("obj", {}),
    ("ply", {"encoding": "ascii"}), ("ply", {"encoding": "binary"})])  # fmt: skip
def test_meshes_of_trimesh(kind, encoding, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.icosphere(subdivisions=2)
    data = mesh.export(file_type=kind, **encoding)
    K = read(saved(tmp_path, f"x.{kind}", data))
    assert K.n_cells == (162, 480, 320)
    assert K.betti_numbers() == (1, 0, 1)
    assert np.allclose(K.attributes[0]["position"], mesh.vertices, atol=1e-6)


# ---------------------------------------------------------------- results


@pytest.fixture
def results():
    K = cl.clique_complex(nx.les_miserables_graph(), weight=None)
    S = cl.collapse(K, realization="screened")
    return K, S.spectrum(3), cl.cluster(S, 4)


def test_results_as_csv(results, tmp_path):
    K, spectrum, clusters = results
    cl.write(clusters, tmp_path / "x.csv")
    lines = (tmp_path / "x.csv").read_text().splitlines()
    assert lines[0] == "node,cluster"
    assert dict(line.rsplit(",", 1) for line in lines[1:]) == {
        v: str(c) for v, c in clusters.as_dict().items()
    }
    cl.write({"u": spectrum, "group": clusters, "x": range(77)}, tmp_path / "y.csv")
    table = np.genfromtxt(tmp_path / "y.csv", delimiter=",", names=True, usecols=(1, 2, 3, 4, 5))
    assert np.array_equal(table["u1"], spectrum.vectors[:, 1])
    assert np.array_equal(table["group"], clusters.numbers)
    assert table["x"].tolist() == list(range(77))
    cl.write(spectrum.vectors, tmp_path / "z.csv.gz", on=K)
    assert gzip.decompress((tmp_path / "z.csv.gz").read_bytes()).startswith(b"node,value0,value1")


def test_results_as_json_and_npz(results, tmp_path):
    K, spectrum, _ = results
    cl.write(spectrum, tmp_path / "x.json")
    cl.write(spectrum, tmp_path / "x.npz")
    document = json.loads((tmp_path / "x.json").read_text())
    with np.load(tmp_path / "x.npz", allow_pickle=False) as arrays:
        for stored in (document, arrays):
            assert list(stored["node"]) == list(K.labels)
            assert np.array_equal(stored["values"], spectrum.values)
            assert np.array_equal(stored["residuals"], spectrum.residuals)
            assert np.array_equal(stored["u2"], spectrum.vectors[:, 2])
            assert stored["n_zeros"] == 1
    with pytest.raises(cl.InputError, match="neither HIF"):
        read(tmp_path / "x.json")
    with pytest.raises(cl.InputError, match="neither a complex"):
        read(tmp_path / "x.npz")


def test_results_as_graphml(results, tmp_path):
    K, spectrum, clusters = results
    cl.write({"cluster": clusters, "u": spectrum}, tmp_path / "x.graphml", on=K)
    graph = nx.read_graphml(tmp_path / "x.graphml")
    assert list(graph) == list(K.labels)
    assert nx.get_node_attributes(graph, "cluster") == clusters.as_dict()
    assert nx.get_node_attributes(graph, "u1") == dict(
        zip(K.labels, spectrum.vectors[:, 1].tolist(), strict=True)
    )
    assert {frozenset(e) for e in graph.edges} == set(map(frozenset, K.cell_labels(1)))


def test_results_with_labels_that_are_tuples(tmp_path):
    K = cl.Complex.from_cells({0: [("A", "1"), ("A", "2")]})
    cl.write({"x": [1, None]}, tmp_path / "x.csv", on=K)
    text = (tmp_path / "x.csv").read_text()
    assert text == 'node,x\n"[""A"", ""1""]",1\n"[""A"", ""2""]",\n'


def test_doctype_is_the_only_xml_refused():
    """Predefined entities and character references are plain XML."""
    data = b"<graphml><graph><node id='&lt;&#65;'/></graph></graphml>"
    from cellapse.io.graphml import read_graphml

    assert read_graphml(data).labels == ("<A",)


def test_edges_listed_again_count_once_and_must_agree(tmp_path):
    K = read(saved(tmp_path, "x.csv", "a,b,2\nb,a,2\nb,c,3\n"))
    assert K.attributes[1]["weight"].tolist() == [2, 3]
    assert read(saved(tmp_path, "y.edges", "5 3\n3 5\n3 9\n")).cell_labels(1) == ((3, 5), (3, 9))
    with pytest.raises(cl.InputError, match=r"weight 2 .*7"):
        read(saved(tmp_path, "x.csv", "a,b,2\nb,a,7\n"))


def test_binary_ply_whose_first_face_is_not_the_longest(tmp_path):
    head, _, body = SEEDS["binary.ply"].partition(b"end_header\n")
    square, triangle = body[-30:-13], body[-13:]
    data = head + b"end_header\n" + body[:-30] + triangle + square
    K = read(saved(tmp_path, "x.ply", data))
    assert K.cell_labels(2) == (tuple(sorted(FACES[1])), FACES[0])


def test_lines_of_obj_are_edges(tmp_path):
    K = read(saved(tmp_path, "x.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nf 1 2 3\nl 3 4 1\n"))
    assert K.cell_labels(1) == ((0, 1), (0, 2), (0, 3), (1, 2), (2, 3))


@pytest.mark.parametrize("end", ["3", "3 "])
def test_a_last_line_of_one_number_is_a_lonely_vertex(end):
    """Pythons before 3.11.5 match the beginning of a line as if it were a whole one."""
    K = cl.io.FORMATS["edges"].read(f"1 2\n{end}".encode())
    assert (K.labels, K.n_cells) == ((1, 2, 3), (3, 1))


@pytest.mark.parametrize("end", ["3", "3 2", "3 2 1."])
def test_a_matrix_that_is_cut_off_is_refused(end):
    head = "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 0.5\n"
    with pytest.raises(cl.InputError):
        cl.io.FORMATS["matrix market"].read((head + end).encode())
