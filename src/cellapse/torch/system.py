r"""Sparse symmetric systems H z = b with gradients by implicit differentiation.

    z = H^-1 b,   b' = H^-1 z',   H'_ij = -sum over columns of b'_i z_j

where a prime is the gradient of a loss. The backward pass is one more solve with the same
factorization; only z is kept, and a gradient is computed for stored entries of H only, so that
memory stays linear in the cells. Second derivatives are not provided.

H is quasi-definite: one block of it is a negative diagonal, and the rest, once that block is
eliminated, is positive definite. `Direct()` factorizes H on the CPU in float64, without its last
rows where they are a positive diagonal; `CG(...)` iterates on the device of the tensors.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import linalg
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from cellapse._errors import ConvergenceError
from cellapse.cg import CG
from cellapse.solvers import Direct, Solve

_COLUMNS = 16  # handled at once in the backward pass: bounds the working memory
_REFINEMENTS = 3


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
        """H^-1 rhs, without gradients."""
        if rhs.is_meta or not rhs.numel():
            return torch.empty_like(rhs)
        if isinstance(self.solver, CG):
            return _conjugate_gradients(self, rhs, self.solver)
        solved = self._refined(rhs.detach().cpu().numpy())
        return torch.from_numpy(solved).to(rhs.device)

    def _refined(self, rhs: NDArray[np.float64]) -> NDArray[np.float64]:
        # H is well-conditioned where it counts, but its factors hold 1 / eps: refinement takes
        # that loss of accuracy back.
        H, factor = self._factor
        z = factor(rhs)
        for _ in range(_REFINEMENTS):
            residual = rhs - H @ z
            if np.abs(residual).max() <= 1e-15 * np.abs(rhs).max():
                break
            z = z + factor(residual)
        return z

    @cached_property
    def _factor(self) -> tuple[sparse.csr_array, Solve]:
        pattern = self.pattern
        rows, columns = pattern.rows.cpu().numpy(), pattern.columns.cpu().numpy()
        values, n = self.values.detach().cpu().numpy(), pattern.size
        H = sparse.coo_array((values, (rows, columns)), shape=(n, n)).tocsr()
        m = n - pattern.n_diagonal
        N, D = H[:m, m:], H.diagonal()[m:, None]
        reduced = H[:m, :m] - N @ sparse.diags_array(1.0 / D[:, 0]) @ N.T
        factor = self._factorize(reduced.tocsc())

        def solve(rhs: NDArray[np.float64]) -> NDArray[np.float64]:
            last = rhs[m:] / D
            first = factor(rhs[:m] - N @ last)
            return np.concatenate([first, last - N.T @ first / D])

        return H, solve

    def _factorize(self, matrix: sparse.csc_array) -> Solve:
        if self.pivot:
            return linalg.splu(matrix).solve
        assert isinstance(self.solver, Direct)
        return self.solver.prepare(matrix)


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


def _conjugate_gradients(system: System, rhs: Tensor, solver: CG) -> Tensor:
    """Conjugate gradients on what is left when the negative diagonal block is eliminated.

    With H = [[P, N], [N^T, -D]] up to order: (P + N D^-1 N^T) p = r - N (-D)^-1 s, preconditioned
    with its diagonal.
    """
    pattern, values = system.pattern, system.values.detach()
    keep = torch.ones(pattern.size, 1, dtype=values.dtype, device=values.device)
    keep[slice(*pattern.negative)] = 0.0
    diagonal = torch.zeros_like(keep[:, 0])
    at = pattern.rows == pattern.columns
    diagonal[pattern.rows[at]] = values[at]
    scale = torch.where(keep[:, 0] > 0, 0.0, 1.0 / diagonal)  # (-D)^-1, and 0 elsewhere
    # The diagonal of N D^-1 N^T: squares of the entries over D.
    reduced = diagonal.index_add(0, pattern.rows, -(values**2) * scale[pattern.columns])
    precondition = torch.where(keep[:, 0] > 0, 1.0 / reduced, 0.0)[:, None]

    def eliminated(x: Tensor) -> Tensor:
        return scale[:, None] * x

    def apply(p: Tensor) -> Tensor:
        t = pattern.matmul(values, p)
        return keep * (t - pattern.matmul(values, eliminated(t)))

    b = keep * (rhs - pattern.matmul(values, eliminated(rhs)))
    p = _iterate(apply, b, precondition, solver, pattern.size)
    return p + eliminated(rhs - pattern.matmul(values, p))


def _iterate(apply: Any, rhs: Tensor, precondition: Tensor, solver: CG, size: int) -> Tensor:
    x, r = torch.zeros_like(rhs), rhs
    z = precondition * r
    p, rz = z, (r * z).sum(0)
    aim = solver.rtol * rhs.norm(dim=0)
    for _ in range(solver.maxiter or 10 * size):
        if bool((r.norm(dim=0) <= aim).all()):
            return x
        q = apply(p)
        step = rz / (p * q).sum(0).clamp_min(1e-300)  # columns that are done stay as they are
        x, r = x + step * p, r - step * q
        z = precondition * r
        last, rz = rz, (r * z).sum(0)
        p = z + rz / last.clamp_min(1e-300) * p
    worst = float((r.norm(dim=0) / rhs.norm(dim=0).clamp_min(1e-300)).max())
    raise ConvergenceError(
        f"conjugate gradients stopped at a relative residual of {worst:.1e}, short of "
        f"rtol={solver.rtol:.0e}; raise eps, rtol or maxiter, or use solver=Direct()"
    )
