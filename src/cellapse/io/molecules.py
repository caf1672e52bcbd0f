"""Molecules: SMILES and SDF, parsed by RDKit."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.weights import AUTO, weighted_by
from cellapse._errors import InputError, extra
from cellapse._shared.checks import file_path, listed
from cellapse.io._numbers import number, whole
from cellapse.io._source import as_text, reading_file
from cellapse.lifts._molecule_limits import check_bonds, check_mol_block
from cellapse.lifts.bonds import bonded_complex
from cellapse.lifts.molecules import (
    complex_of,
    molecule_complex,
    parse_smiles,
    without_complaint,
)

# An item of data behind a molecule: its name in angle brackets, then lines up to an empty one.
_DATA = re.compile(r"^>[^\n]*<([^<>\n]+)>[^\n]*\n(.*?)(?:\n[ \t]*\n|\Z)", re.M | re.S)


def molecule_complexes(molecules: Any, *, weight: str | None = AUTO) -> list[Complex]:
    r"""Return the complexes of many molecules, in their order.

    Parameters
    ----------
    molecules : path of a .smi, .sdf or .mol file (or a gzip of it), or list of molecules
        A molecule is a SMILES string or an RDKit Mol.
    weight : str or None
        As for `molecule_complex`.

    Returns
    -------
    list of Complex

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "two.smi"
    >>> _ = file.write_text("c1ccccc1\nCCO\n")
    >>> [K.n_cells for K in molecule_complexes(file)]
    [(6, 6, 1), (3, 2, 0)]
    >>> [K.n_cells for K in molecule_complexes(["c1ccccc1", "CCO"])]
    [(6, 6, 1), (3, 2, 0)]
    """
    if isinstance(molecules, str) and not Path(molecules).suffix and not Path(molecules).exists():
        raise InputError(
            f"there is no file {molecules!r:.80}; if it is a SMILES string, pass a list of them"
        )
    if isinstance(molecules, str | os.PathLike):
        found = _of_file(molecules)
    else:
        found = [molecule_complex(one) for one in listed(molecules, "the list of molecules")]
    return [weighted_by(K, weight) for K in found]


def _of_file(path: str | os.PathLike[str]) -> list[Complex]:
    file = file_path(path)
    with reading_file(file, 100) as data:  # an estimate
        sdf = Path(file.name.lower().removesuffix(".gz")).suffix in (".sdf", ".mol")
        return _sdf(data) if sdf else _smiles(data)


def load_molecule(path: str | os.PathLike[str]) -> Complex:
    """Return the complex of the only molecule of a file."""
    return _only(_of_file(path))


def read_smiles(data: bytes) -> Complex:
    """Return the molecule of a file with one line of SMILES, a name behind it or not."""
    return _only(_smiles(data))


def read_sdf(data: bytes) -> Complex:
    """Return the molecule of an SDF or MOL file with one record."""
    return _only(_sdf(data))


def read_mol2(data: bytes) -> Complex:
    """Return the molecule of a MOL2 file with one record."""
    with extra("rdkit", "molecule"):
        from rdkit import Chem, rdBase
    text = as_text(data).replace("\r\n", "\n")
    if len(re.findall(r"^@<TRIPOS>MOLECULE", text, re.M)) != 1:
        raise InputError("has to hold one @<TRIPOS>MOLECULE; split the file")
    atoms, bonds = (_lines(text, name) for name in ("ATOM", "BOND"))
    pairs = [[_atom(w) for w in row[1:3]] for row in bonds]
    if not atoms or any(len(row) < 6 for row in atoms) or any(len(row) < 4 for row in bonds):
        raise InputError("has atoms or bonds with too few words; it may be cut off")
    about = [*_lines(text, "MOLECULE"), [], []][1][:2]  # after the name: how many there are
    if about != [str(len(atoms)), str(len(bonds))]:  # which RDKit believes, a million or -1
        raise InputError(f"declares {about} atoms and bonds, and has {len(atoms)} and {len(bonds)}")
    if any(not 0 < v <= len(atoms) for pair in pairs for v in pair):
        raise InputError("has a bond to an atom that it does not list")
    check_bonds(len(atoms), pairs)
    with rdBase.BlockLogs():
        molecule = without_complaint(Chem.MolFromMol2Block, text, removeHs=False)
    if molecule is None:
        raise InputError("is not a valid molecule to RDKit; check the types of its atoms")
    return complex_of(molecule)


def _atom(word: str) -> int:
    """Return the number of an atom, or 0."""
    short = len(word) < 9  # no molecule has as many atoms
    return int(word) if short and word.isdecimal() else 0


def _lines(text: str, section: str) -> list[list[str]]:
    """Return the words of every line of a section."""
    _, _, rest = text.partition(f"@<TRIPOS>{section}\n")
    lines = rest.partition("\n@")[0].split("\n")
    return [line.split() for line in lines if line.strip() and not line.startswith("#")]


def read_xyz(data: bytes) -> Complex:
    r"""Return the atoms of an XYZ file, joined where they are close enough for a bond.

    >>> read_xyz(b"2\nhydrogen\nH 0 0 0\nH 0 0 0.74\n")
    Complex(n_cells=(2, 1, 0))
    """
    lines = as_text(data).splitlines()
    n = whole(lines[0].strip() if lines else "", "the number of atoms", 1)
    rows = [line.split() for line in lines[2 : 2 + n]]
    if len(rows) != n or any(len(row) < 4 for row in rows):
        raise InputError(f"declares {n} atoms, and has fewer lines of `symbol x y z`")
    if any(line.strip() for line in lines[2 + n :]):
        raise InputError("holds more than one structure; keep the first")
    positions = np.array([[number(w, "a coordinate") for w in row[1:4]] for row in rows])
    return bonded_complex([row[0] for row in rows], positions)


def _only(complexes: list[Complex]) -> Complex:
    if len(complexes) != 1:
        raise InputError(
            f"holds {len(complexes)} molecules; molecule_complexes(path) gives a complex for each"
        )
    return complexes[0]


def _smiles(data: bytes) -> list[Complex]:
    lines = [line.split(maxsplit=1) for line in as_text(data).splitlines()]
    rows = [line for line in lines if line and not line[0].startswith("#")]
    if len(rows) > 1 and rows[0][0].lower() in ("smiles", "canonical_smiles"):  # a header
        rows = rows[1:]
    complexes = []
    for smiles, *name in rows:
        molecule = parse_smiles(smiles)
        if name:
            molecule.SetProp("_Name", name[0].strip())
        complexes.append(complex_of(molecule))
    return complexes


def _sdf(data: bytes) -> list[Complex]:
    with extra("rdkit", "molecule"):
        from rdkit import Chem, rdBase
    records = as_text(data).replace("\r\n", "\n").split("$$$$\n")
    molecules = []
    for i, record in enumerate(records):
        if not record.strip():
            continue
        check_mol_block(record)
        with rdBase.BlockLogs():  # RDKit writes its complaints to the terminal
            molecule = without_complaint(Chem.MolFromMolBlock, record, removeHs=False)
        if molecule is None:
            raise InputError(f"record {i + 1} is not a valid molecule; it may be cut off")
        # Not as properties of the molecule, among which some names have a meaning to RDKit.
        about = {name: _value(value.strip()) for name, value in _DATA.findall(record)}
        molecules.append(complex_of(molecule, about))
    return molecules


def _value(text: str) -> int | float | str:
    """Return a number where it is one, as RDKit reads data."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
