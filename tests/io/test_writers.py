"""Edge tables, hyperedge lists and OFF: what is written is read back, or refused with a reason."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import clique_complexes

import cellapse as cl
from cellapse.io.edges import read_edges, write_edges
from cellapse.io.hyperedges import read_hyperedges, write_hyperedges
from cellapse.io.meshes import read_off, write_off


def cell_sets(K, rank):
    return {frozenset(cell) for cell in K.cell_labels(rank)}


def table(K):
    """Edges as sets of words, with their weights and attributes."""
    named = {"weight": K.weights[1]} if K.weights[1] is not None else {}
    columns = {n: c.tolist() for n, c in {**named, **K.attributes[1]}.items()}
    rows = zip(*columns.values(), strict=True) if columns else [()] * K.n_cells[1]
    edges = [frozenset(map(str, edge)) for edge in K.cell_labels(1)]
    return dict(zip(edges, (dict(zip(columns, row, strict=True)) for row in rows), strict=True))


@pytest.mark.parametrize("extension", ["csv", "tsv", "edges", "csv.gz"])
def test_graphs_as_tables_of_edges(extension, tmp_path):
    graph = nx.les_miserables_graph()
    graph.add_node("nobody")
    for i, (*_, data) in enumerate(graph.edges(data=True)):
        data["kind"] = ["a, b", 'say "x"', None, "d;e"][i % 4]
        data["share"] = i / 3
    K = cl.as_complex(graph, weight="weight")
    cl.write(K, tmp_path / f"x.{extension}")
    L = cl.read(tmp_path / f"x.{extension}", weight="weight")
    assert set(L.labels) == set(K.labels)
    assert table(L) == table(K)


def test_other_programs_read_the_tables(tmp_path):
    pd = pytest.importorskip("pandas")
    K = cl.as_complex(nx.karate_club_graph(), weight="weight")
    cl.write(K, tmp_path / "x.csv")
    frame = pd.read_csv(tmp_path / "x.csv")
    graph = nx.from_pandas_edgelist(frame, edge_attr=True)
    assert {frozenset(e[:2]): e[2] for e in graph.edges(data="weight")} == {
        frozenset(e[:2]): e[2] for e in nx.karate_club_graph().edges(data="weight")
    }


words = st.text(max_size=5) | st.sampled_from(
    ["#a", "%", '"', "a,b", "source", "1", "{'x': 1}", "|"]
)


@given(
    labels=st.lists(words, min_size=2, max_size=6, unique=True),
    kinds=st.lists(words, min_size=5, max_size=5),
    delimiter=st.sampled_from(",\t"),
)
def test_any_words_come_back_or_are_refused(labels, kinds, delimiter):
    path = list(zip(labels, labels[1:-1] or labels[1:], strict=False))
    K = cl.Complex.from_cells({0: labels, 1: path}, attributes={1: {"kind": kinds[: len(path)]}})
    try:
        data = write_edges(K, delimiter)
        L = read_edges(data)  # what does not read back, `write` refuses
    except cl.InputError:
        return
    assert set(map(str, L.labels)) == set(labels)
    expected = {e: row["kind"] or None for e, row in table(K).items()}
    kinds = {e: row["kind"] for e, row in table(L).items()}
    assert kinds.keys() == expected.keys()
    if all(isinstance(v, str | None) for v in kinds.values()):  # words like 1 became numbers
        assert kinds == expected


@given(st.lists(st.lists(words, min_size=1, max_size=4, unique=True), min_size=1, max_size=6))
def test_any_hyperedges_come_back_or_are_refused(groups):
    K = cl.hypergraph_complex(groups)
    try:
        data = write_hyperedges(K)
    except cl.InputError:
        return
    L = read_hyperedges(data)
    assert L.n_cells == K.n_cells
    for k in (1, 2):
        sets = {frozenset(map(str, cell)) for cell in L.cell_labels(k)}
        assert sets == cell_sets(K, k)


def test_hyperedge_lists_by_hand(tmp_path):
    K = cl.hypergraph_complex([("a", "b", "c"), ("a", "b"), ("c", "d")], vertices="edcba")
    assert write_hyperedges(K) == b"c,b,a\nb,a\nd,c\ne\n"  # as they were given
    ranked = cl.as_complex([("a", "b", "c"), ("a", "b")], ranks=1)
    assert write_hyperedges(ranked) == b"a,b,c\na,b\n"  # of the same rank: both were given
    cl.write(K, tmp_path / "x.hyperedges.gz")
    assert cl.read(tmp_path / "x.hyperedges.gz").n_cells == K.n_cells


@given(clique_complexes(max_rank=2))
def test_clique_complexes_of_rank_2_come_back_from_hyperedge_lists(K):
    if not sum(K.n_cells[1:]):
        with pytest.raises(cl.InputError, match="needs a cell"):
            write_hyperedges(K)
        return
    L = read_hyperedges(write_hyperedges(K))
    for k in range(1, K.max_rank + 1):
        assert cell_sets(L, k) == cell_sets(K, k)


def test_off_meshes(tmp_path):
    square = [[0, 0, 0.1], [1, 0, 0], [1, 1, 1 / 3], [0, 1, 1e-20], [2, 0.5, 0]]
    K = cl.lifts.mesh_complex(square, [[3, 0, 1, 2], [1, 4, 2]])
    cl.write(K, tmp_path / "x.off")
    L = cl.read(tmp_path / "x.off")
    for k in (1, 2):
        assert L.cell_labels(k) == K.cell_labels(k)
    assert L.attributes[0]["position"].tolist() == square
    trimesh = pytest.importorskip("trimesh")
    ball = cl.as_complex(trimesh.creation.icosphere(subdivisions=1))
    cl.write(ball, tmp_path / "ball.off")
    mesh = trimesh.load(tmp_path / "ball.off", process=False)
    assert (len(mesh.vertices), len(mesh.faces)) == (42, 80)
    assert np.array_equal(mesh.vertices, ball.attributes[0]["position"])


def test_points_and_flat_meshes_as_off():
    flat = cl.lifts.mesh_complex([[0, 0], [1, 0], [0, 1]], [[0, 1, 2]])
    assert read_off(write_off(flat)).attributes[0]["position"].shape == (3, 3)
    points = cl.Complex.from_arrays(2, {}, attributes={0: {"position": np.eye(2, 3)}})
    assert read_off(write_off(points)).n_cells == (2, 0, 0)


SOLID = cl.Complex.from_cells(
    {1: [(0, 1), (1, 2), (0, 2)], 2: [(0, 1, 2)]}, attributes={0: {"position": np.eye(3)}}
)


@pytest.mark.parametrize(
    ("K", "name", "words"),
    [
        (SOLID, "x.csv", r"1.*rank.*skeleton\(1\).*json"),
        (SOLID.skeleton(0), "x.csv", "needs"),
        (cl.Complex.from_cells({1: [("a", "b", "c")]}), "x.csv", "edges"),
        (cl.Complex.from_cells({1: [("a", " b")]}), "x.csv", "spaces"),
        (cl.Complex.from_cells({1: [("a", "b\tc")]}), "x.tsv", "tabs"),
        (cl.Complex.from_cells({1: [(1, "1")]}), "x.csv", "look"),
        (
            cl.Complex.from_cells({1: [(1, 2)]}, attributes={1: {"source": [1]}}),
            "x.csv",
            "rename",
        ),
        (
            cl.Complex.from_cells({1: [(1, 2)]}, {1: [1.0]}, {1: {"weight": [1]}}),
            "x.csv",
            "attribute",
        ),
        (cl.Complex.from_cells({1: [(0, 1)]}), "x.off", "`position`"),
        (SOLID.skeleton(1), "x.off", "faces"),
        (cl.Complex.from_cells(  # as many edges as sides, but not the same
            {0: range(4), 1: [(0, 1), (1, 2), (2, 3)], 2: [(0, 1, 2)]},
            attributes={0: {"position": np.eye(4, 3)}}), "x.off", "faces"),
        (cl.clique_complex(nx.complete_graph(4), max_rank=3).with_attributes(
            {0: {"position": np.eye(4, 3)}}), "x.off", "faces"),
        (SOLID, "x.docx", r"\.json.*\.csv.*\.off"),
    ],
)  # fmt: skip
def test_what_a_format_cannot_hold_is_refused(K, name, words, tmp_path):
    with pytest.raises(cl.InputError, match=words):
        cl.write(K, tmp_path / name)


def test_files_of_nodes_are_not_read_as_edges(tmp_path):
    K = cl.clique_complex(nx.karate_club_graph(), weight=None)
    cl.write(cl.collapse(K, realization="screened").spectrum(3), tmp_path / "x.csv")
    with pytest.raises(cl.InputError, match="'node'"):
        cl.read(tmp_path / "x.csv")
    (tmp_path / "y.csv").write_text("Id,Label\n1,a\n2,b\n")
    with pytest.raises(cl.InputError, match="'Id'"):
        cl.read(tmp_path / "y.csv")
    (tmp_path / "z.csv").write_text("id,source,target\n7,a,b\n8,b,c\n")
    assert cl.read(tmp_path / "z.csv").attributes[1]["id"].tolist() == [7, 8]


def test_bars_and_words_over_two_lines(tmp_path):
    (tmp_path / "x.csv").write_text("a|b|2\nb|c|3\n")
    assert cl.read(tmp_path / "x.csv", weight="weight").weights[1].tolist() == [2.0, 3.0]
    (tmp_path / "x.csv").write_text('a,b,"x\ny"\nb,c,z\n')
    assert cl.read(tmp_path / "x.csv").attributes[1]["column 3"].tolist() == ["x\ny", "z"]
