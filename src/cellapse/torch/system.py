r"""Sparse symmetric systems H z = b with gradients by implicit differentiation.

    z = H^-1 b,   b' = H^-1 z',   H'_ij = -sum over columns of b'_i z_j

where a prime is the gradient of a loss. The backward pass is one more solve with the same
factorization; only z is kept, and a gradient is computed for stored entries of H only, so that
memory stays linear in the cells. Second derivatives are not provided.

H is quasi-definite: one block of it is a negative diagonal, and the rest, once that block is
eliminated, is positive definite. `Direct()` factorizes H on the CPU in float64, `CG(...)` iterates
on the device of the tensors. Both check what they return, also in the backward pass.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from cellapse._errors import ConvergenceError
from cellapse._linalg.cg import CG
from cellapse._linalg.factor import Direct
from cellapse.torch.iteration import Reduced, conjugate_gradients
from cellapse.torch.refinement import Refined

_COLUMNS = 16  # handled at once in the backward pass: bounds the working memory


class Pattern(nn.Module):
    """Where a sparse symmetric matrix has entries; contributions to one place add up.

    Parameters
    ----------
    rows, columns : integer arrays
        Places of the contributions, each off-diagonal place with its mirror image.
    size : int
    negative : (start, stop)
        The block that is a negative diagonal; (0, 0) for a positive definite matrix.
    n_diagonal : int
        How many of the last rows are a positive diagonal among themselves.
    """

    rows: Tensor
    columns: Tensor
    slot: Tensor

    def __init__(
        self,
        rows: NDArray[Any],
        columns: NDArray[Any],
        size: int,
        negative: tuple[int, int],
        n_diagonal: int = 0,
    ) -> None:
        super().__init__()
        place = rows.astype(np.int64) * max(size, 1) + columns
        unique, slot = np.unique(place, return_inverse=True)
        self.size, self.negative, self.n_diagonal = size, negative, n_diagonal
        for name, values in (
            ("slot", slot.reshape(-1)),
            ("rows", unique // max(size, 1)),
            ("columns", unique % max(size, 1)),
        ):
            self.register_buffer(name, torch.from_numpy(values), persistent=False)

    def gather(self, contributions: list[Tensor]) -> Tensor:
        """The entries of the matrix, from contributions in the order of `rows` and `columns`."""
        parts = torch.cat(contributions)
        return parts.new_zeros(len(self.rows)).index_add(0, self.slot, parts)

    def matmul(self, values: Tensor, x: Tensor) -> Tensor:
        """H x for the columns of x."""
        return torch.zeros_like(x).index_add(0, self.rows, values[:, None] * x[self.columns])


class System:
    """A matrix with entries `values` at the places of a pattern, factorized on first use.

    Parameters
    ----------
    pattern : Pattern
    values : (n_entries,) float64 tensor
        May require a gradient.
    solver : Direct or CG
    pivot : bool
        Whether a factorization may need pivots off the diagonal.
    """

    def __init__(
        self, pattern: Pattern, values: Tensor, solver: Direct | CG, pivot: bool = False
    ) -> None:
        self.pattern, self.values, self.solver, self.pivot = pattern, values, solver, pivot

    def solve(self, rhs: Tensor) -> Tensor:
        """H^-1 rhs for the columns of rhs; differentiable in rhs and in `values`."""
        return _implicit_solve(self, rhs)

    def inverse(self, rhs: Tensor) -> Tensor:
        """H^-1 rhs, without gradients; a column that is not finite has no finite solution."""
        if rhs.is_meta or not rhs.numel():
            return torch.empty_like(rhs)
        finite = torch.isfinite(rhs).all(0)
        if not bool(finite.all()):
            solved = torch.full_like(rhs, torch.nan)
            solved[:, finite] = self.inverse(rhs[:, finite])
            return solved
        if isinstance(self.solver, CG):
            return conjugate_gradients(self._reduced, rhs, self.solver)
        return torch.from_numpy(self._refined(rhs.detach().cpu().numpy())).to(rhs.device)

    @cached_property
    def _reduced(self) -> Reduced:
        return Reduced(self.pattern, self._checked())

    @cached_property
    def _refined(self) -> Refined:
        pattern, values = self.pattern, self._checked().cpu().numpy()
        places = pattern.rows.cpu().numpy(), pattern.columns.cpu().numpy()
        H = sparse.coo_array((values, places), shape=(pattern.size, pattern.size)).tocsr()
        assert isinstance(self.solver, Direct)
        return Refined(H, pattern.n_diagonal, self.solver, self.pivot)

    def _checked(self) -> Tensor:
        values = self.values.detach()
        if not bool(torch.isfinite(values).all()):
            raise ConvergenceError(
                "the entries of the system are not finite: weights or parameters have overflowed; "
                "take smaller steps, or clip the gradients"
            )
        return values


@torch.compiler.disable  # type: ignore[untyped-decorator]
def _implicit_solve(system: System, rhs: Tensor) -> Tensor:
    solved: Tensor = _Solve.apply(system.values, rhs, system)  # type: ignore[no-untyped-call]
    return solved


class _Solve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, rhs: Tensor, system: System) -> Tensor:
        z = system.inverse(rhs)
        ctx.system = system
        ctx.save_for_backward(z)
        return z

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor, None]:
        (z,) = ctx.saved_tensors
        adjoint = ctx.system.inverse(gradient)
        if not ctx.needs_input_grad[0]:
            return None, adjoint, None
        pattern: Pattern = ctx.system.pattern
        entries = torch.zeros_like(ctx.system.values)
        for a, b in zip(adjoint.split(_COLUMNS, 1), z.split(_COLUMNS, 1), strict=True):
            entries -= (a[pattern.rows] * b[pattern.columns]).sum(1)
        return entries, adjoint, None
