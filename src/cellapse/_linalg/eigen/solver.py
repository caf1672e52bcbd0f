"""What an eigensolver is: a small frozen object that finds eigenpairs, and searches for more.

`spectrum` does the rest: the kernel, if it is known, is not computed but removed before and put
back after (Krylov methods miss repeated zeros otherwise), nothing is missed, and what does not keep
`residual <= tol * norm` is an error.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import ClassVar

from cellapse._errors import InputError
from cellapse._linalg.eigen.problem import Pairs, Problem
from cellapse._linalg.factor import Direct

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
    """

    complete: ClassVar[bool] = False
    finds_largest: ClassVar[bool] = True
    starts_from_base: ClassVar[bool] = False

    @property
    def factorizes(self) -> bool:
        """Whether it needs a factorization; if one is an option, counting by one is, too."""
        return False

    @abstractmethod
    def find(self, problem: Problem) -> Pairs:
        """Find the k smallest eigenpairs off the kernel; copies of an eigenvalue may be missed."""

    @abstractmethod
    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        """Find eigenpairs below a value, if there are any.

        The search begins with a random block: a Krylov space of one vector holds one copy of a
        repeated eigenvalue, and rounding brings the others late or never.
        """

    def find_more(self, problem: Problem) -> Pairs:
        """Find the k smallest eigenpairs and a few more that cost little; those may be rough."""
        more = min(_MORE, problem.dimension - problem.k - 2)
        return self.find(replace(problem, k=problem.k + more) if more > 0 else problem)

    def plan(self, problem: Problem) -> tuple[Problem, list[EigenSolver]]:
        """Say which solvers to try in turn, and on what."""
        return problem, [self]


def check_factorization(given: object) -> None:
    """Refuse what is no `Direct(...)`, such as its name."""
    if not isinstance(given, Direct):
        raise InputError(f'factorization={given!r:.80}; give Direct() or such as Direct("pardiso")')
