"""What programs really write, beyond the plain form of a format: all of it read, or refused."""

import numpy as np
import pytest

import cellapse as cl
from cellapse.io import understand


def file(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def test_dot_defaults_hold_for_what_follows_within_the_braces(tmp_path):
    text = """graph { z; node [color=red]; edge [weight=2]; a -- b;
        subgraph s { edge [weight=3]; c -- d } b -- c [weight=7]; a -- d }"""
    K = cl.read(file(tmp_path, "x.dot", text))
    weights = dict(zip(K.cell_labels(1), K.weights[1].tolist(), strict=True))
    assert weights == {("a", "b"): 2, ("c", "d"): 3, ("b", "c"): 7, ("a", "d"): 2}
    assert K.attributes[0]["color"].tolist() == [None, "red", "red", "red", "red"]


def test_dot_words_in_quotes_are_names(tmp_path):
    text = 'graph { "node" [x=1]; "graph" -- "node"; "a=b" -- "{"; "edge" -- "]" }'
    K = cl.read(file(tmp_path, "x.dot", text))
    assert K.labels == ("node", "graph", "a=b", "{", "edge", "]")
    assert K.attributes[0]["x"].tolist()[:2] == [1, None]


def test_dot_labels_may_be_html(tmp_path):
    K = cl.read(file(tmp_path, "x.dot", "graph { a [label=<<b>x</b><br/>y>]; a -- b }"))
    assert K.attributes[0]["label"][0] == "<<b>x</b><br/>y>"


POINTS = "POINTS 4 float\n0 0 0 1 0 0 0 1 0 1 1 0\n"


def vtk(version, body):
    return f"# vtk DataFile Version {version}\na mesh\nASCII\n{body}"


def test_vtk_of_version_5_1_and_fields_before_the_cells(tmp_path):
    field = "FIELD FieldData 1\nfoo 1 1 int\n7\n"
    cells = "3 6\nOFFSETS vtktypeint64\n0 3 6\nCONNECTIVITY vtktypeint64\n0 1 2\n1 2 3\n"
    metadata = "METADATA\nINFORMATION 0\n\n"
    bodies = (
        f"DATASET POLYDATA\n{field}{POINTS}{metadata}POLYGONS {cells}",
        f"DATASET UNSTRUCTURED_GRID\n{POINTS}{metadata}CELLS {cells}CELL_TYPES 2\n5\n5\n",
        f"DATASET POLYDATA\n{POINTS}{metadata}POLYGONS 2 8\n3 0 1 2\n3 1 2 3\n",
    )
    for body in bodies:
        assert cl.read(file(tmp_path, "x.vtk", vtk("5.1", body))).n_cells == (4, 5, 2)
    for broken in (cells.replace("0 3 6", "0 7 6"), cells.replace("0 3 6", "0 3 5"), cells[:-4]):
        body = f"DATASET POLYDATA\n{POINTS}POLYGONS {broken}"
        with pytest.raises(cl.InputError, match="off"):
            cl.read(file(tmp_path, "x.vtk", vtk("5.1", body)))


def test_vtk_grids_and_strips_are_no_points(tmp_path):
    grid = vtk("3.0", f"DATASET STRUCTURED_GRID\nDIMENSIONS 2 2 1\n{POINTS}")
    with pytest.raises(cl.InputError, match=r"STRUCTURED_GRID.*pyvista"):
        cl.read(file(tmp_path, "x.vtk", grid))
    strips = vtk("3.0", f"DATASET POLYDATA\n{POINTS}TRIANGLE_STRIPS 1 5\n4 0 1 2 3\n")
    with pytest.raises(cl.InputError, match="strips"):
        cl.read(file(tmp_path, "x.vtk", strips))


def facet(corners):
    lines = "".join(f"VERTEX {x} {y} {z}\n" for x, y, z in corners)
    return f"FACET NORMAL 0 0 1\nOUTER LOOP\n{lines}ENDLOOP\nENDFACET\n"


def test_stl_in_capitals_is_read_and_quads_are_refused(tmp_path):
    triangle = facet([(0, 0, 0), (1, 0, 0), (0, 1, 0)])
    K = cl.read(file(tmp_path, "x.stl", f"solid X\n{triangle}ENDSOLID X\n"))
    assert K.n_cells == (3, 3, 1)
    quads = "".join(facet([(0, 0, z), (1, 0, z), (1, 1, z), (0, 1, z)]) for z in range(3))
    with pytest.raises(cl.InputError, match="triangles"):  # twelve corners, not four triangles
        cl.read(file(tmp_path, "x.stl", f"solid X\n{quads}endsolid X\n"))


def test_metis_keeps_sizes_and_all_weights(tmp_path):
    text = "3 2 111 2\n5 1 2 2 9\n6 3 4 1 9 3 8\n7 5 6 2 8\n"
    K = cl.read(file(tmp_path, "x.graph", text))
    assert K.attributes[0]["size"].tolist() == [5, 6, 7]
    assert K.attributes[0]["weight"].tolist() == [[1, 2], [3, 4], [5, 6]]
    assert K.weights[1].tolist() == [9, 8]


def test_pajek_of_two_kinds_of_two_networks_and_of_arcs_in_a_matrix(tmp_path):
    text = '*Vertices 4 2\n1 "a"\n2 "b"\n3 "x"\n4 "y"\n*Edges\n1 3\n2 4\n'
    K = cl.read(file(tmp_path, "x.net", text))
    assert (K.labels, K.attributes[0]["mode"].tolist()) == (("a", "b", "x", "y"), [1, 1, 2, 2])
    two = "*Vertices 2\n*Edges\n1 2\n*Vertices 3\n*Edges\n1 3\n"
    with pytest.raises(cl.InputError, match="2 networks"):
        cl.read(file(tmp_path, "x.net", two))
    arcs = file(tmp_path, "x.net", "*Vertices 3\n*Matrix\n0 1 0\n0 0 2\n0 0 0\n")
    with pytest.raises(cl.InputError, match='directed="ignore"'):
        cl.read(arcs)
    assert cl.read(arcs, directed="ignore").weights[1].tolist() == [1, 2]
    relations = file(tmp_path, "x.net", '*Vertices 3\n*Edges :1 "likes"\n1 2\n*Edges :2\n2 3\n')
    assert "2 relations in *edges, read as one" in understand(relations).facts


def test_konect_that_is_cut_off_or_dynamic(tmp_path):
    with pytest.warns(cl.CellapseWarning, match="5 .* 2"):
        cl.read(file(tmp_path, "out.x", "% sym unweighted\n% 5 3 3\n1 2\n2 3\n"))
    dynamic = file(tmp_path, "net.konect", "% sym dynamic\n1 2 1 10\n1 2 -1 20\n2 3 1 30\n")
    with pytest.raises(cl.InputError, match="dynamic"):
        cl.read(dynamic)
    with pytest.raises(cl.InputError, match="weight=None"):
        cl.read(dynamic, repeats="sum")
    K = cl.read(dynamic, repeats="sum", weight=None)
    assert K.attributes[1]["weight"].tolist() == [0, 1]


def test_hif_incidences_listed_again_and_directed_hypergraphs(tmp_path):
    again = """{"incidences": [{"edge": 0, "node": "a"}, {"edge": 0, "node": "a"},
        {"edge": 0, "node": "b"}]}"""
    what = understand(file(tmp_path, "x.json", again))
    assert what.complex.n_cells == (2, 1, 0)
    assert "1 incidences are listed again, and count once" in what.facts
    directed = file(
        tmp_path,
        "y.json",
        """{"network-type": "directed", "incidences": [
        {"edge": 0, "node": "a", "direction": "head"}, {"edge": 0, "node": "b"}]}""",
    )
    with pytest.raises(cl.InputError, match='directed="ignore"'):
        cl.read(directed)
    with pytest.warns(cl.CellapseWarning, match="1 incidence"):
        assert cl.read(directed, directed="ignore").n_cells == (2, 1, 0)
    with pytest.raises(cl.InputError, match="graphs"):
        cl.read(tmp_path / "x.json", loops="keep")


def test_gexf_values_that_are_not_known_or_change_with_time(tmp_path):
    def gexf(values):
        return f"""<gexf><graph><attributes class="node">
            <attribute id="0" title="v" type="float"/></attributes><nodes>
            <node id="a"><attvalues>{values}</attvalues></node><node id="b"/></nodes>
            <edges><edge source="a" target="b"/></edges></graph></gexf>"""

    K = cl.read(file(tmp_path, "x.gexf", gexf('<attvalue for="0" value="null"/>')))
    assert K.n_cells == (2, 1)
    assert not any(v is not None for v in K.attributes[0].get("v", []))
    timed = "".join(f'<attvalue for="0" value="{t}" timestamp="{t}"/>' for t in (1, 2))
    with pytest.warns(cl.CellapseWarning, match="last"):
        K = cl.read(file(tmp_path, "x.gexf", gexf(timed)))
    assert K.attributes[0]["v"][0] == 2


def test_an_index_that_is_no_position_is_an_attribute(tmp_path):
    def links(*index):
        nodes = ", ".join(
            f'{{"id": "{v}", "index": {i}}}' for v, i in zip("ab", index, strict=True)
        )
        return f'{{"nodes": [{nodes}], "links": [{{"source": "a", "target": "b"}}]}}'

    K = cl.read(file(tmp_path, "x.json", links(7, 1)))
    assert K.attributes[0]["index"].tolist() == [7, 1]
    assert not cl.read(file(tmp_path, "x.json", links(0, 1))).attributes[0]


def test_gml_infinities_in_small_letters(tmp_path):
    text = "graph [ node [ id 0 x -Inf ] node [ id 1 x NaN ] edge [ source 0 target 1 ] ]"
    x = cl.read(file(tmp_path, "x.gml", text)).attributes[0]["x"]
    assert x[0] == -np.inf
    assert np.isnan(x[1])


def test_mol2_may_end_with_a_comment(tmp_path):
    pytest.importorskip("rdkit")
    text = """@<TRIPOS>MOLECULE
ethane
 2 1
SMALL
NO_CHARGES

@<TRIPOS>ATOM
1 C1 0.0 0.0 0.0 C.3 1 ETH 0.0
2 C2 1.5 0.0 0.0 C.3 1 ETH 0.0
@<TRIPOS>BOND
1 1 2 1

#	End of record
"""
    assert cl.read(file(tmp_path, "x.mol2", text)).n_cells == (2, 1, 0)


def test_pointers_of_git_lfs_are_told_for_what_they_are(tmp_path):
    path = file(tmp_path, "x.stl", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n")
    with pytest.raises(cl.InputError, match="lfs"):
        cl.read(path)
