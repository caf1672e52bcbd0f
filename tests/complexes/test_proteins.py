"""Residue complexes: 1UBQ as deposited, and its file edited where structures are difficult."""

import gzip

import numpy as np
import pytest
from io_seeds import DATA

import cellapse as cl

gemmi = pytest.importorskip("gemmi")
PDB = gzip.decompress((DATA / "1ubq.pdb.gz").read_bytes()).decode()
ATOMS = [line for line in PDB.splitlines() if line.startswith("ATOM")]


def read(tmp_path, lines, **kwargs):
    path = tmp_path / "x.pdb"
    path.write_text("\n".join([*lines, "END", ""]))
    return cl.protein_complex(path, **kwargs)


def number(line):
    return int(line[22:26])


def kinds(K):
    return dict(
        zip(map(frozenset, K.cell_labels(1)), K.attributes[1]["kind"].tolist(), strict=True)
    )


def test_ubiquitin():
    K = cl.protein_complex(DATA / "1ubq.pdb.gz")
    assert K.n_cells == (76, 125, 23)
    assert K.labels[:2] == (("A", "1"), ("A", "2"))
    assert K.attributes[0]["residue"].tolist()[:3] == ["MET", "GLN", "ILE"]
    assert np.allclose(K.attributes[0]["position"][0], [26.266, 25.413, 2.842])
    assert K.attributes[1]["kind"].tolist().count("backbone") == 75


def test_pdb_mmcif_structures_and_read_agree():
    path = DATA / "1ubq.cif.gz"
    expected = cl.protein_complex(DATA / "1ubq.pdb.gz")
    structure = gemmi.read_structure(str(path))
    n_atoms = structure[0].count_atom_sites()
    for K in (cl.protein_complex(path), cl.protein_complex(str(path)), cl.read(path),
              cl.protein_complex(structure), cl.as_complex(structure),
              cl.read(DATA / "1ubq.pdb.gz")):  # fmt: skip
        assert K.labels == expected.labels
        assert kinds(K) == kinds(expected)
        assert K.cell_labels(2) == expected.cell_labels(2)
    assert structure[0].count_atom_sites() == n_atoms  # the user's object is not changed


def test_hydrogen_bonds_by_hand():
    """All pairs, one by one, from the columns of the file."""
    atom = {(line[12:16].strip(), number(line)): np.array(line[30:54].split(), float)
            for line in ATOMS}  # fmt: skip
    for separation in (2, 3, 5):
        expected = {
            frozenset({("A", str(i)), ("A", str(j))})
            for i in range(1, 77)
            for j in range(1, 77)
            if abs(i - j) >= separation and np.linalg.norm(atom["N", i] - atom["O", j]) < 3.5
        }
        K = cl.protein_complex(
            DATA / "1ubq.pdb.gz", edges=("hbond",), cells=None, min_separation=separation
        )
        assert set(kinds(K)) == expected
        assert K.max_rank == 1


def test_triangles_are_the_cliques():
    K = cl.protein_complex(DATA / "1ubq.pdb.gz")
    assert K.cell_labels(2) == cl.clique_complex(K).cell_labels(2)


def test_backbone_alone():
    K = cl.protein_complex(DATA / "1ubq.pdb.gz", edges=("backbone",))
    assert K.n_cells == (76, 75, 0)
    assert K.components().max() == 0


def test_secondary_structure_as_cells():
    """Helix 23-34 and the strands of ubiquitin are known; DSSP trims their ends."""
    pytest.importorskip("mdtraj")
    letters = cl.secondary_structure(DATA / "1ubq.pdb.gz")
    K = cl.protein_complex(DATA / "1ubq.pdb.gz", cells="sse")
    assert len(letters) == 76
    assert set(letters) == {"H", "E", "C"}
    assert "".join(letters[22:34]) == "H" * 12
    assert "".join(letters[1:7]) == "E" * 6
    assert K.n_cells[:2] == (76, 125)
    for cell, letter in zip(K.cells[2], K.attributes[2]["dssp"], strict=True):
        assert set(letters[cell]) == {letter}
        assert len(cell) >= 4
        assert (np.diff(cell) == 1).all()
    assert tuple(("A", str(i)) for i in range(23, 35)) in {cell[:12] for cell in K.cell_labels(2)}
    cl.collapse(K, "unfolded").toarray()


def test_missing_residues_leave_a_gap(tmp_path):
    K = read(tmp_path, [line for line in ATOMS if not 20 <= number(line) <= 22])
    assert K.n_vertices == 73
    assert frozenset({("A", "19"), ("A", "23")}) not in {
        edge for edge, kind in kinds(K).items() if kind == "backbone"
    }
    assert list(kinds(K).values()).count("backbone") == 71


def test_residues_without_a_full_backbone_are_named(tmp_path):
    lines = [line for line in ATOMS if not (number(line) == 30 and line[12:16].strip() == "O")]
    with pytest.warns(cl.CellapseWarning, match="1 residues.*: A 30"):
        K = read(tmp_path, lines)
    assert K.n_vertices == 75
    assert ("A", "30") not in K.labels


def test_alternative_conformations_count_once(tmp_path):
    lines = []
    for line in ATOMS:
        if number(line) == 10:
            moved = f"{line[:16]}B{line[17:30]}{float(line[30:38]) + 0.5:8.3f}{line[38:]}"
            lines += [f"{line[:16]}A{line[17:]}", moved]
        else:
            lines.append(line)
    K, expected = read(tmp_path, lines), read(tmp_path, ATOMS)
    assert K.labels == expected.labels
    assert np.array_equal(K.attributes[0]["position"], expected.attributes[0]["position"])


def test_non_standard_residues_are_residues(tmp_path):
    """Selenomethionine stands as HETATM in the middle of a chain."""
    lines = [
        "HETATM" + line[6:17] + "MSE" + line[20:] if number(line) == 30 else line for line in ATOMS
    ]
    K = read(tmp_path, lines)
    assert K.n_cells == (76, 125, 23)
    assert K.attributes[0]["residue"][29] == "MSE"


def test_insertion_codes_and_chains(tmp_path):
    """Residue 31 as 30A, and everything once more as chain B, far away."""
    lines = [line[:22] + "  30A" + line[27:] if number(line) == 31 else line for line in ATOMS]
    far = [f"{line[:21]}B{line[22:30]}{float(line[30:38]) + 500:8.3f}{line[38:]}" for line in ATOMS]
    K = read(tmp_path, [*lines, "TER", *far])
    assert K.n_cells == (152, 250, 46)
    assert K.labels[30] == ("A", "30A")
    assert K.labels[76] == ("B", "1")
    assert K.components().max() == 1


def test_models_and_waters_do_not_count(tmp_path):
    water = [line for line in PDB.splitlines() if line.startswith("HETATM")]
    assert water
    lines = ["MODEL        1", *ATOMS, *water, "ENDMDL", "MODEL        2", *ATOMS, "ENDMDL"]
    assert read(tmp_path, lines).n_cells == (76, 125, 23)


@pytest.mark.parametrize(
    ("kwargs", "pattern"),
    [
        ({"edges": "backbone"}, "edges='backbone'"),
        ({"edges": ("backbone", "covalent")}, "covalent"),
        ({"edges": ()}, "edges"),
        ({"cells": "rings"}, "cells='rings'"),
        ({"min_separation": 0}, "min_separation=0"),
    ],
)
def test_bad_arguments(kwargs, pattern):
    with pytest.raises(cl.InputError, match=pattern):
        cl.protein_complex(DATA / "1ubq.pdb.gz", **kwargs)


def test_what_is_no_protein(tmp_path):
    dna = tmp_path / "dna.pdb"
    dna.write_text(
        "ATOM      1  P    DA A   1       0.000   0.000   0.000  1.00  0.00           P\n"
    )
    for source, pattern in [(5, "protein"), (dna, "N, CA, C and O"),
                            (gemmi.Structure(), "atoms")]:  # fmt: skip
        with pytest.raises(cl.InputError, match=pattern):
            cl.protein_complex(source)


def test_name_and_title_are_metadata():
    for name in ("1ubq.pdb.gz", "1ubq.cif.gz"):
        about = cl.protein_complex(DATA / name).metadata
        assert about["name"] == "1UBQ"
        assert about["title"].startswith("STRUCTURE OF UBIQUITIN")
