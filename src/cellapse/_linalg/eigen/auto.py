r"""Which solver: by size, and by how the graph can be cut.

few cells                            Dense
S is the collapse of A               Davidson, with a factor of A, or without if the graph expands
                                     and products with S need none either
a matrix that can be cut             ShiftInvert
the largest, if it can be cut        ShiftInvert
a matrix that expands, with hubs     Davidson without a factor
a matrix that expands, or indefinite Lanczos
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cellapse._errors import InputError
from cellapse._linalg.eigen.davidson import Davidson
from cellapse._linalg.eigen.krylov import Lanczos, ShiftInvert
from cellapse._linalg.eigen.problem import Dense, EigenSolver, Pairs, Problem, has_hubs
from cellapse._linalg.factor import best_direct, expands
from cellapse._linalg.symmetric import SymmetricOperator
from cellapse._linalg.tuning import DENSE, DENSE_IF_NOTHING_ELSE
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import whole_number
from cellapse._shared.pictures import bars


@dataclass(frozen=True, repr=False)
class Choice(Shown):
    """A solver and the reason for it; prints as one sentence.

    Attributes
    ----------
    solver : EigenSolver
    reason : str
    counts : bool
        Whether a factorization for counting eigenvalues is as quick as the solver.
    """

    solver: EigenSolver
    reason: str
    counts: bool = True

    def _card(self) -> Card:
        rows = (("solver", repr(self.solver)), ("reason", self.reason))
        calls = (("S.spectrum(k, solver=choice.solver)", "is what happens by default"),)
        return Card(f"Choice of {self.solver!r}", rows, lambda: bars([1.0]), calls)

    def __str__(self) -> str:
        return f"{self.solver}: {self.reason}"


@dataclass(frozen=True)
class Auto(EigenSolver):
    """Chooses the solver by size and by how the graph can be cut, and says why.

    If the first choice does not arrive (A may be far from S, a factor may not fit), the next one
    takes over; `spectrum.solver` names the one that found the result.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K)
    >>> cl.Auto().select(S, 3).solver
    Dense()
    """

    def plan(self, problem: Problem) -> tuple[Problem, list[EigenSolver]]:
        """Choose the solvers to try in turn, and the problem that they are given."""
        choice = self._choice(problem)
        if choice.solver.complete:
            return problem, [choice.solver]
        others = [Lanczos(), Dense()] if problem.n <= DENSE_IF_NOTHING_ELSE else [Lanczos()]
        if not choice.counts:
            problem = replace(problem, certify=False)
        return problem, list(dict.fromkeys([choice.solver, *others]))

    def find(self, problem: Problem) -> Pairs:
        return self._choice(problem).solver.find(problem)

    def _choice(self, problem: Problem) -> Choice:
        """Choose what to try first."""
        k = None if problem.count == problem.n else problem.count
        choice = self.select(problem.operator, k)
        solver = choice.solver
        if solver.complete:
            return choice
        if solver == Davidson(None) and problem.base is None and not problem.has_hubs:
            solver = Lanczos()  # the mass takes the hubs away
        if problem.largest:
            S = problem.operator
            quick = solver.factorizes and not S.slow
            system = S.shifted_system(2.0 * problem.norm, problem.root**2) if quick else None
            solver = Lanczos() if system is None else ShiftInvert(best_direct(problem.n))
        return replace(choice, solver=solver)

    def select(self, operator: SymmetricOperator, k: int | None = 10) -> Choice:
        """Choose the solver that `spectrum(k)` will use, and say why.

        >>> import networkx as nx, cellapse as cl
        >>> L = cl.graph_laplacian(cl.clique_complex(nx.path_graph(50)))
        >>> print(Auto().select(L))
        Dense(): 50 cells are few enough for a dense matrix
        """
        if not isinstance(operator, SymmetricOperator):
            raise InputError(
                f"select({operator!r:.80}); give an operator such as collapse(K) or "
                "graph_laplacian(K)"
            )
        n = operator.shape[0]
        if k is not None:
            whole_number("k", k, 1, max(n, 1))
        if k is None or k > n // 4:
            return Choice(Dense(), f"{'all' if k is None else k} of {n} eigenpairs are wanted")
        few = n < 100 or not operator.slow
        if n <= DENSE and few:
            return Choice(Dense(), f"{n} cells are few enough for a dense matrix")
        if not operator.definite:
            return Choice(Lanczos(), "eigenvalues may be negative, so there is no safe shift")
        deficit = operator.deficit
        matrix = operator.A if operator.matrix is None else operator.matrix
        if expands(matrix):
            why = "the graph expands: a factorization would fill in"
            if deficit is not None and not deficit.iterative:
                why = "the graph expands, but products with S factorize even more than A"
                return Choice(Davidson(best_direct(n)), why, counts=False)
            if deficit is not None:
                return Choice(Davidson(None), why)
            if operator.cheap and has_hubs(matrix):
                return Choice(Davidson(None), f"{why}, and Lanczos mainly sees the hubs")
            return Choice(Lanczos(), why)
        if deficit is not None:
            why = "the graph can be cut, and the eigenvectors of A are a close start"
            return Choice(Davidson(best_direct(n)), why)
        if operator.shifted_system(operator.safe_shift(np.ones(n)), np.ones(n)) is None:
            return Choice(Lanczos(), "there is nothing to factorize")
        why = "the graph can be cut: a factorization stays sparse"
        return Choice(ShiftInvert(best_direct(n)), why)
