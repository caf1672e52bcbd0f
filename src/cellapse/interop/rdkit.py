"""RDKit: molecules in, with atoms as vertices, bonds as edges and rings as cells of rank 2."""

from __future__ import annotations

from typing import Any

from cellapse._errors import InputError, extra
from cellapse.complex import Complex
from cellapse.interop._build import Ranks, ranked_complex, refuse_ranks


def read(molecule: Any, weight: str | None, ranks: Ranks) -> Complex:
    """An `rdkit.Chem.Mol`; all symmetric smallest rings, so that no choice among equals is made."""
    refuse_ranks(ranks, "a molecule")
    if not hasattr(molecule, "GetAtoms"):
        raise InputError(f"an rdkit {type(molecule).__name__} is no molecule; pass a Chem.Mol")
    with extra("rdkit", "molecule"):
        from rdkit import Chem
    rings = [tuple(ring) for ring in Chem.GetSymmSSSR(molecule)]
    bonds = list(molecule.GetBonds())
    cells: dict[int, list[Any]] = {
        1: [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in bonds],
        2: rings,
    }
    records = {
        0: [{"element": a.GetSymbol(), "charge": a.GetFormalCharge()} for a in molecule.GetAtoms()],
        1: [{"order": b.GetBondTypeAsDouble(), "aromatic": b.GetIsAromatic()} for b in bonds],
    }
    return ranked_complex(range(molecule.GetNumAtoms()), cells, records, weight, walks=True)
