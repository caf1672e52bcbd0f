"""Molecules: atoms, bonds and rings, from RDKit, SMILES and files."""

import gzip

import networkx as nx
import numpy as np
import pytest

import cellapse as cl

Chem = pytest.importorskip("rdkit.Chem")

# atoms, bonds, rings
KNOWN = {
    "CCO": (3, 2, 0),
    "c1ccccc1": (6, 6, 1),
    "c1ccc2ccccc2c1": (10, 11, 2),  # naphthalene
    "C12C3C4C1C5C2C3C45": (8, 12, 6),  # cubane: six faces, whatever five a basis would take
    "C1CC2CCC1CC2": (8, 9, 3),  # bicyclo[2.2.2]octane: three rings alike
    "[Na+].[Cl-]": (2, 0, 0),
    "O": (1, 0, 0),
}


@pytest.mark.parametrize("smiles", KNOWN)
def test_known_molecules(smiles):
    K = cl.molecule_complex(smiles)
    assert K.n_cells == KNOWN[smiles]
    assert cl.molecule_complex(Chem.MolFromSmiles(smiles)).n_cells == KNOWN[smiles]


def test_attributes():
    K = cl.molecule_complex("c1ccccc1C(=O)[O-]")
    assert K.attributes[0]["element"].tolist() == ["C"] * 7 + ["O", "O"]
    assert K.attributes[0]["charge"].tolist() == [0] * 8 + [-1]
    assert K.attributes[0]["aromatic"].tolist() == [True] * 6 + [False] * 3
    assert sorted(K.attributes[1]["order"].tolist()) == [1.0] * 2 + [1.5] * 6 + [2.0]
    assert K.attributes[2]["aromatic"].tolist() == [True]


def test_rings_are_walks():
    """Every ring goes from atom to bonded atom: the boundary matrices exist and B_1 B_2 = 0."""
    K = cl.molecule_complex("C12C3C4C1C5C2C3C45")
    B = cl.boundary_matrices(K)
    assert abs(B[0] @ B[1]).max() == 0
    assert K.betti_numbers() == (1, 0, 1)


@pytest.mark.parametrize("smiles", ["c1ccc2ccccc2c1", "C12C3C4C1C5C2C3C45", "C1CC2CCC1CC2"])
def test_rings_do_not_depend_on_the_order_of_the_atoms(smiles):
    molecule = Chem.MolFromSmiles(smiles)
    rng = np.random.default_rng(0)
    expected = cl.molecule_complex(molecule)
    for _ in range(5):
        order = rng.permutation(molecule.GetNumAtoms()).tolist()
        K = cl.molecule_complex(Chem.RenumberAtoms(molecule, order))
        rings = {frozenset(order[v] for v in ring.tolist()) for ring in K.cells[2]}
        assert rings == {frozenset(ring.tolist()) for ring in expected.cells[2]}


def test_files(tmp_path):
    """As RDKit writes them, with hydrogens and coordinates."""
    molecules = [Chem.AddHs(Chem.MolFromSmiles(s)) for s in ("CCO", "c1ccccc1")]
    from rdkit.Chem import AllChem

    for molecule in molecules:
        AllChem.EmbedMolecule(molecule, randomSeed=1)
    with Chem.SDWriter(str(tmp_path / "two.sdf")) as writer:
        for molecule in molecules:
            writer.write(molecule)
    complexes = cl.molecule_complexes(tmp_path / "two.sdf")
    assert [K.n_cells for K in complexes] == [(9, 8, 0), (12, 12, 1)]
    expected = molecules[0].GetConformer().GetPositions()
    assert np.allclose(complexes[0].attributes[0]["position"], expected, atol=1e-4)
    with pytest.raises(cl.InputError, match="2 molecules"):
        cl.read(tmp_path / "two.sdf")
    Chem.MolToMolFile(molecules[0], str(tmp_path / "one.mol"))
    assert cl.read(tmp_path / "one.mol").n_cells == (9, 8, 0)
    assert cl.molecule_complex(tmp_path / "one.mol").n_cells == (9, 8, 0)

    lines = "smiles name\nCCO ethanol\n\nc1ccccc1 benzene\n"
    (tmp_path / "two.smi.gz").write_bytes(gzip.compress(lines.encode()))
    complexes = cl.molecule_complexes(str(tmp_path / "two.smi.gz"))
    assert [K.n_cells for K in complexes] == [(3, 2, 0), (6, 6, 1)]


@pytest.mark.parametrize(
    ("source", "pattern"),
    [
        ("C1CC", "'C1CC'.*SMILES"),
        ("C(C)(C)(C)(C)C", "not a valid SMILES"),
        ("", "not a valid SMILES"),
        ("missing.sdf", "missing"),
        (7, "molecule"),
    ],
)
def test_what_is_no_molecule(source, pattern, capfd):
    with pytest.raises(cl.InputError, match=pattern):
        cl.molecule_complex(source)
    assert capfd.readouterr().err == ""  # RDKit's own complaints are not for the user


def test_names_and_data_of_molecules_are_metadata(tmp_path):
    (tmp_path / "x.smi").write_text("CCO ethyl alcohol\n")
    assert cl.read(tmp_path / "x.smi").metadata == {"name": "ethyl alcohol"}
    molecule = Chem.MolFromSmiles("CCO")
    molecule.SetProp("_Name", "ethanol")
    molecule.SetDoubleProp("logP", -0.25)
    molecule.SetProp("note", "two\nlines")
    known = {"name": "ethanol", "logP": -0.25, "note": "two\nlines"}
    assert cl.as_complex(molecule).metadata == known
    writer = Chem.SDWriter(str(tmp_path / "x.sdf"))
    writer.write(molecule)
    writer.write(Chem.MolFromSmiles("CC"))
    writer.close()
    first, second = cl.molecule_complexes(tmp_path / "x.sdf")
    assert first.metadata == known
    assert second.metadata == {}
    cl.write(first, tmp_path / "x.json")
    assert cl.read(tmp_path / "x.json").metadata == known


def v3000(n, bonds, element="U", split=False):
    """A MOL file of the third version; metals have no valence that RDKit would check."""
    gap = " -\nM  V30 " if split else " "
    atoms = [f"M  V30 {i + 1} {element} {i} 0 0 0" for i in range(n)]
    pairs = [f"M  V30 {k + 1} 1 {u + 1}{gap}{v + 1}" for k, (u, v) in enumerate(bonds)]
    head = ["", "  x", "", "  0  0  0     0  0            999 V3000", "M  V30 BEGIN CTAB"]
    counts = [f"M  V30 COUNTS {n} {len(bonds)} 0 0 0", "M  V30 BEGIN ATOM"]
    middle = ["M  V30 END ATOM", "M  V30 BEGIN BOND"]
    tail = ["M  V30 END BOND", "M  V30 END CTAB", "M  END", ""]
    return "\n".join([*head, *counts, *atoms, *middle, *pairs, *tail])


def v2000(n, bonds):
    atoms = ["    0.0000    0.0000    0.0000 U   0  0" for _ in range(n)]
    pairs = [f"{u + 1:3d}{v + 1:3d}  1  0" for u, v in bonds]
    counts = f"{n:3d}{len(bonds):3d}  0  0  0  0            999 V2000"
    return "\n".join(["", "  x", "", counts, *atoms, *pairs, "M  END", ""])


def complete(n):
    return [(i, j) for i in range(n) for j in range(i)]


def bipartite(n):
    return [(i, n + j) for i in range(n) for j in range(n)]


DENSE = {
    "80 atoms bonded to all others": v3000(80, complete(80)),
    "bonds on two lines": v3000(80, complete(80), split=True),
    "hidden among single atoms": v3000(3000, complete(80)),
    "two sides": v3000(40, bipartite(20)),
    "of the second version": v2000(42, complete(42)),
    "too many atoms": v3000(10_001, []),
    "many rings in a row": v3000(6000, [(i, i + j) for j in (1, 2) for i in range(5990)]),
}


@pytest.mark.parametrize("name", DENSE)
def test_molecules_that_would_end_the_process_are_refused(name, tmp_path):
    (tmp_path / "x.mol").write_text(DENSE[name])
    with pytest.raises(cl.SizeError, match=r"atoms"):
        cl.read(tmp_path / "x.mol")


def test_smiles_with_too_many_rings_are_refused():
    with pytest.raises(cl.SizeError, match="rings"):
        cl.molecule_complex("[U]" + "".join(f"%{10 + i % 90}" for i in range(900)))


def test_dense_molecules_that_exist_are_read(tmp_path):
    sheet = nx.convert_node_labels_to_integers(nx.hexagonal_lattice_graph(12, 12))
    (tmp_path / "x.mol").write_text(v3000(len(sheet), list(sheet.edges), "C"))
    assert cl.read(tmp_path / "x.mol").n_cells[2] == 144
    assert cl.molecule_complex("C12C3C4C1C5C2C3C45").n_cells == (8, 12, 6)


def test_data_fields_with_names_that_mean_something_to_rdkit(tmp_path):
    record = v2000(2, [(0, 1)])
    names = ["__computedProps", "_Name", "_MolFileInfo", "numArom", "file", "x"]
    fields = "".join(f">  <{name}>\n7\n\n" for name in names)
    (tmp_path / "x.sdf").write_text(f"{record}{fields}$$$$\n")
    assert cl.read(tmp_path / "x.sdf").metadata["__computedProps"] == 7
    assert cl.read(tmp_path / "x.sdf").metadata["x"] == 7
