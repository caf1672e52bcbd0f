"""The incidence realization: unsigned containment, the combinatorial setting of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cellapse._collapse.realizations.base import Realization
from cellapse._complex.complex import Complex
from cellapse._matrices.incidence import Incidence
from cellapse._matrices.matrices import incidence_matrices


@dataclass(frozen=True)
class Unsigned(Realization):
    """Which cells lie inside which, without signs: A is the signless Laplacian.

    Examples
    --------
    >>> str(Unsigned())
    'incidence'
    """

    summary: ClassVar[str] = (
        "Which cells contain which, without signs: A is the signless Laplacian."
    )

    @property
    def name(self) -> str:
        return "incidence"

    def matrices(self, K: Complex) -> Incidence:
        return incidence_matrices(K)
