"""Numbers that only Python reads as such are refused in every text format; NaN and inf in files."""

import json
import math
from contextlib import suppress

import networkx as nx
import numpy as np
import pytest

import cellapse as cl

# Each with the weight (or coordinate) 1234.5, or the whole number 1234.
TEXTS = {
    "txt": "a b 1234.5\nb c 2.5\n",
    "edges": "a b 1234.5\nb c 2.5\n",
    "csv": "source,target,weight\na,b,1234.5\nb,c,2.5\n",
    "tsv": "source\ttarget\tweight\na\tb\t1234.5\nb\tc\t2.5\n",
    "matrix.csv": ",a,b,c\na,0,1234.5,0\nb,1234.5,0,2.5\nc,0,2.5,0\n",
    "konect": "% sym weighted\n1 2 1234.5\n2 3 2.5\n",
    "net": '*Vertices 3\n1 "a"\n2 "b"\n3 "c"\n*Edges\n1 2 1234.5\n2 3 2.5\n',
    "dl": "dl n=3 format=edgelist1\nlabels:\na\nb\nc\ndata:\n1 2 1234.5\n2 3 2.5\n",
    "metis": "3 2 001\n2 1234\n1 1234 3 2\n2 2\n",
    "mtx": "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1234.5\n3 2 2.5\n",
    "dot": "graph { a -- b [weight=1234.5]; b -- c [weight=2.5]; }",
    "gml": "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 weight 1234.5 ] ]",
    "graphml": "<graphml><key id='w' for='edge' attr.name='weight' attr.type='double'/>"
    "<graph edgedefault='undirected'><node id='a'/><node id='b'/>"
    "<edge source='a' target='b'><data key='w'>1234.5</data></edge></graph></graphml>",
    "gexf": "<gexf><graph defaultedgetype='undirected'><nodes><node id='a'/><node id='b'/></nodes>"
    "<edges><edge source='a' target='b' weight='1234.5'/></edges></graph></gexf>",
    "off": "OFF\n3 1 0\n0 0 0\n1234.5 0 0\n0 1 0\n3 0 1 2\n",
    "obj": "v 0 0 0\nv 1234.5 0 0\nv 0 1 0\nf 1 2 3\n",
    "ply": "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
    "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n1234.5 0 0\n0 1 0\n3 0 1 2\n",
}
TEXTS |= {
    "gdf": "nodedef>name VARCHAR\na\nb\nc\n"
    "edgedef>node1,node2,weight DOUBLE\na,b,1234.5\nb,c,2.5\n",
    "gr": "p sp 2 2\na 1 2 1234.5\na 2 1 1234.5\n",
    "ncol": "a b 1234.5\nb c 2.5\n",
    "adj": "0 1234.5 0\n1234.5 0 2.5\n0 2.5 0\n",
    "json": '{"nodes": [{"id": 0}, {"id": 1}], '
    '"links": [{"source": 0, "target": 1, "weight": 1234.5}]}',
    "stl": "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1234.5 0 0\n"
    "vertex 0 1 0\nendloop\nendfacet\nendsolid x\n",
    "vtk": "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0\n"
    "1234.5 0 0\n0 1 0\nPOLYGONS 1 4\n3 0 1 2\n",
    "msh": "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1234.5 0 0\n3 0 1 0\n"
    "$EndNodes\n$Elements\n1\n1 2 2 0 0 1 2 3\n$EndElements\n",
}
MESHES = ("off", "obj", "ply", "stl", "vtk", "msh")
# Underscores, full-width and Arabic digits, a superscript, and what other languages read.
ONLY_PYTHON = ("1_234", "1234.5_0", "1e1_0", "１２３４", "٣", "²", "0x10", "1_000.5")  # noqa: RUF001


def read(text, extension, tmp_path):
    file = tmp_path / f"network.{extension}"
    file.write_text(text, encoding="utf-8")
    return cl.read(file, **({} if extension in MESHES else {"weight": "weight"}))


@pytest.mark.parametrize("extension", TEXTS)
def test_plain_numbers_are_read(extension, tmp_path):
    K = read(TEXTS[extension], extension, tmp_path)
    if extension not in MESHES:
        assert K.weights[1].max() == (1234.0 if extension == "metis" else 1234.5)


@pytest.mark.parametrize("word", ONLY_PYTHON)
@pytest.mark.parametrize("extension", TEXTS)
def test_what_only_python_reads_as_a_number_is_refused(extension, word, tmp_path):
    number = "1234" if extension == "metis" else "1234.5"
    with pytest.raises(cl.CellapseError):
        read(TEXTS[extension].replace(number, word), extension, tmp_path)


@pytest.mark.parametrize("word", ONLY_PYTHON)
@pytest.mark.parametrize("text", ["a b 1234.5\nb c 2.5\n", "a,b,1234.5\nb,c,2.5\nc,a,1\n"])
def test_a_row_with_such_a_word_is_not_lost_as_a_header(text, word, tmp_path):
    file = tmp_path / "network.txt"
    file.write_text(text.replace("1234.5", word), encoding="utf-8")
    with pytest.raises(cl.InputError, match="header=True"):
        cl.read(file)
    assert cl.read(file, header=False).labels == ("a", "b", "c")


def with_values(values):
    K = cl.clique_complex(nx.path_graph(4))
    return K.with_attributes({0: {"age": values}, 1: {"length": [1.0, 2.0, 3.0]}})


VALUES = {
    "floats": np.array([1.0, np.nan, 3.0, np.nan]),
    "all": np.full(4, np.nan),
    "words": ["a", math.nan, "b", "c"],
    "tables": np.array([[1.0, np.nan], [2.0, 3.0], [np.nan, np.nan], [0.0, 1.0]]),
    "tuples": [(1.0, math.nan), (2.0,), ("a",), (math.nan,)],
    "None stays None": [1.0, None, 3.0, 4.0],
}


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("extension", ["json", "hif", "npz"])
def test_nan_comes_back_as_nan(extension, values, tmp_path):
    K, file = with_values(values), tmp_path / f"network.{extension}"
    cl.write(K, file)
    given, found = (C.attributes[0]["age"] for C in (K, cl.read(file)))
    assert found.dtype == given.dtype
    assert repr(found.tolist()) == repr(given.tolist())
    if extension != "npz":  # strict JSON, which has no NaN

        def refuse(word):
            raise AssertionError(word)

        json.loads(file.read_text(), parse_constant=refuse)


def test_null_of_another_program_is_none(tmp_path):
    file = tmp_path / "x.json"
    cl.write(with_values([1.0, None, 3.0, 4.0]), file)
    assert cl.read(file).attributes[0]["age"].tolist() == [1.0, None, 3.0, 4.0]


INFINITE = {
    "floats": np.array([1.0, np.inf, 3.0, -np.inf]),
    "mixed": [1.0, math.inf, 2, 3],
    "None and NaN": [math.nan, None, math.inf, "a"],
}


@pytest.mark.parametrize("values", INFINITE.values(), ids=INFINITE)
@pytest.mark.parametrize("extension", ["json", "graphml", "gexf", "gml", "hif"])
def test_what_a_file_cannot_hold_is_refused_with_a_remedy_that_works(extension, values, tmp_path):
    K, file = with_values(values), tmp_path / f"network.{extension}"
    with suppress(cl.InputError):
        cl.write(K, file)
    if not file.exists():
        with pytest.raises(cl.InputError, match=r"write (an )?\.npz"):
            cl.write(K, file)
        file = tmp_path / "network.npz"
        cl.write(K, file)
    given, found = (C.attributes[0]["age"] for C in (K, cl.read(file)))
    assert repr(found.tolist()) == repr(given.tolist())


def test_metadata_with_nan(tmp_path):
    K = cl.Complex.from_arrays(2, {1: [[0, 1]]}, metadata={"score": math.nan})
    with pytest.raises(cl.InputError, match=r"\.npz"):
        cl.write(K, tmp_path / "x.json")
    cl.write(K, tmp_path / "x.npz")
    assert math.isnan(cl.read(tmp_path / "x.npz").metadata["score"])
