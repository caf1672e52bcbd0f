"""What a converter must keep: weights and attributes of every rank, tables, names, metadata."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import cellapse as cl
from cellapse import interop

METADATA = {"name": "K", "year": 1998, "source": ("a", 1)}


def rich(labels="zbacd"):
    """Weights and attributes at all ranks: numbers, words, tables, gaps."""
    z, b, a, c, d = labels
    return cl.Complex.from_cells(
        {0: [z, b, a, c, d], 1: [(a, b), (b, c), (a, c), (c, d), (d, z)], 2: [(a, b, c)]},
        weights={0: [1, 2, 3, 4, 5], 1: [1.0, 2.0, 3.0, 4.0, 0.5], 2: [7.0]},
        attributes={
            0: {
                "age": [1, 2, None, 4, 5],
                "position": np.arange(10.0).reshape(5, 2),
                "one_hot": np.arange(10).reshape(5, 2),
                "word": ["x", None, "y", "z", "q"],
                "flag": [True, False, None, True, True],
            },
            1: {"kind": [*"pqrst"], "long": [True, False, True, True, False]},
            2: {"area": [0.5], "tags": [("u", 1)]},
        },
        metadata=METADATA,
    )


def assert_columns(given, expected):
    assert {n: c.tolist() for n, c in given.items()} == {n: c.tolist() for n, c in expected.items()}
    assert {n: c.shape for n, c in given.items()} == {n: c.shape for n, c in expected.items()}


WAYS = {
    "xgi": (interop.to_xgi, "xgi"),
    "xgi simplicial": (lambda K: interop.to_xgi(K, kind="simplicial"), "xgi"),
    "toponetx": (interop.to_toponetx, "toponetx"),
    "toponetx simplicial": (lambda K: interop.to_toponetx(K, kind="simplicial"), "toponetx"),
    "toponetx cell": (lambda K: interop.to_toponetx(K, kind="cell"), "toponetx"),
    "hypernetx": (interop.to_hypernetx, "hypernetx"),
    "hypergraphx": (interop.to_hypergraphx, "hypergraphx"),
    "pandas": (interop.to_pandas, "pandas"),
    "pyg": (interop.to_pyg, "torch_geometric"),
    "networkx": (interop.to_networkx, "networkx"),
}


@pytest.mark.parametrize("labels", ["zbacd", (9, 3, 7, 1, 5)])
@pytest.mark.parametrize("way", WAYS)
def test_everything_there_and_back(way, labels):
    to, library = WAYS[way]
    pytest.importorskip(library)
    K = rich(labels)
    back = cl.as_complex(to(K), weight="weight")
    assert set(map(type, back.labels)) == set(map(type, labels))  # no numbers of NumPy
    order = [list(back.labels).index(v) for v in K.labels]
    if way not in ("hypernetx", "toponetx simplicial"):  # sets of cells, without an order
        assert order == [0, 1, 2, 3, 4]
    columns = {n: c[order] for n, c in back.attributes[0].items()}
    assert_columns(columns, K.attributes[0])
    assert back.weights[0][order].tolist() == K.weights[0].tolist()
    for k in (1,) if way == "networkx" else (1, 2):
        cells = [frozenset(cell) for cell in back.cell_labels(k)]
        order = [cells.index(frozenset(cell)) for cell in K.cell_labels(k)]
        assert back.weights[k][order].tolist() == K.weights[k].tolist()
        prefix = "edge_" if (way, k) == ("pyg", 1) else ""
        expected = {prefix + n: c for n, c in K.attributes[k].items()}
        assert_columns({n: c[order] for n, c in back.attributes[k].items()}, expected)
    assert back.metadata == ({"name": "K"} if way == "hypernetx" else METADATA)


def test_metadata_of_hypergraphx_that_it_needs_itself():
    pytest.importorskip("hypergraphx")
    K = cl.Complex.from_cells({1: [(1, 2)]}, metadata={"type": "mine", "year": 1})
    with pytest.warns(cl.CellapseWarning, match="'weighted' or 'type'"):
        H = interop.to_hypergraphx(K)
    assert cl.as_complex(H).metadata == {"year": 1}


def test_whole_numbers_with_gaps_stay_whole_in_pandas():
    pytest.importorskip("pandas")
    large = [2**60 + 1, None, 2**70]
    K = cl.Complex.from_cells({0: "abc"}, attributes={0: {"n": [2**60 + 1, None, 3], "m": large}})
    table = interop.to_pandas(K)
    assert str(table["n"].dtype) == "Int64"
    back = cl.as_complex(table)
    assert back.attributes[0]["n"].tolist() == [2**60 + 1, None, 3]
    assert back.attributes[0]["m"].tolist() == large


# --- PyG ------------------------------------------------------------------------------------------


@pytest.fixture
def pyg():
    pytest.importorskip("torch")
    return pytest.importorskip("torch_geometric.data")


def test_what_pyg_knows_of_the_whole_is_metadata(pyg):
    import torch

    index = torch.tensor([[0, 1, 2], [1, 2, 0]])  # as many edges as vertices
    data = pyg.Data(
        edge_index=index, num_nodes=3, y=torch.tensor([7]), smiles="CC", emb_1=torch.zeros(3, 2)
    )
    data.odd = object()
    data.ragged = ((1,), (1, 2))
    K = cl.as_complex(data)
    assert K.metadata == {"y": np.array([7]), "smiles": "CC", "ragged": ((1,), (1, 2))}
    assert K.attributes[0]["emb_1"].shape == (3, 2)  # of vertices: there are no ranks here


@pytest.mark.parametrize(
    "values",
    [
        [np.int64(1), None, np.float32(2.5)],
        [np.float32("nan"), 1.5, 2],
        [np.bool_(True), False, True],
        [np.float64(1e300), 1e-300, 0.0],
        [np.str_("a"), "b", None],
        pd.array([1, None, 2], dtype="Int64"),
        pd.Series(["a", None, "b"], dtype="string"),
        pd.Series([True, None, False], dtype="boolean"),
    ],
)
def test_entries_of_numpy_and_pandas_are_those_of_python(values, tmp_path):
    own = [None if v is pd.NA else v.item() if isinstance(v, np.generic) else v for v in values]
    mixed = np.empty(3, dtype=object)
    mixed[:] = list(values)
    for entries in (values, mixed):
        K = cl.Complex.from_cells({0: [0, 1, 2], 1: [(0, 1)]}, attributes={0: {"a": entries}})
        found = K.attributes[0]["a"].tolist()
        assert repr(found) == repr(own) or found == own
        for name in ("K.json", "K.npz"):
            cl.write(K, tmp_path / name)
            assert repr(cl.read(tmp_path / name).attributes[0]["a"].tolist()) == repr(found)
        if None not in own and True not in own:
            cl.write(K, tmp_path / "K.gml")
            assert repr(cl.read(tmp_path / "K.gml").attributes[0]["a"].tolist()) == repr(found)


def test_names_that_clash_in_pyg_are_refused(pyg):
    cells = {1: [(0, 1)]}
    for attributes, metadata in [
        ({0: {"edge_index": [1, 2]}}, {}),
        ({0: {"edge_kind": [1, 2]}, 1: {"kind": [1]}}, {}),
        ({0: {"age": [1, 2]}}, {"age": 3}),
    ]:
        K = cl.Complex.from_cells(cells, attributes=attributes, metadata=metadata)
        with pytest.raises(cl.InputError, match="rename"):
            interop.to_pyg(K)


def test_features_of_topobench_by_rank(pyg):
    import torch

    K = cl.clique_complex(nx.complete_graph(4))
    data = interop.to_pyg(K)
    del data.hyperedge_rank, data.hyperedge_index
    data.x_0, data.x_2 = torch.ones(4, 2), torch.arange(8.0).reshape(4, 2)
    data.hodge_laplacian_1 = torch.eye(6)
    data.x_7 = torch.ones(2)
    given = cl.as_complex(data)
    assert given.attributes[0]["x"].shape == (4, 2)
    assert given.attributes[2]["x"].tolist() == data.x_2.tolist()
    assert not given.attributes[1]
    assert list(given.metadata) == ["x_7"]


def test_weights_of_hyperedges_in_pyg(pyg):
    import torch
    from torch_geometric.data.hypergraph_data import HyperGraphData

    index = torch.tensor([[0, 1, 2, 2, 3], [0, 0, 0, 2, 2]])
    weight = torch.tensor([2.0, 99.0, 3.0])
    plain = pyg.Data(num_nodes=4, hyperedge_index=index, hyperedge_weight=weight, name="H")
    K = cl.as_complex(plain, weight="hyperedge_weight")
    assert (K.weights[2].tolist(), K.metadata) == ([2.0], {"name": "H"})
    assert K.weights[1].tolist() == [2.0, 2.0, 2.0, 3.0]
    own = HyperGraphData(x=torch.ones(4, 2), edge_index=index, edge_attr=torch.ones(3, 5))
    assert cl.as_complex(own, ranks=1).attributes[1]["edge_attr"].shape == (2, 5)
    plain.hyperedge_weight = weight[:2]
    with pytest.raises(cl.InputError, match=r"2 .*hyperedge 2"):
        cl.as_complex(plain)


def test_ranks_that_topobench_pads_are_left_out(pyg):
    import torch

    B = torch.tensor([[1.0, 0], [1, 1], [0, 1]]).to_sparse()
    data = pyg.Data(num_nodes=3, incidence_1=B, incidence_2=torch.zeros(2, 0).to_sparse())
    assert cl.as_complex(data).n_cells == (3, 2)


# --- other libraries ------------------------------------------------------------------------------


def test_the_accidental_order_of_a_set_is_no_walk():
    tnx = pytest.importorskip("toponetx")
    C = tnx.CombinatorialComplex()
    for v in (2, 1, 33, 40):
        C.add_cell([v], rank=0)
    C.add_cell([2, 1, 33, 40], rank=2)
    K = cl.as_complex(C)
    assert K.cell_labels(2) == (tuple(K.labels),)


def test_weights_of_one_count_when_they_are_asked_for():
    tnx, hgx = pytest.importorskip("toponetx"), pytest.importorskip("hypergraphx")
    C = tnx.CombinatorialComplex()
    C.add_cell([1, 2], rank=1)
    assert cl.as_complex(C, weight="weight").weights[1].tolist() == [1.0]
    assert not cl.as_complex(C).attributes[1]
    H = hgx.Hypergraph([(1, 2)], weighted=True, weights=[1.0])
    assert cl.as_complex(H, weight="weight", ranks=1).weights[1].tolist() == [1.0]
    assert not cl.as_complex(H, ranks=1).attributes[1]


def test_names_that_repeat_are_no_names():
    pytest.importorskip("xgi")
    K = cl.Complex.from_cells({1: [(1, 2), (2, 3)]}, attributes={1: {"id": ["p", "p"]}})
    assert list(interop.to_xgi(K).edges) == [0, 1]


def test_labels_of_several_types_become_positions_in_gudhi():
    pytest.importorskip("gudhi")
    tree = interop.to_gudhi(cl.Complex.from_cells({1: [(5, "a"), ("a", "b")]}))
    assert sorted(v for (v,), _ in tree.get_skeleton(0)) == [0, 1, 2]


def test_nan_of_hypernetx_is_nothing():
    hnx = pytest.importorskip("hypernetx")
    H = hnx.Hypergraph({"e": ["a", "b"]}, node_properties={"a": {"x": 1.5}, "b": {"x": np.nan}})
    K = cl.as_complex(H)
    assert dict(zip(K.labels, K.attributes[0]["x"].tolist(), strict=True)) == {"a": 1.5, "b": None}


# --- plain data -----------------------------------------------------------------------------------


def test_a_complex_takes_weight_too():
    K = cl.as_complex(nx.karate_club_graph())
    assert cl.as_complex(K, weight="weight").weights[1].tolist()[:3] == [4.0, 5.0, 3.0]
    assert cl.as_complex(K) is K
    with pytest.raises(cl.InputError, match=r"club.*weight"):
        cl.as_complex(K, weight="w")


def test_a_list_of_pairs_is_a_graph():
    assert cl.as_complex([("a", "b"), ("b", "a"), ("b", "c")]).n_cells == (3, 2)
    assert cl.as_complex([("a", "b"), ("b", "c")], ranks=2).n_cells == (3, 0, 2)


def test_meshes_as_lists_and_of_whole_numbers():
    square = [[0, 0], [1, 0], [1, 1], [0, 1.0]]
    listed, whole = [[0, 1, 2], [0, 2, 3]], np.array(square, dtype=int)
    for vertices in (square, np.array(square), whole):
        for faces in (listed, np.array(listed)):
            if vertices is whole and isinstance(faces, np.ndarray):
                continue  # could be B_1 and B_2
            K = cl.as_complex((vertices, faces))
            assert K.n_cells == (4, 5, 2)
            assert K.attributes[0]["position"].tolist() == square
    assert cl.as_complex((square, [[0, 1, 2, 3]])).n_cells == (4, 4, 1)
    tuples = [((0, 1), (1, 2)), ((1, 2), (3, 4))]  # labels that are tuples are no positions
    assert cl.as_complex(tuple(tuples)).labels == ((0, 1), (1, 2), (3, 4))
    B = cl.boundary_matrices(cl.clique_complex(nx.complete_graph(4)))
    assert cl.as_complex(tuple(b.toarray().astype(int) for b in B)).n_cells == (4, 6, 4)
    assert cl.as_complex(tuple(sparse.csr_array(b) for b in B)).n_cells == (4, 6, 4)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ([[0.1, 0.2], [0.3, 0.4]], "points.*rips_complex"),
        ({0: [1, 2, 3], 1: [3, 4]}, "hyperedges.*ranks="),
        ({1: [1, 2, 3], 2: [3, 4]}, "hyperedges.*ranks="),
        ({7: [1, 2, 3], 8: [3, 4]}, "ranks.*ranks="),
        (np.arange(12).reshape(4, 3), "symmetric"),
        (np.arange(16).reshape(4, 4), "symmetric"),
    ],
)
def test_what_could_be_misread_is_explained(source, words):
    with pytest.raises(cl.InputError, match=words):
        cl.as_complex(source)


def test_tensors_are_arrays():
    torch = pytest.importorskip("torch")
    index = torch.tensor([[0, 1, 2], [1, 2, 3]])
    assert cl.as_complex(index).n_cells == (4, 3)
    assert cl.as_complex([torch.tensor([4, 5, 6]), torch.tensor([6, 7])]).labels == (4, 5, 6, 7)
    ones = torch.ones(4, 4, requires_grad=True)
    for tensor in (ones, ones.to_sparse(), ones.detach().to_sparse_csr()):
        with pytest.warns(cl.CellapseWarning, match="4 self-loops"):
            assert cl.as_complex(tensor).n_cells == (4, 6)
    with pytest.raises(cl.InputError, match="two"):
        cl.as_complex(torch.ones(2, 2, 2).to_sparse())


def test_fractions_may_be_labels():
    assert cl.as_complex([("a", 2.5), (2.5, "b")]).labels == ("a", 2.5, "b")
    assert cl.as_complex([("a", 2.5), ("b", 2.5)]).n_cells == (3, 2)
    assert cl.as_complex([("a", "b", "c", 2.5)]).n_cells == (4, 6, 1)


def test_zeros_that_a_matrix_stores_are_no_members():
    B = sparse.csc_array(([1.0, -1.0, 0.0], ([0, 1, 2], [0, 0, 0])), shape=(3, 1))
    assert B.nnz == 3
    assert cl.as_complex([B]).cell_labels(1) == ((0, 1),)


def test_cells_may_come_from_generators():
    assert cl.as_complex({1: (pair for pair in [(1, 2), (2, 3)])}).n_cells == (3, 2)


@given(st.lists(st.lists(st.integers() | st.floats() | st.booleans(), max_size=3), max_size=4))
def test_rows_of_numbers_are_a_table_and_nothing_changes(rows):
    K = cl.Complex.from_cells({0: range(len(rows) + 1)}, attributes={0: {"x": [*rows, [1]]}})
    column = K.attributes[0]["x"]
    lengths = {len(row) for row in rows} | {1}
    assert len(column) == len(rows) + 1
    assert column.ndim == 1 or lengths == {1}
    assert repr(column.astype(object).tolist()) == repr([*rows, [1]]) or column.ndim == 2
