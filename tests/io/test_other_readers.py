"""Why cellapse reads some formats itself that networkx or meshio read, too.

In each file below the other library reads, without a word, what is not there. A reader of ours may
go once its library passes: then a test here fails, and the table of docs/files.md is out of date.
"""

import json
import re
from pathlib import Path

import networkx as nx
import pytest

import cellapse as cl

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning:meshio.*")

GRAPHML = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
    '<node id="a"/><node id="b"/><edge source="a" target="b"/></graph>'
    '<graph edgedefault="undirected"><node id="c"/></graph></graphml>'
)
GEXF = (
    '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><graph><nodes>'
    '<node id="0" label="a"/><node id="0" label="b"/></nodes><edges/></graph></gexf>'
)
PAJEK = "*Vertices 3\n1 a\n2 b\n3 c\n*Edgeslist\n1 2 3\n"
D3 = '{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": 0, "target": 1}]}'
GROUPS = "graph { subgraph x { a -- b } c -- a }"
VTU = (
    '<VTKFile type="UnstructuredGrid"><UnstructuredGrid>'
    '<Piece NumberOfPoints="4" NumberOfCells="2"><Points>'
    '<DataArray type="Float64" NumberOfComponents="3" format="ascii">'
    "0 0 0 1 0 0 0 1 0 1 1 0</DataArray></Points><Cells>"
    '<DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 1 2 3</DataArray>'
    '<DataArray type="Int64" Name="offsets" format="ascii">3 5</DataArray>'
    '<DataArray type="UInt8" Name="types" format="ascii">5 5</DataArray>'
    "</Cells></Piece></UnstructuredGrid></VTKFile>"
)
CORNERS = "0 0 0\n1 0 0\n0 1 0\n"
MSH = (
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n1 1 0 0\n3 0 1 0\n$EndNodes\n"
    "$Elements\n1\n1 2 2 0 1 1 1 3\n$EndElements\n"
)
STL = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\nvertex 1 0 0\nvertex 0 1 0\n"
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 2 3\n"
PLY = (
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
)
VTK = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n"

# File -> its content, what the other library makes of it, and the edges we read, or None where a
# file that contradicts itself is refused.
GRAPHS = {
    "several.graphml": (GRAPHML, nx.read_graphml, [("a", "b")], None),
    "twice.gexf": (GEXF, nx.read_gexf, [], None),
    "lists.net": (PAJEK, nx.read_pajek, [("a", "b")], [("a", "b"), ("a", "c")]),
    "number.net": (
        "*Vertices 2\n1 a\n2 b\n*Edges\n1 5\n",
        nx.read_pajek,
        [("a", "5")],
        None,
    ),
    "positions.json": (
        D3,
        lambda path: nx.node_link_graph(json.loads(path.read_text()), edges="links"),
        [(0, 1)],
        [("a", "b")],
    ),
    "commas.adjlist": ("a,b,c\nb,c\n", nx.read_adjlist, [], [("a", "b"), ("a", "c"), ("b", "c")]),
    "cut.g6": ("D c", nx.read_graph6, [(0, 1), (0, 4), (2, 3), (3, 4)], None),
}
MESHES = {
    "beyond.off": f"OFF\n3 1 0\n{CORNERS}3 0 1 7\n",
    "nowhere.stl": f"{STL}endloop\nendfacet\nendsolid x\n",
    "beyond.ply": f"{PLY}{CORNERS}3 0 1 7\n",
    "twice.msh": MSH,
    "beyond.vtk": f"{VTK}{CORNERS}CELLS 1 4\n3 0 1 7\nCELL_TYPES 1\n5\n",
    "offsets.vtu": VTU,
}


def written(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def edges(K):
    return sorted(K.cell_labels(1)) if K.max_rank else []


@pytest.mark.parametrize("name", GRAPHS)
def test_networkx_reads_a_graph_that_is_not_there(name, tmp_path):
    content, read, misread, right = GRAPHS[name]
    path = written(tmp_path, name, content)
    assert sorted(tuple(sorted(pair, key=str)) for pair in read(path).edges()) == [
        tuple(sorted(pair, key=str)) for pair in misread
    ]
    if right is None:
        with pytest.raises(cl.InputError, match=re.escape(name)):
            cl.read(path)
    else:
        assert edges(cl.read(path)) == right


@pytest.mark.parametrize("name", MESHES)
def test_meshio_reads_a_mesh_that_is_not_there(name, tmp_path):
    meshio = pytest.importorskip("meshio")
    path = written(tmp_path, name, MESHES[name])
    mesh = meshio.read(path, file_format="gmsh" if path.suffix == ".msh" else None)
    assert mesh.cells  # no error, no warning
    with pytest.raises(cl.InputError, match=re.escape(name)):
        cl.read(path)


def test_meshio_leaves_out_lines_of_obj_and_counts_backwards_from_one_too_far(tmp_path):
    meshio = pytest.importorskip("meshio")
    lines = written(tmp_path, "lines.obj", OBJ + "v 5 5 5\nl 3 4\n")
    assert set(meshio.read(lines).cells_dict) == {"triangle"}
    assert edges(cl.read(lines)) == [(0, 1), (0, 2), (1, 2), (2, 3)]
    backwards = written(tmp_path, "backwards.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n")
    assert meshio.read(backwards).cells_dict["triangle"].tolist() == [[-4, -3, -2]]
    assert cl.read(backwards).n_cells == (3, 3, 1)


def test_meshio_ends_the_process_where_it_does_not_know_a_file(tmp_path):
    """Faces of four corners in OFF, POLYDATA in VTK: everyday files."""
    meshio = pytest.importorskip("meshio")
    square = "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n"
    surface = VTK.replace("UNSTRUCTURED_GRID", "POLYDATA") + CORNERS + "POLYGONS 1 4\n3 0 1 2\n"
    for name, content in {"square.off": square, "surface.vtk": surface}.items():
        path = written(tmp_path, name, content)
        with pytest.raises(SystemExit):
            meshio.read(path)
        assert cl.read(path).n_cells[2] == 1


def test_networkx_refuses_everyday_gml(tmp_path):
    """Nodes without labels, of the same label, and letters beyond ASCII in UTF-8."""
    edge = "node [ id 1 {} ] node [ id 2 {} ] edge [ source 1 target 2 ]"
    for words in (("", ""), ('label "a"', 'label "a"'), ('label "é"', 'label "b"')):
        path = written(tmp_path, "graph.gml", f"graph [ {edge.format(*words)} ]")
        with pytest.raises(nx.NetworkXError):
            nx.read_gml(path)
        assert cl.read(path).n_cells == (2, 1)


def test_groups_of_dot_keep_their_edges(tmp_path):
    """From pydot (not among the tools of the tests) networkx takes the edges at the top alone."""
    K = cl.read(written(tmp_path, "groups.dot", GROUPS))
    assert edges(K) == [("a", "b"), ("a", "c")]
