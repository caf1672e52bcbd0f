"""Files made to do harm end in a clear error, in little time and memory."""

import builtins
import contextlib
import gzip
import io
import json
import pickle
import re
import time
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

import cellapse as cl

BILLION = 10**9


def npy(array):
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


def npz(method=zipfile.ZIP_DEFLATED, **members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return file.getvalue()


def lying(archive, declared, real):
    """The same archive, with another size written in its headers."""
    return archive.replace(np.uint32(real).tobytes(), np.uint32(declared).tobytes())


def with_defaults(n_keys, n_nodes):
    """A GraphML file that gives every node a value for every key, in few bytes."""
    keys = "".join(f"<key id='k{i}' for='node'><default>x</default></key>" for i in range(n_keys))
    nodes = "".join(f"<node id='{i}'/>" for i in range(n_nodes))
    return f"<graphml>{keys}<graph>{nodes}</graph></graphml>".encode()


def mostly_alone(n_entries):
    """A Matrix Market file with as many vertices as its entries allow."""
    n = 100 * (n_entries + 1000)
    head = f"%%MatrixMarket matrix coordinate pattern symmetric\n{n} {n} {n_entries}\n"
    return head.encode() + b"2 1\n" * n_entries


def header(shape, dtype="<i8"):
    """The beginning of an array that promises much and holds nothing."""
    file = io.BytesIO()
    about = {"descr": dtype, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, about)
    return file.getvalue()


class Exploit:
    def __reduce__(self):
        return exec, ("import builtins; builtins.cellapse_was_here = True",)


def pickled():
    return npz(labels=npy(np.array([Exploit()], dtype=object)), about=npy(np.zeros(1, np.uint8)))


LAUGHS = b'<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a0 "lol">' + b"".join(
    b'<!ENTITY a%d "%s">' % (i, b"&a%d;" % (i - 1) * 10) for i in range(1, 10)
) + b"]><graphml><graph><node id='&a9;'/></graph></graphml>"  # fmt: skip
EXTERNAL = (
    b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    b"<graphml><graph><node id='&e;'/></graph></graphml>"
)
OWN = b'"metadata": {"cellapse": {"max_rank": 1}}, '


def hif(incidences, **more):
    return json.dumps({**more, "incidences": incidences}).encode()


PLY = (
    b"ply\nformat %s 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
    b"element face 1\nproperty list %s int vertex_indices\nend_header\n"
)
# Name: file, its bytes (a function where they take long to make), what the error says.
HOSTILE = {
    "entity bomb": ("x.graphml", LAUGHS, "document type"),
    "external entity": ("x.graphml", EXTERNAL, "document type"),
    "a directed edge": (
        "x.graphml",
        b"<graphml><graph edgedefault='undirected'><node id='a'/><node id='b'/>"
        b"<edge source='a' target='b' directed='true'/></graph></graphml>",
        "the graph is directed",
    ),
    "deep XML": ("x.graphml", b"<a>" * 200_000, "not well-formed"),
    "deep JSON": ("x.json", b"[" * 1_000_000, "nested too deeply"),
    "deep JSON object": ("x.json", b'{"a":' * 1_000_000, "nested too deeply"),
    "deep attribute": (
        "x.json",
        hif([{"edge": 0, "node": 0}], nodes=[{"node": 0, "attrs": {"a": 0}}]).replace(
            b'"a": 0', b'"a": ' + b"[" * 900 + b"]" * 900
        ),
        "",  # read, or refused as too deep
    ),
    "deep label": (
        "x.json",
        b"{" + OWN.replace(b"1}", b'1, "labels": "json"}') + b'"incidences": '
        b'[{"edge": 0, "node": "' + b"[" * 100_000 + b'"}]}',
        "nested too deeply",
    ),
    "huge integer": ("x.json", b'{"incidences": ' + b"9" * 100_000 + b"}", "not valid JSON"),
    "rank of a billion": (
        "x.json",
        hif(
            [{"edge": 0, "node": v} for v in "ab"],
            edges=[{"edge": 0, "attrs": {"rank": BILLION}}],
        ),
        "rank 1000000000",
    ),
    "max_rank of a billion": (
        "x.json",
        hif([], metadata={"cellapse": {"max_rank": BILLION}}),
        "max_rank 1000000000",
    ),
    "a file that names itself": (
        "x.json",
        b'{"type": "collection", "datasets": {"x": {"relative-path": "x.json"}}}',
        "one by one",
    ),
    "one attribute name a node": (
        "x.json",
        hif([], nodes=[{"node": i, "attrs": {f"a{i}": 1}} for i in range(20_000)]),
        "20,000 names of attributes",
    ),
    "nine thousand attribute names": (
        "x.json",
        hif([], nodes=[{"node": i, "attrs": {f"a{i}": 1}} for i in range(9000)]),
        "9,000 attributes of 9,000 cells",
    ),
    "defaults for every node": ("x.graphml", with_defaults(5000, 5000), "5,000 defaults"),
    "JSON of other kinds": ("x.json", b'{"incidences": {"edge": 1}}', "no list of incidences"),
    "node of a wrong type": ("x.json", hif([{"edge": 0, "node": [1]}]), "string or integer"),
    "attrs of a wrong type": ("x.json", hif([], nodes=[{"node": 0, "attrs": 5}]), "attrs 5"),
    "directed": ("x.json", hif([], **{"network-type": "directed"}), "directed=\"ignore\""),
    "xgi of wrong types": ("x.json", b'{"edge-dict": {"0": [1, 2]}}', "lists of strings"),
    "deep GML": ("x.gml", b"graph [ " * 50_000, "not closed"),
    "deep GML node": (
        "x.gml",
        b"graph [ node [ id 0 " + b"a [ " * 5000 + b"]" * 5000 + b" ] ]",
        "more than 20 deep",
    ),
    "long GML number": ("x.gml", b"graph [ x " + b"1" * 10_000 + b" ]", "10000 digits"),
    "GML edge to nowhere": (
        "x.gml",
        b"graph [ node [ id 0 ] edge [ source 0 target 1000000000 ] ]",
        "node 1000000000",
    ),
    "GML directed": ("x.gml", b"graph [ directed 1 ]", "directed"),
    "matrix of a billion": (
        "x.mtx",
        b"%%MatrixMarket matrix coordinate real general\n1000000000 1000000000 1\n1 2 1\n",
        "1000000000 vertices",
    ),
    "matrix of lonely vertices": ("x.mtx", mostly_alone(200_000), "graph of 20,100,000 vertices"),
    "matrix with an entry of a billion": (
        "x.mtx",
        b"%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n1000000000 1 1\n",
        "outside",
    ),
    "matrix that promises entries": (
        "x.mtx",
        b"%%MatrixMarket matrix coordinate real symmetric\n3 3 1000000000000\n2 1 1\n",
        "cut off",
    ),
    "matrix that crashes SciPy": (
        "x.mtx",
        b"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.5\n3 2 1.5\x08",
        "no number",
    ),
    "dense matrix that promises": (
        "x.mtx",
        b"%%MatrixMarket matrix array real general\n100000000 100000000\n1\n",
        "cut off",
    ),
    "pickle in NPZ": ("x.npz", pickled(), "pickle"),
    "pickle as NPZ": ("x.npz", pickle.dumps(Exploit()), "not a valid NPZ"),
    "array of a billion": ("x.npz", npz(about=header((BILLION,))), "bytes do not fill"),
    "array of negative size": ("x.npz", npz(about=header((-1,))), "not a valid|do not fill"),
    "zip bomb": ("x.npz", lambda: npz(about=bytes(300_000_000)), "arrays of 300.0 MB needs"),
    "bzip2 bomb": (
        "x.npz",
        lambda: npz(zipfile.ZIP_BZIP2, about=bytes(50_000_000)),
        "packed by method 12",
    ),
    "LZMA bomb": (
        "x.npz",
        lambda: npz(zipfile.ZIP_LZMA, about=bytes(50_000_000)),
        "packed by method 14",
    ),
    "zip bomb that declares little": (
        "x.npz",
        lambda: lying(npz(about=bytes(50_000_000)), 1000, 50_000_000),
        "not a valid NPZ",
    ),
    "NPZ entries that are no text": (
        "x.npz",
        npz(about=npy(np.array([0xFF], np.uint8))),
        "text that is not",
    ),
    "NPZ entries without a shape": ("x.npz", npz(about=npy(np.array(7))), "text that|format"),
    "NPZ attribute without a shape": (
        "x.npz",
        npz(
            about=npy(np.frombuffer(json.dumps({"format": "cellapse complex 1", "attributes":
                [[["a", "array"]]]}).encode(), np.uint8)),
            labels=npy(np.arange(2)),
            **{"attribute 0 0": npy(np.array(3.0))},
        ),
        "one value for each",
    ),
    "many arrays": ("x.npz", npz(**{f"a{i}": b"" for i in range(10_001)}), "10,001 arrays"),
    "sparse matrix of a billion": (
        "x.npz",
        npz(
            format=npy(np.array(b"coo")),
            shape=npy(np.array([BILLION, BILLION])),
            data=npy(np.ones(1)),
            row=npy(np.zeros(1, int)),
            col=npy(np.ones(1, int)),
        ),
        "1000000000 x 1000000000",
    ),
    "sparse matrix out of bounds": (
        "x.npz",
        npz(
            format=npy(np.array(b"csr")),
            shape=npy(np.array([2, 2])),
            data=npy(np.ones(1)),
            indices=npy(np.array([BILLION])),
            indptr=npy(np.array([0, 1, 1])),
        ),
        "not consistent",
    ),
    "sparse matrix of complex numbers": (
        "x.npz",
        npz(
            format=npy(np.array(b"coo")),
            shape=npy(np.array([2, 2])),
            data=npy(np.array([1j, 1j])),
            row=npy(np.array([0, 1])),
            col=npy(np.array([1, 0])),
        ),
        "complex128 entries",
    ),
    "gzip bomb": ("x.txt.gz", lambda: gzip.compress(bytes(300_000_000), 9), "unpacking"),
    "gzip cut off": ("x.txt.gz", gzip.compress(b"a b\n" * 1000)[:-9], "complete gzip"),
    "OFF of a billion": ("x.off", b"OFF\n1000000000 1 0\n0 0 0\n", "cut off"),
    "OFF corner of a billion": (
        "x.off",
        b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 1000000000\n",
        "vertex 1000000000",
    ),
    "OFF face of a billion": ("x.off", b"OFF\n1 1 0\n0 0 0\n1000000000 0\n", "how many corners"),
    "OBJ corner of a billion": ("x.obj", b"v 0 0 0\nf 1 2 1000000000\n", "vertex 1, but"),
    "OBJ corner too far back": ("x.obj", b"v 0 0 0\nf -1 -2 -3\n", "counted from 1"),
    "OBJ line to nowhere": ("x.obj", b"v 0 0 0\nl 1 99\n", "vertex 98"),
    "PLY of a billion": ("x.ply", PLY % (b"ascii", BILLION, b"int"), "1000000000 of vertex"),
    "PLY without vertices": ("x.ply", PLY % (b"ascii", 0, b"int") + b"3 0 1 2\n", "vertex 0"),
    "PLY list of a billion": (
        "x.ply",
        PLY % (b"binary_little_endian", 1, b"int") + bytes(12) + np.int32(BILLION).tobytes(),
        "list of 1000000000",
    ),
    "PLY list of NaN": (
        "x.ply",
        PLY % (b"binary_little_endian", 1, b"float") + bytes(12) + np.float32(np.nan).tobytes(),
        "not a complete PLY",
    ),
    "long data behind an edge": ("x.txt", b"a b {" + b"(" * 50_000 + b"}", "no dict"),
    "deep data behind an edge": ("x.txt", b"a b {'x': " + b"(" * 5000 + b"}", "no dict"),
    "long CSV field": ("x.csv", b'a,"' + b"b" * 200_000, "rows and columns"),
    "header or edge": ("x.txt", b"a b\nc d\n", "header=True or header=False"),
    "edge with two weights": ("x.txt", b"a b 1\nb a 2\n", "listed twice with different data"),
    "ragged rows": ("x.txt", b"a b c d\na b\n", 'format="hyperedges"'),
    "negative weight": ("x.mtx?weight", b"%%MatrixMarket matrix coordinate real symmetric\n"
                        b"2 2 1\n2 1 -1\n", "weight -1"),
    "hyperedge with a repeat": ("x.hyperedges", b"a a b\n", "twice"),
    "hyperedge of all": (
        "x.hyperedges",
        " ".join(map(str, range(200_000))).encode(),
        "pairs within hyperedges",
    ),
    "hyperedge of twenty thousand": (
        "x.hyperedges",
        " ".join(map(str, range(20_000))).encode(),
        "pairs within hyperedges.*max_memory",
    ),
    "hyperedge of twenty thousand in JSON": (
        "x.json",
        hif([{"edge": 0, "node": i} for i in range(20_000)]),
        "pairs within hyperedges.*max_memory",
    ),
    "long SMILES": ("x.smi", b"C" * 100_000, "100000 characters"),
    "deep SMILES": ("x.smi", b"C(" * 2400, "not a valid SMILES"),
    "no molecule": ("x.smi", b"# nothing\n", "0 molecules"),
    "several molecules": ("x.smi", b"CC a\nCO b\n", "molecule_complexes"),
    "atoms on top of each other": (
        "x.pdb",
        b"".join(
            b"ATOM  %5d %-4s ALA A%4d       0.000   0.000   0.000  1.00  0.00           %s\n"
            % (4 * i + j, b" " + name, i + 1, name[:1])
            for i in range(1000)
            for j, name in enumerate([b"N", b"CA", b"C", b"O"])
        ),
        "on top of each other",
    ),
    "empty PDB": ("x.pdb", b"", "no residue"),
    "binary junk": ("x.txt", bytes(range(256)) * 10, "UTF-8"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file(name, tmp_path):
    file, data, pattern = HOSTILE[name]
    file, _, weight = file.partition("?")
    pytest.importorskip({"pdb": "gemmi", "smi": "rdkit"}.get(file.rpartition(".")[2], "numpy"))
    path = tmp_path / file
    path.write_bytes(data() if callable(data) else data)
    tracemalloc.start()
    start = time.process_time()
    try:
        if pattern:
            with pytest.raises(cl.CellapseError) as caught:
                cl.read(path, weight=weight or None)
            start_of, _, message = str(caught.value).partition(": ")
            assert start_of == str(path)
            assert re.search(pattern, message), message  # the path has the name of the test
        else:
            with contextlib.suppress(cl.InputError):
                cl.read(path)
        assert tracemalloc.get_traced_memory()[1] < 300e6
    finally:
        tracemalloc.stop()
    assert time.process_time() - start < 20
    assert not hasattr(builtins, "cellapse_was_here")


def test_what_is_no_file(tmp_path):
    (tmp_path / "x.docx").write_bytes(b"PK")
    for path, pattern in [
        (tmp_path / "missing.gml", "file"),
        (tmp_path, "folder"),
        (tmp_path / "x.docx", "'docx'.*'gml'"),
        (None, "None"),
    ]:
        with pytest.raises(cl.InputError, match=pattern):
            cl.read(path)
    (tmp_path / "folder.gml").mkdir()
    with pytest.raises(cl.InputError, match="a folder"):
        cl.read(tmp_path / "folder.gml")
    if Path("/dev/zero").exists():
        with pytest.raises(cl.InputError, match="device"):
            cl.read("/dev/zero", format="edges")
    with pytest.raises(cl.InputError, match="format='gmll'"):
        cl.read(tmp_path / "x.gml", format="gmll")


def test_files_larger_than_memory(tmp_path, monkeypatch):
    (tmp_path / "x.txt").write_text("a b\n" * 100)
    monkeypatch.setattr("cellapse.io._source.available_memory", lambda: 10_000)
    with pytest.raises(cl.SizeError, match="50 bytes"):
        cl.read(tmp_path / "x.txt")


def test_a_gzip_bomb_where_there_is_memory_for_it(tmp_path, monkeypatch):
    (tmp_path / "x.txt.gz").write_bytes(gzip.compress(bytes(110_000_000)))
    for place in ("io._source", "_shared.memory"):
        monkeypatch.setattr(f"cellapse.{place}.available_memory", lambda: 10**15)
    with pytest.raises(cl.SizeError, match=r"unpacking 106.. kB.*max_memory"):
        cl.read(tmp_path / "x.txt.gz")
    with pytest.raises(cl.InputError, match="zero"):  # with leave, it is unpacked and seen
        cl.read(tmp_path / "x.txt.gz", max_memory=10**12)


def test_two_stars_of_cells(tmp_path, monkeypatch):
    """Smaller cells above larger ones are compared pair by pair, where all share a vertex."""
    cells = {"low": (1, 4), "high": (2, 3)}
    edges, incidences = [], []
    for name, (rank, size) in cells.items():
        for i in range(1500):
            edges.append({"edge": f"{name} {i}", "attrs": {"rank": rank}})
            members = [0, *(f"{name} {i} {j}" for j in range(size - 1))]
            incidences += [{"edge": f"{name} {i}", "node": v} for v in members]
    (tmp_path / "x.json").write_bytes(hif(incidences, edges=edges))
    assert cl.read(tmp_path / "x.json").n_cells == (7501, 1500, 1500)
    # Enough for the file, of which the cells are so much that it is asked again, and has shrunk.
    monkeypatch.setattr("cellapse.io._source.available_memory", lambda: 200_000_000)
    monkeypatch.setattr("cellapse._shared.memory.available_memory", lambda: 35_000_000)
    with pytest.raises(cl.SizeError, match=r"1,500 .*rank 2.*36\.0 MB"):
        cl.read(tmp_path / "x.json")


def test_write_refuses(tmp_path):
    K = cl.Complex.from_cells({1: [("a", "b"), ("b", "c"), ("a", "c")], 2: [("a", "b", "c")]})
    tuples = cl.Complex.from_cells({0: [frozenset("a")]})
    same = cl.Complex.from_cells({0: [1, "1"]})
    control = cl.Complex.from_cells({0: ["\x01"]})
    ranked = cl.Complex.from_cells({1: [("a", "b")]}, attributes={1: {"rank": [1]}})
    infinite = cl.Complex.from_cells({0: "a"}, attributes={0: {"x": [np.inf]}})
    for obj, file, on, pattern in [
        (K, "x.csv", None, "json"),
        (K, "x.graphml", None, "1"),
        (K, "x.json", K, "on="),
        (tuples, "x.npz", None, "frozenset"),
        (same, "x.graphml", None, "look"),
        (control, "x.graphml", None, "characters"),
        (ranked, "x.json", None, '"rank"'),
        (infinite, "x.json", None, "number"),
        ([1, 2, 3], "x.csv", None, "on=K"),
        ([1, 2], "x.csv", K, "2.*3"),
        ({"node": [1, 2, 3]}, "x.csv", K, "rename"),
        (object(), "x.csv", K, "object"),
        ({"a": [1, 2, 3]}, "x.pdf", K, "'pdf'"),
        (cl.tasks.Clusters(np.zeros(3, int), "xyz", None), "x.csv", K, "'x'"),
        (cl.tasks.Clusters(np.zeros(3, int), "xyz", None), "x.graphml", None, "on=K"),
        (K, "no/such/folder/x.json", None, "written"),
    ]:
        with pytest.raises(cl.InputError, match=pattern):
            cl.write(obj, tmp_path / file, on=on)
