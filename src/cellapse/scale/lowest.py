"""The first eigenpairs of L, kept with the complex.

The first value is sigma_min+(B_1)^2, the vectors are where the spectrum of a collapse starts.
"""

from __future__ import annotations

import numpy as np

from cellapse._shared.arrays import FloatArray
from cellapse.scale.checkpoint import Checkpoint
from cellapse.scale.complexes import DistributedComplex
from cellapse.scale.davidson import GUARD, Pairs
from cellapse.scale.libraries import PETSc
from cellapse.scale.multigrid import NUDGE, Cycle, Diagonal, Multigrid, Product
from cellapse.scale.problem import Problem
from cellapse.scale.progress import Report, both
from cellapse.scale.spectrum import DENSE, Search, dense_pairs

_FIRST = 12  # a few more than most users want of a spectrum


class Lowest:
    """Eigenpairs of L off its kernel.

    Parameters
    ----------
    D : DistributedComplex
    checkpoint : Checkpoint, optional
        Where to begin, and what to keep.
    report : Report

    Attributes
    ----------
    cycle : Cycle
        About the inverse of L.
    """

    def __init__(
        self, D: DistributedComplex, checkpoint: Checkpoint | None, report: Report
    ) -> None:
        self._complex, self._checkpoint, self._report = D, checkpoint, report
        L = D.laplacian(D.edges.weights)
        product, norm = Product(L), float(L.norm(PETSc.NormType.INFINITY))
        self.cycle = Cycle(L, NUDGE * norm, Diagonal if D.expands else Multigrid)
        none = np.empty((D.vertices.count, 0))
        self._problem = Problem(
            D.vertices, lambda X, _: product(X), L, D.kernel, norm, self.cycle, none
        )
        self._kept: Pairs = np.empty(0), none
        self.steps = 0

    @classmethod
    def of(cls, D: DistributedComplex, checkpoint: Checkpoint | None, report: Report) -> Lowest:
        """Those that the complex keeps, if it does."""
        if "lowest" not in D.shared:
            D.shared["lowest"] = cls(D, checkpoint, report)
        kept: Lowest = D.shared["lowest"]
        return kept

    def smallest(self) -> float:
        """The smallest eigenvalue off the kernel; infinite for a graph without edges."""
        if not self._complex.edges.ranges.total:
            return float("inf")
        return float(self.pairs(min(_FIRST, self._problem.room))[0][0])

    def pairs(self, count: int) -> Pairs:
        """The first eigenpairs, at least as many as wanted (or as there are)."""
        count = min(count, self._problem.room)
        if len(self._kept[0]) < count:
            self._kept = self._found(count)
        return self._kept

    def _found(self, count: int) -> Pairs:
        problem = self._problem
        if self._complex.n_vertices <= DENSE or 4 * (count + GUARD) > problem.room:
            return dense_pairs(problem, count + problem.kernel.count)
        start: FloatArray | None = self._kept[1] if self._kept[1].shape[1] else None
        if start is None and self._checkpoint is not None:
            start = self._checkpoint.load()
        keep = None if self._checkpoint is None else self._checkpoint.keeping(start)
        search = Search(self._complex.expands, 1e-11, start, both(self._report("L"), keep), firm=1)
        pairs, self.steps = search.of_matrix(problem, count)
        if keep is not None:
            keep(-1, pairs[1], 0.0, 0.0)
        return pairs
