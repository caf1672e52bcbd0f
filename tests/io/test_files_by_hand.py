"""Small files of many formats, written by hand: what is taken from them, and what is refused."""

import io
import json
import struct

import numpy as np
import pytest
import scipy.io
from scipy import sparse

import cellapse as cl
from cellapse.io import understand
from cellapse.io.json_files import write_json
from cellapse.io.meshes import write_off


@pytest.fixture
def file(tmp_path):
    def put(name, data):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return put


def edges(K):
    return sorted(tuple(sorted(map(str, pair))) for pair in K.cell_labels(1))


def matrix(A, name="a.mat", **options):
    held = io.BytesIO()
    scipy.io.savemat(held, A, **options)
    return name, held.getvalue()


def test_a_full_and_a_sparse_matrix_of_matlab_are_the_same_graph(file):
    A = np.array([[0, 2.0, 0], [2, 0, 5], [0, 5, 0]])
    full = cl.read(file(*matrix({"A": A})), weight="weight")
    nested = cl.read(file(*matrix({"Problem": {"name": "x", "A": sparse.csc_array(A)}})))
    assert edges(full) == edges(nested) == [("0", "1"), ("1", "2")]
    assert full.weights[1].tolist() == [2.0, 5.0]


def test_a_matrix_of_matlab_with_too_few_numbers_is_refused(file):
    name, data = matrix({"A": np.eye(5)})
    with pytest.raises(cl.InputError, match="with 25 numbers"):
        cl.read(file(name, data.replace(struct.pack("<ii", 5, 5), struct.pack("<ii", 6, 6))))


def test_structures_of_matlab_are_looked_into_but_not_without_end(file):
    inner = {"A": np.array([[0, 1.0], [1, 0]])}
    for _ in range(40):
        inner = {"s": inner}
    with pytest.raises(cl.InputError):
        cl.read(file(*matrix({"s": inner})))


def full(n):
    return "\n".join(" ".join("0" if i == j else f"{i + j}" for j in range(n)) for i in range(n))


def test_a_matrix_that_joins_every_pair_is_told_to_look_like_distances(file):
    def says(n):
        facts = understand(file("a.txt", full(n)), format="matrix").facts
        return any("every pair is joined" in fact for fact in facts)

    assert (says(3), says(4)) == (False, True)


def test_cells_are_counted_in_words(file):
    def counted(*faces):
        lines = "".join(f"3 {' '.join(map(str, face))}\n" for face in faces)
        return understand(file("a.off", f"OFF\n4 {len(faces)} 0\n" + "0 0 0\n" * 4 + lines)).counts

    assert "1 cell of rank 2" in counted((0, 1, 2))
    assert "2 cells of rank 2" in counted((0, 1, 2), (1, 2, 3))


def test_positions_in_gexf_are_an_attribute(file):
    place = "<viz:position x='1' y='2.5'/>"
    text = (
        "<gexf xmlns:viz='http://www.gexf.net/1.3/viz'><graph><nodes>"
        f"<node id='a'>{place}</node><node id='b'>{place}</node></nodes>"
        "<edges><edge source='a' target='b'/></edges></graph></gexf>"
    )
    assert np.array(cl.read(file("a.gexf", text)).attributes[0]["position"].tolist()).tolist() == [
        [1, 2.5],
        [1, 2.5],
    ]


def test_a_block_of_no_elements_ends_a_mesh(file):
    text = (
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n"
        "0 1 0\n$EndNodes\n$Elements\n2 1 1 1\n2 1 2 1\n1 1 2 3\n1 1 1 0\n$EndElements\n"
    )
    assert cl.read(file("a.msh", text)).n_cells == (3, 3, 1)


def test_the_ends_of_d3_are_positions(file):
    document = {"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": 0, "target": 1}]}
    assert edges(cl.read(file("a.json", json.dumps(document)))) == [("a", "b")]
    document["links"][0]["target"] = 2
    with pytest.raises(cl.InputError):
        cl.read(file("a.json", json.dumps(document)))


def cytoscape(*places):
    nodes = [{"data": {"id": f"n{i}"}, "position": place} for i, place in enumerate(places)]
    edge = {"data": {"source": "n0", "target": "n1"}}
    return json.dumps({"elements": {"nodes": nodes, "edges": [edge]}})


def test_positions_of_cytoscape_are_numbers_or_nothing(file):
    K = cl.read(file("a.cyjs.json", cytoscape({"x": 1, "y": 2}, {"x": 3, "y": 4})))
    assert np.array(K.attributes[0]["position"].tolist()).tolist() == [[1, 2], [3, 4]]
    K = cl.read(file("a.cyjs.json", cytoscape({"x": "left", "y": 2}, {"x": 3})))
    assert "position" not in K.attributes[0]


def test_as_many_lists_of_neighbours_as_nodes(file):
    document = {"nodes": [{"id": 0}, {"id": 1}], "adjacency": [[{"id": 1}]]}
    with pytest.raises(cl.InputError):
        cl.read(file("a.json", json.dumps(document)))
    document["adjacency"].append([{"id": 0}])
    assert cl.read(file("a.json", json.dumps(document))).n_cells == (2, 1)


def test_one_graph_in_a_file(file):
    graph = "<graph edgedefault='undirected'><node id='a'/></graph>"
    text = f"<graphml xmlns='http://graphml.graphdrawing.org/xmlns'>{graph}{{}}</graphml>"
    assert cl.read(file("a.graphml", text.format(""))).n_vertices == 1
    with pytest.raises(cl.InputError, match="graphs"):
        cl.read(file("a.graphml", text.format(graph)))


def test_json_is_strict_and_can_be_read_by_people():
    assert write_json({"é": 1}) == '{"é": 1}\n'.encode()
    with pytest.raises(ValueError, match="JSON"):
        write_json(float("nan"))


def test_edges_of_konect_that_come_again(file):
    path = file("out.x", "% sym weighted\n1 2 5\n2 1 3\n2 3 1\n")
    assert cl.read(path, format="konect", weight="weight").weights[1].tolist() == [8.0, 1.0]
    first = cl.read(path, format="konect", weight="weight", repeats="first")
    assert first.weights[1].tolist() == [5.0, 1.0]


@pytest.mark.parametrize("weights", [[1.0, 0.0], [1.0, np.nan], ["x", "y"], [1.0, np.inf]])
def test_matrix_market_holds_weights_other_than_zero(weights, tmp_path):
    K = cl.Complex.from_arrays(3, {1: [[0, 1], [1, 2]]}, attributes={1: {"weight": weights}})
    with pytest.raises(cl.InputError):
        cl.io.write(K, tmp_path / "a.mtx")


def test_off_has_three_numbers_for_a_point():
    faces = {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]}
    for points, first in (([[1, 2], [0, 1], [1, 0]], "1.0 2.0 0.0"), (np.eye(3), "1.0 0.0 0.0")):
        K = cl.Complex.from_arrays(3, faces, attributes={0: {"position": np.array(points, float)}})
        lines = write_off(K).decode().split("\n")
        assert lines[:3] == ["OFF", "3 1 3", first]
        assert lines[5] == "3 0 1 2"


def test_a_vertex_of_metis_has_one_weight_unless_said(file):
    K = cl.read(file("a.graph", "3 2 010\n7 2\n8 1 3\n9 2\n"))
    assert edges(K) == [("1", "2"), ("2", "3")]
    K = cl.read(file("a.graph", "3 2 010 2\n7 7 2\n8 8 1 3\n9 9 2\n"))
    assert edges(K) == [("1", "2"), ("2", "3")]


def mol2(end):
    return (
        "@<TRIPOS>MOLECULE\nx\n2 1\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n1 C1 0 0 0 C.3\n"
        f"2 C2 1 0 0 C.3\n@<TRIPOS>BOND\n1 1 {end} 1\n"
    )


def test_atoms_are_counted_from_one(file):
    pytest.importorskip("rdkit")
    assert cl.read(file("a.mol2", mol2(2))).n_cells[:2] == (2, 1)
    for end in (0, 3, -1):
        with pytest.raises(cl.InputError):
            cl.read(file("a.mol2", mol2(end)))


def test_a_number_behind_a_list_in_ply(file):
    head = (
        "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\n"
        "property float y\nproperty float z\nelement face 2\n"
        "property list uchar int vertex_indices\nproperty uchar red\nend_header\n"
    )
    points = struct.pack("<12f", *range(12))
    pair = struct.pack("<B2iB", 2, 0, 1, 7)
    face = struct.pack("<B3iB", 3, 0, 1, 2, 9)
    other = struct.pack("<B4iB", 4, 0, 1, 3, 2, 8)
    K = cl.read(file("a.ply", head.encode() + points + face + other))
    assert K.cells[2].sizes.tolist() == [3, 4]
    with pytest.raises(cl.InputError):
        cl.read(file("a.ply", head.encode() + points + pair + face[:-1]))


def test_a_binary_stl_may_begin_with_solid(file):
    triangle = struct.pack("<12f", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0) + b"\0\0"
    for count in (1, 2):
        data = b"solid".ljust(80) + struct.pack("<I", count) + triangle * count
        if count == 1:
            assert cl.read(file("a.stl", data)).n_cells == (3, 3, 1)
    with pytest.raises(cl.InputError):  # neither a text nor as long as it says
        cl.read(file("a.stl", data[:-50]))


def test_a_list_of_nothing_ends_a_vtk_file(file):
    text = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n0 0 0\n"
    assert cl.read(file("a.vtk", text + "POLYGONS 0 0\n")).n_vertices == 1
    with pytest.raises(cl.InputError, match="sizes"):
        cl.read(file("a.vtk", text + "POLYGONS 0\n"))
