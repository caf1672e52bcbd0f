"""gemmi: protein structures in, with residues as vertices."""

from __future__ import annotations

from typing import Any

from cellapse._complex.complex import Complex
from cellapse._complex.weights import weighted_by
from cellapse.interop._build import Wanted
from cellapse.lifts.proteins import protein_complex


def read(structure: Any, wanted: Wanted) -> Complex:
    """Return a `gemmi.Structure`, as by `protein_complex`, which has the choices."""
    wanted.check_ranked("a protein")
    return weighted_by(protein_complex(structure), wanted.weight)
