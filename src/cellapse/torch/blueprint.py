"""A `Blueprint`: the matrices of one complex, checked; it can be stored with a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy import sparse

from cellapse._collapse.collapsed import collapse
from cellapse._collapse.realizations import DEFAULT, Realization
from cellapse._errors import InputError
from cellapse._shared.arrays import FloatArray
from cellapse._shared.card import Card, Shown, few
from cellapse._shared.pictures import bars


@dataclass(frozen=True, eq=False, repr=False)
class Blueprint(Shown):
    """The matrices of one complex in one realization; made by `blueprint`.

    Attributes
    ----------
    realization : Realization
    nearest : (n_0, n_1) csr_array
        B_1.
    upper : list of csr_array
        B_2, ..., B_K (unfolded: containment; screened: which cells are around each edge). Squares
        of the entries are weights of cells.
    diagonal : bool
        Whether all that remains of the higher ranks is one number at each edge.
    sigma, beta, gamma : arrays of K numbers
    eps : float

    Examples
    --------
    >>> from cellapse import Complex
    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> plan = blueprint(K)
    >>> plan.nearest.shape, plan.eps
    ((3, 3), 0.0001)
    """

    realization: Realization
    nearest: sparse.csr_array
    upper: list[sparse.csr_array]
    diagonal: bool
    sigma: FloatArray
    beta: FloatArray
    gamma: FloatArray
    eps: float
    n_real: tuple[int, ...]  # elements of each rank that are not formal; they come first

    def _card(self) -> Card:
        rows = (
            ("cells", ", ".join(f"{n:,} of rank {k}" for k, n in enumerate(self.n_cells))),
            ("weights", f"beta {few(self.beta.tolist())}, gamma {few(self.gamma.tolist())}"),
            ("eps", f"{self.eps:g}"),
        )
        calls = (("Collapse(K, ...)", "is the layer that learns from here"),)
        title = f"Blueprint of {self.realization} on {self.n_cells[0]:,} vertices"
        return Card(title, rows, lambda: bars([*map(float, self.n_cells)]), calls)

    @property
    def n_cells(self) -> tuple[int, ...]:
        """Number of elements of each rank, formal ones included."""
        return (*self.nearest.shape, *(B.shape[1] for B in self.upper))


def blueprint(
    source: Any,
    *,
    realization: str | Realization = DEFAULT,
    beta: Any = None,
    gamma: Any = None,
    eps: float = 1e-4,
) -> Blueprint:
    """Check a source and its weights as `collapse` does, and keep the matrices.

    Parameters
    ----------
    source : Complex or list of matrices B_1..B_K
    realization, beta, gamma, eps
        As for `cellapse.collapse`.

    Returns
    -------
    Blueprint

    Examples
    --------
    >>> from cellapse import Complex
    >>> K = Complex.from_arrays(3, {1: [[0, 1], [1, 2], [0, 2]], 2: [[0, 1, 2]]})
    >>> blueprint(K).n_cells
    (3, 3, 1)
    """
    S = collapse(source, realization, beta=beta, gamma=gamma, eps=eps)
    if S.eps == 0.0 or (S.beta == 0.0).any():
        raise InputError(
            f"eps={S.eps:g}, beta={S.beta.tolist()}; learning needs positive numbers: the limit "
            "of eps = 0 and cells without weight have no useful gradients"
        )
    if not S.definite:
        raise InputError(
            "gamma lies beyond the PSD bound, and learning stays within it; "
            'give gamma="bound", "regularized" or smaller numbers'
        )
    chain, upper = S.chain, [B.csr for B in S.chain.above]
    diagonal = S.realization.diagonal
    if S.realization.edgewise:
        upper = [around.sqrt() for around in upper]
    elif not diagonal and chain.exact:
        diagonal = True  # past the nearest rank nothing arrives
        upper = [sparse.csr_array(B.shape) for B in upper]
    cells = (*chain.nearest.shape, *(B.shape[1] for B in upper))
    real = (*chain.n_cells, 0)[: len(cells)]
    return Blueprint(
        S.realization, chain.nearest, upper, diagonal, S.sigma, S.beta, S.gamma, S.eps, real
    )
