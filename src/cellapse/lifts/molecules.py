"""Molecules: atoms at rank 0, bonds at rank 1, rings at rank 2. Needs RDKit.

The rings are RDKit's symmetrized smallest ones, which do not depend on the order of the atoms: all
six faces of cubane, not five of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from cellapse._complex.complex import Complex
from cellapse._complex.weights import AUTO, weighted_by
from cellapse._errors import InputError, extra
from cellapse._shared.memory import Fitting
from cellapse.lifts._molecule_limits import MOST_ATOMS, check_smiles

_FILES = (".smi", ".smiles", ".sdf", ".mol")
_LONGEST = 5000  # characters of a SMILES; the largest proteins need more, and are no molecules here


@Fitting("the complex", "take a smaller one, or one of fewer cells")
def molecule_complex(source: Any, *, weight: str | None = AUTO) -> Complex:
    """Return the complex of a molecule: atoms, bonds and rings.

    Parameters
    ----------
    source : rdkit.Chem.Mol, SMILES string, or path of a .smi, .sdf or .mol file
        The file holds one molecule; `molecule_complexes` reads several. Hydrogens are vertices
        where they are explicit; RDKit's `AddHs` makes them so.
    weight : str or None
        An attribute to be the weights, such as "order" of the bonds. By default there are none.

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
    return weighted_by(_read(source), weight)


def _read(source: Any) -> Complex:
    if isinstance(source, str) and not _is_file(source):
        return complex_of(parse_smiles(source))
    if isinstance(source, str | os.PathLike):
        from cellapse.io.molecules import load_molecule  # files are read further down

        return load_molecule(source)
    with extra("rdkit", "molecule"):
        from rdkit import Chem
    if not isinstance(source, Chem.Mol):
        raise InputError(
            f"a {type(source).__name__} is no molecule; give an RDKit Mol, a SMILES string or the "
            "path of a .smi or .sdf file"
        )
    return complex_of(source)


def _is_file(text: str) -> bool:
    return text.lower().removesuffix(".gz").endswith(_FILES)


def parse_smiles(text: str) -> Any:
    """Return the RDKit Mol of a SMILES."""
    with extra("rdkit", "molecule"):
        from rdkit import Chem, rdBase
    if len(text) > _LONGEST:
        raise InputError(f"a SMILES of {len(text)} characters; at most {_LONGEST} are read")
    check_smiles(text)
    with rdBase.BlockLogs():
        molecule = without_complaint(Chem.MolFromSmiles, text)
    if molecule is None or not molecule.GetNumAtoms():
        raise InputError(f"{text[:60]!r} is not a valid SMILES; check brackets and ring numbers")
    return molecule


def without_complaint(parse: Any, *given: Any, **options: Any) -> Any:
    """RDKit's result, or None: it also raises errors of its own, of several kinds."""
    try:
        return parse(*given, **options)
    except Exception:
        return None


def complex_of(molecule: Any, data: Mapping[str, Any] | None = None) -> Complex:
    """Atoms, bonds and rings of an RDKit Mol; `data` is known of it beside its properties."""
    from rdkit import Chem

    n = molecule.GetNumAtoms()
    if n > MOST_ATOMS:
        raise InputError(f"a molecule of {n} atoms; at most {MOST_ATOMS} are read as one")
    atoms, bonds = list(molecule.GetAtoms()), list(molecule.GetBonds())
    # One walk per ring; two rings through the same atoms are one cell.
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
    properties = without_complaint(molecule.GetPropsAsDict) if data is None else data
    about = {n: v for n, v in (properties or {}).items() if isinstance(v, str | int | float)}
    if molecule.HasProp("_Name") and molecule.GetProp("_Name"):
        about = {"name": molecule.GetProp("_Name"), **about}
    return Complex.from_cells(cells, attributes=attributes, metadata=about)
