r"""Lanczos on the inverse, with a shift s below the spectrum.

(S - s)^-1 u = mu u,    lambda = s + 1 / mu:    the largest mu are the smallest lambda.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from cellapse._linalg.direct import Direct
from cellapse._linalg.eigen.lanczos import largest_pairs
from cellapse._linalg.eigen.problem import Problem
from cellapse._linalg.eigen.spectrum import EigenSolver, check_factorization, only_below
from cellapse._linalg.symmetric import Pairs

SUPERLU = Direct()


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
    [0.0, 0.127, 0.513]
    """

    factorization: Direct = SUPERLU
    finds_largest: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_factorization(self.factorization)

    @property
    def factorizes(self) -> bool:
        return True

    def find(self, problem: Problem) -> Pairs:
        shift, solve = problem.factor(self.factorization)
        basis = 2 * problem.k + 10  # speed only: of the Krylov space
        mu, vectors = largest_pairs(problem, solve, basis, 1e-12)
        return shift + 1.0 / mu, vectors

    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        return only_below(self.find(replace(problem, k=block)), below)
