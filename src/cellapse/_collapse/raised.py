r"""Solving with H = M + beta B^T B once tiny masses are raised to a floor, for `relaxation`.

B^T B is never formed: solving goes through K = I + beta B M^-1 B^T where M falls into small blocks
(it is diagonal in the unfolded realization), so that M^-1 is sparse and K like a graph Laplacian,
and otherwise through the quasi-definite

    | -I / beta   B |
    |  B^T        M |,

without the rows of cells that are many on few faces (`crowded`).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from cellapse._collapse.crowded import Crowded, is_crowded
from cellapse._collapse.graded import GradedLaplacian
from cellapse._errors import ConvergenceError
from cellapse._linalg.factor import (
    Direct,
    Solve,
    best_direct,
    can_complement,
    inverse_by_blocks,
    schur_complement,
)
from cellapse._shared.arrays import FloatArray, diagonal_matrix, square


class Raised:
    """(H + floor)^-1 for one B, beta and M.

    Parameters
    ----------
    B : (n, m) csr_array
    beta : float
    M : (m, m) csr_array
    eps : float
        What is part of M on the diagonal.
    floor : (m,) array
        What is added to it.
    solver : Direct, optional
    above : GradedLaplacian, optional
        M - eps by its matrices.
    """

    def __init__(
        self,
        B: sparse.csr_array,
        beta: float,
        M: sparse.csr_array,
        eps: float,
        floor: FloatArray,
        solver: Direct | None,
        above: GradedLaplacian | None,
    ) -> None:
        self.B, self.beta, self.eps = B, beta, eps
        self.n = B.shape[0]
        self._M, self._floor, self._solver, self._above = M, floor, solver, above

    @cached_property
    def reduced(self) -> tuple[sparse.csr_array, sparse.csr_array] | None:
        """K - I and (M + floor)^-1, where the latter is sparse."""
        inverse = inverse_by_blocks(self._masses)
        if inverse is None:
            return None
        diagonal = inverse.diagonal()
        if inverse.nnz == np.count_nonzero(diagonal):
            return self.beta * square(self.B, diagonal), inverse
        return sparse.csr_array(self.beta * (self.B @ inverse @ self.B.T)), inverse

    @property
    def complements(self) -> bool:
        """Whether a dense K can be had though M^-1 is not sparse."""
        if self.reduced is not None or self._solver is not None or self.crowded is not None:
            return False
        return can_complement()

    def complement(self) -> tuple[FloatArray, Solve]:
        """B (M + floor)^-1 B^T as an array, negative, and y -> (M + floor)^-1 y for columns."""
        places = np.arange(self.n + 1)  # PARDISO wants an entry for all of the diagonal
        nothing = sparse.csr_array((np.zeros(self.n), places[:-1], places), shape=(self.n, self.n))
        upper = [[nothing, self.B], [None, sparse.triu(self._masses)]]
        return schur_complement(sparse.block_array(upper, format="csr"), self.n)

    @cached_property
    def crowded(self) -> Crowded | None:
        """The same without rows for the far cells, where that is quicker and works."""
        if self._above is None or self._solver is not None or self.reduced is not None:
            return None  # a solver that was asked for is used
        if not is_crowded(self._above.incidence.n_cells, self._with(self._masses)):
            return None
        try:
            return Crowded(self.B, self.beta, self._above, self.eps + self._floor)
        except np.linalg.LinAlgError:  # rounding has taken what masses next to zero give
            return None

    @cached_property
    def direct(self) -> Direct:
        """How it is factorized."""
        if self._solver is not None:
            return self._solver
        if self.reduced is not None:
            return best_direct(self.n)
        if self.crowded is not None:
            return best_direct(self.n + len(self.crowded.nearest))
        return best_direct(self.n + len(self._floor))

    @property
    def method(self) -> str:
        """How it is solved, in words."""
        if self.crowded is not None:
            return "dense algebra on the faces, which are few next to their cells"
        return str(self.direct)

    @cached_property
    def factor(self) -> Solve:
        """Solves with K, or with the matrix of both."""
        reduced = self.reduced
        system = self.joint() if reduced is None else sparse.eye_array(self.n) + reduced[0]
        try:
            return self.direct.prepare(system)
        except ConvergenceError as error:
            raise ConvergenceError(
                f"{error}; give a larger eps than {self.eps:g}, or rescale the weights of the cells"
            ) from None

    def joint(self) -> Any:
        """The quasi-definite matrix of both; of the nearest cells alone where others are crowded.

        Both have the same inverse there, and as many negative eigenvalues: those eliminated are
        positive.
        """
        if self.crowded is not None:
            return self._with(sparse.csr_array(self.crowded.nearest))
        return self._with(self._masses)

    def near(self, r: FloatArray) -> FloatArray:
        """(H + floor)^-1 r, for one vector or many columns."""
        if self.reduced is not None:
            inverse = self.reduced[1]
            v = self.factor(-self.beta * (self.B @ (inverse @ r)))
            return inverse @ (self.B.T @ v + r)
        if self.crowded is not None:
            return self.crowded.solve(r)
        return self.factor(np.concatenate([np.zeros((self.n, *r.shape[1:])), r]))[self.n :]

    @property
    def _masses(self) -> sparse.csr_array:
        return self._M + diagonal_matrix(self._floor) if self._floor.any() else self._M

    def _with(self, M: sparse.csr_array) -> Any:
        B = self.B[:, : M.shape[0]]
        D = diagonal_matrix(np.full(self.n, -1.0 / self.beta))
        return sparse.block_array([[D, B], [B.T, M]], format="csr")
