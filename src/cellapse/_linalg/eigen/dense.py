r"""All eigenpairs by LAPACK, of S + 2 ||S|| P P^T: the kernel P comes last, out of the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cellapse._linalg.blas import symmetric_eigenpairs
from cellapse._linalg.eigen.problem import Pairs, Problem, no_pairs
from cellapse._linalg.eigen.solver import EigenSolver


@dataclass(frozen=True)
class Dense(EigenSolver):
    """All eigenpairs of the dense matrix by LAPACK: complete, for up to a few thousand cells.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K)
    >>> S.spectrum(3, solver=cl.Dense()).certified
    True
    """

    complete: ClassVar[bool] = True

    def find(self, problem: Problem) -> Pairs:
        S = problem.dense()
        if problem.n_kernel:  # out of the way instead of trusting rounding with it
            above = 2.0 * problem.norm  # any factor above 1 will do
            S = problem.onto_kernel.add_to(S, above)
        return symmetric_eigenpairs(S, 0, problem.k)

    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        return no_pairs(problem.n)  # a dense solver misses nothing
