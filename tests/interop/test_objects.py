"""Every converter against the real library, both ways; mistakes of peers that ours avoids."""

import subprocess
import sys
import tomllib
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from scipy import sparse
from strategies import clique_complexes, closed, combinatorial_complexes, weighted

import cellapse as cl
from cellapse import interop

MIXED = ["b", 1, ("t", 2), "a", 2.5, frozenset({9})]


def mixed_complex():
    """Labels of all types in an order that no sorting gives, weights, and attributes with gaps."""
    a, b, c, d, e, _ = MIXED
    return cl.Complex.from_cells(
        {0: MIXED, 1: [(b, a), (c, a), (b, c), (d, e)], 2: [(c, b, a)]},
        weights={1: [1.0, 2.0, 3.0, 0.5]},
        attributes={
            0: {"age": [1, 2, 3, 4, 5, 6], "town": ["Ulm", None, "Bonn", None, None, "Kiel"]},
            1: {"kind": ["x", "y", "x", None]},
            2: {"area": [0.5]},
        },
    )


def facts(K):
    """Everything a complex holds, with cells as sets: what a round trip must keep."""
    cells = []
    for rank in range(K.max_rank + 1):
        named = {n: c.tolist() for n, c in K.attributes[rank].items()}
        w = K.weights[rank]
        for i, cell in enumerate(K.cell_labels(rank)):
            members = frozenset(cell) if rank else cell
            record = {n: v[i] for n, v in named.items() if v[i] is not None}
            weight = None if w is None else w[i]
            cells.append((rank, members, weight, tuple(sorted(record.items()))))
    return cells


def assert_same(K, back):
    assert list(back.labels) == list(K.labels)
    assert facts(back) == facts(K)


def has_weights(K):
    # A rank without cells has none, also where its list of weights is there and empty.
    return "weight" if any(w is not None and len(w) for w in K.weights) else None


# --- both ways ------------------------------------------------------------------------------------


def test_networkx_both_ways():
    K = mixed_complex()
    graph = interop.to_networkx(K)
    assert list(graph) == MIXED
    assert graph.edges[1, "b"] == {"weight": 1.0, "kind": "x"}
    assert graph.nodes[1] == {"age": 2}
    assert_same(K.skeleton(1), cl.as_complex(graph, weight="weight"))


@given(clique_complexes(max_rank=1))
def test_networkx_round_trips_lose_nothing(K):
    K = K.with_attributes(
        {0: {"name": [f"v{v}" for v in K.labels]}}, {0: 1.0 + np.arange(len(K.labels))}
    )
    if K.max_rank:
        K = K.with_attributes({}, {1: 0.5 + np.arange(K.n_cells[1])})
    assert_same(K, cl.as_complex(interop.to_networkx(K), weight="weight"))


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (nx.DiGraph([(1, 2)]), "to_undirected"),
        (nx.MultiGraph([(1, 2), (1, 2)]), r"nx.Graph\(graph\)"),
        (nx.MultiDiGraph([(1, 2)]), "to_undirected"),
    ],
)
def test_graphs_that_are_no_complexes_are_explained(graph, words):
    with pytest.raises(cl.InputError, match=words):
        cl.as_complex(graph)


def test_a_subclass_of_a_graph_is_read_as_one():
    class Mine(nx.Graph):
        pass

    assert cl.as_complex(Mine([(1, 2)])).n_cells == (2, 1)


def test_xgi_both_ways():
    xgi = pytest.importorskip("xgi")
    K = mixed_complex()
    H = interop.to_xgi(K)
    assert isinstance(H, xgi.Hypergraph)
    assert list(H.nodes) == MIXED
    assert_same(K, cl.as_complex(H, weight="weight"))


@given(weighted(combinatorial_complexes()))
def test_xgi_round_trips_lose_nothing(K):
    pytest.importorskip("xgi")
    assert_same(K, cl.as_complex(interop.to_xgi(K), weight=has_weights(K)))


@given(clique_complexes())
def test_xgi_simplicial_complexes_both_ways(K):
    pytest.importorskip("xgi")
    if not K.is_simplicial:
        with pytest.raises(cl.InputError, match="hypergraph"):
            interop.to_xgi(K, kind="simplicial")
        return
    assert_same(K, cl.as_complex(interop.to_xgi(K, kind="simplicial")))


def test_hyperedges_given_twice_are_one_cell_that_says_so():
    xgi = pytest.importorskip("xgi")
    H = xgi.Hypergraph()
    H.add_nodes_from("abcd")
    H.add_edge("abc", "x", w=2.0, kind="first")
    H.add_edge("bca", "y", w=3.0, kind="second")
    H.add_edge("cd", "z", w=1.0)
    K = cl.as_complex(H, weight="w")
    assert K.n_cells == (4, 4, 1)
    assert K.weights[2].tolist() == [5.0]
    assert dict(zip(K.cell_labels(1), K.weights[1], strict=True))["a", "b"] == 5.0
    assert {n: c.tolist() for n, c in K.attributes[2].items()} == {
        "kind": ["first"],
        "id": ["x"],
        "multiplicity": [2],
    }
    assert K.attributes[1]["id"].tolist().count("z") == 1  # pairs of the lift have no name
    plain = cl.as_complex(H, ranks=1)
    assert plain.n_cells == (4, 2)
    assert plain.weights == (None, None)
    assert plain.attributes[1]["w"].tolist() == [2.0, 1.0]


def test_ranks_say_where_hyperedges_go():
    groups = [("a", "b", "c", "d"), ("a", "b"), ("c",), ("b", "c", "d")]
    assert cl.as_complex(groups).n_cells == (4, 6, 2)
    assert cl.as_complex(groups, ranks="size").n_cells == (4, 1, 1, 1)
    assert cl.as_complex(groups, ranks=1).n_cells == (4, 3)
    assert cl.as_complex(groups, ranks=lambda cell: len(cell) // 2 or 1).n_cells == (4, 2, 1)
    named = cl.as_complex({"p": ["a", "b", "c"], "q": ["c", "d"]}, ranks=2)
    assert named.attributes[2]["id"].tolist() == ["p", "q"]


@pytest.mark.parametrize("ranks", ["order", 0, -1, 1.5, lambda cell: 0, True])
def test_ranks_that_make_no_sense_are_refused(ranks):
    with pytest.raises(cl.InputError, match="rank"):
        cl.as_complex([("a", "b")], ranks=ranks)


def test_toponetx_both_ways():
    tnx = pytest.importorskip("toponetx")
    K = mixed_complex()
    C = interop.to_toponetx(K)
    assert isinstance(C, tnx.CombinatorialComplex)
    back = cl.as_complex(C)  # rank 1 has weights, other cells TopoNetX's weight of one
    assert back.weights[1].tolist() == K.weights[1].tolist()
    assert [m for _, m, *_ in facts(back)] == [m for _, m, *_ in facts(K)]
    assert back.attributes[0]["age"].tolist() == [1, 2, 3, 4, 5, 6]
    with pytest.raises(cl.InputError, match="combinatorial"):
        interop.to_toponetx(K, kind="simplicial")  # TopoNetX cannot sort these labels


@given(combinatorial_complexes())
def test_toponetx_combinatorial_round_trips(K):
    pytest.importorskip("toponetx")
    assert_same(K, cl.as_complex(interop.to_toponetx(K)))


@given(clique_complexes())
def test_toponetx_simplicial_round_trips(K):
    pytest.importorskip("toponetx")
    if K.is_simplicial:
        K = K.with_attributes({0: {"name": [f"v{i}" for i in range(K.n_vertices)]}})
        back = cl.as_complex(interop.to_toponetx(K, kind="simplicial"))
        assert sorted(facts(back), key=repr) == sorted(facts(K), key=repr)


def test_toponetx_cell_complexes_keep_the_walk_along_a_polygon():
    tnx = pytest.importorskip("toponetx")
    C = tnx.CellComplex()
    C.add_cell(["d", "a", "c", "b"], rank=2, colour="red")
    C.add_edge("b", "e", length=2.0)
    K = cl.as_complex(C)
    assert K.n_cells == (5, 5, 1)
    assert cl.is_chain_complex(cl.boundary_matrices(K))
    assert K.attributes[2]["colour"].tolist() == ["red"]
    assert_same(K, cl.as_complex(interop.to_toponetx(K, kind="cell")))
    with pytest.raises(cl.InputError, match="combinatorial"):
        interop.to_toponetx(cl.Complex.from_cells({2: [("a", "b", "c")]}), kind="cell")


def test_the_order_that_toponetx_changes_stays_ours():
    tnx = pytest.importorskip("toponetx")
    graph = nx.Graph([("c", "a"), ("a", "b"), ("b", "d")])
    assert list(cl.as_complex(graph).labels) == ["c", "a", "b", "d"]
    peer = tnx.SimplicialComplex(graph)
    index = peer.incidence_matrix(1, index=True)[0]
    assert [key[0] for key in index] == ["a", "b", "c", "d"]  # features would be misaligned
    K = cl.as_complex(peer)
    B = cl.incidence_matrices(K)[0].toarray()
    c = list(K.labels).index("c")
    assert B[c].sum() == 1  # row and label belong together


def test_toponetx_ignores_weights_that_ours_count():
    tnx = pytest.importorskip("toponetx")
    peer = tnx.SimplicialComplex([[1, 2], [2, 3]])
    peer.set_simplex_attributes({(1, 2): {"w": 4.0}, (2, 3): {"w": 9.0}})
    assert abs(peer.incidence_matrix(1, weight="w")).max() == 1
    K = cl.as_complex(peer, weight="w")
    assert sorted(cl.graph_laplacian(K).toarray().diagonal()) == [4.0, 9.0, 13.0]


def test_gudhi_both_ways():
    pytest.importorskip("gudhi")
    points = np.random.default_rng(0).random((30, 2))
    K = cl.lifts.rips_complex(points, 0.4, max_rank=3)
    tree = interop.to_gudhi(K)
    assert tree.num_simplices() == sum(K.n_cells)
    back = cl.as_complex(tree)
    assert back.n_cells == K.n_cells
    for k in range(1, 4):
        ours = dict(zip(K.cell_labels(k), K.attributes[k]["filtration"], strict=True))
        theirs = dict(zip(back.cell_labels(k), back.attributes[k]["filtration"], strict=True))
        assert ours == theirs


def test_gudhi_keeps_whole_numbers_as_labels():
    gudhi = pytest.importorskip("gudhi")
    tree = gudhi.SimplexTree()
    tree.insert([7, 3, 100])
    K = cl.as_complex(tree)
    assert sorted(K.labels) == [3, 7, 100]
    assert K.n_cells == (3, 3, 1)
    again = interop.to_gudhi(K)
    assert again.find([3, 7, 100])
    assert again.num_vertices() == 3
    with pytest.raises(cl.InputError, match="faces"):
        interop.to_gudhi(cl.Complex.from_cells({2: [(1, 2, 3)]}))
    with pytest.raises(cl.InputError, match="create_simplex_tree"):
        cl.as_complex(gudhi.RipsComplex(points=[[0.0], [1.0]]))
    with pytest.raises(cl.InputError, match="empty"):
        cl.as_complex(gudhi.SimplexTree())


def test_hypernetx_both_ways():
    hnx = pytest.importorskip("hypernetx")
    H = hnx.Hypergraph({"e1": ["a", "b", "c"], "e2": ["c", "d"]})
    K = cl.as_complex(H)
    assert K.n_cells == (4, 4, 1)
    assert K.attributes[2]["id"].tolist() == ["e1"]
    K = cl.Complex.from_cells(
        {1: [("a", "b"), ("b", "c"), ("a", "c")], 2: [("a", "b", "c")]},
        attributes={2: {"id": ["t"], "kind": ["x"]}, 1: {"id": ["p", "q", "r"]}},
    )
    assert_same(K, cl.as_complex(interop.to_hypernetx(K)))


def test_hypergraphx_both_ways():
    hgx = pytest.importorskip("hypergraphx")
    H = hgx.Hypergraph([("a", "b", "c"), ("c", "d")], weighted=True, weights=[2.0, 3.0])
    K = cl.as_complex(H, weight="weight", ranks=1)
    assert K.weights[1].tolist() == [2.0, 3.0]
    K = cl.Complex.from_cells(
        {0: ["z", "a", "b", "c"], 1: [("a", "b"), ("b", "c")], 2: [("a", "b", "c")]},
        weights={1: [1.0, 2.0], 2: [3.0]},
        attributes={0: {"age": [1, 2, 3, 4]}, 2: {"kind": ["x"]}},
    )
    assert_same(K, cl.as_complex(interop.to_hypergraphx(K), weight="weight"))
    with pytest.raises(cl.InputError, match="to_xgi"):
        interop.to_hypergraphx(mixed_complex())


def test_pandas_both_ways():
    pd = pytest.importorskip("pandas")
    K = mixed_complex()
    table = interop.to_pandas(K)
    assert len(table) == sum(K.n_cells)
    back = cl.as_complex(table)
    assert list(back.labels) == MIXED
    assert back.weights[1].tolist() == K.weights[1].tolist()
    edges = pd.DataFrame({"source": ["b", "a"], "target": ["a", "c"], "w": [1.0, 2.0]})
    K = cl.as_complex(edges, weight="w")
    assert list(K.labels) == ["b", "a", "c"]
    assert K.weights[1].tolist() == [1.0, 2.0]
    with pytest.raises(cl.InputError, match="rename"):
        cl.as_complex(edges.rename(columns={"source": "from"}))


# --- PyG ------------------------------------------------------------------------------------------


def test_pyg_graphs_list_both_directions_and_are_read_once():
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data").Data(
        x=torch.eye(4),
        edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]),
        edge_weight=torch.tensor([2.0, 2.0, 3.0, 3.0]),
    )
    K = cl.as_complex(data, weight="edge_weight")
    assert K.n_cells == (4, 2)
    assert K.weights[1].tolist() == [2.0, 3.0]
    assert K.attributes[0]["x"].shape == (4, 4)
    data.edge_weight = torch.tensor([2.0, 1.0, 3.0, 3.0])
    with pytest.raises(cl.InputError, match="symmetric"):
        cl.as_complex(data)


def test_pyg_meshes_hyperedges_and_points():
    torch = pytest.importorskip("torch")
    pyg = pytest.importorskip("torch_geometric.data")
    face = torch.tensor([[0, 0], [1, 2], [2, 3]])
    mesh = cl.as_complex(pyg.Data(pos=torch.zeros(4, 3), face=face))
    assert mesh.n_cells == (4, 5, 2)
    assert mesh.attributes[0]["pos"].shape == (4, 3)
    index = torch.tensor([[0, 1, 2, 2, 3], [0, 0, 0, 1, 1]])
    assert cl.as_complex(pyg.Data(num_nodes=5, hyperedge_index=index)).n_cells == (5, 4, 1)
    assert cl.as_complex(pyg.Data(num_nodes=5, hyperedge_index=index), ranks=1).n_cells == (5, 2)
    with pytest.raises(cl.InputError, match="nearest_neighbour_complex"):
        cl.as_complex(pyg.Data(pos=torch.zeros(4, 3)))


def test_topobench_incidences_are_read_as_cells():
    torch = pytest.importorskip("torch")
    pyg = pytest.importorskip("torch_geometric.data")
    K = cl.clique_complex(nx.complete_graph(4), max_rank=3)
    B = cl.boundary_matrices(K)
    given = {f"incidence_{k}": torch.tensor(b.toarray()).to_sparse() for k, b in enumerate(B, 1)}
    data = pyg.Data(x_0=torch.zeros(4, 2), x_1=torch.ones(6, 3), num_nodes=4, **given)
    back = cl.as_complex(data)
    assert [c.indices.tolist() for c in back.cells] == [c.indices.tolist() for c in K.cells]
    assert back.attributes[1]["x"].shape == (6, 3)


@given(closed)
def test_pyg_round_trips(K):
    pytest.importorskip("torch_geometric")
    data = interop.to_pyg(K)
    back = cl.as_complex(data, weight="edge_weight" if "edge_weight" in data else None)
    assert [c.indices.tolist() for c in back.cells if len(c)] == [
        c.indices.tolist() for c in K.cells if len(c)
    ]
    for k in range(1, K.max_rank + 1):
        assert tuple(data[f"incidence_{k}"].shape) == (K.n_cells[k - 1], K.n_cells[k])


# --- plain data -----------------------------------------------------------------------------------


def test_plain_data():
    K = cl.Complex.from_cells({1: [(0, 1), (1, 2), (0, 2)], 2: [(0, 1, 2)]})
    assert cl.as_complex(K) is K
    assert_same(K, cl.as_complex({1: [(0, 1), (1, 2), (0, 2)], 2: [(0, 1, 2)]}))
    assert_same(K, cl.as_complex(list(cl.boundary_matrices(K))))
    assert_same(K, cl.as_complex([b.toarray() for b in cl.incidence_matrices(K)]))
    edges = np.array([[0, 1, 0], [1, 2, 2]])
    assert cl.as_complex(edges).n_cells == cl.as_complex(edges.T).n_cells == (3, 3)
    adjacency = interop.to_scipy(K)
    assert cl.as_complex(adjacency, weight="w").weights[1].tolist() == [1.0] * 3
    assert cl.as_complex(sparse.csr_matrix(adjacency)).n_cells == (3, 3)
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    assert cl.as_complex((square, np.array([[0, 1, 2], [0, 2, 3]]))).n_cells == (4, 5, 2)


@given(clique_complexes())
def test_matrices_hold_the_cells_they_came_from(K):
    if K.is_simplicial and K.max_rank and K.n_cells[-1]:
        assert_same(K, cl.as_complex(cl.boundary_matrices(K)))


def test_to_scipy_gives_what_sklearn_and_others_accept():
    A = interop.to_scipy(cl.as_complex(nx.karate_club_graph(), weight="weight"))
    assert isinstance(A, sparse.csr_array)
    assert A.indices.dtype == A.indptr.dtype == np.int32
    assert isinstance(
        interop.to_scipy(cl.as_complex([(1, 2)]), container="matrix"), sparse.csr_matrix
    )
    assert abs(A - nx.to_scipy_sparse_array(nx.karate_club_graph())).max() == 0


def test_trimesh_and_rdkit():
    trimesh = pytest.importorskip("trimesh")
    K = cl.as_complex(trimesh.creation.icosahedron())
    assert K.n_cells == (12, 30, 20)
    assert K.euler_characteristic() == 2
    Chem = pytest.importorskip("rdkit.Chem")
    naphthalene = cl.as_complex(Chem.MolFromSmiles("c1ccc2ccccc2c1"))
    assert naphthalene.n_cells == (10, 11, 2)
    assert naphthalene.attributes[0]["element"].tolist() == ["C"] * 10
    cubane = cl.as_complex(Chem.MolFromSmiles("C12C3C4C1C5C2C3C45"))
    assert cubane.n_cells == (8, 12, 6)  # all six faces, though five would be a basis


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        (7, {}, "cannot"),
        ("file.gml", {}, "file.gml"),
        (np.zeros((5, 3)), {}, "rips_complex"),
        (np.zeros((5, 3), dtype=int), {}, "array"),
        ([("a", "b")], {"weight": "w"}, "weight"),
        (nx.path_graph(3), {"weight": "w"}, "weight='w'"),
        (nx.path_graph(3), {"ranks": 2}, "leave"),
        (cl.Complex.from_cells({1: [(1, 2)]}), {"ranks": 2}, "leave"),
        ([np.array([[1, 0], [1, 0]])], {}, "column 1 of B_1"),
        ([("a", "b"), ()], {}, "empty"),
        ([["a", []]], {}, "hashed"),
        ([], {}, "vertex"),
    ],
)
def test_errors_say_what_to_do(source, options, words):
    with pytest.raises(cl.InputError, match=words):
        cl.as_complex(source, **options)


def test_missing_weights_are_named():
    xgi = pytest.importorskip("xgi")
    H = xgi.Hypergraph([["a", "b"], ["b", "c"]])
    with pytest.raises(cl.InputError, match="none"):
        cl.as_complex(H, weight="w")
    H.set_edge_attributes({0: {"w": 1.0}})
    with pytest.raises(cl.InputError, match=r"\('b', 'c'\).*'w'"):
        cl.as_complex(H, weight="w")
    with pytest.raises(cl.InputError, match="direction"):
        cl.as_complex(xgi.DiHypergraph([({1}, {2})]))


def test_importing_cellapse_imports_no_other_library():
    heavy = "gudhi hypergraphx hypernetx pandas rdkit toponetx torch trimesh xgi"
    code = f"import cellapse, sys; print([m for m in '{heavy}'.split() if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_metadata_survives(tmp_path):
    graph = nx.path_graph(["a", "b", "c"])
    graph.graph |= {"name": "path", "year": 1998}
    K = cl.as_complex(graph)
    assert K.metadata == {"name": "path", "year": 1998}
    assert cl.interop.to_networkx(K).graph == graph.graph
    assert cl.clique_complex(graph).metadata == K.metadata
    assert K.skeleton(0).metadata == K.with_attributes({}).metadata == K.metadata
    for name in ("x.json", "x.npz", "x.graphml"):
        cl.write(K, tmp_path / name)
        assert cl.read(tmp_path / name).metadata == K.metadata
    nx.write_gml(graph, tmp_path / "x.gml")
    nx.write_graphml(graph, tmp_path / "y.graphml")
    assert cl.read(tmp_path / "x.gml").metadata == K.metadata
    assert cl.read(tmp_path / "y.graphml").metadata == K.metadata
    assert nx.read_graphml(tmp_path / "x.graphml").graph["year"] == 1998
    with pytest.raises(cl.InputError, match="metadata"):
        cl.Complex.from_cells({1: [(1, 2)]}, metadata=["x"])
    with pytest.raises(cl.InputError, match="rename"):
        cl.write(cl.Complex.from_cells({0: "a"}, metadata={"cellapse": 1}), tmp_path / "x.json")


def test_metadata_of_xgi_survives(tmp_path):
    xgi = pytest.importorskip("xgi")
    H = xgi.Hypergraph([["a", "b", "c"]], name="calls")
    K = cl.as_complex(H)
    assert K.metadata == {"name": "calls"}
    assert cl.interop.to_xgi(K)["name"] == "calls"
    cl.write(K, tmp_path / "x.json")
    assert xgi.read_hif(str(tmp_path / "x.json"))["name"] == "calls"


def test_names_that_are_no_strings_are_left_out():
    graph = nx.Graph([(0, 1, {7: "x", "kind": "y"})])
    graph.nodes[0][("a", 1)] = 2
    assert cl.clique_complex(graph).attributes[1].keys() == {"kind"}
    with pytest.warns(cl.CellapseWarning, match="strings"):
        K = cl.as_complex(graph)
    assert K.attributes[1].keys() == {"kind"}
    assert not K.attributes[0]


def test_hypergraphs_of_pyg():
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data")
    index = torch.tensor([[0, 1, 2, 2, 3], [5, 5, 5, 9, 9]])
    expected = cl.as_complex([(0, 1, 2), (2, 3)])
    from torch_geometric.data.hypergraph_data import HyperGraphData

    H = HyperGraphData(x=torch.ones(4, 2), edge_index=index)
    B = torch.tensor([[1.0, 0], [1, 0], [1, 1], [0, 1]]).to_sparse()
    for source in (H, data.Data(num_nodes=4, hyperedge_index=index),
                   data.Data(num_nodes=4, incidence_hyperedges=B)):  # fmt: skip
        K = cl.as_complex(source)
        assert K.n_cells == (4, 4, 1)
        assert K.cell_labels(2) == expected.cell_labels(2)


def test_copies_sum_their_weights_and_are_counted():
    xgi = pytest.importorskip("xgi")
    H = xgi.Hypergraph()
    H.add_edges_from(
        [([*"abc"], 0, {"w": 1.0}), ([*"cab"], 1, {"w": 2.0}), ([*"cd"], 2, {"w": 5.0})]
    )
    K = cl.as_complex(H, weight="w")
    assert K.weights[2].tolist() == [3.0]
    assert K.weights[1].tolist() == [3.0, 3.0, 3.0, 5.0]
    assert K.attributes[2]["multiplicity"].tolist() == [2]
    assert K.attributes[1]["multiplicity"].tolist() == [None, None, None, 1]
    R = cl.as_complex(H, weight="w", ranks="size")
    assert (R.weights[2].tolist(), R.weights[1].tolist()) == ([3.0], [5.0])


@pytest.mark.parametrize(
    ("library", "call", "name"),
    [
        ("gudhi", cl.interop.to_gudhi, "topology"),
        ("hypergraphx", cl.interop.to_hypergraphx, "topology"),
        ("hypernetx", cl.interop.to_hypernetx, "topology"),
        ("pandas", cl.interop.to_pandas, "pandas"),
        ("torch", cl.interop.to_pyg, "torch"),
        ("toponetx", cl.interop.to_toponetx, "topology"),
        ("xgi", cl.interop.to_xgi, "topology"),
        ("rdkit", lambda K: cl.molecule_complex("CC"), "molecule"),
        ("gemmi", lambda K: cl.protein_complex(K), "protein"),
    ],
)
def test_a_missing_library_names_its_extra(library, call, name, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    for module in [m for m in sys.modules if m.startswith(library + ".")]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(cl.MissingExtraError, match=rf"cellapse\[{name}\]"):
        call(cl.Complex.from_cells({1: [(0, 1)]}))
    project = Path(__file__).parents[2] / "pyproject.toml"
    if project.exists():
        extras = tomllib.loads(project.read_text())["project"]["optional-dependencies"]
        assert any(wanted.startswith(library) for wanted in extras[name])


@pytest.mark.parametrize(
    "make", [cl.graph_laplacian, cl.collapse, lambda K: cl.collapse(K, "unfolded", onto=1)]
)
def test_an_operator_is_no_adjacency(make):
    """Its matrix could be read as one: 561 edges of the karate club, which has 78."""
    S = make(cl.clique_complex(nx.karate_club_graph(), weight=None))
    with pytest.raises(cl.InputError, match=r"operator.*complex"):
        cl.as_complex(S)
    with pytest.raises(cl.InputError, match=r"operator.*complex"):
        cl.collapse(S, "unfolded")
