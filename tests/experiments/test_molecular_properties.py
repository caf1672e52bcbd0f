"""Properties of molecules: encodings by hand, and the table on a file of our own."""

import numpy as np
import pytest

import cellapse as cl
from cellapse.experiments.tables import molecules

pytest.importorskip("rdkit", reason="molecules need RDKit")
pytest.importorskip("torch_geometric", reason="graph networks need PyTorch Geometric")

BACKBONES = ("C1CCCCC1", "c1ccccc1", "C1CCCC1", "CCCCCC", "CC(C)CC", "c1ccc2ccccc2c1")


@pytest.fixture
def own_file(tmp_path, monkeypatch):
    """Molecules whose value is their number of rings; one line is of a single atom."""
    rows = [(f"{b}{'O' * (k % 4 + 1)}", b.count("1") // 2) for k in range(8) for b in BACKBONES]
    path = tmp_path / "rings.csv"
    path.write_text("smiles,homo_eV\nO,7\n" + "".join(f"{s},{y}\n" for s, y in rows))
    monkeypatch.setattr(molecules, "_files", lambda source: [path])
    molecules.molecules.cache_clear()
    yield len(rows)
    molecules.molecules.cache_clear()


def test_random_walks_on_a_triangle_by_hand():
    walks = molecules.random_walks(np.ones((3, 3)) - np.eye(3), 3)
    np.testing.assert_allclose(walks, [[0.0, 1 / 2, 1 / 4]] * 3)


def test_rings_of_an_indane():
    """Five and six atoms in a ring, two of them in both."""
    from rdkit import Chem

    molecule = Chem.MolFromSmiles("c1ccc2CCCc2c1")
    counts = molecules.ENCODINGS["rings"].of(molecule, cl.molecule_complex(molecule))
    assert counts.sum(axis=0).tolist() == [0, 0, 5, 6, 0, 0]
    assert sorted(counts.sum(axis=1)) == [1] * 7 + [2] * 2


@pytest.mark.parametrize("name", molecules.ENCODINGS)
def test_encodings_have_a_row_for_each_atom(name):
    from rdkit import Chem

    encoding = molecules.ENCODINGS[name]
    widths = set()
    for smiles in ("CO", "c1ccccc1C(=O)O"):
        molecule = Chem.MolFromSmiles(smiles)
        columns = encoding.of(molecule, cl.molecule_complex(molecule))
        assert len(columns) == molecule.GetNumAtoms()
        assert np.isfinite(columns).all()
        assert encoding.n_signs <= columns.shape[1]
        widths.add(columns.shape[1])
    assert len(widths) == 1


@pytest.mark.slow
def test_the_table_on_molecules_of_our_own(own_file):
    """Who is given the rings can count them; the same run gives the same figures."""
    cases = [
        {"data": "orbital", "method": method, "fold": 0, "steps": 15}
        for method in ("none", "rings", molecules.FOREST)
    ]
    found = [(case, molecules.run(**case)) for case in cases]
    errors = {a["method"]: r["error"] for a, r in found}
    assert all(r["molecules"] == own_file for _, r in found)
    assert max(errors["rings"], errors[molecules.FOREST]) < found[0][1]["constant"]
    assert molecules.run(**found[0][0]) == found[0][1]
    every = [
        ({**found[0][0], "method": method, "fold": fold}, found[0][1])
        for fold in range(molecules.FOLDS)
        for method in molecules.METHODS
    ]
    table = molecules.summarize(every)
    assert len(table.rows) == 1
    assert all(len(row) == len(d.head) for d in table.details for row in d.rows)


def test_without_the_packages_there_is_nothing_to_run(monkeypatch):
    def missing(source):
        raise cl.MissingExtraError(f"pip install {source.package}")

    monkeypatch.setattr(molecules, "_files", missing)
    assert molecules.arguments(True) == []
