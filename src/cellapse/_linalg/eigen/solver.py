"""The contract of eigensolvers, and the dense one.

`spectrum` does the rest: a known kernel is removed before and put back after, as Krylov methods
miss repeated zeros; nothing is missed; and a larger residual than `tol * norm` is an error.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

from cellapse._errors import InputError
from cellapse._linalg.blas import symmetric_eigenpairs
from cellapse._linalg.eigen.problem import Pairs, Problem, only_below
from cellapse._linalg.factor import Direct

SUPERLU = Direct()
_MORE = 4  # eigenpairs that a start for others is given besides


class EigenSolver(ABC):
    """A way to the smallest eigenpairs of a symmetric operator, as a small frozen object.

    Attributes
    ----------
    complete : bool
        Whether all eigenpairs are computed, so that none can be missed.
    finds_largest : bool
        Whether it also finds the other end of the spectrum.
    starts_from_base : bool
        Whether `problem.start` is to hold the eigenpairs of A, if S is a collapse of A.
    factorizes : bool
        Whether it needs a factorization; if one is an option, counting by one is, too.
    """

    complete: ClassVar[bool] = False
    finds_largest: ClassVar[bool] = True
    starts_from_base: ClassVar[bool] = False

    @property
    def factorizes(self) -> bool:
        return False

    @abstractmethod
    def find(self, problem: Problem) -> Pairs:
        """Find the k smallest eigenpairs off the kernel; copies of an eigenvalue may be missed."""

    def find_more(self, problem: Problem) -> Pairs:
        """Find the k smallest eigenpairs and a few more that cost little; those may be rough."""
        more = min(_MORE, problem.dimension - problem.k - 2)
        return self.find(replace(problem, k=problem.k + more) if more > 0 else problem)

    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        """Find eigenpairs below a value, if there are any, from a random start."""
        return only_below(self.find(replace(problem, k=block)), below)

    def plan(self, problem: Problem) -> tuple[Problem, list[EigenSolver]]:
        """Choose the solvers to try in turn, and the problem that they are given."""
        return problem, [self]


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
        if problem.n_kernel:  # moved to the other end, instead of trusting rounding with it
            S = problem.onto_kernel.add_to(S, 2.0 * problem.norm)
        return symmetric_eigenpairs(S, 0, problem.k)


def check_factorization(given: object) -> None:
    """Refuse what is no `Direct(...)`, such as its name."""
    if not isinstance(given, Direct):
        raise InputError(f'factorization={given!r:.80}; give Direct() or such as Direct("pardiso")')
