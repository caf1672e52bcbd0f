r"""Which solver: by size, and by how the graph can be cut.

few cells                            Dense
S takes all cells, a loose tolerance Dense, where the matrix is quickly made
S is the collapse of A               Davidson, with a factor of A, or without where the graph
                                     expands and products with S need none either
a matrix that can be cut             ShiftInvert
the largest, where it can be cut     ShiftInvert
a matrix that expands, with hubs     Davidson without a factor
a matrix that expands, or indefinite Lanczos
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np

from cellapse._errors import ConvergenceError, InputError, SizeError
from cellapse._linalg.eigen.davidson import Davidson
from cellapse._linalg.eigen.dense import Dense
from cellapse._linalg.eigen.evidence import KEPT
from cellapse._linalg.eigen.lanczos import Lanczos
from cellapse._linalg.eigen.problem import Problem, eigenproblem, has_hubs
from cellapse._linalg.eigen.shift_invert import ShiftInvert
from cellapse._linalg.eigen.spectrum import EigenSolver, Spectrum
from cellapse._linalg.factor import best_direct, expands
from cellapse._linalg.symmetric import Lowest, Pairs, SymmetricOperator
from cellapse._shared.arrays import FloatArray
from cellapse._shared.card import Card, Shown
from cellapse._shared.checks import whole_number
from cellapse._shared.pictures import bars
from cellapse._shared.threads import one_thread_of_openblas

DENSE = 500  # up to this many cells the dense way is quick
_LOOSE = 1e-7  # tolerances that a dense matrix alone keeps, without a product with S
_LAST = 4000  # up to this many cells the dense way is the last resort


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

    Where the first choice does not arrive (A may be far from S, a factor may not fit), the next one
    takes over; `spectrum.solver` names the one that found the result.

    Examples
    --------
    >>> import networkx as nx, cellapse as cl
    >>> K = cl.clique_complex(nx.karate_club_graph())
    >>> S = cl.collapse(K)
    >>> cl.Auto().select(S, 3).solver
    Dense()
    """

    def run(self, problem: Problem) -> Spectrum:
        choice = self._choice(problem)
        if not choice.counts:
            problem = replace(problem, certify=False)
        *others, last = _one_after_the_other(choice.solver, problem)
        for candidate in others:
            try:
                return candidate.run(problem)
            except (ConvergenceError, SizeError):
                continue
        return last.run(problem)

    def find(self, problem: Problem) -> Pairs:
        return self._choice(problem).solver.find(problem)

    def find_more(self, problem: Problem) -> Pairs:
        return self._choice(problem).solver.find_more(problem)

    def search(self, problem: Problem, below: float, block: int) -> Pairs:
        return self._choice(problem).solver.search(problem, below, block)

    def _choice(self, problem: Problem) -> Choice:
        """What to try first."""
        n, wanted = problem.n, problem.wanted
        if problem.tol >= _LOOSE and problem.operator.dense_is_quick:
            return Choice(Dense(), "a dense matrix takes less than a few products")
        choice = self.select(problem.operator, None if wanted == n else wanted)
        solver = choice.solver
        if isinstance(solver, Dense):
            return choice
        if solver == Davidson(None) and problem.plain is None and not has_hubs(problem.matrix):
            solver = Lanczos()  # the mass takes the hubs away
        if problem.largest:
            solver = _of_the_other_end(solver, problem)
        return replace(choice, solver=solver)

    def select(self, operator: SymmetricOperator, k: int | None = 10) -> Choice:
        """The solver `spectrum(k)` will use, and a sentence that says why.

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


def _one_after_the_other(first: EigenSolver, problem: Problem) -> list[EigenSolver]:
    """What to try, in this order."""
    chosen = [first]
    if problem.wanted < problem.n:
        chosen.append(Lanczos())
    if problem.n <= _LAST:
        chosen.append(Dense())
    return list(dict.fromkeys(chosen))


def _of_the_other_end(solver: EigenSolver, problem: Problem) -> EigenSolver:
    """What finds the largest eigenpairs where this solver is right for the smallest."""
    quick = problem.factorizable and not problem.operator.slow
    if isinstance(solver, Davidson | ShiftInvert) and solver.factorization is not None and quick:
        return ShiftInvert(solver.factorization)
    return solver if solver.finds_largest and not solver.factorizes else Lanczos()


def kept_pairs(operator: SymmetricOperator, k: int) -> Lowest:
    """The first k eigenpairs off the kernel, to 1e-8 of the norm; kept for the next time."""
    kept: Lowest | None = operator.found.get("pairs")
    if kept is None or len(kept.values) < k:
        kept = lowest_pairs(operator, k, kept)
        operator.found["pairs"] = kept
    return kept.first(k)


def lowest_pairs(operator: SymmetricOperator, k: int, known: Lowest | None = None) -> Lowest:
    """The first k eigenpairs off the known kernel, good enough to start from; none is missed.

    Those that are known are not computed again, where they are enough.
    """
    n_kernel = 0 if operator.kernel is None else operator.kernel.shape[1]
    problem = eigenproblem(operator, k + n_kernel, tol=KEPT)
    solver = Auto().select(operator, k).solver
    vectors = np.empty((problem.n, 0)) if known is None else np.hstack(known[1::2])
    with nullcontext() if solver.complete else one_thread_of_openblas():
        return _lowest(problem, solver, vectors, k)


def _lowest(problem: Problem, solver: EigenSolver, vectors: FloatArray, k: int) -> Lowest:
    """The same, from vectors that are known."""
    if _n_accurate(problem, vectors) < k:
        vectors = solver.find_more(problem)[1]
        vectors = vectors[:, np.argsort(_quotients(problem, vectors), kind="stable")]
    sure = vectors[:, : max(k, _n_accurate(problem, vectors))]
    found, certain = solver.none_missed(problem, (_quotients(problem, sure), sure))
    beyond = found[:, k:]
    if found.shape[1] == sure.shape[1]:  # what was missing might not be orthogonal to the rest
        beyond = np.hstack([beyond, vectors[:, sure.shape[1] :]])
    return Lowest(_quotients(problem, found[:, :k]), found[:, :k], bool(certain), beyond)


def _quotients(problem: Problem, vectors: FloatArray) -> FloatArray:
    return np.einsum("ij,ij->j", vectors, problem.apply(vectors))


def _n_accurate(problem: Problem, vectors: FloatArray) -> int:
    """How many of the first vectors are as accurate as the problem asks for."""
    left = problem.apply(vectors) - vectors * _quotients(problem, vectors)
    rough = np.linalg.norm(left, axis=0) > problem.tol * problem.norm
    return int(np.argmax(rough)) if rough.any() else len(rough)
