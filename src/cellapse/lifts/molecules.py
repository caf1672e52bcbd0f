"""Molecules: atoms at rank 0, bonds at rank 1, rings at rank 2. Needs RDKit.

The rings are RDKit's symmetrized smallest ones, which do not depend on the order of the atoms: all
six faces of cubane, not five of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._errors import InputError, extra
from cellapse.lifts._molecule_limits import MOST_ATOMS, check_mol_block, check_smiles

_FILES = (".smi", ".smiles", ".sdf", ".mol")
_LONGEST = 5000  # characters of a SMILES; the largest proteins need more, and are no molecules here
_DATA = re.compile(r"^>[^\n]*<([^<>\n]+)>[^\n]*\n(.*?)(?:\n[ \t]*\n|\Z)", re.M | re.S)


def molecule_complex(source: Any) -> Complex:
    """The complex of a molecule: atoms, bonds and rings.

    Parameters
    ----------
    source : rdkit.Chem.Mol, SMILES string, or path of a .smi, .sdf or .mol file
        The file holds one molecule; `molecule_complexes` reads several. Hydrogens are vertices
        where they are explicit; RDKit's `AddHs` makes them so.

    Returns
    -------
    Complex
        Atoms have the attributes `element`, `charge` and `aromatic` (and `position`, where the
        file has coordinates), bonds `order` and `aromatic`, rings `aromatic`. The name of the
        molecule and the data behind it in an SDF file are metadata.

    Examples
    --------
    >>> K = molecule_complex("c1ccccc1O")
    >>> K
    Complex(n_cells=(7, 7, 1))
    >>> K.attributes[0]["element"].tolist()
    ['C', 'C', 'C', 'C', 'C', 'C', 'O']
    """
    if isinstance(source, str) and not _is_file(source):
        return _complex(_from_smiles(source))
    if isinstance(source, str | os.PathLike):
        return _only(molecule_complexes(source))
    with extra("rdkit", "molecule"):
        from rdkit import Chem
    if not isinstance(source, Chem.Mol):
        raise InputError(
            f"a {type(source).__name__} is no molecule; give an RDKit Mol, a SMILES string or the "
            "path of a .smi or .sdf file"
        )
    return _complex(source)


def molecule_complexes(path: str | os.PathLike[str]) -> list[Complex]:
    """The complexes of all molecules of a .smi, .sdf or .mol file, or a gzip of it, in order."""
    from cellapse.io._source import load  # which reads for all formats, further down

    file = Path(path)
    try:
        data = load(file, 100)
        sdf = Path(file.name.lower().removesuffix(".gz")).suffix in (".sdf", ".mol")
        return _sdf(data) if sdf else _smiles(data)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None


def read_smiles(data: bytes) -> Complex:
    """The molecule of a file with one line of SMILES, a name behind it or not."""
    return _only(_smiles(data))


def read_sdf(data: bytes) -> Complex:
    """The molecule of an SDF or MOL file with one record."""
    return _only(_sdf(data))


def _is_file(text: str) -> bool:
    return text.lower().removesuffix(".gz").endswith(_FILES)


def _only(found: list[Complex]) -> Complex:
    if len(found) != 1:
        raise InputError(
            f"holds {len(found)} molecules; molecule_complexes(path) gives a complex for each"
        )
    return found[0]


def _smiles(data: bytes) -> list[Complex]:
    from cellapse.io._source import as_text

    lines = [line.split(maxsplit=1) for line in as_text(data).splitlines()]
    rows = [line for line in lines if line and not line[0].startswith("#")]
    if len(rows) > 1 and rows[0][0].lower() in ("smiles", "canonical_smiles"):  # a header
        rows = rows[1:]
    found = []
    for smiles, *name in rows:
        molecule = _from_smiles(smiles)
        if name:
            molecule.SetProp("_Name", name[0].strip())
        found.append(_complex(molecule))
    return found


def _sdf(data: bytes) -> list[Complex]:
    from cellapse.io._source import as_text

    with extra("rdkit", "molecule"):
        from rdkit import Chem, rdBase
    records = as_text(data).replace("\r\n", "\n").split("$$$$\n")
    molecules = []
    for i, record in enumerate(records):
        if not record.strip():
            continue
        check_mol_block(record)
        with rdBase.BlockLogs():  # RDKit writes its complaints to the terminal
            molecule = _tried(Chem.MolFromMolBlock, record, removeHs=False)
        if molecule is None:
            raise InputError(f"record {i + 1} is not a valid molecule; it may be cut off")
        # Not as properties of the molecule, among which some names have a meaning to RDKit.
        about = {name: _value(value.strip()) for name, value in _DATA.findall(record)}
        molecules.append(_complex(molecule, about))
    return molecules


def _from_smiles(text: str) -> Any:
    with extra("rdkit", "molecule"):
        from rdkit import Chem, rdBase
    if len(text) > _LONGEST:
        raise InputError(f"a SMILES of {len(text)} characters; at most {_LONGEST} are read")
    check_smiles(text)
    with rdBase.BlockLogs():
        molecule = _tried(Chem.MolFromSmiles, text)
    if molecule is None or not molecule.GetNumAtoms():
        raise InputError(f"{text[:60]!r} is not a valid SMILES; check brackets and ring numbers")
    return molecule


def _tried(parse: Any, *given: Any, **options: Any) -> Any:
    """RDKit's result, or None: it also raises errors of its own, of several kinds."""
    try:
        return parse(*given, **options)
    except Exception:
        return None


def _value(text: str) -> Any:
    """A number where it is one, as RDKit reads data."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _complex(molecule: Any, data: Mapping[str, Any] | None = None) -> Complex:
    from rdkit import Chem

    n = molecule.GetNumAtoms()
    if n > MOST_ATOMS:
        raise InputError(f"a molecule of {n} atoms; at most {MOST_ATOMS} are read as one")
    atoms, bonds = list(molecule.GetAtoms()), list(molecule.GetBonds())
    # A walk a ring; two rings through the same atoms are one cell.
    rings = {frozenset(ring): list(ring) for ring in Chem.GetSymmSSSR(molecule)}
    edges = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds]
    attributes: dict[int, dict[str, Any]] = {
        0: {
            "element": [atom.GetSymbol() for atom in atoms],
            "charge": [atom.GetFormalCharge() for atom in atoms],
            "aromatic": [atom.GetIsAromatic() for atom in atoms],
        },
        1: {
            "order": [bond.GetBondTypeAsDouble() for bond in bonds],
            "aromatic": [bond.GetIsAromatic() for bond in bonds],
        },
        2: {"aromatic": [all(atoms[v].GetIsAromatic() for v in ring) for ring in rings.values()]},
    }
    if molecule.GetNumConformers():
        attributes[0]["position"] = np.array(molecule.GetConformer().GetPositions())
    cells = {0: range(n), 1: edges, 2: list(rings.values())}
    found = _tried(molecule.GetPropsAsDict) if data is None else data
    about = {n: v for n, v in (found or {}).items() if isinstance(v, str | int | float)}
    if molecule.HasProp("_Name") and molecule.GetProp("_Name"):
        about = {"name": molecule.GetProp("_Name"), **about}
    return Complex.from_cells(cells, attributes=attributes, metadata=about)
