r"""Lanczos on the inverse, with a shift s below the spectrum.

(S - s)^-1 u = mu u,    lambda = s + 1 / mu:    the largest mu are the smallest lambda.

For the other end of the spectrum the same with norm - S.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cellapse._errors import InputError
from cellapse._linalg.eigen.krylov import largest_pairs
from cellapse._linalg.eigen.problem import Problem
from cellapse._linalg.eigen.spectrum import EigenSolver, check_factorization, no_pairs, only_below
from cellapse._linalg.factor import Direct
from cellapse._linalg.symmetric import Pairs

SUPERLU = Direct()
_EXACT = 1e-12  # relative to 1 / (lambda - shift)
_ROUGH = 1e-5  # the same, for a look whether there is anything
_RESTARTS = 500  # where the shift is too far from the eigenvalues more do not help


@dataclass(frozen=True)
class ShiftInvert(EigenSolver):
    """Lanczos on (S - s)^-1, from one sparse factorization; for graphs that can be cut cheaply.

    Parameters
    ----------
    factorization : Direct

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K)
    >>> S.spectrum(3, solver=cl.ShiftInvert()).values.round(3).tolist()
    [0.0, 0.145, 0.158]
    """

    factorization: Direct = SUPERLU

    def __post_init__(self) -> None:
        check_factorization(self.factorization)

    @property
    def factorizes(self) -> bool:
        return True

    def find(self, problem: Problem) -> Pairs:
        vectors = self._nearest(problem, _EXACT)[1]
        # Products are more accurate than a factor whose entries reach 1 / eps.
        values = np.einsum("ij,ij->j", vectors, problem.apply(vectors))
        order = np.argsort(values, kind="stable")
        return values[order], vectors[:, order]

    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        problem = replace(problem, k=block)
        shift = problem.factor(self.factorization)[0]
        roughly = float(self._nearest(problem, _ROUGH)[0].min())
        if shift + (roughly - shift) / (1.0 + 2.0 * _ROUGH) > below:
            return no_pairs(problem.n)
        return only_below(self.find(problem), below)

    def _nearest(self, problem: Problem, tol: float) -> Pairs:
        """The eigenpairs next to the shift: 1 / (lambda - shift) to a relative tolerance."""
        if problem.largest and not problem.operator.definite:
            raise InputError(
                f"{self} needs a bound above the spectrum, and {problem.operator!r} may have "
                "eigenvalues of any size; use Lanczos() or Dense()"
            )
        shift, solve = problem.factor(self.factorization)
        basis = 2 * problem.k + 10  # of the Krylov space
        mu, vectors = largest_pairs(problem, solve, basis, tol, restarts=_RESTARTS)
        return shift + 1.0 / mu, vectors
