"""A small valid file of every format, and ways to spoil one."""

import gzip
import io
import json
import re
from pathlib import Path

import networkx as nx
import numpy as np
from scipy import sparse
from scipy.io import savemat

import cellapse as cl
from cellapse.io.npz import write_npz

DATA = Path(__file__).parent / "data"


def node_link(graph, key):
    """JSON of nodes and links, whose key networkx has named in several ways."""
    nodes = [{"id": v, **data} for v, data in graph.nodes(data=True)]
    links = [{"source": u, "target": v, **data} for u, v, data in graph.edges(data=True)]
    kind = {"directed": graph.is_directed(), "multigraph": graph.is_multigraph()}
    return json.dumps({**kind, "graph": graph.graph, "nodes": nodes, key: links}).encode()


def _example():
    return cl.Complex.from_cells(
        {0: ["a", "b", 3, ("d", 4)], 1: [("a", "b"), ("b", 3)], 2: [("a", "b", 3, ("d", 4))]},
        weights={1: [0.5, 2.0]},
        attributes={0: {"age": [1, 2, 3, 4], "town": ["Ulm", None, "Bonn", "Köln"]}},
    )


def _hif(K):
    from cellapse.io.json_files import write_hif

    return write_hif(K)


def _scipy_npz():
    file = io.BytesIO()
    sparse.save_npz(file, sparse.csr_array(np.array([[0, 2.0], [2.0, 0]])))
    return file.getvalue()


def _gml():
    graph = nx.karate_club_graph().subgraph(range(6))
    return "\n".join(nx.generate_gml(graph)).encode()


def _graphml():
    graph = nx.Graph(nx.karate_club_graph().subgraph(range(6)))
    return "\n".join(nx.generate_graphml(graph)).encode()


def _protein(name, n_lines):
    lines = gzip.decompress((DATA / name).read_bytes()).splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if line.startswith(b"ATOM"))
    return b"".join(lines[first : first + n_lines])


def _mmcif():
    lines = gzip.decompress((DATA / "1ubq.cif.gz").read_bytes()).splitlines(keepends=True)
    names = [line for line in lines if line.startswith(b"_atom_site.")]
    atoms = [line for line in lines if line.startswith(b"ATOM")][:40]
    return b"".join([b"data_1UBQ\nloop_\n", *names, *atoms, b"#\n"])


PLY_HEADER = """ply
format {} 1.0
comment a square and a triangle
element vertex 5
property float x
property float y
property float z
property uchar red
element face 2
property list uchar int vertex_indices
end_header
"""
POINTS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 1)]
FACES = [(0, 1, 2, 3), (1, 4, 2)]


def _ply_ascii():
    rows = [f"{x} {y} {z} 7" for x, y, z in POINTS]
    rows += [" ".join(map(str, (len(face), *face))) for face in FACES]
    return (PLY_HEADER.format("ascii") + "\n".join(rows) + "\n").encode()


def _ply_binary():
    vertices = np.array(
        [(*p, 7) for p in POINTS], dtype=[("x", ">f4"), ("y", ">f4"), ("z", ">f4"), ("r", "u1")]
    )
    faces = b"".join(bytes([len(f)]) + np.array(f, ">i4").tobytes() for f in FACES)
    return PLY_HEADER.format("binary_big_endian").encode() + vertices.tobytes() + faces


def _off():
    rows = ["OFF", "5 2 0", *(" ".join(map(str, p)) for p in POINTS)]
    return "\n".join(rows + [" ".join(map(str, (len(f), *f))) for f in FACES]).encode()


def _obj():
    rows = ["# a mesh", *("v " + " ".join(map(str, p)) for p in POINTS), "vn 0 0 1"]
    rows += ["f " + " ".join(f"{v + 1}//1" for v in face) for face in FACES]
    return "\n".join([*rows, "l 1 5", ""]).encode()


def _sdf():
    return b"""ethanol
  test

  3  2  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.5000    0.0000    0.0000 C   0  0
    2.0000    1.4000    0.0000 O   0  0
  1  2  1  0
  2  3  1  0
M  END
> <name>
ethanol

$$$$
"""


XGI_JSON = {
    "type": "hypergraph",
    "hypergraph-data": {},
    "node-data": {"1": {"age": 3}, "2": {}, "3": {}, "4": {}},
    "edge-data": {"0": {"w": 1.5}, "1": {}},
    "edge-dict": {"0": ["1", "2", "3"], "1": ["3", "4"]},
}


def _gexf():
    graph = nx.Graph(nx.karate_club_graph().subgraph(range(6)))
    return "\n".join(nx.generate_gexf(graph)).encode()


def _mat():
    file = io.BytesIO()
    savemat(file, {"A": sparse.csc_array(np.array([[0, 2.0, 0], [2.0, 0, 1], [0, 1, 0]]))})
    return file.getvalue()


def _stl_binary():
    corners = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 1, 0], [1, 1, 0]]])
    rows = b"".join(
        np.zeros(3, "<f4").tobytes() + t.astype("<f4").tobytes() + b"\0\0" for t in corners
    )
    return b"\0" * 80 + (2).to_bytes(4, "little") + rows


STL = (
    "solid x\n"
    + "".join(
        "facet normal 0 0 1\nouter loop\n"
        + "".join(f"vertex {x} {y} 0\n" for x, y in triangle)
        + "endloop\nendfacet\n"
        for triangle in ([(0, 0), (1, 0), (0, 1)], [(1, 0), (0, 1), (1, 1)])
    )
    + "endsolid x\n"
)
MSH_2 = (
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
    "$EndNodes\n$Elements\n3\n1 1 2 0 1 1 2\n2 2 2 0 1 1 2 3\n3 4 2 0 1 1 2 3 4\n$EndElements\n"
)
MSH_4 = (
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n"
    "0 1 0\n0 0 1\n$EndNodes\n$Elements\n2 2 1 2\n2 1 2 1\n1 1 2 3\n3 1 4 1\n2 1 2 3 4\n"
    "$EndElements\n"
)
VTK = (
    "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
    "0 0 0\n1 0 0\n0 1 0\n0 0 1\nCELLS 2 9\n3 0 1 2\n4 0 1 2 3\nCELL_TYPES 2\n5\n10\n"
)
POLYDATA = (
    "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 1 1 0\n"
    "0 1 0\nPOLYGONS 1 5\n4 0 1 2 3\nLINES 1 3\n2 0 2\nPOINT_DATA 4\nSCALARS s float\n"
)
VTU = """<VTKFile type="UnstructuredGrid" version="0.1"><UnstructuredGrid>
<Piece NumberOfPoints="4" NumberOfCells="1"><Points><DataArray type="Float64"
 NumberOfComponents="3" format="ascii">0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points><Cells>
<DataArray type="Int64" Name="connectivity" format="ascii">0 1 2 3</DataArray>
<DataArray type="Int64" Name="offsets" format="ascii">4</DataArray>
<DataArray type="UInt8" Name="types" format="ascii">10</DataArray></Cells></Piece>
</UnstructuredGrid></VTKFile>"""
MOL2 = """@<TRIPOS>MOLECULE
methanol
3 2 0 0 0
SMALL
NO_CHARGES

@<TRIPOS>ATOM
1 C1 0.0 0.0 0.0 C.3 1 MOL 0.0
2 O1 1.4 0.0 0.0 O.3 1 MOL 0.0
3 H1 1.8 0.9 0.0 H 1 MOL 0.0
@<TRIPOS>BOND
1 1 2 1
2 2 3 1
"""
CYTOSCAPE = {
    "data": {"name": "x"},
    "elements": {
        "nodes": [{"data": {"id": "a", "age": 3}, "position": {"x": 1, "y": 2}}]
        + [{"data": {"id": v}} for v in "bc"],
        "edges": [{"data": {"id": "e", "source": "a", "target": "b", "weight": 1.5}}],
    },
}


SEEDS = {
    "edges.txt": b"# comment\na b 2.5\nb c 1\nd\n",
    "edges.csv": b'source,target,weight,kind\n1,2,2.5,"a, b"\n2,3,1,x\n3,1,,y\n',
    "networkx.edgelist": b"1 2 {'weight': 1.5}\n2 3 {'weight': 2, 'kind': 'x'}\n",
    "matrix.adj": b",a,b,c\na,0,1.5,0\nb,1.5,0,1\nc,0,1,0\n",
    "list.hyperedges": b"a,b,c\nc,d\nd\na,b,c\n",
    "graph.gml": _gml(),
    "graph.graphml": _graphml(),
    "hif.json": _hif(_example()),
    "foreign.hif": b'{"incidences": [{"edge": "x", "node": 1}, {"edge": "x", "node": 2}]}',
    "xgi.json": json.dumps(XGI_JSON).encode(),
    "graph.mtx": b"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.5\n3 2 1.5\n",
    "complex.npz": write_npz(_example()),
    "matrix.npz": _scipy_npz(),
    "mesh.off": _off(),
    "mesh.obj": _obj(),
    "mesh.ply": _ply_ascii(),
    "binary.ply": _ply_binary(),
    "protein.pdb": _protein("1ubq.pdb.gz", 40),
    "protein.cif": _mmcif(),
    "molecule.smi": b"C[C@H](N)C(=O)Oc1ccc2ccccc2c1 name\n",
    "molecule.sdf": _sdf(),
    "graph.gexf": _gexf(),
    "links.json": node_link(nx.path_graph(4), "links"),
    "adjacency.json": json.dumps(nx.adjacency_data(nx.path_graph(4))).encode(),
    "cytoscape.json": json.dumps(CYTOSCAPE).encode(),
    "graph.net": b'*Vertices 3\n1 "a b" 0.1 0.2\n2 "c"\n3 "d"\n*Edges\n1 2 1.5\n2 3 1\n',
    "graph.adjlist": b"# x\na b c\nb c\nc d\nd\n",
    "graph.dot": b'graph x { node [shape=box]; a -- b -- "c d" [weight=2]; {e f} -- a; g }',
    "out.konect": b"% sym positive\n% 4 3 3\n1 2 1 13000000\n2 3 2 13000001\n1 2 1 13000002\n",
    "graph.g6": nx.to_graph6_bytes(nx.petersen_graph()),
    "graph.s6": nx.to_sparse6_bytes(nx.petersen_graph()),
    "graph.graph": b"% x\n4 3 011\n1 2 5\n2 1 5 3 1\n1 2 1 4 2\n3 3 2\n",
    "graph.col": b"c x\np edge 4 3\ne 1 2\ne 2 3\ne 3 4\n",
    "graph.sif": b"a pp b c\nb pd d\ne\n",
    "graph.ncol": b"a b 2.5\nc d 1\n",
    "graph.gdf": b"nodedef>name VARCHAR,label VARCHAR,age INT\n1,a,3\n2,b,4\n3,c,5\n"
    b"edgedef>node1 VARCHAR,node2 VARCHAR,weight DOUBLE\n1,2,1.5\n2,3,2\n",
    "graph.dl": b"dl n=3 format=edgelist1\nlabels:\na,b,c\ndata:\n1 2 5\n2 3 1\n",
    "matrix.dl": b"dl n=3\ndata:\n0 1 0\n1 0 2\n0 2 0\n",
    "matrix.mat": _mat(),
    "mesh.stl": STL.encode(),
    "binary.stl": _stl_binary(),
    "mesh.msh": MSH_2.encode(),
    "new.msh": MSH_4.encode(),
    "mesh.vtk": VTK.encode(),
    "faces.vtk": POLYDATA.encode(),
    "mesh.vtu": VTU.encode(),
    "molecule.mol2": MOL2.encode(),
    "molecule.xyz": b"3\nwater\nO 0 0 0\nH 0.96 0 0\nH -0.24 0.93 0\n",
    "edges.txt.gz": gzip.compress(b"a b 2.5\nb c 1\n", mtime=0),
}

# The three files of a list of simplices, as the reader of that format gets them.
SIMPLICES = b"3\n2\n3\n\x001\n2\n3\n3\n4\n1\n2\n3\n\x0010\n20\n30\n"

TOKENS = [
    b"1000000000", b"-1", b"0", b"99999999999999999999999", b"1e400", b"nan", b"inf", b"\x00",
    b"\xff\xfe", b"null", b"true", b"[" * 50, b"{" * 50, b'{"a":', b"]", b"}", b'"', b"'", b"\n",
    b" ", b",", b"\t", b";", b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"&a;", b"<graph>", b"</node>",
    b"<", b">", b"%", b"#", b"\\", b"node [", b"edge [", b"directed 1", b"source", b"target",
    b"rank", b"label", b"id", b'"rank": 1001', b'"rank": "x"', b"()", b"[[]]", b"c1ccccc1", b"%99",
    b"[*]", b"$$$$\n", b"ATOM  ", b"HETATM", b"TER\n", b"MODEL ", b"element vertex 9999999",
    b"property list float double y", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"1.5", b"1_0", b"0x10",
]  # fmt: skip


def spoiled(data, rng):
    """The file with one random change, or a few: some must get past the first checks."""
    for _ in range(min(rng.geometric(0.6), 5)):
        n = len(data)
        i, j = sorted(rng.integers(0, n + 1, 2).tolist())
        j = min(j, i + 40)
        kind = rng.integers(8)
        if kind == 0:
            data = data[:i]
        elif kind == 1:
            data = data[:i] + data[j:]
        elif kind == 2:
            data = data[:j] + data[i:j] + data[j:]
        elif kind == 3:
            data = data[:i] + rng.bytes(max(j - i, 1) % 5) + data[j:]
        elif kind == 4 and n:
            at = int(rng.integers(n))
            data = data[:at] + bytes([data[at] ^ (1 << int(rng.integers(8)))]) + data[at + 1 :]
        elif kind == 5 and (words := list(re.finditer(rb"[\w.+-]+", data))):
            word = words[rng.integers(len(words))]  # another word of the same file in its place
            other = words[rng.integers(len(words))].group()
            data = data[: word.start()] + other + data[word.end() :]
        else:
            token = TOKENS[rng.integers(len(TOKENS))]
            data = data[:i] + token + data[(j if kind == 6 else i) :]
    return data
