r"""Conjugate gradients on the device of the tensors, for the systems of `system`.

With H = [[P, N], [N^T, -D]] up to order, what is left when the negative diagonal block -D is
eliminated is positive definite:

    (P + N D^-1 N^T) p = r + N D^-1 s

It is preconditioned with its diagonal. The iteration carries its residual along, and that drifts
away from the true one: what counts is computed anew, and the iteration begins again from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from cellapse._errors import ConvergenceError
from cellapse._linalg.cg import CG

if TYPE_CHECKING:
    from cellapse.torch.system import Pattern

_ROUNDING = 16 * torch.finfo(torch.float64).eps  # of the terms of a residual


class Reduced:
    """The system that is left, and the way back.

    Parameters
    ----------
    pattern : Pattern
    values : (n_entries,) float64 tensor
    """

    def __init__(self, pattern: Pattern, values: Tensor) -> None:
        self._pattern, self._values = pattern, values
        keep = torch.ones(pattern.size, dtype=values.dtype, device=values.device)
        keep[slice(*pattern.negative)] = 0.0
        diagonal = torch.zeros_like(keep)
        at = pattern.rows == pattern.columns
        diagonal[pattern.rows[at]] = values[at]
        scale = torch.where(keep > 0, 0.0, 1.0 / diagonal)  # (-D)^-1, and 0 elsewhere
        # The diagonal of N D^-1 N^T: squares of the entries over D.
        reduced = diagonal.index_add(0, pattern.rows, -(values**2) * scale[pattern.columns])
        self.precondition = torch.where(keep > 0, 1.0 / reduced, 0.0)[:, None]
        self._keep, self._scale = keep[:, None], scale[:, None]

    def __matmul__(self, p: Tensor) -> Tensor:
        t = self._pattern.matmul(self._values, p)
        return self._keep * (t - self._pattern.matmul(self._values, self._scale * t))

    def sizes(self, p: Tensor) -> Tensor:
        """Return the product with all terms taken positive, of which rounding is a share."""
        values, scale = self._values.abs(), self._scale.abs()
        t = self._pattern.matmul(values, p.abs())
        return self._keep * (t + self._pattern.matmul(values, scale * t))

    def start(self, rhs: Tensor) -> Tensor:
        """Return the right-hand side of what is left."""
        return self._keep * (rhs - self._pattern.matmul(self._values, self._scale * rhs))

    def whole(self, p: Tensor, rhs: Tensor) -> Tensor:
        """Return the solution with the eliminated block."""
        return p + self._scale * (rhs - self._pattern.matmul(self._values, p))


def conjugate_gradients(system: Reduced, rhs: Tensor, solver: CG) -> Tensor:
    """Return the solution whose residual is at most rtol of the right-hand side, or rounding."""
    b = system.start(rhs)
    steps = solver.max_steps or 10 * len(b)
    x, residual, best = torch.zeros_like(b), b, float("inf")
    while True:
        aim = solver.rtol * b.norm(dim=0) + _ROUNDING * system.sizes(x).norm(dim=0)
        left = residual.norm(dim=0)
        if bool((left <= aim).all()):
            return system.whole(x, rhs)
        missing = float((left / aim).max())
        if steps <= 0 or not missing <= 0.5 * best:
            raise ConvergenceError(
                f"conjugate gradients stopped at a relative residual of "
                f"{solver.rtol * min(missing, best):.1e}, short of rtol={solver.rtol:.0e}; "
                "raise eps, rtol or max_steps, or use solver=Direct()"
            )
        best = missing
        correction, used = _iterate(system, residual, 0.5 * aim, steps)
        x, steps = x + correction, steps - used
        residual = b - system @ x


def _iterate(system: Reduced, rhs: Tensor, aim: Tensor, steps: int) -> tuple[Tensor, int]:
    """A correction, until the residual that is carried along reaches the aim; and its steps."""
    x, r = torch.zeros_like(rhs), rhs
    z = system.precondition * r
    p, rz = z, (r * z).sum(0)
    for step in range(steps):
        open_ = r.norm(dim=0) > aim  # columns that are done stay as they are
        if not bool(open_.any()):
            return x, step
        q = system @ p
        length = _share(rz, (p * q).sum(0), open_)
        x, r = x + length * p, r - length * q
        z = system.precondition * r
        last, rz = rz, (r * z).sum(0)
        p = z + _share(rz, last, open_) * p
    return x, steps


def _share(part: Tensor, whole: Tensor, where: Tensor) -> Tensor:
    """part / whole, and 0 where that is not asked for or means nothing."""
    sound = where & (whole > 0)
    return torch.where(sound, part / torch.where(sound, whole, 1.0), 0.0)
