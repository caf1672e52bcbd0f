"""From an operator to its smallest eigenpairs: the way that suits the graph, and a second look."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cellapse._shared.arrays import FloatArray
from cellapse.scale.checkpoint import Checkpoint
from cellapse.scale.davidson import GUARD, Pairs
from cellapse.scale.flags import Flags
from cellapse.scale.libraries import MPI
from cellapse.scale.lowest import Lowest
from cellapse.scale.problem import Problem
from cellapse.scale.progress import Report, both
from cellapse.scale.shares import Shares
from cellapse.scale.spectrum import DENSE, Search, dense_pairs, nothing_missed

_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class Hunt:
    """The eigenproblem of S, that of A, and what is known of both.

    Attributes
    ----------
    problem, plain : Problem
        Of S and of A, scaled by the masses.
    elimination : Flags or Shares
    lowest : Lowest or None
        The eigenpairs of L, where S is no sparse matrix.
    mass : array or None
    tol : float
    """

    problem: Problem
    plain: Problem
    elimination: Flags | Shares
    lowest: Lowest | None
    mass: FloatArray | None
    tol: float

    def pairs(
        self, k: int, expands: bool, checkpoint: Checkpoint | None, report: Report
    ) -> tuple[Pairs, int, str]:
        """The eigenpairs off the kernel, the steps they took, and the way with its reason."""
        problem, vertices = self.problem, self.problem.vertices
        q = k - min(k, problem.kernel.count)
        if q == 0:
            none = np.empty((vertices.count, 0))
            return (np.empty(0), none), 0, f"none needed: {problem.kernel.count} components"
        if vertices.total <= DENSE or 4 * (q + GUARD) > problem.room:
            return dense_pairs(problem, k), 0, f"dense: {k} of {vertices.total} eigenpairs"
        start = None if checkpoint is None else checkpoint.load()
        close = None
        if self.lowest is not None:
            close = self._close(q + 1, Search(expands, self.tol, start, report("A")))
        also = None if close is None else close[1]
        keep = None if checkpoint is None else checkpoint.keeping(also)
        search = Search(expands, self.tol, start, both(report("S"), keep))
        if close is None:
            pairs, steps = search.of_matrix(problem, q)
        else:
            pairs, steps = search.of_collapse(problem, self.plain, close, q)
        if keep is not None:
            keep(-1, pairs[1], 0.0, 0.0)
        certain = close is not None and self._follows(close, pairs, q)
        report.say("S: a second look" if not certain else "S: none can be missing")
        return nothing_missed(problem, self.plain, pairs, search, certain), steps, _way(expands)

    def _close(self, count: int, search: Search) -> Pairs:
        """The first eigenpairs of A."""
        assert self.lowest is not None
        if self.mass is not None:
            return search.of_matrix(self.plain, count)[0]
        values, vectors = self.lowest.pairs(count)
        return self.elimination.scale * values, vectors

    def _follows(self, close: Pairs, pairs: Pairs, q: int) -> bool:
        """Whether A leaves no room for more eigenvalues of S: A - drop <= S."""
        if len(close[0]) <= q:
            return False
        least = 1.0
        if self.mass is not None:
            mine = float(self.mass.min(initial=np.inf))
            least = float(self.problem.comm.allreduce(mine, MPI.MIN))
        top = float(pairs[0].max()) + self.elimination.drop / least + _SAME * self.problem.norm
        return bool(close[0][q] > top)


def _way(expands: bool) -> str:
    if expands:
        return "Krylov-Schur and Davidson: the graph expands, so that multigrid would not help"
    return "block Davidson with multigrid: the graph can be cut"
