r"""What is next to T = A - c (I - K^-1), where K^-1 takes conjugate gradients.

Where heavy edges of K tie vertices to groups, they take many steps. `approximation` is T with K^-1
by its groups; `pair` is

    u = K v,    T u = A u - c (u - v),

exact for every v, so that a rough solution of K v = x will do for a u next to x. And where x is
next to an eigenvector, T x = l x, K^-1 x is next to x - (A x - l x) / c: they start from there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from cellapse._collapse.ladder import Ladder
from cellapse._linalg.blas import times
from cellapse._linalg.cg import one_pass
from cellapse._linalg.factor import Solve
from cellapse._linalg.groups import Groups
from cellapse._shared.arrays import FloatArray

_CLOSE, _STEPS = 0.003, 100  # how close u comes to x, and the steps that may take
_FAR = 0.1  # a u so far from x is of no use


@dataclass(frozen=True)
class ByConjugateGradients:
    """What eigensolvers make use of where conjugate gradients apply K^-1."""

    ladder: Ladder

    def approximation(self, norm: float) -> Solve | None:
        """x -> about T x / norm for columns of float32; None where there are no groups."""
        ladder = self.ladder
        near = ladder.near
        if near.group is None:
            return None
        groups = Groups(near.K, near.group, ladder.c / norm)
        rest = sparse.csr_array(ladder.A - ladder.c * sparse.eye_array(ladder.n)) / norm
        rest = rest.astype(np.float32)
        return lambda x: times(rest, x) + groups.inverse(x)

    def pair(self, x: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """u next to columns x of length one, and T u; None without groups, or without such a u."""
        ladder = self.ladder
        K, group, solve = ladder.near.K, ladder.near.group, ladder.near.solve
        if group is None:  # there few steps do for T x
            return None
        close = one_pass(
            *(
                lambda p: times(K, p),
                x,
                solve,
                lambda r, _: np.linalg.norm(r, axis=0) <= _CLOSE,
                _STEPS,
            )
        )
        moved = ladder.relaxation.moved(close.x)
        u = close.x + moved
        if not (np.linalg.norm(x - u, axis=0) <= _FAR).all():
            return None
        return u, times(ladder.A, u) - ladder.c * moved

    def of_eigenvectors(self, x: FloatArray, error: float) -> FloatArray:
        """T x within an absolute error, in fewer steps for columns next to eigenvectors."""
        ladder = self.ladder
        image = times(ladder.A, x)
        about = ladder.fixed.off(ladder.near.closest(x, image))
        return image - ladder.c * ladder.moved(x, error / ladder.c, about)
