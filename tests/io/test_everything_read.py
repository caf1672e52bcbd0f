"""Every object and every format that is read, asked the same five questions.

Vertices: are all there, also the lonely one? Labels: what they are called. Order: as the source has
it. Weights: the same numbers on the same edges. Round trip: what is written comes back.
"""

import gzip
import io
import json
import sys

import networkx as nx
import numpy as np
import pytest
from io_seeds import DATA, SEEDS, SIMPLICES, node_link
from scipy import sparse
from scipy.io import mmwrite, savemat
from scipy.spatial import ConvexHull, Delaunay

import cellapse as cl
from cellapse import interop
from cellapse.interop.reading import _READERS
from cellapse.io import FORMATS
from cellapse.io._formats import WRITERS

# In an order that no sorting gives, with a vertex of its own at the end.
NAMES = ["d", "a", "c", "b", "lonely"]
WEIGHTS = {("d", "a"): 2.5, ("a", "c"): 1.0, ("c", "b"): 0.5, ("b", "d"): 4.0, ("a", "b"): 3.0}
N = len(NAMES)


def graph(names=NAMES):
    G = nx.Graph()
    G.add_nodes_from(names)
    place = dict(zip(NAMES, names, strict=True))
    G.add_weighted_edges_from((place[u], place[v], w) for (u, v), w in WEIGHTS.items())
    return G


def matrix():
    return nx.to_numpy_array(graph(), nodelist=NAMES)


def optional(name):
    return pytest.importorskip(name, reason=f"{name} is not installed: its objects are not tried")


# ---------------------------------------------------------------- objects that are graphs


def of_igraph():
    igraph = optional("igraph")
    G = igraph.Graph([(NAMES.index(u), NAMES.index(v)) for u, v in WEIGHTS])
    G.add_vertices(1)
    G.vs["name"], G.es["weight"] = NAMES, list(WEIGHTS.values())
    return G


def of_networkit():
    networkit = optional("networkit")
    G = networkit.Graph(N, weighted=True)
    for (u, v), w in WEIGHTS.items():
        G.addEdge(NAMES.index(u), NAMES.index(v), w)
    return G


def of_sknetwork():
    base = optional("sknetwork.data.base")
    return base.Dataset(adjacency=sparse.csr_matrix(matrix()), names=np.array(NAMES))


def of_pygsp():
    return optional("pygsp").graphs.Graph(matrix())


def edge_table(u="source", v="target"):
    pandas = optional("pandas")
    rows = [(*pair, w) for pair, w in WEIGHTS.items()]
    return pandas.DataFrame(rows, columns=[u, v, "weight"])


def of_pyg():
    torch = optional("torch")
    data = optional("torch_geometric.data")
    i, j = np.nonzero(matrix())
    index = torch.tensor(np.array([i, j]))
    return data.Data(edge_index=index, edge_weight=torch.tensor(matrix()[i, j]), num_nodes=N)


NUMBERS, NO_LONELY = range(N), NAMES[:4]
GRAPHS = {  # how to make it, what the vertices are called, what to ask for as weights
    "networkx.Graph": (graph, NAMES, "weight"),
    "igraph.Graph": (of_igraph, NAMES, "weight"),
    "networkit.Graph": (of_networkit, NUMBERS, "weight"),
    "sknetwork Dataset": (of_sknetwork, NAMES, "weight"),
    "pygsp Graph": (of_pygsp, NUMBERS, "weight"),
    "PyG Data": (of_pyg, NUMBERS, "edge_weight"),
    "scipy csr_array": (lambda: sparse.csr_array(matrix()), NUMBERS, "weight"),
    "scipy coo_matrix": (lambda: sparse.coo_matrix(matrix()), NUMBERS, "weight"),
    "scipy dia_array": (lambda: sparse.dia_array(matrix()), NUMBERS, "weight"),
    "NumPy adjacency": (matrix, NUMBERS, "weight"),
    "nested lists": (lambda: matrix().tolist(), NUMBERS, "weight"),
    "torch adjacency": (lambda: optional("torch").tensor(matrix()), NUMBERS, "weight"),
    "torch sparse": (lambda: optional("torch").tensor(matrix()).to_sparse(), NUMBERS, "weight"),
    "torch csr": (lambda: optional("torch").tensor(matrix()).to_sparse_csr(), NUMBERS, "weight"),
    "pandas source, target": (edge_table, NO_LONELY, "weight"),
    "pandas from, to": (lambda: edge_table("from", "to"), NO_LONELY, "weight"),
    "pandas node1, node2": (lambda: edge_table("node1", "node2"), NO_LONELY, "weight"),
    "pandas adjacency": (
        lambda: optional("pandas").DataFrame(matrix(), index=NAMES, columns=NAMES),
        NAMES,
        "weight",
    ),
    "edges with weights": (lambda: [(*p, w) for p, w in WEIGHTS.items()], NO_LONELY, "weight"),
    "edges with data": (
        lambda: [(*p, {"weight": w}) for p, w in WEIGHTS.items()],
        NO_LONELY,
        "weight",
    ),
    "dict of dicts": (lambda: nx.to_dict_of_dicts(graph()), NAMES, "weight"),
    "dict of lists": (lambda: nx.to_dict_of_lists(graph()), NAMES, None),
    "pairs": (lambda: list(WEIGHTS), NO_LONELY, None),
    "edge array": (lambda: np.array([[0, 1], [1, 2], [2, 3], [3, 0], [1, 3]]), range(4), None),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_of_every_library(name):
    make, labels, weight = GRAPHS[name]
    source = make()
    K = cl.as_complex(source, weight=weight)
    assert list(K.labels) == list(labels)  # vertices, labels and order
    place = dict(zip(NAMES, labels, strict=False))
    expected = {frozenset((place[u], place[v])): w for (u, v), w in WEIGHTS.items()}
    cells = list(map(frozenset, K.cell_labels(1)))
    assert len(cells) == len(expected)
    if weight is None:
        assert set(cells) == expected.keys()
    else:
        assert dict(zip(cells, K.weights[1], strict=True)) == expected


# ---------------------------------------------------------------- back again


def example():
    """Labels, weights and attributes with a gap."""
    K = cl.as_complex(graph(), weight="weight")
    kinds = ["x", None, "y", "x", "y"]
    return K.with_attributes({0: {"age": [3, 4, 5, 6, 7]}, 1: {"kind": kinds}})


BACK = {
    "igraph": (interop.to_igraph, "weight", True),
    "networkx": (interop.to_networkx, "weight", True),
    "pandas": (interop.to_pandas, "weight", True),
    "xgi": (interop.to_xgi, "weight", True),
    "scipy": (interop.to_scipy, "any", False),
    "torch": (interop.to_torch, "any", False),
    "torch csr": (lambda K: interop.to_torch(K, layout="csr"), "any", False),
}


@pytest.mark.parametrize("name", BACK)
def test_what_goes_out_comes_back(name):
    to, weight, everything = BACK[name]
    optional(name.split()[0])
    K = example()
    L = cl.as_complex(to(K), weight=weight)
    labels = K.labels if everything else range(N)
    assert list(L.labels) == list(labels)
    place = dict(zip(L.labels, K.labels, strict=True))
    cells = [frozenset(place[v] for v in cell) for cell in L.cell_labels(1)]
    weights = dict(zip(cells, L.weights[1], strict=True))
    assert weights == {frozenset(e): w for e, w in WEIGHTS.items()}
    if everything:
        assert L.attributes[0]["age"].tolist() == [3, 4, 5, 6, 7]
        kinds = dict(zip(cells, L.attributes[1]["kind"], strict=True))
        given = zip(map(frozenset, K.cell_labels(1)), K.attributes[1]["kind"], strict=True)
        assert kinds == dict(given)


# ---------------------------------------------------------------- directions, loops, attributes


def test_directed_graphs_of_every_library_are_refused_or_taken_as_edges():
    made = {
        "igraph": lambda m: m.Graph([(0, 1), (1, 0), (1, 2)], directed=True),
        "networkit": lambda m: directed_networkit(m),
        "pygsp": lambda m: m.graphs.Graph(np.array([[0, 1.0, 0], [0, 0, 1.0], [0, 0, 0]])),
    }
    for name, make in made.items():
        if name not in sys.modules:
            continue
        G = make(sys.modules[name])
        with pytest.raises(cl.InputError, match='directed="ignore"'):
            cl.as_complex(G)
        assert cl.as_complex(G, directed="ignore").n_cells == (3, 2)


def directed_networkit(networkit):
    G = networkit.Graph(3, directed=True)
    G.addEdge(0, 1)
    G.addEdge(1, 2)
    return G


def test_numbers_of_networkit_may_have_gaps():
    networkit = optional("networkit")
    G = networkit.Graph(5)
    G.addEdge(0, 3)
    G.addEdge(3, 4)
    G.removeNode(1)
    K = cl.as_complex(G)
    assert list(K.labels) == [0, 2, 3, 4]
    assert set(map(frozenset, K.cell_labels(1))) == {frozenset({0, 3}), frozenset({3, 4})}


def test_signals_and_positions_are_attributes():
    G = optional("pygsp").graphs.Ring(6)
    G.set_signal(np.arange(6.0), "heat")
    K = cl.as_complex(G)
    assert K.attributes[0]["heat"].tolist() == [0, 1, 2, 3, 4, 5]
    assert K.attributes[0]["position"].shape == (6, 2)


def test_an_incidence_table_is_a_hypergraph():
    pandas = optional("pandas")
    table = pandas.DataFrame({"p": [1, 1, 1, 0], "q": [0, 0, 1, 1]}, index=list("abcd"))
    K = cl.as_complex(table)
    assert K.n_cells == (4, 4, 1)
    assert K.attributes[2]["id"].tolist() == ["p"]
    with pytest.raises(cl.InputError, match="zeros"):
        cl.as_complex(pandas.DataFrame({"x": [1, 2, 3], "y": [4, 5, 6]}))
    with pytest.raises(cl.InputError, match="empty"):
        cl.as_complex(pandas.DataFrame({"from": ["a", None], "to": ["b", "c"]}))


# ---------------------------------------------------------------- meshes

POINTS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
TETRAHEDRA = np.array([[0, 1, 2, 3], [1, 2, 3, 4]])
TRIANGLES = np.array([[0, 1, 2], [1, 2, 4]])


def stand_in(library, name, **members):
    """An object of a class as a library has it, where that is too large to install."""
    return type(name, (), {"__module__": library, **members})()


def pyvista_grid():
    pyvista = optional("pyvista")
    cells = np.column_stack([np.full(2, 4), TETRAHEDRA]).ravel()
    return pyvista.UnstructuredGrid(cells, [10, 10], POINTS)


def pyvista_surface():
    pyvista = optional("pyvista")
    faces = np.r_[3, TRIANGLES[0], 4, 1, 2, 3, 4]
    return pyvista.PolyData(POINTS, faces=faces)


def triangulation():
    return optional("matplotlib.tri").Triangulation(POINTS[:, 0], POINTS[:, 1], TRIANGLES)


MESHES = {
    "meshio": (
        lambda: optional("meshio").Mesh(
            POINTS, [("tetra", TETRAHEDRA)], point_data={"heat": np.arange(5.0)}
        ),
        (5, 9, 7, 2),
    ),
    "meshio faces": (
        lambda: optional("meshio").Mesh(POINTS, [("triangle", TRIANGLES), ("line", [[3, 4]])]),
        (5, 6, 2),
    ),
    "pyvista grid": (pyvista_grid, (5, 9, 7, 2)),
    "pyvista surface": (pyvista_surface, (5, 6, 2)),
    "trimesh": (lambda: optional("trimesh").Trimesh(POINTS, TRIANGLES, process=False), (5, 5, 2)),
    "Delaunay": (lambda: Delaunay(POINTS[:4]), (4, 6, 4, 1)),
    "Delaunay of the plane": (lambda: Delaunay(np.array([[0, 0], [1, 0], [0, 1.0]])), (3, 3, 1)),
    "ConvexHull": (lambda: ConvexHull(POINTS[:4]), (4, 6, 4)),
    "ConvexHull of the plane": (
        lambda: ConvexHull(np.array([[0, 0], [1, 0], [0, 1], [1, 1.0]])),
        (4, 4, 0),
    ),
    "matplotlib": (triangulation, (5, 5, 2)),
    "open3d, a stand-in": (
        lambda: stand_in(
            "open3d.cpu.pybind.geometry", "TriangleMesh", vertices=POINTS, triangles=TRIANGLES
        ),
        (5, 5, 2),
    ),
    "vedo, a stand-in": (
        lambda: stand_in("vedo.mesh", "Mesh", vertices=POINTS, cells=TRIANGLES.tolist()),
        (5, 5, 2),
    ),
    "points and faces": (lambda: (POINTS, TRIANGLES), (5, 5, 2)),
}


@pytest.mark.parametrize("name", MESHES)
def test_meshes_of_every_library(name):
    make, n_cells = MESHES[name]
    mesh = make()
    K = cl.as_complex(mesh)
    assert K.n_cells == n_cells
    assert list(K.labels) == list(range(n_cells[0]))
    assert len(K.attributes[0]["position"]) == n_cells[0]
    if "Delaunay" not in name and "Hull" not in name and name != "matplotlib":
        assert K.attributes[0]["position"].tolist() == POINTS.tolist()
    if name == "meshio":
        assert K.attributes[0]["heat"].tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(cl.InputError, match=r"graphs|mesh"):
        cl.as_complex(mesh, directed="ignore")


def test_meshes_that_are_not_read_are_explained():
    meshio = optional("meshio")
    with pytest.raises(cl.InputError, match="triangle6"):
        cl.as_complex(meshio.Mesh(np.zeros((6, 3)), [("triangle6", [[0, 1, 2, 3, 4, 5]])]))
    cloud = stand_in("open3d.cpu.pybind.geometry", "PointCloud", points=POINTS)
    with pytest.raises(cl.InputError, match="nearest_neighbour_complex"):
        cl.as_complex(cloud)


# ---------------------------------------------------------------- proteins and atoms


@pytest.fixture(scope="module")
def ubiquitin(tmp_path_factory):
    pytest.importorskip("gemmi")
    path = tmp_path_factory.mktemp("protein") / "1ubq.pdb"
    path.write_bytes(gzip.decompress((DATA / "1ubq.pdb.gz").read_bytes()))
    return path


def biopython(path, level):
    pdb = optional("Bio.PDB")
    structure = pdb.PDBParser(QUIET=True).get_structure("x", path)
    return {"structure": structure, "model": structure[0], "chain": structure[0]["A"]}[level]


def biotite(path, model):
    return optional("biotite.structure.io.pdb").PDBFile.read(str(path)).get_structure(model=model)


def prody(path):
    """ProDy is built from source: a stand-in with the five functions that are asked of it."""
    atoms = [line for line in path.read_text().splitlines() if line.startswith("ATOM")]
    columns = {
        "getChids": np.array([line[21] for line in atoms]),
        "getResnums": np.array([int(line[22:26]) for line in atoms]),
        "getIcodes": np.array([line[26].strip() for line in atoms]),
        "getResnames": np.array([line[17:20] for line in atoms]),
        "getNames": np.array([line[12:16].strip() for line in atoms]),
        "getCoords": np.array([[float(line[i : i + 8]) for i in (30, 38, 46)] for line in atoms]),
        "numAtoms": len(atoms),
    }
    members = {name: lambda self, v=value: v for name, value in columns.items()}
    return type("AtomGroup", (), {"__module__": "prody.atomic.atomgroup", **members})()


PROTEINS = {
    "Biopython Structure": lambda path: biopython(path, "structure"),
    "Biopython Model": lambda path: biopython(path, "model"),
    "Biopython Chain": lambda path: biopython(path, "chain"),
    "biotite AtomArray": lambda path: biotite(path, 1),
    "biotite AtomArrayStack": lambda path: biotite(path, None),
    "ProDy, a stand-in": prody,
    "MDAnalysis Universe": lambda path: optional("MDAnalysis").Universe(str(path)),
    "MDAnalysis AtomGroup": lambda path: (
        optional("MDAnalysis").Universe(str(path)).select_atoms("protein")
    ),
    "mdtraj Trajectory": lambda path: optional("mdtraj").load(str(path)),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.parametrize("name", PROTEINS)
def test_proteins_of_every_library_are_the_same_complex(name, ubiquitin):
    expected = cl.protein_complex(ubiquitin)
    K = cl.as_complex(PROTEINS[name](ubiquitin))
    assert list(K.labels) == list(expected.labels)
    assert K.n_cells == expected.n_cells == (76, *expected.n_cells[1:])
    assert K.cell_labels(1) == expected.cell_labels(1)
    assert K.attributes[0]["residue"].tolist() == expected.attributes[0]["residue"].tolist()
    position = K.attributes[0]["position"]
    assert np.allclose(position, expected.attributes[0]["position"], atol=1e-3)


def test_atoms_without_bonds_are_joined_by_their_distances():
    pytest.importorskip("rdkit")
    ase = optional("ase")
    build = pytest.importorskip("ase.build")
    K = cl.as_complex(build.molecule("C6H6"))
    assert K.n_cells == (12, 12, 1)
    assert sorted(K.attributes[0]["element"].tolist()) == ["C"] * 6 + ["H"] * 6
    with pytest.warns(cl.CellapseWarning, match="periodic"):
        cl.as_complex(build.bulk("NaCl", "rocksalt", a=5.64, cubic=True))
    with pytest.raises(cl.InputError, match="Atoms"):
        cl.as_complex(ase.Atoms("H2", positions=[[0, 0, 0], [0, 0, 0.74]])[0])


def test_every_library_that_is_known_is_tried_here_or_in_its_own_tests():
    here = {name.split()[0].split(",")[0].split(".")[0].lower() for name in [*GRAPHS, *MESHES]}
    here |= {name.split()[0].lower().rstrip(",") for name in PROTEINS}
    elsewhere = {"gemmi", "gudhi", "hypergraphx", "hypernetx", "rdkit", "toponetx", "xgi"}
    elsewhere |= {"anndata"}
    other = {"bio": "biopython", "torch_geometric": "pyg", "scipy.spatial": "delaunay"}
    known = {other.get(name.lower(), name.lower()) for name in _READERS} - {"ase"}
    assert known <= here | elsewhere


# ---------------------------------------------------------------- formats


def text(lines):
    return ("\n".join(lines) + "\n").encode()


def edge_lines(names=NAMES, between=" "):
    place = dict(zip(NAMES, names, strict=True))
    return [between.join(map(str, (place[u], place[v], w))) for (u, v), w in WEIGHTS.items()]


def by_networkx(write, **options):
    file = io.BytesIO()
    write(graph(), file, **options)
    return file.getvalue()


def of_matrix_market():
    file = io.BytesIO()
    mmwrite(file, sparse.coo_array(matrix()), symmetry="symmetric")
    return file.getvalue()


def of_npz():
    file = io.BytesIO()
    sparse.save_npz(file, sparse.csr_array(matrix()))
    return file.getvalue()


def of_mat():
    file = io.BytesIO()
    savemat(file, {"Problem": {"A": sparse.csc_array(matrix()), "name": "x"}}, do_compression=True)
    return file.getvalue()


def of_metis():
    rows = []
    for i in range(N):
        there = np.flatnonzero(matrix()[i])
        rows.append(" ".join(f"{j + 1} {int(2 * matrix()[i, j])}" for j in there))
    return text([f"{N} {len(WEIGHTS)} 001", *rows])


def numbered(first):
    return [first + i for i in range(N)]


def hif():
    cells = [{"edge": i, "node": v} for i, pair in enumerate(WEIGHTS) for v in pair]
    nodes = [{"node": v} for v in NAMES]
    edges = [{"edge": i, "weight": w} for i, w in enumerate(WEIGHTS.values())]
    return {"nodes": nodes, "edges": edges, "incidences": cells}


ONE = numbered(1)
HALF = 2.0  # METIS has whole numbers: twice the weights
FILES = {  # the content, what the vertices are called, factor of the weights (0: it has none)
    "x.csv": (text(["from,to,weight", *edge_lines(between=","), "lonely"]), NAMES, 1),
    "x.edges": (text([*edge_lines(), "lonely"]), NAMES, 1),
    "x.ncol": (text(edge_lines()), NO_LONELY, 1),
    "x.adj": (
        text([",".join(["", *NAMES])] + [
            ",".join([v, *map(str, row)]) for v, row in zip(NAMES, matrix().tolist(), strict=True)
        ]),
        NAMES,
        1,
    ),
    "x.adjlist": (by_networkx(nx.write_adjlist), NAMES, 0),
    "x.gml": (by_networkx(nx.write_gml), NAMES, 1),
    "x.graphml": (by_networkx(nx.write_graphml), NAMES, 1),
    "x.gexf": (by_networkx(nx.write_gexf), NAMES, 1),
    "x.net": (by_networkx(nx.write_pajek), NAMES, 1),
    "links.json": (node_link(graph(), "links"), NAMES, 1),
    "edges.json": (node_link(graph(), "edges"), NAMES, 1),
    "adjacency.json": (json.dumps(nx.adjacency_data(graph())).encode(), NAMES, 1),
    "cytoscape.json": (json.dumps(nx.cytoscape_data(graph())).encode(), NAMES, 1),
    "hif.json": (json.dumps(hif()).encode(), NAMES, 1),
    "x.dot": (
        text(["graph {", *(f"{v};" for v in NAMES)]
             + [f"{u} -- {v} [weight={w}];" for (u, v), w in WEIGHTS.items()] + ["}"]),
        NAMES,
        1,
    ),
    "x.mtx": (of_matrix_market(), NUMBERS, 1),
    "x.npz": (of_npz(), NUMBERS, 1),
    "x.mat": (of_mat(), NUMBERS, 1),
    "x.g6": (nx.to_graph6_bytes(graph(numbered(0))), NUMBERS, 0),
    "x.s6": (nx.to_sparse6_bytes(graph(numbered(0))), NUMBERS, 0),
    "x.metis": (of_metis(), ONE, HALF),
    "x.gr": (
        text([f"p sp {N} {2 * len(WEIGHTS)}"] + [
            f"a {NAMES.index(a) + 1} {NAMES.index(b) + 1} {w}"
            for (u, v), w in WEIGHTS.items() for a, b in ((u, v), (v, u))
        ]),
        ONE,
        1,
    ),
    "x.col": (
        text([f"p edge {N} {len(WEIGHTS)}"]
             + [f"e {NAMES.index(u) + 1} {NAMES.index(v) + 1}" for u, v in WEIGHTS]),
        ONE,
        0,
    ),
    "x.sif": (text([f"{u} pp {v}" for u, v in WEIGHTS] + ["lonely"]), NAMES, 0),
    "x.gdf": (
        text(["nodedef>name VARCHAR", *NAMES, "edgedef>node1,node2,weight DOUBLE",
              *edge_lines(between=",")]),
        NAMES,
        1,
    ),
    "x.dl": (
        text([f"dl n={N} format=edgelist1", "labels:", ",".join(NAMES), "data:",
              *edge_lines(numbered(1))]),
        NAMES,
        1,
    ),
    "out.x": (text(["% sym positive", *edge_lines(numbered(1))]), numbered(1)[:4], 1),
    "x.hyperedges": (text([f"{u} {v}" for u, v in WEIGHTS] + ["lonely"]), NAMES, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_graphs_of_every_format(name, tmp_path):
    content, labels, factor = FILES[name]
    (tmp_path / name).write_bytes(content)
    K = cl.read(tmp_path / name)
    assert list(K.labels) == list(labels)  # vertices, labels and order
    place = dict(zip(NAMES, labels, strict=False))
    expected = {frozenset((place[u], place[v])): factor * w for (u, v), w in WEIGHTS.items()}
    cells = list(map(frozenset, K.cell_labels(1)))
    assert set(cells) == expected.keys()
    assert len(cells) == len(expected)
    if factor:
        W = cl.read(tmp_path / name, weight="weight")
        assert dict(zip(map(frozenset, W.cell_labels(1)), W.weights[1], strict=True)) == expected


@pytest.mark.parametrize("extension", sorted(set(WRITERS) - {"off", "hyperedges"}))
def test_every_format_that_is_written_comes_back(extension, tmp_path):
    i, j = np.nonzero(np.triu(matrix()))
    attributes = {1: {"weight": matrix()[i, j]}}
    K = cl.Complex.from_arrays(N, {1: np.column_stack([i, j])}, attributes=attributes)
    path = tmp_path / f"x.{extension}"
    cl.write(K, path)
    L = cl.read(path, weight=None)
    assert sorted(L.labels) == list(range(N))
    given, back = (
        dict(zip(map(frozenset, C.cell_labels(1)), C.attributes[1]["weight"], strict=True))
        for C in (K, L)
    )
    assert given == back


@pytest.mark.parametrize("extension", ["gml", "gexf", "graphml"])
def test_what_graphs_of_files_know_comes_back_and_networkx_reads_it(extension, tmp_path):
    K = example()
    path = tmp_path / f"x.{extension}"
    cl.write(K, path)
    L = cl.read(path, weight="weight")
    assert list(L.labels) == NAMES
    assert L.attributes[0]["age"].tolist() == [3, 4, 5, 6, 7]
    assert L.attributes[1]["kind"].tolist() == K.attributes[1]["kind"].tolist()
    assert L.weights[1].tolist() == K.weights[1].tolist()
    if extension == "gexf" and "1.3" not in nx.readwrite.gexf.GEXF.versions:
        pytest.skip("this networkx reads GEXF up to 1.2")
    theirs = getattr(nx, f"read_{extension}")(path)
    assert set(theirs) == set(NAMES)
    assert theirs.edges["a", "d"]["weight"] == 2.5


def test_every_format_is_asked():
    asked = {name.rpartition(".")[2] for name in FILES} | {"hif"}
    known = {e for f in FORMATS.values() for e in f.extensions}
    graphs = {
        name for name, f in FORMATS.items() if f.takes and name not in ("konect", "simplices")
    }
    assert all(set(FORMATS[name].extensions) & asked for name in graphs)
    assert {name.rpartition(".")[2] for name in SEEDS} - {"gz", "konect"} <= known


# ---------------------------------------------------------------- formats with ways of their own


def test_simplices_in_three_files(tmp_path):
    for part, content in zip(("nverts", "simplices", "times"), SIMPLICES.split(b"\0"), strict=True):
        (tmp_path / f"x-{part}.txt").write_bytes(content)
    for part in ("nverts", "simplices", "times"):
        K = cl.read(tmp_path / f"x-{part}.txt")
        assert (K.n_cells, K.labels) == ((4, 4, 1), (1, 2, 3, 4))
        assert K.attributes[2]["multiplicity"].tolist() == [2]
    window = cl.read(tmp_path / "x-nverts.txt", window=(20, 30))
    assert (window.n_cells, window.labels) == ((2, 1, 0), (3, 4))
    (tmp_path / "x-simplices.txt").unlink()
    with pytest.raises(cl.InputError, match="file"):
        cl.read(tmp_path / "x-nverts.txt")


def test_the_two_sides_of_konect_are_kept_from_each_other(tmp_path):
    path = tmp_path / "out.x"
    path.write_bytes(b"% bip weighted\n1 1 2 5\n1 2 1 6\n1 1 3 7\n2 1 1 8\n")
    K = cl.read(path, weight="weight")
    assert K.n_cells == (4, 3)
    assert K.labels[0] == ("left", 1)
    weights = dict(zip(K.cell_labels(1), K.weights[1], strict=True))
    assert weights[("left", 1), ("right", 1)] == 5
    assert cl.read(path, window=(6, 8)).n_cells == (3, 2)
    path.write_bytes(b"% asym unweighted\n1 2\n")
    with pytest.raises(cl.InputError, match="directed"):
        cl.read(path)
    assert cl.read(path, directed="ignore").n_cells == (2, 1)


DIRECTED = {
    "x.gexf": b'<gexf><graph defaultedgetype="directed"><nodes><node id="a"/><node id="b"/></nodes>'
    b'<edges><edge source="a" target="b"/></edges></graph></gexf>',
    "x.json": b'{"directed": true, "nodes": [{"id": "a"}, {"id": "b"}], "links": '
    b'[{"source": "a", "target": "b"}]}',
    "x.net": b"*Vertices 2\n1 a\n2 b\n*Arcs\n1 2\n",
    "x.dot": b"digraph { a -> b }",
    "x.gr": b"p sp 2 1\na 1 2 5\n",
    "x.gml": b'graph [ directed 1 node [ id 1 label "a" ] node [ id 2 label "b" ] '
    b"edge [ source 1 target 2 ] ]",
    "x.gdf": b"nodedef>name\na\nb\nedgedef>node1,node2,directed BOOLEAN\na,b,true\n",
}


@pytest.mark.parametrize("name", DIRECTED)
def test_directed_files_are_refused_or_taken_as_edges(name, tmp_path):
    (tmp_path / name).write_bytes(DIRECTED[name])
    with pytest.raises(cl.InputError, match='directed="ignore"'):
        cl.read(tmp_path / name)
    assert cl.read(tmp_path / name, directed="ignore").n_cells == (2, 1)


WRONG = {
    "x.gexf": (b"<gexf/>", "no <graph>"),
    "x.net": (b"*Vertices 2\n*Edges\n1 3\n", "a vertex belongs"),
    "x.dot": (b"graph { a -- b", "cut off"),
    "x.g6": (b"Bw\nBw\n", "2 graphs"),
    "x.metis": (b"3 5\n2\n1 3\n2\n", "declares 5 edges"),
    "x.col": (b"e 1 2\n", "p edge"),
    "x.sif": (b"a pp\n", "target"),
    "x.gdf": (b"a,b\n", "nodedef"),
    "x.dl": (b"dl n=3\ndata:\n0 1\n", "2 entries"),
    "x.mat": (b"MATLAB 7.3 file", "7.3"),
    "x.stl": (b"solid x\nvertex 0 0 0\n", "corners"),
    "x.msh": (b"$MeshFormat\n2.2 1 8\n", "lacks"),
    "x.vtk": (b"# vtk DataFile Version 3.0\nx\nBINARY\nDATASET POLYDATA\n", "binary"),
    "x.vtu": (b'<VTKFile type="ImageData"></VTKFile>', "meshio"),
    "x.xyz": (b"2\n\nH 0 0 0\n", "2 atoms"),
    "x.mol2": (b"", "TRIPOS"),
    "x.json": (b'{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 7}]}', "does not list"),
    "x.adj": (b"1 2 3\n4 5 6\n", "square"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_file_is_said(name, tmp_path):
    content, words = WRONG[name]
    (tmp_path / name).write_bytes(content)
    if name in ("x.xyz", "x.mol2"):
        pytest.importorskip("rdkit")
    with pytest.raises(cl.InputError, match=words):
        cl.read(tmp_path / name)


def test_a_grid_without_cells_is_points_alone(tmp_path):
    text = SEEDS["mesh.vtu"].decode()
    for words in (">0 1 2 3<", ">4<", ">10<"):
        text = text.replace(words, "><")
    (tmp_path / "x.vtu").write_text(text)
    assert cl.read(tmp_path / "x.vtu").n_cells == (4, 0, 0)
