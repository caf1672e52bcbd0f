r"""The boundary realization: signed cellular boundaries, the setting of homology.

B_k B_{k+1} = 0, so only the ranks next to the kept one have an effect: onto the vertices,

    S_eps = f(L),   f(x) = beta_1 x - gamma_0^2 x / (beta_1 x + eps).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cellapse._collapse.chain import Chain
from cellapse._collapse.realizations.base import Realization
from cellapse._complex.complex import Complex
from cellapse._matrices.incidence import Incidence
from cellapse._matrices.matrices import boundary_matrices


@dataclass(frozen=True)
class Boundary(Realization):
    """Signed boundaries: a function of the graph Laplacian, whatever the cells.

    Examples
    --------
    >>> Boundary()
    Boundary()
    """

    summary: ClassVar[str] = (
        "Signed boundaries, as in homology: the cells above the edges drop out of S."
    )
    exact: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return "boundary"

    def matrices(self, K: Complex) -> Incidence:
        return boundary_matrices(K)

    def caution(self, chain: Chain) -> str | None:
        if not chain.upper:
            return None
        return (
            "with signed boundaries only the ranks next to the kept one have an effect (B_k B_{k+1}"
            ' = 0): S is a function of A. Use "unfolded" or "screened" for cells that matter.'
        )
