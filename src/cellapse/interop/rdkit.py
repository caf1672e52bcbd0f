"""RDKit: molecules in, with atoms as vertices, bonds as edges and rings as cells of rank 2."""

from __future__ import annotations

from typing import Any

from cellapse._complex.complex import Complex
from cellapse._complex.weights import weighted_by
from cellapse.interop._build import Wanted
from cellapse.lifts.molecules import molecule_complex


def read(molecule: Any, wanted: Wanted) -> Complex:
    """Return an `rdkit.Chem.Mol`, as by `molecule_complex`."""
    wanted.check_ranked("a molecule")
    return weighted_by(molecule_complex(molecule), wanted.weight)
