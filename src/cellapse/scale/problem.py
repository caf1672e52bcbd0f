r"""The eigenproblem S u = lambda D u as its solvers see it: D^{-1/2} S D^{-1/2} off its kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cellapse._shared.arrays import FloatArray
from cellapse.scale.blocks import gram
from cellapse.scale.components import Kernel
from cellapse.scale.multigrid import Cycle
from cellapse.scale.routes import Ranges


@dataclass(frozen=True, eq=False)
class Problem:
    """A symmetric operator over ranks, what is close to it, and what is not to be found.

    Attributes
    ----------
    vertices : Ranges
    apply : function
        Block, absolute error -> product.
    matrix : PETSc matrix
        A, scaled by the masses: at least S, and close to it.
    kernel : Kernel
    norm : float
        An upper bound of the largest eigenvalue.
    cycle : Cycle
        About the inverse of the matrix, up to a factor.
    known : (n, q) array
        Orthonormal vectors off the kernel that are left out, too.
    """

    vertices: Ranges
    apply: Callable[[FloatArray, float], FloatArray]
    matrix: Any
    kernel: Kernel
    norm: float
    cycle: Cycle
    known: FloatArray = field(repr=False)

    @property
    def comm(self) -> Any:
        return self.vertices.comm

    @property
    def room(self) -> int:
        """The dimension of the space off the kernel and what is known."""
        return self.vertices.total - self.kernel.count - self.known.shape[1]

    def project(self, X: FloatArray) -> FloatArray:
        """What X has besides the kernel and what is known."""
        X = self.kernel.project(X)
        if self.known.shape[1]:
            X = X - self.known @ gram(self.comm, self.known, X)
        return X

    def near(self, X: FloatArray) -> FloatArray:
        """About A^-1 X, up to a factor."""
        return self.project(self.cycle(X))

    def without(self, vectors: FloatArray) -> Problem:
        """The same, looking for others than these."""
        return replace(self, known=np.hstack([self.known, vectors]))
