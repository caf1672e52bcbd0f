"""gemmi: protein structures in, with residues as vertices."""

from __future__ import annotations

from typing import Any

from cellapse._complex.complex import Complex
from cellapse._complex.weights import weighted_by
from cellapse.interop._build import Ranks, refuse_ranks
from cellapse.lifts.proteins import protein_complex


def read(structure: Any, weight: str | None, ranks: Ranks) -> Complex:
    """A `gemmi.Structure`, as by `protein_complex`, which has the choices."""
    refuse_ranks(ranks, "a protein")
    return weighted_by(protein_complex(structure), weight)
