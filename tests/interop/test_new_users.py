"""NPZ files, hypergraphx, HyperNetX and PyG as a new user meets them: what goes wrong is said."""

import numpy as np
import pytest
from scipy import sparse

import cellapse as cl
from cellapse.interop import to_hypergraphx, to_hypernetx, to_pyg, to_xgi
from cellapse.io import understand

CELLS = {1: [[0, 1], [1, 2], [0, 2], [2, 3]], 2: [[0, 1, 2]]}
ADJACENCY = np.array([[0, 2.0, 0], [2, 0, 1], [0, 1, 0]])


def complex_of(**options):
    return cl.Complex.from_arrays(4, CELLS, **options)


# ---------------------------------------------------------------- .npz


def test_a_dense_matrix_alone_in_an_npz_is_the_adjacency(tmp_path):
    np.savez(tmp_path / "a.npz", A=ADJACENCY)
    what = understand(tmp_path / "a.npz")
    assert what.complex.weights[1].tolist() == [2, 1]
    assert "the matrix 'A' is the adjacency" in what.facts


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"edge_index": np.array([[0, 1], [1, 2]])}, "as_complex"),
        ({"A": ADJACENCY, "B": ADJACENCY}, "as_complex"),
        ({"row": np.arange(3), "col": np.arange(3)}, "as_complex"),
    ],
)
def test_other_arrays_are_left_to_as_complex(arrays, words, tmp_path):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(cl.InputError, match=words):
        cl.read(tmp_path / "a.npz")


@pytest.mark.parametrize("kind", [sparse.bsr_array, sparse.dia_array])
def test_sparse_layouts_that_are_not_read_are_named(kind, tmp_path):
    sparse.save_npz(tmp_path / "a.npz", kind(ADJACENCY))
    with pytest.raises(cl.InputError, match="tocsr"):
        cl.read(tmp_path / "a.npz")


def test_repeated_entries_are_told(tmp_path):
    matrix = sparse.coo_array(([1.0] * 4, ([0, 1, 0, 1], [1, 0, 1, 0])), shape=(3, 3))
    sparse.save_npz(tmp_path / "a.npz", matrix)
    for source in (tmp_path / "a.npz", matrix):
        assert "2 repeated entries are added up" in understand(source).facts


def test_files_of_others_are_left_to_them(tmp_path):
    np.save(tmp_path / "a.npy", ADJACENCY)
    with pytest.raises(cl.InputError, match=r"numpy\.load.*as_complex"):
        cl.read(tmp_path / "a.npy")


# ---------------------------------------------------------------- lists of graphs


def test_a_list_of_graphs_is_no_list_of_cells():
    nx = pytest.importorskip("networkx")
    graphs = [nx.path_graph(3), nx.path_graph(4)]
    many = [graphs, tuple(graphs), {"a": graphs[0]}, [cl.as_complex(graphs[0])]]
    for source in many:
        with pytest.raises(cl.InputError, match="one"):
            cl.as_complex(source)


# ---------------------------------------------------------------- hypergraphs


@pytest.mark.parametrize(
    ("library", "write"),
    [("hypergraphx", to_hypergraphx), ("hypernetx", to_hypernetx), ("xgi", to_xgi)],
)
def test_an_attribute_called_rank_is_refused(library, write):
    pytest.importorskip(library)
    with pytest.raises(cl.InputError, match="rename"):
        write(complex_of(attributes={1: {"rank": [1, 2, 3, 4]}}))


@pytest.mark.parametrize("label", [("A", 0), ("A", 1)])
def test_labels_that_hypernetx_takes_apart_are_refused(label):
    pytest.importorskip("hypernetx")
    with pytest.raises(cl.InputError, match="to_xgi"):
        to_hypernetx(complex_of(labels=[label, "b", "c", "d"]))


def test_what_hypernetx_has_no_place_for_is_told():
    pytest.importorskip("hypernetx")
    alone = cl.Complex.from_arrays(5, CELLS)
    with pytest.warns(cl.CellapseWarning, match="1 vert"):
        to_hypernetx(alone)
    with pytest.warns(cl.CellapseWarning, match="'year'"):
        to_hypernetx(complex_of(metadata={"name": "x", "year": 3}))
    with pytest.warns(cl.CellapseWarning, match="'_x'"):
        to_hypernetx(complex_of(attributes={1: {"_x": [1, 2, 3, 4]}}))


def test_weights_of_incidences_are_told():
    hypernetx = pytest.importorskip("hypernetx")
    weighted = {"e": {"a": {"weight": 2.0}, "b": {"weight": 1.0}}}
    with pytest.warns(cl.CellapseWarning, match="own"):
        cl.as_complex(hypernetx.Hypergraph(weighted))


# ---------------------------------------------------------------- PyG


@pytest.fixture
def data():
    pytest.importorskip("torch_geometric")
    import torch
    from torch_geometric.data import Data

    return lambda index, **fields: Data(edge_index=torch.tensor(index), **fields)


def tensor(values, **options):
    import torch

    return torch.tensor(values, **options)


BOTH = [[0, 1, 1, 2], [1, 0, 2, 1]]


@pytest.mark.parametrize("index", [[[0.0, 1.5], [1, 2]], [[0, 1], [1, 2], [2, 0]], [0, 1]])
def test_an_edge_index_that_is_none_is_refused(index, data):
    with pytest.raises(cl.InputError, match="rows"):
        cl.as_complex(data(index, num_nodes=3))


def test_data_without_anything_is_refused_in_words(data):
    from torch_geometric.data import Data, HeteroData

    with pytest.raises(cl.InputError, match="adj_t"):
        cl.as_complex(Data())
    with pytest.raises(cl.InputError, match="to_homogeneous"):
        cl.as_complex(HeteroData())
    with pytest.raises(cl.InputError, match="one"):
        cl.as_complex([data(BOTH, num_nodes=3)] * 2)


def test_loops_of_pyg_are_kept_as_the_note_says(data):
    looped = data([[0, 0, 1], [0, 1, 0]], num_nodes=2)
    assert any('loops="keep"' in text for text in understand(looped).losses)
    assert cl.as_complex(looped, loops="keep").attributes[0]["loop"].tolist() == [1, 0]
    with pytest.raises(cl.InputError, match="self-loop"):
        cl.as_complex(looped, loops="refuse")
    with pytest.raises(cl.InputError, match="coalesce"):
        cl.as_complex(looped, repeats="count")


def test_rules_for_graphs_are_refused_where_there_is_none(data):
    hyper = data(BOTH, hyperedge_index=tensor([[0, 1, 2], [0, 0, 0]]), num_nodes=3)
    with pytest.raises(cl.InputError, match="graphs"):
        cl.as_complex(hyper, loops="keep")


def test_directions_and_repeats_are_told(data):
    assert understand(data(BOTH, num_nodes=3)).facts == ()
    one_way = understand(data([[0, 1], [1, 2]], num_nodes=3)).facts
    assert one_way == ("2 edges are listed in one direction only, which is ignored",)
    twice = understand(data([[0, 0, 1], [1, 1, 0]], num_nodes=2)).facts
    assert twice == ("1 repeated edges are counted once",)


def test_what_is_left_out_of_a_data_is_told(data):
    import torch

    short = understand(data(BOTH, edge_attr=tensor([1.0]), num_nodes=3))
    assert "'edge_attr' has no value for each of the 4 arcs" in short.losses[0]
    for x in (torch.eye(3).to_sparse(), torch.eye(3).to_sparse_csr()):
        assert "sparse" in understand(data(BOTH, x=x, num_nodes=3)).losses[0]
    half = cl.as_complex(data(BOTH, x=torch.ones(3, 2, dtype=torch.bfloat16)))
    assert half.attributes[0]["x"].tolist() == [[1, 1]] * 3


def test_weights_of_hyperedges_go_by_their_short_name(data):
    hyper = data(BOTH, hyperedge_index=tensor([[0, 1, 2, 2, 3], [0, 0, 0, 1, 1]]), num_nodes=4)
    del hyper.edge_index
    hyper.hyperedge_weight = tensor([2.0, 3.0])
    for name in ("weight", "hyperedge_weight"):
        assert cl.as_complex(hyper, weight=name).weights[2].tolist() == [2]


@pytest.mark.parametrize(
    "values",
    [
        [1.0, np.nan, 2.0, 3.0],
        np.array(["2020-01-01"] * 4, dtype="datetime64[D]"),
        np.array([b"a"] * 4),
        np.arange(4).astype(">f8"),
        np.arange(4).astype(np.longdouble),
    ],
)
def test_attributes_of_every_kind_come_back_from_pyg(values, data):
    K = complex_of(attributes={0: {"a": values}, 1: {"edge_b": values}})
    back = cl.as_complex(to_pyg(K))
    for rank, name in ((0, "a"), (1, "edge_b")):
        given, read = (np.array(C.attributes[rank][name].tolist()) for C in (K, back))
        assert given.astype(str).tolist() == read.astype(str).tolist()


@pytest.mark.parametrize("name", ["edge_x", "labels", "x_1", "_x", "face", "num_nodes"])
def test_names_that_mean_something_else_to_pyg_are_refused(name, data):
    with pytest.raises(cl.InputError, match="rename"):
        to_pyg(complex_of(attributes={0: {name: [1, 2, 3, 4]}}))
    if name == "x_1":  # where there are not as many edges as vertices, no one is misled
        K = cl.Complex.from_arrays(3, {1: [[0, 1], [1, 2]]}, attributes={0: {name: [1, 2, 3]}})
        assert cl.as_complex(to_pyg(K)).attributes[0][name].tolist() == [1, 2, 3]
    else:
        with pytest.raises(cl.InputError, match="rename"):
            to_pyg(complex_of(metadata={name: 3}))
