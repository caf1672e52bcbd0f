"""The bundled backbones, recounted; their complexes by brute force; downloads without a net."""

import gzip
import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

import cellapse as cl
from cellapse.datasets import available_proteins, backbone_complex, fetch_pdb, load_protein


@pytest.fixture(scope="module", params=available_proteins())
def protein(request):
    return load_protein(request.param)


def test_at_least_ten_proteins_with_helix_and_sheet():
    assert len(available_proteins()) == len(set(available_proteins())) == 50


def test_sizes_shares_and_labels(protein):
    n = len(protein)
    assert 75 <= n <= 450
    assert protein.coordinates.shape == (n, 4, 3)
    assert len(protein.dssp) == len(protein.numbers) == len(set(protein.labels)) == n
    assert set(protein.dssp) == {"H", "E", "C"}
    assert all(len(name) == 3 and name.isupper() for name in protein.residues)


def test_bond_lengths_are_those_of_a_backbone(protein):
    N, CA, C, oxygen = np.moveaxis(protein.coordinates, 1, 0)
    for a, b, length in ((N, CA, 1.46), (CA, C, 1.53), (C, oxygen, 1.23)):
        assert abs(np.median(np.linalg.norm(a - b, axis=1)) - length) < 0.03
    step = np.linalg.norm(N[1:] - C[:-1], axis=1)[np.diff(protein.segments) == 0]
    assert abs(np.median(step) - 1.33) < 0.03


def test_complex_by_brute_force(protein):
    xyz, segment = protein.coordinates, protein.segments
    n = len(protein)
    edges = {(i, i + 1) for i in range(n - 1) if segment[i] == segment[i + 1]}
    distance = np.linalg.norm(xyz[:, None, 0] - xyz[None, :, 3], axis=-1)
    for i, j in np.argwhere(distance < 3.5).tolist():
        if i != j and (abs(i - j) >= 3 or segment[i] != segment[j]):
            edges.add((min(i, j), max(i, j)))
    K = protein.complex()
    assert {tuple(e) for e in K.cells[1].as_array().tolist()} == edges
    A = np.zeros((n, n), dtype=int)
    A[tuple(zip(*edges, strict=True))] = 1
    A += A.T
    assert K.n_cells[2] == np.trace(A @ A @ A) // 6
    assert K.labels == protein.labels


def test_backbone_alone_is_a_path_for_each_stretch(protein):
    K = protein.complex(edges="backbone")
    assert K.n_cells[1] == len(protein) - 1 - protein.segments[-1]
    assert K.n_cells[2] == 0


def test_dssp_agrees_with_mdtraj_again():
    mdtraj = pytest.importorskip("mdtraj")
    protein = load_protein("1UBQ")
    topology, element = mdtraj.Topology(), mdtraj.element
    chain = topology.add_chain()
    for name in protein.residues:
        residue = topology.add_residue(name, chain)
        for atom, kind in zip(("N", "CA", "C", "O"), "NCCO", strict=True):
            topology.add_atom(atom, element.get_by_symbol(kind), residue)
    xyz = protein.coordinates.reshape(1, -1, 3) / 10
    codes = mdtraj.compute_dssp(mdtraj.Trajectory(xyz, topology))[0]
    assert codes.tolist() == protein.dssp.tolist()


def test_helix_and_sheet_differ_in_their_hydrogen_bonds():
    # a helix bonds i to i + 4, and a sheet does not: a wrong pairing of labels would show
    bonds = {"H": [], "E": []}
    for name in available_proteins():
        protein = load_protein(name)
        for i, j in protein.complex(edges="hbond").cells[1].as_array().tolist():
            if protein.dssp[i] == protein.dssp[j] != "C":
                bonds[str(protein.dssp[i])].append(j - i)
    assert np.mean(np.isin(bonds["H"], (3, 4))) > 0.95
    assert np.mean(np.array(bonds["E"]) > 4) > 0.7


def test_card(protein):
    words = " ".join(str(protein).split())
    for part in (protein.name, f"{len(protein)} of chain", "helix", "CC0", protein.provenance):
        assert part in words


def test_arrays_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        load_protein("1HEL").coordinates[0, 0, 0] = 0


@pytest.mark.parametrize("name", ["1HE", "XXXX", "", None, 3])
def test_unknown_protein_names_a_remedy(name):
    with pytest.raises(cl.InputError, match="fetch_pdb"):
        load_protein(name)


@pytest.mark.parametrize(
    "change",
    [
        {"coordinates": np.zeros((3, 3))},
        {"coordinates": np.zeros((0, 4, 3))},
        {"coordinates": np.full((3, 4, 3), np.nan)},
        {"coordinates": "abc"},
        {"edges": ()},
        {"edges": ("contact",)},
        {"max_rank": 0},
        {"min_separation": 0},
        {"cutoff": -1.0},
        {"cutoff": np.inf},
        {"labels": ["a"]},
    ],
)
def test_bad_arguments_are_refused(change):
    given = {"coordinates": load_protein("1UBQ").coordinates, **change}
    with pytest.raises(cl.InputError):
        backbone_complex(given.pop("coordinates"), **given)


@pytest.fixture
def archive(tmp_path):
    folder = tmp_path / "archive"
    folder.mkdir()
    (folder / "1LYZ.cif.gz").write_bytes(gzip.compress(b"data_1LYZ\n"))
    return folder


def test_fetch_downloads_once_and_keeps(archive, tmp_path):
    cache = tmp_path / "cache"
    path = fetch_pdb("1lyz", cache=cache, archive=archive.as_uri())
    assert gzip.decompress(path.read_bytes()) == b"data_1LYZ\n"
    (archive / "1LYZ.cif.gz").unlink()
    assert fetch_pdb("1LYZ", cache=cache, archive=archive.as_uri()) == path
    assert sorted(p.name for p in cache.iterdir()) == ["1LYZ.cif.gz", "1LYZ.cif.sha256"]


def test_fetch_notices_a_changed_file(archive, tmp_path):
    path = fetch_pdb("1LYZ", cache=tmp_path, archive=archive.as_uri())
    path.write_bytes(b"something else")
    with pytest.raises(cl.InputError, match="checksum"):
        fetch_pdb("1LYZ", cache=tmp_path, archive=archive.as_uri())


def test_fetch_keeps_nothing_with_a_wrong_checksum(archive, tmp_path):
    right = hashlib.sha256((archive / "1LYZ.cif.gz").read_bytes()).hexdigest()
    cache = tmp_path / "cache"
    with pytest.raises(cl.InputError, match="checksum"):
        fetch_pdb("1LYZ", sha256="0" * 64, cache=cache, archive=archive.as_uri())
    assert not cache.exists()
    assert fetch_pdb("1LYZ", sha256=right.upper(), cache=cache, archive=archive.as_uri()).exists()


def test_fetch_says_what_to_do_without_a_connection(tmp_path):
    with pytest.raises(cl.InputError, match="available_proteins"):
        fetch_pdb("1LYZ", cache=tmp_path, archive=(tmp_path / "none").as_uri())


@pytest.mark.parametrize("name", ["../x", "1LY", "LYZ1", "1LYZ/../..", "", None, 1234])
def test_fetch_takes_only_ids(name, tmp_path):
    with pytest.raises(cl.InputError, match="PDB id"):
        fetch_pdb(name, cache=tmp_path)


class Answers(BaseHTTPRequestHandler):
    """A server that says what its test wants: status, headers, then a body."""

    answer: tuple = ()

    def do_GET(self):
        headers, body = self.answer
        self.send_response(200)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


WHOLE = gzip.compress(b"data_1LYZ\n" + bytes(range(256)) * 20)
BAD = {
    "cut off": ({"Content-Length": str(len(WHOLE))}, WHOLE[:-40]),
    "cut off without a length": ({}, WHOLE[:-40]),
    "a page": ({"Content-Type": "text/html; charset=utf-8"}, b"<html>please log in</html>"),
    "a page that says it is a file": ({"Content-Type": "application/gzip"}, b"<html></html>"),
    "a packed page": ({}, gzip.compress(b"<html></html>")),
    "nothing": ({}, b""),
    "a length that is none": ({"Content-Length": "many"}, b"x"),
    "a broken chunk": ({"Transfer-Encoding": "chunked"}, b"zz\r\nnothing"),
    "half a chunk": ({"Transfer-Encoding": "chunked"}, b"fff\r\nnothing"),
}


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.mark.parametrize("name", BAD)
def test_nothing_of_a_bad_download_is_kept(name, server, tmp_path, monkeypatch):
    monkeypatch.setattr(Answers, "answer", BAD[name])
    with pytest.raises(cl.CellapseError):
        fetch_pdb("1LYZ", cache=tmp_path / "cache", archive=server)
    assert not (tmp_path / "cache").exists()
    monkeypatch.setattr(Answers, "answer", ({"Content-Length": str(len(WHOLE))}, WHOLE))
    assert fetch_pdb("1LYZ", cache=tmp_path / "cache", archive=server).read_bytes() == WHOLE


@pytest.mark.parametrize("archive", ["http://127.0.0.1:1", "no url", "ftp:", "http://[", ""])
def test_every_failure_of_the_network_is_said_in_words(archive, tmp_path):
    with pytest.raises(cl.CellapseError):
        fetch_pdb("1LYZ", cache=tmp_path, archive=archive)
