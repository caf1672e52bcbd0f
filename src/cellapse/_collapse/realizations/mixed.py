"""The mixed realization: signed edges, unsigned faces; what fits the paper's cuts and denoising."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cellapse._collapse.chain import Chain
from cellapse._collapse.realizations.base import Realization
from cellapse._complex.complex import Complex
from cellapse._matrices.incidence import Incidence
from cellapse._matrices.matrices import DEPENDS_ON_ORDER, signed_below_unsigned


@dataclass(frozen=True)
class Mixed(Realization):
    """Signed B_1, unsigned containment above: A = L, but S depends on the order of the vertices.

    Examples
    --------
    >>> Mixed()
    Mixed()
    """

    summary: ClassVar[str] = "Signs on the edges only, as in the paper's cut and denoising tables."

    @property
    def name(self) -> str:
        return "mixed"

    def matrices(self, K: Complex) -> Incidence:
        return signed_below_unsigned(K)

    def caution(self, chain: Chain) -> str | None:
        return DEPENDS_ON_ORDER if any(M.nnz for M in chain.upper) else None
